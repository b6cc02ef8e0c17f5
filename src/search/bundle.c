/* bundle.c: checks between two constraints of a path, asked for together.
 *
 * The disjunction is made from the last step to the first. With D the disjunction of what comes after a step: while all goals of the
 * step are open it is `goals or D`, which is the same as `goals or (safe and D)`; as soon as one is not, what passes the
 * step has to pass it: `open goals or (safe and D)`. So an input that satisfies the whole reaches an open goal at the first step that it
 * breaks, each query takes at least one goal out, and when there is no answer all goals that are left cannot be reached.
 */
#include "search/bundle.h"

#include "base/error.h"

void bundle_step(struct bundle *b, uint32_t at, expr_t safe, int whole)
{
	vec_push(&b->steps, (struct bundle_step){at, safe, (uint32_t)b->goals.size, 0, whole});
}

void bundle_goal(struct bundle *b, expr_t goal, uint32_t checker)
{
	vec_last(&b->steps).count++;
	vec_push(&b->goals, (struct bundle_goal){goal, checker, (uint32_t)b->steps.size - 1, GOAL_OPEN});
}

void bundle_clear(struct bundle *b)
{
	vec_clear(&b->steps);
	vec_clear(&b->goals);
}

void bundle_release(struct bundle *b)
{
	vec_release(&b->steps);
	vec_release(&b->goals);
}

/* Goals of the step that are open, as one; *all: every condition that breaks it is among them. */
static expr_t open_goals(struct bundle *b, const struct bundle_step *s, int *all)
{
	expr_t e = expr_false(b->pool);
	*all = s->whole;
	for (uint32_t i = s->count; i-- > 0;) {
		const struct bundle_goal *g = &b->goals.data[s->first + i];
		if (g->state == GOAL_OPEN)
			e = expr_or(b->pool, g->goal, e);
		else
			*all = 0;
	}
	return e;
}

static expr_t disjunction(struct bundle *b)
{
	expr_t behind = expr_false(b->pool);
	for (size_t i = b->steps.size; i-- > 0;) {
		const struct bundle_step *s = &b->steps.data[i];
		int all;
		expr_t open = open_goals(b, s, &all);
		if (!all && behind != expr_false(b->pool))
			behind = expr_and(b->pool, s->safe, behind);
		behind = expr_or(b->pool, open, behind);
	}
	return behind;
}

expr_t bundle_reach(struct bundle *b, uint32_t goal, expr_t as)
{
	for (size_t i = b->goals.data[goal].step; i-- > 0;)
		as = expr_and(b->pool, b->steps.data[i].safe, as);
	return as;
}

static int holds(const struct bundle *b, expr_t e)
{
	return expr_eval(b->pool, e, b->value, b->ctx) != 0;
}

/* The goals that the input reaches are found: those of the steps up to the first whose safe form does not hold. The first of them, or
 * UINT32_MAX. */
static uint32_t mark_found(struct bundle *b)
{
	uint32_t first = UINT32_MAX;
	for (size_t i = 0; i < b->steps.size; i++) {
		const struct bundle_step *s = &b->steps.data[i];
		for (uint32_t j = s->first; j < s->first + s->count; j++)
			if (b->goals.data[j].state == GOAL_OPEN && holds(b, b->goals.data[j].goal)) {
				b->goals.data[j].state = GOAL_FOUND;
				first = first == UINT32_MAX ? j : first;
			}
		if (!holds(b, s->safe))
			break;
	}
	return first;
}

static uint32_t open_count(const struct bundle *b)
{
	uint32_t n = 0;
	for (size_t i = 0; i < b->goals.size; i++)
		n += b->goals.data[i].state == GOAL_OPEN;
	return n;
}

static void close_all(struct bundle *b, enum goal_state state)
{
	for (size_t i = 0; i < b->goals.size; i++)
		if (b->goals.data[i].state == GOAL_OPEN)
			b->goals.data[i].state = state;
}

/* One goal by itself, on a path that has the safe forms of the steps before it. */
static int ask_one(struct bundle *b, uint32_t number)
{
	struct bundle_goal *g = &b->goals.data[number];
	struct solve_model m = {0};
	int r = 0;
	b->calls++;
	enum verdict v = solve_path_query(b->path, g->goal, &m);
	if (v == VERDICT_UNSAT) {
		g->state = GOAL_REFUTED;
	} else if (v == VERDICT_UNKNOWN) {
		g->state = GOAL_UNKNOWN;
		if (m.optimistic && b->take(b->ctx, &m))
			r = b->found(b->ctx, b, number, &m);
	} else if (!b->take(b->ctx, &m)) {
		g->state = GOAL_LARGE;
	} else {
		g->state = GOAL_FOUND;
		r = b->found(b->ctx, b, number, &m);
	}
	solve_model_release(&m);
	return r;
}

static int add_safe(struct bundle *b, const struct bundle_step *s)
{
	return solve_path_add(b->path, s->safe) < 0 ? BUNDLE_DISAGREES : 0;
}

static int ask_each(struct bundle *b)
{
	int r = 0;
	for (size_t i = 0; i < b->steps.size && !r; i++) {
		const struct bundle_step s = b->steps.data[i];
		if (s.count && b->stop && b->stop(b->ctx))
			close_all(b, GOAL_LEFT);
		for (uint32_t j = s.first; j < s.first + s.count && !r; j++)
			if (b->goals.data[j].state == GOAL_OPEN)
				r = ask_one(b, j);
		if (!r)
			r = add_safe(b, &s);
	}
	return r;
}

/* One query for all that are open. *more: something was found, and others are still open. */
static int ask_any(struct bundle *b, int *more)
{
	struct solve_model m = {0};
	uint32_t first;
	int r = 0;
	*more = 0;
	b->calls++;
	enum verdict v = solve_path_query(b->path, disjunction(b), &m);
	if (v == VERDICT_UNSAT) {
		close_all(b, GOAL_REFUTED);
	} else if (v == VERDICT_UNKNOWN || !b->take(b->ctx, &m) || (first = mark_found(b)) == UINT32_MAX) {
		r = ask_each(b);
	} else {
		r = b->found(b->ctx, b, first, &m);
		*more = !r && open_count(b);
	}
	solve_model_release(&m);
	return r;
}

int bundle_ask(struct bundle *b)
{
	int r = 0, more = open_count(b) > 0;
	if (b->how == COMBINE_NAIVE || open_count(b) == 1)
		return ask_each(b);
	while (more && !r) {
		r = open_count(b) == 1 ? ask_each(b) : ask_any(b, &more);
		more = more && open_count(b);
		if (more && b->how == COMBINE_WEAK) {
			close_all(b, GOAL_LEFT);
			more = 0;
		}
	}
	for (size_t i = 0; i < b->steps.size && !r; i++)
		r = add_safe(b, &b->steps.data[i]);
	return r;
}
