/* trace_intrinsic.c: labels of LLVM's intrinsics, by name.
 *
 * Rows of one table: the start of the name, what to do, and an operator for the
 * families. An intrinsic that is in no row has its arguments' labels given up.
 */
#include "instrument/tracer.h"

#include <string.h>

/* Reductions that are no operator of the trace. */
enum { REDUCE_SMIN = MUSTER_OP_COUNT, REDUCE_SMAX, REDUCE_UMIN, REDUCE_UMAX };

static void lanes(struct tracer *t, LLVMValueRef inst, unsigned op,
		  LLVMValueRef (*f)(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v), unsigned arity)
{
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef labels[3][TRACER_LEAVES], out[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(LLVMGetOperand(inst, 0)), leaves);
	int any = 0;

	for (unsigned k = 0; k < arity; k++) {
		tracer_get(t, LLVMGetOperand(inst, k), labels[k], n);
		any |= !tracer_all_zero(t, labels[k], n);
	}
	if (!any)
		return;
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef l[3], v[3];
		if (!leaves[i].bits)
			return;
		for (unsigned k = 0; k < arity; k++) {
			l[k] = labels[k][i];
			v[k] = tracer_leaf_value(t, LLVMGetOperand(inst, k), &leaves[i]);
		}
		out[i] = f(t, op, leaves[i].bits, l, v);
	}
	tracer_set(t, inst, out, n);
}

static LLVMValueRef unary(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	(void)v;
	if (l[0] == t->zero)
		return l[0];
	if (bits > 128) {
		tracer_concrete(t, l[0], MUSTER_REASON_WIDTH);
		return t->zero;
	}
	return tracer_call(t, "__muster_unary", "www", tracer_w(t, op | bits << 8), l[0]);
}

static LLVMValueRef absolute(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	LLVMValueRef null = LLVMConstNull(LLVMTypeOf(v[0]));
	LLVMValueRef neg = LLVMBuildICmp(t->b, LLVMIntSLT, v[0], null, ""), minus = LLVMBuildNeg(t->b, v[0], "");
	LLVMValueRef lneg = tracer_binary(t, MUSTER_OP_SLT, bits, l[0], t->zero, v[0], null);
	LLVMValueRef lminus = tracer_binary(t, MUSTER_OP_SUB, bits, t->zero, l[0], null, v[0]);

	(void)op;
	return tracer_ite(t, lneg, neg, lminus, l[0], minus, v[0], bits);
}

/* op: the comparison under which the first operand is chosen. */
static LLVMValueRef extreme(struct tracer *t, LLVMIntPredicate p, unsigned op, int swap, unsigned bits, LLVMValueRef *l,
			    LLVMValueRef *v)
{
	LLVMValueRef first = LLVMBuildICmp(t->b, p, v[0], v[1], "");
	LLVMValueRef lc = swap ? tracer_binary(t, op, bits, l[1], l[0], v[1], v[0]) : tracer_binary(t, op, bits, l[0], l[1], v[0], v[1]);

	return tracer_ite(t, lc, first, l[0], l[1], v[0], v[1], bits);
}

static LLVMValueRef smin(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	(void)op;
	return extreme(t, LLVMIntSLT, MUSTER_OP_SLT, 0, bits, l, v);
}

static LLVMValueRef smax(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	(void)op;
	return extreme(t, LLVMIntSGT, MUSTER_OP_SLT, 1, bits, l, v);
}

static LLVMValueRef umin(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	(void)op;
	return extreme(t, LLVMIntULT, MUSTER_OP_ULT, 0, bits, l, v);
}

static LLVMValueRef umax(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	(void)op;
	return extreme(t, LLVMIntUGT, MUSTER_OP_ULT, 1, bits, l, v);
}

/* {result, overflow}; op is the operator of the overflow bit. */
static unsigned plain_of(unsigned op)
{
	switch (op) {
	case MUSTER_OP_SADDO:
	case MUSTER_OP_UADDO:
		return MUSTER_OP_ADD;
	case MUSTER_OP_SSUBO:
	case MUSTER_OP_USUBO:
		return MUSTER_OP_SUB;
	default:
		return MUSTER_OP_MUL;
	}
}

static void with_overflow(struct tracer *t, LLVMValueRef inst, unsigned op)
{
	LLVMValueRef x = LLVMGetOperand(inst, 0), y = LLVMGetOperand(inst, 1), labels[2];
	unsigned bits = tracer_bits(t, LLVMTypeOf(x));

	if (!bits) { /* on vectors */
		tracer_concrete_all(t, x, MUSTER_REASON_INTRINSIC);
		tracer_concrete_all(t, y, MUSTER_REASON_INTRINSIC);
		return;
	}
	labels[0] = tracer_binary(t, plain_of(op), bits, tracer_get1(t, x), tracer_get1(t, y), x, y);
	labels[1] = tracer_binary(t, op, bits, tracer_get1(t, x), tracer_get1(t, y), x, y);
	tracer_set(t, inst, labels, 2);
}

static LLVMValueRef smallest(LLVMTypeRef type)
{
	unsigned bits = LLVMGetIntTypeWidth(type);
	uint64_t words[2] = {bits <= 64 ? 1ull << (bits - 1) : 0, bits > 64 ? 1ull << (bits - 65) : 0};

	return LLVMConstIntOfArbitraryPrecision(type, 2, words);
}

static LLVMValueRef saturate(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	LLVMTypeRef type = LLVMTypeOf(v[0]);
	int add = plain_of(op) == MUSTER_OP_ADD, is_signed = op == MUSTER_OP_SADDO || op == MUSTER_OP_SSUBO;
	LLVMValueRef plain = add ? LLVMBuildAdd(t->b, v[0], v[1], "") : LLVMBuildSub(t->b, v[0], v[1], "");
	LLVMValueRef lplain = tracer_binary(t, plain_of(op), bits, l[0], l[1], v[0], v[1]);
	LLVMValueRef lover = tracer_binary(t, op, bits, l[0], l[1], v[0], v[1]), over, limit, llimit = t->zero;

	if (is_signed) {
		LLVMValueRef null = LLVMConstNull(type), neg = LLVMBuildICmp(t->b, LLVMIntSLT, v[0], null, "");
		LLVMValueRef lneg = tracer_binary(t, MUSTER_OP_SLT, bits, l[0], t->zero, v[0], null);
		LLVMValueRef low = smallest(type), high = LLVMConstNot(low);
		limit = LLVMBuildSelect(t->b, neg, low, high, "");
		llimit = tracer_ite(t, lneg, neg, t->zero, t->zero, low, high, bits);
		/* a signed sum overflowed if its sign differs from both operands' (a difference: from the first's, unlike the second's) */
		LLVMValueRef a = LLVMBuildXor(t->b, v[0], plain, "");
		LLVMValueRef c = add ? LLVMBuildXor(t->b, v[1], plain, "") : LLVMBuildXor(t->b, v[0], v[1], "");
		over = LLVMBuildICmp(t->b, LLVMIntSLT, LLVMBuildAnd(t->b, a, c, ""), null, "");
	} else {
		limit = add ? LLVMConstAllOnes(type) : LLVMConstNull(type);
		over = add ? LLVMBuildICmp(t->b, LLVMIntULT, plain, v[0], "") : LLVMBuildICmp(t->b, LLVMIntULT, v[0], v[1], "");
	}
	return tracer_ite(t, lover, over, llimit, lplain, limit, plain, bits);
}

/* fshl(a, b, s): the high half of a:b shifted left by s mod width. op: 0 left, 1 right. */
static LLVMValueRef funnel(struct tracer *t, unsigned right, unsigned bits, LLVMValueRef *l, LLVMValueRef *v)
{
	LLVMTypeRef type = LLVMTypeOf(v[0]);
	LLVMValueRef n = LLVMConstInt(type, bits, 0), one = LLVMConstInt(type, 1, 0), last = LLVMConstInt(type, bits - 1, 0);
	LLVMValueRef s = LLVMBuildURem(t->b, v[2], n, ""), ls = tracer_binary(t, MUSTER_OP_UREM, bits, l[2], t->zero, v[2], n);
	/* left: a << s | (b >> 1) >> (n-1-s);  right: (a << 1) << (n-1-s) | b >> s */
	LLVMValueRef rest = LLVMBuildSub(t->b, last, s, ""), lrest = tracer_binary(t, MUSTER_OP_SUB, bits, t->zero, ls, last, s);
	LLVMValueRef x, lx, y, ly;

	if (right) {
		LLVMValueRef a1 = LLVMBuildShl(t->b, v[0], one, ""), la1 = tracer_binary(t, MUSTER_OP_SHL, bits, l[0], t->zero, v[0], one);
		x = LLVMBuildShl(t->b, a1, rest, "");
		lx = tracer_binary(t, MUSTER_OP_SHL, bits, la1, lrest, a1, rest);
		y = LLVMBuildLShr(t->b, v[1], s, "");
		ly = tracer_binary(t, MUSTER_OP_LSHR, bits, l[1], ls, v[1], s);
	} else {
		LLVMValueRef b1 = LLVMBuildLShr(t->b, v[1], one, ""), lb1 = tracer_binary(t, MUSTER_OP_LSHR, bits, l[1], t->zero, v[1], one);
		x = LLVMBuildShl(t->b, v[0], s, "");
		lx = tracer_binary(t, MUSTER_OP_SHL, bits, l[0], ls, v[0], s);
		y = LLVMBuildLShr(t->b, b1, rest, "");
		ly = tracer_binary(t, MUSTER_OP_LSHR, bits, lb1, lrest, b1, rest);
	}
	return tracer_binary(t, MUSTER_OP_OR, bits, lx, ly, x, y);
}

/* All lanes of a vector into one value. op: an operator, or one of the functions above as its row's number. */
static LLVMValueRef folded(struct tracer *t, unsigned op, unsigned bits, LLVMValueRef *l, LLVMValueRef *v, LLVMValueRef *value)
{
	static const LLVMIntPredicate predicates[] = {LLVMIntSLT, LLVMIntSGT, LLVMIntULT, LLVMIntUGT};
	static const LLVMOpcode opcodes[] = {
	    [MUSTER_OP_ADD] = LLVMAdd, [MUSTER_OP_MUL] = LLVMMul, [MUSTER_OP_AND] = LLVMAnd,
	    [MUSTER_OP_OR] = LLVMOr,   [MUSTER_OP_XOR] = LLVMXor,
	};

	if (op < REDUCE_SMIN) {
		*value = LLVMBuildBinOp(t->b, opcodes[op], v[0], v[1], "");
		return tracer_binary(t, op, bits, l[0], l[1], v[0], v[1]);
	}
	LLVMIntPredicate p = predicates[op - REDUCE_SMIN];
	int max = p == LLVMIntSGT || p == LLVMIntUGT, is_signed = p == LLVMIntSLT || p == LLVMIntSGT;
	*value = LLVMBuildSelect(t->b, LLVMBuildICmp(t->b, p, v[0], v[1], ""), v[0], v[1], "");
	return extreme(t, p, is_signed ? MUSTER_OP_SLT : MUSTER_OP_ULT, max, bits, l, v);
}

static void reduce(struct tracer *t, LLVMValueRef inst, unsigned op)
{
	LLVMValueRef x = LLVMGetOperand(inst, 0), labels[TRACER_LEAVES], l[2], v[2], value;
	struct leaf leaves[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(x), leaves);

	tracer_get(t, x, labels, n);
	if (n == 0 || tracer_all_zero(t, labels, n))
		return;
	l[0] = labels[0];
	v[0] = tracer_leaf_value(t, x, &leaves[0]);
	for (unsigned i = 1; i < n; i++) {
		l[1] = labels[i];
		v[1] = tracer_leaf_value(t, x, &leaves[i]);
		l[0] = folded(t, op, leaves[i].bits, l, v, &value);
		v[0] = value;
	}
	tracer_set1(t, inst, l[0]);
}

/* That a symbolic number of bytes stays in the object. */
static void span(struct tracer *t, LLVMValueRef pointer, LLVMValueRef n, LLVMValueRef size)
{
	LLVMValueRef label = tracer_get1(t, n);

	if (label == t->zero)
		return;
	if (LLVMTypeOf(n) != t->i64)
		label = tracer_zext(t, label, 64);
	tracer_call(t, "__muster_span", "vwwpqs", tracer_get1(t, pointer), label, pointer, size);
}

/* In the calls variant whether there are labels or not: what activations read and write is reported. */
static void copy_labels(struct tracer *t, LLVMValueRef to, LLVMValueRef from, LLVMValueRef size)
{
	if (t->options->calls)
		tracer_call(t, "__muster_copy", "vppqs", to, from, size);
	else
		tracer_call(t, "__muster_i_copy", "vqppqq", tracer_any_label(t), to, from, size, tracer_q(t, t->site));
}

static void memory_copy(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef to = LLVMGetOperand(inst, 0), from = LLVMGetOperand(inst, 1), n = LLVMGetOperand(inst, 2);

	LLVMValueRef size = LLVMBuildIntCast2(t->b, n, t->i64, 0, "");
	span(t, to, n, size);
	span(t, from, n, size);
	tracer_concrete(t, tracer_get1(t, n), MUSTER_REASON_SIZE);
	trace_access(t, tracer_get1(t, to), to, size, MUSTER_REASON_STORE);
	trace_access(t, tracer_get1(t, from), from, size, MUSTER_REASON_ADDRESS);
	copy_labels(t, to, from, size);
	tracer_leaves_alone(t, inst);
}

static void memory_fill(struct tracer *t, LLVMValueRef inst)
{
	LLVMValueRef to = LLVMGetOperand(inst, 0), byte = LLVMGetOperand(inst, 1), n = LLVMGetOperand(inst, 2);

	LLVMValueRef size = LLVMBuildIntCast2(t->b, n, t->i64, 0, "");
	span(t, to, n, size);
	tracer_concrete(t, tracer_get1(t, n), MUSTER_REASON_SIZE);
	trace_access(t, tracer_get1(t, to), to, size, MUSTER_REASON_STORE);
	if (t->options->calls)
		tracer_call(t, "__muster_fill", "vpwqs", to, tracer_get1(t, byte), size);
	else
		tracer_call(t, "__muster_i_fill", "vqpwqq", tracer_any_label(t), to, tracer_get1(t, byte), size, tracer_q(t, t->site));
	tracer_leaves_alone(t, inst);
}

static void va_begin(struct tracer *t, LLVMValueRef inst)
{
	if (!t->va_save)
		return;
	tracer_after(t, inst);
	tracer_call(t, "__muster_va_start", "vpp", LLVMGetOperand(inst, 0), t->va_save);
}

/* struct __va_list_tag is 24 bytes. */
static void va_duplicate(struct tracer *t, LLVMValueRef inst)
{
	copy_labels(t, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), tracer_q(t, 24));
}

static void pass_first(struct tracer *t, LLVMValueRef inst)
{
	struct leaf leaves[TRACER_LEAVES];
	LLVMValueRef labels[TRACER_LEAVES];
	unsigned n = tracer_leaves(t, LLVMTypeOf(inst), leaves);

	tracer_get(t, LLVMGetOperand(inst, 0), labels, n);
	tracer_set(t, inst, labels, n);
}

enum action { NOTHING, FIRST, REDUCE, UNARY, ABS, SMIN, SMAX, UMIN, UMAX, OVERFLOW, SATURATE, FUNNEL, COPY, FILL, VA_START, VA_COPY };

static const struct row {
	const char *name;
	enum action action;
	unsigned op;
} rows[] = {
    {"llvm.memcpy.", COPY, 0},
    {"llvm.memmove.", COPY, 0},
    {"llvm.memset.", FILL, 0},
    {"llvm.bswap.", UNARY, MUSTER_OP_BSWAP},
    {"llvm.bitreverse.", UNARY, MUSTER_OP_BITREVERSE},
    {"llvm.ctpop.", UNARY, MUSTER_OP_CTPOP},
    {"llvm.ctlz.", UNARY, MUSTER_OP_CTLZ},
    {"llvm.cttz.", UNARY, MUSTER_OP_CTTZ},
    {"llvm.abs.", ABS, 0},
    {"llvm.smin.", SMIN, 0},
    {"llvm.smax.", SMAX, 0},
    {"llvm.umin.", UMIN, 0},
    {"llvm.umax.", UMAX, 0},
    {"llvm.sadd.with.overflow.", OVERFLOW, MUSTER_OP_SADDO},
    {"llvm.uadd.with.overflow.", OVERFLOW, MUSTER_OP_UADDO},
    {"llvm.ssub.with.overflow.", OVERFLOW, MUSTER_OP_SSUBO},
    {"llvm.usub.with.overflow.", OVERFLOW, MUSTER_OP_USUBO},
    {"llvm.smul.with.overflow.", OVERFLOW, MUSTER_OP_SMULO},
    {"llvm.umul.with.overflow.", OVERFLOW, MUSTER_OP_UMULO},
    {"llvm.sadd.sat.", SATURATE, MUSTER_OP_SADDO},
    {"llvm.uadd.sat.", SATURATE, MUSTER_OP_UADDO},
    {"llvm.ssub.sat.", SATURATE, MUSTER_OP_SSUBO},
    {"llvm.usub.sat.", SATURATE, MUSTER_OP_USUBO},
    {"llvm.fshl.", FUNNEL, 0},
    {"llvm.fshr.", FUNNEL, 1},
    {"llvm.vector.reduce.add.", REDUCE, MUSTER_OP_ADD},
    {"llvm.vector.reduce.mul.", REDUCE, MUSTER_OP_MUL},
    {"llvm.vector.reduce.and.", REDUCE, MUSTER_OP_AND},
    {"llvm.vector.reduce.or.", REDUCE, MUSTER_OP_OR},
    {"llvm.vector.reduce.xor.", REDUCE, MUSTER_OP_XOR},
    {"llvm.vector.reduce.smin.", REDUCE, REDUCE_SMIN},
    {"llvm.vector.reduce.smax.", REDUCE, REDUCE_SMAX},
    {"llvm.vector.reduce.umin.", REDUCE, REDUCE_UMIN},
    {"llvm.vector.reduce.umax.", REDUCE, REDUCE_UMAX},
    {"llvm.expect.", FIRST, 0},
    {"llvm.annotation.", FIRST, 0},
    {"llvm.ptr.annotation.", FIRST, 0},
    {"llvm.ssa.copy", FIRST, 0},
    {"llvm.launder.invariant.group", FIRST, 0},
    {"llvm.va_start", VA_START, 0},
    {"llvm.va_copy", VA_COPY, 0},
    {"llvm.va_end", NOTHING, 0},
    {"llvm.lifetime.", NOTHING, 0},
    {"llvm.invariant.", NOTHING, 0},
    {"llvm.assume", NOTHING, 0},
    {"llvm.prefetch", NOTHING, 0},
    {"llvm.is.constant.", NOTHING, 0}, /* settled to false before */
    {"llvm.objectsize.", NOTHING, 0},  /* settled to unknown before */
    {"llvm.stackrestore", NOTHING, 0},
    {"llvm.stacksave", NOTHING, 0},
    {"llvm.dbg.", NOTHING, 0},
    {"llvm.experimental.noalias", NOTHING, 0},
    {"llvm.var.annotation", NOTHING, 0},
    {"llvm.threadlocal.address", NOTHING, 0},
    {"llvm.trap", NOTHING, 0},
    {"llvm.ubsantrap", NOTHING, 0},
    {"llvm.eh.", NOTHING, 0},
    {"llvm.returnaddress", NOTHING, 0},
    {"llvm.frameaddress", NOTHING, 0},
};

int trace_intrinsic(struct tracer *t, LLVMValueRef inst, const char *name)
{
	static LLVMValueRef (*const functions[])(struct tracer *, unsigned, unsigned, LLVMValueRef *, LLVMValueRef *) = {
	    [UNARY] = unary, [ABS] = absolute, [SMIN] = smin,           [SMAX] = smax,
	    [UMIN] = umin,   [UMAX] = umax,    [SATURATE] = saturate, [FUNNEL] = funnel};
	const struct row *r = NULL;

	for (size_t i = 0; i < sizeof rows / sizeof *rows && !r; i++)
		if (strncmp(name, rows[i].name, strlen(rows[i].name)) == 0)
			r = &rows[i];
	if (!r)
		return 0;
	switch (r->action) {
	case NOTHING:
		return 1;
	case FIRST:
		pass_first(t, inst);
		return 1;
	case REDUCE:
		reduce(t, inst, r->op);
		return 1;
	case OVERFLOW:
		with_overflow(t, inst, r->op);
		return 1;
	case COPY:
		memory_copy(t, inst);
		return 1;
	case FILL:
		memory_fill(t, inst);
		return 1;
	case VA_START:
		va_begin(t, inst);
		return 1;
	case VA_COPY:
		va_duplicate(t, inst);
		return 1;
	case FUNNEL:
		lanes(t, inst, r->op, functions[FUNNEL], 3);
		return 1;
	case UNARY:
	case ABS:
		lanes(t, inst, r->op, functions[r->action], 1);
		return 1;
	default:
		lanes(t, inst, r->op, functions[r->action], 2);
		return 1;
	}
}
