/* hooks.c: joins the search to the store and the output directory.
 *
 * A test is acknowledged when its row is committed. Its file in queue/ is written
 * after that: a kill between the two leaves a row without a file, which the next start
 * puts right (fuzz_restore_files). The other order could leave a file that the
 * store does not know, whose name the next test would take.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/log.h"
#include "campaign/callees.h"
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

static struct store_test to_row(const struct fuzz *f, const struct search_test *t)
{
	int repeatable = f->o->search.repeatable;
	return (struct store_test){
	    .id = t->id,
	    .data = t->data,
	    .size = t->size,
	    .parent = t->parent,
	    .origin = t->origin,
	    .path = t->path,
	    .run = search_stats(f->search)->runs,
	    .found = repeatable ? 0 : fuzz_clock() - f->shared->started,
	    .new_outcomes = t->news.outcomes,
	    .flags = t->flags,
	    .stage = t->stage,
	    .rank = t->rank,
	    .bound = t->bound,
	};
}

static void from_row(struct search_test *t, const struct store_test *row)
{
	*t = (struct search_test){
	    .id = row->id,
	    .data = row->data,
	    .size = row->size,
	    .parent = row->parent,
	    .origin = row->origin,
	    .flags = row->flags,
	    .stage = row->stage,
	    .bound = row->bound,
	    .path = row->path,
	    .news = {.outcomes = row->new_outcomes},
	    .rank = row->rank,
	};
}

/* What covers something that no test covered before, seeds too: thousands of them may take the same path. The first test always has a
 * file: other fuzzers do not begin with an empty queue. */
static int stands_in_queue(uint32_t flags, uint64_t id)
{
	return !(flags & (TEST_CRASH | TEST_HANG)) && (flags & TEST_COVERS || id == 1);
}

static int write_file(struct fuzz *f, const struct store_test *row)
{
	struct outdir_entry e = {
	    .id = row->id,
	    .parent = row->parent,
	    .milliseconds = (uint64_t)(row->found * 1000),
	    .op = search_origin_key(row->origin),
	    .cov = row->new_outcomes > 0,
	    .data = row->data,
	    .size = row->size,
	};
	return outdir_queue(f->records.outdir, &e, NULL);
}

static int add_rows(struct fuzz *f, struct store_test *row, const struct search_cover *cover,
		    size_t count)
{
	int added = store_test_add(f->records.store, f->records.campaign, row);
	for (size_t i = 0; i < count && added >= 0; i++)
		if (store_cover_add(f->records.store, f->records.campaign, cover[i].unit, cover[i].outcome,
				    cover[i].mask, row->id))
			added = -1;
	return added;
}

static int add(void *ctx, struct search_test *t, const struct search_cover *cover, size_t count)
{
	struct fuzz *f = ctx;
	struct store_test row = to_row(f, t);
	if (store_begin(f->records.store))
		return -1;
	int added = add_rows(f, &row, cover, count);
	if (added < 0) {
		store_rollback(f->records.store);
		return -1;
	}
	if (store_commit(f->records.store))
		return -1;
	t->id = row.id;
	if (added) {
		f->figures->tests++;
		if (f->o->workers > 1)
			map_set(&f->records.own, row.id, 1);
		if (stands_in_queue(t->flags, row.id) && write_file(f, &row))
			return -1;
		if (!(t->flags & (TEST_CRASH | TEST_HANG | TEST_WAITS | TEST_ASSUMED)) && fuzz_kept(f, row.id))
			return -1;
	}
	return added;
}

static int take(void *ctx, struct search_test *t, struct buf *data)
{
	struct fuzz *f = ctx;
	struct store_test row = {0};
	int got =
	    store_frontier_take(f->records.store, f->records.campaign, f->number + 1, 600, STAGE_DONE, &row, data);
	if (got > 0) {
		from_row(t, &row);
		if (search_kind_composes(f->o->search.kind))
			t->bound = 0; /* ordinals are those of a path with other calls replaced */
		fuzz_copies_note(f, data->data, data->size);
		f->figures->ended = 0; /* at once: the supervisor counts those that have nothing to do */
	}
	if (!got)
		fuzz_callees_empty(f);
	return got;
}

/* What was lost is in the store before the progress that came after it: a search that is resumed
 * does not claim more than one that was never stopped. */
int fuzz_note_lost(struct fuzz *f)
{
	if (search_losses(f->search)->sized && !f->records.noted_sized) {
		f->records.noted_sized = 1;
		if (store_value_set(f->records.store, f->records.campaign, "sized", "1", 1))
			return -1;
	}
	if (search_exhausted(f->search)) {
		if (f->shared->lost)
			search_lost(f->search);
		return 0;
	}
	f->shared->lost = 1;
	if (f->records.noted_lost)
		return 0;
	f->records.noted_lost = 1;
	return store_value_set(f->records.store, f->records.campaign, "incomplete", "1", 1);
}

static int update(void *ctx, const struct search_test *t)
{
	struct fuzz *f = ctx;
	if (fuzz_note_lost(f))
		return -1;
	return store_test_update(f->records.store, f->records.campaign, t->id, t->stage, t->rank, t->flags);
}

static int failed(void *ctx, const struct search_test *t, const struct exec_result *r)
{
	return fuzz_failed(ctx, t, r);
}

static int violated(void *ctx, const struct search_test *t, const struct search_violation *v)
{
	return fuzz_violated(ctx, t, v);
}

int fuzz_stopping(const struct fuzz *f)
{
	const struct search_stats *s = search_stats(f->search);
	if (f->shared->stop || (f->o->until_bug && f->figures->bugs))
		return 1;
	if (f->o->runs && s->runs >= f->o->runs / f->o->workers)
		return 1;
	return deadline_over();
}

static int pause(void *ctx)
{
	struct fuzz *f = ctx;
	double now = fuzz_clock();
	if (now >= f->next.publish) {
		f->next.publish = now + PUBLISH_SECONDS;
		fuzz_publish(f);
	}
	if (fuzz_stopping(f))
		f->stopped = 1;
	return f->stopped || fuzz_callees_due(f);
}

struct search_hooks fuzz_hooks(struct fuzz *f)
{
	return (struct search_hooks){f, add, take, update, failed, pause, violated, NULL};
}

/* ------------------------------------------------------------------ imports */

static int import_row(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	f->records.imported = row->id;
	if (map_get(&f->records.own, row->id, NULL) || !(row->flags & TEST_COVERS))
		return 0;
	struct search_test t;
	from_row(&t, row);
	return search_learn(f->search, &t) ? -1 : f->stopped;
}

static int import_file(void *ctx, const void *data, size_t size, const char *from)
{
	struct fuzz *f = ctx;
	(void)from;
	return search_offer(f->search, data, size, ORIGIN_IMPORTED, 0) < 0 ? -1 : f->stopped;
}

int fuzz_import(struct fuzz *f)
{
	if (f->o->workers > 1 &&
	    store_test_each(f->records.store, f->records.campaign, f->records.imported, 1, import_row, f) < 0)
		return -1;
	if (f->o->secondary && f->number == 0 && outdir_sync(f->records.outdir, import_file, f) < 0)
		return -1;
	return 0;
}

static int restore_row(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	if (!stands_in_queue(row->flags, row->id) || outdir_has(f->records.outdir, row->id))
		return 0;
	struct store_test whole;
	struct buf data = {0};
	int r = store_test_get(f->records.store, f->records.campaign, row->id, &whole, &data);
	if (r > 0) {
		whole.data = data.data;
		whole.size = data.size;
		r = write_file(f, &whole);
	}
	buf_release(&data);
	return r < 0 ? -1 : 0;
}

int fuzz_restore_files(struct fuzz *f)
{
	return store_test_each(f->records.store, f->records.campaign, 0, 0, restore_row, f) < 0 ? -1 : 0;
}
