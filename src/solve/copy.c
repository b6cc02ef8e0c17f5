/* copy.c: the wanted value of a comparison is pushed down into the input.
 *
 * A comparison is satisfied by giving one of its sides a certain value: the other side's, or
 * one beside it. A value is pushed down through operators that can be inverted, with the other
 * operand kept as it is in the run, until it arrives at variables: what stands in the input as it
 * is compared (numbers in any byte order, parts, sums with constants, tables) is solved without any
 * search. A push has a mask: only these bits of the term are wanted, so that parts of a variable
 * can be wanted by different parts of the goal. The result is a guess, and trial.c evaluates it.
 * Choices (which side, which value) are made by a number that the rung counts up; a fuel bounds the
 * attempts within one.
 */
#include "base/limit.h"
#include "solve/ladder.h"

#define CHOICES LIMIT(12, 1) /* alternatives at ITEs and tables that are tried | each is a try of FUEL steps */
#define FUEL LIMIT(300, 2) /* steps of one try at copying values into the input, then the next rung is asked | small: it comes before every SAT call */
#define DEPTH LIMIT(400, 2) /* operators above each other; recursion depth | recursion depth: 400 frames */
#define TABLE_MOST LIMIT(4096, 2) /* bytes of a table that is searched for the value | bounds the search for one value */

struct wanted {
	expr_t variable;
	u128 value, mask;
};
struct push {
	struct solve_path *path;
	VEC(struct wanted) wanted;
	unsigned choice, fuel, depth;
};

static int push(struct push *s, expr_t e, u128 want, u128 mask);
static int push_truth(struct push *s, expr_t e, int truth);

static u128 ones(unsigned width)
{
	return op_mask(~(u128)0, width);
}

static int push_variable(struct push *s, expr_t e, u128 want, u128 mask)
{
	for (size_t i = 0; i < s->wanted.size; i++) {
		const struct wanted *w = &s->wanted.data[i];

		if (w->variable == e && (w->value ^ want) & w->mask & mask)
			return 0;
	}
	vec_push(&s->wanted, (struct wanted){e, want & mask, mask});
	return 1;
}

/* The inverse of an odd number modulo 2^128 (Newton: each step doubles the right bits). */
static u128 inverse(u128 odd)
{
	u128 x = odd;

	for (int i = 0; i < 7; i++)
		x *= 2 - odd * x;
	return x;
}

/* a * x == want for a term x and a value a: an x, if there is one. */
static int divide(u128 a, u128 want, unsigned width, u128 *x)
{
	unsigned twos = 0;

	if (!a)
		return 0;
	while (!(a >> twos & 1))
		twos++;
	if (op_mask(want, width) & ones(twos))
		return 0;
	*x = op_mask((want >> twos) * inverse(a >> twos), width - twos);
	return 1;
}

/* The operand x of `x op y` (or `y op x`, if !left) so that the value is want; y is fixed. */
static int invert(const struct solve_path *path, const struct expr_node *n, int left, u128 want,
		  u128 *x)
{
	u128 y = path_seed(path, left ? n->b : n->a), old = path_seed(path, left ? n->a : n->b);
	u128 product;

	switch (n->op) {
	case MUSTER_OP_ADD:
		*x = want - y;
		return 1;
	case MUSTER_OP_SUB:
		*x = left ? want + y : y - want;
		return 1;
	case MUSTER_OP_MUL:
		return divide(y, want, n->width, x);
	case MUSTER_OP_UDIV: /* the remainder stays */
		if (!left || !y)
			return 0;
		product = want * y;
		if (product / y != want || product + old % y > ones(n->width))
			return 0;
		*x = product + old % y;
		return 1;
	case MUSTER_OP_UREM:
		if (!left || want >= y)
			return 0;
		*x = old - old % y + want;
		if (*x > ones(n->width))
			*x = want;
		return 1;
	default:
		return 0;
	}
}

/* Bits move by a constant amount: which of x give which of the result. */
static int push_shift(struct push *s, const struct expr_node *n, u128 want, u128 mask)
{
	u128 amount = path_seed(s->path, n->b);
	unsigned k = (unsigned)amount;
	u128 gone, sign;

	if (amount >= n->width)
		return !(want & mask);
	switch (n->op) {
	case MUSTER_OP_SHL:
		return !(want & mask & ones(k)) && push(s, n->a, want >> k, mask >> k);
	case MUSTER_OP_LSHR:
		gone = ones(n->width) & ~(ones(n->width) >> k);
		return !(want & mask & gone) &&
		       push(s, n->a, want << k, op_mask((mask & ~gone) << k, n->width));
	default: /* ASHR: the copies of the sign must agree */
		gone = ones(n->width) & ~(ones(n->width) >> k);
		sign = (u128)1 << (n->width - 1 - k);
		if (mask & gone && (want & gone & mask) != (want & sign ? gone & mask : 0))
			return 0;
		if (mask & gone)
			mask |= sign;
		return push(s, n->a, want << k, op_mask((mask & ~gone) << k, n->width));
	}
}

static int push_bits(struct push *s, const struct expr_node *n, int left, u128 want, u128 mask)
{
	expr_t x = left ? n->a : n->b;
	u128 y = path_seed(s->path, left ? n->b : n->a);

	switch (n->op) {
	case MUSTER_OP_AND:
		return !(want & mask & ~y) && push(s, x, want, mask & y);
	case MUSTER_OP_OR:
		return !(~want & mask & y) && push(s, x, want, mask & ~y);
	default:
		return push(s, x, want ^ y, mask);
	}
}

/* An operator of two operands: one takes it all while the other stays as it is. Variables tried
 * first on the side that is less deep: it has fewer constraints behind it. */
static int push_binary(struct push *s, const struct expr_node *n, u128 want, u128 mask)
{
	int first = expr_get(s->path->pool, n->a)->height <= expr_get(s->path->pool, n->b)->height;
	size_t before = s->wanted.size;
	int bits = n->op == MUSTER_OP_AND || n->op == MUSTER_OP_OR || n->op == MUSTER_OP_XOR;

	for (int i = 0; i < 2; i++) {
		int left = first ^ i;
		expr_t side = left ? n->a : n->b;
		u128 x;

		if (!s->path->nodes[side].vars)
			continue;
		if (bits) {
			if (push_bits(s, n, left, want, mask))
				return 1;
		} else if (invert(s->path, n, left, want, &x) &&
			   push(s, side, op_mask(x, n->width), ones(n->width))) {
			return 1;
		}
		s->wanted.size = before;
	}
	return 0;
}

/* A sum that one operand cannot take: a zero-extended one goes to its end, the other takes the
 * rest. */
static int push_carry(struct push *s, const struct expr_node *n, u128 want)
{
	for (int left = 0; left < 2; left++) {
		expr_t small = left ? n->a : n->b, rest = left ? n->b : n->a;
		const struct expr_node *z = expr_get(s->path->pool, small);
		u128 top, now;
		size_t before = s->wanted.size;

		if (z->op != MUSTER_OP_ZEXT || !s->path->nodes[rest].vars ||
		    !s->path->nodes[small].vars)
			continue;
		top = ones(expr_width(s->path->pool, z->a));
		now = op_mask(path_seed(s->path, n->a) + path_seed(s->path, n->b), n->width);
		if (want < now)
			top = 0;
		if (push(s, z->a, top, ones(expr_width(s->path->pool, z->a))) &&
		    push(s, rest, op_mask(want - top, n->width), ones(n->width)))
			return 1;
		s->wanted.size = before;
	}
	return 0;
}

/* The place in the table, nearest to that of the run, where the value stands. */
static int push_read(struct push *s, const struct expr_node *n, u128 want, u128 mask)
{
	const struct exprs *p = s->path->pool;
	int data_first = expr_get(p, n->a)->op == MUSTER_OP_DATA;
	expr_t data = data_first ? n->a : n->b, at = data_first ? n->b : n->a;
	uint64_t count = expr_data_count(p, data), bytes = n->width / 8;

	if (count > TABLE_MOST || !s->path->nodes[at].vars)
		return 0;
	for (uint64_t i = 0; i + bytes <= count && s->fuel; i++) {
		u128 v = 0;
		size_t before = s->wanted.size;

		for (uint64_t k = 0; k < bytes; k++)
			v |= path_seed(s->path, expr_data_byte(p, data, i + k)) << (8 * k);
		if ((v ^ want) & mask)
			continue;
		if (push(s, at, i, ones(64)))
			return 1;
		s->wanted.size = before;
	}
	return 0;
}

static int push_ite(struct push *s, const struct expr_node *n, u128 want, u128 mask)
{
	int now = (int)path_seed(s->path, n->a);
	size_t before = s->wanted.size;

	for (int i = 0; i < 2; i++) {
		int side = now ^ i;
		expr_t branch = side ? n->b : n->c;
		int fits = !((path_seed(s->path, branch) ^ want) & mask);

		if ((!i || push_truth(s, n->a, side)) && (fits || push(s, branch, want, mask)))
			return 1;
		s->wanted.size = before;
	}
	return 0;
}

static u128 permute(unsigned op, u128 x, unsigned width)
{
	u128 out = 0;

	op_apply(op, width, width, 0, x, 0, 0, &out);
	return out;
}

static int push_resize(struct push *s, const struct expr_node *n, u128 want, u128 mask)
{
	unsigned from = expr_width(s->path->pool, n->a);
	u128 high = ones(n->width) & ~ones(from), sign = (u128)1 << (from - 1);

	if (n->op == MUSTER_OP_EXTRACT)
		return push(s, n->a, want << n->k, mask << n->k);
	if (n->op == MUSTER_OP_ZEXT)
		return !(want & mask & high) && push(s, n->a, want, mask & ones(from));
	if ((want & mask & high) != (want & sign ? mask & high : 0))
		return 0;
	return push(s, n->a, want & ones(from), mask & high ? (mask & ones(from)) | sign : mask);
}

static int push_operator(struct push *s, const struct expr_node *n, u128 want, u128 mask)
{
	unsigned low;

	switch (n->op) {
	case MUSTER_OP_EXTRACT:
	case MUSTER_OP_ZEXT:
	case MUSTER_OP_SEXT:
		return push_resize(s, n, want, mask);
	case MUSTER_OP_CONCAT:
		low = expr_width(s->path->pool, n->b);
		return push(s, n->b, want & ones(low), mask & ones(low)) &&
		       push(s, n->a, want >> low, mask >> low);
	case MUSTER_OP_BSWAP:
	case MUSTER_OP_BITREVERSE:
		return push(s, n->a, permute(n->op, want, n->width),
			    permute(n->op, mask, n->width));
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR:
		return push_shift(s, n, want, mask);
	case MUSTER_OP_READ:
		return push_read(s, n, want, mask);
	case MUSTER_OP_ITE:
		return push_ite(s, n, want, mask);
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
	case MUSTER_OP_MUL:
	case MUSTER_OP_UDIV:
	case MUSTER_OP_UREM:
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
		return push_binary(s, n, want, mask) ||
		       (n->op == MUSTER_OP_ADD && push_carry(s, n, want));
	default:
		return 0;
	}
}

static int is_arithmetic(unsigned op)
{
	return op == MUSTER_OP_ADD || op == MUSTER_OP_SUB || op == MUSTER_OP_MUL ||
	       op == MUSTER_OP_UDIV || op == MUSTER_OP_UREM;
}

static int is_comparison(unsigned op)
{
	return op == MUSTER_OP_EQ || op == MUSTER_OP_ULT || op == MUSTER_OP_ULE ||
	       op == MUSTER_OP_SLT || op == MUSTER_OP_SLE;
}

static int is_truth(const struct expr_node *n)
{
	return n->width == 1 && (is_comparison(n->op) || n->op == MUSTER_OP_AND ||
				 n->op == MUSTER_OP_OR || n->op == MUSTER_OP_XOR);
}

/* e gets these bits. 0: that does not work. */
static int push(struct push *s, expr_t e, u128 want, u128 mask)
{
	struct expr_node n = *expr_get(s->path->pool, e);
	u128 seed = path_seed(s->path, e);
	int ok;

	want &= mask;
	if (!mask)
		return 1;
	if (!s->path->nodes[e].vars)
		return !((seed ^ want) & mask);
	if (!s->fuel || s->depth >= DEPTH)
		return 0;
	s->fuel--;
	if (n.op == MUSTER_OP_INPUT || n.op == MUSTER_OP_LENGTH || n.op == EXPR_OP_NAMED)
		return push_variable(s, e, want, mask);
	if (is_arithmetic(n.op)) { /* is inverted whole */
		want |= seed & ~mask;
		mask = ones(n.width);
	}
	s->depth++;
	ok = is_truth(&n) ? push_truth(s, e, (int)want) : push_operator(s, &n, want, mask);
	s->depth--;
	return ok;
}

/* ------------------------------------------------------------- comparisons */
/* Values for the left side so that it is not equal, and so on; number k of them. 0: there is none.
 */
static int candidate(const struct expr_node *n, int left, int truth, unsigned k, unsigned width,
		     u128 other, u128 *want)
{
	u128 top = ones(width), half = (u128)1 << (width - 1);
	int is_signed = n->op == MUSTER_OP_SLT || n->op == MUSTER_OP_SLE;
	int equal = n->op == MUSTER_OP_ULE || n->op == MUSTER_OP_SLE;
	int less = left == truth;
	u128 least = is_signed ? half : 0, most = is_signed ? half - 1 : top;
	u128 end = less ? least : most, step = less ? top : 1;

	if (n->op == MUSTER_OP_EQ) {
		static const int near[] = {1, -1, 2, 16, 128};

		if (truth) {
			*want = other;
			return k == 0;
		}
		if (k > 5)
			return 0;
		*want = op_mask(k == 5 ? ~other : other + (u128)(s128)near[k], width);
		return 1;
	}
	if (!truth)
		equal = !equal;
	switch (k) {
	case 0: /* as near as possible */
		*want = equal ? other : op_mask(other + step, width);
		return equal || other != end;
	case 1: /* as far as possible */
		*want = end;
		return equal || other != end;
	case 2:
		*want = op_mask(other + step * 2, width);
		return other != end && op_mask(other + step, width) != end;
	case 3: /* between */
		*want = op_mask(end + op_mask(other - end, width) / 2, width);
		return other != end;
	default:
		return 0;
	}
}

static int push_compare(struct push *s, const struct expr_node *n, int truth)
{
	unsigned width = expr_width(s->path->pool, n->a);
	int left = !(s->choice & 1);
	expr_t side = left ? n->a : n->b, other = left ? n->b : n->a;
	u128 want;

	if (!s->path->nodes[side].vars ||
	    !candidate(n, left, truth, s->choice >> 1, width, path_seed(s->path, other), &want))
		return 0;
	return push(s, side, want, ones(width));
}

/* Both operands of a conjunction, or one of a disjunction. */
static int push_join(struct push *s, const struct expr_node *n, int truth)
{
	size_t before = s->wanted.size;

	if ((n->op == MUSTER_OP_AND) == truth)
		return (path_seed(s->path, n->a) == (u128)truth || push_truth(s, n->a, truth)) &&
		       (path_seed(s->path, n->b) == (u128)truth || push_truth(s, n->b, truth));
	if (push_truth(s, n->a, truth))
		return 1;
	s->wanted.size = before;
	return push_truth(s, n->b, truth);
}

static int push_truth(struct push *s, expr_t e, int truth)
{
	struct expr_node n = *expr_get(s->path->pool, e);
	expr_t inner;

	if (!s->path->nodes[e].vars)
		return path_seed(s->path, e) == (u128)truth;
	if (!s->fuel || s->depth >= DEPTH)
		return 0;
	s->fuel--;
	if (expr_is_not(s->path->pool, e, &inner))
		return push_truth(s, inner, !truth);
	if (is_comparison(n.op))
		return push_compare(s, &n, truth);
	switch (n.op) {
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
		return push_join(s, &n, truth);
	case MUSTER_OP_XOR: /* one of them changes */
		if (path_seed(s->path, e) == (u128)truth)
			return 1;
		return push_truth(s, n.a, !path_seed(s->path, n.a)) ||
		       push_truth(s, n.b, !path_seed(s->path, n.b));
	default:
		return push(s, e, (u128)truth, 1);
	}
}

/* What is wanted of each variable, the other bits as in the run, as a trial. */
static int try_wanted(struct query *q, const struct push *s)
{
	struct solve_path *path = q->path;

	trial_begin(path);
	for (size_t i = 0; i < s->wanted.size; i++) {
		expr_t e = s->wanted.data[i].variable;
		u128 value = path_seed(path, e);

		for (size_t k = i; k < s->wanted.size; k++) {
			const struct wanted *w = &s->wanted.data[k];

			if (w->variable == e)
				value = (value & ~w->mask) | w->value;
		}
		trial_set(path, e, value);
	}
	if (!path->changed.size || !trial_run(q, 0))
		return 0;
	trial_take(q);
	return 1;
}

enum verdict rung_copy(struct query *q)
{
	struct push s = {.path = q->path};
	enum verdict v = VERDICT_UNKNOWN;

	for (s.choice = 0; s.choice < CHOICES && v == VERDICT_UNKNOWN; s.choice++) {
		s.fuel = FUEL;
		s.depth = 0;
		vec_clear(&s.wanted);
		if (push_truth(&s, q->goal, 1) && try_wanted(q, &s))
			v = VERDICT_SAT;
	}
	vec_release(&s.wanted);
	return v;
}
