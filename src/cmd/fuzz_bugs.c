/* fuzz_bugs.c: from an input that failed to a bug that is told.
 *
 * A failing run is looked at once for each set of branches it took (its signature).
 * Looking means a fresh run of the san variant, which says kind, place and
 * bucket. A new bucket is shrunk and written to crashes/ or hangs/; a known one is only
 * counted. The san variant is slow: while the search runs it gets a tenth of the
 * time, and what has to wait is looked at later, at the latest when the search ends.
 */
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/fuzz.h"
#include "search/minimize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARE 0.1	/* of the time, for looking at failures */
#define WAITING 1000	/* failures that wait */
#define SHRINK_RUNS 400 /* runs of the san variant for shrinking one */

static uint64_t signature(const struct exec_result *r)
{
	uint64_t h = (uint64_t)r->end << 8 | (unsigned)r->signal;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->counters[i])
			h = hash_mix(h ^ i);
	return h;
}

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
	int same =
	    confirm_run(s->confirm, data, size, &f) == 0 && f.failed && f.bucket == s->bucket;
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
	if (x->failed && !p->hang) {
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
	if (r > 0)
		r = new_bug(f, p, &b, &x);
	finding_release(&x);
	f->confirm_seconds += fuzz_clock() - start;
	return r < 0 ? -1 : 0;
}

static int may_look(const struct fuzz *f)
{
	return f->o->search.repeatable || !f->confirm ||
	       f->confirm_seconds < SHARE * (fuzz_clock() - f->shared->started);
}

int fuzz_failed(struct fuzz *f, const struct search_test *t, const struct exec_result *r)
{
	struct pending_failure p = {
	    .test = t->id, .parent = t->parent, .signal = r->signal, .hang = r->end != RUN_SIGNAL};
	if (!map_set(&f->signatures, signature(r), 1))
		return 0;
	if (f->pending.size >= WAITING)
		return 0;
	buf_add(&p.data, t->data, t->size);
	vec_push(&f->pending, p);
	return 0;
}

int fuzz_failures_flush(struct fuzz *f, int all)
{
	size_t done = 0;
	int r = 0;
	while (done < f->pending.size && !r && (all || may_look(f))) {
		r = look(f, &f->pending.data[done]);
		buf_release(&f->pending.data[done].data);
		done++;
	}
	memmove(f->pending.data, f->pending.data + done,
		(f->pending.size - done) * sizeof *f->pending.data);
	f->pending.size -= done;
	return r;
}

void fuzz_bugs_release(struct fuzz *f)
{
	for (size_t i = 0; i < f->pending.size; i++)
		buf_release(&f->pending.data[i].data);
	vec_release(&f->pending);
	map_release(&f->signatures);
}
