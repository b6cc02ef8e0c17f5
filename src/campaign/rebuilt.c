/* rebuilt.c: a search that goes on with a program that was built anew, or with other checkers.
 *
 * What the store knows of the old program is not true of the new one: which tests are explored,
 * what they cover, which bugs there are. So its coverage is forgotten, every test is
 * run again for the new one and goes back to the frontier, and every confirmed bug is run again in
 * the san variant. One that does not fail any more is only suspected from then on, until some input
 * shows it again. Tests that come to functions which changed (older.h) are explored first, those that were explored
 * and do not come to one last.
 *
 * A campaign that is new begins with the tests and bugs of the newest one that has the same command and is of another build,
 * in the same order.
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

#define RANK_REACHES 2e6 /* the change */
#define RANK_COVERS 1e6 /* as tests that were just found */
#define RANK_OTHER 1e3

struct replay {
	struct fuzz *f;
	struct older_reach *reach; /* NULL: what changed is not known */
	int reaching;		   /* of another campaign: those that do come first */
};

static double rank_of(const struct replay *p, const struct store_test *row, int reaches)
{
	if (reaches)
		return RANK_REACHES;
	if (p->reach && row->stage >= STAGE_DONE)
		return RANK_OTHER;
	return row->flags & TEST_COVERS || row->origin == ORIGIN_SEED ? RANK_COVERS : RANK_OTHER;
}

static int run_again(void *ctx, const struct store_test *row)
{
	struct replay *p = ctx;
	struct fuzz *f = p->f;
	int reaches = older_reaches(p->reach, f, row->data, row->size);
	if (reaches < 0 || search_offer(f->search, row->data, row->size, row->origin, 1) < 0 ||
	    store_test_update(f->records.store, f->records.campaign, row->id, STAGE_UNCOVERED, rank_of(p, row, reaches), row->flags))
		return -1;
	f->shared->older.tests++;
	f->shared->older.reaching += (uint64_t)reaches;
	return fuzz_leaving(f);
}

/* Figures of what was taken over, and the functions that changed. -1. */
static int begin(struct replay *p, struct fuzz *f, uint64_t campaign)
{
	struct older *o = &f->shared->older;
	*o = (struct older){.taken = 1, .spent = fuzz_clock()};
	*p = (struct replay){.f = f};
	if (older_version(f->records.store, campaign, &o->version, &o->seconds))
		return -1;
	if (o->version && o->version != f->shared->version)
		p->reach = older_reach_new(f, o->version);
	return 0;
}

static int end(struct replay *p, int r)
{
	struct older *o = &p->f->shared->older;
	o->spent = fuzz_clock() - o->spent;
	older_reach_free(p->reach);
	return r;
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
	struct replay p;
	if (fuzz_note_lost(f) || begin(&p, f, f->records.campaign))
		return -1;
	int r = store_cover_clear(f->records.store, f->records.campaign) || store_test_each(f->records.store, f->records.campaign, 0, 1, run_again, &p) < 0 ||
			fuzz_count_pending(f) || fuzz_bugs_again(f, f->records.campaign)
		    ? -1
		    : 0;
	return end(&p, r);
}

/* ---------------------------------------------------------- a new campaign */

static int offer_other(void *ctx, const struct store_test *row)
{
	struct replay *p = ctx;
	struct fuzz *f = p->f;
	int reaches = older_reaches(p->reach, f, row->data, row->size);
	if (reaches < 0)
		return -1;
	if (reaches != p->reaching)
		return 0;
	if (search_offer(f->search, row->data, row->size, ORIGIN_SEED, 1) < 0)
		return -1;
	f->shared->older.tests++;
	f->shared->older.reaching += (uint64_t)reaches;
	f->stopped |= fuzz_stopping(f);
	return f->stopped;
}

int fuzz_carry(struct fuzz *f)
{
	uint64_t from = 0;
	int found = f->o->fresh ? 0 : older_campaign(f, &from);
	struct replay p;
	if (found <= 0)
		return found;
	log_info("the store has a search of this command with another build of %s: it begins with its %" PRIu64 " tests and its bugs (--fresh: without)",
		 f->program, store_test_count(f->records.store, from));
	if (begin(&p, f, from))
		return -1;
	int r = 0;
	for (p.reaching = 1; p.reaching >= 0 && !r && !f->stopped; p.reaching--)
		r = store_test_each(f->records.store, from, 0, 1, offer_other, &p) < 0 ? -1 : 0;
	if (!r && !fuzz_leaving(f))
		r = fuzz_bugs_again(f, from);
	return end(&p, r);
}

/* ------------------------------------------------------------ other checkers */

static int to_frontier(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	double rank =
	    row->flags & TEST_COVERS || row->origin == ORIGIN_SEED ? RANK_COVERS : RANK_OTHER;
	if (row->stage >= STAGE_DONE &&
	    store_test_update(f->records.store, f->records.campaign, row->id, STAGE_UNCOVERED, rank, row->flags))
		return -1;
	return fuzz_leaving(f);
}

int fuzz_explore_again(struct fuzz *f)
{
	return store_test_each(f->records.store, f->records.campaign, 0, 0, to_frontier, f) < 0 || fuzz_count_pending(f) ? -1 : 0;
}

/* Tests go back to the frontier: their paths are asked for what no search looked for on them. */
static int check_again(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	int r = to_frontier(f, row);
	return r < 0 || fuzz_kept(f, row->id) ? -1 : r;
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
		r = store_test_each(f->records.store, f->records.campaign, 0, 0, check_again, f) < 0 || fuzz_count_pending(f) ? -1 : 0;
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
		r = store_value_set(f->records.store, f->records.campaign, "program", name, strlen(name)) || older_note_version(f) ? -1 : 0;
	free(dir);
	return r;
}
