/* loops.c: outcomes in and after loops that no negation reaches, asked for by invariants.
 *
 * A branch on a count (how often a loop ran) depends on the input, but not by its terms: the count is concrete. What the abstract
 * interpreter knows about the branch, in terms of what the loop (or the function) was entered with, does name the input, since a
 * traced run gives the labels of these values at the entry. So for each outcome that no test covers, whose branch was reached and
 * which lies after an entry of this run: the facts that must hold there, over these labels and the loops' counters, with the path up to
 * the entry as prefix, are a query. Its answer is run in the cov variant. Facts are necessary, not sufficient, so an answer may miss:
 * then the next one is asked for, first with the least number of iterations, then with the next count, then with counts and inputs
 * that grow (products of trip counts are beyond linear facts). A bounded number for each outcome; another path has its own tries.
 *
 * Nothing here claims anything: a hint that is wrong costs a run. What fails (bitcode that cannot be read, an analysis without a result)
 * gives no hint.
 */
#include "search/loops.h"

#include "absint/absint.h"
#include "absint/callee.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "ir/entry.h"
#include "loops/codes.h"
#include "loops/loop_goal.h"
#include "search/loop_target.h"
#include "search/merges.h"
#include "search/hint_budget.h"

#include <stdlib.h>
#include <string.h>

#define EDGES LIMIT(8, 1) /* edges to a case that are asked for by themselves | each is a query */
#define CASES LIMIT(4, 1) /* cases that are asked for by themselves | each is a query */
#define TRIES LIMIT(17, 2) /* inputs for one outcome from one entry | by hand (tries) */
#define TRIES_AT_ONCE LIMIT(3, 1) /* of them on one path | other outcomes have their turn */
#define MISSES_AT_ONCE LIMIT(24, 1) /* queries without an answer on one path | bounds the time of one path */
#define GUESS_SECONDS LIMIT(0.3, 0.001) /* seconds for the guesses of one loop | by hand (share) */
#define ANALYSES LIMIT(1000, 2) /* analyses of functions in one search | bounds memory */
#define ANALYSIS_SECONDS 2 /* seconds for the analysis of one function | by hand (share) */
#define ANALYSIS_WORK 0.02 /* what an analysis counts for in repeatable mode | by hand (weight) */
#define MORE 2.5 /* times the time that an analysis had, for another one | by hand (share) */
#define START 0.2 /* seconds for hints that the search of a program begins with | by hand (share) */
#define SHARE 0.1 /* part of its time that hints get, at most (hint_budget.h) | by hand (share) */
#define UNIT_START 0.5 /* the same for a function | by hand (share) */
#define UNIT_SHARE 0.2 /* the same for a function | by hand (share) */
#define AT_ONCE 0.25 /* seconds, or work, after which others have their turn | a frame of progress */
#define SLOW 0.05 /* seconds of a run that is not traced | by hand (share) */
#define RUN_LONGEST 30.0 /* seconds of one run for an outcome after a loop | by hand (share) */
#define HASTY_LONGEST 0.5 /* the same while the analysis was cut short | an answer of a weak analysis is seldom worth more */
#define ITERATION 1.5e-8 /* seconds of one iteration, guessed high | two counters, on a machine that is shared */

/* An outcome of a decision of the function. */
struct target {
	uint32_t block, outcome;
	uint32_t site; /* in s->sites */
	uint8_t tries, known, dead;
	uint8_t guessed; /* what is proved about guesses joins the question */
	uint64_t last; /* iterations of the last answer */
	uint32_t answered; /* cases, as bits */
	size_t newest;	   /* of them */
	struct loop_known needs;
};

struct place {
	const struct code_function *f;
	struct entry entry;
	const uint32_t *values, *loads; /* ids: what came in; what the loop loads first */
	struct absint *a;
	int analysed; /* or given up */
	double limit; /* seconds that the analysis had */
	int listed;
	VEC(struct target) targets;
};

struct loop_unit {
	const struct code *code;
	struct callees *callees; /* made with the first analysis */
	struct entries entries;
	struct map by_ordinal; /* to place, + 1 */
	VEC(struct place) places;
};

struct loops {
	struct codes *codes;
	struct merges *merges;
	struct guesses *guesses;
	struct map by_unit; /* to place in units, + 1 */
	VEC(struct loop_unit *) units;
	unsigned analyses;
	struct hint_budget budget; /* for analyses and questions */
};

struct loops *loops_new(const char *program)
{
	struct loops *l = mem_zalloc(sizeof *l);
	l->codes = codes_new(program);
	l->merges = merges_new(l->codes);
	l->guesses = guesses_new();
	return l;
}

static void forget_target(struct target *t)
{
	if (t->known)
		loop_known_release(&t->needs);
}

void loops_free(struct loops *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->units.size; i++) {
		struct loop_unit *u = l->units.data[i];
		for (size_t k = 0; k < u->places.size; k++) {
			struct place *p = &u->places.data[k];
			for (size_t n = 0; n < p->targets.size; n++)
				forget_target(&p->targets.data[n]);
			vec_release(&p->targets);
			if (p->a)
				absint_free(p->a);
		}
		vec_release(&u->places);
		callees_free(u->callees);
		entries_release(&u->entries);
		map_release(&u->by_ordinal);
		free(u);
	}
	vec_release(&l->units);
	map_release(&l->by_unit);
	merges_free(l->merges);
	guesses_free(l->guesses);
	codes_free(l->codes);
	free(l);
}

static void ask_again(struct target *t)
{
	t->tries = 0;
	t->last = 0;
	t->answered = 0;
}

void loops_restart(struct loops *l)
{
	for (size_t i = 0; l && i < l->units.size; i++)
		for (size_t k = 0; k < l->units.data[i]->places.size; k++) {
			struct place *p = &l->units.data[i]->places.data[k];
			for (size_t n = 0; n < p->targets.size; n++)
				ask_again(&p->targets.data[n]);
		}
	if (l)
		merges_restart(l->merges);
}

/* ---------------------------------------------------------------- places */

static struct loop_unit *unit_of(struct loops *l, uint32_t id)
{
	uint64_t at = 0;
	if (map_get(&l->by_unit, id, &at))
		return l->units.data[at - 1];
	struct loop_unit *u = mem_zalloc(sizeof *u);
	u->code = codes_find(l->codes, id);
	if (u->code)
		entries_find(&u->entries, u->code);
	for (size_t i = 0; i < u->entries.list.size; i++) {
		struct place p = {.entry = u->entries.list.data[i]};
		p.f = &u->code->functions[p.entry.function];
		p.values = vec_from(&u->entries.values, p.entry.first);
		p.loads = vec_from(&u->entries.loads, p.entry.first_load);
		vec_push(&u->places, p);
		map_set(&u->by_ordinal, p.entry.ordinal, u->places.size);
	}
	vec_push(&l->units, u);
	map_set(&l->by_unit, id, l->units.size);
	return u;
}

static struct place *place_of(struct loops *l, uint32_t unit, uint32_t ordinal)
{
	struct loop_unit *u = unit_of(l, unit);
	uint64_t at = 0;
	return map_get(&u->by_ordinal, ordinal, &at) ? &u->places.data[at - 1] : NULL;
}

/* Blocks that a loop, or a call of something with a loop, may have run before; of a loop's entry: those that are reached from it. */
static uint8_t *behind_loops(const struct place *p, const struct loop_unit *u)
{
	const struct code_function *f = p->f;
	uint8_t *seen = mem_zalloc(f->block_count ? f->block_count : 1);
	VEC(uint32_t) work = {0};
	for (uint32_t i = 0; i < f->loop_count; i++)
		if (p->entry.loop == CODE_NONE || p->entry.loop == i)
			vec_push(&work, f->loops[i].header);
	for (uint32_t b = 0; b < f->block_count && p->entry.loop == CODE_NONE; b++)
		for (uint32_t v = f->blocks[b].first; v < f->blocks[b].first + f->blocks[b].count; v++)
			if (f->values[v].op == CODE_CALL && f->values[v].target != CODE_NONE && u->entries.looping.data[f->values[v].target])
				vec_push(&work, b);
	while (work.size) {
		uint32_t b = vec_pop(&work);
		if (seen[b])
			continue;
		seen[b] = 1;
		for (uint32_t k = 0; k < f->blocks[b].edges; k++)
			vec_push(&work, f->edges[f->blocks[b].first_edge + k].to);
	}
	vec_release(&work);
	return seen;
}

static void list_targets(struct search *s, struct place *p, const struct loop_unit *u)
{
	const struct code_function *f = p->f;
	uint8_t *behind = behind_loops(p, u);
	p->listed = 1;
	for (uint32_t b = 0; b < f->block_count; b++) {
		uint32_t site = behind[b] ? loop_target_site(s, f, b) : SITES_NOWHERE;
		for (uint32_t k = 0; site != SITES_NOWHERE && k < f->blocks[b].edges; k++)
			vec_push(&p->targets, (struct target){.block = b, .outcome = k, .site = site});
	}
	free(behind);
}

/* Seconds that the search may still have here: a function of a thousand blocks takes longer to analyse than to test. */
static double allowance(struct search *s)
{
	return s->o.unit ? hint_budget_left(&s->next.loops->budget, s, UNIT_START, UNIT_SHARE) : hint_budget_left(&s->next.loops->budget, s, START, SHARE);
}

/* Would an analysis with more time say more? */
static int is_hasty(const struct place *p)
{
	return p->a && absint_weakened(p->a) && p->limit < ANALYSIS_SECONDS;
}

static void forget_analysis(struct place *p)
{
	for (size_t i = 0; i < p->targets.size; i++) {
		struct target *t = &p->targets.data[i];
		forget_target(t);
		*t = (struct target){.block = t->block, .outcome = t->outcome, .site = t->site};
	}
	absint_free(p->a);
	p->a = NULL;
	p->analysed = 0;
}

/* The analysis from this entry on; NULL if there is none. */
static struct absint *analysis(struct search *s, struct place *p, struct loop_unit *u)
{
	struct loops *l = s->next.loops;
	double left = allowance(s);
	if (!s->o.repeatable && left > deadline_left())
		left = deadline_left();
	struct absint_options o = {.seconds = left < ANALYSIS_SECONDS && !s->o.repeatable ? left : ANALYSIS_SECONDS, .callees = u->callees};
	if (p->analysed)
		return p->a;
	if (l->analyses >= ANALYSES)
		return NULL;
	if (left < START / 4)
		return NULL; /* later */
	if (!u->callees)
		o.callees = u->callees = callees_new(u->code);
	const struct code *code = p->f->code;
	p->analysed = 1;
	p->limit = o.seconds;
	l->analyses++;
	hint_budget_work(&l->budget, s, ANALYSIS_WORK);
	p->a = p->entry.loop == CODE_NONE ? absint_new(code, p->f, &o) : absint_loop(code, p->f, p->entry.loop, &o);
	s->stats.loop_analyses++;
	if (!p->a || absint_weakened(p->a))
		s->stats.loop_weak++;
	return p->a;
}

/* ---------------------------------------------------------------- asking */

/* An entry of the run: the labels of its values, by position. */
struct arrival {
	struct search *s;
	struct expansion *x;
	struct place *p;
	struct loop_unit *u;
	const struct muster_event *events;
	uint32_t count;
	struct solve_path *path;
};

static expr_t term_of(void *ctx, const struct absint_symbol *symbol)
{
	struct arrival *a = ctx;
	if (symbol->kind != ABSINT_VALUE && symbol->kind != ABSINT_OLD_CELL)
		return EXPR_NONE;
	for (uint32_t i = 0; i < a->count + a->p->entry.loads; i++) {
		if (i < a->count ? symbol->kind != ABSINT_VALUE || a->p->values[i] != symbol->id
				 : symbol->kind != ABSINT_OLD_CELL || a->p->f->values[a->p->loads[i - a->count]].cell != symbol->id)
			continue;
		uint32_t label = a->events[i].label;
		if (a->x->trace.nodes[label].width != symbol->width)
			return EXPR_NONE;
		expr_t e = import_label(&a->x->import, label);
		return search_foreign(a->x, e) ? EXPR_NONE : e;
	}
	return EXPR_NONE;
}

static uint64_t iterations(const struct loop_goal *g, const struct solve_model *m)
{
	uint64_t sum = 0;
	for (size_t i = g->counters; i < g->terms.size; i++)
		for (size_t k = 0; k < m->values.size; k++)
			if (m->values.data[k].op == EXPR_OP_NAMED && m->values.data[k].source == g->terms.data[i])
				sum += (uint64_t)m->values.data[k].value;
	return sum;
}

int loops_run(struct search *s, const struct expansion *x, uint64_t iterations)
{
	struct search_test test = {.parent = x->test->id,
				   .origin = ORIGIN_SOLVED,
				   .flags = TEST_OPTIMISTIC | TEST_HINT,
				   .data = (const uint8_t *)s->now.input.data,
				   .size = s->now.input.size};
	struct exec_result r;
	if (!memory_add(&s->known.inputs, hash128(s->now.input.data, s->now.input.size).a))
		return 0;
	double limit = s->o.run_seconds + ITERATION * (double)iterations;
	int longer = s->o.run_seconds > 0 && ITERATION * (double)iterations > s->o.run_seconds / 4;
	if (longer)
		exec_set_time(s->t.exec, limit < RUN_LONGEST ? limit : RUN_LONGEST);
	s->stats.runs++;
	s->stats.loop_runs++;
	s->stats.branch_tests++;
	s->budget.inputs_run++;
	uint64_t before = s->cover.covered;
	int e = exec_run(s->t.exec, s->now.input.data, s->now.input.size, &r);
	if (!e && run_was_stopped(r.end)) {
		search_lose(s, LOSS_KILLED); /* it was asked to run long: no hang of the program's */
	} else if (!e) {
		if (r.seconds > SLOW)
			test.flags |= TEST_LONG;
		/* Kept whatever it covers: an input that was run is not run again, so its path would be missing from an exhaustive search. */
		e = search_keep(s, &test, &r, 1) < 0 ? -1 : 0;
	}
	if (longer)
		exec_set_time(s->t.exec, s->o.run_seconds);
	s->stats.symbolic_outcomes += s->cover.covered - before;
	return e ? -1 : 0;
}

/* The same. 1: the outcome is covered, 0, -1. */
static int run_hint(struct arrival *a, const struct target *t)
{
	struct search *s = a->s;
	if (ITERATION * (double)t->last > (is_hasty(a->p) ? HASTY_LONGEST : 4 * RUN_LONGEST))
		return 0; /* it would end before it arrives, or was asked for with counts that little is known of */
	if (loops_run(s, a->x, t->last))
		return -1;
	int hit = loop_target_has(s, t->site, t->outcome);
	s->stats.loop_hits += (uint64_t)hit;
	s->next.loops->budget.hits += (uint64_t)hit;
	return hit;
}

/* 1: s->now.input is an answer. */
static int solve(struct arrival *a, struct loop_goal *g, struct target *t, expr_t goal)
{
	struct solve_model m = {0};
	int found = solve_path_query(a->path, goal, &m) == VERDICT_SAT;
	if (found) {
		t->last = iterations(g, &m);
		found = search_build_input(a->s, a->x, &m);
	}
	solve_model_release(&m);
	return found;
}

/* One case, with at most so many iterations, and as many of its inequalities as equations as there can be. 1: s->now.input. */
static int tight(struct arrival *a, struct loop_goal *g, struct target *t, size_t number, uint64_t least, uint64_t most)
{
	struct exprs *p = a->x->pool;
	expr_t edges[EDGES], goal = loop_goal_case(g, number);
	if (g->counters < g->terms.size)
		goal = expr_and(p, goal, loop_goal_sum(g, least, most));
	if (!solve(a, g, t, goal))
		return 0;
	size_t n = loop_goal_edges(g, number, edges, EDGES);
	for (size_t k = 0; k < n; k++) {
		expr_t closer = expr_and(p, goal, edges[k]);
		if (solve(a, g, t, closer))
			goal = closer;
	}
	return solve(a, g, t, goal); /* the last one tried may have failed */
}

/* The case with the least number of iterations that there is an answer for, of those that had none yet. */
static int fewest(struct arrival *a, struct loop_goal *g, struct target *t)
{
	int counted = g->counters < g->terms.size;
	/* What bounds the count from below may be no linear fact: then it grows, lest an answer runs for seconds that needs not. */
	uint64_t least = loop_goal_least(g), most[] = {least, least + 4, least + 64, 2 * least + 4096, 4 * least + (1 << 18), UINT64_MAX};
	size_t cases = t->needs.here.reach.cases.size < CASES ? t->needs.here.reach.cases.size : CASES, count = sizeof most / sizeof *most;
	for (size_t m = counted ? 0 : count - 1; m < count; m++)
		for (size_t i = 0; i < cases; i++) {
			if (t->answered >> i & 1 || !tight(a, g, t, i, 0, most[m]))
				continue;
			t->answered |= 1u << i;
			t->newest = i;
			return 1;
		}
	t->answered = UINT32_MAX; /* the others have none */
	return 0;
}

/* First trip counts of a nest, whose product is known to be large; then each case by itself, the next count, and counts and
 * values that grow. */
static const uint32_t large[] = {16, 256, 4096, 65536, 64, 1024, 16384, 32, 128, 200};
enum { TRY_ROOT, TRY_CASE, TRY_NEXT = TRY_CASE + CASES, TRY_GUESS, TRY_LARGE };

static void begin_goal(struct loop_goal *g, struct arrival *a, const struct target *t)
{
	const struct loop_facts *here = &t->needs.here;
	loop_goal_init(g, a->x->pool, a->p->f, &here->reach, term_of, a);
	for (size_t i = 0; i < here->decided.size; i++)
		loop_goal_decide(g, here->decided.data[i].block, here->decided.data[i].outcome);
	for (size_t i = 0; i < t->needs.before.size; i++)
		loop_goal_before(g, &t->needs.before.data[i]);
	if (t->guessed)
		loop_goal_guessed(g, a->s->next.loops->guesses, t->block, 0);
}

/* What a value had when the run entered the loop or function. */
static int value_in_run(void *ctx, uint32_t value, uint64_t *out)
{
	struct arrival *a = ctx;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->p->values[i] == value) {
			*out = (uint64_t)expr_eval(a->x->pool, import_label(&a->x->import, a->events[i].label), search_value_in_run, a->x);
			return 1;
		}
	return 0;
}

/* An answer missed: runs of the interpreter may show what the analysis does not see. 1: there is more to ask with. */
static int guess(struct arrival *a, struct target *t)
{
	struct search *s = a->s;
	double left = allowance(s);
	struct loop_run_options run = {.seed = 1, .value = value_in_run, .ctx = a};
	if (t->guessed || left < START / 4)
		return 0;
	t->guessed = 1;
	return guesses_make(s->next.loops->guesses, a->p->f, t->block, &run, s->o.repeatable ? 0 : left / 2 < GUESS_SECONDS ? left / 2 : GUESS_SECONDS) > 0;
}

/* Guesses that are not proved only say where to look. */
static int ask_unproved(struct arrival *a, struct target *t)
{
	struct loop_goal g;
	int found = 0;
	if (!t->guessed || !guesses_count(a->s->next.loops->guesses, a->p->f, t->block, 1))
		return 0;
	begin_goal(&g, a, t);
	loop_goal_guessed(&g, a->s->next.loops->guesses, t->block, 1);
	for (size_t i = 0; i < t->needs.here.reach.cases.size && !found; i++)
		found = solve(a, &g, t, loop_goal_case(&g, i));
	loop_goal_release(&g);
	return found;
}

/* The answer of this try. 1: s->now.input, 0: there is none. */
static int answer(struct arrival *a, struct loop_goal *g, struct target *t, expr_t facts)
{
	struct exprs *p = a->x->pool;
	int counted = g->counters < g->terms.size;
	if (t->tries == TRY_ROOT) {
		uint64_t root = loop_goal_root(g);
		return root && (solve(a, g, t, expr_and(p, facts, loop_goal_large(g, root, LARGE_INPUTS))) ||
				solve(a, g, t, expr_and(p, facts, loop_goal_large(g, root, LARGE_COUNTS))));
	}
	if (t->tries < TRY_NEXT)
		return t->tries - TRY_CASE < (int)t->needs.here.reach.cases.size && t->answered != UINT32_MAX && fewest(a, g, t);
	if (t->tries == TRY_NEXT)
		return counted && t->needs.here.reach.cases.size && tight(a, g, t, t->newest, t->last + 1, t->last + 64);
	if (t->tries == TRY_GUESS)
		return ask_unproved(a, t);
	uint32_t size = large[t->tries - TRY_LARGE];
	return solve(a, g, t, expr_and(p, facts, loop_goal_large(g, size, LARGE_COUNTS | LARGE_INPUTS))) ||
	       (counted && solve(a, g, t, expr_and(p, facts, loop_goal_large(g, size, LARGE_COUNTS))));
}

static void look_at(struct place *p, struct target *t)
{
	loop_known_find(&t->needs, p->a, p->f, p->entry.loop, (struct loop_decision){t->block, t->outcome});
	t->known = 1;
	t->dead = t->needs.here.reach.cases.size == 0;
}

static int ask_target(struct arrival *a, struct target *t, unsigned *misses)
{
	struct search *s = a->s;
	struct loop_goal g;
	int r = 0;
	if (!t->known)
		look_at(a->p, t);
	if (t->dead)
		return 0;
	s->stats.loop_asked += t->tries == 0;
	begin_goal(&g, a, t);
	expr_t facts = loop_goal_facts(&g);
	for (unsigned n = 0; r == 0 && t->tries < TRIES && n < TRIES_AT_ONCE;) {
		int found = answer(a, &g, t, facts);
		t->tries++;
		*misses += !found;
		n += (unsigned)found;
		if (found)
			r = run_hint(a, t);
		if (found && !r && guess(a, t)) {
			loop_goal_release(&g);
			begin_goal(&g, a, t);
			facts = loop_goal_facts(&g);
			ask_again(t);
		}
		if (r >= 0 && search_paused(s))
			r = 2;
	}
	loop_goal_release(&g);
	return r < 0 ? -1 : r == 2;
}

static int ask_arrival(struct arrival *a, const struct map *on_path)
{
	unsigned misses = 0;
	for (size_t i = 0; i < a->p->targets.size && misses < MISSES_AT_ONCE; i++) {
		struct target *t = &a->p->targets.data[i];
		if (t->dead || t->tries >= TRIES || !loop_target_is_next(a->s, t->site, t->outcome) ||
		    loop_target_is_ordinary(a->s, t->site, t->outcome, on_path))
			continue;
		if (!analysis(a->s, a->p, a->u))
			return 0;
		int r = ask_target(a, t, &misses);
		if (r)
			return r;
	}
	return 0;
}

/* ---------------------------------------------------------------- a run */

static uint32_t values_at(const struct trace *t, uint64_t event)
{
	const struct muster_event *first = &t->events[event];
	uint32_t n = 0;
	while (event + n < t->event_count && first[n].kind == MUSTER_EV_ENTRY && first[n].unit == first->unit && first[n].index == first->index &&
	       first[n].arg == n)
		n++;
	return n;
}

static int has_open(struct search *s, struct place *p, const struct loop_unit *u)
{
	if (!p->listed)
		list_targets(s, p, u);
	if (is_hasty(p) && allowance(s) > MORE * p->limit)
		forget_analysis(p);
	for (size_t i = 0; i < p->targets.size; i++) {
		const struct target *t = &p->targets.data[i];
		if (!t->dead && t->tries < TRIES && loop_target_is_next(s, t->site, t->outcome))
			return 1;
	}
	return 0;
}

/* The path up to the step joins the prefix. -1: trace and run disagree. */
static int extend(struct search *s, struct expansion *x, struct solve_path *path, size_t *at, size_t step)
{
	for (; *at < step; ++*at)
		if (solve_path_add(path, path_constraint(&s->now.parent.steps.data[*at], &x->import, &s->sites)) < 0)
			return -1;
	return 0;
}

static int ask_all(struct search *s, struct expansion *x)
{
	struct map on_path = {0};
	struct solve_path *path = NULL;
	size_t at = 0;
	int r = 0;
	for (size_t i = 0; i < s->now.parent.entries.size && r == 0; i++) {
		const struct path_entry *e = &s->now.parent.entries.data[i];
		const struct muster_event *first = &x->trace.events[e->event];
		struct place *p = place_of(s->next.loops, first->unit, first->index);
		if (!p || !has_open(s, p, unit_of(s->next.loops, first->unit)))
			continue;
		if (!path) {
			search_open_import(s, x);
			path = search_open_path(s, x);
			loop_target_path(s, &on_path);
		}
		if (extend(s, x, path, &at, e->step))
			break;
		struct arrival a = {.s = s, .x = x, .p = p, .u = unit_of(s->next.loops, first->unit), .events = first, .count = p->entry.count, .path = path};
		if (values_at(&x->trace, e->event) == p->entry.count + p->entry.loads)
			r = ask_arrival(&a, &on_path);
	}
	if (path) {
		solve_path_free(path);
		import_release(&x->import);
		exprs_free(x->pool);
		x->pool = NULL;
	}
	map_release(&on_path);
	return r;
}

int loops_ask(struct search *s, struct expansion *x)
{
	struct loops *l = s->next.loops;
	double cost = search_cost(s), pause = s->budget.next_pause;
	int r = 0;
	s->budget.next_pause = cost + AT_ONCE;
	if (allowance(s) > 0) {
		hint_budget_begin(&l->budget, s);
		r = ask_all(s, x);
		hint_budget_end(&l->budget, s);
	}
	if (!r)
		r = merges_ask(l->merges, s, x);
	s->budget.next_pause = pause;
	s->budget.aside += search_cost(s) - cost; /* the same negations and mutations for a run as without */
	if (r == 1 && !s->o.unit && !search_over_limit(s)) /* another run comes by here; the negations of this one do not wait */
		r = s->budget.paused = 0;
	return r;
}
