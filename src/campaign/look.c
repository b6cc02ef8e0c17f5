/* look.c: one input in the san variant, and what that makes of it.
 *
 * What failed is a bug, whatever was expected of it: kind and stack are its bucket. A new bucket is traced for the condition under
 * which its check breaks, written to crashes/ or hangs/, and reported; its input is shrunk later (shrink.c).
 * Of conversions only those count whose result does (traced_filter). What did not fail is nothing, if nothing was predicted. A
 * prediction of a checker with a run-time test of its own is confirmed by the check that a fresh traced run shows broken. Every other
 * prediction, and a failure that sanitizers do not see, is suspected: it has a bucket of its own, goes to suspected/, and counts for nothing.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "campaign/campaign.h"
#include "campaign/traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct confirm *confirmer(struct fuzz *f)
{
	if (!f->run.confirm) {
		struct launch_options o = f->run.cov.options;
		o.shm = NULL;
		o.server = 0;
		if (confirm_open(&f->run.confirm, f->program, &o))
			return NULL;
	}
	return f->run.confirm;
}

/* Between two slices the child's launcher is free. */
static struct traced tracer(struct fuzz *f)
{
	return (struct traced){f->run.child, &f->run.trace_child.shm, &f->run.trace_child.sites, f->argv, f->o->search.checks, NULL};
}

/* Does a fresh traced run show the check broken where it was predicted? A prediction without a place (of a search that was killed) becomes
 * that of the first check that is broken. */
static int shows_broken(struct fuzz *f, struct waiting_input *p, const void *data, size_t size, struct buf *condition)
{
	struct traced t = tracer(f);
	return traced_breaks(&t, data, size, &p->check, condition);
}

static void from_checker(struct fuzz *f, const struct waiting_input *p, int confirmed, const char *reason, struct buf *condition,
			 struct finding *x)
{
	struct traced t = tracer(f);
	traced_finding(&t, &p->check, confirmed, reason, buf_str(condition), x);
}

/* ------------------------------------------------------------ smaller inputs */

int fuzz_shows_bug(struct fuzz *f, struct waiting_input *p, uint64_t bucket, int own, const void *data, size_t size)
{
	struct finding x = FINDING_NONE;
	int same = -1;
	if (own)
		return shows_broken(f, p, data, size, NULL);
	struct traced t = tracer(f);
	if (confirm_run(f->run.confirm, data, size, &x) == 0 && !x.cut) {
		const struct finding *y = finding_with(&x, bucket);
		same = y != NULL;
		if (same && !strncmp(y->bug.kind, "implicit-", 9))
			same = traced_filter(&t, data, size, &p->check, 1, &x) ? -1 : finding_with(&x, bucket) != NULL;
	}
	finding_release(&x);
	return same;
}

/* Out of a run's findings the one with x's bucket, in the place of x: 1, or 0. */
static int take_bucket(struct finding *from, struct finding *x)
{
	const struct finding *same = finding_with(from, x->bug.bucket);
	if (!same)
		return 0;
	finding_choose(from, same);
	finding_release(x);
	*x = *from;
	*from = FINDING_NONE;
	return 1;
}

/* ----------------------------------------------------------------- keeping */

int fuzz_write_failure(struct fuzz *f, const struct waiting_input *p, const struct result_bug *b, char **name)
{
	struct outdir_entry e = {
	    .id = b->id,
	    .parent = p->parent,
	    .op = "fuzz",
	    .signal = p->signal,
	    .data = b->data,
	    .size = b->size,
	};
	if (!b->confirmed)
		return outdir_suspected(f->records.outdir, &e, name);
	return p->hang ? outdir_hang(f->records.outdir, &e, name) : outdir_crash(f->records.outdir, &e, name);
}

static void fill(struct result_bug *b, const struct waiting_input *p, const struct finding *x)
{
	uint64_t id = b->id;
	*b = x->bug;
	b->id = id;
	b->test = p->test;
	b->input_file = "";
	b->data = p->data.data;
	b->size = p->data.size;
}

static void tell(struct fuzz *f, const struct waiting_input *p, const struct finding *x)
{
	if (!x->bug.confirmed)
		f->figures->suspected++;
	else if (p->hang)
		f->figures->hangs++, f->figures->last_hang = (int64_t)time(NULL);
	else
		f->figures->bugs++, f->figures->last_crash = (int64_t)time(NULL);
	if (!f->o->quiet && !f->o->json)
		log_found("%s%s:%s %s", log_color(x->bug.confirmed ? "\033[1;31m" : "\033[33m"), x->bug.confirmed ? "bug" : "suspected", log_color("\033[0m"), x->bug.summary);
}

/* Writes a bug's file, and what the store has of it. 0, -1. */
static int put(struct fuzz *f, const struct waiting_input *p, struct result_bug *b)
{
	char *name = NULL;
	int r = fuzz_write_failure(f, p, b, &name);
	if (!r) {
		b->input_file = name;
		r = store_bug_update(f->records.store, f->records.campaign, b);
	}
	free(name);
	return r;
}

static int new_bug(struct fuzz *f, struct waiting_input *p, struct result_bug *b, struct finding *x, int own)
{
	struct traced t = tracer(f);
	int r = !x->bug.confirmed ? 0 : own ? traced_path(&t, p->data.data, p->data.size, x) : traced_condition(&t, p->data.data, p->data.size, x);
	fill(b, p, x);
	if (!r)
		r = put(f, p, b);
	if (r)
		return -1;
	tell(f, p, x);
	if (!x->bug.confirmed)
		return 0;
	fuzz_shrink_later(f, p, b, own);
	return f->o->search.repeatable ? fuzz_shrink_rest(f, 0) : 0;
}

/* How the bug shows with this input. 1; 0: it does not, this time; -1. */
static int describe(struct fuzz *f, struct waiting_input *p, int own, const struct buf *data, struct finding *x)
{
	struct finding all = FINDING_NONE;
	struct buf condition = {0};
	struct traced t = tracer(f);
	int r;
	if (own) {
		r = shows_broken(f, p, data->data, data->size, &condition);
		from_checker(f, p, 1, "", &condition, x);
		buf_release(&condition);
		return r > 0 && traced_path(&t, data->data, data->size, x) ? -1 : r;
	}
	if (confirm_run(f->run.confirm, data->data, data->size, &all))
		return -1;
	r = take_bucket(&all, x);
	if (!r)
		finding_release(&all);
	return r && traced_condition(&t, data->data, data->size, x) ? -1 : r;
}

int fuzz_bug_smaller(struct fuzz *f, struct waiting_input *p, uint64_t id, uint64_t bucket, int own, const struct buf *data)
{
	struct finding x = FINDING_NONE;
	struct result_bug b = {.id = id};
	x.bug.bucket = bucket;
	int r = describe(f, p, own, data, &x);
	if (r > 0) {
		fill(&b, p, &x);
		b.data = data->data;
		b.size = data->size;
		b.bucket = bucket;
		r = put(f, p, &b);
	}
	finding_release(&x);
	return r < 0 ? -1 : 0;
}

/* A bug that was suspected only, since a rebuild: this input shows it. */
struct known {
	uint64_t bucket;
	int confirmed;
};

static int find_known(void *ctx, const struct result_bug *b)
{
	struct known *k = ctx;
	if (b->bucket == k->bucket)
		k->confirmed = b->confirmed;
	return b->bucket == k->bucket;
}

static int keep(struct fuzz *f, struct waiting_input *p, struct finding *x, int own)
{
	struct result_bug b = {0};
	struct known k = {.bucket = x->bug.bucket};
	fill(&b, p, x);
	int r = store_bug_add(f->records.store, f->records.campaign, &b);
	if (r > 0)
		return new_bug(f, p, &b, x, own);
	if (r < 0 || !x->bug.confirmed || map_get(&f->bugs.confirmed, x->bug.bucket, NULL))
		return r;
	if (store_bug_each(f->records.store, f->records.campaign, find_known, &k))
		return -1;
	map_set(&f->bugs.confirmed, x->bug.bucket, 1);
	return k.confirmed ? 0 : new_bug(f, p, &b, x, own);
}

/* ------------------------------------------------------------------ verdicts */

/* What the run without sanitizers showed and the san variant did not. */
static void suspect_failure(struct finding *x, const struct waiting_input *p)
{
	x->bug.kind = p->hang ? "timeout" : "crash";
	x->bug.bucket = hash_mix(0x5u + (uint64_t)p->signal * 2 + (uint64_t)p->hang);
	x->bug.summary = p->hang ? "a run exceeded its limit; the san variant did not, with a multiple of it"
				 : finding_text(x, "a run was killed by signal %d; the san variant was not", p->signal);
}

struct place {
	const struct finding *x;
	checker_set checkers;
	int confirmed;
};

static int find_place(void *ctx, const struct result_bug *b)
{
	struct place *p = ctx;
	if (b->confirmed && b->line == p->x->bug.line && !strcmp(file_base(b->file), file_base(p->x->bug.file)) &&
	    checker_of_kind(b->kind) & p->checkers)
		p->confirmed = 1;
	return p->confirmed;
}

/* A prediction that was not confirmed. Where a bug of its kind is known, there is nothing left to suspect. */
static int suspect_prediction(struct fuzz *f, struct waiting_input *p, const char *reason)
{
	struct finding x = FINDING_NONE;
	struct buf condition = {0};
	struct place place = {&x, checker_pair(p->check.checker), 0};
	int r = shows_broken(f, p, p->data.data, p->data.size, &condition);
	from_checker(f, p, 0, reason, &condition, &x);
	if (r > 0)
		r = store_bug_each(f->records.store, f->records.campaign, find_place, &place) ? -1 : place.confirmed ? 0 : keep(f, p, &x, 0);
	buf_release(&condition);
	finding_release(&x);
	return r < 0 ? -1 : 0;
}

/* The run did not fail, as far as sanitizers see it. */
static int passed(struct fuzz *f, struct waiting_input *p, struct finding *x)
{
	struct buf condition = {0};
	int r = shows_broken(f, p, p->data.data, p->data.size, &condition);
	if (r > 0 && checker_get(p->check.checker)->test == CHECKER_OWN) {
		from_checker(f, p, 1, "", &condition, x);
		f->bugs.failed[p->check.checker] += (uint64_t)p->sent;
		fuzz_site_done(f, p);
		r = keep(f, p, x, 1);
	} else if (r > 0) { /* what the traced run does not show went elsewhere: that is no suspicion */
		r = suspect_prediction(f, p, "the run did not fail");
	}
	buf_release(&condition);
	return r < 0 ? -1 : 0;
}

/* What failed is a bug. 1: as predicted; 0; -1. */
static int failed(struct fuzz *f, struct waiting_input *p, struct finding *x)
{
	if (p->why != PENDING_FAILED) {
		p->hang = !strcmp(x->bug.kind, "timeout");
		p->signal = x->bug.signal;
	}
	int as_predicted = p->check.checker && checker_of_kind(x->bug.kind) & checker_pair(p->check.checker);
	return keep(f, p, x, 0) ? -1 : as_predicted;
}

static int judge(struct fuzz *f, struct waiting_input *p, struct finding *x)
{
	if (!x->bug.confirmed && (p->why == PENDING_KEPT || x->suppressed || finding_is_limit(x)))
		return 0;
	if (!x->bug.confirmed && p->why == PENDING_VIOLATED)
		return passed(f, p, x);
	if (!x->bug.confirmed) {
		suspect_failure(x, p);
		return keep(f, p, x, 0);
	}
	struct finding *more = x->more;
	size_t count = x->more_count;
	x->more = NULL, x->more_count = 0;
	int r = failed(f, p, x), any = r > 0, survived = x->survived;
	for (size_t i = 0; i < count; i++) {
		if (r >= 0)
			r = failed(f, p, &more[i]);
		any |= r > 0;
		finding_release(&more[i]);
	}
	free(more);
	if (r < 0 || !p->check.checker)
		return r < 0 ? -1 : 0;
	if (!any)
		return survived ? passed(f, p, x) : suspect_prediction(f, p, "the run fails of something else before");
	f->bugs.failed[p->check.checker] += (uint64_t)p->sent;
	fuzz_site_done(f, p);
	return 0;
}

int fuzz_look(struct fuzz *f, struct waiting_input *p)
{
	struct finding x = FINDING_NONE;
	double start = fuzz_clock();
	fuzz_stage(f, FUZZ_STAGE_LOOK);
	struct confirm *c = confirmer(f);
	struct traced t = tracer(f);
	int r = !c || confirm_run(c, p->data.data, p->data.size, &x) ? -1 : x.cut;
	if (!r)
		r = traced_filter(&t, p->data.data, p->data.size, &p->check, 1, &x) ? -1 : judge(f, p, &x);
	if (!r && !x.bug.confirmed && deadline_cut()) /* a traced run may have been missing */
		r = 1;
	finding_release(&x);
	*(p->why == PENDING_KEPT ? &f->bugs.kept_seconds : &f->bugs.confirm_seconds) += fuzz_clock() - start;
	return r;
}

int fuzz_fails_still(struct fuzz *f, const struct result_bug *b, struct finding *x)
{
	struct confirm *c = confirmer(f);
	return !c || confirm_run(c, b->data, b->size, x) ? -1 : 0;
}
