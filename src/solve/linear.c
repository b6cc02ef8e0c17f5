/* linear.c: sums of input bytes with factors, made equal to a value.
 *
 * Numbers that a program reads digit by digit, checksums that add, hashes of the kind
 * h = 31 * h + c: their terms are sums of factor * byte. The goal left == right is read as such a
 * sum that must be 0 modulo 2^width. The bytes with the smallest factors are free
 * within the range that their own constraints leave, the others stay as in the
 * run; what is missing is handed out from the largest factor down, as much as fits each
 * time. That succeeds whenever the factors grow no faster than the ranges allow, as
 * the digits of a number do. The result is a guess, and trial.c evaluates it.
 */
#include "base/limit.h"
#include "solve/ladder.h"

#include <stdlib.h>

#define MOST_TERMS LIMIT(64, 1) /* summands looked at; what is left beyond is fixed | digits of a number, bytes of a checksum */
#define MOST_STEPS LIMIT(400, 2) /* terms walked for one linear form | six for each of MOST_TERMS */
#define WRAPS LIMIT(3, 1) /* times that the sum may pass 2^width | few summands wrap once or twice */

struct summand {
	expr_t variable;
	u128 factor;	/* not above half of 2^width */
	u128 low, high; /* of the byte; counted from high down, if falling */
	int falling;
	u128 value; /* the run's */
};
struct todo {
	expr_t term;
	u128 factor;
};
struct linear {
	struct solve_path *path;
	unsigned width;
	VEC(struct summand) sum;
	VEC(struct todo) todo;
	u128 fixed; /* value of all that is no summand */
};

static void want(struct linear *l, expr_t e, u128 factor)
{
	vec_push(&l->todo, (struct todo){e, op_mask(factor, l->width)});
}

/* The range of a byte that its constraints leave. */
static void range_of(struct solve_path *path, struct summand *s)
{
	const uint64_t *set;

	s->low = 0;
	s->high = op_mask(~(u128)0, expr_width(path->pool, s->variable));
	if (s->high != 255)
		return;
	set = byte_allowed(path, s->variable);
	while (s->low < 255 && !(set[s->low / 64] >> s->low % 64 & 1))
		s->low++;
	while (s->high > 0 && !(set[s->high / 64] >> s->high % 64 & 1))
		s->high--;
}

static void add_variable(struct linear *l, expr_t e, u128 factor)
{
	struct summand s = {.variable = e, .factor = factor, .value = path_seed(l->path, e)};
	u128 minus = op_mask(-factor, l->width);

	for (size_t i = 0; i < l->sum.size; i++)
		if (l->sum.data[i].variable == e) { /* twice: not worth the trouble */
			l->fixed += factor * s.value;
			return;
		}
	range_of(l->path, &s);
	if (minus < factor) {
		s.factor = minus;
		s.falling = 1;
	}
	vec_push(&l->sum, s);
}

/* One term of the sum: taken apart, a summand, or fixed. */
static void take_apart(struct linear *l, struct todo t)
{
	const struct exprs *p = l->path->pool;
	struct expr_node n = *expr_get(p, t.term);
	u128 c;

	switch (n.op) {
	case MUSTER_OP_ADD:
		want(l, n.a, t.factor);
		want(l, n.b, t.factor);
		return;
	case MUSTER_OP_SUB:
		want(l, n.a, t.factor);
		want(l, n.b, -t.factor);
		return;
	case MUSTER_OP_MUL:
		if (expr_is_const(p, n.b, &c))
			want(l, n.a, t.factor * c);
		else if (expr_is_const(p, n.a, &c))
			want(l, n.b, t.factor * c);
		else
			break;
		return;
	case MUSTER_OP_SHL:
		if (!expr_is_const(p, n.b, &c) || c >= n.width)
			break;
		want(l, n.a, t.factor << c);
		return;
	case MUSTER_OP_ZEXT: /* what is below may wrap at its own width, so only leaves */
		if (l->path->nodes[n.a].home != n.a && expr_get(p, n.a)->op != MUSTER_OP_CONCAT)
			break;
		want(l, n.a, t.factor);
		return;
	case MUSTER_OP_CONCAT:
		want(l, n.b, t.factor);
		want(l, n.a, t.factor << expr_width(p, n.b));
		return;
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
	case EXPR_OP_NAMED:
		add_variable(l, t.term, t.factor);
		return;
	}
	l->fixed += t.factor * path_seed(l->path, t.term);
}

static void read_sum(struct linear *l)
{
	for (size_t i = 0; i < l->todo.size; i++) {
		struct todo t = l->todo.data[i];

		if (!t.factor)
			continue;
		if (i < MOST_STEPS && l->sum.size < MOST_TERMS && l->path->nodes[t.term].vars)
			take_apart(l, t);
		else
			l->fixed += t.factor * path_seed(l->path, t.term);
	}
}

/* Among equals the newest: fewer constraints stand on it. */
static int by_factor(const void *a, const void *b)
{
	const struct summand *x = a, *y = b;

	if (x->factor != y->factor)
		return x->factor < y->factor ? -1 : 1;
	return x->variable > y->variable ? -1 : x->variable < y->variable;
}

/* Hands out `missing` to the first `free` summands; 1 if nothing is left. */
static int hand_out(const struct linear *l, size_t free, u128 missing, assignment_vec *out)
{
	vec_clear(out);
	for (size_t i = free; i-- > 0;) {
		const struct summand *s = &l->sum.data[i];
		u128 take = missing / s->factor;

		if (take > s->high - s->low)
			take = s->high - s->low;
		missing -= take * s->factor;
		vec_push(out, (struct assignment){s->variable,
						  s->falling ? s->high - take : s->low + take});
	}
	return missing == 0;
}

/* With so many free summands. */
static int solve_sum(struct query *q, const struct linear *l, size_t free, assignment_vec *out)
{
	u128 missing = -l->fixed;

	for (size_t i = 0; i < l->sum.size; i++) {
		const struct summand *s = &l->sum.data[i];
		u128 start = i >= free ? s->value : s->falling ? s->high : s->low;

		missing -= (s->falling ? -s->factor : s->factor) * start;
	}
	missing = op_mask(missing, l->width);
	for (unsigned i = 0; i < WRAPS; i++) {
		if (hand_out(l, free, missing, out) && trial_assign(q, out->data, out->size))
			return 1;
		if (l->width > 64)
			return 0;
		missing += (u128)1 << l->width;
	}
	return 0;
}

enum verdict rung_linear(struct query *q)
{
	struct linear l = {.path = q->path};
	struct expr_node n = *expr_get(q->path->pool, q->goal);
	assignment_vec out = {0};
	enum verdict v = VERDICT_UNKNOWN;

	if (n.op != MUSTER_OP_EQ || q->path->nodes[q->goal].vars < 2)
		return v;
	l.width = expr_width(q->path->pool, n.a);
	want(&l, n.a, 1);
	want(&l, n.b, -(u128)1);
	read_sum(&l);
	if (l.sum.size > 1)
		qsort(l.sum.data, l.sum.size, sizeof *l.sum.data, by_factor);
	for (size_t free = 2; v == VERDICT_UNKNOWN && l.sum.size; free += free < 8 ? 2 : free) {
		int last = free >= l.sum.size;

		if (solve_sum(q, &l, last ? l.sum.size : free, &out))
			v = VERDICT_SAT;
		if (last)
			break;
	}
	vec_release(&l.sum);
	vec_release(&l.todo);
	vec_release(&out);
	return v;
}
