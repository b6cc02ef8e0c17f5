/* trace_op.c: labels of operations on registers.
 *
 * Each lane of a vector is an operation of its own. Floating point has no labels:
 * where an integer becomes one, its label is given up with an event, and what
 * comes out of floating point is concrete. A select on a symbolic condition is a
 * decision, and its label is that of the operand chosen.
 */
#include "instrument/fold.h"
#include "instrument/tracer.h"

#include <string.h>

static unsigned binary_operator(LLVMOpcode op)
{
	switch (op) {
	case LLVMAdd:
		return MUSTER_OP_ADD;
	case LLVMSub:
		return MUSTER_OP_SUB;
	case LLVMMul:
		return MUSTER_OP_MUL;
	case LLVMUDiv:
		return MUSTER_OP_UDIV;
	case LLVMSDiv:
		return MUSTER_OP_SDIV;
	case LLVMURem:
		return MUSTER_OP_UREM;
	case LLVMSRem:
		return MUSTER_OP_SREM;
	case LLVMAnd:
		return MUSTER_OP_AND;
	case LLVMOr:
		return MUSTER_OP_OR;
	case LLVMXor:
		return MUSTER_OP_XOR;
	case LLVMShl:
		return MUSTER_OP_SHL;
	case LLVMLShr:
		return MUSTER_OP_LSHR;
	case LLVMAShr:
		return MUSTER_OP_ASHR;
	default:
		return MUSTER_OP_NONE;
	}
}

/* Greater-than is less-than with the operands swapped. */
static unsigned comparison(LLVMIntPredicate p, int *swap)
{
	*swap = p == LLVMIntUGT || p == LLVMIntUGE || p == LLVMIntSGT || p == LLVMIntSGE;
	switch (p) {
	case LLVMIntEQ:
		return MUSTER_OP_EQ;
	case LLVMIntNE:
		return MUSTER_OP_NE;
	case LLVMIntUGT:
	case LLVMIntULT:
		return MUSTER_OP_ULT;
	case LLVMIntUGE:
	case LLVMIntULE:
		return MUSTER_OP_ULE;
	case LLVMIntSGT:
	case LLVMIntSLT:
		return MUSTER_OP_SLT;
	default:
		return MUSTER_OP_SLE;
	}
}

/* A comparison of a widened value with a constant, or of two values widened in the same way, is one of the narrow values: no
 * node for the widening. 1: it was narrowed; 0: not of that shape; -1: the same whatever the narrow value is. */
static int narrow_comparison(LLVMValueRef *x, LLVMValueRef *y, unsigned *op)
{
	LLVMValueRef *wide = LLVMIsAConstantInt(*x) ? y : x, *other = wide == x ? y : x;
	LLVMValueRef z = LLVMIsAZExtInst(*wide), s = LLVMIsASExtInst(*wide);

	if ((!z && !s) || LLVMGetTypeKind(LLVMTypeOf(*wide)) != LLVMIntegerTypeKind)
		return 0;
	LLVMValueRef inner = LLVMGetOperand(*wide, 0);
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(inner));
	if (bits == 1 || LLVMGetIntTypeWidth(LLVMTypeOf(*wide)) > 64) /* truth values: the runtime knows them */
		return 0;
	if (LLVMIsAConstantInt(*other)) {
		uint64_t u = LLVMConstIntGetZExtValue(*other);
		int64_t v = LLVMConstIntGetSExtValue(*other), half = (int64_t)(1ull << (bits - 1));
		if (z ? u >> bits != 0 : v < -half || v >= half)
			return z ? -1 : 0;
		*other = LLVMConstInt(LLVMTypeOf(inner), u, 0);
	} else if ((z ? LLVMIsAZExtInst(*other) : LLVMIsASExtInst(*other)) &&
		   LLVMTypeOf(LLVMGetOperand(*other, 0)) == LLVMTypeOf(inner)) {
		*other = LLVMGetOperand(*other, 0);
	} else {
		return 0;
	}
	*wide = inner;
	if (z && (*op == MUSTER_OP_SLT || *op == MUSTER_OP_SLE)) /* what was widened with zeros is not negative */
		*op += MUSTER_OP_ULT - MUSTER_OP_SLT;
	return 1;
}

/* Does the comparison serve nothing but a branch, or a check that goes on, in its block? */
static int only_decides(struct tracer *t, LLVMValueRef inst)
{
	LLVMUseRef use = LLVMGetFirstUse(inst);
	LLVMValueRef user = use ? LLVMGetUser(use) : NULL;

	return user && !LLVMGetNextUse(use) && (LLVMIsABranchInst(user) || fold_condition(user)) && !t->options->all_decisions &&
	       LLVMGetInstructionParent(user) == LLVMGetInstructionParent(inst);
}

/* Is it a difference or the order of two pointers? Names distinguish a difference from numbers that were made of pointers. */
static int is_pair(struct tracer *t, LLVMValueRef inst)
{
	size_t length;

	if (!(t->options->checks & CHECKER_BIT(MUSTER_CHECK_PAIR)) || t->options->library || unit_is_marked(inst))
		return 0;
	if (LLVMIsAICmpInst(inst))
		return LLVMTypeOf(LLVMGetOperand(inst, 0)) == t->ptr && LLVMGetICmpPredicate(inst) != LLVMIntEQ &&
		       LLVMGetICmpPredicate(inst) != LLVMIntNE;
	return LLVMGetInstructionOpcode(inst) == LLVMSub && !strncmp(LLVMGetValueName2(inst, &length), "sub.ptr.sub", 11);
}

/* Does it ask whether two pointers are the same, of which either may point to the heap? */
static int is_same(struct tracer *t, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef y)
{
	if (!t->driven || t->options->library || !LLVMIsAICmpInst(inst) || LLVMTypeOf(x) != t->ptr || unit_is_marked(inst))
		return 0;
	return (LLVMGetICmpPredicate(inst) == LLVMIntEQ || LLVMGetICmpPredicate(inst) == LLVMIntNE) && !LLVMIsConstant(x) && !LLVMIsConstant(y) &&
	       !LLVMIsAAllocaInst(x) && !LLVMIsAAllocaInst(y);
}

static void trace_binary(struct tracer *t, LLVMValueRef inst, unsigned op, int swap)
{
	LLVMValueRef x = LLVMGetOperand(inst, swap ? 1 : 0), y = LLVMGetOperand(inst, swap ? 0 : 1);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef lx[TRACER_LEAVES], ly[TRACER_LEAVES], out[TRACER_LEAVES];

	if (LLVMIsAICmpInst(inst) && narrow_comparison(&x, &y, &op) < 0)
		return;
	unsigned n = tracer_leaves(t, LLVMTypeOf(x), leaves);
	tracer_get(t, x, lx, n);
	tracer_get(t, y, ly, n);
	int concrete = tracer_all_zero(t, lx, n) && tracer_all_zero(t, ly, n);
	if (n == 1 && (t->driven || !concrete) && is_pair(t, inst)) /* in a driven program pointers to nowhere count, too */
		tracer_call(t, "__muster_pair", "vwwqqs", lx[0], ly[0], tracer_word(t, x), tracer_word(t, y));
	if (is_same(t, inst, x, y))
		tracer_call(t, "__muster_same", "vqq", tracer_word(t, x), tracer_word(t, y));
	if (concrete)
		return;
	if (LLVMIsAICmpInst(inst) && n == 1 && leaves[0].bits <= 64 && only_decides(t, inst)) {
		t->decided = (struct comparison){inst, op | leaves[0].bits << 8, lx[0], ly[0], x, y};
		return;
	}
	if (n == 1 && leaves[0].depth == 0) {
		tracer_set1(t, inst, tracer_computed(t, op, leaves[0].bits, lx[0], ly[0], x, y, inst));
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		if (lx[i] == t->zero && ly[i] == t->zero) {
			out[i] = t->zero;
			continue;
		}
		LLVMValueRef vx = tracer_leaf_value(t, x, &leaves[i]), vy = tracer_leaf_value(t, y, &leaves[i]);
		out[i] = tracer_binary(t, op, leaves[i].bits, lx[i], ly[i], vx, vy);
	}
	tracer_set(t, inst, out, n);
}

static void trace_widening(struct tracer *t, LLVMValueRef inst, LLVMOpcode op)
{
	LLVMValueRef x = LLVMGetOperand(inst, 0);
	struct leaf from[TRACER_LEAVES], to[TRACER_LEAVES];
	LLVMValueRef lx[TRACER_LEAVES], out[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(x), from);

	tracer_leaves(t, LLVMTypeOf(inst), to);
	tracer_get(t, x, lx, n);
	for (unsigned i = 0; i < n; i++) {
		unsigned bits = to[i].bits;
		out[i] = lx[i];
		if (bits > 128 || from[i].bits > 128) {
			tracer_concrete(t, lx[i], MUSTER_REASON_WIDTH);
			out[i] = t->zero;
		} else if (bits < from[i].bits) {
			out[i] = tracer_extract(t, lx[i], 0, bits);
		} else if (bits > from[i].bits) {
			out[i] = op == LLVMSExt ? tracer_sext(t, lx[i], bits) : tracer_zext(t, lx[i], bits);
		}
	}
	tracer_set(t, inst, out, n);
}

/* Lanes first .. first+n-1 as one value, low lane first. Put together in pairs, so that a part that
 * is constant never has more than 64 bits. */
static LLVMValueRef join_lanes(struct tracer *t, LLVMValueRef x, const struct leaf *leaves, const LLVMValueRef *labels,
			       unsigned first, unsigned n, LLVMValueRef *value)
{
	LLVMValueRef low, high, vlow, vhigh;
	unsigned bits = leaves[first].bits * (n / 2);

	if (n == 1) {
		*value = tracer_word(t, tracer_leaf_value(t, x, &leaves[first]));
		return labels[first];
	}
	low = join_lanes(t, x, leaves, labels, first, n / 2, &vlow);
	high = join_lanes(t, x, leaves, labels, first + n / 2, n / 2, &vhigh);
	*value = bits < 64 ? LLVMBuildOr(t->b, vlow, LLVMBuildShl(t->b, vhigh, tracer_q(t, bits), ""), "") : vlow;
	if (low == t->zero && high == t->zero)
		return t->zero;
	return tracer_call(t, "__muster_concat", "wwwwwqq", high, low, tracer_w(t, bits), tracer_w(t, bits), vhigh, vlow);
}

/* Same bits, other type: a vector's lanes may change their size, by a power of two. */
static void trace_bitcast(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef x = LLVMGetOperand(inst, 0), v;
	struct leaf from[TRACER_LEAVES], to[TRACER_LEAVES];
	LLVMValueRef lx[TRACER_LEAVES], out[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(x), from), m = tracer_leaves(t, LLVMTypeOf(inst), to);

	tracer_get(t, x, lx, n);
	if (tracer_all_zero(t, lx, n))
		return;
	if (m == 0 || to[0].bits == 0 || to[0].bits > 128 || from[0].bits > 128 || (n > m ? n % m : m % n) != 0 ||
	    (n > m && (n / m & (n / m - 1)) != 0)) {
		tracer_concrete_all(t, x, m && to[0].bits ? MUSTER_REASON_WIDTH : MUSTER_REASON_FLOAT);
		return;
	}
	for (unsigned i = 0; i < m; i++) {
		if (n >= m)
			out[i] = join_lanes(t, x, from, lx, i * (n / m), n / m, &v);
		else
			out[i] = tracer_extract(t, lx[i / (m / n)], i % (m / n) * to[i].bits, to[i].bits);
	}
	tracer_set(t, inst, out, m);
}

static void trace_select(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef c = LLVMGetOperand(inst, 0), x = LLVMGetOperand(inst, 1), y = LLVMGetOperand(inst, 2);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef lc[TRACER_LEAVES], lx[TRACER_LEAVES], ly[TRACER_LEAVES], out[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(inst), leaves);
	int lanes = LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMVectorTypeKind;

	tracer_get(t, c, lc, lanes ? n : 1);
	tracer_get(t, x, lx, n);
	tracer_get(t, y, ly, n);
	if (!lanes)
		tracer_decision(t, lc[0], c);
	for (unsigned i = 0; i < n; i++) {
		if (!lanes) {
			out[i] = lx[i] == ly[i] ? lx[i] : LLVMBuildSelect(t->b, c, lx[i], ly[i], "");
			continue;
		}
		LLVMValueRef ci = LLVMBuildExtractElement(t->b, c, tracer_w(t, i), "");
		if (!leaves[i].bits) {
			tracer_concrete(t, lc[i], MUSTER_REASON_FLOAT);
			out[i] = t->zero;
		} else {
			out[i] = tracer_ite(t, lc[i], ci, lx[i], ly[i], tracer_leaf_value(t, x, &leaves[i]),
					    tracer_leaf_value(t, y, &leaves[i]), leaves[i].bits);
		}
	}
	tracer_set(t, inst, out, n);
}

/* Label of lane `index`, which may be known only at run time. */
static LLVMValueRef pick(struct tracer *t, const LLVMValueRef *labels, unsigned n, LLVMValueRef index)
{
	if (LLVMIsAConstantInt(index)) {
		uint64_t at = LLVMConstIntGetZExtValue(index);
		return at < n ? labels[at] : t->zero;
	}
	LLVMValueRef out = t->zero;
	for (unsigned i = 0; i < n; i++) {
		if (labels[i] == t->zero && out == t->zero)
			continue;
		LLVMValueRef here = LLVMBuildICmp(t->b, LLVMIntEQ, index, LLVMConstInt(LLVMTypeOf(index), i, 0), "");
		out = LLVMBuildSelect(t->b, here, labels[i], out, "");
	}
	return out;
}

static void trace_element(struct tracer *t, LLVMValueRef inst, LLVMOpcode op)
{
	LLVMValueRef v = LLVMGetOperand(inst, 0);
	LLVMValueRef index = LLVMGetOperand(inst, op == LLVMExtractElement ? 1 : 2);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef lv[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(v), leaves);

	tracer_concrete(t, tracer_get1(t, index), MUSTER_REASON_ADDRESS);
	tracer_get(t, v, lv, n);
	if (op == LLVMExtractElement) {
		tracer_set1(t, inst, pick(t, lv, n, index));
		return;
	}
	LLVMValueRef label = tracer_get1(t, LLVMGetOperand(inst, 1));
	if (n == 0) /* too many lanes for labels */
		tracer_concrete(t, label, MUSTER_REASON_WIDTH);
	for (unsigned i = 0; i < n; i++) {
		if (LLVMIsAConstantInt(index)) {
			if (LLVMConstIntGetZExtValue(index) == i)
				lv[i] = label;
		} else if (lv[i] != label) {
			LLVMValueRef here = LLVMBuildICmp(t->b, LLVMIntEQ, index, LLVMConstInt(LLVMTypeOf(index), i, 0), "");
			lv[i] = LLVMBuildSelect(t->b, here, label, lv[i], "");
		}
	}
	tracer_set(t, inst, lv, n);
}

static void trace_shuffle(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef x = LLVMGetOperand(inst, 0), y = LLVMGetOperand(inst, 1);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef lx[2 * TRACER_LEAVES], out[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(x), leaves), m = LLVMGetNumMaskElements(inst);

	if (m > TRACER_LEAVES || n == 0) {
		tracer_concrete_all(t, x, MUSTER_REASON_WIDTH);
		tracer_concrete_all(t, y, MUSTER_REASON_WIDTH);
		return;
	}
	tracer_get(t, x, lx, n);
	tracer_get(t, y, lx + n, n);
	for (unsigned i = 0; i < m; i++) {
		int at = LLVMGetMaskValue(inst, i);
		out[i] = at < 0 ? t->zero : lx[at];
	}
	tracer_set(t, inst, out, m);
}

/* First leaf and number of leaves of the part that the indices name. */
static unsigned part_of(struct tracer *t, LLVMTypeRef type, const unsigned *indices, unsigned count, unsigned *n)
{
	struct leaf leaves[TRACER_LEAVES];
	unsigned total = tracer_leaves(t, type, leaves), first = total;

	*n = 0;
	for (unsigned i = 0; i < total; i++) {
		unsigned k = 0;
		while (k < count && k < leaves[i].depth && leaves[i].path[k] == indices[k])
			k++;
		if (k < count)
			continue;
		if (first == total)
			first = i;
		(*n)++;
	}
	return first;
}

static void trace_aggregate(struct tracer *t, LLVMValueRef inst, LLVMOpcode op)
{
	LLVMValueRef v = LLVMGetOperand(inst, 0);
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef lv[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(v), leaves), count;
	unsigned first = part_of(t, LLVMTypeOf(v), LLVMGetIndices(inst), LLVMGetNumIndices(inst), &count);

	tracer_get(t, v, lv, n);
	if (op == LLVMExtractValue) {
		tracer_set(t, inst, lv + first, count);
		return;
	}
	if (n == 0) {
		tracer_concrete_all(t, LLVMGetOperand(inst, 1), MUSTER_REASON_WIDTH);
		return;
	}
	tracer_get(t, LLVMGetOperand(inst, 1), lv + first, count);
	tracer_set(t, inst, lv, n);
}

int trace_constant_offset(struct tracer *t, LLVMValueRef inst, int64_t *offset)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(inst);
	int n = LLVMGetNumOperands(inst);

	*offset = 0;
	for (int i = 1; i < n; i++) {
		LLVMValueRef index = LLVMGetOperand(inst, (unsigned)i);
		if (!LLVMIsAConstantInt(index) || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64)
			return 0;
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
			*offset += (int64_t)LLVMOffsetOfElement(t->layout, type, member);
			type = LLVMStructGetTypeAtIndex(type, member);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		*offset += LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(t->layout, type);
	}
	return 1;
}

/* base + sum of index * size. Labelled terms are added up; everything else is one
 * constant, the difference between the result and their values. */
void trace_address(struct tracer *t, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(inst);
	LLVMValueRef label = tracer_get1(t, LLVMGetOperand(inst, 0)), value = NULL;
	int n = LLVMGetNumOperands(inst);
	int64_t offset;

	if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind) {
		for (int i = 0; i < n; i++)
			tracer_concrete_all(t, LLVMGetOperand(inst, (unsigned)i), MUSTER_REASON_ADDRESS);
		return;
	}
	if (trace_constant_offset(t, inst, &offset)) {
		if (offset || !t->small)
			label = tracer_binary(t, MUSTER_OP_ADD, 64, label, t->zero, tracer_word(t, LLVMGetOperand(inst, 0)), tracer_q(t, (uint64_t)offset));
		tracer_set1(t, inst, label);
		return;
	}
	if (label != t->zero)
		value = tracer_word(t, LLVMGetOperand(inst, 0));
	for (int i = 1; i < n; i++) {
		LLVMValueRef index = LLVMGetOperand(inst, (unsigned)i), term = tracer_get1(t, index);
		if (i > 1) {
			if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
				type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
				continue;
			}
			type = LLVMGetElementType(type);
		}
		if (term == t->zero)
			continue;
		unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(index));
		LLVMValueRef wide = LLVMBuildIntCast2(t->b, index, t->i64, 1, "");
		LLVMValueRef size = tracer_q(t, LLVMABISizeOfType(t->layout, type));
		term = bits > 64 ? tracer_extract(t, term, 0, 64) : bits < 64 ? tracer_sext(t, term, 64) : term;
		if (LLVMConstIntGetZExtValue(size) != 1)
			term = tracer_binary(t, MUSTER_OP_MUL, 64, term, t->zero, wide, size);
		wide = LLVMBuildMul(t->b, wide, size, "");
		label = value ? tracer_binary(t, MUSTER_OP_ADD, 64, label, term, value, wide) : term;
		value = value ? LLVMBuildAdd(t->b, value, wide, "") : wide;
	}
	if (!value)
		return;
	tracer_after(t, inst);
	LLVMValueRef rest = LLVMBuildSub(t->b, tracer_word(t, inst), value, "");
	tracer_set1(t, inst, tracer_binary(t, MUSTER_OP_ADD, 64, label, t->zero, value, rest));
}

void trace_operation(struct tracer *t, LLVMValueRef inst)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	unsigned binary = binary_operator(op);
	int swap = 0;

	if (binary) {
		trace_binary(t, inst, binary, 0);
		return;
	}
	switch (op) {
	case LLVMICmp:
		binary = comparison(LLVMGetICmpPredicate(inst), &swap);
		trace_binary(t, inst, binary, swap);
		break;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMAddrSpaceCast:
		trace_widening(t, inst, op);
		break;
	case LLVMBitCast:
		trace_bitcast(t, inst);
		break;
	case LLVMSIToFP:
	case LLVMUIToFP:
		tracer_concrete_all(t, LLVMGetOperand(inst, 0), MUSTER_REASON_FLOAT);
		break;
	case LLVMFreeze: {
		struct leaf leaves[TRACER_LEAVES];
		LLVMValueRef labels[TRACER_LEAVES];
		unsigned n = tracer_leaves(t, LLVMTypeOf(inst), leaves);
		tracer_get(t, LLVMGetOperand(inst, 0), labels, n);
		tracer_set(t, inst, labels, n);
		break;
	}
	case LLVMSelect:
		trace_select(t, inst);
		break;
	case LLVMExtractElement:
	case LLVMInsertElement:
		trace_element(t, inst, op);
		break;
	case LLVMShuffleVector:
		trace_shuffle(t, inst);
		break;
	case LLVMExtractValue:
	case LLVMInsertValue:
		trace_aggregate(t, inst, op);
		break;
	default:
		break;
	}
}
