/* bugs.c: inputs that are to be run in the san variant, and when.
 *
 * Three kinds wait: runs that failed (the search tells of them once for each set of branches they took), inputs that were solved to break a
 * check, and all tests that are kept, since a defect that no input decides is found by no query. The san variant is slow: while the
 * search runs it gets a tenth of the time, tests that only are kept get less, but that whatever else waits: neither failures nor the
 * shrinking of bugs delays them. What has to wait is looked at when the search
 * ends, or, if that takes too long, when it goes on: the first test that waits stands in the store.
 *
 * One place is looked at again and again only as long as it pays: a check that was confirmed at an instruction, or was not
 * UNCONFIRMED times, is not looked at there any more.
 *
 * The san variant is made beside the search. Until it is there, everything waits.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "campaign/campaign.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHARE 0.1	   /* of the time, for looking at failures and violations */
#define KEPT_SHARE 0.07	   /* the same where nothing is expected */
#define KEPT_RUNS 20	   /* of a repeatable search, for one test that is looked at */
#define WAITING 1000	   /* failures that wait */
#define WAITING_KEPT 200000 /* tests likewise */
#define SHRINK_SHARE 0.2   /* for making inputs of bugs smaller */
#define PATIENCE 10	   /* seconds for the rest of them when the search ends */
#define PATIENCE_KEPT 2	   /* the same for tests */
#define FREE_LOOKS 10	   /* at failures while there is no bug, and at tests, however long they take */
#define FREE_LOOKS_END 50  /* of a repeatable search, at tests when it ends */
#define UNCONFIRMED 3	   /* predictions for one instruction that were not confirmed */
#define DONE 1000	   /* a number of looks that is never reached */

/* --------------------------------------------------------------- san variant */

/* Not where a search can be repeated: there it is made when it is needed. */
void fuzz_san_begin(struct fuzz *f)
{
	if (f->number || f->o->search.repeatable || !f->o->search.checks)
		return;
	pid_t parent = getpid(), pid = deadline_fork();
	if (pid) {
		f->bugs.san_maker = pid;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	deadline_child();
	deadline_phase(DEADLINE_FINISH); /* failures that were found last need it */
	struct variant v;
	log_still = 1; /* beside the search, which has the screen */
	file_exit_child(variant_make(f->program, VARIANT_SAN, &v) ? 1 : 0); /* who needs it asks again, and gets the words */
}

/* Is it there, so that asking for it does not take long? */
static int san_ready(struct fuzz *f)
{
	int status;
	if (f->bugs.san_maker > 0) {
		pid_t r = waitpid(f->bugs.san_maker, &status, WNOHANG);
		if (r == 0 || (r < 0 && errno == EINTR))
			return 0;
		f->bugs.san_maker = 0;
		if (r > 0 && (!WIFEXITED(status) || WEXITSTATUS(status)))
			f->shared->no_san = 1;
		f->shared->san_made = 1;
	}
	return f->shared->san_made || f->o->search.repeatable || !f->o->search.checks;
}

/* The end of patience, counted from now. */
static double until_from_now(const struct fuzz *f, double most)
{
	(void)f;
	return fuzz_clock() + (deadline_left() < most ? deadline_left() : most);
}

/* When the search is over: what failed is looked at however long that takes, what only is kept is not worth the wait. */
static int san_wait(struct fuzz *f)
{
	double until = until_from_now(f, PATIENCE_KEPT);
	struct timespec pause = {0, 20000000};
	while (!san_ready(f)) {
		if (deadline_cut())
			return 0;
		int worth = f->bugs.pending.size || (f->figures->ended && !f->shared->stop) || (!f->shared->stop && fuzz_clock() < until);
		if (!worth || (!f->bugs.pending.size && f->bugs.kept_at == f->bugs.kept.size))
			return 0;
		if (f->number) /* another worker makes it */
			return f->bugs.pending.size > 0;
		nanosleep(&pause, NULL);
	}
	return 1;
}

static void san_end(struct fuzz *f)
{
	if (f->bugs.san_maker <= 0)
		return;
	deadline_end_child(f->bugs.san_maker);
	while (waitpid(f->bugs.san_maker, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* -------------------------------------------------------------------- sites */

static uint64_t site_key(uint32_t checker, uint32_t unit, uint32_t index)
{
	return hash_mix(((uint64_t)unit << 32 | index) + (uint64_t)checker * 0x9e3779b97f4a7c15ull);
}

void fuzz_site_done(struct fuzz *f, const struct waiting_input *p)
{
	map_set(&f->bugs.looks, site_key(p->check.checker, p->check.unit, p->check.index), DONE);
}

/* ------------------------------------------------------------------ waiting */

static int may_look(const struct fuzz *f, double spent, double share)
{
	return f->o->search.repeatable || !f->run.confirm || spent < share * (fuzz_clock() - f->shared->started);
}

static int may_look_at_kept(const struct fuzz *f)
{
	if (f->bugs.looked < FREE_LOOKS)
		return 1;
	if (f->o->search.repeatable)
		return f->bugs.looked * KEPT_RUNS <= search_stats(f->search)->runs;
	return may_look(f, f->bugs.kept_seconds, KEPT_SHARE);
}

/* The first test whose failure waits stands in the store, for each worker: from there on they are looked
 * at again after a kill. 0: none waits. */
static int set_waiting(struct fuzz *f, unsigned worker, uint64_t first)
{
	char name[40], value[24];
	snprintf(name, sizeof name, "failures-wait-%u", worker);
	int n = snprintf(value, sizeof value, "%" PRIu64, first);
	return store_value_set(f->records.store, f->records.campaign, name, value, (size_t)n);
}

static uint64_t get_waiting(struct fuzz *f, unsigned worker)
{
	struct buf value = {0};
	char name[40];
	snprintf(name, sizeof name, "failures-wait-%u", worker);
	uint64_t first = store_value_get(f->records.store, f->records.campaign, name, &value) > 0 ? strtoull(buf_str(&value), NULL, 10) : 0;
	buf_release(&value);
	return first;
}

static int note_waiting(struct fuzz *f)
{
	uint64_t first = 0;
	for (size_t i = 0; i < f->bugs.pending.size; i++)
		if (!first || f->bugs.pending.data[i].test < first)
			first = f->bugs.pending.data[i].test;
	if (f->bugs.kept_at < f->bugs.kept.size && (!first || f->bugs.kept.data[f->bugs.kept_at] < first))
		first = f->bugs.kept.data[f->bugs.kept_at];
	return set_waiting(f, f->number, first);
}

/* Whether to look at one more now that the search is over. One that came to its end tells all it found. */
static int patient(const struct fuzz *f, double until)
{
	if (deadline_cut() || (f->o->until_bug && f->figures->bugs))
		return 0;
	if (f->o->search.repeatable) /* no clock decides */
		return f->bugs.pending.size || f->bugs.looked < FREE_LOOKS_END + search_stats(f->search)->runs / KEPT_RUNS;
	if (f->figures->ended)
		return f->o->workers > 1 || !f->shared->stop;
	return fuzz_clock() < until;
}

int fuzz_failed(struct fuzz *f, const struct search_test *t, const struct exec_result *r)
{
	struct waiting_input p = {
	    .test = t->id, .parent = t->parent, .signal = r->signal, .hang = r->end != RUN_SIGNAL};
	/* All hangs are one bug, and each costs many times the limit to look at. */
	if (f->bugs.pending.size >= WAITING || (p.hang && f->figures->hangs))
		return 0;
	p.urgent = !p.hang && !f->figures->bugs && f->bugs.failures++ < FREE_LOOKS;
	buf_add(&p.data, t->data, t->size);
	vec_push(&f->bugs.pending, p);
	return f->bugs.pending.size == 1 ? note_waiting(f) : 0;
}

int fuzz_violated(struct fuzz *f, const struct search_test *t, const struct search_violation *v)
{
	struct waiting_input p = {.why = PENDING_VIOLATED, .test = t->id, .parent = t->parent, .sent = v->sent,
				    .check = {v->checker, v->unit, v->index}};
	uint64_t looks = 0, key = site_key(v->checker, v->unit, v->index);
	map_get(&f->bugs.looks, key, &looks);
	if (looks >= DONE && v->broken && v->sent)
		f->bugs.failed[v->checker]++; /* once more what is confirmed there */
	if (looks >= UNCONFIRMED || f->bugs.pending.size >= WAITING || (!v->broken && t->flags & (TEST_DIVERGED | TEST_OPTIMISTIC)))
		return 0;
	map_set(&f->bugs.looks, key, looks + 1);
	p.urgent = !looks;
	buf_add(&p.data, t->data, t->size);
	vec_push(&f->bugs.pending, p);
	return f->bugs.pending.size == 1 ? note_waiting(f) : 0;
}

int fuzz_kept(struct fuzz *f, uint64_t test)
{
	if (!f->o->search.checks || f->bugs.kept.size - f->bugs.kept_at >= WAITING_KEPT)
		return 0;
	if (f->bugs.kept_at && f->bugs.kept_at == f->bugs.kept.size)
		f->bugs.kept_at = f->bugs.kept.size = 0;
	vec_push(&f->bugs.kept, test);
	return f->bugs.kept.size - f->bugs.kept_at == 1 ? note_waiting(f) : 0;
}

/* The next one: what is urgent comes first. */
static size_t next_pending(const struct fuzz *f)
{
	for (size_t i = 0; i < f->bugs.pending.size; i++)
		if (f->bugs.pending.data[i].urgent)
			return i;
	return 0;
}

static int look_at_pending(struct fuzz *f, size_t at)
{
	struct waiting_input p = f->bugs.pending.data[at];
	memmove(f->bugs.pending.data + at, f->bugs.pending.data + at + 1, (f->bugs.pending.size - at - 1) * sizeof p);
	f->bugs.pending.size--;
	int r = fuzz_look(f, &p);
	if (r > 0) /* there was no time: it waits as before */
		vec_push(&f->bugs.pending, p);
	else
		buf_release(&p.data);
	return r;
}

/* 0; 1: there is none; -1. */
static int look_at_kept(struct fuzz *f)
{
	struct waiting_input p = {.why = PENDING_KEPT};
	struct store_test row;
	if (f->bugs.kept_at >= f->bugs.kept.size || f->shared->no_san)
		return 1;
	/* By turns the oldest and the newest: there are more than will ever be looked at, and what is kept at the same time is much the same. */
	uint64_t id = f->bugs.looked % 2 ? vec_pop(&f->bugs.kept) : f->bugs.kept.data[f->bugs.kept_at++];
	int r = store_test_get(f->records.store, f->records.campaign, id, &row, &p.data);
	p.test = id;
	p.parent = r > 0 ? row.parent : 0;
	f->bugs.looked++;
	r = r < 0 ? -1 : r ? fuzz_look(f, &p) : 0;
	if (r > 0) /* there was no time: it waits as before */
		vec_push(&f->bugs.kept, id);
	buf_release(&p.data);
	return r;
}

/* One look at a failure or violation, if it is time for it. 1: it was; 0; -1. */
static int pending_turn(struct fuzz *f, int all, double until)
{
	if (!f->bugs.pending.size)
		return 0;
	size_t at = next_pending(f);
	if (all ? !patient(f, until) : !f->bugs.pending.data[at].urgent && !may_look(f, f->bugs.confirm_seconds, SHARE))
		return 0;
	int r = look_at_pending(f, at);
	return r < 0 ? -1 : !r;
}

/* The same at a test. At the end failures come first. */
static int kept_turn(struct fuzz *f, int all, double until)
{
	if (all ? f->bugs.pending.size || !patient(f, until) : !may_look_at_kept(f))
		return 0;
	int r = look_at_kept(f);
	return r < 0 ? -1 : !r;
}

int fuzz_failures_flush(struct fuzz *f, int all)
{
	int r = 0, done = 0, any = 1;
	if (all ? !san_wait(f) : !san_ready(f))
		return 0;
	double until = until_from_now(f, PATIENCE), until_kept = until_from_now(f, PATIENCE_KEPT);
	double until_small = until_from_now(f, f->shared->stop ? PATIENCE_KEPT : PATIENCE);
	if (f->bugs.shrinks.size) /* they share what there is */
		until_kept = (fuzz_clock() + until_kept) / 2;
	while (any && (all || !fuzz_stopping(f))) {
		any = 0;
		if (r >= 0)
			any |= (r = pending_turn(f, all, until)) > 0;
		if (r >= 0)
			any |= (r = kept_turn(f, all, until_kept)) > 0;
		done |= any;
	}
	while (r >= 0 && !all && f->bugs.shrinks.size && !fuzz_stopping(f) && may_look(f, f->bugs.shrink_seconds, SHRINK_SHARE))
		r = fuzz_shrink_some(f);
	if (r >= 0 && all)
		r = fuzz_shrink_rest(f, until_small);
	if (all && f->bugs.pending.size)
		log_warn("%zu failing inputs wait to be looked at: the same command goes on with them", f->bugs.pending.size);
	if (r >= 0 && done && (all || !f->bugs.pending.size) && note_waiting(f))
		return -1;
	return r < 0 ? -1 : 0;
}

/* A bug whose file a kill kept from being written. */
static int restore_bug(void *ctx, const struct result_bug *b)
{
	struct fuzz *f = ctx;
	struct waiting_input p = {.parent = b->test, .hang = !strcmp(b->kind, "timeout")};
	struct result_bug whole = *b;
	char *name = NULL;
	if (b->input_file[0])
		return 0;
	int r = fuzz_write_failure(f, &p, &whole, &name);
	if (!r) {
		whole.input_file = name;
		r = store_bug_update(f->records.store, f->records.campaign, &whole);
	}
	free(name);
	return r ? -1 : 0;
}

static int look_again(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	struct search_test t = {.id = row->id, .parent = row->parent, .data = row->data, .size = row->size};
	struct exec_result r;
	if (row->flags & TEST_BROKEN && f->o->search.checks && f->bugs.pending.size < WAITING) {
		struct waiting_input p = {.why = PENDING_VIOLATED, .test = row->id, .parent = row->parent};
		buf_add(&p.data, row->data, row->size);
		vec_push(&f->bugs.pending, p);
	}
	if (!(row->flags & (TEST_CRASH | TEST_HANG)))
		return fuzz_kept(f, row->id) ? -1 : fuzz_leaving(f);
	if (exec_run(f->run.exec, row->data, row->size, &r))
		return -1;
	if (r.end == RUN_CUT)
		return 1;
	return r.end == RUN_EXIT || r.end == RUN_WAITING ? 0 : fuzz_failed(f, &t, &r);
}

int fuzz_failures_resume(struct fuzz *f)
{
	uint64_t first = 0;
	for (unsigned i = 0; i < FUZZ_WORKERS; i++) {
		uint64_t its = get_waiting(f, i);
		first = its && (!first || its < first) ? its : first;
	}
	if (first && store_test_each(f->records.store, f->records.campaign, first - 1, 1, look_again, f) < 0)
		return -1;
	for (unsigned i = 1; first && i < FUZZ_WORKERS && !fuzz_leaving(f); i++) /* this worker's now */
		if (get_waiting(f, i) && set_waiting(f, i, 0))
			return -1;
	return store_bug_each(f->records.store, f->records.campaign, restore_bug, f) < 0 ? -1 : 0;
}

struct again {
	struct fuzz *f;
	int own;	     /* the bugs are those of this campaign */
	struct map open;     /* buckets that no run confirmed in the version before, and their fates: they may be back */
	struct buf fates;
};

static int note_fixed(void *ctx, uint64_t bucket, enum older_fate fate, const char *words)
{
	struct again *a = ctx;
	(void)words;
	if (fate != OLDER_STILL)
		map_set(&a->open, bucket, (uint64_t)fate);
	return 0;
}

/* Another one now, or one that this campaign does not have: fuzz_look finds out the rest. */
static void look_later(struct fuzz *f, const struct result_bug *b, const struct finding *x)
{
	struct waiting_input p = {.test = b->test, .signal = x->bug.signal, .hang = !strcmp(x->bug.kind, "timeout")};
	buf_add(&p.data, b->data, b->size);
	vec_push(&f->bugs.pending, p);
}

#define WAS "; it was "

/* Of the program as it is now it is a suspicion. */
static int only_suspected(struct fuzz *f, const struct result_bug *b, const char *why)
{
	char *words = mem_printf("%s since the program was rebuilt" WAS "%s", why, b->summary);
	struct result_bug u = {.bucket = b->bucket, .summary = words};
	int r = store_bug_update(f->records.store, f->records.campaign, &u);
	free(words);
	return r;
}

static void add_fate(struct again *a, const struct result_bug *b, enum older_fate fate)
{
	struct result_bug as_it_was = *b;
	const char *at = strstr(b->summary, WAS);
	if (at && !b->confirmed)
		as_it_was.summary = at + strlen(WAS);
	older_fate_add(&a->fates, &as_it_was, fate);
}

static int run_bug(void *ctx, const struct result_bug *b)
{
	struct again *a = ctx;
	struct fuzz *f = a->f;
	struct finding x = FINDING_NONE;
	enum older_fate fate;
	uint64_t before = OLDER_FIXED;
	int r = 0;
	if (!b->confirmed && !map_get(&a->open, b->bucket, &before))
		return 0;
	if (older_judge(f, b, &x, &fate)) {
		r = -1;
	} else {
		if (b->confirmed || before == OLDER_UNKNOWN)
			add_fate(a, b, fate);
		if (fate != OLDER_STILL && b->confirmed && a->own)
			r = only_suspected(f, b, fate == OLDER_FIXED ? "does not fail any more" : x.bug.confirmed ? "its input fails otherwise" : "its input was not run");
		if (x.bug.confirmed && (!a->own || !b->confirmed || !finding_with(&x, b->bucket)))
			look_later(f, b, &x);
	}
	finding_release(&x);
	return r ? -1 : fuzz_leaving(f);
}

/* A test's number of another campaign means nothing here. */
static int run_other(void *ctx, const struct result_bug *b)
{
	struct result_bug own = *b;
	own.test = 0;
	return run_bug(ctx, &own);
}

int fuzz_bugs_again(struct fuzz *f, uint64_t campaign)
{
	struct again a = {.f = f, .own = campaign == f->records.campaign};
	int r = older_fates_each(f->records.store, campaign, note_fixed, &a);
	if (!r)
		r = store_bug_each(f->records.store, campaign, a.own ? run_bug : run_other, &a) < 0 ? -1 : 0;
	if (!r)
		r = older_fates_set(f, &a.fates);
	map_release(&a.open);
	buf_release(&a.fates);
	return r;
}

void fuzz_bugs_release(struct fuzz *f)
{
	for (size_t i = 0; i < f->bugs.pending.size; i++)
		buf_release(&f->bugs.pending.data[i].data);
	vec_release(&f->bugs.pending);
	fuzz_shrink_release(f);
	vec_release(&f->bugs.kept);
	map_release(&f->bugs.looks);
	map_release(&f->bugs.confirmed);
	san_end(f);
}
