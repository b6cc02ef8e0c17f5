/* sample.h: summaries of one function, tried on random states of the driver's. */
#ifndef MUSTER_UNIT_SAMPLE_H
#define MUSTER_UNIT_SAMPLE_H

#include "check/batch.h"
#include "harness/harness.h"
#include "summary/summary.h"

struct solver;

struct sampling {
	const struct harness *h;
	struct batch *batch; /* of the san variant */
	uint32_t number;     /* of the function in the harness's table */
	const char *name;
	struct summaries *l;
	struct solver *solver;
	uint64_t states, seed; /* states of each summary */
	int (*input)(void *ctx, uint64_t test, struct buf *out); /* of a witnessing test: 1; 0: there is none; -1 with words */
	void *ctx;
	/* What came of it, added up. */
	uint64_t ran;	   /* states */
	uint64_t without;  /* summaries of which none was run */
	uint64_t violated; /* states that did not end as Q says: each was reported */
};

int sampling_run(struct sampling *g); /* 0, or -1 with words */

#endif
