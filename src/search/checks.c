/* checks.c: active checks: what another input on the path could break.
 *
 * A check that the run passed has a safe form, which held, and goals: the conditions that break it, each the business of one checker. The checks between
 * two other constraints of the path make a bundle (bundle.h); an input that breaks one is run like any other child, reported to the
 * caller, who confirms it, and explored further if it survives.
 *
 * What costs nothing is not asked: a goal that the path refutes as it stands (a null test before the access), or that the
 * bundle has already; a conversion whose result counts for nothing later (matter.c); one more condition for what many inputs break.
 * Whatever is not asked for lack of time or patience is a loss. What is refuted only because a value was fixed is guessed at, a few times.
 */
#include "search/bundle.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "search/inside.h"

#include <stdlib.h>

#define BUNDLE_GOALS LIMIT(32, 1) /* goals that one query asks about together; the formula grows with them | bounds one query */
#define BROKEN_UNIT LIMIT(32, 1) /* answers that break one bound of a function alone | more show the same bug */
#define BROKEN_PROGRAM LIMIT(8, 1) /* answers that break one check of a whole program, by checker | a quarter of a function's: a program has more checks */
#define TOLD LIMIT(8, 1) /* inputs that are reported for each check and checker | each costs a run of the san variant */
#define NEAR_BYTES 16 /* bytes around an object where sanitizers see every access | ASan's smallest redzone */
#define GUESSED LIMIT(2, 1) /* guesses for a check that fixed values rule out | guesses seldom hold */
#define GUESS_QUERIES LIMIT(16, 1) /* queries for one such guess | bounds the time of one guess */
#define CLOSER LIMIT(4, 1) /* queries for an input that breaks a bound less far than a run did | each is a query; some are enough to see how near */

struct checking {
	struct search *s;
	struct expansion *x;
	struct bundle bundle;
};

/* ------------------------------------------------------------------- goals */

/* The parts of a disjunction (or, `negated`, of a conjunction that is not to hold). 0: there are more than fit. */
static int split(struct exprs *p, expr_t e, int negated, expr_t *parts, unsigned *count)
{
	struct expr_node n = *expr_get(p, e);
	if (n.op == MUSTER_OP_XOR && n.width == 1 && n.b == expr_true(p))
		return split(p, n.a, !negated, parts, count);
	if (n.width == 1 && n.op == (negated ? MUSTER_OP_AND : MUSTER_OP_OR))
		return split(p, n.a, negated, parts, count) && split(p, n.b, negated, parts, count);
	if (*count == CHECK_PARTS)
		return 0;
	parts[(*count)++] = negated ? expr_not(p, e) : e;
	return 1;
}

unsigned checks_parts(struct exprs *p, expr_t goal, expr_t *parts)
{
	unsigned count = 0;
	if (split(p, goal, 0, parts, &count))
		return count;
	parts[0] = goal;
	return 1;
}

static expr_t negative(struct exprs *p, expr_t e)
{
	return expr_binary(p, MUSTER_OP_SLT, e, expr_const(p, expr_width(p, e), 0));
}

static expr_t positive(struct exprs *p, expr_t e)
{
	return expr_binary(p, MUSTER_OP_SLT, expr_const(p, expr_width(p, e), 0), e);
}

/* The first node below a condition, through negations and one-bit operators, that is one of these operators; 0: none. */
static uint32_t below(const struct trace *t, uint32_t label, enum muster_op first, enum muster_op last, unsigned depth)
{
	const struct muster_node *n = &t->nodes[label];
	if (!label || !depth)
		return 0;
	if (n->op >= first && n->op <= last)
		return label;
	if (n->width != 1 || op_table[n->op].arity < 1)
		return 0;
	uint32_t found = below(t, n->a, first, last, depth - 1);
	return found || op_table[n->op].arity < 2 ? found : below(t, n->b, first, last, depth - 1);
}

static expr_t operand(struct expansion *x, const struct muster_node *n, uint32_t label)
{
	return label ? import_label(&x->import, label) : expr_const(x->pool, trace_operand_width(&x->trace, n), n->k);
}

/* Under which condition does an overflow of this operation go down? EXPR_NONE: it is none. */
static expr_t overflow_down(struct expansion *x, uint32_t label)
{
	uint32_t at = below(&x->trace, label, MUSTER_OP_SADDO, MUSTER_OP_UMULO, 4);
	const struct muster_node *n = &x->trace.nodes[at];
	if (!at)
		return EXPR_NONE;
	expr_t a = operand(x, n, n->a), b = operand(x, n, n->b);
	switch (n->op) {
	case MUSTER_OP_SADDO:
		return negative(x->pool, b);
	case MUSTER_OP_SSUBO:
		return positive(x->pool, b);
	case MUSTER_OP_SMULO:
		return expr_binary(x->pool, MUSTER_OP_XOR, negative(x->pool, a), negative(x->pool, b));
	default:
		return EXPR_NONE;
	}
}

#define WIDENED LIMIT(64, 1) /* nodes looked at for a comparison in a wider type | conversions stand near what they widen */

/* Has a number a sign, to go by what widened it before it was compared? Where nothing did, bytes have none. */
static int has_sign(const struct trace *t, uint32_t index, uint32_t compared)
{
	for (uint32_t i = compared - 1; i > index && compared - i < WIDENED; i--)
		if (trace_is_node(t, i) && t->nodes[i].a == index && (t->nodes[i].op == MUSTER_OP_SEXT || t->nodes[i].op == MUSTER_OP_ZEXT))
			return t->nodes[i].op == MUSTER_OP_SEXT;
	return t->nodes[index].width > 8;
}

/* Under which condition is an index that leaves its object below it? It is compared as an unsigned number of 64 bits, index < size, or of
 * fewer, where that says the same: what it was before it was narrowed is then a guess. */
static expr_t index_down(struct expansion *x, uint32_t label, int *guessed)
{
	const struct trace *t = &x->trace;
	uint32_t at = below(t, label, MUSTER_OP_ULT, MUSTER_OP_ULE, 4), index = at ? t->nodes[at].a : 0;
	if (!index)
		return EXPR_NONE;
	*guessed = t->nodes[index].width < 64 && t->nodes[index].op != MUSTER_OP_SEXT;
	if (*guessed && !has_sign(t, index, at))
		return expr_false(x->pool);
	return negative(x->pool, import_label(&x->import, index));
}

/* Under which condition is the number that is converted too small? It is compared with what becomes of it. */
static expr_t convert_down(struct expansion *x, uint32_t label)
{
	const struct trace *t = &x->trace;
	uint32_t at = below(t, label, MUSTER_OP_EQ, MUSTER_OP_NE, 4);
	const struct muster_node *n = &t->nodes[at];
	if (!at || (n->a && t->nodes[n->a].width == 1)) { /* signs are compared */
		at = below(t, label, MUSTER_OP_SLT, MUSTER_OP_SLT, 5);
		n = &t->nodes[at];
		return at && n->a ? negative(x->pool, import_label(&x->import, n->a)) : EXPR_NONE;
	}
	uint32_t from = n->a && t->nodes[n->a].op != MUSTER_OP_SEXT && t->nodes[n->a].op != MUSTER_OP_ZEXT ? n->a : n->b;
	return from ? negative(x->pool, import_label(&x->import, from)) : EXPR_NONE;
}

struct goal {
	expr_t goal;
	uint32_t checker;
};

static int is_unequal(struct exprs *p, expr_t e)
{
	const struct expr_node *n = expr_get(p, e);
	return n->op == MUSTER_OP_XOR && n->width == 1 && n->b == expr_true(p) && expr_get(p, n->a)->op == MUSTER_OP_EQ;
}

/* One part of a check, by direction where its checker has two. Adds up to two goals. If one of the two is off and the direction is not
 * certain, the part as a whole is the other's: nothing that may be its own is left out. */
static unsigned by_direction(const struct search *s, struct expansion *x, const struct path_step *step, expr_t part, struct goal *out)
{
	checker_set on = checker_pair(step->checker) & s->o.checks;
	int guessed = 0;
	static const struct {
		uint32_t low, high;
	} pairs[] = {{MUSTER_CHECK_ARRAY_UNDER, MUSTER_CHECK_ARRAY_OVER},
		     {MUSTER_CHECK_INT_UNDER, MUSTER_CHECK_INT_OVER},
		     {MUSTER_CHECK_CONVERT_LOW, MUSTER_CHECK_CONVERT_HIGH}};
	expr_t down[] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
	out[0] = (struct goal){part, step->checker};
	if (step->checker == MUSTER_CHECK_NULL && step->kind != MUSTER_EV_BOUND && is_unequal(x->pool, part))
		out[0].checker = MUSTER_CHECK_OTHER; /* the same check looks at the alignment: low bits that are not 0 */
	for (unsigned i = 0; i < 3; i++) {
		if (step->checker != pairs[i].low && step->checker != pairs[i].high)
			continue;
		down[i] = i == 0   ? index_down(x, step->label, &guessed)
			  : i == 1 ? overflow_down(x, step->label)
				   : convert_down(x, step->label);
		if (!down[i] || guessed) {
			if (on && !(on & CHECKER_BIT(step->checker)) && (guessed || step->kind != MUSTER_EV_BOUND))
				out[0].checker = (uint32_t)__builtin_ctz(on);
			if (!down[i] || !(on & (on - 1)))
				return 1;
		}
		out[0] = (struct goal){expr_and(x->pool, part, down[i]), pairs[i].low};
		out[1] = (struct goal){expr_and(x->pool, part, expr_not(x->pool, down[i])), pairs[i].high};
		return 2;
	}
	return 1;
}

/* All conditions that break the check. */
static unsigned goals_of(struct search *s, struct expansion *x, const struct path_step *step, struct goal *out)
{
	expr_t parts[CHECK_PARTS];
	unsigned count = checks_parts(x->pool, path_goal(step, step->fails, &x->import, &s->sites), parts), goals = 0;
	for (unsigned i = 0; i < count; i++)
		goals += by_direction(s, x, step, parts[i], out + goals);
	return goals;
}

/* ----------------------------------------------------------------- patience */

static uint64_t check_key(const struct search *s, const struct path_step *step, uint32_t checker)
{
	int apart = !s->o.unit; /* a function's bounds count by instruction */
	return (uint64_t)step->site << 32 | (apart ? checker : 0);
}

static uint64_t count_of(const struct map *m, uint64_t key)
{
	uint64_t n = 0;
	map_get(m, key, &n);
	return n;
}

/* Did enough inputs break it? For a function alone every check of the compiler's is answered everywhere. */
static int broken_enough(const struct search *s, const struct path_step *step, uint32_t checker)
{
	uint64_t n = count_of(&s->checks.broken, check_key(s, step, checker));
	return s->o.unit ? step->kind == MUSTER_EV_BOUND && n >= BROKEN_UNIT : n >= BROKEN_PROGRAM;
}

static void count_broken(struct search *s, const struct path_step *step, uint32_t checker)
{
	uint64_t key = check_key(s, step, checker);
	map_set(&s->checks.broken, key, count_of(&s->checks.broken, key) + 1);
}

int checks_tell(struct search *s, const struct search_test *t, const struct path_step *step, uint32_t checker, int broken, int sent)
{
	const struct sites_decision *d = &s->sites.decisions.data[step->site];
	struct search_violation v = {checker, d->unit, d->index, broken, sent};
	uint64_t key = (uint64_t)step->site << 32 | checker, n = count_of(&s->checks.told, key);
	if (!s->h.violated || n >= TOLD)
		return 0;
	map_set(&s->checks.told, key, n + 1);
	return s->h.violated(s->h.ctx, t, &v);
}

int checks_tell_all(struct search *s, const struct search_test *t, const struct path *p, const struct path_step *except)
{
	for (size_t i = 0; s->h.violated && i < p->steps.size; i++) {
		const struct path_step *step = &p->steps.data[i];
		if (!path_broke(step) || (except && step->site == except->site))
			continue;
		checker_set on = checker_pair(step->checker) & s->o.checks; /* in which direction was not asked */
		uint32_t checker = on & CHECKER_BIT(step->checker) ? step->checker : (uint32_t)__builtin_ctz(on);
		if (checks_tell(s, t, step, checker, 1, 0))
			return -1;
	}
	return 0;
}

/* ------------------------------------------------------------------- bundle */

static int take(void *ctx, const struct solve_model *m)
{
	struct checking *c = ctx;
	return search_build_input(c->s, c->x, m);
}

static u128 value(void *ctx, expr_t variable)
{
	const struct checking *c = ctx;
	return search_value_in_child(c->s, c->x, variable);
}

static int stop(void *ctx)
{
	struct checking *c = ctx;
	return search_over_limit(c->s) || (c->s->h.pause && c->s->h.pause(c->s->h.ctx));
}

/* Is it a bound of accesses to an object? */
static int bounds_access(const struct path_step *step)
{
	if (step->kind != MUSTER_EV_BOUND)
		return 0;
	switch (step->checker) {
	case MUSTER_CHECK_ARRAY_UNDER:
	case MUSTER_CHECK_ARRAY_OVER:
	case MUSTER_CHECK_STACK:
	case MUSTER_CHECK_RANGE:
		return 1;
	default:
		return 0;
	}
}

/* Of a bound of accesses, a <= b: not broken by more than sanitizers look at. EXPR_NONE: it is none. */
static expr_t near(struct expansion *x, const struct path_step *step)
{
	const struct trace *t = &x->trace;
	uint32_t at = bounds_access(step) ? below(t, step->label, MUSTER_OP_ULT, MUSTER_OP_SLE, 4) : 0;
	const struct muster_node *n = &t->nodes[at];
	if (!at)
		return EXPR_NONE;
	expr_t a = operand(x, n, n->a), b = operand(x, n, n->b), slack = expr_const(x->pool, expr_width(x->pool, a), NEAR_BYTES);
	int is_signed = n->op == MUSTER_OP_SLT || n->op == MUSTER_OP_SLE;
	expr_t above = expr_binary(x->pool, is_signed ? MUSTER_OP_SLE : MUSTER_OP_ULE, a, expr_binary(x->pool, MUSTER_OP_ADD, b, slack));
	if (is_signed)
		return above;
	/* a negative one is large */
	expr_t below_zero = expr_binary(x->pool, MUSTER_OP_ULT, expr_binary(x->pool, MUSTER_OP_ADD, a, slack), slack);
	return expr_or(x->pool, above, below_zero);
}

/* Another input for the goal, with this as well. 1: s->now.input is one. */
static int take_better(struct checking *c, uint32_t goal, expr_t as)
{
	struct solve_model m = {0};
	int better = solve_path_query(c->x->strict, bundle_reach(&c->bundle, goal, as), &m) == VERDICT_SAT && take(c, &m);
	solve_model_release(&m);
	return better;
}

/* An input that shows the defect better, if there is one: an access not far from its object, which sanitizers see; with values that the caller
 * wishes for (search_options.taken). */
static void prefer(struct checking *c, uint32_t goal, const struct path_step *step)
{
	const struct bundle_goal *g = &c->bundle.goals.data[goal];
	expr_t plain = g->goal, wish = search_preferred(c->s, c->x, plain), close = near(c->x, step);
	if (close && take_better(c, goal, expr_and(c->x->pool, wish, close)))
		return;
	if (wish != plain)
		take_better(c, goal, wish);
}

static int found(void *ctx, struct bundle *b, uint32_t goal, const struct solve_model *m)
{
	struct checking *c = ctx;
	struct search *s = c->s;
	const struct bundle_goal *g = &b->goals.data[goal];
	const struct path_step *step = &s->now.parent.steps.data[b->steps.data[g->step].at];
	if (m->optimistic && s->o.unit && step->kind == MUSTER_EV_BOUND)
		return 0;
	if (!m->optimistic)
		prefer(c, goal, step);
	int r = search_run_breaking(s, c->x, step, g->checker, goal - b->steps.data[g->step].first, m->optimistic);
	if (r > 0 && m->optimistic && path_decides(step))
		r = search_steer(s, c->x, step, step->fails, g->checker);
	return r < 0 ? -1 : 0;
}

void checks_open(struct search *s, struct expansion *x)
{
	struct checking *c = mem_zalloc(sizeof *c);
	c->s = s;
	c->x = x;
	c->bundle = (struct bundle){.path = x->strict, .pool = x->pool, .how = (enum search_combine)s->o.combine,
				    .ctx = c, .take = take, .value = value, .found = found, .stop = stop};
	x->checking = c;
}

void checks_close(struct expansion *x)
{
	if (x->checking->bundle.goals.size) /* they count as asked, and nobody will */
		search_lose(x->checking->s, LOSS_UNCHECKED);
	bundle_release(&x->checking->bundle);
	free(x->checking);
	x->checking = NULL;
}

/* Something that was fixed rules the goal out: the path without it may not. Only a run can show it, and it has to be led there. 0, -1. */
static int guess(struct checking *c, size_t at, expr_t goal, uint32_t checker)
{
	struct search *s = c->s;
	const struct path_step *step = &s->now.parent.steps.data[at];
	uint64_t key = (uint64_t)step->site << 32 | checker, n = count_of(&s->checks.guessed, key);
	struct solve_model m = {0};
	int r = 0;
	if (s->o.unit || !s->now.parent.concretisations || s->o.solve.no_optimistic || n >= GUESSED * GUESS_QUERIES)
		return 0;
	struct solve_path *path = search_relaxed(s, c->x, at);
	if (solve_path_refutes(path, goal))
		return 0;
	if (solve_path_query(path, goal, &m) == VERDICT_SAT && take(c, &m)) {
		n += GUESS_QUERIES - 1;
		r = search_run_breaking(s, c->x, step, checker, 0, 1);
		if (r > 0)
			r = search_steer(s, c->x, step, step->fails, checker);
	}
	map_set(&s->checks.guessed, key, n + 1);
	solve_model_release(&m);
	return r < 0 ? -1 : 0;
}

int checks_want_closer(const struct search *s, const struct path_step *step)
{
	uint64_t key = (uint64_t)step->site << 32 | step->checker;
	return !s->o.unit && path_broke(step) && bounds_access(step) && count_of(&s->checks.closer, key) < CLOSER;
}

/* The run broke a bound by so much that no sanitizer may see it: another input on its path may break it less. */
int checks_ask_closer(struct search *s, struct expansion *x, size_t at)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	uint64_t key = (uint64_t)step->site << 32 | step->checker, n = count_of(&s->checks.closer, key);
	expr_t close = near(x, step);
	struct solve_model m = {0};
	int r = 0;
	if (!close || n >= CLOSER || expr_eval(x->pool, close, search_value_in_run, x) & 1)
		return 0;
	map_set(&s->checks.closer, key, n + 1);
	expr_t goal = expr_and(x->pool, path_goal(step, step->fails, &x->import, &s->sites), close);
	if (!search_foreign(x, goal) && solve_path_query(x->strict, goal, &m) == VERDICT_SAT && search_build_input(s, x, &m))
		r = search_run_breaking(s, x, step, step->checker, 0, 0);
	solve_model_release(&m);
	return r < 0 ? -1 : 0;
}

static int in_bundle(const struct bundle *b, expr_t goal)
{
	for (size_t i = 0; i < b->goals.size; i++)
		if (b->goals.data[i].goal == goal)
			return 1;
	return 0;
}

/* Is the goal one to ask for? */
static int worth_asking(struct checking *c, size_t at, const struct goal *g)
{
	struct search *s = c->s;
	const struct path_step *step = &s->now.parent.steps.data[at];
	if (!(s->o.checks & CHECKER_BIT(g->checker)))
		return 0;
	if (search_foreign(c->x, g->goal)) {
		search_lose(s, LOSS_FOREIGN);
		return 0;
	}
	if (!broken_enough(s, step, g->checker))
		return 1;
	search_lose(s, s->o.unit ? LOSS_BOUND : LOSS_UNCHECKED);
	return 0;
}

/* The goals of a step that has to be asked about join the bundle. 0, -1. */
static int add_goals(struct checking *c, size_t at, int *whole)
{
	struct search *s = c->s;
	const struct path_step *step = &s->now.parent.steps.data[at];
	struct goal goals[2 * CHECK_PARTS];
	unsigned count = goals_of(s, c->x, step, goals);
	*whole = 1;
	for (unsigned i = 0; i < count; i++) {
		struct goal *g = &goals[i];
		if (g->goal == expr_false(c->x->pool))
			continue;
		if (!worth_asking(c, at, g)) {
			*whole = 0;
			continue;
		}
		struct search_checker_stats *stats = &s->stats.checkers[g->checker];
		stats->injected++;
		if (!solve_path_refutes(c->x->strict, g->goal) && !in_bundle(&c->bundle, g->goal)) {
			bundle_goal(&c->bundle, g->goal, g->checker);
			continue;
		}
		stats->local++;
		if (guess(c, at, g->goal, g->checker))
			return -1;
	}
	return 0;
}

int checks_add(struct search *s, struct expansion *x, size_t at, int wanted)
{
	struct checking *c = x->checking;
	struct bundle *b = &c->bundle;
	const struct path_step *step = &s->now.parent.steps.data[at];
	expr_t safe = path_constraint(step, &x->import, &s->sites);
	int whole = 0;
	if (wanted) {
		double cost = search_cost(s);
		bundle_step(b, (uint32_t)at, safe, 0);
		if (add_goals(c, at, &whole))
			return -1;
		vec_last(&b->steps).whole = whole;
		s->checks.cost += search_cost(s) - cost;
	} else if (b->goals.size) {
		bundle_step(b, (uint32_t)at, safe, 0);
	}
	if (!b->goals.size) { /* nothing to ask: it joins the path at once */
		bundle_clear(b);
		return solve_path_add(x->strict, safe) < 0 ? CHECKS_DISAGREE : 0;
	}
	return b->goals.size >= BUNDLE_GOALS ? checks_ask(s, x) : 0;
}

/* What became of a goal. 0, -1. */
static int settle(struct checking *c, const struct bundle_goal *g)
{
	struct search *s = c->s;
	size_t at = c->bundle.steps.data[g->step].at;
	const struct path_step *step = &s->now.parent.steps.data[at];
	struct search_checker_stats *stats = &s->stats.checkers[g->checker];
	stats->asked += g->state != GOAL_LEFT;
	stats->solved += g->state == GOAL_FOUND;
	if (g->state == GOAL_FOUND || g->state == GOAL_UNKNOWN || g->state == GOAL_LARGE)
		count_broken(s, step, g->checker);
	switch (g->state) {
	case GOAL_FOUND:
		if (!s->o.unit)
			search_lose(s, LOSS_BOUND);
		return 0;
	case GOAL_REFUTED:
		return guess(c, at, g->goal, g->checker);
	case GOAL_UNKNOWN:
		search_lose(s, LOSS_UNKNOWN);
		return 0;
	case GOAL_LARGE:
		search_lose(s, LOSS_LARGE);
		return 0;
	default:
		search_lose(s, LOSS_UNCHECKED);
		return 0;
	}
}

/* Negations, by instruction and function, as those of other decisions are counted. */
static void count_flips(struct checking *c, double cost)
{
	struct search *s = c->s;
	const struct bundle *b = &c->bundle;
	uint32_t site = s->now.parent.steps.data[b->steps.data[b->goals.data[0].step].at].site;
	for (size_t i = 0; i < b->steps.size; i++) {
		const struct path_step *step = &s->now.parent.steps.data[b->steps.data[i].at];
		if (!b->steps.data[i].count || !path_decides(step))
			continue;
		s->stats.flips++;
		sites_flip(&s->sites, step->site);
	}
	s->sites.function_cost.data[s->sites.decisions.data[site].function] += cost;
	s->checks.cost += cost;
}

int checks_ask(struct search *s, struct expansion *x)
{
	struct checking *c = x->checking;
	struct bundle *b = &c->bundle;
	const struct solve_stats *solver = solver_stats(s->solver), before = *solver;
	double cost = search_cost(s);
	uint64_t calls = b->calls;
	if (!b->goals.size)
		return 0;
	int r = bundle_ask(b);
	s->stats.bundles++;
	s->stats.bundle_goals += b->goals.size;
	s->stats.bundle_calls += b->calls - calls;
	s->stats.check_path_constraints += solver->path_constraints - before.path_constraints;
	s->stats.check_slice_constraints += solver->slice_constraints - before.slice_constraints;
	s->stats.check_cached += solver->answered[SOLVE_CACHE] - before.answered[SOLVE_CACHE];
	for (size_t i = 0; i < b->goals.size && r >= 0; i++)
		if (settle(c, &b->goals.data[i]))
			r = -1;
	count_flips(c, search_cost(s) - cost);
	bundle_clear(b);
	if (r == BUNDLE_DISAGREES)
		return CHECKS_DISAGREE;
	return r < 0 ? -1 : search_paused(s);
}
