/* probe_pair.c: where pointers are subtracted or ordered.
 *
 * Order is a comparison of two pointers. A difference is what clang calls sub.ptr.sub, which keeps it apart from numbers that a
 * cast made of pointers; of two global variables it is a constant. The probe gets the pointers that address
 * arithmetic started from: `p + n > end` is about the objects of p and end, wherever p + n is.
 */
#include "instrument/probe_inside.h"

#include "ir/unit.h"
#include "muster/probe.h"

#include <string.h>

/* What a pointer is made from: a variable of a thread is the result of a call. */
static LLVMValueRef root_of(LLVMValueRef pointer)
{
	LLVMValueRef root = unit_pointer_root(pointer);

	if (LLVMIsACallInst(root) && !strncmp(probe_name(probe_callee(root)), "llvm.threadlocal.address", 24))
		return LLVMGetOperand(root, 0);
	return root;
}

/* A variable that is defined here. Names of other units may be anything: two of them may stand for one object. */
static int is_variable(LLVMValueRef root)
{
	return LLVMIsAAllocaInst(root) || (LLVMIsAGlobalVariable(root) && LLVMGetInitializer(root) && LLVMGetLinkage(root) != LLVMWeakAnyLinkage);
}

static void probe_two(struct probe *p, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef y, int flags)
{
	LLVMValueRef a = unit_pointer_root(x), b = unit_pointer_root(y), ra = root_of(x), rb = root_of(y);

	if (ra == rb || LLVMIsAFunction(ra) || LLVMIsAFunction(rb))
		return;
	p->places++;
	if (p->look)
		return;
	if (is_variable(ra) && is_variable(rb))
		flags |= PROBE_DISTINCT;
	probe_before(p, inst);
	probe_call(p, "muster_probe_pair", 0, "ppi", (LLVMValueRef[]){a, b, probe_number(p, flags)}, 3);
}

static LLVMValueRef pointer_in(LLVMValueRef v)
{
	int is = LLVMIsAPtrToIntInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt);

	return is ? LLVMGetOperand(v, 0) : NULL;
}

#define DEPTH 4 /* of a constant: b - a, in elements, as another type */

static void visit_constant(struct probe *p, LLVMValueRef inst, LLVMValueRef v, int depth)
{
	if (!LLVMIsAConstantExpr(v) || !depth)
		return;
	if (LLVMGetConstOpcode(v) == LLVMSub) {
		LLVMValueRef x = pointer_in(LLVMGetOperand(v, 0)), y = pointer_in(LLVMGetOperand(v, 1));
		if (x && y) {
			const char *function = probe_name(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
			if (p->look)
				strmap_set(p->constants, function, 1);
			if (strmap_get(p->constants, function, NULL))
				probe_two(p, inst, x, y, PROBE_DIFFERENCE);
			return;
		}
	}
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		visit_constant(p, inst, LLVMGetOperand(v, (unsigned)i), depth - 1);
}

static void visit(struct probe *p, LLVMValueRef inst)
{
	LLVMValueRef x, y;

	if (LLVMIsAPHINode(inst)) { /* constants are computed where they come from */
		for (unsigned i = 0; i < LLVMCountIncoming(inst); i++)
			visit_constant(p, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(inst, i)), LLVMGetIncomingValue(inst, i), DEPTH);
		return;
	}
	for (int i = 0; i < LLVMGetNumOperands(inst); i++)
		visit_constant(p, inst, LLVMGetOperand(inst, (unsigned)i), DEPTH);
	if (LLVMIsAICmpInst(inst) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) == LLVMPointerTypeKind && !unit_is_marked(inst)) {
		LLVMIntPredicate how = LLVMGetICmpPredicate(inst);
		if (how != LLVMIntEQ && how != LLVMIntNE)
			probe_two(p, inst, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), 0);
	} else if (LLVMGetInstructionOpcode(inst) == LLVMSub && !strncmp(probe_name(inst), "sub.ptr.sub", 11)) {
		x = pointer_in(LLVMGetOperand(inst, 0)), y = pointer_in(LLVMGetOperand(inst, 1));
		if (x && y)
			probe_two(p, inst, x, y, PROBE_DIFFERENCE);
	}
}

void probe_pairs(struct probe *p)
{
	PROBE_FUNCTIONS(p, f)
		probe_walk(p, f, visit);
}
