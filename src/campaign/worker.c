/* worker.c: one worker of a search: what it opens, its loop, its figures.
 *
 * Everything that can end a search badly (a full disk, a program that cannot be started)
 * comes back as -1 with words. What was found up to then is in the store: the
 * same command goes on from there.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "build/archive.h"
#include "build/home.h"
#include "campaign/callees.h"
#include "campaign/campaign.h"
#include "campaign/choice.h"
#include "campaign/version.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SYNC_SECONDS 1.0
#define SYNC_RUNS 20000.0

double fuzz_clock(void)
{
	return deadline_clock();
}

int fuzz_leaving(const struct fuzz *f)
{
	return f->shared->stop || deadline_over();
}

/* ---------------------------------------------------------------- opening */

/* What is missing is made by one worker at a time. */
static void share_making(struct fuzz *f, int part)
{
	struct target *targets[] = {&f->run.trace, &f->run.trace_child};
	for (int i = 0; i < 2 && part; i++) {
		f->run.parts[i] = (struct fuzz_part){f, targets[i]};
		targets[i]->options.missing = fuzz_missing;
		targets[i]->options.missing_ctx = &f->run.parts[i];
	}
}

int fuzz_open_targets(struct fuzz *f)
{
	struct target_options t = f->o->target;
	t.time = f->o->run_time;
	log_progress("making the cov variant of %s", f->program);
	if (target_make(&f->run.cov, f->program, f->argv, VARIANT_COV, &t))
		return -1;
	t.time = f->o->run_time * 10; /* tracing is slower */
	t.shm.events = 1 << 22;
	t.shm.nodes = 1 << 24;
	if (!t.shm.table_limit)
		t.shm.table_limit = 4096; /* a table of a CRC is 1 KiB: reading it at any index beats pinning the index */
	if (!f->o->search.no_invariants && !search_kind_composes(f->o->search.kind))
		t.shm.flags |= MUSTER_FLAG_ENTRIES;
	log_progress("making the trace variant of %s", f->program);
	int variant = search_kind_calls(f->o->search.kind) ? VARIANT_CALLS : VARIANT_TRACE;
	if (variant == VARIANT_CALLS)
		t.shm.flags |= MUSTER_FLAG_CALLS | (search_kind_composes(f->o->search.kind) ? MUSTER_FLAG_SUMMARIES | MUSTER_FLAG_OUTPUTS | MUSTER_FLAG_COMPOSE : 0);
	t.part = fuzz_may_part(f);
	if (target_make(&f->run.trace, f->program, f->argv, variant, &t) || target_make(&f->run.trace_child, f->program, f->argv, variant, &t))
		return -1;
	share_making(f, t.part);
	f->run.cov.options.server = f->run.trace.options.server = f->run.trace_child.options.server = 1;
	log_progress(NULL);
	return 0;
}

static int cache_get(void *ctx, struct hash128 key, enum verdict *v, struct buf *model)
{
	struct fuzz *f = ctx;
	int verdict;
	if (store_query_get(f->records.store, key, &verdict, model) <= 0)
		return 0;
	*v = (enum verdict)verdict;
	return 1;
}

static void cache_put(void *ctx, struct hash128 key, enum verdict v, const void *model, size_t size)
{
	struct fuzz *f = ctx;
	store_query_put(f->records.store, key, (int)v, model,
			size); /* a cache that cannot be written is no cache */
}

static int note_member(void *ctx, const char *name, const void *data, size_t size)
{
	(void)name;
	search_words_note(data, size, ctx);
	return 0;
}

/* The words of the runtime in the cov variant that the file which the user named has not. */
static void note_runtime(const char *program, struct strmap *out)
{
	char *path = home_file("libmuster_cov.a");
	struct buf b = {0};
	const char *word;
	uint64_t value;
	if (path && !file_read(path, &b))
		archive_members(path, b.data, b.size, note_member, out);
	buf_clear(&b);
	if (!file_read(program, &b))
		for (size_t at = 0; strmap_next(out, &at, &word, &value);)
			if (memmem(b.data, b.size, word, strlen(word)))
				strmap_set(out, word, 0);
	buf_release(&b);
	free(path);
}

/* IC-Cut beside generational search (auto) explores a version once: a search that is resumed does not begin it again when it had come to its end. */
#define CUT_OVER "cut over"

static int cut_was_over(struct fuzz *f)
{
	struct buf version = {0};
	int is = store_value_get(f->records.store, f->records.campaign, CUT_OVER, &version) > 0 && strtoull(buf_str(&version), NULL, 10) == f->shared->version;
	buf_release(&version);
	return is;
}

static int note_cut(struct fuzz *f)
{
	char version[24];
	if (!f->o->search.ic_shares || f->number || f->records.noted_cut || !search_cut_is_over(f->search))
		return 0;
	f->records.noted_cut = 1;
	int n = snprintf(version, sizeof version, "%" PRIu64, f->shared->version);
	return store_value_set(f->records.store, f->records.campaign, CUT_OVER, version, (size_t)n);
}

static int open_search(struct fuzz *f)
{
	struct search_options o = f->o->search;
	o.pending = &f->shared->pending;
	o.seed = f->o->seed + f->number * 0x9e3779b97f4a7c15ull;
	o.no_mutate = f->o->no_mutate;
	o.run_seconds = f->o->run_time;
	o.ic_elsewhere = f->number > 0 || cut_was_over(f);
	o.dictionary = f->o->dictionary;
	o.solve.dump_dir = f->o->dump_queries;
	o.solve.stop = &f->shared->stop;
	o.solve.cache_get = cache_get;
	o.solve.cache_put = cache_put;
	o.solve.cache_ctx = f;
	struct search_target t = {
	    .exec = f->run.exec,
	    .parent = f->run.parent,
	    .child = f->run.child,
	    .parent_shm = &f->run.trace.shm,
	    .child_shm = &f->run.trace_child.shm,
	    .sites = &f->run.trace.sites,
	    .program = f->program,
	    .compose = fuzz_callees_compose(f),
	    .to_objects = !target_has_path(f->argv),
	};
	struct search_hooks hooks = fuzz_hooks(f);
	f->search = search_new(&o, &t, &hooks);
	if (!f->search)
		return -1;
	struct strmap own = {0};
	note_runtime(f->program, &own);
	search_words_of(f->search, f->run.cov.variant.path, &own);
	strmap_release(&own);
	return 0;
}

/* So that `muster show` finds the files. */
static int note_directory(struct fuzz *f)
{
	char *dir = f->o->secondary ? file_join(f->o->out, f->o->secondary) : mem_strdup(f->o->out);
	char *whole = file_absolute(dir);
	int r = store_value_set(f->records.store, f->records.campaign, "output", whole, strlen(whole));
	free(whole);
	free(dir);
	return r;
}

struct owner {
	uint64_t campaign;
	char *command;
};

static int find_command(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct owner *o = ctx;
	(void)key, (void)program;
	if (id == o->campaign)
		o->command = mem_strdup(command);
	return o->command != NULL;
}

/* Tests and bugs of one command say nothing about another. */
static int same_command(struct fuzz *f)
{
	struct owner o = {.campaign = f->records.campaign};
	int r = f->records.fresh ? 0 : store_campaign_each(f->records.store, find_command, &o) < 0 ? -1 : 0;
	if (!r && o.command && strcmp(o.command, f->command) && store_test_count(f->records.store, f->records.campaign))
		r = error_set("'%s' has the search of another command, '%s': name another directory with -o", f->o->out, o.command);
	free(o.command);
	return r;
}

char *fuzz_store_path(const struct fuzz_options *o)
{
	return o->store ? mem_strdup(o->store) : file_join(home_project(), "store.db");
}

static int open_files(struct fuzz *f)
{
	char *path = fuzz_store_path(f->o);
	int r = -1;
	if (f->o->store || !file_mkdirs(home_project()))
		r = outdir_open(&f->records.outdir, f->o->out, f->o->secondary, f->o->seed, &f->records.key) ||
			    store_open(&f->records.store, path, STORE_CREATE)
			? -1
			: 0;
	free(path);
	return r;
}

static int open_campaign(struct fuzz *f)
{
	if (store_campaign(f->records.store, f->records.key, f->program, f->command, &f->records.campaign, &f->records.fresh) || same_command(f) || note_directory(f))
		return -1;
	f->shared->campaign = f->records.campaign;
	return f->number || f->shared->version ? 0 : version_note(f->records.store, f->program, &f->shared->version);
}

/* A connection does not outlive a fork: it is opened again. */
int fuzz_try_files(struct fuzz *f)
{
	int r = open_files(f);
	outdir_close(f->records.outdir);
	store_close(f->records.store);
	f->records.outdir = NULL;
	f->records.store = NULL;
	return r;
}

int fuzz_open_store(struct fuzz *f)
{
	return open_files(f) || open_campaign(f) ? -1 : 0;
}

/* The campaign is made when there is a program to run: a mistyped one leaves none behind. */
int fuzz_open(struct fuzz *f)
{
	if (open_files(f) || open_campaign(f) || exec_open(&f->run.exec, &f->run.cov.options, 0))
		return -1;
	if (!(f->run.parent = launcher_new(&f->run.trace.options)) ||
	    !(f->run.child = launcher_new(&f->run.trace_child.options)))
		return -1;
	if (!f->number)
		f->shared->copies = search_kind_calls(f->o->search.kind) ? COPIES_SLOW : f->run.trace.variant.copies;
	fuzz_san_begin(f);
	return fuzz_callees_open(f) || open_search(f) ? -1 : 0;
}

void fuzz_release_targets(struct fuzz *f)
{
	if (!f->run.cov.options.program)
		return;
	target_release(&f->run.cov);
	target_release(&f->run.trace);
	target_release(&f->run.trace_child);
}

void fuzz_close(struct fuzz *f)
{
	if (f->records.campaign)
		store_frontier_release(f->records.store, f->records.campaign, f->number + 1);
	search_free(f->search);
	fuzz_callees_close(f);
	exec_close(f->run.exec);
	launcher_free(f->run.parent);
	launcher_free(f->run.child);
	confirm_close(f->run.confirm);
	fuzz_bugs_release(f);
	fuzz_copies_release(f);
	fuzz_release_targets(f);
	outdir_close(f->records.outdir);
	store_close(f->records.store);
	map_release(&f->records.own);
}

/* ------------------------------------------------------------------- seeds */

static int offer_seed(void *ctx, const void *data, size_t size, const char *name)
{
	struct fuzz *f = ctx;
	(void)name;
	if (search_offer(f->search, data, size, ORIGIN_SEED, 1) < 0)
		return -1;
	f->stopped |= fuzz_stopping(f); /* thousands of seeds take longer than some searches */
	return f->stopped;
}

static int know_cover(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t test)
{
	struct fuzz *f = ctx;
	(void)test;
	search_cover_known(f->search, unit, outcome, mask);
	return 0;
}

static int know_test(void *ctx, const struct store_test *row)
{
	struct fuzz *f = ctx;
	f->records.imported = row->id;
	if (!(row->flags & TEST_COVERS) && row->origin != ORIGIN_SEED)
		return 0;
	struct search_test t = {.id = row->id,
				.data = row->data,
				.size = row->size,
				.flags = row->flags,
				.origin = row->origin};
	search_known_test(f->search, &t);
	return 0;
}

static int count_pending(void *ctx, const struct store_test *row)
{
	*(uint64_t *)ctx += !(row->flags & TEST_COVERS) && row->stage < STAGE_DONE;
	return 0;
}

int fuzz_count_pending(struct fuzz *f)
{
	uint64_t count = 0;
	if (store_test_each(f->records.store, f->records.campaign, 0, 0, count_pending, &count) < 0)
		return -1;
	__atomic_store_n(&f->shared->pending, count, __ATOMIC_RELAXED);
	return 0;
}

static int count_bug(void *ctx, const struct result_bug *b)
{
	struct fuzz_before *n = ctx;
	if (!b->confirmed)
		n->suspected++;
	else if (!strcmp(b->kind, "timeout"))
		n->hangs++;
	else
		n->bugs++;
	return 0;
}

/* What an earlier search left: figures for people are those of the whole campaign. */
static int count_before(struct fuzz *f)
{
	f->figures->before = (struct fuzz_before){.tests = store_test_count(f->records.store, f->records.campaign)};
	return store_bug_each(f->records.store, f->records.campaign, count_bug, &f->figures->before) < 0 ? -1 : 0;
}

static int resume(struct fuzz *f)
{
	struct exec_result r;
	struct buf lost = {0};
	f->records.noted_lost = store_value_get(f->records.store, f->records.campaign, "incomplete", &lost) > 0;
	buf_release(&lost);
	if (f->records.noted_lost)
		search_lost(f->search);
	if (exec_run(f->run.exec, "", 0, &r)) /* units are known when they registered */
		return -1;
	if (f->o->workers == 1 && fuzz_count_pending(f))
		return -1;
	if (!f->number && (fuzz_rebuilt(f) || fuzz_other_checks(f)))
		return -1;
	if (store_cover_each(f->records.store, f->records.campaign, know_cover, f) < 0 ||
	    store_test_each(f->records.store, f->records.campaign, 0, 1, know_test, f) < 0)
		return -1;
	if (f->number)
		return 0;
	if (count_before(f))
		return -1;
	return fuzz_restore_files(f) || fuzz_failures_resume(f) ? -1 : 0;
}

/* Without seeds: nothing, and a little of something. */
static int seed_small(struct fuzz *f)
{
	static const char small[] = "0000000000000000";
	return search_offer(f->search, "", 0, ORIGIN_SEED, 1) < 0 ||
		       search_offer(f->search, small, sizeof small - 1, ORIGIN_SEED, 1) < 0
		   ? -1
		   : 0;
}

/* The directory has a search that the store has never heard of: the store was removed, emptied, or is another one. What the directory
 * still has are inputs. 1: it is so, 0, -1. */
static int lost_store(struct fuzz *f)
{
	int lost = !f->number && f->records.fresh ? outdir_forget(f->records.outdir) : 0;
	if (lost > 0) {
		char *store = fuzz_store_path(f->o);
		log_warn("the store '%s' does not know the search of '%s' (it was removed or emptied, or --store named another): the search begins "
			 "anew, with the inputs in its queue and crashes as seeds",
			 store, f->o->out);
		free(store);
	}
	return lost;
}

static int seeds_of_lost(struct fuzz *f)
{
	static const char *const folders[] = {"queue", "crashes"};
	char *dir = f->o->secondary ? file_join(f->o->out, f->o->secondary) : mem_strdup(f->o->out);
	int r = 0;
	for (size_t i = 0; i < sizeof folders / sizeof *folders && !r; i++) {
		char *path = file_join(dir, folders[i]);
		r = outdir_seeds(path, f->o->search.max_input, offer_seed, f) < 0 ? -1 : 0;
		free(path);
	}
	free(dir);
	return r;
}

int fuzz_seed(struct fuzz *f)
{
	int lost = lost_store(f);
	if (lost < 0 || resume(f) || (lost && seeds_of_lost(f)))
		return -1;
	if (f->number)
		return 0;
	if (f->o->workers == 1 && store_frontier_release(f->records.store, f->records.campaign, 0))
		return -1;
	if (f->records.fresh && !lost && fuzz_carry(f))
		return -1;
	if (!f->stopped && f->o->seeds && outdir_seeds(f->o->seeds, f->o->search.max_input, offer_seed, f) < 0)
		return -1;
	if (f->stopped) {
		log_warn("a limit was reached while the seeds were run: the same command goes on with the rest");
		return 0;
	}
	if (store_test_count(f->records.store, f->records.campaign) == 0) {
		if (f->o->seeds)
			log_warn("no usable seed in '%s': starting from an empty and a small input",
				 f->o->seeds);
		return seed_small(f);
	}
	return 0;
}

/* -------------------------------------------------------------------- loop */

static uint64_t total_outcomes(const struct fuzz *f)
{
	uint32_t count;
	uint64_t total = 0;
	const struct exec_unit *units = exec_units(f->run.exec, &count);
	for (uint32_t i = 0; i < count; i++)
		total += units[i].count;
	return total;
}

void fuzz_publish(struct fuzz *f)
{
	struct fuzz_figures *p = f->figures;
	p->search = *search_stats(f->search);
	for (unsigned i = 0; i < MUSTER_CHECK_COUNT; i++)
		p->search.checkers[i].failed = f->bugs.failed[i];
	p->solve = *search_solve_stats(f->search);
	p->covered = search_cover(f->search)->covered;
	p->total = total_outcomes(f);
	if (p->covered != f->next.covered) {
		f->next.covered = p->covered;
		p->last_new = fuzz_clock();
		p->find_cycle = p->search.cycles;
	}
	if (p->stage == FUZZ_STAGE_NEGATE || p->stage == FUZZ_STAGE_MUTATE)
		p->stage = search_mutates(f->search) ? FUZZ_STAGE_MUTATE : FUZZ_STAGE_NEGATE;
}

void fuzz_stage(struct fuzz *f, enum fuzz_stage stage)
{
	if (f->figures->stage == stage)
		return;
	f->figures->stage = stage;
	if (fuzz_clock() >= f->next.publish) {
		f->next.publish = fuzz_clock() + PUBLISH_SECONDS;
		fuzz_publish(f);
	}
}

static int sync_due(struct fuzz *f)
{
	double now = f->o->search.repeatable ? (double)search_stats(f->search)->runs / SYNC_RUNS
					     : fuzz_clock() / SYNC_SECONDS;
	if (floor(now) <= f->next.sync)
		return 0;
	f->next.sync = floor(now);
	return 1;
}

int fuzz_loop(struct fuzz *f)
{
	int r = 1;
	while (!f->stopped) {
		if (sync_due(f) && fuzz_import(f))
			return -1;
		if (f->figures->stage != FUZZ_STAGE_MUTATE)
			fuzz_stage(f, FUZZ_STAGE_NEGATE); /* or the other: fuzz_publish knows */
		r = search_step(f->search);
		int more = r < 0 ? -1 : fuzz_callees_turn(f);
		r = more > 0 ? 1 : r;
		if (more < 0 || note_cut(f) || fuzz_note_lost(f) || fuzz_copies_turn(f) || fuzz_failures_flush(f, 0) || fuzz_write_stats(f))
			return -1;
		if (f->o->until_bug && f->figures->bugs)
			f->shared->stop = 1;
		if (r == 0 && f->o->workers > 1) { /* others may still add to the frontier */
			struct timespec pause = {0, 20000000};
			f->figures->ended = !deadline_over();
			fuzz_stage(f, FUZZ_STAGE_WAIT);
			nanosleep(&pause, NULL);
			f->stopped |= f->shared->stop;
		} else {
			f->figures->ended = r == 0 && !deadline_over(); /* a search that was cut came to no end */
			if (r == 0)
				break;
		}
		f->stopped |= fuzz_stopping(f); /* a step that has nothing to do asks no hook */
	}
	f->figures->exhausted = f->figures->ended && r == 0 && search_exhausted(f->search);
	f->figures->losses = *search_losses(f->search);
	deadline_phase(DEADLINE_FINISH);
	if (choice_note(f) || fuzz_failures_flush(f, 1))
		return -1;
	if (deadline_cut() && (f->bugs.pending.size || f->bugs.kept_at < f->bugs.kept.size)) /* what is left to be looked at is no end */
		f->figures->ended = f->figures->exhausted = 0;
	fuzz_publish(f);
	f->next.stats = 0;
	return fuzz_write_stats(f);
}
