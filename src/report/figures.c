/* figures.c: from the counters of search and solver to figures with keys. A rate of nothing is NaN: not measured. */
#include "report/figures.h"

#include "check/suppress.h"
#include "report/checks.h"

#include <math.h>

static double rate(uint64_t part, uint64_t whole, double factor)
{
	return whole ? (double)part / (double)whole * factor : NAN;
}

void figures_add(struct result *r, const struct search_stats *s, const struct solve_stats *v)
{
	uint64_t diverged = 0, hits = 0;
	double solving = 0;
	for (int i = 0; i < DIVERGED_COUNT; i++)
		diverged += i == DIVERGED_OPTIMISTIC ? 0 : s->diverged[i];
	for (int i = 0; i < SOLVE_SEARCH; i++)
		hits += v->answered[i];
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++)
		solving += v->seconds[i];
#define X(name, key, words) result_count(r, s->name, key);
	SEARCH_STATS(X)
#undef X
	result_count(r, suppress_count(), "suppressed");
	result_count(r, diverged, "divergences");
	result_count(r, v->queries, "queries");
	result_count(r, v->sat, "sat");
	result_count(r, v->unsat, "unsat");
	result_count(r, v->unknown, "unknown");
	result_count(r, hits, "cache_hits");
	result_real(r, solving, "solver_seconds");
}

void figures_add_checks(struct result *r, const struct search_stats *s, const struct solve_stats *v, checker_set set, int combine)
{
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++) {
		const struct search_checker_stats *c = &s->checkers[i];
		if (set & CHECKER_BIT(i))
			vec_push(&r->checkers, (struct result_checker){checker_get(i)->name, c->injected, c->solved, c->violated, c->failed});
	}
	r->combine = check_combine_word(combine);
	result_count(r, s->bundles, "bundles");
	result_count(r, s->bundle_goals, "bundle_goals");
	result_count(r, s->bundle_calls, "bundle_calls");
	result_count(r, s->check_tests, "check_tests");
	result_count(r, s->branch_tests, "branch_tests");
	result_real(r, rate(v->answered[SOLVE_LOCAL], v->queries, 100), "local_hit_rate");
	result_real(r, rate(v->answered[SOLVE_CACHE], v->queries, 100), "global_hit_rate");
	result_real(r, rate(v->path_constraints, v->queries, 1), "mean_list_before");
	result_real(r, rate(v->slice_constraints, v->queries, 1), "mean_list_after");
}
