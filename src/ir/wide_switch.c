/* wide_switch.c: switches on __int128 and larger _BitInts.
 *
 * A case in the site table and a value in an event have 64 bits: two cases that differ above them would be one, and values that differ
 * above them would be taken for a case. So such a switch becomes one on the number of the case, 0 for the default, which is a
 * sum of comparisons: cases are different values, so that one of them holds at most. The blocks that it leads to, their order and their phis stay as
 * they are, and so do the outcomes.
 */
#include "ir/wide_switch.h"

#define WIDEST 64 /* bits that a case has room for */

static LLVMValueRef case_number(LLVMBuilderRef b, LLVMValueRef inst, LLVMTypeRef i64)
{
	LLVMValueRef number = LLVMConstInt(i64, 0, 0);

	for (unsigned i = 1; i < LLVMGetNumSuccessors(inst); i++) {
		LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 2 * i), "");
		LLVMValueRef term = LLVMBuildMul(b, LLVMBuildZExt(b, is, i64, ""), LLVMConstInt(i64, i, 0), "");

		number = LLVMBuildAdd(b, number, term, "");
	}
	return number;
}

static void narrow(LLVMBuilderRef b, LLVMValueRef inst)
{
	unsigned count = LLVMGetNumSuccessors(inst);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMGetOperand(inst, 0))));

	/* The builder takes over the line, too. */
	LLVMPositionBuilderBefore(b, inst);
	LLVMValueRef now = LLVMBuildSwitch(b, case_number(b, inst, i64), LLVMGetSwitchDefaultDest(inst), count - 1);

	for (unsigned i = 1; i < count; i++)
		LLVMAddCase(now, LLVMConstInt(i64, i, 0), LLVMGetSuccessor(inst, i));
	LLVMInstructionEraseFromParent(inst);
}

void wide_switch_narrow(LLVMModuleRef module)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

			if (last && LLVMIsASwitchInst(last) && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(last, 0))) > WIDEST)
				narrow(b, last);
		}
	LLVMDisposeBuilder(b);
}
