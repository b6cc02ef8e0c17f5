/* fold_idle.c: checks that are not worth an event in a program that goes on after them.
 *
 * Clang checks every pointer at every step: is p null, is it aligned, is p->a, did p->a + i wrap? Where an index has a
 * label, all of these have one, and they would be most of the path's constraints. Left out is what cannot fail:
 *	- conditions that the compiler found out itself, or that the ranges of small numbers decide (fold_range.c);
 *	- wrapping of a pointer into an object with a name, or by an offset that comes from at most 32 bits (no object lies
 *	  that close to either end), or for an access: the bounds of its object are said there, in the runtime;
 *	- alignment, unless what was counted is smaller: elements of an array are as well aligned as the array;
 * and what is said better elsewhere: that an element's address is null means nothing, since p + i is not null for any p
 * and i that matter. p is compared with null instead; what p + i may reach are the bounds of its object, in the runtime.
 */
#include "instrument/fold.h"

#include "muster/abi.h"

#define DEPTH 12
#define SMALL_OFFSET 32 /* bits */
#define MEMBERS 4	/* of members, that are looked at */

static int has_name(LLVMValueRef root)
{
	return LLVMIsAAllocaInst(root) || LLVMIsAGlobalVariable(root);
}

static int is_small(LLVMValueRef v)
{
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind || LLVMIsConstant(v))
		return 1;
	if (!LLVMIsAZExtInst(v) && !LLVMIsASExtInst(v))
		return 0;
	return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) <= SMALL_OFFSET;
}

/* Everything that the condition is computed from. */
static int is_of_small(LLVMValueRef v, int depth)
{
	if (!LLVMIsAInstruction(v) || !unit_is_marked(v))
		return is_small(v);
	if (!depth)
		return 0;
	for (int k = 0; k < LLVMGetNumOperands(v); k++) {
		LLVMValueRef operand = LLVMGetOperand(v, (unsigned)k);

		if (!LLVMIsAFunction(operand) && !is_of_small(operand, depth - 1))
			return 0;
	}
	return 1;
}

/* Is every pointer in it one into an object with a name? */
static int is_of_named(LLVMValueRef v, int depth)
{
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
		return LLVMIsAFunction(v) || LLVMIsAConstantPointerNull(v) || has_name(unit_pointer_root(v));
	if (!LLVMIsAInstruction(v) || !unit_is_marked(v))
		return 1;
	for (int k = 0; depth && k < LLVMGetNumOperands(v); k++)
		if (!is_of_named(LLVMGetOperand(v, (unsigned)k), depth - 1))
			return 0;
	return depth > 0;
}

/* Is the address only there to be read from or written to, at once or as the start of a member? */
static int is_only_accessed(LLVMValueRef address, int depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsAInstruction(user))
			return 0;
		if (unit_is_marked(user) || LLVMIsALoadInst(user) ||
		    (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != address))
			continue;
		if (!depth || !LLVMIsAGetElementPtrInst(user) || !is_only_accessed(user, depth - 1))
			return 0;
	}
	return 1;
}

/* The address that a check for wrapping is about stands right before what was computed for the check. */
static int is_of_access(LLVMValueRef check)
{
	LLVMValueRef i = LLVMGetPreviousInstruction(check);

	while (i && unit_is_marked(i))
		i = LLVMGetPreviousInstruction(i);
	return i && LLVMIsAGetElementPtrInst(i) && is_only_accessed(i, MEMBERS);
}

/* How many bytes the condition wants addresses to be a multiple of: from the mask in it. The largest, if there is none. */
static unsigned long long alignment_in(LLVMValueRef v, int depth)
{
	unsigned long long found;

	if (!depth || !LLVMIsAInstruction(v) || !unit_is_marked(v))
		return 0;
	if (LLVMGetInstructionOpcode(v) == LLVMAnd && LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
		return LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) + 1;
	for (int k = 0; k < LLVMGetNumOperands(v); k++)
		if ((found = alignment_in(LLVMGetOperand(v, (unsigned)k), depth - 1)))
			return found;
	return 0;
}

/* Of an element of simple type, or of an array of them; 0: of another type. */
static unsigned element_size(LLVMTypeRef type)
{
	while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		type = LLVMGetElementType(type);
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) / 8;
	case LLVMFloatTypeKind:
		return 4;
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
		return 8;
	default:
		return 0;
	}
}

/* Was something added on the way from the root to the pointer that is no multiple of the alignment? */
static int counts_bytes(LLVMValueRef pointer, unsigned long long alignment)
{
	for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
		unsigned size = element_size(LLVMGetGEPSourceElementType(pointer));

		if (size && (!alignment || size % alignment))
			return 1;
	}
	return 0;
}

int fold_is_idle(LLVMValueRef check)
{
	LLVMValueRef whole = unit_check_whole(check),
		     report = whole ? unit_check_report(whole) : NULL, null;

	if (!report || LLVMIsConstant(LLVMGetCondition(whole)) || fold_always_holds(LLVMGetCondition(whole)))
		return 1;
	switch (unit_check_handler(report)) {
	case UNIT_HANDLER_POINTER:
		return is_of_small(LLVMGetCondition(whole), DEPTH) || is_of_named(LLVMGetCondition(whole), DEPTH) ||
		       is_of_access(whole);
	case UNIT_HANDLER_TYPE:
		null = unit_check_null(whole);
		return unit_checker(whole) == MUSTER_CHECK_OTHER && null &&
		       (null == LLVMGetCondition(whole) ||
			!counts_bytes(LLVMGetOperand(null, 0), alignment_in(LLVMGetCondition(whole), DEPTH)));
	default:
		return 0;
	}
}

LLVMValueRef fold_part(LLVMValueRef check)
{
	LLVMValueRef condition = LLVMGetCondition(check), report = unit_check_report(check), null;

	if (!report || unit_check_handler(report) != UNIT_HANDLER_TYPE ||
	    !(null = unit_check_null(check)))
		return condition;
	if (unit_checker(check) == MUSTER_CHECK_NULL) {
		LLVMSetOperand(null, 0, unit_pointer_root(LLVMGetOperand(null, 0)));
		return null;
	}
	/* The alignment alone: the other side of the conjunction. */
	if (LLVMIsAInstruction(condition) && LLVMGetInstructionOpcode(condition) == LLVMAnd &&
	    LLVMGetOperand(condition, 0) == null)
		return LLVMGetOperand(condition, 1);
	return condition;
}
