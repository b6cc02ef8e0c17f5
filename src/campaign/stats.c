/* stats.c: DIR/fuzzer_stats with AFL++'s keys, for afl-whatsup and what else reads it. */
#include "base/file.h"
#include "base/mem.h"
#include "campaign/campaign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVERY 5.0 /* seconds */
#define ROWS 32

struct table {
	struct outdir_stat rows[ROWS];
	char text[ROWS][400];
	unsigned count;
};

__attribute__((format(printf, 3, 4))) static void row(struct table *t, const char *key, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(t->text[t->count], sizeof t->text[0], fmt, ap);
	va_end(ap);
	t->rows[t->count] = (struct outdir_stat){key, t->text[t->count]};
	t->count++;
}

static void sum(const struct fuzz *f, struct fuzz_figures *all)
{
	*all = (struct fuzz_figures){.find_cycle = UINT64_MAX};
	for (unsigned i = 0; i < f->o->workers; i++) {
		const struct fuzz_figures *w = &f->shared->workers[i];
		uint64_t quiet = w->search.cycles - w->find_cycle;
		search_stats_add(&all->search, &w->search);
		all->covered = w->covered > all->covered ? w->covered : all->covered;
		all->total = w->total > all->total ? w->total : all->total;
		all->bugs += w->bugs + w->before.bugs;
		all->hangs += w->hangs + w->before.hangs;
		all->last_new = w->last_new > all->last_new ? w->last_new : all->last_new;
		all->last_crash = w->last_crash > all->last_crash ? w->last_crash : all->last_crash;
		all->last_hang = w->last_hang > all->last_hang ? w->last_hang : all->last_hang;
		all->find_cycle = quiet < all->find_cycle ? quiet : all->find_cycle; /* since the last find of anybody */
	}
}

struct corpus {
	uint64_t files, imported, seeds;
};

static int count_file(void *ctx, uint64_t test, const char *name)
{
	struct corpus *c = ctx;
	(void)test;
	c->files++;
	c->imported += strstr(name, "op:sync") != NULL;
	c->seeds += strstr(name, "op:seed") != NULL;
	return 0;
}

/* As AFL++ means them: the corpus is what lies in queue/, a cycle a pass over all of it (here: of mutation; times are those of
 * this run, 0 where there was none), stability the share of tests that did the same when they were run a second time. */
static void add_rows(const struct fuzz *f, struct table *t, const struct fuzz_figures *all, const struct corpus *c, double run, double since)
{
	long wall = (long)time(NULL);
	uint64_t rerun = all->search.rerun;
	row(t, "start_time", "%ld", wall - (long)run);
	row(t, "last_update", "%ld", wall);
	row(t, "run_time", "%.0f", run);
	row(t, "fuzzer_pid", "%d", (int)getpid());
	row(t, "cycles_done", "%" PRIu64, all->search.cycles);
	row(t, "cycles_wo_finds", "%" PRIu64, all->find_cycle);
	row(t, "time_wo_finds", "%.0f", since);
	row(t, "execs_done", "%" PRIu64, all->search.runs);
	row(t, "execs_per_sec", "%.2f", run > 0 ? (double)all->search.runs / run : 0.0);
	row(t, "corpus_count", "%" PRIu64, c->files);
	row(t, "corpus_favored", "0");
	row(t, "corpus_found", "%" PRIu64, c->files - c->imported - c->seeds);
	row(t, "corpus_imported", "%" PRIu64, c->imported);
	row(t, "max_depth", "0");
	row(t, "cur_item", "0");
	row(t, "pending_favs", "0");
	row(t, "pending_total", "%" PRIu64, f->figures->frontier);
	row(t, "stability", "%.2f%%", rerun ? 100.0 * (double)(rerun - all->search.unstable) / (double)rerun : 100.0);
	row(t, "bitmap_cvg", "%.2f%%", all->total ? 100.0 * (double)all->covered / (double)all->total : 0.0);
	row(t, "saved_crashes", "%" PRIu64, all->bugs);
	row(t, "saved_hangs", "%" PRIu64, all->hangs);
	row(t, "last_find", "%ld", all->last_new > 0 ? wall - (long)since : 0);
	row(t, "last_crash", "%" PRId64, all->last_crash);
	row(t, "last_hang", "%" PRId64, all->last_hang);
	row(t, "exec_timeout", "%.0f", f->o->run_time * 1000);
	row(t, "edges_found", "%" PRIu64, all->covered);
	row(t, "total_edges", "%" PRIu64, all->total);
	row(t, "afl_banner", "%s", file_base(f->program));
	row(t, "afl_version", "muster");
	row(t, "command_line", "muster fuzz -o %s -- %s", f->o->out, f->command);
}

int fuzz_write_stats(struct fuzz *f)
{
	double now = fuzz_clock(), run = now - f->shared->started;
	if (f->number || now < f->next.stats)
		return 0;
	f->next.stats = now + EVERY;
	struct fuzz_figures all;
	struct table t = {.count = 0};
	struct corpus c = {0};
	char *dir = f->o->secondary ? file_join(f->o->out, f->o->secondary) : mem_strdup(f->o->out);
	outdir_files(dir, count_file, &c);
	free(dir);
	f->figures->files = c.files;
	f->figures->frontier = store_frontier_count(f->records.store, f->records.campaign, STAGE_DONE);
	if (f->o->search.repeatable) /* to the byte: no file with times in it */
		return 0;
	sum(f, &all);
	add_rows(f, &t, &all, &c, run, all.last_new > 0 ? now - all.last_new : run);
	return outdir_stats(f->records.outdir, t.rows, t.count);
}
