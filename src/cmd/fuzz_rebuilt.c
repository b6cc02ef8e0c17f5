/* fuzz_rebuilt.c: a search that goes on with a program that was built anew.
 *
 * What the store knows of the old program is not true of the new one: which tests are explored,
 * what they cover, which bugs there are. So its coverage is forgotten, every test is
 * run again for the new one and goes back to the frontier, and every confirmed bug is run again in
 * the san variant. One that does not fail any more is only suspected from then on, until some input
 * shows it again.
 *
 * The bounds of tests are the old program's: such a search is not exhaustive. The name of the new
 * program is written last, so that a kill on the way repeats all of it.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/fuzz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RANK_COVERS 1e6 /* as tests that were just found */
#define RANK_OTHER 1e3

static int run_again(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	double rank =
	    row->flags & TEST_COVERS || row->origin == ORIGIN_SEED ? RANK_COVERS : RANK_OTHER;
	if (search_offer(f->search, row->data, row->size, row->origin, 1) < 0 ||
	    store_test_update(f->store, f->campaign, row->id, STAGE_UNCOVERED, rank, row->flags))
		return -1;
	return f->shared->stop;
}

/* 1: the program was rebuilt since the campaign's last search; 0, -1. */
static int was_rebuilt(struct fuzz *f, const char *name)
{
	struct buf old = {0};
	int r = store_value_get(f->store, f->campaign, "program", &old);
	if (r > 0)
		r = strcmp(buf_str(&old), name) != 0;
	buf_release(&old);
	return r;
}

static int refresh(struct fuzz *f)
{
	log_warn("%s was rebuilt since this search ran last: its %" PRIu64
		 " tests and its bugs are run again",
		 f->program, store_test_count(f->store, f->campaign));
	search_lost(f->search);
	if (fuzz_note_lost(f) || store_cover_clear(f->store, f->campaign))
		return -1;
	int r = store_test_each(f->store, f->campaign, 0, 1, run_again, f);
	return r < 0 || fuzz_count_pending(f) ? -1 : fuzz_bugs_again(f);
}

int fuzz_rebuilt(struct fuzz *f)
{
	char *dir = file_dir(f->cov.variant.path); /* cache/cov/DIGEST */
	const char *name = file_base(dir);
	int r = was_rebuilt(f, name);
	if (r > 0)
		r = refresh(f);
	if (!r && !f->shared->stop)
		r = store_value_set(f->store, f->campaign, "program", name, strlen(name));
	free(dir);
	return r;
}
