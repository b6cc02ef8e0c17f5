/* expand.c: one generation: traces a test and negates the decisions of its path in one pass.
 *
 * The constraints of the path join the solver's prefix in order; before a decision's own
 * constraint joins, its other outcomes are asked for, if the policy wants them. The solver
 * keeps what it learned of the prefix, so a path costs one pass, not one for each
 * negation. Steps after the last wanted decision are not imported at all.
 *
 * A slice may end in the middle of a path. The expansion is then suspended, with the solver's prefix, the path (s->now.parent) and the place on it: if the next
 * test is the same one at the same stage, as it mostly is, it goes on there. To import and blast the prefix of a path of thousands of steps again costs more than a slice.
 *
 * Concretisations pin what the trace could not follow, and bounds the objects that were there.
 * Where they make the answer no, the goal is asked for once more without them, and by
 * itself: such an answer is optimistic, and only its run says what it is worth.
 */
#include "base/budget.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/limit.h"
#include "search/ic_cut.h"
#include "search/inside.h"
#include "search/loops.h"
#include "search/operands.h"
#include "search/strategy.h"
#include "search/suspended.h"

#include <ctype.h>
#include <stdlib.h>

#define BROKEN_BOUNDS LIMIT(32, 1) /* bounds of one instruction that are negated, but for those that always hold | as BROKEN_UNIT */
#define GUESSES LIMIT(6, 1) /* guesses for one outcome that is not covered | guesses seldom hold */

u128 search_value_in_run(void *ctx, expr_t variable)
{
	const struct expansion *x = ctx;
	const struct expr_node *n = expr_get(x->pool, variable);
	uint64_t value = x->filler;
	if (n->op == MUSTER_OP_LENGTH)
		return n->a == 0 ? x->size : x->trace.sources[n->a].size;
	if (n->op != MUSTER_OP_INPUT || n->a != 0)
		return 0;
	if (n->k < x->size)
		return x->data[n->k];
	map_get(&x->import.beyond, n->k, &value);
	return value;
}

struct solve_path *search_open_path(struct search *s, struct expansion *x)
{
	struct solve_path *p = solve_path_new(s->solver, x->pool, search_value_in_run, x);
	expr_t limit = expr_const(x->pool, 64, s->o.max_input > x->size ? s->o.max_input : x->size);
	solve_path_add(p, expr_binary(x->pool, MUSTER_OP_ULE, expr_length(x->pool, 0), limit));
	return p;
}

/* Sources whose bytes no test decides (other files, arguments) are as they were. */
int search_foreign(const struct expansion *x, expr_t e)
{
	uint32_t n;
	const expr_t *vars = expr_vars(x->pool, e, &n);
	for (uint32_t i = 0; i < n; i++)
		if (expr_get(x->pool, vars[i])->a != 0)
			return 1;
	return 0;
}

/* ---------------------------------------------------------------- negation */

/* A guess for a branch that nothing reached yet; each is made a few times in a search. */
static int may_guess(struct search *s, const struct expansion *x, const struct path_step *step, uint32_t outcome)
{
	uint64_t key = (uint64_t)step->site << 32 | outcome, made = 0;
	if ((!s->now.parent.pins && !x->reused) || s->o.solve.no_optimistic)
		return 0;
	map_get(&s->known.guesses, key, &made);
	map_set(&s->known.guesses, key, made + 1);
	return made < GUESSES;
}

static int guess(struct search *s, struct expansion *x, struct solve_path *path, size_t at,
		 uint32_t outcome, expr_t goal)
{
	struct solve_model m = {0};
	int r = 0;
	/* Where calls are known, a guess changes what belongs to the own one: for more the whole path would be blasted again. */
	if ((path == x->relaxed && s->next.ic ? solve_path_query_within(path, goal, &m) : solve_path_query(path, goal, &m)) == VERDICT_SAT) {
		m.optimistic = 1;
		r = search_child(s, x, &s->now.parent.steps.data[at], outcome, &m);
	}
	solve_model_release(&m);
	return r;
}

#define CALLS_AROUND LIMIT(8, 1) /* calls around a question that the solver is told of | the innermost ones count */

static void note_mark(const struct search *s, uint32_t **marks, const struct solve_path *path, size_t at)
{
	if (!s->next.ic)
		return;
	if (!*marks)
		*marks = mem_zalloc((s->now.parent.steps.size + 1) * sizeof **marks);
	(*marks)[at] = solve_path_mark(path);
}

/* Where calls are known, the solver is told in which of them the questions at this step come up. */
static void tell_calls(const struct search *s, const uint32_t *marks, struct solve_path *path, size_t at)
{
	const struct frames *f = &s->now.frames;
	uint32_t around[CALLS_AROUND];
	size_t count = 0;
	if (!marks || at >= f->of_step.size)
		return;
	for (uint32_t k = f->of_step.data[at]; k && count < CALLS_AROUND; k = f->list.data[k].caller)
		around[count++] = marks[f->list.data[k].first];
	solve_path_within(path, around, count);
}

struct solve_path *search_relaxed(struct search *s, struct expansion *x, size_t at)
{
	if (!x->relaxed) {
		x->relaxed = search_open_path(s, x);
		tell_calls(s, x->marks, x->relaxed, at); /* so that it notes what belongs to calls */
	}
	for (; x->relaxed_at < at; x->relaxed_at++) {
		const struct path_step *before = &s->now.parent.steps.data[x->relaxed_at];
		note_mark(s, &x->relaxed_marks, x->relaxed, x->relaxed_at);
		if (path_decides(before) && !(x->apart && x->apart[x->relaxed_at] & SEARCH_APART))
			solve_path_add(x->relaxed, path_constraint(before, &x->import, &s->sites));
	}
	note_mark(s, &x->relaxed_marks, x->relaxed, at);
	tell_calls(s, x->relaxed_marks, x->relaxed, at);
	return x->relaxed;
}

/* The goal without the concretisations and bounds before it, and without what was decided in calls that a summary stands for; then the goal by itself. */
static int ask_relaxed(struct search *s, struct expansion *x, size_t at, uint32_t outcome,
		       expr_t goal)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	if (!may_guess(s, x, step, outcome))
		return 0;
	if (guess(s, x, search_relaxed(s, x, at), at, outcome, goal))
		return -1;
	const struct sites_decision *d = &s->sites.decisions.data[step->site];
	if (d->counter == SITES_NOWHERE || cover_has(&s->cover, d->counter + outcome))
		return 0;
	struct solve_path *alone = search_open_path(s, x);
	int r = guess(s, x, alone, at, outcome, goal);
	solve_path_free(alone);
	return r;
}

/* What is asked for to have the outcome. A compiler puts several defects into one check (a divisor of zero, a
 * quotient that overflows): each is asked for by itself, or the first would hide the others. */
static unsigned goals_of(struct search *s, struct expansion *x, const struct path_step *step, uint32_t outcome,
			 expr_t *goals)
{
	const struct sites_decision *d = &s->sites.decisions.data[step->site];
	expr_t goal = path_goal(step, outcome, &x->import, &s->sites);
	if (d->kind == SITES_CHECK && d->fails == outcome)
		return checks_parts(x->pool, goal, goals);
	goals[0] = goal;
	return 1;
}

#define PREFERENCES LIMIT(4, 1) /* bytes of a goal for which small or printable values are preferred | each is a query more */

/* The goal with values that were asked to be left out left out, or the goal itself. */
expr_t search_preferred(const struct search *s, struct expansion *x, expr_t goal)
{
	uint32_t count;
	expr_t vars[PREFERENCES];
	if (!s->o.taken)
		return goal;
	const expr_t *all = expr_vars(x->pool, goal, &count);
	if (count > PREFERENCES)
		return goal;
	for (uint32_t i = 0; i < count; i++)
		vars[i] = all[i]; /* the list does not outlive new nodes */
	for (uint32_t i = 0; i < count; i++) {
		const struct expr_node *n = expr_get(x->pool, vars[i]);
		uint32_t taken = n->op == MUSTER_OP_INPUT && n->a == 0 ? s->o.taken(s->h.ctx, x->data, x->size, n->k) : 0;
		for (unsigned v = 0; v < 32; v++)
			if (taken >> v & 1)
				goal = expr_and(x->pool, goal, expr_not(x->pool, expr_eq(x->pool, vars[i], expr_const(x->pool, 8, v))));
	}
	return goal;
}

static int ask(struct search *s, struct expansion *x, size_t at, uint32_t outcome, expr_t goal)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	struct solve_model m = {0};
	int r = 0;
	expr_t first = search_preferred(s, x, goal);
	enum verdict v = first == goal ? VERDICT_UNKNOWN : solve_path_query(x->strict, first, &m);
	if (v != VERDICT_SAT) {
		solve_model_release(&m);
		m = (struct solve_model){0};
		v = solve_path_query(x->strict, goal, &m);
	}
	if (v == VERDICT_SAT || m.optimistic)
		r = search_child(s, x, step, outcome, &m);
	if (v == VERDICT_UNKNOWN)
		search_lose(s, LOSS_UNKNOWN);
	if (v != VERDICT_SAT && !r && x->test->stage == STAGE_UNCOVERED)
		r = ask_relaxed(s, x, at, outcome, goal);
	solve_model_release(&m);
	return r;
}

static int negate(struct search *s, struct expansion *x, size_t at, uint32_t outcome)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	expr_t goals[CHECK_PARTS];
	unsigned count = goals_of(s, x, step, outcome, goals);
	int r = 0;
	s->stats.flips++;
	sites_flip(&s->sites, step->site);
	double before = search_cost(s);
	for (unsigned i = 0; i < count && r == 0; i++) {
		search_compared(s, x->pool, goals[i]);
		if (search_foreign(x, goals[i]))
			search_lose(s, LOSS_FOREIGN);
		else
			r = ask(s, x, at, outcome, goals[i]);
	}
	uint32_t function = s->sites.decisions.data[step->site].function;
	s->sites.function_cost.data[function] += search_cost(s) - before;
	return r;
}

/* s->now.input is run for what it covers and whether it fails. */
static int run_for_cover(struct search *s, const struct expansion *x)
{
	struct search_test t = {.parent = x->test->id,
				.origin = ORIGIN_SOLVED,
				.flags = TEST_OPTIMISTIC,
				.data = (const uint8_t *)s->now.input.data,
				.size = s->now.input.size};
	struct exec_result r;
	if (!memory_add(&s->known.inputs, hash128(s->now.input.data, s->now.input.size).a))
		return 0;
	s->stats.runs++;
	return exec_run(s->t.exec, s->now.input.data, s->now.input.size, &r) ||
		       search_keep(s, &t, &r, 0) < 0
		   ? -1
		   : 0;
}

/* A bound that says how the run went, and would not hold for another input; or a check that the run broke, and another input might not. What
 * a whole program does then no trace says, so the input is run for what it covers and whether it fails, and the search is not exhaustive;
 * only rungs that cost little are asked. For a function alone the solver has to answer, and the input is a test like any other. */
static int ask_bound(struct search *s, struct expansion *x, size_t at)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	struct solve_model m = {0};
	uint64_t broken = 0, key = (uint64_t)step->site << 32;
	int e = 0;
	map_get(&s->checks.broken, key, &broken);
	if (broken >= BROKEN_BOUNDS) {
		search_lose(s, LOSS_BOUND);
		return 0;
	}
	expr_t goal = path_goal(step, !step->outcome, &x->import, &s->sites);
	if (search_foreign(x, goal)) {
		search_lose(s, LOSS_FOREIGN);
		map_set(&s->checks.broken, key, broken + 1);
		return 0;
	}
	enum verdict v = s->o.unit ? solve_path_query(x->strict, goal, &m)
				   : solve_path_query_cheap(x->strict, goal, &m);
	if (v != VERDICT_UNSAT)
		map_set(&s->checks.broken, key, broken + 1);
	if (v == VERDICT_UNKNOWN)
		search_lose(s, LOSS_UNKNOWN);
	else if (v == VERDICT_SAT && !s->o.unit)
		search_lose(s, LOSS_BOUND);
	if (v == VERDICT_SAT && search_build_input(s, x, &m))
		e = s->o.unit ? search_run_broken(s, x, step) : run_for_cover(s, x);
	else if (v == VERDICT_SAT && s->o.unit)
		search_lose(s, LOSS_LARGE);
	solve_model_release(&m);
	return e;
}

/* After undefined behaviour a function goes on, with values that the terms do not have: other ones are not tried one by one. */
static int is_behind_broken(const struct search *s, size_t at)
{
	for (size_t i = 0; i < at && s->o.unit; i++)
		if (path_decides(&s->now.parent.steps.data[i]) && path_broke(&s->now.parent.steps.data[i]))
			return 1;
	return 0;
}

/* Asks for what the list has of this step. 0, 1: paused, -1. */
static int negate_step(struct search *s, struct expansion *x, size_t at, const wanted_list *wanted, size_t *next)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	for (; *next < wanted->size && wanted->data[*next].step == at; ++*next) {
		uint32_t outcome = wanted->data[*next].outcome;
		if (path_broke(step) && outcome == step->outcome && !path_decides(step)) {
			if (checks_ask_closer(s, x, at))
				return -1;
			continue;
		}
		if (!search_still_wanted(s, x->test, step, outcome))
			continue;
		if (step->kind == MUSTER_EV_CONCRETE && is_behind_broken(s, at)) {
			search_lose(s, LOSS_CONCRETISED);
			continue;
		}
		int r = step->kind == MUSTER_EV_BOUND || step->kind == PATH_CHECK ? ask_bound(s, x, at)
			: step->kind == MUSTER_EV_CONCRETE			  ? search_ask_values(s, x, at)
										  : negate(s, x, at, outcome);
		if (r < 0)
			return -1;
		if (r > 0 || search_paused(s))
			return 1;
	}
	return 0;
}

/* Is this check to be asked about? It was planned when checks had time left; they may have had their share since. */
static int wants_check(struct search *s, const struct expansion *x, const struct path_step *step)
{
	if (search_checks_allowed(s))
		return search_still_wanted(s, x->test, step, step->fails);
	if (x->test->stage == STAGE_ALL)
		search_lose(s, LOSS_UNCHECKED);
	return 0;
}

/* A check joins the bundle; anything else ends it. 0, 1: paused, CHECKS_DISAGREE, -1. */
static int take_step(struct search *s, struct expansion *x, size_t at, const wanted_list *wanted, size_t *next)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	note_mark(s, &x->marks, x->strict, at);
	tell_calls(s, x->marks, x->strict, at);
	if (path_passed(step)) {
		int wants = wanted->data[*next].step == at;
		*next += (size_t)wants;
		return checks_add(s, x, at, wants && wants_check(s, x, step));
	}
	int r = checks_ask(s, x);
	if (!r)
		r = negate_step(s, x, at, wanted, next);
	if (!r && *next < wanted->size && solve_path_add(x->strict, path_constraint(step, &x->import, &s->sites)) < 0)
		r = CHECKS_DISAGREE;
	return r;
}

#define TERMS_FULL 3 /* no limit: a return value */

/* A path of millions of steps has terms that fit into no budget. Those that wait make room first. */
static int terms_full(struct search *s, const struct search_suspended *h)
{
	uint64_t bytes = suspended_bytes(h), most = budget_share(BUDGET_TERMS);
	while (bytes + suspended_total(s) > most && suspended_drop_oldest(s))
		continue;
	return bytes > most;
}

/* One pass over the path, or what is left of it. Each step may be begun again: what was asked for is not asked for twice, what stands on the path does not join it twice. 0, 1: paused, -1. */
static int negate_all(struct search *s, struct search_suspended *h)
{
	struct expansion *x = &h->x;
	int r = 0;
	while (h->next < h->wanted.size && !r) {
		r = h->step % 64 == 0 && terms_full(s, h) ? TERMS_FULL : composed_step(s, x, h->step, &h->call);
		if (!r)
			r = take_step(s, x, h->step, &h->wanted, &h->next);
		if (!r)
			h->step++;
	}
	if (r == 0)
		r = checks_ask(s, x);
	if (r == 0)
		r = composed_step(s, x, s->now.parent.steps.size, &h->call);
	if (r == TERMS_FULL) {
		search_lose(s, LOSS_MEMORY);
		return 0;
	}
	if (r == CHECKS_DISAGREE) {
		/* The run says that it held: trace and run disagree, so nothing after it
		 * can be predicted. */
		search_lose(s, LOSS_DISAGREES);
		return 0;
	}
	return r;
}

void search_open_import(struct search *s, struct expansion *x)
{
	x->pool = exprs_new();
	import_init(&x->import, &x->trace, x->pool, x->size);
	if (composed_any(s))
		compose_bind(s->t.compose, &s->now.parent_calls, &x->import);
}

/* Terms and the solver's path, if anything is to be asked. */
static void open_terms(struct search *s, struct search_suspended *h)
{
	struct expansion *x = &h->x;
	s->next.strategy->plan(s, x, &h->wanted);
	if (!h->wanted.size && !(composed_any(s) && x->test->stage == STAGE_ALL))
		return;
	s->stats.expanded++;
	search_open_import(s, x);
	if (s->o.subsume || ic_shares(s))
		search_subsume(s, x, &h->wanted);
	x->strict = search_open_path(s, x);
	checks_open(s, x);
}

/* Hints for loops, on terms of their own: before those of the expansion, since what calls are bound to is of the last terms that were opened. 0, 1: paused, -1. */
static int ask_loops(struct search *s, const struct expansion *x)
{
	struct expansion y = {.test = x->test, .data = x->data, .size = x->size, .filler = x->filler, .trace = x->trace};
	if (!s->next.loops || x->test->stage != STAGE_UNCOVERED || !s->now.parent.steps.size || (composed_any(s) && x->pool) || (ic_is_on(s) && !ic_at_root(s)))
		return 0;
	return loops_ask(s, &y);
}

/* What the path of a run could not show. */
static void note_losses(struct search *s, int whole)
{
	const struct path *p = &s->now.parent;
	s->stats.concretisations += p->concretisations;
	s->stats.cut_paths += (uint64_t)p->cut;
	s->losses.count[LOSS_CUT] += (uint64_t)p->cut;
	s->losses.count[LOSS_STALE] += p->stale;
	s->losses.count[LOSS_ORDER] += p->orders;
	s->losses.count[LOSS_THREADS] += p->threads;
	s->losses.count[LOSS_UNSEEN] += p->unseen;
	s->losses.count[LOSS_KILLED] += (uint64_t)!whole;
	s->losses.sized += (uint64_t)p->sized;
	if (s->o.unit) /* all values are asked for (values.c) */
		return;
	s->losses.count[LOSS_CONCRETISED] += p->concretisations;
	for (size_t i = 0; p->concretisations && i < p->steps.size; i++)
		if (p->steps.data[i].kind == MUSTER_EV_CONCRETE)
			s->losses.concretised[p->steps.data[i].outcome]++;
}

/* The trace of a test: the one that was kept, or of a run. *whole: it is all of the run; *counted: its losses are. 0; 1: there is none; -1. */
static int trace_of(struct search *s, struct search_suspended *h, int *whole, int *counted)
{
	struct kept_trace *kept = traces_find(&s->next.traces, h->test);
	struct run_result run;
	*counted = 0;
	if (kept) {
		*whole = kept->whole;
		*counted = kept->counted;
		kept->counted = h->borrowed = 1;
		h->x.trace = kept->trace;
		return 0;
	}
	int r = search_trace(s, s->t.parent, s->t.parent_shm, h->x.data, h->x.size, &run, &h->x.trace);
	*whole = run.end == RUN_EXIT || run.end == RUN_SIGNAL;
	return r;
}

#define TEXT_BYTES LIMIT(4096, 2) /* bytes looked at to tell text from binary | a page: the start shows the format */

/* What a text that grows is filled with: its last letter or digit. Zeros would end every string of it at the old end. 0: it is no text, for
 * that has no zeros (other bytes the solver puts everywhere). */
static uint8_t filler(const uint8_t *data, size_t size)
{
	uint8_t last = 0;
	for (size_t i = 0; i < size && i < TEXT_BYTES; i++) {
		if (!data[i])
			return 0;
		if (isalnum(data[i]))
			last = data[i];
	}
	return last;
}

/* Runs the test and reads its path. 0; 1: there is none to negate; -1. */
static int begin(struct search *s, struct search_suspended *h)
{
	struct expansion *x = &h->x;
	int whole, counted, r = trace_of(s, h, &whole, &counted);
	if (r > 0) /* it wrote over its trace */
		search_lose(s, LOSS_UNTRACED);
	if (r)
		return r;
	search_read_path(s, &s->now.parent, &s->now.parent_calls, &x->trace);
	if (search_kind_calls(s->o.kind) && frames_read(&s->now.frames, &x->trace, &s->now.parent)) {
		frames_release(&s->now.frames);
		if (!s->o.ic_shares) { /* else its decisions are in no call, and generational search has them */
			search_lose(s, LOSS_UNTRACED);
			return 1;
		}
	}
	search_note(s, &s->now.parent);
	if (!s->o.unit && x->test->stage == STAGE_UNCOVERED)
		operands_offer(s, x->test->id, &x->trace, &s->now.parent, x->data, x->size);
	if (s->h.path)
		s->h.path(s->h.ctx, &s->now.parent, &s->sites);
	if (!counted)
		note_losses(s, whole);
	if (s->now.parent.assumed)
		x->test->flags |= TEST_ASSUMED;
	if (checks_tell_all(s, x->test, &s->now.parent, NULL))
		return -1;
	if (s->o.unit && !h->borrowed)
		memory_add(&s->known.paths, path_key(&s->now.parent));
	if ((s->o.unit || s->next.ic) && !h->borrowed)
		traces_keep(&s->next.traces, h->test, &x->trace, whole, 1);
	return 0;
}

static struct search_suspended *expansion_new(struct search *s, struct search_test *t, const struct buf *data)
{
	struct search_suspended *h = mem_zalloc(sizeof *h);
	buf_add(&h->data, data->data, data->size);
	h->test = t->id;
	h->x = (struct expansion){.test = t, .data = (const uint8_t *)h->data.data, .size = h->data.size};
	h->x.filler = s->o.unit ? 0 : filler(h->x.data, h->x.size);
	return h;
}

int search_expand(struct search *s, struct search_test *t, const struct buf *data)
{
	struct search_suspended *h = suspended_take(s, t, ic_entry_number(s));
	int fresh = !h, r = 0;
	if (fresh) {
		h = expansion_new(s, t, data);
		r = begin(s, h);
	}
	if (r > 0)
		t->stage = STAGE_DONE;
	if (r) {
		suspended_free(h);
		return r < 0 ? -1 : 0;
	}
	r = ask_loops(s, &h->x);
	if (!r && fresh)
		open_terms(s, h);
	if (!r && h->x.pool)
		r = negate_all(s, h);
	if (r > 0 && h->x.pool) {
		suspended_keep(s, h, ic_entry_number(s));
		return r;
	}
	suspended_free(h);
	if (r == 0 && s->o.unit && t->stage == STAGE_ALL && s->now.parent.concretisations && !(t->flags & TEST_VALUES))
		t->flags |= TEST_VALUES;
	else if (r == 0)
		t->stage++;
	if (t->stage >= STAGE_DONE && (!ic_is_on(s) || ic_at_root(s))) /* callers explore it again */
		traces_drop(&s->next.traces, t->id);
	return r;
}
