/* range.c: what a term can be at all, whatever the input: an interval of signed numbers.
 *
 * Sums of choices between small numbers stay small, however many there are: the count of calls that returned 1, which compositional search has by the thousand. That such a sum
 * does not overflow, or is not 40, needs no solver. The interval of a term follows from those of its operands, conditions of choices are not looked at; where a sum may leave its width the
 * interval is all of it. So a comparison that the intervals decide is decided for every input: an answer of UNSAT is a proof.
 *
 * Intervals are kept for the path, so that a chain of sums costs what its links do.
 */
#include "base/limit.h"
#include "solve/ladder.h"

#define DEEPEST LIMIT(2000, 2) /* operators that are gone down for one interval that is not known yet | recursion of 200 kB */

static struct solve_range whole(unsigned width)
{
	s128 half = (s128)1 << (width - 1);
	return (struct solve_range){-half, half - 1};
}

static int fits(struct solve_range r, unsigned width)
{
	struct solve_range w = whole(width);
	return r.low >= w.low && r.high <= w.high;
}

static struct solve_range within(s128 low, s128 high, unsigned width)
{
	struct solve_range r = {low, high};
	return fits(r, width) ? r : whole(width);
}

static struct solve_range range_of(struct solve_path *path, expr_t e, unsigned depth);

static struct solve_range sum_of(struct solve_range a, struct solve_range b, int minus)
{
	return minus ? (struct solve_range){a.low - b.high, a.high - b.low} : (struct solve_range){a.low + b.low, a.high + b.high};
}

static struct solve_range computed(struct solve_path *path, const struct expr_node *n, unsigned depth)
{
	struct solve_range a, b;

	switch (n->op) {
	case MUSTER_OP_ITE:
		a = range_of(path, n->b, depth);
		b = range_of(path, n->c, depth);
		return (struct solve_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
	case MUSTER_OP_SEXT:
		return range_of(path, n->a, depth);
	case MUSTER_OP_ZEXT:
		a = range_of(path, n->a, depth);
		if (a.low < 0)
			a = (struct solve_range){0, ((s128)1 << expr_width(path->pool, n->a)) - 1};
		return a;
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
		a = sum_of(range_of(path, n->a, depth), range_of(path, n->b, depth), n->op == MUSTER_OP_SUB);
		return within(a.low, a.high, n->width);
	case MUSTER_OP_EXTRACT:
		a = n->k ? whole(n->width) : range_of(path, n->a, depth);
		return within(a.low, a.high, n->width);
	case MUSTER_OP_AND:
		b = range_of(path, n->b, depth);
		return b.low >= 0 ? (struct solve_range){0, b.high} : whole(n->width);
	default:
		return whole(n->width);
	}
}

static struct solve_range range_of(struct solve_path *path, expr_t e, unsigned depth)
{
	const struct expr_node n = *expr_get(path->pool, e);
	uint64_t known;
	u128 value;

	if (expr_is_const(path->pool, e, &value)) {
		s128 v = op_signed(value, n.width);
		return (struct solve_range){v, v};
	}
	if (map_get(&path->range_at, e, &known))
		return path->ranges.data[known];
	if (!depth || n.width > 64)
		return whole(n.width > 64 ? 120 : n.width); /* not kept: of the wider ones nothing is said */
	struct solve_range r = computed(path, &n, depth - 1);
	map_set(&path->range_at, e, path->ranges.size);
	vec_push(&path->ranges, r);
	return r;
}

/* 1: it is true for every input, 0: for none, -1: not known. */
static int decided(struct solve_path *path, expr_t e)
{
	const struct expr_node n = *expr_get(path->pool, e);
	struct solve_range a, b;
	u128 one;

	if (expr_is_const(path->pool, e, &one))
		return (int)one;
	if (n.op == MUSTER_OP_XOR && n.width == 1 && expr_is_const(path->pool, n.b, &one) && one) {
		int opposite = decided(path, n.a);
		return opposite < 0 ? opposite : !opposite;
	}
	if ((n.op != MUSTER_OP_EQ && n.op != MUSTER_OP_SLT && n.op != MUSTER_OP_SLE && n.op != MUSTER_OP_ULT && n.op != MUSTER_OP_ULE && n.op != MUSTER_OP_SADDO && n.op != MUSTER_OP_SSUBO) ||
	    expr_width(path->pool, n.a) > 64)
		return -1;
	a = range_of(path, n.a, DEEPEST);
	b = range_of(path, n.b, DEEPEST);
	if (n.op == MUSTER_OP_SADDO || n.op == MUSTER_OP_SSUBO)
		return fits(sum_of(a, b, n.op == MUSTER_OP_SSUBO), expr_width(path->pool, n.a)) ? 0 : -1;
	if (n.op == MUSTER_OP_EQ)
		return a.high < b.low || b.high < a.low ? 0 : -1;
	if ((n.op == MUSTER_OP_ULT || n.op == MUSTER_OP_ULE) && (a.low < 0 || b.low < 0))
		return -1;
	int equal = n.op == MUSTER_OP_SLE || n.op == MUSTER_OP_ULE;
	if (a.high < b.low || (equal && a.high == b.low))
		return 1;
	return b.high < a.low || (!equal && b.high == a.low) ? 0 : -1;
}

int range_refutes(struct solve_path *path, expr_t goal)
{
	return decided(path, goal) == 0;
}
