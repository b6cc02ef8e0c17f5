/* trace_mem.c: labels of memory accesses and stack objects.
 *
 * A load asks the shadow for the label before it happens, a store sets it. Odd
 * widths go to memory as whole bytes: widened on the way in, cut on the way out.
 * Atomic operations are plain ones, since only the first thread has labels; a
 * compare-and-exchange puts a bound on the path: that it went as it did.
 *
 * In small code one hook does all that an access needs. A member's address has no label of its own there: the hook is given
 * the label of the pointer to the structure and the member's offset, and makes the sum's node if there is a label.
 */
#include "instrument/tracer.h"

#include <string.h>

#define SPOT_MAX (1 << 23) /* offsets from it on do not fit into a spot */

static unsigned leaf_bytes(struct tracer *t, const struct leaf *leaf)
{
	return (unsigned)LLVMStoreSizeOfType(t->layout, leaf->type);
}

/* Vector lanes that are no whole bytes (<8 x i1>) lie between the bytes. */
static int packed(const struct leaf *leaf)
{
	return leaf->lane && leaf->bits % 8 != 0;
}

static LLVMValueRef type_bytes(struct tracer *t, LLVMTypeRef type)
{
	return tracer_q(t, LLVMTypeIsSized(type) ? LLVMStoreSizeOfType(t->layout, type) : 0);
}

void trace_access(struct tracer *t, LLVMValueRef label, LLVMValueRef pointer, LLVMValueRef size, enum muster_reason why)
{
	if (label != t->zero)
		tracer_call(t, "__muster_access", "vwpqws", label, pointer, size, tracer_w(t, why));
}

/* The label that the hook of an access through pointer is given in small code, and the size with the offset from what has that label (RT_SPOT). */
static LLVMValueRef base_of(struct tracer *t, LLVMValueRef pointer, unsigned bytes, LLVMValueRef *spot)
{
	int64_t offset;

	if (LLVMIsAGetElementPtrInst(pointer) && trace_constant_offset(t, pointer, &offset) && offset >= -SPOT_MAX && offset < SPOT_MAX)
		pointer = LLVMGetOperand(pointer, 0);
	else
		offset = 0;
	*spot = tracer_w(t, bytes | (uint64_t)offset << 8);
	return tracer_get1(t, pointer);
}

/* A value of one leaf that hooks of small code take as a whole. */
static int is_simple(struct tracer *t, const struct leaf *leaf)
{
	return t->small && leaf->bits && !leaf->lane && !leaf->offset && leaf->bits == leaf_bytes(t, leaf) * 8 && leaf->bits <= 128;
}

LLVMValueRef trace_load_leaf(struct tracer *t, LLVMValueRef pointer, LLVMValueRef address, const struct leaf *leaf)
{
	unsigned bytes = leaf_bytes(t, leaf);
	LLVMValueRef at = tracer_at(t, pointer, leaf->offset), label;

	if (!leaf->bits || packed(leaf) || bytes > 16) {
		enum muster_reason why = leaf->bits ? MUSTER_REASON_WIDTH : MUSTER_REASON_FLOAT;
		trace_access(t, address, at, tracer_q(t, bytes), MUSTER_REASON_ADDRESS);
		tracer_call(t, "__muster_concrete_memory", "vpqws", at, tracer_q(t, bytes), tracer_w(t, why));
		return t->zero;
	}
	label = tracer_call(t, "__muster_load", "wpwws", at, address, tracer_w(t, bytes));
	return leaf->bits == bytes * 8 ? label : tracer_extract(t, label, 0, leaf->bits);
}

static void store_leaf(struct tracer *t, LLVMValueRef pointer, LLVMValueRef label, const struct leaf *leaf)
{
	unsigned bytes = leaf_bytes(t, leaf);
	LLVMValueRef at = tracer_at(t, pointer, leaf->offset);

	if (label == t->zero && t->options->calls) { /* what activations write is reported, whatever was there */
		tracer_call(t, "__muster_wipe", "vpqs", at, tracer_q(t, bytes));
		return;
	}
	if (label == t->zero) { /* forget what was there, if anything */
		tracer_call(t, "__muster_i_wipe", "vqpqq", tracer_any_label(t), at, tracer_q(t, bytes), tracer_q(t, t->site));
		return;
	}
	if (packed(leaf) || bytes > 16) {
		tracer_concrete(t, label, MUSTER_REASON_WIDTH);
		tracer_call(t, "__muster_clear", "vpq", at, tracer_q(t, bytes));
		return;
	}
	if (leaf->bits && leaf->bits != bytes * 8)
		label = tracer_zext(t, label, bytes * 8);
	tracer_call(t, "__muster_store", "vpwws", at, tracer_w(t, bytes), leaf->bits ? label : t->zero);
}

static void trace_load(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0), address = tracer_get1(t, pointer);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef labels[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(inst), leaves);

	if (n == 1 && is_simple(t, &leaves[0])) {
		LLVMValueRef spot, base = base_of(t, pointer, leaf_bytes(t, &leaves[0]), &spot);
		tracer_set1(t, inst, tracer_call(t, "__muster_load_spot", "wpwws", pointer, base, spot));
		return;
	}
	if (n != 1) {
		trace_access(t, address, pointer, type_bytes(t, LLVMTypeOf(inst)), MUSTER_REASON_ADDRESS);
		address = t->zero;
	}
	if (n == 0 && LLVMTypeIsSized(LLVMTypeOf(inst)))
		tracer_call(t, "__muster_concrete_memory", "vpqws", pointer,
			    tracer_q(t, LLVMStoreSizeOfType(t->layout, LLVMTypeOf(inst))), tracer_w(t, MUSTER_REASON_WIDTH));
	for (unsigned i = 0; i < n; i++)
		labels[i] = trace_load_leaf(t, pointer, address, &leaves[i]);
	tracer_set(t, inst, labels, n);
}

/* In a driven program a store at a symbolic index may write labels to every place that it could have gone to. */
static int scattered(struct tracer *t, LLVMValueRef inst, const struct leaf *leaf, LLVMValueRef label)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 1), address = tracer_get1(t, pointer);
	unsigned bytes = leaf_bytes(t, leaf);

	if (!t->driven || address == t->zero || !leaf->bits || leaf->bits != bytes * 8 || bytes > 8 || leaf->offset || leaf->lane)
		return 0;
	tracer_call(t, "__muster_store_at", "vpwwwqs", pointer, tracer_w(t, bytes), label, address,
		    tracer_word(t, LLVMGetOperand(inst, 0)));
	tracer_leaves_alone(t, inst);
	return 1;
}

static void store_simply(struct tracer *t, LLVMValueRef pointer, unsigned bytes, LLVMValueRef label)
{
	LLVMValueRef spot, base = base_of(t, pointer, bytes, &spot);

	if (label == t->zero)
		tracer_call(t, "__muster_wipe_spot", "vpwws", pointer, base, spot);
	else
		tracer_call(t, "__muster_store_spot", "vpwwws", pointer, base, spot, label);
}

static void trace_store(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef value = LLVMGetOperand(inst, 0), pointer = LLVMGetOperand(inst, 1);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef labels[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(value), leaves);

	tracer_get(t, value, labels, n);
	if (t->options->calls)
		tracer_call(t, "__muster_i_place", "vw", tracer_get1(t, pointer));
	if (n == 1 && scattered(t, inst, &leaves[0], labels[0]))
		return;
	if (n == 1 && is_simple(t, &leaves[0])) {
		store_simply(t, pointer, leaf_bytes(t, &leaves[0]), labels[0]);
		return;
	}
	trace_access(t, tracer_get1(t, pointer), pointer, type_bytes(t, LLVMTypeOf(value)), MUSTER_REASON_STORE);
	if (n == 0)
		tracer_call(t, "__muster_clear", "vpq", pointer,
			    tracer_q(t, LLVMStoreSizeOfType(t->layout, LLVMTypeOf(value))));
	for (unsigned i = 0; i < n; i++)
		store_leaf(t, pointer, labels[i], &leaves[i]);
	tracer_leaves_alone(t, inst);
}

static LLVMValueRef smaller(struct tracer *t, LLVMAtomicRMWBinOp op, unsigned bits, LLVMValueRef la, LLVMValueRef lb,
			    LLVMValueRef va, LLVMValueRef vb)
{
	int is_signed = op == LLVMAtomicRMWBinOpMax || op == LLVMAtomicRMWBinOpMin;
	int max = op == LLVMAtomicRMWBinOpMax || op == LLVMAtomicRMWBinOpUMax;
	LLVMValueRef less = LLVMBuildICmp(t->b, is_signed ? LLVMIntSLT : LLVMIntULT, va, vb, "");
	LLVMValueRef ll = tracer_binary(t, is_signed ? MUSTER_OP_SLT : MUSTER_OP_ULT, bits, la, lb, va, vb);

	return max ? tracer_ite(t, ll, less, lb, la, vb, va, bits) : tracer_ite(t, ll, less, la, lb, va, vb, bits);
}

static LLVMValueRef modified(struct tracer *t, LLVMAtomicRMWBinOp op, unsigned bits, LLVMValueRef la, LLVMValueRef lb,
			     LLVMValueRef va, LLVMValueRef vb)
{
	switch (op) {
	case LLVMAtomicRMWBinOpXchg:
		return lb;
	case LLVMAtomicRMWBinOpAdd:
		return tracer_binary(t, MUSTER_OP_ADD, bits, la, lb, va, vb);
	case LLVMAtomicRMWBinOpSub:
		return tracer_binary(t, MUSTER_OP_SUB, bits, la, lb, va, vb);
	case LLVMAtomicRMWBinOpAnd:
		return tracer_binary(t, MUSTER_OP_AND, bits, la, lb, va, vb);
	case LLVMAtomicRMWBinOpOr:
		return tracer_binary(t, MUSTER_OP_OR, bits, la, lb, va, vb);
	case LLVMAtomicRMWBinOpXor:
		return tracer_binary(t, MUSTER_OP_XOR, bits, la, lb, va, vb);
	case LLVMAtomicRMWBinOpNand: {
		LLVMValueRef both = tracer_binary(t, MUSTER_OP_AND, bits, la, lb, va, vb);
		return tracer_binary(t, MUSTER_OP_XOR, bits, both, t->zero, LLVMBuildAnd(t->b, va, vb, ""),
				     LLVMConstAllOnes(LLVMTypeOf(va)));
	}
	case LLVMAtomicRMWBinOpMax:
	case LLVMAtomicRMWBinOpMin:
	case LLVMAtomicRMWBinOpUMax:
	case LLVMAtomicRMWBinOpUMin:
		return smaller(t, op, bits, la, lb, va, vb);
	default:
		tracer_concrete(t, la, MUSTER_REASON_INTRINSIC);
		tracer_concrete(t, lb, MUSTER_REASON_INTRINSIC);
		return t->zero;
	}
}

static void trace_rmw(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0), value = LLVMGetOperand(inst, 1), address = tracer_get1(t, pointer);
	struct leaf leaf[TRACER_LEAVES];

	if (tracer_leaves(t, LLVMTypeOf(inst), leaf) != 1)
		return;
	trace_access(t, address, pointer, type_bytes(t, LLVMTypeOf(inst)), MUSTER_REASON_STORE);
	LLVMValueRef old = trace_load_leaf(t, pointer, t->zero, &leaf[0]);
	tracer_set1(t, inst, old);
	tracer_after(t, inst);
	if (!leaf[0].bits) {
		store_leaf(t, pointer, t->zero, &leaf[0]);
		return;
	}
	LLVMValueRef label = modified(t, LLVMGetAtomicRMWBinOp(inst), leaf[0].bits, old, tracer_get1(t, value), inst, value);
	store_leaf(t, pointer, label, &leaf[0]);
}

static void trace_exchange(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0), expected = LLVMGetOperand(inst, 1);
	LLVMValueRef labels[2], fresh = tracer_get1(t, LLVMGetOperand(inst, 2));
	struct leaf leaf[TRACER_LEAVES];

	if (tracer_leaves(t, LLVMTypeOf(expected), leaf) != 1)
		return;
	trace_access(t, tracer_get1(t, pointer), pointer, type_bytes(t, LLVMTypeOf(expected)), MUSTER_REASON_STORE);
	labels[0] = trace_load_leaf(t, pointer, t->zero, &leaf[0]);
	tracer_after(t, inst);
	LLVMValueRef old = LLVMBuildExtractValue(t->b, inst, 0, ""), done = LLVMBuildExtractValue(t->b, inst, 1, "");
	labels[1] = tracer_binary(t, MUSTER_OP_EQ, leaf[0].bits, labels[0], tracer_get1(t, expected), old, expected);
	if (labels[1] != t->zero)
		tracer_call(t, "__muster_bound", "vws", labels[1]);
	store_leaf(t, pointer, LLVMBuildSelect(t->b, done, fresh, labels[0], ""), &leaf[0]);
	tracer_set(t, inst, labels, 2);
}

/* Does the address go anywhere but into plain loads and stores? */
static int escapes(LLVMValueRef object)
{
	for (LLVMUseRef u = LLVMGetFirstUse(object); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != object))
			continue;
		return 1;
	}
	return 0;
}

void trace_stack_object(struct tracer *t, LLVMValueRef inst, int here)
{
	LLVMValueRef count = LLVMGetOperand(inst, 0);
	LLVMValueRef size = tracer_q(t, LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(inst)));
	int fixed = LLVMIsAConstantInt(count) && LLVMGetInstructionParent(inst) == LLVMGetEntryBasicBlock(t->function);
	int known = escapes(inst);

	if (known && LLVMGetAlignment(inst) < 16)
		LLVMSetAlignment(inst, 16);
	tracer_concrete(t, tracer_get1(t, count), MUSTER_REASON_ALLOCATION);
	if (!here)
		tracer_after(t, inst);
	if (LLVMConstIntGetZExtValue(size) == 0)
		return;
	size = LLVMBuildMul(t->b, LLVMBuildIntCast2(t->b, count, t->i64, 0, ""), size, "");
	if (t->small)
		tracer_call(t, known ? "__muster_local" : "__muster_clear", "vpq", inst, size);
	else
		tracer_call(t, "__muster_i_frame", "vqpq", tracer_any_label(t), inst, size);
	if (!known)
		return;
	if (!t->small)
		tracer_call(t, "__muster_i_object", "vpq", inst, size);
	if (fixed)
		vec_push(&t->objects, inst);
}

void trace_memory(struct tracer *t, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
		trace_load(t, inst);
		break;
	case LLVMStore:
		trace_store(t, inst);
		break;
	case LLVMAtomicRMW:
		trace_rmw(t, inst);
		break;
	case LLVMAtomicCmpXchg:
		trace_exchange(t, inst);
		break;
	case LLVMAlloca:
		trace_stack_object(t, inst, 0);
		break;
	default:
		break;
	}
}
