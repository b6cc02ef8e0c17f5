/* search.c: local search: values of bytes one after another, then hill climbing.
 *
 * A goal over one byte is run over all values: those that satisfy it and the
 * constraints over that byte alone are tried in turn; if there are none the goal is
 * UNSAT, which is a proof (byteset.c). A goal over two bytes is enumerated where
 * few pairs are left; that no pair satisfies it is a proof as well.
 *
 * The rest is climbed: the distance of a comparison from its truth is how far its sides
 * are apart, that of the query the sum over the goal and the constraints that
 * fail. Moves change one variable that the goal contains. The number of terms valued is the limit,
 * not the clock, and the random numbers come from the seed: the same search gives the same answer.
 */
#include "base/limit.h"
#include "solve/ladder.h"
#include "expr/tape.h"

#include <math.h>
#include <string.h>

#define SEARCH_STEPS LIMIT(6000, 2) /* terms valued by local search | small: it comes before every SAT call */
#define PAIRS_MOST LIMIT(65536, 2) /* pairs of values of two bytes that are tried | all of them */
#define PAIR_WORK LIMIT(2000000, 2) /* terms valued for all pairs | 65,536 pairs of 30 terms */
#define PAIR_ROOTS LIMIT(64, 1) /* constraints of such a query | with PAIR_WORK: more have no time for all pairs */
#define CLIMB_VARS LIMIT(48, 1) /* variables that local search changes | each is tried in every round of SEARCH_STEPS */

/* ------------------------------------------------------------------- bytes */
static int is_byte(const struct solve_path *path, expr_t variable)
{
	return expr_width(path->pool, variable) == 8;
}

static int in_set(const uint64_t *set, unsigned value)
{
	return (int)(set[value / 64] >> value % 64 & 1);
}

/* All values of the only byte of the goal. */
static enum verdict one_byte(struct query *q, uint64_t stop)
{
	struct solve_path *path = q->path;
	expr_t variable = path->nodes[q->goal].home;
	const uint64_t *allowed;
	uint64_t set[4];
	int any = 0;

	if (byte_set(path, q->goal, set) < 0)
		return VERDICT_UNKNOWN;
	allowed = byte_allowed(path, variable);
	for (unsigned i = 0; i < 256; i++) {
		struct assignment a = {variable, i};

		if (!in_set(set, i) || !in_set(allowed, i))
			continue;
		any = 1;
		if (path->steps < stop && trial_assign(q, &a, 1))
			return VERDICT_SAT;
	}
	return any ? VERDICT_UNKNOWN : VERDICT_UNSAT;
}

struct pairs {
	struct query *q;
	struct tape tape;
	expr_t x, y;
	unsigned slot_x, slot_y;
	uint64_t stop;
	uint64_t hits;	/* pairs that satisfy the tape */
	unsigned count; /* in the batch */
	uint64_t slots[2 * TAPE_LANES];
	uint64_t out[(PAIR_ROOTS + 1) * TAPE_LANES];
};

/* Runs the batch; tries what satisfies all of the tape. */
static int flush_pairs(struct pairs *s)
{
	if (!s->count || !tape_run_batch(&s->tape, s->slots, s->out))
		return 0;
	for (unsigned i = 0; i < s->count; i++) {
		struct assignment a[2] = {{s->x, s->slots[s->slot_x * TAPE_LANES + i]},
					  {s->y, s->slots[s->slot_y * TAPE_LANES + i]}};
		int ok = 1;

		for (uint32_t r = 0; r < s->tape.root_count && ok; r++)
			ok = (int)s->out[r * TAPE_LANES + i];
		s->hits += (uint64_t)ok;
		if (ok && s->q->path->steps < s->stop && trial_assign(s->q, a, 2))
			return 1;
	}
	s->count = 0;
	return 0;
}

static int every_pair(struct pairs *s, const uint64_t *dx, const uint64_t *dy)
{
	for (unsigned x = 0; x < 256; x++) {
		for (unsigned y = 0; in_set(dx, x) && y < 256; y++) {
			if (!in_set(dy, y))
				continue;
			s->slots[s->slot_x * TAPE_LANES + s->count] = x;
			s->slots[s->slot_y * TAPE_LANES + s->count] = y;
			if (++s->count == TAPE_LANES && flush_pairs(s))
				return 1;
		}
	}
	return flush_pairs(s);
}

static unsigned set_size(const uint64_t *set)
{
	unsigned n = 0;

	for (int i = 0; i < 4; i++)
		n += (unsigned)__builtin_popcountll(set[i]);
	return n;
}

/* Goal, and the constraints over these two variables if the slice has no others. */
static void pair_roots(struct query *q, expr_vec *roots)
{
	size_t vars = 0;
	expr_vec slice = {0};

	vec_push(roots, q->goal);
	for (size_t i = 0; i < q->roots.size; i++)
		vars += q->path->slices.parts.data[q->roots.data[i]].vars;
	if (vars > 2 || q->constraints > PAIR_ROOTS)
		return;
	query_slice(q, &slice);
	for (size_t i = 0; i < slice.size; i++)
		if (q->path->nodes[slice.data[i]].vars == 2 && /* the others are in the sets */
		    expr_get(q->path->pool, slice.data[i])->height <= TAPE_HEIGHT)
			vec_push(roots, slice.data[i]);
	vec_release(&slice);
}

static enum verdict two_bytes(struct query *q, uint64_t stop)
{
	struct solve_path *path = q->path;
	struct pairs s = {.q = q, .stop = stop};
	uint64_t dx[4], dy[4], size;
	enum verdict v = VERDICT_UNKNOWN;
	expr_vec roots = {0};

	s.x = path->nodes[q->goal].home;
	s.y = path->nodes[q->goal].other;
	if (!is_byte(path, s.x) || !is_byte(path, s.y) ||
	    expr_get(path->pool, q->goal)->height > TAPE_HEIGHT)
		return VERDICT_UNKNOWN;
	memcpy(dx, byte_allowed(path, s.x), sizeof dx);
	memcpy(dy, byte_allowed(path, s.y), sizeof dy);
	size = (uint64_t)set_size(dx) * set_size(dy);
	if (size > PAIRS_MOST)
		return VERDICT_UNKNOWN;
	pair_roots(q, &roots);
	tape_init(&s.tape, path->pool, roots.data, (uint32_t)roots.size);
	if (s.tape.var_count == 2 && size * s.tape.regs <= PAIR_WORK) {
		uint64_t probe[2 * TAPE_LANES] = {0};

		s.slot_x = (unsigned)tape_slot(&s.tape, s.x);
		s.slot_y = (unsigned)tape_slot(&s.tape, s.y);
		if (tape_run_batch(&s.tape, probe, s.out)) {
			if (every_pair(&s, dx, dy))
				v = VERDICT_SAT;
			else if (!s.hits)
				v = VERDICT_UNSAT;
		}
	}
	tape_release(&s.tape);
	vec_release(&roots);
	return v;
}

/* --------------------------------------------------------------- distances */
static double apart(u128 x, u128 y)
{
	return x > y ? (double)(x - y) : (double)(y - x);
}

/* Bits that differ count as well as the difference: either may be what the program compares. */
static double unequal(u128 x, u128 y)
{
	u128 d = x ^ y;

	return log2(1 + apart(x, y)) + 0.25 * (__builtin_popcountll((uint64_t)d) +
					       __builtin_popcountll((uint64_t)(d >> 64)));
}

/* 0 if e has this truth in the trial, else how far it is from it. */
static double distance(const struct solve_path *path, expr_t e, int truth, int depth)
{
	struct expr_node n = *expr_get(path->pool, e);
	expr_t inner;
	u128 a, b;
	double x, y;

	if (trial_value(path, e) == (u128)truth)
		return 0;
	if (expr_is_not(path->pool, e, &inner))
		return distance(path, inner, !truth, depth);
	if (n.op == MUSTER_OP_AND || n.op == MUSTER_OP_OR) {
		if (depth > 24)
			return 1;
		x = distance(path, n.a, truth, depth + 1);
		y = distance(path, n.b, truth, depth + 1);
		return (n.op == MUSTER_OP_AND) == truth ? x + y : x < y ? x : y;
	}
	if (n.op != MUSTER_OP_EQ && n.op != MUSTER_OP_ULT && n.op != MUSTER_OP_ULE &&
	    n.op != MUSTER_OP_SLT && n.op != MUSTER_OP_SLE)
		return 1;
	a = trial_value(path, n.a);
	b = trial_value(path, n.b);
	if (n.op == MUSTER_OP_EQ)
		return truth ? 1 + unequal(a, b) : 1;
	if (n.op == MUSTER_OP_SLT || n.op == MUSTER_OP_SLE) { /* the order of the signed reading */
		u128 half = (u128)1 << (expr_width(path->pool, n.a) - 1);

		a ^= half;
		b ^= half;
	}
	return 1 + log2(1 + apart(a, b));
}

/* ---------------------------------------------------------------- climbing */
struct climb {
	struct query *q;
	expr_vec vars;
	assignment_vec at; /* parallel to vars */
	double best;
	uint64_t stop;
};

/* The distance at this point; 0 if it holds. */
static double climb_value(struct climb *c)
{
	struct solve_path *path = c->q->path;
	double sum;

	trial_begin(path);
	for (size_t i = 0; i < c->at.size; i++)
		trial_set(path, c->at.data[i].variable, c->at.data[i].value);
	if (trial_run(c->q, 1))
		return 0;
	sum = 2 * distance(path, c->q->goal, 1, 0);
	for (size_t i = 0; i < path->violated.size; i++)
		sum += distance(path, path->violated.data[i], 1, 0);
	return sum;
}

/* Takes the value if it is nearer. 1 if it is the end. */
static int climb_to(struct climb *c, size_t i, u128 value)
{
	u128 old = c->at.data[i].value;
	double d;

	c->at.data[i].value = op_mask(value, expr_width(c->q->path->pool, c->vars.data[i]));
	if (c->at.data[i].value == old)
		return 0;
	d = climb_value(c);
	if (d < c->best) {
		c->best = d;
		return d == 0;
	}
	c->at.data[i].value = old;
	return 0;
}

/* Steps that double as long as they help, in both directions; then single bits. */
static int climb_variable(struct climb *c, size_t i)
{
	unsigned width = expr_width(c->q->path->pool, c->vars.data[i]);

	for (int sign = -1; sign <= 1; sign += 2) {
		u128 step = 1;
		double before = c->best;

		while (c->q->path->steps < c->stop) {
			if (climb_to(c, i, c->at.data[i].value + (sign < 0 ? -step : step)))
				return 1;
			if (c->best >= before) {
				if (step == 1)
					break;
				step = 1;
				continue;
			}
			before = c->best;
			step *= 2;
		}
	}
	for (unsigned bit = 0; bit < width && c->q->path->steps < c->stop; bit++)
		if (climb_to(c, i, c->at.data[i].value ^ (u128)1 << bit))
			return 1;
	return 0;
}

/* Somewhere else: a few variables get other values. */
static void climb_jump(struct climb *c)
{
	struct solver *s = c->q->path->solver;

	for (size_t i = 0; i < c->at.size; i++) {
		uint64_t r = solver_random(s);
		expr_t e = c->vars.data[i];

		c->at.data[i].value = path_seed(c->q->path, e);
		if (r % c->at.size < 2)
			c->at.data[i].value = op_mask(r >> 32, expr_width(c->q->path->pool, e) < 32
								   ? expr_width(c->q->path->pool, e)
								   : 16);
	}
	c->best = climb_value(c);
}

static int climb_rounds(struct climb *c)
{
	c->best = climb_value(c);
	while (c->best > 0 && c->q->path->steps < c->stop) {
		double before = c->best;

		for (size_t i = 0; i < c->vars.size && c->q->path->steps < c->stop; i++)
			if (climb_variable(c, i))
				break;
		if (c->best > 0 && c->best >= before)
			climb_jump(c);
	}
	if (c->best > 0)
		return 0;
	return climb_value(c) == 0;
}

static enum verdict climb(struct query *q, uint64_t stop)
{
	struct climb c = {.q = q, .stop = stop};
	enum verdict v = VERDICT_UNKNOWN;

	query_vars(q, CLIMB_VARS, &c.vars);
	for (size_t i = 0; i < c.vars.size; i++)
		vec_push(&c.at,
			 (struct assignment){c.vars.data[i], path_seed(q->path, c.vars.data[i])});
	if (c.vars.size && climb_rounds(&c)) {
		trial_take(q);
		v = VERDICT_SAT;
	}
	vec_release(&c.vars);
	vec_release(&c.at);
	return v;
}

enum verdict rung_search(struct query *q)
{
	const struct solve_options *o = &q->path->solver->o;
	uint64_t stop = q->path->steps + (o->search_steps ? o->search_steps : SEARCH_STEPS);
	const struct node *n = &q->path->nodes[q->goal];
	enum verdict v = VERDICT_UNKNOWN;

	if (o->no_search)
		return VERDICT_UNKNOWN;
	if (n->vars == 1)
		v = one_byte(q, stop);
	else if (n->vars == 2)
		v = two_bytes(q, stop);
	if (v != VERDICT_UNKNOWN)
		return v;
	return climb(q, stop);
}
