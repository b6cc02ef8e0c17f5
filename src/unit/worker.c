/* worker.c: a worker of `muster test`: takes functions, searches each, sends what it found.
 *
 * The fast runner, the two tracers and the search are opened once and serve all functions. Between
 * two functions the search is restarted: nothing of a function's result depends on which functions
 * this worker had before.
 *
 * How long: a function's budget is its runs and its seconds; where the session has a limit, also a
 * fair share of what is left of it. When every branch of the function itself is covered, a smaller
 * budget begins, for the remaining paths.
 *
 * Objects grow on demand: where every path within the bounds was run, or the budget for them is over, branches are left, and some test has an object
 * that is as large as the bounds allow, such tests are the seeds of a further search with larger objects, for a part of the budget more. What is claimed of the function stays what the search within the
 * bounds has shown; the larger ones only add tests, coverage and bugs.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "unit/unit.h"
#include "search/frontier.h"
#include "unit/choosing.h"
#include "unit/composing.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define SAME_CHECK 2	  /* inputs that break one check and are looked at */
#define VIOLATIONS 100	  /* in all, of a function */
#define SOLVE_SECONDS 0.3 /* of one query */
#define FREE_HANGS 3	  /* of a function, whose time is not that of its remaining paths */
#define HANG_SHARE 5	  /* of the time of a call, when one call of the function has used it up */
#define TRACE_SLOWER 4	  /* than a call that is not traced */
#define EXTEND_MOST 6	  /* times its budget for a function whose coverage still grows */
#define PART_SECONDS 0.5  /* between two messages of a function that has no budget of its own */
#define SHARE 1.5	  /* of an even share of the time that is left */
#define TRIAL 2		  /* part of a budget that a function has with summaries, where muster chose them */
#define GROWN_SEEDS 16	  /* inputs with larger objects to begin with, two of each test */
#define GROWN_SHARE 8	  /* part of the budget that larger objects get, from the last new outcome on */

struct test_worker {
	struct test_session *s;
	struct test_running *running;
	struct target trace, trace_child;
	struct exec *exec;
	struct launcher *parent, *child;
	struct search *search;
	struct frontier frontier;
	struct composing *composing; /* NULL: summaries stand for no calls */
	struct choosing *choosing;   /* NULL: how functions are searched is decided */
	/* The function at hand. */
	int composed; /* functions whose summaries may stand for calls of it */
	int aside;    /* it is to be searched with summaries */
	struct test_learned learned;
	struct test_function *f;
	double begun, covered_clock;
	double spent, covered_seconds, covered_running; /* by exec before the function; until something was covered last */
	uint64_t covered, covered_at,
	    covered_inputs; /* of its own outcomes; inputs when the last one was */
	uint64_t runs;	 /* its budget: that of the options, extended while coverage grows */
	double seconds;	 /* likewise; 0: none */
	int stopped;
	unsigned hangs; /* tests that did not return */
	/* Tests of the round before are known to the parent: its numbers of the tests of this search, which begins with them. */
	const struct test_case *earlier;
	size_t base;		/* how many there are */
	uint64_t seed;		/* the one that is being offered, from 1; 0: none */
	VEC(uint64_t) numbers;	/* by id in this search, from 1 */
	struct test_sent sent;	/* of the function, so far */
	double next_part;
	int fd;
	int failed;
	uint32_t growth; /* of objects */
	double grown_clock;    /* since then, and since so many inputs, */
	uint64_t grown_inputs; /* nothing new was covered with these; */
	double grown_seconds;  /* no longer than that, */
	uint64_t grown_runs;   /* and no more than so many */
};

/* ------------------------------------------------------------------- hooks */

static int is_own(const struct test_function *f, const struct search_cover *c)
{
	return c->unit == f->unit && c->outcome - f->first_outcome < f->outcomes;
}

/* Seconds that this function may have of what is left of --time; 0: any. */
static double share_of_time(const struct test_worker *w)
{
	const struct test_options *o = w->s->o;
	const struct test_shared *shared = w->s->round.shared;
	if (o->seconds <= 0)
		return 0;
	double left = test_search_seconds(o) - (test_clock() - shared->started);
	double functions = (double)w->s->round.turns.size - (double)shared->next + 1;
	uint64_t workers = o->workers ? o->workers : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	double share = SHARE * left * (double)workers / (functions < 1 ? 1 : functions);
	share = share > left ? left : share;
	return share < 0.01 ? 0.01 : share;
}

/* --time is there to be used: when every function had a turn, a function has no budget of its own. */
static int uses_rest(const struct test_worker *w)
{
	return w->s->round.rest;
}

/* An outcome of the function's own is new: as much again as it took, and a part of a budget, to find the next, but not without end. */
static void extend(struct test_worker *w, uint64_t inputs)
{
	const struct test_options *o = w->s->o;
	double seconds = test_clock() - w->begun + o->function_time / 2;
	double most = o->function_time * EXTEND_MOST, share = share_of_time(w);
	uint64_t runs = inputs + o->runs / 2;
	most = share > 0 && share < most ? share : most;
	seconds = seconds > most ? most : seconds;
	if (w->seconds > 0 && seconds > w->seconds)
		w->seconds = seconds;
	runs = runs > o->runs * EXTEND_MOST ? o->runs * EXTEND_MOST : runs;
	if (w->runs && runs > w->runs)
		w->runs = runs;
	search_limits(w->search, w->runs, w->seconds);
}

static void note_cover(struct test_worker *w, const struct search_cover *cover, size_t count,
		       uint32_t test)
{
	struct test_function *f = w->f;
	uint64_t inputs = search_inputs(w->search), before = w->covered;
	for (size_t i = 0; i < count; i++) {
		struct test_cover c = {cover[i].unit, cover[i].outcome, cover[i].mask, test};
		vec_push(&f->covers, c);
		/* One class only: the outcome is new, and not just taken another number of times.
		 */
		if (!is_own(f, &cover[i]) || cover[i].mask & (cover[i].mask - 1))
			continue;
		w->covered++;
		w->covered_at = inputs;
		if (w->covered == f->outcomes) {
			w->covered_clock = test_clock();
			w->covered_inputs = inputs;
		}
	}
	if (w->covered > before) {
		w->grown_clock = test_clock();
		w->grown_inputs = inputs;
		w->covered_seconds = test_clock() - w->begun;
		w->covered_running = exec_spent(w->exec) - w->spent;
		extend(w, inputs);
	}
}

static void set_run_time(struct test_worker *w, double seconds)
{
	exec_set_time(w->exec, seconds);
	launcher_set_time(w->parent, seconds * TRACE_SLOWER);
	launcher_set_time(w->child, seconds * TRACE_SLOWER);
}

/* A call that does not return costs what a hundred others do. Where one was seen there are more: they get less time. What is killed wrongly
 * then is a loss, and no bug: the san variant has its own limit. */
static void note_hang(struct test_worker *w)
{
	double seconds = w->s->o->run_time;
	if (!w->hangs)
		set_run_time(w, seconds / HANG_SHARE);
	else
		seconds /= HANG_SHARE;
	if (w->hangs++ < FREE_HANGS)
		w->covered_clock += seconds;
}

static int add(void *ctx, struct search_test *t, const struct search_cover *cover, size_t count)
{
	struct test_worker *w = ctx;
	struct test_function *f = w->f;
	int added = frontier_add(&w->frontier, t, cover, count);
	if (added <= 0)
		return added;
	uint64_t number = w->seed ? w->seed : w->base + f->tests.size + 1;
	if (t->id != w->numbers.size + 1)
		BUG("test %llu of '%s' out of order", (unsigned long long)t->id, f->name);
	vec_push(&w->numbers, number);
	struct test_case c = {
	    .id = number,
	    .parent = t->parent ? w->numbers.data[t->parent - 1] : 0,
	    .data = w->frontier.tests.data[t->id - 1].data,
	    .size = t->size,
	    .origin = t->origin,
	    .flags = t->flags,
	    .new_outcomes = t->news.outcomes,
	    .path = t->path,
	    .run = search_inputs(w->search),
	    .found = w->s->o->repeatable ? 0 : test_clock() - w->begun,
	};
	if (t->flags & TEST_HANG)
		note_hang(w);
	if (!w->seed)
		vec_push(&f->tests, c);
	note_cover(w, cover, count, (uint32_t)number);
	return added;
}

static int take(void *ctx, struct search_test *t, struct buf *data)
{
	struct test_worker *w = ctx;
	return frontier_take(&w->frontier, t, data);
}

static int update(void *ctx, const struct search_test *t)
{
	struct test_worker *w = ctx;
	uint64_t number = t->id && t->id <= w->numbers.size ? w->numbers.data[t->id - 1] : 0;
	if (number > w->base) {
		struct test_case *c = &w->f->tests.data[number - w->base - 1];
		c->flags = t->flags;
		c->path = t->path ? t->path : c->path;
	}
	return frontier_update(&w->frontier, t);
}

static int failed(void *ctx, const struct search_test *t, const struct exec_result *r)
{
	(void)ctx, (void)t, (void)r; /* its flags say so, and the parent looks at it */
	return 0;
}

/* The parent looks at them; a few of each check are enough. */
static int violated(void *ctx, const struct search_test *t, const struct search_violation *v)
{
	struct test_worker *w = ctx;
	struct test_function *f = w->f;
	unsigned same = 0;
	for (size_t i = 0; i < f->violations.size; i++) {
		const struct traced_check *c = &f->violations.data[i].check;
		same += c->checker == v->checker && c->unit == v->unit && c->index == v->index;
	}
	if (!v->broken || t->flags & TEST_ASSUMED || same >= SAME_CHECK || f->violations.size >= VIOLATIONS)
		return 0;
	uint64_t number = t->id && t->id <= w->numbers.size ? w->numbers.data[t->id - 1] : 0;
	vec_push(&f->violations, (struct test_violation){{v->checker, v->unit, v->index}, number, v->sent,
						      arena_copy(&f->arena, t->data, t->size), t->size});
	return 0;
}

static uint32_t taken(void *ctx, const uint8_t *data, size_t size, uint64_t at)
{
	const struct test_worker *w = ctx;
	return harness_taken(w->s->driven.harness, w->f->harness->number, data, size, (size_t)at);
}

static int all_covered(const struct test_worker *w)
{
	return w->covered >= w->f->outcomes;
}

/* Larger objects have cost enough for nothing. */
static int grown_enough(const struct test_worker *w)
{
	if (!w->growth)
		return 0;
	if (w->runs && search_inputs(w->search) - w->grown_inputs >= w->grown_runs)
		return 1;
	return w->seconds > 0 && test_clock() - w->grown_clock >= w->grown_seconds;
}

static int over(const struct test_worker *w)
{
	const struct test_options *o = w->s->o;
	if (w->s->round.shared->stop || deadline_over())
		return 1;
	if (!all_covered(w))
		return grown_enough(w);
	if (uses_rest(w))
		return 0;
	if (search_inputs(w->search) - w->covered_inputs >= o->path_runs)
		return 1;
	return !o->repeatable && test_clock() - w->covered_clock >= o->path_time;
}

/* What was found since the last message. A long search is checked while it lasts, and what it sent is not lost if it does not end in time. 0, -1. */
static int send_tests(struct test_worker *w, struct test_searched *r)
{
	struct test_function *f = w->f;
	struct buf body = {0};
	test_pack(&body, r, f, &w->sent);
	int e = test_send(w->fd, TEST_MESSAGE_FUNCTION, &body);
	buf_release(&body);
	w->sent = (struct test_sent){f->tests.size, f->covers.size, f->violations.size};
	return e;
}

static int pause_hook(void *ctx)
{
	struct test_worker *w = ctx;
	if (uses_rest(w) && w->sent.tests < w->f->tests.size && test_clock() >= w->next_part) {
		struct test_searched r = {.function = (uint32_t)(w->f - w->s->functions.data), .part = 1};
		w->next_part = test_clock() + PART_SECONDS;
		w->failed |= send_tests(w, &r);
		w->stopped |= w->failed;
	}
	if (w->choosing && !w->aside && !w->seed && choosing_wants(w->choosing, search_inputs(w->search), &w->learned))
		w->aside = 1;
	if (over(w) || w->aside)
		w->stopped = 1;
	return w->stopped;
}

static void path_hook(void *ctx, const struct path *p, const struct sites *sites)
{
	struct test_worker *w = ctx;
	if (w->choosing && !w->aside)
		choosing_path(w->choosing, p, sites);
}

/* ----------------------------------------------------------------- opening */

static int open_targets(struct test_worker *w)
{
	struct test_session *s = w->s;
	struct target_options t = TARGET_DEFAULTS;
	t.time = s->o->run_time * TRACE_SLOWER;
	t.mem_mb = 4096;
	t.shm.events = 1 << 17;
	t.shm.nodes = 1 << 22;
	t.shm.table_limit = 4096;
	if (!s->o->no_invariants && !search_kind_composes(s->round.kind))
		t.shm.flags |= MUSTER_FLAG_ENTRIES;
	int variant = search_kind_calls(s->round.kind) ? VARIANT_CALLS : VARIANT_TRACE;
	if (variant == VARIANT_CALLS)
		t.shm.flags |= MUSTER_FLAG_CALLS | (search_kind_composes(s->round.kind) ? MUSTER_FLAG_SUMMARIES | MUSTER_FLAG_OUTPUTS | MUSTER_FLAG_COMPOSE : 0);
	if (target_make(&w->trace, s->driven.program, s->driven.argv, variant, &t) || target_make(&w->trace_child, s->driven.program, s->driven.argv, variant, &t))
		return -1;
	w->trace.options.directory = w->trace_child.options.directory = s->driven.scratch;
	w->trace.options.server = w->trace_child.options.server = 1;
	return 0;
}

static int open_search(struct test_worker *w)
{
	const struct test_options *o = w->s->o;
	struct search_options so = {
	    .seed = o->seed ? o->seed : 1,
	    .repeatable = o->repeatable,
	    .no_mutate = 1,
	    .unit = 1,
	    .cover_per_function = 1,
	    .max_input = 1 << 20,
	    .taken = taken,
	    .checks = o->checks,
	    .combine = o->combine,
	    .kind = w->s->round.kind,
	    .no_invariants = o->no_invariants,
	    .run_seconds = o->run_time,
	    .solve = {.seconds = o->repeatable ? 0 : SOLVE_SECONDS, .no_optimistic = 0, .stop = o->stop},
	};
	struct search_target t = {
	    .exec = w->exec,
	    .parent = w->parent,
	    .child = w->child,
	    .parent_shm = &w->trace.shm,
	    .child_shm = &w->trace_child.shm,
	    .sites = &w->trace.sites,
	    .program = w->s->driven.program,
	    .compose = w->composing ? composing_compose(w->composing) : NULL,
	    .to_objects = 1,
	};
	struct search_hooks hooks = {w, add, take, update, failed, pause_hook, violated, path_hook};
	frontier_init(&w->frontier);
	w->search = search_new(&so, &t, &hooks);
	return w->search ? 0 : -1;
}

static int open_worker(struct test_worker *w)
{
	if (open_targets(w) || exec_open(&w->exec, &w->s->driven.cov.options, 1) ||
	    !(w->parent = launcher_new(&w->trace.options)) ||
	    !(w->child = launcher_new(&w->trace_child.options)))
		return -1;
	if (search_kind_composes(w->s->round.kind) && !(w->composing = composing_new(w->s, w->trace.variant.path)))
		return -1;
	if (w->s->round.kind == KIND_AUTO)
		w->choosing = choosing_new(w->s);
	return open_search(w);
}

/* --------------------------------------------------------------- functions */

static double function_seconds(const struct test_worker *w)
{
	const struct test_options *o = w->s->o;
	if (o->repeatable)
		return 0;
	if (o->seconds <= 0)
		return o->function_time;
	double share = share_of_time(w);
	if (uses_rest(w))
		return share;
	return o->function_time > 0 && o->function_time < share ? o->function_time : share;
}

/* Are summaries tried on a function whose learning phase asked for them? What they do not settle has its whole budget without them afterwards. */
static int is_trial(const struct test_worker *w)
{
	return w->s->o->kind == KIND_AUTO && search_kind_composes(w->s->round.kind);
}

static int out_of_time(const struct test_worker *w)
{
	const struct test_options *o = w->s->o;
	return w->s->round.shared->stop || deadline_over() ||
	       (o->seconds > 0 && test_clock() - w->s->round.shared->started >= test_search_seconds(o));
}

static int was_entered(const struct test_worker *w, const struct test_function *f)
{
	if (w->base) /* in the round before */
		return 1;
	for (size_t i = 0; i < f->tests.size; i++)
		if (!(f->tests.data[i].flags & TEST_ASSUMED))
			return 1;
	return 0;
}

/* A part of the budget for larger objects, beyond what was used of it. */
static void begin_growth(struct test_worker *w)
{
	double used = test_clock() - w->begun;
	if (!w->growth++) {
		w->grown_runs = w->runs / GROWN_SHARE + 1;
		w->grown_seconds = w->seconds / GROWN_SHARE;
	}
	w->stopped = 0;
	w->grown_clock = test_clock();
	w->grown_inputs = search_inputs(w->search);
	if (w->runs && w->runs < w->grown_inputs + w->grown_runs)
		w->runs = w->grown_inputs + w->grown_runs;
	if (w->seconds > 0 && w->seconds < used + w->grown_seconds)
		w->seconds = used + w->grown_seconds;
	search_limits(w->search, w->runs, w->seconds);
}

/* Offers the newest tests that are at their bounds again, with larger ones. 1; 0: there are none; -1. */
static int grow(struct test_worker *w)
{
	const struct harness *h = w->s->driven.harness;
	uint32_t number = w->f->harness->number;
	VEC(struct buf) seeds = {0};
	int r = 0;
	for (size_t i = w->base + w->f->tests.size; i-- && seeds.size < GROWN_SEEDS;) {
		const struct test_case *t = i < w->base ? &w->earlier[i] : &w->f->tests.data[i - w->base];
		uint32_t growth = t->size > DRIVE_GROWTH ? t->data[DRIVE_GROWTH] : 0;
		if (growth != w->growth || t->flags & TEST_ASSUMED || !harness_full(h, number, t->data, t->size))
			continue;
		for (int stretch = 1; stretch >= 0; stretch--) {
			struct buf seed = {0};
			if (harness_grow(h, number, t->data, t->size, stretch, &seed))
				vec_push(&seeds, seed);
		}
	}
	if (seeds.size) {
		frontier_drop(&w->frontier);
		search_widen(w->search);
		begin_growth(w);
	}
	for (size_t i = 0; i < seeds.size; i++) {
		if (r >= 0)
			r = search_offer(w->search, seeds.data[i].data, seeds.data[i].size, ORIGIN_SEED, 1) < 0 ? -1 : 1;
		buf_release(&seeds.data[i]);
	}
	vec_release(&seeds);
	return r;
}

/* Until nothing is left to negate, or a limit comes. 0: the former; 1; -1. */
static int run_search(struct test_worker *w)
{
	uint64_t ended = search_losses(w->search)->count[LOSS_ENDED];
	int more = 1;
	while (more > 0 && !w->stopped)
		more = search_step(w->search);
	if (more < 0)
		return -1;
	return more || w->stopped || search_losses(w->search)->count[LOSS_ENDED] > ended;
}

static int has_grown(const struct test_case *t)
{
	uint32_t growth = t->size > DRIVE_GROWTH ? t->data[DRIVE_GROWTH] : 0;
	return growth && growth != DRIVE_SMALL;
}

/* The tests of the round before, which this process has from its parent. Those that cost most are found again, if at all. 0, -1. */
static int offer_earlier(struct test_worker *w)
{
	for (size_t i = 0; i < w->base && !over(w); i++) {
		const struct test_case *t = &w->earlier[i];
		if (t->flags & (TEST_HANG | TEST_WAITS | TEST_LONG) || has_grown(t))
			continue; /* larger objects have their time after these */
		w->seed = i + 1;
		if (search_offer(w->search, t->data, t->size, ORIGIN_SEED, 1) < 0)
			return -1;
	}
	w->seed = 0;
	return 0;
}

/* A function that is as it was: its tests are run for their coverage, however many there are. 0, -1. */
static int offer_reused(struct test_worker *w)
{
	for (int slow = 0; slow < 2; slow++) /* those that hang are run where they may cover what the others do not */
		for (size_t i = 0; i < w->base && !out_of_time(w); i++) {
			const struct test_case *t = &w->earlier[i];
			int hangs = (t->flags & (TEST_HANG | TEST_WAITS)) != 0;
			if (hangs != slow || (slow && (!t->new_outcomes || all_covered(w))))
				continue;
			w->seed = i + 1;
			if (search_offer(w->search, t->data, t->size, ORIGIN_SEED, 1) < 0)
				return -1;
		}
	w->seed = 0;
	return 0;
}

/* How its search had ended, unless time was too short to see its tests again. */
static void end_reused(const struct test_worker *w, struct test_searched *r)
{
	uint32_t number = r->function;
	uint64_t inputs = r->inputs;
	double seconds = r->seconds;
	if (out_of_time(w)) {
		r->ended = r->exhausted = 0;
		r->stopped = r->more = 1;
		return;
	}
	*r = w->f->reuse.result;
	r->function = number;
	r->inputs = inputs;
	r->seconds = seconds;
}

/* One that changed begins with the tests it had, which are no part of its budget. 0, -1. */
static int offer_seeds(struct test_worker *w)
{
	uint64_t before = search_inputs(w->search);
	for (size_t i = 0; i < w->f->reuse.seeds.size && !out_of_time(w); i++) {
		const struct test_case *t = &w->f->reuse.seeds.data[i];
		if (t->flags & (TEST_HANG | TEST_WAITS | TEST_LONG) || has_grown(t))
			continue;
		if (search_offer(w->search, t->data, t->size, ORIGIN_SEED, 1) < 0)
			return -1;
	}
	uint64_t offered = search_inputs(w->search) - before;
	double seconds = test_clock() - w->begun;
	if (!offered)
		return 0;
	w->covered_inputs = search_inputs(w->search);
	w->covered_clock = test_clock();
	w->runs += w->runs ? offered : 0;
	w->seconds += w->seconds > 0 && w->s->o->seconds <= 0 ? seconds : 0; /* --time holds whatever is offered */
	search_limits(w->search, w->runs, w->seconds);
	return 0;
}

/* From here on summaries stand for calls of these functions. */
static int set_functions(struct test_worker *w)
{
	size_t count;
	const struct muster_function *list = compose_functions(composing_compose(w->composing), &count);
	return shm_set_functions(&w->trace.shm, list, count) || shm_set_functions(&w->trace_child.shm, list, count);
}

static int begin_composing(struct test_worker *w, uint32_t number)
{
	w->composed = 0;
	if (!w->composing)
		return 0;
	w->composed = composing_prepare(w->composing, number, &w->trace.sites);
	return w->composed < 0 ? -1 : set_functions(w);
}

#define NOT_OFFERED (TEST_HANG | TEST_WAITS | TEST_LONG) /* tests that would hold the others up */

/* What was lost on the path of a test that is not offered again stays lost. */
static int is_one_left_out(const struct test_worker *w)
{
	for (size_t i = 0; i < w->f->tests.size; i++)
		if (w->f->tests.data[i].flags & NOT_OFFERED)
			return 1;
	return 0;
}

/* Branches are left that no choice of summaries leads to: the same tests once more, with all decisions of callees. 1; 0: there is nothing of that to do; -1. */
static int decompose(struct test_worker *w)
{
	if (w->composed <= 0 || all_covered(w) || out_of_time(w))
		return 0;
	w->composed = 0;
	compose_clear(composing_compose(w->composing));
	frontier_reopen(&w->frontier);
	search_widen(w->search);
	if (!is_one_left_out(w))
		search_found_anew(w->search);
	if (set_functions(w))
		return -1;
	for (size_t i = 0; i < w->f->tests.size && !over(w); i++) {
		const struct test_case *t = &w->f->tests.data[i];
		if (t->flags & NOT_OFFERED)
			continue;
		w->seed = w->base + i + 1;
		int kept = search_offer(w->search, t->data, t->size, ORIGIN_SEED, 1);
		if (kept < 0)
			return -1;
		if (!kept)
			search_lost(w->search); /* its path is not looked at */
	}
	w->seed = 0;
	return 1;
}

static int search_function(struct test_worker *w, uint32_t number, struct test_searched *r)
{
	struct test_function *f = &w->s->functions.data[number];
	uint32_t id = w->s->driven.harness->calls.data[f->harness->number].id;
	uint8_t first[DRIVE_PREFIX] = {(uint8_t)id, (uint8_t)(id >> 8), (uint8_t)(id >> 16),
				       (uint8_t)(id >> 24), [DRIVE_GROWTH] = w->s->o->small ? DRIVE_SMALL : 0};
	w->f = f;
	w->earlier = f->tests.data;
	w->base = f->tests.size;
	w->sent = (struct test_sent){0};
	w->next_part = test_clock() + PART_SECONDS;
	vec_clear(&w->numbers);
	memset(&f->tests, 0, sizeof f->tests); /* the parent has them */
	memset(&f->covers, 0, sizeof f->covers);
	memset(&f->violations, 0, sizeof f->violations);
	if (begin_composing(w, number))
		return -1;
	w->begun = w->covered_clock = test_clock();
	w->covered = w->covered_at = w->covered_inputs = 0;
	w->covered_seconds = w->covered_running = 0;
	w->spent = exec_spent(w->exec);
	w->stopped = 0;
	w->hangs = 0;
	w->growth = 0;
	w->aside = 0;
	w->learned = (struct test_learned){0};
	if (w->choosing)
		choosing_begin(w->choosing, number);
	frontier_clear(&w->frontier);
	search_restart(w->search);
	w->runs = uses_rest(w) && !w->s->o->runs_given ? 0 : w->s->o->runs;
	w->seconds = function_seconds(w);
	if (is_trial(w))
		w->runs = (w->runs + 1) / TRIAL, w->seconds /= TRIAL;
	search_limits(w->search, w->runs, w->seconds);
	set_run_time(w, w->s->o->run_time);
	int reused = f->reuse.how == TEST_REUSE_ALL && !uses_rest(w);
	int left = reused ? offer_reused(w) : offer_earlier(w);
	if (!left && !w->base)
		left = offer_seeds(w);
	if (!left && !w->numbers.size)
		left = search_offer(w->search, first, sizeof first, ORIGIN_SEED, 1) < 0 ? -1 : 0;
	if (!left && uses_rest(w) && !w->s->o->no_grow && !all_covered(w)) /* larger objects have the other half */
		search_limits(w->search, w->runs, w->seconds /= 2);
	if (!left && !reused && is_trial(w) && !w->composed)
		left = 1; /* no callee has summaries that may stand for a call */
	else if (!left && !reused)
		left = run_search(w);
	if (left > 0 && w->choosing && !w->aside && !out_of_time(w)) /* its budget may have ended in the learning phase */
		w->aside = choosing_wants(w->choosing, UINT64_MAX, &w->learned);
	int again = left || is_trial(w) ? 0 : decompose(w);
	if (again > 0)
		left = run_search(w);
	if (left < 0 || again < 0)
		return -1;
	*r = (struct test_searched){
	    .function = number,
	    .ended = !left,
	    .exhausted = !left && search_exhausted(w->search) && !(is_trial(w) && !all_covered(w)), /* what is left is looked for without summaries, too */
	    .composed = (uint32_t)w->composed,
	    .kind = w->s->round.kind == KIND_AUTO ? KIND_GENERATIONAL : w->s->round.kind,
	    .aside = (uint32_t)w->aside,
	    .learned = w->learned,
	    .stopped = left && out_of_time(w),
	    .frontier = w->frontier.heap.size,
	    .losses = *search_losses(w->search),
	};
	for (int grown = !w->s->o->no_grow && !reused && !w->aside && !is_trial(w); grown > 0 && !all_covered(w) && !out_of_time(w);) {
		grown = grow(w);
		if (grown < 0 || (grown > 0 && run_search(w) < 0))
			return -1;
	}
	r->ran = (uint32_t)was_entered(w, f);
	r->inputs = search_inputs(w->search);
	r->covered_at = w->covered_at;
	r->growth = w->growth;
	r->more = left || (w->growth && !all_covered(w));
	if (!w->s->o->repeatable) {
		r->seconds = test_clock() - w->begun;
		r->covered_seconds = w->covered_seconds;
		r->covered_running = w->covered_running;
	}
	if (reused)
		end_reused(w, r);
	if (number < TEST_COMPLETE)
		w->s->round.shared->complete[number] = r->ended && r->exhausted;
	return 0;
}

static int work(struct test_worker *w, int fd)
{
	struct test_session *s = w->s;
	struct search_stats search = {0};
	struct buf body = {0};
	uint32_t turn;
	w->fd = fd;
	while (!out_of_time(w) &&
	       (turn = __atomic_fetch_add(&s->round.shared->next, 1, __ATOMIC_SEQ_CST)) <
		   s->round.turns.size) {
		uint32_t number = s->round.turns.data[turn];
		struct test_function *f = &s->functions.data[number];
		struct test_searched r;
		if (f->harness->number == UINT32_MAX)
			continue;
		w->running->function = number;
		w->running->busy = 1;
		if (search_function(w, number, &r) || w->failed)
			return -1;
		search_stats_add(&search, search_stats(w->search));
		if (w->composing && composing_publish(w->s, number))
			return -1;
		if (send_tests(w, &r))
			return -1;
		w->running->busy = 0;
		vec_release(&f->tests);
		vec_release(&f->covers);
	}
	buf_clear(&body);
	test_pack_stats(&body, &search, search_solve_stats(w->search));
	test_send(fd, TEST_MESSAGE_STATS, &body);
	buf_release(&body);
	return 0;
}

static void close_worker(struct test_worker *w)
{
	search_free(w->search);
	composing_free(w->composing);
	choosing_free(w->choosing);
	frontier_release(&w->frontier);
	exec_close(w->exec);
	launcher_free(w->parent);
	launcher_free(w->child);
	target_release(&w->trace);
	target_release(&w->trace_child);
}

void test_worker(struct test_session *s, unsigned number, int fd)
{
	struct test_worker w = {.s = s, .running = &s->round.shared->workers[number]};
	signal(SIGINT, SIG_IGN); /* the parent has heard it, and says so */
	signal(SIGTERM, SIG_DFL);
	deadline_phase(DEADLINE_WORK);
	s->check.tracer = NULL; /* the parent's, if it has one by now */
	memset(&s->check.trace, 0, sizeof s->check.trace);
	int r = open_worker(&w);
	if (r) {
		log_warn("%s", error_text());
		file_exit_child(EXIT_USAGE);
	}
	r = work(&w, fd);
	if (r)
		log_warn("%s", error_text());
	close_worker(&w);
	file_exit_child(r ? EXIT_INTERNAL : EXIT_OK);
}
