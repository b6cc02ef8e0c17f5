/* split.c: which function goes where, and what the parts see of each other.
 *
 * Functions are dealt out in the order of the module, so that neighbours stay together, by the number of their instructions; a small static
 * function that one part alone uses goes there. Functions whose blocks have their address taken stay with the variables that may hold it,
 * and so do members of COMDAT groups. The parts do not depend on the machine: the same unit gives the same object everywhere.
 *
 * A body that has to be inlined is in every part, as a copy that is not emitted (available_externally): where it is not a matter
 * of calls, its address is that of the one in its home.
 *
 * Modules with aliases, ifuncs, assembly outside of functions, assembly that names a static symbol, or functions that the linker may drop
 * stay whole: each of these ties definitions to one object, and large units do not have them.
 */
#include "instrument/split.h"

#include "base/error.h"

#include <llvm-c/Comdat.h>

#include <stdio.h>
#include <string.h>

#define SMALL 200 /* instructions of a static function that is moved to the part that uses it: the balance does not suffer */
#define MANY 64	  /* parts; more would only join objects for longer */

static uint64_t key(LLVMValueRef v)
{
	return (uint64_t)(uintptr_t)v;
}

static uint32_t weight_of(LLVMValueRef f)
{
	uint32_t n = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n++;
	return n;
}

static int is_local(LLVMValueRef v)
{
	LLVMLinkage l = LLVMGetLinkage(v);

	return l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
}

static int must_inline(LLVMValueRef f)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);

	return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind) != NULL;
}

static int has_block_address(LLVMValueRef f)
{
	for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
		if (LLVMIsABlockAddress(LLVMGetUser(use)))
			return 1;
	return 0;
}

/* ------------------------------------------------------------ can it be split */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$"

/* Does a text of assembly have the name of a static function or variable in it? No use list knows of that. */
static int names_local(LLVMModuleRef m, const char *text)
{
	while (*(text += strcspn(text, LETTERS))) {
		size_t n = strspn(text, LETTERS);
		char name[256];
		LLVMValueRef v;

		snprintf(name, sizeof name, "%.*s", (int)n, text);
		v = LLVMGetNamedFunction(m, name);
		if (!v)
			v = LLVMGetNamedGlobal(m, name);
		if (n >= sizeof name || (v && is_local(v)))
			return 1;
		text += n;
	}
	return 0;
}

static int asm_names_local(LLVMModuleRef m, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = LLVMIsACallInst(i) || LLVMIsACallBrInst(i) ? LLVMGetCalledValue(i) : NULL;
			size_t n;
			struct buf text = BUF_EMPTY;
			int yes;

			if (!callee || !LLVMIsAInlineAsm(callee))
				continue;
			const char *code = LLVMGetInlineAsmAsmString(callee, &n);
			buf_add(&text, code, n);
			yes = names_local(m, buf_str(&text));
			buf_release(&text);
			if (yes)
				return 1;
		}
	return 0;
}

static int can_be_elsewhere(LLVMModuleRef m, LLVMValueRef f)
{
	switch (LLVMGetLinkage(f)) {
	case LLVMExternalLinkage:
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
	case LLVMWeakAnyLinkage:
	case LLVMWeakODRLinkage:
		return !asm_names_local(m, f);
	default:
		return LLVMIsDeclaration(f);
	}
}

/* Its name is spelt out: whoever names it does so by another one. */
static int is_spelt(LLVMValueRef v)
{
	size_t n;

	return is_local(v) && *LLVMGetValueName2(v, &n) == 1;
}

/* Nothing ties the module's definitions to one object. */
static int can_split(LLVMModuleRef m)
{
	size_t length = 0;

	LLVMGetModuleInlineAsm(m, &length);
	if (length || LLVMGetFirstGlobalAlias(m) || LLVMGetFirstGlobalIFunc(m))
		return 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_spelt(g))
			return 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_spelt(f) || !can_be_elsewhere(m, f))
			return 0;
	return 1;
}

/* --------------------------------------------------------------- who uses it */

#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

struct users {
	const struct split *s;
	struct map seen; /* constants on the way */
	uint32_t part;	 /* that uses it; NOBODY or SEVERAL */
};

static void used_in(struct users *u, uint32_t part)
{
	u->part = u->part == NOBODY || u->part == part ? part : SEVERAL;
}

static void used_by_function(struct users *u, LLVMValueRef f)
{
	uint64_t home;

	if (map_get(&u->s->copied, key(f), NULL))
		u->part = SEVERAL;
	else
		used_in(u, map_get(&u->s->home, key(f), &home) ? (uint32_t)home - 1 : 0);
}

/* Up from a value to the functions and variables that name it, through constants. */
static void find_users(struct users *u, LLVMValueRef v)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use && u->part != SEVERAL; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsAInstruction(user))
			used_by_function(u, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
		else if (LLVMIsAFunction(user))
			used_by_function(u, user); /* prefix data and the like */
		else if (LLVMIsAGlobalVariable(user))
			used_in(u, 0);
		else if (map_set(&u->seen, key(user), 1))
			find_users(u, user);
	}
}

static uint32_t part_that_uses(const struct split *s, LLVMValueRef v)
{
	struct users u = {.s = s, .part = NOBODY};

	find_users(&u, v);
	map_release(&u.seen);
	return u.part;
}

/* ---------------------------------------------------------------- the plan */

static int is_named(const struct strmap *names, LLVMValueRef f)
{
	size_t n;

	return names && strmap_get(names, LLVMGetValueName2(f, &n), NULL);
}

static void deal_out(struct split *s, LLVMModuleRef m, const struct strmap *fast)
{
	unsigned count = s->fast ? s->fast : s->count; /* of the others */
	uint64_t total = 0, before = 0;

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		total += weight_of(f);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint32_t weight = weight_of(f);
		uint64_t part = (before + weight / 2) * count / (total ? total : 1);

		if (LLVMIsDeclaration(f))
			continue;
		before += weight;
		if (is_named(fast, f))
			part = s->fast;
		if (LLVMGetComdat(f) || has_block_address(f))
			part = 0;
		map_set(&s->home, key(f), part + 1);
		if (must_inline(f) && !has_block_address(f))
			map_set(&s->copied, key(f), 1);
	}
}

/* In the order of the module, and of what passes added after it: what a function calls comes before it more often than not, so backwards. */
static void move_small(struct split *s, LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetLastFunction(m); f; f = LLVMGetPreviousFunction(f)) {
		uint32_t part;

		if (LLVMIsDeclaration(f) || !is_local(f) || LLVMGetComdat(f) || has_block_address(f) || weight_of(f) > SMALL)
			continue;
		part = part_that_uses(s, f);
		if (part < s->count)
			map_set(&s->home, key(f), (uint64_t)part + 1);
	}
}

/* A name that stands in a list of names and in an object as it is. */
static int is_plain(const char *name)
{
	return *name && !name[strspn(name, LETTERS)];
}

static void share(struct split *s, LLVMValueRef v, unsigned *serial)
{
	size_t n;
	char text[48];

	if (!is_plain(LLVMGetValueName2(v, &n))) {
		snprintf(text, sizeof text, "__muster_shared.%u", (*serial)++);
		LLVMSetValueName2(v, text, strlen(text));
	}
	buf_addf(&s->locals, "%s\n", LLVMGetValueName2(v, &n));
	LLVMSetLinkage(v, LLVMExternalLinkage);
	LLVMSetVisibility(v, LLVMHiddenVisibility);
}

static void share_all(struct split *s, LLVMModuleRef m)
{
	unsigned serial = 0;

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
		uint32_t part = LLVMIsDeclaration(g) || !is_local(g) ? NOBODY : part_that_uses(s, g);

		if (part != NOBODY && part != 0)
			share(s, g, &serial);
	}
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint32_t part = LLVMIsDeclaration(f) || !is_local(f) ? NOBODY : part_that_uses(s, f);
		uint64_t home = 0;

		map_get(&s->home, key(f), &home);
		if (part != NOBODY && part != home - 1)
			share(s, f, &serial);
	}
}

void split_plan(struct split *s, struct unit *u, uint32_t size, const struct strmap *fast)
{
	*s = (struct split){.count = 1};
	if (!size || (u->count / 2 < size && !fast) || !can_split(u->module))
		return;
	if (u->count / 2 >= size)
		s->count = u->count / size < MANY ? u->count / size : MANY;
	if (fast)
		s->fast = s->count++;
	deal_out(s, u->module, fast);
	move_small(s, u->module);
	share_all(s, u->module);
}

void split_release(struct split *s)
{
	map_release(&s->home);
	map_release(&s->copied);
	buf_release(&s->locals);
}

/* --------------------------------------------------------------- one part */

/* The definition is elsewhere: what is left of it is a declaration, after the pass that split_take runs. */
static void leave_out(LLVMValueRef v)
{
	LLVMSetComdat(v, NULL);
	LLVMSetLinkage(v, LLVMAvailableExternallyLinkage);
}

static void leave_out_variables(LLVMModuleRef m)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (LLVMGetLinkage(g) == LLVMAppendingLinkage)
			LLVMDeleteGlobal(g); /* constructors, and what must not be dropped */
		else if (!LLVMIsDeclaration(g))
			leave_out(g);
	}
}

int split_take(const struct split *s, struct unit *u, unsigned part)
{
	LLVMModuleRef m = u->module;

	if (part)
		leave_out_variables(m);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint64_t home;

		if (map_get(&s->home, key(f), &home) && home - 1 != part && !map_get(&s->copied, key(f), NULL))
			leave_out(f);
	}
	if (unit_passes(u, "elim-avail-extern"))
		return -1;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		uint64_t home;

		/* One that no other part uses is static still, and is dropped where nothing calls it. */
		if (map_get(&s->home, key(f), &home) && home - 1 != part && map_get(&s->copied, key(f), NULL) && !is_local(f))
			leave_out(f);
	}
	return 0;
}
