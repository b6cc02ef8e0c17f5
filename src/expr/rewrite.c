/* rewrite.c: arithmetic and bitwise operators in normal form.
 *
 * Constants go to the right and outwards, so that they meet and fold. Operations by constants that
 * only move bits become parts and joins (build.c): shifts, powers of two, masks of neighbouring
 * bits, sums and ORs of terms that have no bit in common. Where operands commute and none is a
 * constant the older one stands left.
 *
 * An operation that C leaves undefined is not folded away, though it has a value: expr_defined
 * must still find it.
 *
 * Invariant: as in build.c.
 */
#include "expr/pool.h"
#include "expr/pieces.h"
#include "expr/rewrite.h"

#include "base/error.h"

/* The top bit is known to be zero. */
static int is_positive(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = node(p, e);
	return n->op == MUSTER_OP_ZEXT ||
	       (n->op == MUSTER_OP_CONST && !(node_value(n) >> (n->width - 1)));
}

static unsigned width_below(const struct exprs *p, expr_t e) /* of the operand of a ZEXT or SEXT */
{
	return node(p, node(p, e)->a)->width;
}

static int is_power(u128 x, unsigned *log)
{
	unsigned n = 0;
	if (!x || (x & (x - 1)))
		return 0;
	while (!(x >> n & 1))
		n++;
	*log = n;
	return 1;
}

/* --------------------------------------------------- bits that do not meet */

/* What two pieces of one width make together: which one stands, or 0 if both do. */
static int piece_choice(const struct exprs *p, const struct piece *a, unsigned a_low,
			const struct piece *b, unsigned b_low, unsigned width)
{
	u128 v;
	if (!a->e || (expr_is_const(p, a->e, &v) && !op_mask(v >> a_low, width)))
		return 2;
	if (!b->e || (expr_is_const(p, b->e, &v) && !op_mask(v >> b_low, width)))
		return 1;
	return 0;
}

static struct piece piece_part(struct exprs *p, const struct piece *x, unsigned low, unsigned width)
{
	return (struct piece){x->e ? expr_extract(p, x->e, low, width) : EXPR_NONE, width};
}

/* Goes through both lists from the top; with out NULL it only tells whether in each place one is
 * zero. */
static int merge_pieces(struct exprs *p, const struct pieces *a, const struct pieces *b,
			struct pieces *out)
{
	unsigned i = 0, j = 0, left_a = a->at[0].width, left_b = b->at[0].width;
	while (i < a->count && j < b->count) {
		unsigned step = left_a < left_b ? left_a : left_b;
		left_a -= step;
		left_b -= step;
		int choice = piece_choice(p, &a->at[i], left_a, &b->at[j], left_b, step);
		if (!choice)
			return 0;
		if (out)
			out->at[out->count++] = choice == 1
						    ? piece_part(p, &a->at[i], left_a, step)
						    : piece_part(p, &b->at[j], left_b, step);
		if (!left_a && ++i < a->count)
			left_a = a->at[i].width;
		if (!left_b && ++j < b->count)
			left_b = b->at[j].width;
	}
	return 1;
}

/* The sum, OR or XOR of terms that have no bit in common is a concatenation. */
static expr_t join_disjoint(struct exprs *p, expr_t a, expr_t b)
{
	struct pieces x, y, out = {.count = 0};
	unsigned oa = node(p, a)->op, ob = node(p, b)->op;
	if ((oa != MUSTER_OP_CONCAT && oa != MUSTER_OP_ZEXT) ||
	    (ob != MUSTER_OP_CONCAT && ob != MUSTER_OP_ZEXT))
		return EXPR_NONE;
	expr_pieces(p, a, &x);
	expr_pieces(p, b, &y);
	if (!merge_pieces(p, &x, &y, NULL))
		return EXPR_NONE;
	merge_pieces(p, &x, &y, &out);
	return expr_pieces_join(p, &out);
}

/* ----------------------------------------------------------------- sums */

static expr_t commuting(struct exprs *p, enum muster_op op, unsigned width, expr_t a, expr_t b)
{
	if (a > b && !is_op(p, b, MUSTER_OP_CONST)) {
		expr_t swap = a;
		a = b;
		b = swap;
	}
	return expr_make3(p, op, width, a, b, 0);
}

/* x of x + constant (or x ^ constant), and the constant's term. */
static int split_const(const struct exprs *p, expr_t e, enum muster_op op, expr_t *x, expr_t *c)
{
	const struct expr_node *n = node(p, e);
	if (n->op != op || !is_op(p, n->b, MUSTER_OP_CONST))
		return 0;
	*x = n->a;
	*c = n->b;
	return 1;
}

static u128 value_of(const struct exprs *p, expr_t e)
{
	return node_value(node(p, e));
}

static expr_t add(struct exprs *p, unsigned width, expr_t a, expr_t b)
{
	expr_t x, c;
	u128 v;
	if (expr_is_const(p, b, &v)) {
		if (v == 0)
			return a;
		if (split_const(p, a, MUSTER_OP_ADD, &x, &c))
			return add(p, width, x, expr_const(p, width, v + value_of(p, c)));
		struct expr_node n = *node(p, a); /* the constructors below move the pool's own */
		if (n.op == MUSTER_OP_SUB && is_op(p, n.a, MUSTER_OP_CONST)) /* (k - y) + v */
			return expr_binary(p, MUSTER_OP_SUB,
					   expr_const(p, width, v + value_of(p, n.a)), n.b);
		return expr_make3(p, MUSTER_OP_ADD, width, a, b, 0);
	}
	if (split_const(p, a, MUSTER_OP_ADD, &x, &c))
		return add(p, width, expr_binary(p, MUSTER_OP_ADD, x, b), c);
	if (split_const(p, b, MUSTER_OP_ADD, &x, &c))
		return add(p, width, expr_binary(p, MUSTER_OP_ADD, a, x), c);
	if (is_op(p, a, MUSTER_OP_SUB) && node(p, a)->b == b)
		return node(p, a)->a;
	if (is_op(p, b, MUSTER_OP_SUB) && node(p, b)->b == a)
		return node(p, b)->a;
	if (a == b)
		return expr_binary(p, MUSTER_OP_SHL, a, expr_const(p, width, 1));
	expr_t r = join_disjoint(p, a, b);
	return r ? r : commuting(p, MUSTER_OP_ADD, width, a, b);
}

static expr_t sub(struct exprs *p, unsigned width, expr_t a, expr_t b)
{
	expr_t x, c;
	u128 v;
	if (a == b)
		return expr_const(p, width, 0);
	if (expr_is_const(p, b, &v))
		return expr_binary(p, MUSTER_OP_ADD, a, expr_const(p, width, -v));
	if (split_const(p, b, MUSTER_OP_ADD, &x, &c)) {
		v = value_of(p, c);
		return expr_binary(p, MUSTER_OP_ADD, expr_binary(p, MUSTER_OP_SUB, a, x),
				   expr_const(p, width, -v));
	}
	if (split_const(p, a, MUSTER_OP_ADD, &x, &c))
		return expr_binary(p, MUSTER_OP_ADD, expr_binary(p, MUSTER_OP_SUB, x, b), c);
	const struct expr_node *n = node(p, a);
	if (n->op == MUSTER_OP_ADD && (n->a == b || n->b == b))
		return n->a == b ? n->b : n->a;
	n = node(p, b);
	if (n->op == MUSTER_OP_SUB && n->a == a)
		return n->b;
	if (n->op == MUSTER_OP_SUB && expr_is_const(p, a, &v) && v == 0) { /* 0 - (x - y) */
		expr_t y = n->b;
		return expr_binary(p, MUSTER_OP_SUB, y, n->a);
	}
	if (n->op == MUSTER_OP_SUB && is_op(p, a, MUSTER_OP_CONST) &&
	    is_op(p, n->a, MUSTER_OP_CONST)) { /* c - (k - y) */
		expr_t y = n->b;
		v = value_of(p, a) - value_of(p, n->a);
		return expr_binary(p, MUSTER_OP_ADD, y, expr_const(p, width, v));
	}
	return expr_make3(p, MUSTER_OP_SUB, width, a, b, 0);
}

static expr_t mul(struct exprs *p, unsigned width, expr_t a, expr_t b)
{
	expr_t x, c;
	unsigned log;
	u128 v;
	if (!expr_is_const(p, b, &v))
		return commuting(p, MUSTER_OP_MUL, width, a, b);
	if (v == 0)
		return b;
	if (is_power(v, &log))
		return expr_binary(p, MUSTER_OP_SHL, a, expr_const(p, width, log));
	if (v == ones(width))
		return expr_binary(p, MUSTER_OP_SUB, expr_const(p, width, 0), a);
	if (split_const(p, a, MUSTER_OP_MUL, &x, &c))
		return expr_binary(p, MUSTER_OP_MUL, x, expr_const(p, width, v * value_of(p, c)));
	return expr_make3(p, MUSTER_OP_MUL, width, a, b, 0);
}

/* Unsigned division of x extended, by c: on x's width. */
static expr_t divide_narrow(struct exprs *p, enum muster_op op, unsigned width, expr_t a, u128 c)
{
	expr_t x = node(p, a)->a;
	unsigned narrow = expr_width(p, x);
	if (c > ones(narrow))
		return op == MUSTER_OP_UDIV ? expr_const(p, width, 0) : a;
	return expr_zext(p, expr_binary(p, op, x, expr_const(p, narrow, c)), width);
}

static expr_t divide(struct exprs *p, enum muster_op op, unsigned width, expr_t a, expr_t b)
{
	unsigned log;
	u128 v;
	if ((op == MUSTER_OP_SDIV || op == MUSTER_OP_SREM) && is_positive(p, a) &&
	    is_positive(p, b))
		op = op == MUSTER_OP_SDIV ? MUSTER_OP_UDIV : MUSTER_OP_UREM;
	if (!expr_is_const(p, b, &v) || v == 0)
		return expr_make3(p, op, width, a, b, 0);
	if (v == 1)
		return op == MUSTER_OP_UDIV || op == MUSTER_OP_SDIV ? a : expr_const(p, width, 0);
	if (op == MUSTER_OP_UDIV && is_power(v, &log))
		return expr_binary(p, MUSTER_OP_LSHR, a, expr_const(p, width, log));
	if (op == MUSTER_OP_UREM && is_power(v, &log))
		return expr_zext(p, expr_extract(p, a, 0, log), width);
	if ((op == MUSTER_OP_UDIV || op == MUSTER_OP_UREM) && is_op(p, a, MUSTER_OP_ZEXT))
		return divide_narrow(p, op, width, a, v);
	return expr_make3(p, op, width, a, b, 0);
}

static expr_t shift(struct exprs *p, enum muster_op op, unsigned width, expr_t a, expr_t b)
{
	u128 v;
	if (!expr_is_const(p, b, &v) || v >= width)
		return expr_make3(p, op, width, a, b, 0);
	if (v == 0)
		return a;
	unsigned by = (unsigned)v;
	expr_t rest = expr_extract(p, a, op == MUSTER_OP_SHL ? 0 : by, width - by);
	if (op == MUSTER_OP_SHL)
		return expr_concat(p, rest, expr_const(p, by, 0));
	return op == MUSTER_OP_LSHR ? expr_zext(p, rest, width) : expr_sext(p, rest, width);
}

/* --------------------------------------------------------------- bitwise */

/* A concatenation or extension by a constant: part by part. */
static expr_t bitwise_parts(struct exprs *p, enum muster_op op, unsigned width, expr_t a, u128 v)
{
	struct expr_node n = *node(p, a);
	expr_t high, low;
	if (n.op == MUSTER_OP_CONCAT) {
		unsigned cut = expr_width(p, n.b);
		low = expr_binary(p, op, n.b, expr_const(p, cut, v));
		high = expr_binary(p, op, n.a, expr_const(p, width - cut, v >> cut));
		return expr_concat(p, high, low);
	}
	if (n.op != MUSTER_OP_ZEXT)
		return EXPR_NONE;
	unsigned cut = expr_width(p, n.a);
	low = expr_binary(p, op, n.a, expr_const(p, cut, v));
	high = expr_const(p, width - cut, op == MUSTER_OP_AND ? 0 : v >> cut);
	return expr_concat(p, high, low);
}

/* A mask of neighbouring bits is a part between zeros. */
static expr_t mask_run(struct exprs *p, unsigned width, expr_t a, u128 v)
{
	unsigned low = 0, count = 0;
	while (!(v >> low & 1))
		low++;
	while (low + count < width && (v >> (low + count) & 1))
		count++;
	if (v != ones(count) << low)
		return EXPR_NONE;
	expr_t x = expr_extract(p, a, low, count);
	if (low)
		x = expr_concat(p, x, expr_const(p, low, 0));
	return expr_zext(p, x, width);
}

static u128 fold_bits(enum muster_op op, u128 a, u128 b)
{
	return op == MUSTER_OP_AND ? a & b : op == MUSTER_OP_OR ? a | b : a ^ b;
}

static expr_t bitwise_const(struct exprs *p, enum muster_op op, unsigned width, expr_t a, expr_t b,
			    u128 v)
{
	expr_t x, c, r = EXPR_NONE;
	if (v == 0)
		return op == MUSTER_OP_AND ? b : a;
	if (v == ones(width) && op != MUSTER_OP_XOR)
		return op == MUSTER_OP_AND ? a : b;
	if (width == 1) /* what is left is XOR with 1 */
		return expr_rewrite_not(p, a);
	if (split_const(p, a, op, &x, &c)) {
		v = fold_bits(op, v, value_of(p, c));
		return expr_binary(p, op, x, expr_const(p, width, v));
	}
	r = bitwise_parts(p, op, width, a, v);
	if (!r && op == MUSTER_OP_AND)
		r = mask_run(p, width, a, v);
	return r ? r : expr_make3(p, op, width, a, b, 0);
}

static int is_not_of(const struct exprs *p, expr_t e, expr_t x)
{
	const struct expr_node *n = node(p, e);
	return n->op == MUSTER_OP_XOR && n->a == x && is_op(p, n->b, MUSTER_OP_CONST) &&
	       node_value(node(p, n->b)) == ones(n->width);
}

static int has_operand(const struct exprs *p, expr_t e, enum muster_op op, expr_t x)
{
	const struct expr_node *n = node(p, e);
	return n->op == op && (n->a == x || n->b == x);
}

static expr_t and_or(struct exprs *p, enum muster_op op, unsigned width, expr_t a, expr_t b)
{
	enum muster_op other = op == MUSTER_OP_AND ? MUSTER_OP_OR : MUSTER_OP_AND;
	if (a == b)
		return a;
	if (is_not_of(p, a, b) || is_not_of(p, b, a))
		return expr_const(p, width, op == MUSTER_OP_AND ? 0 : ~(u128)0);
	if (has_operand(p, a, op, b) || has_operand(p, b, other, a))
		return a;
	if (has_operand(p, b, op, a) || has_operand(p, a, other, b))
		return b;
	return EXPR_NONE;
}

/* Two extensions from one width. */
static int same_extension(const struct exprs *p, expr_t a, expr_t b, unsigned op)
{
	return is_op(p, a, op) && is_op(p, b, op) && width_below(p, a) == width_below(p, b);
}

static expr_t bitwise(struct exprs *p, enum muster_op op, unsigned width, expr_t a, expr_t b)
{
	expr_t x, c, r;
	u128 v;
	if (expr_is_const(p, b, &v))
		return bitwise_const(p, op, width, a, b, v);
	if (op == MUSTER_OP_XOR) {
		if (a == b)
			return expr_const(p, width, 0);
		if (split_const(p, a, op, &x, &c))
			return expr_binary(p, op, expr_binary(p, op, x, b), c);
		if (split_const(p, b, op, &x, &c))
			return expr_binary(p, op, expr_binary(p, op, a, x), c);
		if (has_operand(p, a, op, b))
			return node(p, a)->a == b ? node(p, a)->b : node(p, a)->a;
		if (has_operand(p, b, op, a))
			return node(p, b)->a == a ? node(p, b)->b : node(p, b)->a;
	} else {
		r = and_or(p, op, width, a, b);
		if (r)
			return r;
	}
	unsigned ext = node(p, a)->op;
	if ((ext == MUSTER_OP_ZEXT || ext == MUSTER_OP_SEXT) && same_extension(p, a, b, ext)) {
		r = expr_binary(p, op, node(p, a)->a, node(p, b)->a);
		return ext == MUSTER_OP_ZEXT ? expr_zext(p, r, width) : expr_sext(p, r, width);
	}
	if (op != MUSTER_OP_AND) {
		r = join_disjoint(p, a, b);
		if (r)
			return r;
	}
	return commuting(p, op, width, a, b);
}

/* -------------------------------------------------------------- overflow */

/* By a constant: a comparison. EXPR_NONE if there is none. */
static expr_t overflow_const(struct exprs *p, enum muster_op op, unsigned width, expr_t a, u128 c)
{
	u128 top = ones(width - 1), least = top + 1; /* of the signed numbers */
	int negative = c >> (width - 1) & 1;
	if (c == 0)
		return expr_false(p);
	switch (op) {
	case MUSTER_OP_UADDO:
		return expr_binary(p, MUSTER_OP_ULT, expr_const(p, width, ~c), a);
	case MUSTER_OP_UMULO:
		return expr_binary(p, MUSTER_OP_ULT, expr_const(p, width, ones(width) / c), a);
	case MUSTER_OP_SADDO:
		if (negative)
			return expr_binary(p, MUSTER_OP_SLT, a, expr_const(p, width, least - c));
		return expr_binary(p, MUSTER_OP_SLT, expr_const(p, width, top - c), a);
	case MUSTER_OP_SSUBO:
		if (negative)
			return expr_binary(p, MUSTER_OP_SLT, expr_const(p, width, top + c), a);
		return expr_binary(p, MUSTER_OP_SLT, a, expr_const(p, width, least + c));
	default:
		return c == 1 && width > 1 ? expr_false(p) : EXPR_NONE;
	}
}

static expr_t overflow(struct exprs *p, enum muster_op op, unsigned width, expr_t a, expr_t b)
{
	u128 v;
	if (op == MUSTER_OP_USUBO)
		return expr_binary(p, MUSTER_OP_ULT, a, b);
	if (expr_is_const(p, b, &v)) {
		expr_t r = overflow_const(p, op, width, a, v);
		if (r)
			return r;
	}
	if ((op == MUSTER_OP_UADDO || op == MUSTER_OP_SSUBO) && is_positive(p, a) &&
	    is_positive(p, b))
		return expr_false(p);
	if (op == MUSTER_OP_SSUBO)
		return a == b ? expr_false(p) : expr_make3(p, op, 1, a, b, 0);
	return commuting(p, op, 1, a, b);
}

/* ---------------------------------------------------------------- the door */

/* Operators of one bit are the logical ones. */
static expr_t one_bit(struct exprs *p, enum muster_op op, expr_t a, expr_t b)
{
	switch (op) {
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
	case MUSTER_OP_NE:
		return expr_binary(p, MUSTER_OP_XOR, a, b);
	case MUSTER_OP_EQ:
		return expr_not(p, expr_binary(p, MUSTER_OP_XOR, a, b));
	case MUSTER_OP_MUL:
		return expr_and(p, a, b);
	case MUSTER_OP_ULT:
	case MUSTER_OP_USUBO:
		return expr_and(p, expr_not(p, a), b);
	case MUSTER_OP_ULE:
		return expr_or(p, expr_not(p, a), b);
	case MUSTER_OP_SLT:
		return expr_and(p, a, expr_not(p, b));
	case MUSTER_OP_SLE:
		return expr_or(p, a, expr_not(p, b));
	default:
		return EXPR_NONE;
	}
}

static int constant_goes_right(enum muster_op op)
{
	switch (op) {
	case MUSTER_OP_ADD:
	case MUSTER_OP_MUL:
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
	case MUSTER_OP_EQ:
	case MUSTER_OP_NE:
	case MUSTER_OP_SADDO:
	case MUSTER_OP_UADDO:
	case MUSTER_OP_SMULO:
	case MUSTER_OP_UMULO:
		return 1;
	default:
		return 0;
	}
}

/* Both constant and defined. */
static int fold(struct exprs *p, enum muster_op op, unsigned from, expr_t a, expr_t b, expr_t *r)
{
	unsigned width = op_table[op].shape == OP_TEST ? 1 : from;
	u128 x, y, v;
	if (!expr_is_const(p, a, &x) || !expr_is_const(p, b, &y) ||
	    op_apply(op, width, from, 0, x, y, 0, &v) != OP_OK)
		return 0;
	*r = expr_const(p, width, v);
	return 1;
}

expr_t expr_binary(struct exprs *p, enum muster_op op, expr_t a, expr_t b)
{
	unsigned width = expr_width(p, a);
	expr_t r;
	if (op >= MUSTER_OP_COUNT ||
	    (op_table[op].shape != OP_SAME && op_table[op].shape != OP_TEST) ||
	    width != expr_width(p, b))
		BUG("operator %u of widths %u and %u", op, width, expr_width(p, b));
	if (fold(p, op, width, a, b, &r))
		return r;
	if (constant_goes_right(op) && is_op(p, a, MUSTER_OP_CONST)) {
		expr_t swap = a;
		a = b;
		b = swap;
	}
	if (width == 1 && (r = one_bit(p, op, a, b)))
		return r;
	switch (op) {
	case MUSTER_OP_ADD:
		return add(p, width, a, b);
	case MUSTER_OP_SUB:
		return sub(p, width, a, b);
	case MUSTER_OP_MUL:
		return mul(p, width, a, b);
	case MUSTER_OP_UDIV:
	case MUSTER_OP_SDIV:
	case MUSTER_OP_UREM:
	case MUSTER_OP_SREM:
		return divide(p, op, width, a, b);
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
		return bitwise(p, op, width, a, b);
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR:
		return shift(p, op, width, a, b);
	case MUSTER_OP_EQ:
		return expr_rewrite_eq(p, a, b);
	case MUSTER_OP_NE:
		return expr_not(p, expr_rewrite_eq(p, a, b));
	case MUSTER_OP_ULT:
	case MUSTER_OP_ULE:
	case MUSTER_OP_SLT:
	case MUSTER_OP_SLE:
		return expr_rewrite_less(p, op, a, b);
	default:
		return overflow(p, op, width, a, b);
	}
}

expr_t expr_not(struct exprs *p, expr_t a)
{
	return expr_binary(p, MUSTER_OP_XOR, a, expr_true(p));
}

expr_t expr_and(struct exprs *p, expr_t a, expr_t b)
{
	return expr_binary(p, MUSTER_OP_AND, a, b);
}

expr_t expr_or(struct exprs *p, expr_t a, expr_t b)
{
	return expr_binary(p, MUSTER_OP_OR, a, b);
}

expr_t expr_eq(struct exprs *p, expr_t a, expr_t b)
{
	return expr_binary(p, MUSTER_OP_EQ, a, b);
}

expr_t expr_defined(struct exprs *p, expr_t e)
{
	struct expr_node n = *node(p, e);
	u128 least = ones(n.width) ^ ones(n.width - 1);
	expr_t zero, r;
	switch (n.op) {
	case MUSTER_OP_UDIV:
	case MUSTER_OP_UREM:
	case MUSTER_OP_SDIV:
	case MUSTER_OP_SREM:
		zero = expr_const(p, n.width, 0);
		r = expr_not(p, expr_eq(p, n.b, zero));
		if (n.op == MUSTER_OP_UDIV || n.op == MUSTER_OP_UREM)
			return r;
		e = expr_eq(p, n.b, expr_const(p, n.width, ~(u128)0));
		e = expr_and(p, e, expr_eq(p, n.a, expr_const(p, n.width, least)));
		return expr_and(p, r, expr_not(p, e));
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR:
		return expr_binary(p, MUSTER_OP_ULT, n.b, expr_const(p, n.width, n.width));
	case MUSTER_OP_READ: {
		uint64_t count = expr_data_count(p, n.b), bytes = n.width / 8u;
		if (bytes > count)
			return expr_false(p);
		return expr_binary(p, MUSTER_OP_ULE, n.a, expr_const(p, 64, count - bytes));
	}
	default:
		return expr_true(p);
	}
}
