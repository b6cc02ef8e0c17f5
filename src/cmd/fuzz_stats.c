/* fuzz_stats.c: DIR/fuzzer_stats with AFL++'s keys, for afl-whatsup and what else reads it. */
#include "base/file.h"
#include "cmd/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
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
	*all = (struct fuzz_figures){0};
	for (unsigned i = 0; i < f->o->workers; i++) {
		const struct fuzz_figures *w = &f->shared->workers[i];
		search_stats_add(&all->search, &w->search);
		all->covered = w->covered > all->covered ? w->covered : all->covered;
		all->total = w->total > all->total ? w->total : all->total;
		all->bugs += w->bugs;
		all->hangs += w->hangs;
		all->last_new = w->last_new > all->last_new ? w->last_new : all->last_new;
	}
}

int fuzz_write_stats(struct fuzz *f)
{
	double now = fuzz_clock(), run = now - f->shared->started;
	if (f->number || f->o->search.repeatable || now < f->next_stats)
		return 0;
	f->next_stats = now + EVERY;
	struct fuzz_figures all;
	struct table t = {.count = 0};
	long wall = (long)time(NULL);
	sum(f, &all);
	uint64_t tests = store_test_count(f->store, f->campaign);
	double since = all.last_new > 0 ? now - all.last_new : run;
	row(&t, "start_time", "%ld", wall - (long)run);
	row(&t, "last_update", "%ld", wall);
	row(&t, "run_time", "%.0f", run);
	row(&t, "fuzzer_pid", "%d", (int)getpid());
	row(&t, "cycles_done", "0");
	row(&t, "cycles_wo_finds", "0");
	row(&t, "execs_done", "%" PRIu64, all.search.runs);
	row(&t, "execs_per_sec", "%.2f", run > 0 ? (double)all.search.runs / run : 0.0);
	row(&t, "corpus_count", "%" PRIu64, tests);
	row(&t, "corpus_favored", "0");
	row(&t, "corpus_found", "%" PRIu64, tests);
	row(&t, "max_depth", "0");
	row(&t, "cur_item", "0");
	row(&t, "pending_favs", "0");
	f->figures->frontier = store_frontier_count(f->store, f->campaign, STAGE_DONE);
	row(&t, "pending_total", "%" PRIu64, f->figures->frontier);
	row(&t, "stability", "%.2f%%", all.search.rerun ? 100.0 * (double)(all.search.rerun - all.search.unstable) / (double)all.search.rerun : 100.0);
	row(&t, "bitmap_cvg", "%.2f%%", all.total ? 100.0 * (double)all.covered / (double)all.total : 0.0);
	row(&t, "saved_crashes", "%" PRIu64, all.bugs);
	row(&t, "saved_hangs", "%" PRIu64, all.hangs);
	row(&t, "last_find", "%ld", wall - (long)since);
	row(&t, "last_crash", "0");
	row(&t, "last_hang", "0");
	row(&t, "exec_timeout", "%.0f", f->o->run_time * 1000);
	row(&t, "edges_found", "%" PRIu64, all.covered);
	row(&t, "total_edges", "%" PRIu64, all.total);
	row(&t, "afl_banner", "%s", file_base(f->program));
	row(&t, "afl_version", "muster");
	row(&t, "command_line", "muster fuzz -o %s -- %s", f->o->out, f->command);
	return outdir_stats(f->outdir, t.rows, t.count);
}
