/* search.c: the search as a whole: what is done next.
 *
 * Two kinds of strategy lead to new code: negating the paths of tests, and changing tests blindly,
 * which is a thousand times cheaper for each run. Neither is better: at each slice the
 * one goes that earned more outcomes for its cost lately, and the other gets a
 * smaller share so that it can show that this changed (strategy.c). Costs are seconds of the processor, of the search and of what it
 * runs, so that a busy machine changes none of this; in repeatable mode they are counts of work, and no decision looks at a clock.
 */
#include "search/search.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "search/ic_cut.h"
#include "search/inside.h"
#include "search/loops.h"
#include "search/mutation.h"
#include "search/numbers.h"
#include "search/strategy.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLICE 0.25 /* seconds until the caller is asked again who is next | a frame of progress */
#define WORK_RUN 1e-4 /* what a run counts for in repeatable mode, in place of seconds | by hand (weight) */
#define WORK_QUERY 1e-4 /* the same for a query | by hand (weight) */
#define WORK_HINTS 5 /* times as much for a query of a hint | they are harder than a negation */

const char *search_origin_key(unsigned origin)
{
	static const char *const keys[] = {
#define X(name, key) key,
	    SEARCH_ORIGINS(X)
#undef X
	};
	return origin < sizeof keys / sizeof *keys ? keys[origin] : "?";
}

#define X(name, key, words) [DIVERGED_##name] = {key, words},
static const struct {
	const char *key, *words;
} divergences[] = {SEARCH_DIVERGENCES(X)};
#undef X

const char *search_divergence_key(enum search_divergence d)
{
	return divergences[d].key;
}

const char *search_divergence_words(enum search_divergence d)
{
	return divergences[d].words;
}

#define X(name, key, words) [LOSS_##name] = {key, words},
static const struct {
	const char *key, *words;
} losses[] = {SEARCH_LOSSES(X)};
#undef X

const char *search_loss_key(enum search_loss l)
{
	return losses[l].key;
}

const char *search_loss_words(enum search_loss l)
{
	return losses[l].words;
}

void search_stats_add(struct search_stats *to, const struct search_stats *from)
{
#define X(name, key, words) to->name += from->name;
	SEARCH_STATS(X)
#undef X
	for (unsigned i = 0; i < DIVERGED_COUNT; i++)
		to->diverged[i] += from->diverged[i];
	to->symbolic_seconds += from->symbolic_seconds;
	to->traced_seconds += from->traced_seconds;
	to->child_seconds += from->child_seconds;
	to->mutate_seconds += from->mutate_seconds;
	to->memory_peak += from->memory_peak; /* at the same time, at most */
	to->symbolic_outcomes += from->symbolic_outcomes;
	to->mutate_outcomes += from->mutate_outcomes;
	for (unsigned i = 0; i < MUSTER_CHECK_COUNT; i++) {
		struct search_checker_stats *a = &to->checkers[i];
		const struct search_checker_stats *b = &from->checkers[i];
		a->injected += b->injected, a->local += b->local, a->asked += b->asked;
		a->solved += b->solved, a->violated += b->violated, a->failed += b->failed;
	}
	to->bundles += from->bundles;
	to->bundle_goals += from->bundle_goals;
	to->bundle_calls += from->bundle_calls;
	to->check_tests += from->check_tests;
	to->branch_tests += from->branch_tests;
	to->check_path_constraints += from->check_path_constraints;
	to->check_slice_constraints += from->check_slice_constraints;
	to->check_cached += from->check_cached;
}

static double work(const struct search *s)
{
	return WORK_RUN * (double)(s->stats.runs + 10 * s->stats.traces) + WORK_QUERY * (double)solver_stats(s->solver)->queries;
}

double search_cost(const struct search *s)
{
	return search_used(s) - s->budget.aside;
}

double search_processor_time(const struct search *s)
{
	return s->o.repeatable ? WORK_HINTS * work(s) : clock_processor();
}

double search_used(const struct search *s)
{
	const struct solve_stats *solved = solver_stats(s->solver);
	return s->o.repeatable ? work(s) : clock_processor() + s->stats.traced_seconds + exec_spent(s->t.exec) + s->budget.waited + solved->seconds[SOLVE_Z3];
}

double search_since(const struct search *s)
{
	return search_used(s) - s->budget.restart_used;
}

int search_over_limit(const struct search *s)
{
	if (s->o.run_limit && s->budget.inputs_run >= s->o.run_limit)
		return 1;
	return s->o.time_limit > 0 && clock_seconds() - s->budget.restarted >= s->o.time_limit;
}

int search_paused(struct search *s)
{
	if (search_over_limit(s) || deadline_cut())
		s->budget.paused = 1;
	if (!s->budget.paused && search_cost(s) >= s->budget.next_pause)
		s->budget.paused = 1;
	if (!s->budget.paused && s->h.pause && s->h.pause(s->h.ctx))
		s->budget.paused = 1;
	return s->budget.paused;
}

int search_trace(struct search *s, struct launcher *l, const struct shm *shm, const void *data,
		 size_t size, struct run_result *r, struct trace *t)
{
	struct launch_input in = {.data = data, .size = size, .present = 1};
	if (s->t.to_objects) {
		in.memory = data;
		in.memory_size = size;
	}
	s->stats.runs++;
	s->stats.traces++;
	double before = clock_processor();
	if (launcher_run(l, &in, r))
		return -1;
	s->stats.traced_seconds += r->user_seconds + r->system_seconds;
	s->budget.waited += exec_cost(r) - (r->user_seconds + r->system_seconds);
	if (!s->o.repeatable && r->making_seconds > 0)
		s->budget.aside += clock_processor() - before; /* no strategy's fault */
	if (r->end == RUN_CUT)
		return 1;
	if (r->end == RUN_FAILED)
		return error_set("the program did not run: %s", r->message);
	if (r->counts.state == MUSTER_STATE_FAILED)
		return error_set("the runtime in the program could not start: %s",
				 r->counts.message);
	int killed = r->end != RUN_EXIT && (r->end != RUN_SIGNAL || r->signal == SIGKILL);
	if (!trace_open(t, shm, killed))
		return 0;
	s->stats.scribbled++;
	return 1;
}

struct search *search_new(const struct search_options *o, const struct search_target *t,
			  const struct search_hooks *h)
{
	struct search *s = mem_zalloc(sizeof *s);
	s->o = *o;
	s->t = *t;
	s->h = *h;
	if (!s->o.max_input)
		s->o.max_input = 1 << 20;
	if (!s->o.path_limit)
		s->o.path_limit = 200000;
	if (!s->o.pending_limit)
		s->o.pending_limit = 5000;
	s->next.pending = o->pending ? o->pending : &s->next.own_pending;
	s->o.solve.seed = o->seed;
	search_memory_init(s);
	s->solver = solver_new(&s->o.solve);
	sites_init(&s->sites, t->sites);
	cover_init(&s->cover);
	s->now.parent.exact = s->now.child.exact = o->unit;
	s->now.parent.checks = s->now.child.checks = o->checks;
	s->budget.restarted = clock_seconds();
	s->budget.restart_used = search_used(s);
	if (o->kind == KIND_IC_CUT)
		s->next.ic = ic_new(o->ic_elsewhere);
	if (!o->no_invariants && t->program)
		s->next.loops = loops_new(t->program);
	if (!o->no_mutate && !o->unit && !(s->next.mutation = mutation_new(s))) {
		search_free(s);
		return NULL;
	}
	return s;
}

/* All that is known of tests and paths. */
static void forget(struct search *s)
{
	search_drop_suspended(s);
	search_memory_release(s);
	map_release(&s->known.guesses);
	map_release(&s->known.asked);
	map_release(&s->checks.broken);
	map_release(&s->checks.checked);
	map_release(&s->checks.told);
	map_release(&s->checks.guessed);
	map_release(&s->checks.closer);
	numbers_release(s);
	map_release(&s->known.valued);
	map_release(&s->known.hopeless);
	map_release(&s->known.operands);
	traces_release(&s->next.traces);
}

void search_without_calls(struct search *s)
{
	search_drop_suspended(s);
	ic_free(s->next.ic);
	s->next.ic = NULL;
	s->o.kind = KIND_GENERATIONAL;
	s->o.ic_shares = 0;
	frames_release(&s->now.frames);
}

void search_restart(struct search *s)
{
	forget(s);
	loops_restart(s->next.loops);
	sites_forget_flips(&s->sites);
	if (s->o.cover_per_function)
		cover_forget(&s->cover);
	memset(&s->stats, 0, sizeof s->stats);
	memset(&s->losses, 0, sizeof s->losses);
	*s->next.pending = s->budget.inputs_run = 0;
	s->next.urgent = 0;
	s->budget.restarted = clock_seconds();
	s->budget.restart_used = search_used(s);
}

void search_widen(struct search *s)
{
	forget(s);
	loops_restart(s->next.loops);
	*s->next.pending = 0;
	s->next.urgent = 0;
}

void search_found_anew(struct search *s)
{
	memset(&s->losses, 0, sizeof s->losses);
}

void search_limits(struct search *s, uint64_t runs, double seconds)
{
	s->o.run_limit = runs;
	s->o.time_limit = seconds;
}

uint64_t search_inputs(const struct search *s)
{
	return s->budget.inputs_run;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	search_drop_suspended(s);
	mutation_free(s->next.mutation);
	loops_free(s->next.loops);
	ic_free(s->next.ic);
	solver_free(s->solver);
	sites_release(&s->sites);
	cover_release(&s->cover);
	forget(s);
	path_release(&s->now.parent);
	path_release(&s->now.child);
	frames_release(&s->now.frames);
	compose_run_release(&s->now.parent_calls);
	compose_run_release(&s->now.child_calls);
	buf_release(&s->now.input);
	buf_release(&s->now.first);
	vec_release(&s->now.changed);
	free(s);
}

void search_cover_known(struct search *s, uint32_t unit, uint32_t outcome, uint8_t mask)
{
	uint32_t count;
	const struct exec_unit *units = exec_units(s->t.exec, &count);
	for (uint32_t i = 0; i < count; i++)
		if (units[i].unit == unit && outcome < units[i].count)
			cover_set(&s->cover, units[i].first + outcome, mask);
}

void search_known_test(struct search *s, const struct search_test *t)
{
	if (s->next.mutation)
		mutation_add(s->next.mutation, t, NULL);
	if (s->next.ic)
		ic_kept(s, t);
}

int search_learn(struct search *s, const struct search_test *t)
{
	struct exec_result r;
	s->stats.runs++;
	if (exec_run(s->t.exec, t->data, t->size, &r))
		return -1;
	struct cover_news news = cover_look(&s->cover, &r, 1, NULL, NULL);
	if (news.outcomes || news.classes)
		search_known_test(s, t);
	return 0;
}

int search_offer(struct search *s, const void *data, size_t size, enum search_origin origin,
		 int keep)
{
	struct search_test t = {.data = data, .size = size, .origin = origin};
	struct exec_result r;
	if (size > s->o.max_input)
		return 0;
	s->stats.runs++;
	s->budget.inputs_run++;
	if (exec_run(s->t.exec, data, size, &r))
		return -1;
	int kept = search_keep(s, &t, &r, keep);
	if (kept > 0 && origin == ORIGIN_SEED && !s->o.no_mutate && !s->o.unit && search_offer_numbers(s, data, size))
		return -1;
	return kept;
}

/* ------------------------------------------------------------------ slices */

int search_exhausted(const struct search *s)
{
	for (unsigned i = 0; i < LOSS_COUNT; i++)
		if (s->losses.count[i])
			return 0;
	return 1;
}

const struct search_losses *search_losses(const struct search *s)
{
	return &s->losses;
}

void search_lost(struct search *s)
{
	search_lose(s, LOSS_ELSEWHERE);
}

/* Runs a strategy and books what it cost and earned. */
static int slice(struct search *s, const struct strategy *t)
{
	double cost = search_cost(s), clock = clock_seconds();
	uint64_t covered = s->cover.covered;
	s->budget.paused = 0;
	s->budget.next_pause = cost + SLICE;
	s->budget.slice_began = cost;
	s->next.strategy = t;
	int r = t->slice(s);
	strategy_book(s, t, search_cost(s) - cost, s->cover.covered - covered);
	if (t->blind) {
		s->stats.mutate_seconds += clock_seconds() - clock;
		s->stats.mutate_outcomes += s->cover.covered - covered;
	} else {
		s->stats.symbolic_seconds += clock_seconds() - clock;
		s->budget.symbolic_cost += search_cost(s) - cost;
	}
	return r;
}

/* There is no more time: what is left in the frontier is lost. 0, -1. */
static int end_at_limit(struct search *s)
{
	struct search_test t = {0};
	struct buf data = {0};
	int r = s->h.take(s->h.ctx, &t, &data);
	if (r > 0) {
		search_lose(s, LOSS_ENDED);
		t.data = (const uint8_t *)data.data;
		t.size = data.size;
		r = s->h.update(s->h.ctx, &t) ? -1 : 0;
	}
	buf_release(&data);
	return r;
}

int search_step(struct search *s)
{
	search_memory_look(s);
	if (search_over_limit(s))
		return end_at_limit(s);
	if (!s->next.urgent && numbers_offer_next(s))
		return -1;
	const struct strategy *t = strategy_next(s);
	int r = slice(s, t);
	if (r < 0 || t->blind)
		return r < 0 ? -1 : 1;
	if (r || search_exhausted(s) || !(t = strategy_further(s)))
		return r;
	return slice(s, t) < 0 ? -1 : 1;
}

int search_mutates(const struct search *s)
{
	return s->next.strategy && s->next.strategy->blind;
}

const struct search_stats *search_stats(const struct search *s)
{
	return &s->stats;
}

const struct solve_stats *search_solve_stats(const struct search *s)
{
	return solver_stats(s->solver);
}

const struct cover *search_cover(const struct search *s)
{
	return &s->cover;
}
