/* quotient.c: x <= a / y is x * y <= a.
 *
 * Exact for all values, y = 0 (where the quotient is all ones) and products that do not fit among
 * them; the test compares with evaluation for all values of small words.
 */
#include "solve/quotient.h"

/* A division by something unknown. */
static int is_quotient(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = expr_get(p, e);

	return n->op == MUSTER_OP_UDIV && !expr_is_const(p, n->b, NULL);
}

static expr_t ones(struct exprs *p, expr_t x)
{
	return expr_const(p, expr_width(p, x), ~(u128)0);
}

static expr_t is_zero(struct exprs *p, expr_t y)
{
	return expr_eq(p, y, expr_const(p, expr_width(p, y), 0));
}

/* x <= a / y, unsigned. For y = 0 both sides are true. */
static expr_t at_most(struct exprs *p, expr_t x, expr_t a, expr_t y)
{
	expr_t lost = expr_binary(p, MUSTER_OP_UMULO, x, y), product = expr_binary(p, MUSTER_OP_MUL, x, y);

	return expr_and(p, expr_not(p, lost), expr_binary(p, MUSTER_OP_ULE, product, a));
}

/* x < a / y, unsigned, y not 0: x * y + y <= a. */
static expr_t below(struct exprs *p, expr_t x, expr_t a, expr_t y)
{
	expr_t lost = expr_binary(p, MUSTER_OP_UMULO, x, y), product = expr_binary(p, MUSTER_OP_MUL, x, y);
	expr_t carry = expr_binary(p, MUSTER_OP_UADDO, product, y), sum = expr_binary(p, MUSTER_OP_ADD, product, y);

	return expr_and(p, expr_not(p, expr_or(p, lost, carry)), expr_binary(p, MUSTER_OP_ULE, sum, a));
}

/* x op a / y, for the two orders of each sign. A signed a / y is not negative (a is not), or -1 for y = 0. */
static expr_t compare(struct exprs *p, unsigned op, expr_t x, expr_t a, expr_t y)
{
	expr_t zero = is_zero(p, y), some = expr_not(p, zero), negative, last;

	switch (op) {
	case MUSTER_OP_ULE:
		return at_most(p, x, a, y);
	case MUSTER_OP_ULT:
		last = expr_eq(p, x, ones(p, x));
		return expr_ite(p, zero, expr_not(p, last), below(p, x, a, y));
	case MUSTER_OP_SLE:
		negative = expr_binary(p, MUSTER_OP_SLT, x, expr_const(p, expr_width(p, x), 0));
		return expr_or(p, negative, expr_and(p, some, at_most(p, x, a, y)));
	default:
		negative = expr_binary(p, MUSTER_OP_SLT, x, expr_const(p, expr_width(p, x), 0));
		last = expr_eq(p, x, ones(p, x));
		return expr_ite(p, negative, expr_or(p, some, expr_not(p, last)), expr_and(p, some, below(p, x, a, y)));
	}
}

expr_t quotient_free(struct exprs *p, expr_t e)
{
	struct expr_node n = *expr_get(p, e), q;
	int is_signed = n.op == MUSTER_OP_SLT || n.op == MUSTER_OP_SLE, left;
	unsigned op;
	u128 v;

	if (!is_signed && n.op != MUSTER_OP_ULT && n.op != MUSTER_OP_ULE)
		return 0;
	left = is_quotient(p, n.a);
	if (!left && !is_quotient(p, n.b))
		return 0;
	q = *expr_get(p, left ? n.a : n.b);
	if (is_signed && (!expr_is_const(p, q.a, &v) || v >> (q.width - 1) & 1))
		return 0;
	if (!left)
		return compare(p, n.op, n.a, q.a, q.b);
	/* a / y < x is not x <= a / y */
	op = n.op == MUSTER_OP_ULT ? MUSTER_OP_ULE : n.op == MUSTER_OP_ULE ? MUSTER_OP_ULT : n.op == MUSTER_OP_SLT ? MUSTER_OP_SLE : MUSTER_OP_SLT;
	return expr_not(p, compare(p, op, n.b, q.a, q.b));
}
