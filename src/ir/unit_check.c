/* unit_check.c: the compiler's checks for undefined behaviour in a unit.
 *
 * Records are made with -fsanitize=... -fsanitize-trap=all. A check is then a conditional branch marked !nosanitize, one side
 * of which is a block that calls llvm.ubsantrap with the number of the check's handler; checks of one kind in a
 * function share that block. What the condition is made of is marked too. Some checks have a second marked branch in
 * front (the base of a shift is only looked at if the amount is right), which leads to no report itself.
 *
 * Whose check it is follows from the handler's number (LIST_SANITIZER_CHECKS in clang 19's CodeGenFunction.h) and, where this says
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

/* The switch at the end of a scope (return, break or go on?) that clang makes of jumps out of it: it stands in no line, and its default, which
 * nothing takes, is empty. The decisions that it repeats were counted where they were made. */
static int is_dispatch(LLVMValueRef inst)
{
	LLVMValueRef phi = LLVMGetInstructionOpcode(inst) == LLVMSwitch ? LLVMIsAPHINode(LLVMGetOperand(inst, 0)) : NULL;

	for (unsigned i = 0; phi && i < LLVMCountIncoming(phi); i++)
		if (!LLVMIsAConstant(LLVMGetIncomingValue(phi, i)) && !LLVMIsAPHINode(LLVMGetIncomingValue(phi, i)))
			return 0; /* no choice of the compiler's */
	return phi && !LLVMGetDebugLocLine(inst) &&
	       LLVMGetInstructionOpcode(LLVMGetFirstInstruction(LLVMGetSwitchDefaultDest(inst))) == LLVMUnreachable;
}

int unit_is_check(LLVMValueRef inst)
{
	return unit_outcomes(inst) && (unit_is_marked(inst) || is_dispatch(inst));
}

uint32_t unit_counted(LLVMValueRef inst)
{
	return unit_is_check(inst) ? 0 : unit_outcomes(inst);
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

static LLVMValueRef null_in(LLVMValueRef v, int depth)
{
	LLVMValueRef found;

	if (!depth || !LLVMIsAInstruction(v) || !unit_is_marked(v))
		return NULL;
	if (LLVMIsAICmpInst(v) && LLVMIsAConstantPointerNull(LLVMGetOperand(v, 1)))
		return v;
	for (int k = 0; k < LLVMGetNumOperands(v); k++)
		if ((found = null_in(LLVMGetOperand(v, (unsigned)k), depth - 1)))
			return found;
	return NULL;
}

LLVMValueRef unit_check_null(LLVMValueRef check)
{
	return null_in(LLVMGetCondition(check), CONDITION_DEPTH);
}

LLVMValueRef unit_pointer_root(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
		pointer = LLVMGetOperand(pointer, 0);
	return pointer;
}

/* A pointer into an object with a name is not null, however it was made: what is left to check is its alignment. */
static uint32_t pointer_checker(LLVMValueRef check)
{
	LLVMValueRef null = unit_check_null(check), root = null ? unit_pointer_root(LLVMGetOperand(null, 0)) : NULL;

	return !root || LLVMIsAAllocaInst(root) || LLVMIsAGlobalVariable(root) ? MUSTER_CHECK_OTHER : MUSTER_CHECK_NULL;
}

/* "llvm.usub.with.overflow.i32" */
static uint32_t overflow_checker(LLVMValueRef condition)
{
	const char *name = overflow_in(condition, CONDITION_DEPTH);

	if (!name || name[5] != 'u')
		return MUSTER_CHECK_INT_OVER;
	return !strncmp(name + 6, "sub", 3) ? MUSTER_CHECK_UINT_UNDER : MUSTER_CHECK_UINT_OVER;
}

unsigned unit_check_handler(LLVMValueRef report)
{
	LLVMValueRef number = LLVMGetNumArgOperands(report) == 1 ? LLVMGetOperand(report, 0) : NULL;

	if (!number || !LLVMIsAConstantInt(number) || strncmp(callee_name(report), "llvm.ubsantrap", 14))
		return UNIT_HANDLER_NONE;
	return (unsigned)LLVMConstIntGetZExtValue(number);
}

static uint32_t checker_of(LLVMValueRef report, LLVMValueRef check)
{
	switch (unit_check_handler(report)) {
	case UNIT_HANDLER_ADD:
	case UNIT_HANDLER_SUBTRACT:
	case UNIT_HANDLER_MULTIPLY:
	case UNIT_HANDLER_NEGATE:
		return overflow_checker(LLVMGetCondition(check));
	case UNIT_HANDLER_UNREACHABLE:
		return MUSTER_CHECK_ASSERT;
	case UNIT_HANDLER_MISSING_RETURN:
		return MUSTER_CHECK_RETURN;
	case UNIT_HANDLER_DIVIDE:
		return MUSTER_CHECK_DIVIDE;
	case UNIT_HANDLER_CONVERT:
		return MUSTER_CHECK_CONVERT_HIGH;
	case UNIT_HANDLER_NULLABILITY_ARG:
	case UNIT_HANDLER_NULLABILITY_RETURN:
	case UNIT_HANDLER_NONNULL_ARG:
	case UNIT_HANDLER_NONNULL_RETURN:
		return MUSTER_CHECK_NONNULL;
	case UNIT_HANDLER_BOUNDS:
		return MUSTER_CHECK_ARRAY_OVER;
	case UNIT_HANDLER_SHIFT:
		return MUSTER_CHECK_SHIFT;
	case UNIT_HANDLER_TYPE:
		return pointer_checker(check);
	case UNIT_HANDLER_VLA:
		return MUSTER_CHECK_ALLOC;
	default: /* UNIT_HANDLER_POINTER too: what it computes is no access yet */
		return MUSTER_CHECK_OTHER;
	}
}

#define PARTS_MAX 4 /* marked branches in front of the one that reports */

/* The check that a part of it leads to: by the marked branch at the end of a block after it. */
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

LLVMValueRef unit_check_whole(LLVMValueRef inst)
{
	if (LLVMGetInstructionOpcode(inst) != LLVMBr || !unit_is_check(inst))
		return NULL;
	return unit_check_fails(inst) >= 0 ? inst : whole_check(inst, PARTS_MAX);
}

uint32_t unit_checker(LLVMValueRef inst)
{
	LLVMValueRef report;

	if (!unit_is_check(inst))
		return MUSTER_CHECK_NONE;
	if (!(inst = unit_check_whole(inst)))
		return MUSTER_CHECK_OTHER; /* a select in the condition of a check, of pointers */
	report = unit_check_report(inst);
	return report ? checker_of(report, inst) : MUSTER_CHECK_OTHER;
}

int unit_checker_is_undefined(uint32_t checker)
{
	switch (checker) {
	case MUSTER_CHECK_DIVIDE:
	case MUSTER_CHECK_NULL:
	case MUSTER_CHECK_ARRAY_UNDER:
	case MUSTER_CHECK_ARRAY_OVER:
	case MUSTER_CHECK_INT_UNDER:
	case MUSTER_CHECK_INT_OVER:
	case MUSTER_CHECK_SHIFT:
	case MUSTER_CHECK_ALLOC:
	case MUSTER_CHECK_ASSERT:
		return 1;
	default:
		return 0;
	}
}
