/* sample_segments.h: summaries of segments, tried on random states: runs that begin in the middle of a function. */
#ifndef MUSTER_UNIT_SAMPLE_SEGMENTS_H
#define MUSTER_UNIT_SAMPLE_SEGMENTS_H

#include "ir/whole.h"
#include "search/path.h"
#include "summary/gather.h"

struct solver;

struct segment_sampling {
	struct gather *c;	 /* opened with segments */
	struct gather_function *f; /* whose segments are sampled */
	struct summaries *l;	 /* they; others in the list are passed over */
	struct solver *solver;
	struct sites *sites;	 /* of c's target */
	checker_set checks;	 /* that can fail */
	uint64_t states, seed;	 /* states of each summary */
	int (*input)(void *ctx, const struct summary *x, struct buf *out); /* of its test: 1; 0: there is none; -1 with words */
	void *ctx;
	/* What came of it, added up: as struct sampling has it. */
	uint64_t ran, without, violated;
};

int segment_sampling_run(struct segment_sampling *g); /* 0, or -1 with words */

/* Where the function of that name is cut: out has it, the list is the caller's. NULL: it has no loops. */
struct segment_cuts *segment_find_cuts(const struct whole *whole, struct called_function *out);

/* Runs of a program in the segments variant, for sampling alone. */
struct segment_runs {
	struct gather c;
	struct sites sites;
	const struct front *front;
	const struct whole *whole;
	VEC(struct segment_cuts *) cuts;
	char *argv[2];
};
int segment_runs_open(struct segment_runs *r, char *program, const struct front *front, const struct whole *whole, double seconds); /* of one run. 0, -1 */
struct gather_function *segment_runs_find(struct segment_runs *r, const char *name); /* NULL: it has no segments */
void segment_runs_close(struct segment_runs *r);

#endif
