/* fuzz_bugs.c: from an input that failed to a bug that is told.
 *
 * The search tells of a failing run once for each set of branches it took. Looking at it means a fresh run of the san variant, which says kind, place and
 * bucket. A new bucket is shrunk and written to crashes/ or hangs/; a known one is only
 * counted. The san variant is slow: while the search runs it gets a tenth of the
 * time, and what has to wait is looked at later: when the search ends, or, if that
 * takes too long, when it goes on.
 */
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/fuzz.h"
#include "search/minimize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARE 0.1	/* of the time, for looking at failures */
#define WAITING 1000	/* failures that wait */
#define PATIENCE 10	/* seconds for the rest of them when the search ends */
#define SHRINK_RUNS 400 /* runs of the san variant for shrinking one */

static struct confirm *confirmer(struct fuzz *f)
{
	if (!f->confirm) {
		struct launch_options o = f->cov.options;
		o.shm = NULL;
		o.server = 0;
		if (confirm_open(&f->confirm, f->program, &o))
			return NULL;
	}
	return f->confirm;
}

/* ---------------------------------------------------------------- shrinking */

struct shrink {
	struct confirm *confirm;
	uint64_t bucket;
};

static int same_bucket(void *ctx, const void *data, size_t size)
{
	struct shrink *s = ctx;
	struct finding f = {0};
	int same = -1;
	if (confirm_run(s->confirm, data, size, &f) == 0)
		same = f.failed && f.bucket == s->bucket;
	finding_release(&f);
	return same;
}

/* ----------------------------------------------------------------- keeping */

static int write_failure(struct fuzz *f, const struct pending_failure *p, struct store_bug *b,
			 char **name)
{
	struct outdir_entry e = {
	    .id = b->id,
	    .parent = p->parent,
	    .op = "fuzz",
	    .signal = p->signal,
	    .data = b->data,
	    .size = b->size,
	};
	return p->hang ? outdir_hang(f->outdir, &e, name) : outdir_crash(f->outdir, &e, name);
}

static void fill(struct store_bug *b, const struct pending_failure *p, struct finding *x)
{
	*b = (struct store_bug){
	    .bucket = x->bucket,
	    .kind = x->kind,
	    .function = x->function,
	    .file = x->file,
	    .line = x->line,
	    .confirmed = x->failed,
	    .test = p->test,
	    .summary = buf_str(&x->summary),
	    .report = buf_str(&x->report),
	    .input_file = "",
	    .data = p->data.data,
	    .size = p->data.size,
	};
}

/* What the run without sanitizers showed and the san variant did not: suspected. */
static void suspect(struct finding *x, const struct pending_failure *p)
{
	snprintf(x->kind, sizeof x->kind, "%s", p->hang ? "timeout" : "crash");
	x->bucket = hash_mix(0x5u + (uint64_t)p->signal * 2 + (uint64_t)p->hang);
	buf_clear(&x->summary);
	if (p->hang)
		buf_adds(
		    &x->summary,
		    "a run exceeded its limit; the san variant did not, with a multiple of it");
	else
		buf_addf(&x->summary, "a run was killed by signal %d; the san variant was not",
			 p->signal);
}

static int new_bug(struct fuzz *f, const struct pending_failure *p, struct store_bug *b,
		   struct finding *x)
{
	struct shrink shrink = {f->confirm, x->bucket};
	struct buf small = {0};
	char *name = NULL;
	int r = 0;
	if (x->failed && !p->hang && !f->o->no_shrink) {
		struct minimize m = {.keeps = same_bucket, .ctx = &shrink, .max_runs = SHRINK_RUNS};
		buf_add(&small, p->data.data, p->data.size);
		minimize_input(&m, &small); /* at worst it is as it was */
		b->data = small.data;
		b->size = small.size;
	}
	if (write_failure(f, p, b, &name)) {
		r = -1;
	} else {
		b->input_file = name ? name : "";
		r = store_bug_update(f->store, f->campaign, b);
	}
	if (!x->failed)
		f->figures->suspected++;
	else if (p->hang)
		f->figures->hangs++;
	else
		f->figures->bugs++;
	if (!f->o->quiet && !f->o->json)
		log_warn("%s: %s", x->failed ? "bug" : "suspected", buf_str(&x->summary));
	free(name);
	buf_release(&small);
	return r;
}

static int look(struct fuzz *f, const struct pending_failure *p)
{
	struct finding x = {0};
	struct store_bug b;
	double start = fuzz_clock();
	struct confirm *c = confirmer(f);
	if (!c || confirm_run(c, p->data.data, p->data.size, &x)) {
		finding_release(&x);
		return -1;
	}
	if (!x.failed)
		suspect(&x, p);
	fill(&b, p, &x);
	int r = store_bug_add(f->store, f->campaign, &b);
	if (r > 0) {
		r = new_bug(f, p, &b, &x);
	} else if (!r && x.failed) { /* after a rebuild it may have been suspected only */
		b.data = NULL;
		b.input_file = NULL;
		r = store_bug_update(f->store, f->campaign, &b);
	}
	finding_release(&x);
	f->confirm_seconds += fuzz_clock() - start;
	return r < 0 ? -1 : 0;
}

static int may_look(const struct fuzz *f)
{
	return f->o->search.repeatable || !f->confirm ||
	       f->confirm_seconds < SHARE * (fuzz_clock() - f->shared->started);
}

/* The first test whose failure waits stands in the store, for each worker: from there on they are looked
 * at again after a kill. 0: none waits. */
static int set_waiting(struct fuzz *f, unsigned worker, uint64_t first)
{
	char name[40], value[24];
	snprintf(name, sizeof name, "failures-wait-%u", worker);
	int n = snprintf(value, sizeof value, "%" PRIu64, first);
	return store_value_set(f->store, f->campaign, name, value, (size_t)n);
}

static uint64_t get_waiting(struct fuzz *f, unsigned worker)
{
	struct buf value = {0};
	char name[40];
	snprintf(name, sizeof name, "failures-wait-%u", worker);
	uint64_t first = store_value_get(f->store, f->campaign, name, &value) > 0 ? strtoull(buf_str(&value), NULL, 10) : 0;
	buf_release(&value);
	return first;
}

static int note_waiting(struct fuzz *f)
{
	uint64_t first = 0;
	for (size_t i = 0; i < f->pending.size; i++)
		if (!first || f->pending.data[i].test < first)
			first = f->pending.data[i].test;
	return set_waiting(f, f->number, first);
}

/* Whether to look at one more now that the search is over. One that came to its end tells all it found. */
static int patient(const struct fuzz *f, double until)
{
	if (f->figures->ended)
		return f->o->workers > 1 || !f->shared->stop;
	return fuzz_clock() < until;
}

int fuzz_failed(struct fuzz *f, const struct search_test *t, const struct exec_result *r)
{
	struct pending_failure p = {
	    .test = t->id, .parent = t->parent, .signal = r->signal, .hang = r->end != RUN_SIGNAL};
	/* All hangs are one bug, and each costs many times the limit to look at. */
	if (f->pending.size >= WAITING || (p.hang && f->figures->hangs))
		return 0;
	buf_add(&p.data, t->data, t->size);
	vec_push(&f->pending, p);
	return f->pending.size == 1 ? note_waiting(f) : 0;
}

int fuzz_failures_flush(struct fuzz *f, int all)
{
	size_t done = 0;
	double until = fuzz_clock() + PATIENCE;
	int r = 0;
	while (done < f->pending.size && !r &&
	       (may_look(f) || (all && patient(f, until)))) {
		r = look(f, &f->pending.data[done]);
		buf_release(&f->pending.data[done].data);
		done++;
	}
	memmove(f->pending.data, f->pending.data + done,
		(f->pending.size - done) * sizeof *f->pending.data);
	f->pending.size -= done;
	if (all && f->pending.size)
		log_warn("%zu failing inputs wait to be looked at: the same command goes on with them", f->pending.size);
	if (done && (all || !f->pending.size) && note_waiting(f))
		return -1;
	return r;
}

/* A bug whose file a kill kept from being written. */
static int restore_bug(void *ctx, const struct store_bug *b)
{
	struct fuzz *f = ctx;
	struct pending_failure p = {.parent = b->test, .hang = !strcmp(b->kind, "timeout")};
	struct store_bug whole = *b;
	char *name = NULL;
	if (b->input_file[0])
		return 0;
	int r = write_failure(f, &p, &whole, &name);
	if (!r) {
		whole.input_file = name;
		r = store_bug_update(f->store, f->campaign, &whole);
	}
	free(name);
	return r ? -1 : 0;
}

static int look_again(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	struct search_test t = {.id = row->id, .parent = row->parent, .data = row->data, .size = row->size};
	struct exec_result r;
	if (!(row->flags & (TEST_CRASH | TEST_HANG)))
		return f->shared->stop;
	if (exec_run(f->exec, row->data, row->size, &r))
		return -1;
	return r.end == RUN_EXIT ? 0 : fuzz_failed(f, &t, &r);
}

int fuzz_failures_resume(struct fuzz *f)
{
	uint64_t first = 0;
	for (unsigned i = 0; i < FUZZ_WORKERS; i++) {
		uint64_t its = get_waiting(f, i);
		first = its && (!first || its < first) ? its : first;
	}
	if (first && store_test_each(f->store, f->campaign, first - 1, 1, look_again, f) < 0)
		return -1;
	for (unsigned i = 1; first && i < FUZZ_WORKERS && !f->shared->stop; i++) /* this worker's now */
		if (get_waiting(f, i) && set_waiting(f, i, 0))
			return -1;
	return store_bug_each(f->store, f->campaign, restore_bug, f) < 0 ? -1 : 0;
}

static int fails_still(void *ctx, const struct store_bug *b)
{
	struct fuzz *f = ctx;
	struct finding x = {0};
	struct confirm *c = b->confirmed ? confirmer(f) : NULL;
	int r = 0;
	if (!b->confirmed)
		return 0;
	if (!c || confirm_run(c, b->data, b->size, &x)) {
		r = -1;
	} else if (!x.failed) {
		char *words = mem_printf("does not fail any more since the program was rebuilt; it was %s", b->summary);
		struct store_bug u = {.bucket = b->bucket, .summary = words};
		r = store_bug_update(f->store, f->campaign, &u);
		free(words);
	} else if (x.bucket != b->bucket) { /* another one now: look() finds out the rest */
		struct pending_failure p = {.test = b->test, .signal = x.signal, .hang = !strcmp(x.kind, "timeout")};
		buf_add(&p.data, b->data, b->size);
		vec_push(&f->pending, p);
	}
	finding_release(&x);
	return r ? -1 : f->shared->stop;
}

int fuzz_bugs_again(struct fuzz *f)
{
	return store_bug_each(f->store, f->campaign, fails_still, f) < 0 ? -1 : 0;
}

void fuzz_bugs_release(struct fuzz *f)
{
	for (size_t i = 0; i < f->pending.size; i++)
		buf_release(&f->pending.data[i].data);
	vec_release(&f->pending);
}
