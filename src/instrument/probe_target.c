/* probe_target.c: calls by pointer.
 *
 * A call of the null pointer leaves nothing of its caller on the stack that AddressSanitizer's report could show: the frame of the function that
 * calls is the one that the missing function would have opened on. So the pointer is looked at before the call.
 */
#include "instrument/probe_inside.h"

static void visit(struct probe *p, LLVMValueRef inst)
{
	if (!LLVMIsACallInst(inst) || probe_callee(inst))
		return;
	LLVMValueRef target = LLVMGetCalledValue(inst);
	if (LLVMIsAInlineAsm(target) || (LLVMIsConstant(target) && !LLVMIsNull(target))) /* an alias, a number */
		return;
	p->places++;
	if (p->look)
		return;
	probe_before(p, inst);
	probe_call(p, "muster_probe_target", 0, "p", &target, 1);
}

void probe_targets(struct probe *p)
{
	PROBE_FUNCTIONS(p, f)
		probe_walk(p, f, visit);
}
