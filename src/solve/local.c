/* local.c: what the path says already.
 *
 * Three stores, all exact: the constraints themselves (a flag on the term), goals that
 * were refuted (a path only grows, so they stay refuted), and for each term that is
 * compared with constants the unsigned and the signed range that the comparisons leave. A
 * goal outside of the range is refuted; x == 5 on the path answers x == 6 and x < 3.
 * Ranges come from constraints and from refuted goals' opposites only, so they hold for
 * every input of the path: an answer of UNSAT is a proof.
 */
#include "base/limit.h"
#include "solve/ladder.h"

/* term REL constant, or its opposite. */
struct atom {
	expr_t term;
	unsigned width;
	u128 low, high; /* what it says, as an unsigned range */
	s128 slow, shigh;
	int hole; /* instead: term is not low */
};

static u128 most(unsigned width)
{
	return op_mask(~(u128)0, width);
}

static s128 least_signed(unsigned width)
{
	return op_signed((u128)1 << (width - 1), width);
}

static s128 most_signed(unsigned width)
{
	return op_signed(most(width) >> 1, width);
}

/* less: term < c (or <= c, with equal); else term > c. */
static int unsigned_atom(struct atom *a, u128 c, int less, int equal)
{
	if (less) {
		if (!equal && !c)
			return 0;
		a->high = equal ? c : c - 1;
	} else {
		if (!equal && c == most(a->width))
			return 0;
		a->low = equal ? c : c + 1;
	}
	return 1;
}

static int signed_atom(struct atom *a, s128 c, int less, int equal)
{
	if (less) {
		if (!equal && c == least_signed(a->width))
			return 0;
		a->shigh = equal ? c : c - 1;
	} else {
		if (!equal && c == most_signed(a->width))
			return 0;
		a->slow = equal ? c : c + 1;
	}
	return 1;
}

/* Reads e as a comparison of a term with a constant. 0: it is none, or can never hold. */
static int atom_of(const struct exprs *p, expr_t e, struct atom *a)
{
	expr_t inner;
	int truth = 1, left, less, equal;
	const struct expr_node *n;
	u128 c;

	while (expr_is_not(p, e, &inner)) {
		e = inner;
		truth = !truth;
	}
	n = expr_get(p, e);
	if (n->op != MUSTER_OP_EQ && n->op != MUSTER_OP_ULT && n->op != MUSTER_OP_ULE &&
	    n->op != MUSTER_OP_SLT && n->op != MUSTER_OP_SLE)
		return 0;
	left = expr_is_const(p, n->b, &c);
	if (!left && !expr_is_const(p, n->a, &c))
		return 0;
	a->term = left ? n->a : n->b;
	a->width = expr_width(p, a->term);
	a->low = 0;
	a->high = most(a->width);
	a->slow = least_signed(a->width);
	a->shigh = most_signed(a->width);
	a->hole = 0;
	if (n->op == MUSTER_OP_EQ) {
		a->low = a->high = c;
		a->slow = a->shigh = op_signed(c, a->width);
		a->hole = !truth;
		return 1;
	}
	equal = n->op == MUSTER_OP_ULE || n->op == MUSTER_OP_SLE;
	less = left == truth; /* the opposite of t < c is c <= t */
	if (!truth)
		equal = !equal;
	if (n->op == MUSTER_OP_ULT || n->op == MUSTER_OP_ULE)
		return unsigned_atom(a, c, less, equal);
	return signed_atom(a, op_signed(c, a->width), less, equal);
}

static struct fact *fact_of(struct solve_path *path, const struct atom *a)
{
	uint64_t i;
	struct fact whole = {0, most(a->width), least_signed(a->width), most_signed(a->width)};

	if (map_get(&path->facts, a->term, &i))
		return &path->fact.data[i];
	map_set(&path->facts, a->term, path->fact.size);
	vec_push(&path->fact, whole);
	return &vec_last(&path->fact);
}

/* A range that does not cross the border between the halves is one in the other reading, too. */
static void exchange(struct fact *f, unsigned width)
{
	u128 half = (u128)1 << (width - 1);

	if ((f->low < half) == (f->high < half)) {
		s128 low = op_signed(f->low, width), high = op_signed(f->high, width);

		f->slow = low > f->slow ? low : f->slow;
		f->shigh = high < f->shigh ? high : f->shigh;
	}
	if ((f->slow < 0) == (f->shigh < 0)) {
		u128 low = op_mask((u128)f->slow, width), high = op_mask((u128)f->shigh, width);

		f->low = low > f->low ? low : f->low;
		f->high = high < f->high ? high : f->high;
	}
}

void local_learn(struct solve_path *path, expr_t e)
{
	struct atom a;
	struct fact *f;

	if (!atom_of(path->pool, e, &a))
		return;
	f = fact_of(path, &a);
	if (a.hole) {
		f->low += f->low == a.low;
		f->high -= f->high == a.low;
		f->slow += f->slow == a.slow;
		f->shigh -= f->shigh == a.slow;
	} else {
		f->low = a.low > f->low ? a.low : f->low;
		f->high = a.high < f->high ? a.high : f->high;
		f->slow = a.slow > f->slow ? a.slow : f->slow;
		f->shigh = a.shigh < f->shigh ? a.shigh : f->shigh;
	}
	exchange(f, a.width);
}

void local_refuted(struct solve_path *path, expr_t goal)
{
	map_set(&path->refuted, goal, 1);
	local_learn(path, expr_not(path->pool, goal));
}

static int outside(struct solve_path *path, expr_t goal)
{
	struct atom a;
	const struct fact *f;
	uint64_t i;

	if (!atom_of(path->pool, goal, &a) || !map_get(&path->facts, a.term, &i))
		return 0;
	f = &path->fact.data[i];
	if (a.hole)
		return f->low == a.low && f->high == a.low;
	return a.low > f->high || a.high < f->low || a.slow > f->shigh || a.shigh < f->slow;
}

/* Does the path say that e cannot hold? A conjunction cannot if one of its operands cannot, a disjunction if neither can; the terms below
 * e are valued. */
static int refuted(struct solve_path *path, expr_t e, unsigned depth)
{
	struct exprs *p = path->pool;
	const struct expr_node *n = expr_get(p, e);
	expr_t inner, a = n->a, b = n->b, opposite;
	unsigned op = n->op, width = n->width;

	if (map_get(&path->refuted, e, NULL) || outside(path, e) || (width == 1 && range_refutes(path, e)))
		return 1;
	opposite = expr_not(p, e);
	if (opposite < path->node_room && path->nodes[opposite].flags & NODE_CONSTRAINT)
		return 1;
	if (!depth || width != 1)
		return 0;
	if (expr_is_not(p, e, &inner)) { /* not (x or y) is neither; not (x and y) is either */
		n = expr_get(p, inner);
		if (n->op != MUSTER_OP_AND && n->op != MUSTER_OP_OR)
			return 0;
		op = n->op == MUSTER_OP_AND ? MUSTER_OP_OR : MUSTER_OP_AND;
		a = n->a, b = n->b;
		a = expr_not(p, a);
		b = expr_not(p, b);
	}
	if (op == MUSTER_OP_AND)
		return refuted(path, a, depth - 1) || refuted(path, b, depth - 1);
	return op == MUSTER_OP_OR && refuted(path, a, depth - 1) && refuted(path, b, depth - 1);
}

#define LOCAL_DEPTH LIMIT(6, 1) /* operators above each other in a goal that facts refute | time: facts are looked up at each level */

int solve_path_refutes(struct solve_path *path, expr_t goal)
{
	if (path_value(path, goal) < 0)
		return 0;
	if (!path->nodes[goal].vars)
		return !path_seed(path, goal);
	return refuted(path, goal, LOCAL_DEPTH);
}

enum verdict rung_local(struct query *q)
{
	struct solve_path *path = q->path;

	if (path->nodes[q->goal].flags & NODE_CONSTRAINT) {
		trial_begin(path);
		trial_take(q); /* the run's own input */
		return VERDICT_SAT;
	}
	return refuted(path, q->goal, LOCAL_DEPTH) ? VERDICT_UNSAT : VERDICT_UNKNOWN;
}
