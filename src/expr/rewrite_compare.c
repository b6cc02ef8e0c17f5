/* rewrite_compare.c: comparisons in normal form.
 *
 * Comparing is where a path's constraints come from, so this decides what solvers
 * see. Extensions are taken off both sides, reversible operations by a constant are undone on
 * the other side (x + 3 == 5 is x == 2), a comparison against the range's end
 * is an equality or decided. With a constant only "<" is used (x <= 4 is x < 5); NOT of a
 * comparison is the opposite comparison, so the only negated one is EQ.
 *
 * Each rule leads to a smaller term, and they run in a loop: a chain of any length costs no stack.
 *
 * Invariant: as in build.c.
 */
#include "expr/pool.h"
#include "expr/pieces.h"
#include "expr/rewrite.h"

/* 1 / x modulo 2^width, for odd x: each step doubles the number of right bits. */
static u128 inverse(u128 x, unsigned width)
{
	u128 r = x;
	for (unsigned bits = 3; bits < width; bits *= 2)
		r *= 2 - x * r;
	return op_mask(r, width);
}

/* Constant parts of a concatenation are compared at once. Returns 0 if they differ, else 1 with the
 * rest in *a and *v. */
static int drop_constant_parts(struct exprs *p, expr_t *a, u128 *v)
{
	struct pieces in, out = {.count = 0};
	unsigned low = expr_width(p, *a), width = 0;
	u128 rest = 0, c;
	expr_pieces(p, *a, &in);
	for (unsigned i = 0; i < in.count; i++) {
		struct piece *x = &in.at[i];
		low -= x->width;
		u128 want = op_mask(*v >> low, x->width);
		if (!x->e || expr_is_const(p, x->e, &c)) {
			if (want != (x->e ? c : 0))
				return 0;
			continue;
		}
		out.at[out.count++] = *x;
		rest = (width ? rest << x->width : 0) | want;
		width += x->width;
	}
	if (out.count < in.count) {
		*a = expr_pieces_join(p, &out);
		*v = rest;
	}
	return 1;
}

/* One step of f(x) == v to x == w: 1 with the new sides, 0 if there is no step, -1 if it is false.
 */
static int undo(struct exprs *p, expr_t *a, u128 *v)
{
	const struct expr_node *n = node(p, *a);
	unsigned width = n->width;
	u128 c = n->b && is_op(p, n->b, MUSTER_OP_CONST) ? node_value(node(p, n->b)) : 0;
	int constant = n->b && is_op(p, n->b, MUSTER_OP_CONST);
	expr_t before = *a;
	switch (n->op) {
	case MUSTER_OP_SEXT: {
		unsigned narrow = node(p, n->a)->width;
		if (op_mask((u128)op_signed(op_mask(*v, narrow), narrow), width) != *v)
			return -1;
		*v = op_mask(*v, narrow);
		*a = n->a;
		return 1;
	}
	case MUSTER_OP_ZEXT:
	case MUSTER_OP_CONCAT:
		if (!drop_constant_parts(p, a, v))
			return -1;
		return *a != before;
	case MUSTER_OP_ADD:
		if (!constant)
			return 0;
		*v = op_mask(*v - c, width);
		break;
	case MUSTER_OP_XOR:
		if (!constant)
			return 0;
		*v ^= c;
		break;
	case MUSTER_OP_MUL:
		if (!constant || !(c & 1))
			return 0;
		*v = op_mask(*v * inverse(c, width), width);
		break;
	case MUSTER_OP_SUB:
		if (!is_op(p, n->a, MUSTER_OP_CONST))
			return 0;
		*v = op_mask(node_value(node(p, n->a)) - *v, width);
		*a = n->b;
		return 1;
	case MUSTER_OP_BSWAP:
	case MUSTER_OP_BITREVERSE:
		*v = expr_total((enum muster_op)n->op, width, width, 0, *v, 0, 0);
		break;
	case MUSTER_OP_AND:
		return constant && (*v & ~c) ? -1 : 0;
	case MUSTER_OP_OR:
		return constant && (c & ~*v) ? -1 : 0;
	default:
		return 0;
	}
	*a = n->a;
	return 1;
}

static expr_t eq_const(struct exprs *p, expr_t a, u128 v)
{
	int step;
	while ((step = undo(p, &a, &v)) > 0)
		if (expr_is_const(p, a, NULL))
			break;
	if (step < 0)
		return expr_false(p);
	struct expr_node n = *node(p, a);
	expr_t c = expr_const(p, n.width, v);
	if (n.width == 1 || n.op == MUSTER_OP_CONST)
		return expr_eq(p, a, c);
	if (v == 0 && (n.op == MUSTER_OP_SUB || n.op == MUSTER_OP_XOR))
		return expr_eq(p, n.a, n.b);
	if (n.op == MUSTER_OP_ITE && is_op(p, n.b, MUSTER_OP_CONST) &&
	    is_op(p, n.c, MUSTER_OP_CONST))
		return n.b == c ? n.a : n.c == c ? expr_not(p, n.a) : expr_false(p);
	return expr_make3(p, MUSTER_OP_EQ, 1, a, c, 0);
}

/* Extensions on both sides, taken off as far as they go. It keeps equality, and order where the
 * sides are ZEXT and the order is unsigned, or SEXT. */
static int drop_extensions(struct exprs *p, expr_t *a, expr_t *b)
{
	const struct expr_node *x = node(p, *a), *y = node(p, *b);
	if (x->op != y->op || (x->op != MUSTER_OP_ZEXT && x->op != MUSTER_OP_SEXT))
		return 0;
	int zero = x->op == MUSTER_OP_ZEXT;
	expr_t low_a = x->a, low_b = y->a;
	unsigned wa = node(p, low_a)->width, wb = node(p, low_b)->width;
	unsigned width = wa > wb ? wa : wb;
	*a = zero ? expr_zext(p, low_a, width) : expr_sext(p, low_a, width);
	*b = zero ? expr_zext(p, low_b, width) : expr_sext(p, low_b, width);
	return 1;
}

/* One step of two sides to smaller ones, which are equal where these are. */
static int eq_step(struct exprs *p, expr_t *a, expr_t *b)
{
	const struct expr_node *x = node(p, *a), *y = node(p, *b);
	if (x->op == y->op && (x->a == y->a || x->b == y->b) &&
	    (x->op == MUSTER_OP_CONCAT || x->op == MUSTER_OP_ADD || x->op == MUSTER_OP_XOR) &&
	    node(p, x->a)->width == node(p, y->a)->width) {
		expr_t first = x->a == y->a ? x->b : x->a;
		*b = x->a == y->a ? y->b : y->a;
		*a = first;
		return 1;
	}
	return drop_extensions(p, a, b);
}

/* x + y == x: the other summand is zero. */
static expr_t absorbed(const struct exprs *p, expr_t sum, expr_t x)
{
	const struct expr_node *n = node(p, sum);
	if (n->op != MUSTER_OP_ADD && n->op != MUSTER_OP_XOR)
		return EXPR_NONE;
	return n->a == x ? n->b : n->b == x ? n->a : EXPR_NONE;
}

expr_t expr_rewrite_eq(struct exprs *p, expr_t a, expr_t b)
{
	u128 v;
	while (a != b && !expr_is_const(p, b, NULL) && !expr_is_const(p, a, NULL) &&
	       eq_step(p, &a, &b))
		;
	if (a == b)
		return expr_true(p);
	if (expr_width(p, a) == 1 || expr_is_const(p, a, NULL))
		return expr_eq(p, a, b);
	if (expr_is_const(p, b, &v))
		return eq_const(p, a, v);
	expr_t rest = absorbed(p, a, b);
	if (!rest)
		rest = absorbed(p, b, a);
	if (rest)
		return expr_eq(p, rest, expr_const(p, expr_width(p, rest), 0));
	if (is_op(p, a, MUSTER_OP_ADD) && is_op(p, b, MUSTER_OP_ADD)) { /* x + c1 == y + c2 */
		const struct expr_node *x = node(p, a), *y = node(p, b);
		if (is_op(p, x->b, MUSTER_OP_CONST) && is_op(p, y->b, MUSTER_OP_CONST)) {
			expr_t left = x->a > y->a ? x->a : y->a, right = x->a > y->a ? y->a : x->a;
			u128 cl = node_value(node(p, x->a > y->a ? x->b : y->b)),
			     cr = node_value(node(p, x->a > y->a ? y->b : x->b));
			return expr_eq(
			    p, left,
			    expr_binary(p, MUSTER_OP_ADD, right, expr_const(p, x->width, cr - cl)));
		}
	}
	if (a > b) {
		expr_t swap = a;
		a = b;
		b = swap;
	}
	return expr_make3(p, MUSTER_OP_EQ, 1, a, b, 0);
}

/* ------------------------------------------------------------------ less */

static int is_signed_op(enum muster_op op)
{
	return op == MUSTER_OP_SLT || op == MUSTER_OP_SLE;
}

static int known_positive(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = node(p, e);
	return n->op == MUSTER_OP_ZEXT ||
	       (n->op == MUSTER_OP_CONST && !(node_value(n) >> (n->width - 1)));
}

/* Sides without constants, to smaller ones. The order of the sides stays. */
static int less_step(struct exprs *p, enum muster_op *op, expr_t *a, expr_t *b)
{
	const struct expr_node *x = node(p, *a), *y = node(p, *b);
	enum muster_op plain = *op == MUSTER_OP_SLT   ? MUSTER_OP_ULT
			       : *op == MUSTER_OP_SLE ? MUSTER_OP_ULE
						      : *op;
	if (x->op == MUSTER_OP_CONCAT && y->op == MUSTER_OP_CONCAT && x->a == y->a) {
		*op = plain; /* equal high parts decide nothing, signed or not */
		*a = x->b;
		*b = y->b;
		return 1;
	}
	if (known_positive(p, *a) && known_positive(p, *b))
		*op = plain;
	return drop_extensions(p, a, b);
}

/* The same of a concatenation: v becomes what its high part is compared with, if the low part does not matter, or is a constant (an index times four). */
static int less_high(struct exprs *p, int is_signed, int left, const struct expr_node *n, u128 *v)
{
	unsigned cut = node(p, n->b)->width, high = n->width - cut;
	u128 low, part = op_mask(*v, cut), rest = *v >> cut, most = is_signed ? ones(high - 1) : ones(high);
	if (part != (left ? ones(cut) : 0)) {
		if (!expr_is_const(p, n->b, &low))
			return 0;
		if (left ? part < low : low < part) { /* equal high parts count, too */
			if (rest == (left ? op_mask(most + 1, high) : most))
				return 2;
			rest = op_mask(left ? rest - 1 : rest + 1, high);
		}
	}
	*v = rest;
	return 1;
}

/* x < v (or v < x, if left) where x is an extension or a word whose low part does not matter: the
 * constraint on the smaller term. Gives 1 with the new sides, 0 for no step, -1 for false, 2 for
 * true. */
static int less_narrow(struct exprs *p, int is_signed, int left, expr_t *x, u128 *v)
{
	const struct expr_node *n = node(p, *x);
	unsigned width = n->width, narrow = n->a ? node(p, n->a)->width : 0;
	if (n->op == MUSTER_OP_ZEXT) { /* signed: v is negative, or it would be an unsigned one */
		if (is_signed)
			return left ? 2 : -1;
		if (*v > ones(narrow))
			return left ? -1 : 2;
	} else if (n->op == MUSTER_OP_SEXT && is_signed) {
		s128 c = op_signed(*v, width), most = (s128)ones(narrow - 1);
		if (c > most)
			return left ? -1 : 2;
		if (c < -most - 1)
			return left ? 2 : -1;
		*v = op_mask(*v, narrow);
	} else if (n->op == MUSTER_OP_CONCAT) {
		int step = less_high(p, is_signed, left, n, v);
		if (step != 1)
			return step;
	} else {
		return 0;
	}
	*x = n->a;
	return 1;
}

/* x < v or, if left, v < x. */
static expr_t less_const(struct exprs *p, int is_signed, int left, expr_t x, u128 v)
{
	for (;;) {
		unsigned width = expr_width(p, x);
		u128 top = is_signed ? ones(width - 1) : ones(width),
		     least = is_signed ? top + 1 : 0;
		if (v == (left ? top : least))
			return expr_false(p);
		if (width == 1 || is_op(p, x, MUSTER_OP_CONST))
			break;
		if (is_signed && is_op(p, x, MUSTER_OP_ZEXT) && !(v >> (width - 1)))
			is_signed = 0;
		int step = less_narrow(p, is_signed, left, &x, &v);
		if (step == 1)
			continue;
		if (step)
			return step > 0 ? expr_true(p) : expr_false(p);
		/* Only one value is left, or only one is excluded. */
		if (v == op_mask(left ? top - 1 : least + 1, width))
			return expr_eq(p, x, expr_const(p, width, left ? top : least));
		if (v == (left ? least : top))
			return expr_not(p, expr_eq(p, x, expr_const(p, width, v)));
		break;
	}
	expr_t c = expr_const(p, expr_width(p, x), v);
	enum muster_op op = is_signed ? MUSTER_OP_SLT : MUSTER_OP_ULT;
	if (expr_width(p, x) == 1 || is_op(p, x, MUSTER_OP_CONST))
		return expr_binary(p, op, left ? c : x, left ? x : c);
	return expr_make3(p, op, 1, left ? c : x, left ? x : c, 0);
}

expr_t expr_rewrite_less(struct exprs *p, enum muster_op op, expr_t a, expr_t b)
{
	u128 v;
	int left = expr_is_const(p, a, &v);
	if (left || expr_is_const(p, b, &v)) {
		int is_signed = is_signed_op(op),
		    or_equal = op == MUSTER_OP_ULE || op == MUSTER_OP_SLE;
		unsigned width = expr_width(p, a);
		u128 top = is_signed ? ones(width - 1) : ones(width),
		     least = is_signed ? top + 1 : 0;
		if (or_equal) {
			if (v == (left ? least : top))
				return expr_true(p);
			v = op_mask(left ? v - 1 : v + 1, width);
		}
		return less_const(p, is_signed, left, left ? b : a, v);
	}
	while (a != b && expr_width(p, a) > 1 && !expr_is_const(p, a, NULL) &&
	       !expr_is_const(p, b, NULL) && less_step(p, &op, &a, &b))
		;
	if (a == b)
		return op == MUSTER_OP_ULT || op == MUSTER_OP_SLT ? expr_false(p) : expr_true(p);
	if (expr_width(p, a) == 1 || expr_is_const(p, a, NULL) || expr_is_const(p, b, NULL))
		return expr_binary(p, op, a, b);
	return expr_make3(p, op, 1, a, b, 0);
}

expr_t expr_rewrite_not(struct exprs *p, expr_t a)
{
	struct expr_node n = *node(p, a);
	switch (n.op) {
	case MUSTER_OP_XOR:
		if (n.b == expr_true(p))
			return n.a;
		break;
	case MUSTER_OP_ULT:
		return expr_binary(p, MUSTER_OP_ULE, n.b, n.a);
	case MUSTER_OP_ULE:
		return expr_binary(p, MUSTER_OP_ULT, n.b, n.a);
	case MUSTER_OP_SLT:
		return expr_binary(p, MUSTER_OP_SLE, n.b, n.a);
	case MUSTER_OP_SLE:
		return expr_binary(p, MUSTER_OP_SLT, n.b, n.a);
	default:
		break;
	}
	return expr_make3(p, MUSTER_OP_XOR, 1, a, expr_true(p), 0);
}
