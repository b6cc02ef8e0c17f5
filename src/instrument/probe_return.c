/* probe_return.c: functions that can end without a return statement, and callers that use what they return.
 *
 * Clang keeps the result of a function with several ends in the variable `retval`, or where the caller wants it (sret), and
 * only return statements write there (the san variant is compiled without -felide-constructors, which would let a
 * variable live there; main's 0 is written where it begins). So a bit beside it, set with each write, says at the end
 * how the function ended. Functions without a path around all the writes get nothing.
 *
 * A function that promises not to return (_Noreturn) and does is a finding at its own end: its caller has no code to go on with, and where that leads is chance. Where
 * the promise is part of its type (the attribute) clang's check for unreachable code stands there.
 *
 * A result is used if the call's value is, but for copies to temporaries that are not read; and by libc's functions that call back to compare.
 */
#include "instrument/probe_inside.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/unit.h"

#include <string.h>

typedef VEC(LLVMValueRef) values;

static int has_sret(LLVMValueRef at, LLVMAttributeIndex index, int is_call)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("sret", 4);

	return is_call ? LLVMGetCallSiteEnumAttribute(at, index, kind) != NULL : LLVMGetEnumAttributeAtIndex(at, index, kind) != NULL;
}

/* Where the result of a function stands until it ends; NULL if it has none, or it is returned from where it was made. */
static LLVMValueRef result_slot(LLVMValueRef f)
{
	if (LLVMCountParams(f) && has_sret(f, 1, 0))
		return LLVMGetParam(f, 0);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b), v = end && LLVMIsAReturnInst(end) && LLVMGetNumOperands(end) ? LLVMGetOperand(end, 0) : NULL;
		LLVMValueRef slot = v && LLVMIsALoadInst(v) ? unit_pointer_root(LLVMGetOperand(v, 0)) : NULL;
		/* A variable of this name was given another one, since the slot was made first. */
		if (slot && LLVMIsAAllocaInst(slot) && !strcmp(probe_name(slot), "retval"))
			return slot;
	}
	return NULL;
}

static int is_lifetime(LLVMValueRef inst)
{
	return LLVMIsACallInst(inst) && !strncmp(probe_name(probe_callee(inst)), "llvm.lifetime.", 14);
}

/* Instructions that write to memory at the pointer, or may. */
static void writes_to(LLVMValueRef pointer, values *out)
{
	for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsAInstruction(user) || LLVMIsALoadInst(user) || is_lifetime(user))
			continue;
		if (LLVMIsAGetElementPtrInst(user))
			writes_to(user, out);
		else
			vec_push(out, user);
	}
}

/* Is there a path to an end with no write on it? */
static int goes_around(LLVMBasicBlockRef b, const struct map *writing, struct map *seen)
{
	if (map_get(writing, (uint64_t)(uintptr_t)b, NULL) || map_get(seen, (uint64_t)(uintptr_t)b, NULL))
		return 0;
	map_set(seen, (uint64_t)(uintptr_t)b, 1);
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
	if (LLVMIsAReturnInst(end))
		return 1;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		if (goes_around(LLVMGetSuccessor(end, i), writing, seen))
			return 1;
	return 0;
}

/* The writes of a function that may end without any of them: 1, or 0. */
static int may_not_return(LLVMValueRef f, values *writes)
{
	struct map writing = {0}, seen = {0};
	LLVMValueRef slot = result_slot(f);

	if (!slot)
		return 0;
	writes_to(slot, writes);
	for (size_t i = 0; i < writes->size; i++)
		map_set(&writing, (uint64_t)(uintptr_t)LLVMGetInstructionParent(writes->data[i]), 1);
	int may = goes_around(LLVMGetFirstBasicBlock(f), &writing, &seen);
	map_release(&writing);
	map_release(&seen);
	return may;
}

static void mark_ends(struct probe *p, LLVMValueRef f, const values *writes)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(p->context);
	probe_before(p, LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(f)));
	LLVMSetCurrentDebugLocation2(p->b, NULL);
	LLVMValueRef bit = LLVMBuildAlloca(p->b, i8, "probe.returned");
	LLVMBuildStore(p->b, LLVMConstInt(i8, 0, 0), bit);
	LLVMValueRef called = probe_call(p, "muster_probe_begin", 1, "p", &f, 1), name = probe_text(p, probe_name(f));
	for (size_t i = 0; i < writes->size; i++) {
		probe_before(p, writes->data[i]);
		LLVMBuildStore(p->b, LLVMConstInt(i8, 1, 0), bit);
	}
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (!LLVMIsAReturnInst(end))
			continue;
		probe_before(p, end);
		LLVMValueRef returned = LLVMBuildZExt(p->b, LLVMBuildLoad2(p->b, i8, bit, ""), p->i32, "");
		probe_call(p, "muster_probe_end", 0, "pipp", (LLVMValueRef[]){f, returned, called, name}, 4);
	}
}

/* ------------------------------------------------------------------ callers */

/* Does anybody but the instruction look at the temporary variable, or at a part of it? What is stored there comes from the call. */
static int is_read(LLVMValueRef variable, LLVMValueRef but)
{
	for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (user == but || (LLVMIsAInstruction(user) && is_lifetime(user)) ||
		    (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable) || (LLVMIsAGetElementPtrInst(user) && !is_read(user, but)))
			continue;
		return 1;
	}
	return 0;
}

static int is_temporary(LLVMValueRef variable)
{
	return LLVMIsAAllocaInst(variable) && (!strncmp(probe_name(variable), "coerce", 6) || !strncmp(probe_name(variable), "tmp", 3));
}

static int is_used(LLVMValueRef value)
{
	for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAExtractValueInst(user)) {
			if (is_used(user))
				return 1;
		} else if (LLVMIsAStoreInst(user) && is_temporary(unit_pointer_root(LLVMGetOperand(user, 1)))) {
			if (is_read(unit_pointer_root(LLVMGetOperand(user, 1)), user))
				return 1;
		} else {
			return 1;
		}
	}
	return 0;
}

static int uses_result(LLVMValueRef call)
{
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
		return is_used(call);
	if (!LLVMGetNumArgOperands(call) || !has_sret(call, 1, 1))
		return 0;
	LLVMValueRef to = LLVMGetOperand(call, 0);
	return !LLVMIsAAllocaInst(to) || is_read(to, call);
}

/* Which functions of the module may end without a return statement. */
struct returns {
	struct map may;
};

static int may_be_missing(const struct returns *r, LLVMValueRef call)
{
	LLVMValueRef f = probe_callee(call);

	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return 0;
	if (!f)
		return 1;
	if (LLVMGetFirstBasicBlock(f))
		return map_get(&r->may, (uint64_t)(uintptr_t)f, NULL);
	return !LLVMGetIntrinsicID(f) && strncmp(probe_name(f), "muster_", 7) && strncmp(probe_name(f), "__muster_", 9) &&
	       strncmp(probe_name(f), "__ubsan_", 8) && !probe_in_libc(probe_name(f));
}

static struct returns *visited; /* of the module that is walked */

/* Functions of libc that use what the functions that they are given return. */
static int calls_back(LLVMValueRef call)
{
	static const char *const names[] = {"qsort", "qsort_r", "bsearch", "lfind", "lsearch", "tsearch", "tfind", "tdelete", "scandir", "ftw", "nftw"};
	LLVMValueRef f = probe_callee(call);

	for (size_t i = 0; f && !LLVMGetFirstBasicBlock(f) && i < sizeof names / sizeof *names; i++)
		if (!strcmp(probe_name(f), names[i]))
			return 1;
	return 0;
}

static void probe_library(struct probe *p, LLVMValueRef call)
{
	p->places++;
	if (p->look)
		return;
	for (int more = 1; more >= -1; more -= 2) {
		more > 0 ? probe_before(p, call) : probe_after(p, call);
		probe_call(p, "muster_probe_library", 0, "i", (LLVMValueRef[]){probe_number(p, more)}, 1);
	}
}

/* Whoever calls a function says so, that it can recognise a caller in libc. */
static void visit_caller(struct probe *p, LLVMValueRef inst)
{
	if (!LLVMIsACallInst(inst) || !may_be_missing(visited, inst))
		return;
	p->places++;
	if (p->look)
		return;
	probe_before(p, inst);
	probe_call(p, "muster_probe_caller", 0, "p", (LLVMValueRef[]){LLVMGetCalledValue(inst)}, 1);
}

static void visit_call(struct probe *p, LLVMValueRef inst)
{
	if (!LLVMIsACallInst(inst))
		return;
	if (calls_back(inst)) {
		probe_library(p, inst);
		return;
	}
	visit_caller(p, inst);
	if (!may_be_missing(visited, inst) || !uses_result(inst))
		return;
	p->places++;
	if (p->look)
		return;
	const char *name = probe_name(probe_callee(inst));
	probe_after(p, inst);
	LLVMValueRef arguments[] = {LLVMGetCalledValue(inst), probe_text(p, *name ? name : "a function that is called by a pointer")};
	probe_call(p, "muster_probe_used", 0, "pp", arguments, 2);
}

void probe_returns(struct probe *p)
{
	struct returns r = {0};

	PROBE_FUNCTIONS(p, f)
	{
		values writes = {0};
		if (may_not_return(f, &writes)) {
			map_set(&r.may, (uint64_t)(uintptr_t)f, 1);
			p->places++;
			if (!p->look)
				mark_ends(p, f, &writes);
		}
		vec_release(&writes);
	}
	visited = &r;
	PROBE_FUNCTIONS(p, f)
		probe_walk(p, f, visit_call);
	visited = NULL;
	map_release(&r.may);
}

/* ----------------------------------------------------------------- promises */

/* Where calls are checked for it, clang takes the attribute off functions that are called. The driver's calls are not checked: nothing comes after them. */
static int promises(LLVMValueRef f)
{
	if (LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName("noreturn", 8)))
		return 1;
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		LLVMValueRef next = LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f ? LLVMGetNextInstruction(call) : NULL;
		if (next && LLVMIsAUnreachableInst(next))
			return 1;
	}
	return 0;
}

void probe_promises(struct probe *p)
{

	PROBE_FUNCTIONS(p, f)
	{
		if (!promises(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
			if (!LLVMIsAReturnInst(end))
				continue;
			p->places++;
			if (p->look)
				continue;
			probe_before(p, end);
			probe_call(p, "muster_probe_noreturn", 0, "p", (LLVMValueRef[]){probe_text(p, probe_name(f))}, 1);
		}
	}
}
