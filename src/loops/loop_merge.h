/* loop_merge.h: what a function computes by decisions on input bytes, as terms over these bytes
 * (loop_merge.c).
 *
 *	struct merge *m = merge_new(&start);
 *	if (merge_replay(m) >= 0 && merge_run(m, extra, 0) == 0)
 *		for each edge that is wanted: goal = merge_goal(m, f, edge);
 *	merge_free(m);
 */
#ifndef MUSTER_LOOPS_LOOP_MERGE_H
#define MUSTER_LOOPS_LOOP_MERGE_H

#include "ir/code.h"
#include "run/import.h"

/* Where a traced run is followed from: the beginning of a function, or of one of its outermost
 * loops. */
struct merge_start {
	const struct code *code;
	const struct code_function *f;
	uint32_t loop;	       /* or CODE_NONE: the function */
	struct import *import; /* of the run's trace, with the pool that terms are made in */
	u128 (*value)(void *ctx, expr_t variable); /* what each variable had in the run */
	int (*foreign)(void *ctx, expr_t e);	   /* does it depend on what no test decides? */
	void *ctx;
	uint64_t event; /* the first that may belong to it */
	/* What it was entered with, as far as the run recorded it: ids of values and an ENTRY event for
	 * each. */
	const uint32_t *values;
	const struct muster_event *entries;
	uint32_t count;
};

struct merge;
struct merge *merge_new(const struct merge_start *start);
void merge_free(struct merge *m);

/* May events of this function be met on the way? It is the function itself, or one that is called
 * from it and followed. */
int merge_follows(const struct merge *m, const struct code_function *f);

/* Follows the run. Returns the number of decisions whose labels were found, 0 if none; -1: run and
 * code do not agree, or there is something that cannot be followed. */
int64_t merge_replay(struct merge *m);
/* The first event that was not met. */
uint64_t merge_behind(const struct merge *m);
/* All paths at once, loops as often as the run went around them and `extra` times more where the
 * input decides how often. cases: values that can be few numbers have a condition for each of
 * them, which is larger, and easier for solvers where few paths lead there. 0; -1: too large. May
 * be called again, with other numbers. */
int merge_run(struct merge *m, unsigned extra, int cases);
/* The condition under which the edge is taken, over input bytes and variables for what is not
 * known; EXPR_NONE: it is not taken on any path that was looked at. Valid after merge_run. */
expr_t merge_goal(const struct merge *m, const struct code_function *f, uint32_t edge);
/* Does the number of iterations depend on the input beyond what was unrolled? */
int merge_cut(const struct merge *m);

#endif
