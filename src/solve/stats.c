/* stats.c: names of the rungs, and sums of statistics. All from the table in solve.h. */
#include "solve/solve.h"

static const struct {
	const char *key, *words;
} rungs[SOLVE_RUNG_COUNT] = {
#define X(name, key, words) [SOLVE_##name] = {key, words},
    SOLVE_RUNGS(X)
#undef X
};

const char *solve_rung_key(enum solve_rung r)
{
	return rungs[r].key;
}

const char *solve_rung_words(enum solve_rung r)
{
	return rungs[r].words;
}

void solve_stats_add(struct solve_stats *to, const struct solve_stats *from)
{
	to->queries += from->queries;
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++) {
		to->answered[i] += from->answered[i];
		to->seconds[i] += from->seconds[i];
	}
	to->sat += from->sat;
	to->unsat += from->unsat;
	to->unknown += from->unknown;
	to->slice_constraints += from->slice_constraints;
	to->path_constraints += from->path_constraints;
	to->rechecked += from->rechecked;
	to->recheck_unknown += from->recheck_unknown;
	to->contradictions += from->contradictions;
	to->z3_started += from->z3_started;
	to->z3_replaced += from->z3_replaced;
	to->z3_killed += from->z3_killed;
	to->z3_peak += from->z3_peak; /* at the same time, at most */
	to->bad_models += from->bad_models;
}
