/* sums.c: the figures of all workers together, and the row that the store keeps of them. */
#include "base/error.h"
#include "base/log.h"
#include "campaign/campaign.h"
#include "report/history.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Repeatable to the byte: what a clock measured is left out, or the kernel. */
static void forget_clocks(struct campaign_sums *s)
{
	s->seconds = s->search.symbolic_seconds = s->search.child_seconds = s->search.mutate_seconds = 0;
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++)
		s->solve.seconds[i] = 0;
	s->search.memory_peak = s->solve.z3_peak = 0; /* and what the machine did with memory */
}

void campaign_add_up(const struct fuzz *f, struct campaign_sums *s)
{
	const struct fuzz_shared *shared = f->shared;
	memset(s, 0, sizeof *s);
	s->exhaustive = 1;
	for (unsigned i = 0; i < f->o->workers; i++) {
		const struct fuzz_figures *w = &shared->workers[i];
		search_stats_add(&s->search, &w->search);
		solve_stats_add(&s->solve, &w->solve);
		s->covered = w->covered > s->covered ? w->covered : s->covered;
		s->total = w->total > s->total ? w->total : s->total;
		s->exhaustive &= w->exhausted;
		for (unsigned l = 0; l < LOSS_COUNT; l++)
			s->losses[l] += w->losses.count[l];
	}
	s->filled = shared->filled;
	s->copies = shared->copies;
	s->exhaustive &= s->filled.done && !s->filled.differ;
	s->seconds = fuzz_clock() - shared->started;
	if (f->o->search.repeatable)
		forget_clocks(s);
}

void campaign_store_result(const struct fuzz *f)
{
	const struct fuzz_shared *shared = f->shared;
	struct campaign_sums s;
	campaign_add_up(f, &s);
	uint64_t campaign = shared->campaign;
	struct store_result r = {.version = shared->version, .campaign = campaign, .command = "fuzz", .status = campaign_status(f), .time = time(NULL),
				 .seconds = s.seconds, .covered = s.covered, .total = s.total};
	char *path = fuzz_store_path(f->o);
	struct store *store;
	struct bug_counts bugs = {0};
	if (shared->version && !store_open(&store, path, STORE_EXISTING)) {
		bug_each(store, campaign, &bugs, NULL, NULL);
		r.tests = store_test_count(store, campaign);
		r.bugs = bugs.confirmed;
		r.suspected = bugs.suspected;
		if (store_result_add(store, &r) || history_keep(store, campaign, &s.solve, 1))
			log_warn("the result is not stored: %s", error_text());
		store_close(store);
	}
	free(path);
}
