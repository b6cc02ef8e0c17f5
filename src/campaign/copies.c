/* copies.c: fast copies of functions, made beside the search for those that pay.
 *
 * The trace variant of a large program has slow copies of functions only (build/copies.h). A search that has spent some time in traced runs
 * looks where fast copies would save it: tests that were explored last are run in the cov variant, whose counters say how often each decision
 * was made, and traced, which says how often it was made on labels. Decisions that are made often and hardly ever on labels make their function
 * hot. Functions without a decision have no counter: they are hot where a hot function calls them. The hottest get fast copies, as many as
 * there is a budget for, when traced runs have taken as long as making them does, by an estimate: a search spends at most twice what
 * it would if it had known.
 *
 * A process beside the search makes the variant, on one processor and only when no other process wants it. The first worker starts it and waits for it; it
 * ends with the search, whatever it has done. When it is through, each worker takes the new variant between two steps of its search. Both write the
 * same events at the same sites, so nothing that is known of tests and paths changes.
 *
 * Not where a search can be repeated to the byte: when the variant is there depends on the machine.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "build/copies.h"
#include "campaign/campaign.h"
#include "campaign/choice.h"
#include "run/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_SECONDS 1.0 /* of processor time in traced runs before the first look; each look without a result doubles it */
#define AFTER_VARIABLE "MUSTER_COPIES_AFTER" /* other seconds than that, whatever making takes, and no low priority: for tests */
#define HOT 200		  /* decisions without labels in one run, of 255 that a counter can tell */
#define MOST_SECONDS 10.0 /* for fast copies that are made at once */
#define NICE 10		  /* of the process that makes them */
/* CPU time for an instruction of a unit that is made again, for one that gets a fast copy, and for the square of their number in one function. Measured on
 * zlib and lz4: 15 us; 110 to 140 us; inflate, with 9,509 instructions, takes 4.0 s. */
#define UNIT_US 20
#define FAST_US 120
#define SQUARE_NS 32

/* ------------------------------------------------------------- where it pays */

struct hot {
	uint32_t unit;
	struct site_function function;
	uint64_t score;
	int chosen;
};

struct profile {
	VEC(struct hot) list;
	struct map places; /* unit and first ordinal of a function to place in list + 1 */
	struct map labelled; /* unit and ordinal of a decision to events of one run */
};

static uint64_t place_key(uint32_t unit, uint32_t index)
{
	return (uint64_t)unit << 32 | index;
}

static struct hot *hot_of(struct profile *p, const struct site_function *f)
{
	uint64_t at;

	if (!map_get(&p->places, place_key(f->unit, f->first), &at)) {
		vec_push(&p->list, ((struct hot){.unit = f->unit, .function = *f}));
		at = p->list.size;
		map_set(&p->places, place_key(f->unit, f->first), at);
	}
	return &p->list.data[at - 1];
}

/* How often one decision was made, without those on labels. A counter stops at 255: what is labelled in half of the cases is so on the whole. */
static uint64_t score_of(struct profile *p, const struct site_table *t, uint32_t decision, const uint8_t *counters, uint32_t count)
{
	struct site_decision d;
	uint64_t n = 0, labelled = 0;

	if (!site_table_decision(t, decision, &d) || d.check)
		return 0;
	for (uint32_t k = 0; k < d.outcomes && d.first_outcome + k < count; k++)
		n += counters[d.first_outcome + k];
	map_get(&p->labelled, place_key(t->unit, d.index), &labelled);
	return n > 2 * labelled ? n - 2 * labelled : 0;
}

static void count_unit(struct profile *p, const struct site_table *t, const uint8_t *counters, uint32_t count)
{
	for (uint32_t i = 0; i < t->functions; i++) {
		struct site_function f;
		uint64_t score = 0;

		if (!site_table_function(t, i, &f))
			continue;
		for (uint32_t k = 0; k < f.decisions; k++)
			score += score_of(p, t, f.first_decision + k, counters, count);
		if (score >= HOT)
			hot_of(p, &f)->score += score;
	}
}

/* Traces the test. 1: there is no trace to look at; -1 with words. */
static int count_labelled(struct fuzz *f, struct profile *p, const struct buf *test)
{
	struct launch_input in = target_input(f->argv, test->data, test->size, NULL);
	struct run_result r;
	struct trace t;

	in.present = 1;
	map_clear(&p->labelled);
	if (launcher_run(f->run.child, &in, &r))
		return -1;
	if (r.end != RUN_EXIT || trace_open(&t, &f->run.trace_child.shm, 0))
		return 1;
	for (uint64_t i = 0; i < t.event_count; i++) {
		const struct muster_event *e = &t.events[i];
		uint64_t n = 0;

		if (e->kind != MUSTER_EV_BRANCH && e->kind != MUSTER_EV_SWITCH)
			continue;
		map_get(&p->labelled, place_key(e->unit, e->index), &n);
		map_set(&p->labelled, place_key(e->unit, e->index), n + 1);
	}
	trace_release(&t);
	return 0;
}

static int look_at(struct fuzz *f, struct profile *p, const struct buf *test)
{
	struct exec_result r;
	uint32_t count;
	int e = count_labelled(f, p, test);

	if (e)
		return e < 0 ? -1 : 0;
	if (exec_run(f->run.exec, test->data, test->size, &r))
		return -1;
	if (r.end != RUN_EXIT)
		return 0;
	const struct exec_unit *units = exec_units(f->run.exec, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct site_table *t = site_tables_find(&f->run.trace.sites, units[i].unit);

		if (t)
			count_unit(p, t, r.counters + units[i].first, units[i].count);
	}
	return 0;
}

/* ------------------------------------------------------------------- choice */

static int hotter(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->unit != y->unit ? (x->unit < y->unit ? -1 : 1) : x->function.first < y->function.first ? -1 : 1;
}

/* What was chosen, and what it costs. */
struct choice {
	struct copies_list list;
	struct map units; /* that are made again */
	double fast, again; /* seconds */
};

/* A variant with fast copies has all functions. */
static double missing_seconds(const struct fuzz *f)
{
	const struct site_tables *all = &f->run.trace.sites;
	struct copies_list made = {0};
	uint64_t left = 0;

	if (f->run.trace.variant.made) {
		copies_list_join(&made, f->run.trace.variant.made);
		left = copies_complete(&made, all);
		copies_list_release(&made);
	}
	return (double)left * UNIT_US * 1e-6;
}

static int take_function(struct choice *c, const struct site_tables *all, const struct site_function *f)
{
	const struct site_table *t = site_tables_find(all, f->unit);
	double n = f->count, cost = n * FAST_US * 1e-6 + n * n * SQUARE_NS * 1e-9;

	if (!t || c->fast + cost > MOST_SECONDS || !copies_list_add(&c->list, f->unit, f->name))
		return 0;
	c->fast += cost;
	if (map_set(&c->units, f->unit, 1))
		c->again += t->instructions * (UNIT_US * 1e-6);
	return 1;
}

/* Checks are decisions without a counter. */
static int has_counter(const struct site_table *t, const struct site_function *f)
{
	for (uint32_t i = 0; i < f->decisions; i++) {
		struct site_decision d;

		if (site_table_decision(t, f->first_decision + i, &d) && !d.check)
			return 1;
	}
	return 0;
}

/* A function of that name without a decision: in the unit, or one that all units see. */
static int find_undecided(const struct site_tables *all, uint32_t unit, const char *name, struct site_function *out)
{
	for (size_t i = 0; i < all->count; i++)
		for (uint32_t k = 0; k < all->tables[i].functions; k++)
			if (site_table_function(&all->tables[i], k, out) && !strcmp(out->name, name) && (!out->internal || out->unit == unit) &&
			    !has_counter(&all->tables[i], out))
				return 1;
	return 0;
}

/* What the function calls that has no decision of its own, and what that calls likewise. */
static void take_callees(struct choice *c, const struct site_tables *all, const struct site_function *f)
{
	const struct site_table *t = site_tables_find(all, f->unit);

	for (uint32_t i = 0; t && i < t->sites; i++) {
		struct site s;
		struct site_function callee;

		if (!site_table_site(t, i, &s) || s.index < f->first || s.index - f->first >= f->count || s.kind != SITE_CALL || !*s.what)
			continue;
		if (find_undecided(all, f->unit, s.what, &callee) && take_function(c, all, &callee))
			take_callees(c, all, &callee);
	}
}

/* The hottest first, until the budget is used up. */
static void choose(struct fuzz *f, struct profile *p, struct choice *c)
{
	const struct site_tables *all = &f->run.trace.sites;

	if (p->list.size)
		qsort(p->list.data, p->list.size, sizeof *p->list.data, hotter);
	for (size_t i = 0; i < p->list.size; i++)
		p->list.data[i].chosen = take_function(c, all, &p->list.data[i].function);
	for (size_t i = 0; i < p->list.size; i++)
		if (p->list.data[i].chosen)
			take_callees(c, all, &p->list.data[i].function);
}

static int find_hot(struct fuzz *f, struct choice *out)
{
	struct profile p = {0};
	int e = 0;

	for (unsigned i = 0; i < FUZZ_RECENT && !e && !fuzz_stopping(f); i++)
		if (f->copies.recent[i].size)
			e = look_at(f, &p, &f->copies.recent[i]);
	if (!e)
		choose(f, &p, out);
	vec_release(&p.list);
	map_release(&p.places);
	map_release(&p.labelled);
	return e;
}

/* ------------------------------------------------------------------- making */

static void begin_making(struct fuzz *f, const struct copies_list *functions)
{
	pid_t parent = getpid(), pid = deadline_fork();
	struct variant v;

	if (pid) {
		f->copies.maker = pid > 0 ? pid : 0;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	deadline_child();
	log_still = 1; /* beside the search, which has the screen */
	pool_one();
	if (!getenv(AFTER_VARIABLE) && nice(NICE) < 0) /* a test waits for it: on a busy machine that would take minutes */
		errno = 0;
	file_exit_child(variant_make_fast(f->program, functions, &v) ? 1 : 0); /* who gets none goes on with what it has */
}

/* Is it through? Then every worker is notified. */
static void look_for_end(struct fuzz *f)
{
	int status;
	pid_t r = waitpid(f->copies.maker, &status, WNOHANG);

	if (r == 0 || (r < 0 && errno == EINTR))
		return;
	f->copies.maker = 0;
	if (r > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		f->shared->copies_made++;
}

static double traced_seconds(const struct fuzz *f)
{
	double s = search_stats(f->search)->traced_seconds;

	for (unsigned i = 1; i < f->o->workers; i++)
		s += f->shared->workers[i].search.traced_seconds;
	return s;
}

/* Is it time for a look? */
static int is_due(struct fuzz *f, double spent)
{
	const char *after = getenv(AFTER_VARIABLE);

	if (!f->copies.looks)
		f->copies.next = after ? strtod(after, NULL) : FIRST_SECONDS;
	return spent >= f->copies.next;
}

/* The first worker's part. */
static int make_more(struct fuzz *f)
{
	struct choice c = {0};
	double spent = traced_seconds(f);
	int e;

	if (f->copies.maker > 0) {
		look_for_end(f);
		return 0;
	}
	if (!is_due(f, spent))
		return 0;
	f->copies.looks++;
	f->copies.next = 2 * spent + 0.001;
	c.again = missing_seconds(f);
	e = find_hot(f, &c);
	if (!e && c.list.lines.size && spent < c.fast + c.again && !getenv(AFTER_VARIABLE))
		f->copies.next = c.fast + c.again;
	else if (!e && c.list.lines.size)
		begin_making(f, &c.list);
	copies_list_release(&c.list);
	map_release(&c.units);
	return e;
}

static int knows_calls(const struct fuzz *f)
{
	return search_kind_calls(f->o->search.kind) && !f->copies.without_calls;
}

/* Another variant of the same program in the place of the one that is run: mappings and site tables stay. One that cannot be had is done without. */
static int change(struct fuzz *f)
{
	struct target *targets[] = {&f->run.trace, &f->run.trace_child};
	struct launcher *launchers[] = {f->run.parent, f->run.child};

	for (int i = 0; i < 2; i++) {
		struct variant v;

		if (variant_make(f->program, VARIANT_TRACE, &v))
			return 0;
		target_replace(targets[i], &v);
		f->shared->copies = targets[i]->variant.copies;
		if (launcher_set_program(launchers[i], targets[i]->options.program, targets[i]->options.env))
			return -1;
		targets[i]->shm.options.flags &= ~(uint32_t)MUSTER_FLAG_CALLS;
	}
	if (knows_calls(f)) {
		if (choice_note(f))
			return -1;
		search_without_calls(f->search);
	}
	f->copies.without_calls = 1;
	return 0;
}

/* The calls variant has no fast copies, and is what a strategy needs that knows calls. Generational search knows more beside IC-Cut (auto), but can do without when running the program costs more than
 * all else. */
static int may_leave_calls(const struct fuzz *f)
{
	const struct search_stats *s = search_stats(f->search);

	if (!knows_calls(f))
		return 1;
	return f->o->search.ic_shares && (s->traced_seconds > s->symbolic_seconds / 2 || getenv(AFTER_VARIABLE));
}

int fuzz_copies_turn(struct fuzz *f)
{
	if (f->o->search.repeatable || !may_leave_calls(f) || (!knows_calls(f) && f->run.trace.variant.copies == COPIES_BOTH) || getenv(COPIES_VARIABLE))
		return 0;
	if (!f->number && make_more(f))
		return -1;
	if (f->copies.seen == f->shared->copies_made)
		return 0;
	f->copies.seen = f->shared->copies_made;
	return change(f);
}

void fuzz_copies_note(struct fuzz *f, const void *data, size_t size)
{
	struct buf *b = &f->copies.recent[f->copies.noted++ % FUZZ_RECENT];

	if (f->number || f->o->search.repeatable)
		return;
	buf_clear(b);
	buf_add(b, data, size);
}

void fuzz_copies_release(struct fuzz *f)
{
	for (unsigned i = 0; i < FUZZ_RECENT; i++)
		buf_release(&f->copies.recent[i]);
	if (f->copies.maker <= 0)
		return;
	deadline_end_child(f->copies.maker);
	while (waitpid(f->copies.maker, NULL, 0) < 0 && errno == EINTR)
		continue;
}
