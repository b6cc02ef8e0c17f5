/* merge_narrow.c: counts as numbers of few bits (loop_merge.h).
 *
 * A count of 24 choices is a sum of 32 bits in the code, and has 5 bits. Each term has a range, by
 * its structure alone (so that it holds for all inputs); a term whose range needs few bits is
 * computed in these and extended. A solver decides questions about the result several times faster.
 */
#include "base/limit.h"
#include "loops/merge_inside.h"

#define SMALL 16 /* bits of terms that are left alone | few bits cost the solver little */
#define SPARE 4 /* bits that have to be saved | conversions are terms, too */
#define DEEPEST LIMIT(3, 1) /* operators above ranges that exist already | ranges are made bottom up: one operator is usual */
#define FARTHEST ((int64_t)1 << 30)

struct range {
	int32_t low, high;
};

static uint64_t pack(struct range r)
{
	return (uint64_t)(uint32_t)r.low << 32 | (uint32_t)r.high;
}

static int make(int64_t low, int64_t high, struct range *out)
{
	if (low < -FARTHEST || high > FARTHEST || low > high)
		return 0;
	*out = (struct range){(int32_t)low, (int32_t)high};
	return 1;
}

static int by_width(unsigned width, int is_signed, struct range *out)
{
	if (width > SMALL)
		return 0;
	int64_t half = (int64_t)1 << (width - 1);
	return is_signed ? make(-half, half - 1, out) : make(0, 2 * half - 1, out);
}

/* As a signed number. 1: it has one. */
static int range_of(struct merge *m, expr_t e, unsigned depth, struct range *out)
{
	const struct expr_node n = *expr_get(m->pool, e);
	struct range a, b;
	uint64_t known;
	u128 value;
	if (map_get(&m->ranges, e, &known)) {
		*out = (struct range){(int32_t)(known >> 32), (int32_t)known};
		return 1;
	}
	if (expr_is_const(m->pool, e, &value)) {
		if (n.width > 64)
			return 0;
		int64_t v = (int64_t)((uint64_t)value << (64 - n.width)) >> (64 - n.width);
		return make(v, v, out);
	}
	int two = depth && (n.op == MUSTER_OP_ADD || n.op == MUSTER_OP_SUB ||
			    n.op == MUSTER_OP_MUL || n.op == MUSTER_OP_ITE);
	expr_t left = n.op == MUSTER_OP_ITE ? n.b : n.a, right = n.op == MUSTER_OP_ITE ? n.c : n.b;
	if (n.op == MUSTER_OP_SEXT && depth)
		return range_of(m, n.a, depth - 1, out);
	if (n.op == MUSTER_OP_ZEXT && depth) {
		unsigned width = expr_width(m->pool, n.a);
		if (range_of(m, n.a, depth - 1, &a) && a.low >= 0) {
			*out = a;
			return 1;
		}
		return by_width(width, 0, out);
	}
	if (!two || n.width <= SMALL || !range_of(m, left, depth - 1, &a) ||
	    !range_of(m, right, depth - 1, &b))
		return by_width(n.width, 1, out);
	if (n.op == MUSTER_OP_ITE)
		return make(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, out);
	if (n.op == MUSTER_OP_ADD)
		return make((int64_t)a.low + b.low, (int64_t)a.high + b.high, out);
	if (n.op == MUSTER_OP_SUB)
		return make((int64_t)a.low - b.high, (int64_t)a.high - b.low, out);
	if (b.low != b.high || b.low < 0)
		return 0;
	return make((int64_t)a.low * b.low, (int64_t)a.high * b.low, out);
}

/* The low bits, computed from low bits only. */
static expr_t low_bits(struct exprs *p, expr_t e, unsigned width)
{
	const struct expr_node n = *expr_get(p, e);
	if (n.op == MUSTER_OP_ITE)
		return expr_ite(p, n.a, expr_extract(p, n.b, 0, width),
				expr_extract(p, n.c, 0, width));
	if (n.op == MUSTER_OP_ADD || n.op == MUSTER_OP_SUB || n.op == MUSTER_OP_MUL)
		return expr_binary(p, n.op, expr_extract(p, n.a, 0, width),
				   expr_extract(p, n.b, 0, width));
	return EXPR_NONE;
}

int merge_range(struct merge *m, expr_t e, int64_t *low, int64_t *high)
{
	struct range r;
	if (!range_of(m, e, DEEPEST, &r))
		return 0;
	*low = r.low;
	*high = r.high;
	return 1;
}

/* Is a comparison decided by the ranges of what it compares? 0, 1; -1: no. */
static int decided(struct merge *m, expr_t e)
{
	const struct expr_node n = *expr_get(m->pool, e);
	struct range a, b;
	u128 one;
	if (n.op == MUSTER_OP_XOR && n.width == 1 && expr_is_const(m->pool, n.b, &one) && one) {
		int opposite = decided(m, n.a);
		return opposite < 0 ? opposite : !opposite;
	}
	int less = n.op == MUSTER_OP_SLT || n.op == MUSTER_OP_ULT,
	    at_most = n.op == MUSTER_OP_SLE || n.op == MUSTER_OP_ULE;
	if ((!less && !at_most && n.op != MUSTER_OP_EQ) || !range_of(m, n.a, DEEPEST, &a) ||
	    !range_of(m, n.b, DEEPEST, &b))
		return -1;
	if ((n.op == MUSTER_OP_ULT || n.op == MUSTER_OP_ULE) && (a.low < 0 || b.low < 0))
		return -1;
	if (n.op == MUSTER_OP_EQ)
		return a.high < b.low || b.high < a.low ? 0 : -1;
	if (a.high < b.low || (at_most && a.high == b.low))
		return 1;
	return b.high < a.low || (less && b.high == a.low) ? 0 : -1;
}

expr_t merge_narrow(struct merge *m, expr_t e)
{
	unsigned width = expr_width(m->pool, e), bits = 1;
	struct range r;
	if (width == 1 && !expr_is_const(m->pool, e, NULL)) {
		int is = decided(m, e);
		return is < 0 ? merge_compare(m, e) : expr_const(m->pool, 1, (u128)is);
	}
	if (width > 64 || expr_is_const(m->pool, e, NULL) || map_get(&m->ranges, e, NULL))
		return e;
	merge_note_cases(m, e, e);
	if (width <= SMALL || !range_of(m, e, DEEPEST, &r))
		return e;
	while (((int64_t)1 << (bits - 1)) <= r.high || -((int64_t)1 << (bits - 1)) > r.low)
		bits++;
	expr_t low = bits + SPARE <= width ? low_bits(m->pool, e, bits) : EXPR_NONE;
	if (low != EXPR_NONE) {
		expr_t wide = e;
		e = expr_sext(m->pool, low, width);
		merge_note_cases(m, wide, e);
		merge_note_cases(m, wide, low);
		map_set(&m->ranges, low, pack(r));
	}
	map_set(&m->ranges, e, pack(r));
	return e;
}
