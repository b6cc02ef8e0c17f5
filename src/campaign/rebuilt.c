/* rebuilt.c: a search that goes on with a program that was built anew, or with other checkers.
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
#include "campaign/campaign.h"
#include "report/checks.h"

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
	    store_test_update(f->records.store, f->records.campaign, row->id, STAGE_UNCOVERED, rank, row->flags))
		return -1;
	return fuzz_leaving(f);
}

/* 1: the program was rebuilt since the campaign's last search; 0, -1. */
static int was_rebuilt(struct fuzz *f, const char *name)
{
	struct buf old = {0};
	int r = store_value_get(f->records.store, f->records.campaign, "program", &old);
	if (r > 0)
		r = strcmp(buf_str(&old), name) != 0;
	buf_release(&old);
	return r;
}

static int refresh(struct fuzz *f)
{
	log_warn("%s was rebuilt since this search ran last: its %" PRIu64
		 " tests and its bugs are run again",
		 f->program, store_test_count(f->records.store, f->records.campaign));
	search_lost(f->search);
	if (fuzz_note_lost(f) || store_cover_clear(f->records.store, f->records.campaign))
		return -1;
	int r = store_test_each(f->records.store, f->records.campaign, 0, 1, run_again, f);
	return r < 0 || fuzz_count_pending(f) ? -1 : fuzz_bugs_again(f);
}

/* ------------------------------------------------------------ other checkers */

/* Tests go back to the frontier: their paths are asked for what no search looked for on them. */
static int explore_again(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	double rank =
	    row->flags & TEST_COVERS || row->origin == ORIGIN_SEED ? RANK_COVERS : RANK_OTHER;
	if (row->stage >= STAGE_DONE &&
	    store_test_update(f->records.store, f->records.campaign, row->id, STAGE_UNCOVERED, rank, row->flags))
		return -1;
	return fuzz_kept(f, row->id) ? -1 : fuzz_leaving(f);
}

/* What was looked for on the paths that are explored is written down as what this search looks for: with fewer checkers, the tests of
 * now do not speak of the others. A search that ends while tests go back is not the wiser: it does so again. */
int fuzz_other_checks(struct fuzz *f)
{
	struct buf old = {0}, now = {0};
	checker_set had = checker_default();
	check_option_word(&now, f->o->search.checks, NULL);
	int known = store_value_get(f->records.store, f->records.campaign, "checks", &old), r = known < 0 ? -1 : 0;
	if (known > 0 && checker_parse(buf_str(&old), &had))
		had = 0;
	if (!known && !f->records.fresh)
		had = 0; /* of a muster that had no active checks */
	if (!r && !f->records.fresh && f->o->search.checks & ~had && store_test_count(f->records.store, f->records.campaign)) {
		log_warn("this search did not look for all of this before: its %" PRIu64 " tests are explored again",
			 store_test_count(f->records.store, f->records.campaign));
		r = store_test_each(f->records.store, f->records.campaign, 0, 0, explore_again, f) < 0 || fuzz_count_pending(f) ? -1 : 0;
	}
	const char *list = now.size ? buf_str(&now) + strlen("--check ") : "default";
	size_t size = now.size ? strcspn(list, " ") : strlen(list);
	if (!r && !fuzz_leaving(f))
		r = store_value_set(f->records.store, f->records.campaign, "checks", list, size);
	buf_release(&old);
	buf_release(&now);
	return r;
}

int fuzz_rebuilt(struct fuzz *f)
{
	char *dir = file_dir(f->run.cov.variant.path); /* cache/cov/DIGEST */
	const char *name = file_base(dir);
	int r = was_rebuilt(f, name);
	if (r > 0)
		r = refresh(f);
	if (!r && !fuzz_leaving(f))
		r = store_value_set(f->records.store, f->records.campaign, "program", name, strlen(name));
	free(dir);
	return r;
}
