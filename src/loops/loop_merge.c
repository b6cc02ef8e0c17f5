/* loop_merge.c: what a function computes by decisions on input bytes, as terms over these bytes.
 *
 *	for (i = 0; i < 32; i++)
 *		if (a[i] == 'x')
 *			count++;
 *	if (count == 7) ...
 *
 * In a traced run the count is a plain number: no negation of one decision leads to 7. But the run
 * shows which bytes the decisions are about. So the run is followed first (merge_replay.c), which
 * tells for each load what it found, and then the same code is executed along all paths at once. The count is then a sum of 32 choices, and `count ==
 * 7` a question for the solver.
 *
 * How often a loop is unrolled: until its condition folds to false, else as often as in the run and a
 * number of times more, as long as what is loaded there is known to be the input. Terms of code, joins,
 * loops and calls are src/vc's.
 *
 * Nothing is claimed: what is not known is a variable, memory that changes in unknown ways is taken
 * not to, and the search runs what comes out. With everything known it is exact
 * (tests/unit/test_loop_merge.c compares it with real runs).
 */
#include "loops/merge_inside.h"

#include "base/hash.h"
#include "base/limit.h"

#include <stdlib.h>
#include <string.h>

#define ITERATIONS LIMIT(400, 2) /* iterations of one loop that are merged | terms grow with it */
#define DEPTH LIMIT(4, 1) /* calls above each other that are followed | helpers of helpers; deeper calls are leaves */
#define INSTRUCTIONS LIMIT(4000, 16) /* instructions of a function that is followed into | a fifteenth of MERGE_STEPS: some iterations of it fit */

/* ---------------------------------------------------------------- functions that are followed */

static void follow(struct merge *m, const struct code_function *f, unsigned depth)
{
	if (m->follow[f->number] || !f->defined || f->recursive || f->variadic || f->replaceable ||
	    f->instructions > INSTRUCTIONS || depth > DEPTH)
		return;
	for (uint32_t l = 0; l < f->loop_count; l++)
		if (f->loops[l].irreducible)
			return;
	m->follow[f->number] = 1;
	for (uint32_t i = 0; i < f->callee_count; i++)
		follow(m, &m->s.code->functions[f->callees[i]], depth + 1);
}

struct merge *merge_new(const struct merge_start *start)
{
	struct merge *m = mem_zalloc(sizeof *m);
	m->s = *start;
	m->pool = start->import->pool;
	m->follow = mem_zalloc(start->code->function_count);
	follow(m, start->f, 0);
	m->failed = !m->follow[start->f->number];
	return m;
}

void merge_free(struct merge *m)
{
	free(m->follow);
	vec_release(&m->leaves);
	vec_release(&m->case_list);
	vec_release(&m->unsure_before);
	struct map *maps[] = {&m->by_name, &m->by_address, &m->learned, &m->by_context,
			      &m->labels,  &m->forced,	   &m->visits,	&m->inputs,
			      &m->goals,   &m->ranges,	   &m->cases};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		map_release(maps[i]);
	free(m);
}

int merge_follows(const struct merge *m, const struct code_function *f)
{
	return m->follow[f->number];
}

uint64_t merge_behind(const struct merge *m)
{
	return m->at;
}

int merge_cut(const struct merge *m)
{
	return m->cut;
}

int merge_evaluate(struct merge *m, const struct vc_options *o, int *bound)
{
	struct vc *v = vc_new(m->pool, m->s.code, o);
	expr_t *values = mem_zalloc((m->s.f->value_count + 1) * sizeof *values);
	struct vc_outcome out;
	size_t count;
	m->epoch = 0;
	merge_enter(m, values);
	int r = vc_run_from(v, m->s.f, m->s.loop == CODE_NONE ? 0 : m->s.f->loops[m->s.loop].header, values, &out);
	const struct vc_end *ends = vc_ends(v, &count);
	for (size_t i = 0; i < count && bound; i++)
		*bound |= ends[i].kind == VC_BOUND;
	free(values);
	vc_free(v);
	return r;
}

/* ---------------------------------------------------------------- decisions */

/* What the decision is made on: by the code, or by the label where the code does not say; or its outcome in the run. */
static expr_t decide(struct merge *m, struct vc_point *at, expr_t c)
{
	uint64_t is;
	at->outcome = merge_passing(at->f, at->f->values[at->at].block);
	if (at->outcome != CODE_NONE || (c != EXPR_NONE && !merge_unknown(m, c)))
		return c;
	if (map_get(&m->labels, merge_decision(at), &is) && (c == EXPR_NONE || expr_width(m->pool, (expr_t)is) == expr_width(m->pool, c)))
		c = (expr_t)is;
	else if (map_get(&m->forced, merge_decision(at), &is))
		at->outcome = (uint32_t)(is - 1);
	m->unsure += at->outcome == CODE_NONE && c != EXPR_NONE && merge_unknown(m, c);
	return c;
}

static expr_t settle(void *ctx, struct vc_point *at, expr_t e)
{
	return at->decides ? decide(ctx, at, e) : merge_settle(ctx, at, e);
}

static void add_goal(void *ctx, const struct vc_point *at, uint32_t edge, expr_t taken)
{
	struct merge *m = ctx;
	uint64_t key = (uint64_t)at->f->number << 32 | edge, old = EXPR_NONE;
	expr_t goal = expr_and(m->pool, vc_point_guard(at), taken);
	if (goal == expr_false(m->pool))
		return;
	map_get(&m->goals, key, &old);
	map_set(&m->goals, key, old == EXPR_NONE ? goal : expr_or(m->pool, (expr_t)old, goal));
}

/* ---------------------------------------------------------------- loops */

static uint64_t iterations_of(const struct merge *m, const struct vc_loop *l)
{
	uint64_t n = 0;
	if (!map_get(&m->visits, hash_join(l->context, l->loop), &n))
		map_get(&m->visits, hash_join(l->f->number, l->loop), &n);
	return n;
}

static enum vc_loop_how unroll(void *ctx, struct vc_loop *l)
{
	const struct merge *m = ctx;
	uint64_t most = iterations_of(m, l) + m->extra;
	l->most = most > ITERATIONS ? ITERATIONS : most ? (unsigned)most : 1;
	return VC_LOOP_UNROLL;
}

/* An iteration that the run did not have counts if it is known what it looks at. */
static int is_sure(void *ctx, const struct vc_loop *l, unsigned k, int after)
{
	struct merge *m = ctx;
	if (!after) {
		vec_push(&m->unsure_before, m->unsure);
		return 1;
	}
	return vec_pop(&m->unsure_before) == m->unsure || k < iterations_of(m, l);
}

int merge_run(struct merge *m, unsigned extra, int cases)
{
	struct vc_options o = merge_options(m);
	o.settle = settle;
	o.edge = add_goal;
	o.loop = unroll;
	o.iteration = is_sure;
	m->extra = extra;
	m->by_cases = cases;
	map_clear(&m->ranges);
	map_clear(&m->cases);
	vec_clear(&m->case_list);
	m->cut = 0;
	map_clear(&m->goals);
	return merge_evaluate(m, &o, &m->cut);
}

expr_t merge_goal(const struct merge *m, const struct code_function *f, uint32_t edge)
{
	uint64_t goal;
	return map_get(&m->goals, (uint64_t)f->number << 32 | edge, &goal) ? (expr_t)goal
									   : EXPR_NONE;
}
