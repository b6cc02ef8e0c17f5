/* missing.c: functions that are not instrumented yet.
 *
 * Of a large program most functions are entered by no run of a search, or late. A trace variant of the state COPIES_PART (build/copies.h) has code for those that some
 * run of the cov variant entered; each other one is a placeholder: it has the function's name, linkage, address and marks, so that calls, pointers and
 * tables of functions are what they are in a whole variant, and its body tells the runtime which function it stands for (__muster_missing) and ends the
 * run. Whoever runs the variant makes that function and runs the input again (run/target.h): a run that ended so is not even a run.
 *
 * Bodies are taken away when sites and entries are known, which need all of the unit, and before the passes, which then cost as much as what they
 * work on. A function stays what it is where a call of it is not all that there is to it: bodies that are inlined, naked ones, members of a group of the
 * linker, and those whose labels have their address taken.
 */
#include "instrument/missing.h"

#include "base/vec.h"

#include <llvm-c/Comdat.h>

#include <stdio.h>
#include <string.h>

#define HOOK "__muster_missing"

static int has_attribute(LLVMValueRef f, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

static int has_block_address(LLVMValueRef f)
{
	for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
		if (LLVMIsABlockAddress(LLVMGetUser(use)))
			return 1;
	return 0;
}

/* Of the drivers (runtime/kernel.h). What has such a name is in each part of a unit that uses it (split.c). */
static int is_own(LLVMValueRef f)
{
	size_t n;

	return !strncmp(LLVMGetValueName2(f, &n), "__muster_", 9);
}

static int can_be_missing(LLVMValueRef f)
{
	switch (LLVMGetLinkage(f)) {
	case LLVMExternalLinkage:
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
	case LLVMWeakAnyLinkage:
	case LLVMWeakODRLinkage:
		break;
	default:
		return 0;
	}
	return !LLVMIsDeclaration(f) && !is_own(f) && !LLVMGetComdat(f) && !has_attribute(f, "alwaysinline") && !has_attribute(f, "naked") && !has_block_address(f);
}

struct gone {
	LLVMValueRef function;
	LLVMLinkage linkage;
};

struct missing_list {
	VEC(struct gone) gone;
	VEC(LLVMValueRef) others; /* that are available elsewhere to begin with */
	struct map places;	  /* function that is gone -> its first ordinal + 1 */
};

static void find(struct missing_list *l, LLVMModuleRef m, struct missing *plan)
{
	size_t n;

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
			vec_push(&l->others, f);
		if (!LLVMIsDeclaration(f) && !can_be_missing(f))
			strmap_set(&plan->always, LLVMGetValueName2(f, &n), 1);
		else if (can_be_missing(f) && !strmap_get(plan->now, LLVMGetValueName2(f, &n), NULL))
			vec_push(&l->gone, ((struct gone){f, LLVMGetLinkage(f)}));
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (LLVMGetLinkage(g) == LLVMAvailableExternallyLinkage)
			vec_push(&l->others, g);
	for (size_t i = 0; i < l->gone.size; i++)
		map_set(&l->places, (uint64_t)(uintptr_t)l->gone.data[i].function, 0);
}

/* Their instructions leave the unit's list, which says where each function begins. */
static void forget_instructions(struct missing_list *l, struct unit *u)
{
	for (uint32_t i = u->count; i-- > 0;) {
		uint64_t f = (uint64_t)(uintptr_t)LLVMGetBasicBlockParent(LLVMGetInstructionParent(u->instructions[i]));

		if (!map_get(&l->places, f, NULL))
			continue;
		map_set(&l->places, f, (uint64_t)i + 1); /* the first one comes last */
		u->instructions[i] = NULL;
	}
}

/* LLVM deletes bodies of functions that are available elsewhere, and this is the only way from C. */
static int delete_bodies(struct missing_list *l, struct unit *u)
{
	for (size_t i = 0; i < l->others.size; i++)
		LLVMSetLinkage(l->others.data[i], LLVMInternalLinkage);
	for (size_t i = 0; i < l->gone.size; i++)
		LLVMSetLinkage(l->gone.data[i].function, LLVMAvailableExternallyLinkage);
	if (unit_passes(u, "elim-avail-extern"))
		return -1;
	for (size_t i = 0; i < l->others.size; i++)
		LLVMSetLinkage(l->others.data[i], LLVMAvailableExternallyLinkage);
	return 0;
}

static LLVMValueRef hook(struct unit *u)
{
	LLVMTypeRef site = LLVMInt64TypeInContext(u->context), type = LLVMFunctionType(LLVMVoidTypeInContext(u->context), &site, 1, 0);
	LLVMValueRef f = LLVMAddFunction(u->module, HOOK, type);

	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(u->context, LLVMGetEnumAttributeKindForName("noreturn", 8), 0));
	return f;
}

static void put_placeholder(struct missing_list *l, struct unit *u, LLVMBuilderRef b, const struct gone *g, LLVMValueRef to)
{
	uint64_t first = 0;
	LLVMValueRef site;

	map_get(&l->places, (uint64_t)(uintptr_t)g->function, &first);
	site = LLVMConstInt(LLVMInt64TypeInContext(u->context), (uint64_t)u->id << 32 | (first - 1), 0);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(u->context, g->function, ""));
	LLVMBuildCall2(b, LLVMGlobalGetValueType(to), to, &site, 1, "");
	LLVMBuildUnreachable(b);
	LLVMSetLinkage(g->function, g->linkage);
}

/* Other makings of the unit have to find them. */
static void name_nameless(LLVMModuleRef m)
{
	unsigned serial = 0;
	char text[32];
	size_t n;

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
		LLVMGetValueName2(g, &n);
		if (n)
			continue;
		snprintf(text, sizeof text, "nameless.muster.%u", serial++);
		LLVMSetValueName2(g, text, strlen(text));
	}
}

int missing_put(struct unit *u, struct missing *m)
{
	struct missing_list l = {0};
	int e;

	name_nameless(u->module);
	find(&l, u->module, m);
	forget_instructions(&l, u);
	e = delete_bodies(&l, u);
	if (!e && l.gone.size) {
		LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
		LLVMValueRef to = hook(u);

		for (size_t i = 0; i < l.gone.size; i++)
			put_placeholder(&l, u, b, &l.gone.data[i], to);
		LLVMDisposeBuilder(b);
	}
	vec_release(&l.gone);
	vec_release(&l.others);
	map_release(&l.places);
	return e;
}

int missing_is(LLVMValueRef function)
{
	LLVMBasicBlockRef b = LLVMIsDeclaration(function) ? NULL : LLVMGetEntryBasicBlock(function);
	LLVMValueRef first = b ? LLVMGetFirstInstruction(b) : NULL, callee = first && LLVMIsACallInst(first) ? LLVMIsAFunction(LLVMGetCalledValue(first)) : NULL;
	size_t n;

	return callee && !strcmp(LLVMGetValueName2(callee, &n), HOOK);
}
