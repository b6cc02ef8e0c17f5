/* value.c: values of a function as exact bit-vector terms.
 *
 * A walk over the operands, each value once. Operators wrap as the machine does; flags (nsw, exact) are not looked at. A phi is never
 * computed, so in reached code the walk ends; in code that is not reached an instruction may be its own operand, and a limit on the depth ends it.
 */
#include "vc/value.h"

#include "base/limit.h"
#include "base/map.h"

#define DEEPEST LIMIT(1000, 8) /* operators above each other in one term; recursion depth | recursion depth: 1,000 frames fit the stack of a thread */

struct walk {
	struct exprs *pool;
	const struct code_function *f;
	expr_t (*leaf)(void *ctx, uint32_t value);
	void *ctx;
	struct map known; /* value to its term */
};

static enum muster_op operator_of(unsigned op)
{
	static const uint8_t table[CODE_OP_COUNT] = {
	    [CODE_ADD] = MUSTER_OP_ADD,		[CODE_SUB] = MUSTER_OP_SUB,	    [CODE_MUL] = MUSTER_OP_MUL,
	    [CODE_UDIV] = MUSTER_OP_UDIV,	[CODE_SDIV] = MUSTER_OP_SDIV,	    [CODE_UREM] = MUSTER_OP_UREM,
	    [CODE_SREM] = MUSTER_OP_SREM,	[CODE_SHL] = MUSTER_OP_SHL,	    [CODE_LSHR] = MUSTER_OP_LSHR,
	    [CODE_ASHR] = MUSTER_OP_ASHR,	[CODE_AND] = MUSTER_OP_AND,	    [CODE_OR] = MUSTER_OP_OR,
	    [CODE_XOR] = MUSTER_OP_XOR,		[CODE_SADD_OVER] = MUSTER_OP_SADDO, [CODE_UADD_OVER] = MUSTER_OP_UADDO,
	    [CODE_SSUB_OVER] = MUSTER_OP_SSUBO, [CODE_USUB_OVER] = MUSTER_OP_USUBO, [CODE_SMUL_OVER] = MUSTER_OP_SMULO,
	    [CODE_UMUL_OVER] = MUSTER_OP_UMULO, [CODE_EQ] = MUSTER_OP_EQ,	    [CODE_NE] = MUSTER_OP_NE,
	    [CODE_ULT] = MUSTER_OP_ULT,		[CODE_ULE] = MUSTER_OP_ULE,	    [CODE_SLT] = MUSTER_OP_SLT,
	    [CODE_SLE] = MUSTER_OP_SLE,
	};
	return (enum muster_op)table[op];
}

static int is_bits(const struct code_value *v)
{
	return v->width >= 1 && v->width <= 128 && !v->is_pointer;
}

int vc_computes(const struct code_function *f, uint32_t value)
{
	const struct code_value *v = &f->values[value];
	if (v->kind != CODE_INSTRUCTION || !is_bits(v))
		return 0;
	switch (v->op) {
	case CODE_SMIN:
	case CODE_SMAX:
	case CODE_UMIN:
	case CODE_UMAX:
	case CODE_UGT:
	case CODE_UGE:
	case CODE_SGT:
	case CODE_SGE:
	case CODE_TRUNC:
	case CODE_ZEXT:
	case CODE_SEXT:
	case CODE_COPY:
	case CODE_SELECT:
		break;
	default:
		if (operator_of(v->op) == MUSTER_OP_NONE)
			return 0;
	}
	for (uint32_t i = 0; i < v->operands; i++)
		if (!is_bits(code_operand_value(f, value, i)))
			return 0;
	return 1;
}

expr_t vc_combine(struct exprs *p, const struct code_value *v, const expr_t *e)
{
	switch (v->op) {
	case CODE_TRUNC:
		return expr_extract(p, e[0], 0, v->width);
	case CODE_ZEXT:
		return expr_zext(p, e[0], v->width);
	case CODE_SEXT:
		return expr_sext(p, e[0], v->width);
	case CODE_COPY:
		return expr_width(p, e[0]) == v->width ? e[0] : EXPR_NONE;
	case CODE_SELECT:
		return expr_ite(p, e[0], e[1], e[2]);
	case CODE_SMIN:
		return expr_ite(p, expr_binary(p, MUSTER_OP_SLT, e[0], e[1]), e[0], e[1]);
	case CODE_SMAX:
		return expr_ite(p, expr_binary(p, MUSTER_OP_SLT, e[0], e[1]), e[1], e[0]);
	case CODE_UMIN:
		return expr_ite(p, expr_binary(p, MUSTER_OP_ULT, e[0], e[1]), e[0], e[1]);
	case CODE_UMAX:
		return expr_ite(p, expr_binary(p, MUSTER_OP_ULT, e[0], e[1]), e[1], e[0]);
	case CODE_UGT:
		return expr_binary(p, MUSTER_OP_ULT, e[1], e[0]);
	case CODE_UGE:
		return expr_binary(p, MUSTER_OP_ULE, e[1], e[0]);
	case CODE_SGT:
		return expr_binary(p, MUSTER_OP_SLT, e[1], e[0]);
	case CODE_SGE:
		return expr_binary(p, MUSTER_OP_SLE, e[1], e[0]);
	default:
		return expr_binary(p, operator_of(v->op), e[0], e[1]);
	}
}

int vc_apply(const struct code_function *f, uint32_t value, const u128 *e, u128 *out)
{
	const struct code_value *v = &f->values[value];
	unsigned from = code_operand_value(f, value, 0)->width;
	s128 a = op_signed(e[0], from), b = v->operands > 1 ? op_signed(e[1], code_operand_value(f, value, 1)->width) : 0;
	switch (v->op) {
	case CODE_TRUNC:
	case CODE_ZEXT:
	case CODE_COPY:
		*out = e[0];
		break;
	case CODE_SEXT:
		*out = (u128)a;
		break;
	case CODE_SELECT:
		*out = e[0] ? e[1] : e[2];
		break;
	case CODE_SMIN:
	case CODE_SMAX:
		*out = (a < b) == (v->op == CODE_SMIN) ? e[0] : e[1];
		break;
	case CODE_UMIN:
	case CODE_UMAX:
		*out = (e[0] < e[1]) == (v->op == CODE_UMIN) ? e[0] : e[1];
		break;
	case CODE_UGT:
		*out = e[0] > e[1];
		break;
	case CODE_UGE:
		*out = e[0] >= e[1];
		break;
	case CODE_SGT:
		*out = a > b;
		break;
	case CODE_SGE:
		*out = a >= b;
		break;
	default:
		return op_apply(operator_of(v->op), v->width, from, 0, e[0], e[1], 0, out) == OP_OK;
	}
	*out = op_mask(*out, v->width);
	return 1;
}

static expr_t term(struct walk *w, uint32_t value, unsigned depth)
{
	const struct code_value *v = &w->f->values[value];
	expr_t e[3] = {0}, result;
	uint64_t known;
	if (v->kind == CODE_CONSTANT && is_bits(v))
		return expr_const(w->pool, v->width, code_unsigned(v));
	if (map_get(&w->known, value, &known))
		return (expr_t)known;
	result = w->leaf(w->ctx, value);
	if (result == EXPR_NONE && depth && vc_computes(w->f, value)) {
		uint32_t n = 0;
		while (n < v->operands && n < 3 && (e[n] = term(w, code_operand(w->f, value, n), depth - 1)) != EXPR_NONE)
			n++;
		if (n == v->operands)
			result = vc_combine(w->pool, v, e);
	}
	map_set(&w->known, value, result);
	return result;
}

expr_t vc_term(struct exprs *p, const struct code_function *f, uint32_t value, expr_t (*leaf)(void *ctx, uint32_t value), void *ctx)
{
	struct walk w = {.pool = p, .f = f, .leaf = leaf, .ctx = ctx};
	expr_t e = term(&w, value, DEEPEST);
	map_release(&w.known);
	return e;
}

struct leaves {
	const struct code_function *f;
	struct map seen;
	uint32_t *out;
	size_t n, most;
};

static void collect(struct leaves *l, uint32_t value, unsigned depth)
{
	const struct code_value *v = &l->f->values[value];
	if (v->kind != CODE_INSTRUCTION || map_get(&l->seen, value, NULL))
		return;
	map_set(&l->seen, value, 1);
	if (depth && vc_computes(l->f, value))
		for (uint32_t i = 0; i < v->operands; i++)
			collect(l, code_operand(l->f, value, i), depth - 1);
	else if (v->width && v->width <= 64 && !v->is_pointer && l->n < l->most)
		l->out[l->n++] = value;
}

size_t vc_leaves(const struct code_function *f, uint32_t value, uint32_t *out, size_t most)
{
	struct leaves l = {.f = f, .out = out, .most = most};
	collect(&l, value, DEEPEST);
	map_release(&l.seen);
	return l.n;
}
