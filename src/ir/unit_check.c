/* unit_check.c: the compiler's checks for undefined behaviour in a unit.
 *
 * Records are made with -fsanitize=... -fsanitize-trap=all. A check is then a conditional branch marked !nosanitize, one side
 * of which is a block that calls llvm.ubsantrap with the number of the check's handler; checks of one kind in a
 * function share that block. What the condition is made of is marked too. Some checks have a second marked branch in
 * front (the base of a shift is only looked at if the amount is right), which leads to no report itself.
 *
 * Whose check it is follows from the handler's number (LIST_SANITIZER_CHECKS in clang 19's CodeGenFunction.h) and, where that says
 * too little, from the condition: is the arithmetic signed, is a pointer compared with null?
 */
#include "ir/unit.h"

#include "muster/abi.h"

#include <string.h>

/* Clang marks what sanitizers made, so that no other sanitizer looks at it. */
int unit_is_marked(LLVMValueRef inst)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(inst));

	return LLVMHasMetadata(inst) &&
	       LLVMGetMetadata(inst, LLVMGetMDKindIDInContext(context, "nosanitize", 10)) != NULL;
}

int unit_is_check(LLVMValueRef inst)
{
	return unit_outcomes(inst) && unit_is_marked(inst);
}

uint32_t unit_counted(LLVMValueRef inst)
{
	uint32_t outcomes = unit_outcomes(inst);

	return outcomes && unit_is_marked(inst) ? 0 : outcomes;
}

static const char *callee_name(LLVMValueRef inst)
{
	LLVMValueRef f = LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t length;

	return f ? LLVMGetValueName2(f, &length) : "";
}

/* The call in a block that reports: a trap, or the library's handler; both are marked. NULL: it does not report. */
static LLVMValueRef report_in(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		const char *name = callee_name(i);

		if (*name && (!strncmp(name, "llvm.ubsantrap", 14) || !strncmp(name, "llvm.trap", 9) ||
			      !strncmp(name, "__ubsan_handle_", 15)) && unit_is_marked(i))
			return i;
	}
	return NULL;
}

int unit_check_fails(LLVMValueRef inst)
{
	int yes, no;

	if (LLVMGetInstructionOpcode(inst) != LLVMBr || !unit_is_check(inst))
		return -1;
	yes = report_in(LLVMGetSuccessor(inst, 0)) != NULL;
	no = report_in(LLVMGetSuccessor(inst, 1)) != NULL;
	return yes == no ? -1 : yes;
}

LLVMValueRef unit_check_report(LLVMValueRef inst)
{
	int fails = unit_check_fails(inst);

	return fails < 0 ? NULL : report_in(LLVMGetSuccessor(inst, fails ? 0 : 1));
}

#define CONDITION_DEPTH 6

/* Looks through what was computed for a check: the first x.with.overflow, or NULL. */
static const char *overflow_in(LLVMValueRef v, int depth)
{
	const char *name;

	if (!depth || !LLVMIsAInstruction(v) || !unit_is_marked(v))
		return NULL;
	name = callee_name(v);
	if (*name)
		return strstr(name, ".with.overflow") ? name : NULL;
	for (int k = 0; k < LLVMGetNumOperands(v); k++)
		if ((name = overflow_in(LLVMGetOperand(v, (unsigned)k), depth - 1)))
			return name;
	return NULL;
}

static int compares_with_null(LLVMValueRef v, int depth)
{
	if (!depth || !LLVMIsAInstruction(v) || !unit_is_marked(v))
		return 0;
	if (LLVMIsAICmpInst(v) && LLVMIsAConstantPointerNull(LLVMGetOperand(v, 1)))
		return 1;
	for (int k = 0; k < LLVMGetNumOperands(v); k++)
		if (compares_with_null(LLVMGetOperand(v, (unsigned)k), depth - 1))
			return 1;
	return 0;
}

/* "llvm.usub.with.overflow.i32" */
static uint32_t overflow_checker(LLVMValueRef condition)
{
	const char *name = overflow_in(condition, CONDITION_DEPTH);

	if (!name || name[5] != 'u')
		return MUSTER_CHECK_INT_OVER;
	return !strncmp(name + 6, "sub", 3) ? MUSTER_CHECK_UINT_UNDER : MUSTER_CHECK_UINT_OVER;
}

enum handler { /* those that say something */
	HANDLER_ADD = 0,
	HANDLER_UNREACHABLE = 1,
	HANDLER_DIVIDE = 3,
	HANDLER_CONVERT = 7,
	HANDLER_MISSING_RETURN = 11,
	HANDLER_MULTIPLY = 12,
	HANDLER_NEGATE = 13,
	HANDLER_NULLABILITY_ARG = 14,
	HANDLER_NULLABILITY_RETURN = 15,
	HANDLER_NONNULL_ARG = 16,
	HANDLER_NONNULL_RETURN = 17,
	HANDLER_BOUNDS = 18,
	HANDLER_POINTER = 19,
	HANDLER_SHIFT = 20,
	HANDLER_SUBTRACT = 21,
	HANDLER_TYPE = 22,
	HANDLER_VLA = 24,
};

static uint32_t checker_of(LLVMValueRef report, LLVMValueRef condition)
{
	LLVMValueRef number = LLVMGetNumArgOperands(report) == 1 ? LLVMGetOperand(report, 0) : NULL;

	if (!number || !LLVMIsAConstantInt(number) || strncmp(callee_name(report), "llvm.ubsantrap", 14))
		return MUSTER_CHECK_OTHER;
	switch (LLVMConstIntGetZExtValue(number)) {
	case HANDLER_ADD:
	case HANDLER_SUBTRACT:
	case HANDLER_MULTIPLY:
	case HANDLER_NEGATE:
		return overflow_checker(condition);
	case HANDLER_UNREACHABLE:
	case HANDLER_MISSING_RETURN:
		return MUSTER_CHECK_ASSERT;
	case HANDLER_DIVIDE:
		return MUSTER_CHECK_DIVIDE;
	case HANDLER_CONVERT:
		return MUSTER_CHECK_CONVERT_HIGH;
	case HANDLER_NULLABILITY_ARG:
	case HANDLER_NULLABILITY_RETURN:
	case HANDLER_NONNULL_ARG:
	case HANDLER_NONNULL_RETURN:
		return MUSTER_CHECK_NONNULL;
	case HANDLER_BOUNDS:
		return MUSTER_CHECK_ARRAY_OVER;
	case HANDLER_SHIFT:
		return MUSTER_CHECK_SHIFT;
	case HANDLER_TYPE:
		return compares_with_null(condition, CONDITION_DEPTH) ? MUSTER_CHECK_NULL : MUSTER_CHECK_OTHER;
	case HANDLER_VLA:
		return MUSTER_CHECK_ALLOC;
	default: /* HANDLER_POINTER too: what it computes is no access yet */
		return MUSTER_CHECK_OTHER;
	}
}

#define PARTS_MAX 4 /* marked branches in front of the one that reports */

/* The check that a part of it leads to: by the marked branch at the end of a block behind it. */
static LLVMValueRef whole_check(LLVMValueRef part, int depth)
{
	for (unsigned k = 0; depth && k < LLVMGetNumSuccessors(part); k++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetSuccessor(part, k));

		if (!last || LLVMGetInstructionOpcode(last) != LLVMBr || !unit_is_marked(last))
			continue;
		if (LLVMIsConditional(last) && unit_check_fails(last) >= 0)
			return last;
		if ((last = whole_check(last, depth - 1)))
			return last;
	}
	return NULL;
}

uint32_t unit_checker(LLVMValueRef inst)
{
	LLVMValueRef report;

	if (!unit_is_check(inst))
		return MUSTER_CHECK_NONE;
	if (LLVMGetInstructionOpcode(inst) != LLVMBr)
		return MUSTER_CHECK_OTHER; /* a select in the condition of a check, of pointers */
	if (unit_check_fails(inst) < 0 && !(inst = whole_check(inst, PARTS_MAX)))
		return MUSTER_CHECK_OTHER;
	report = unit_check_report(inst);
	return report ? checker_of(report, LLVMGetCondition(inst)) : MUSTER_CHECK_OTHER;
}
