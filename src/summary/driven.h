/* driven.h: the summary of a driven function from one traced run of it.
 *
 * For the function that `muster test` drives, every input is a byte of the driver's: parameters, globals and objects have leaves of their own, shared with nothing, and memory is reported
 * before and after the call with its labels (MUSTER_FLAG_MEMORY). So the path constraint is P over the entry state, and what differs afterwards is Q, concrete writes included. Functions
 * that it calls have no such leaves: their summaries need the summary mode of the trace.
 */
#ifndef MUSTER_SUMMARY_DRIVEN_H
#define MUSTER_SUMMARY_DRIVEN_H

#include "harness/harness.h"
#include "summary/places.h"
#include "summary/summary.h"

/* What held on the path, over bytes of the input. */
struct driven_condition {
	expr_t e;
	int bound; /* an object is large enough, or it is not */
};

/* A MEMORY event. */
struct driven_memory {
	unsigned what, after;
	uint32_t number;
	const uint8_t *bytes;
	const uint32_t *cells; /* NULL: no labels */
	const expr_t *terms;   /* one for each byte, over bytes of the input */
	size_t size;
};

struct driven_run {
	const struct harness *h;
	uint32_t number; /* of the function in the harness's table */
	const char *name;
	const void *data; /* the input */
	size_t size;
	const struct driven_condition *conditions;
	size_t condition_count;
	const struct driven_memory *memory;
	size_t memory_count;
	int returned;
	const char *failure; /* its kind, if it did not return */
	uint32_t line, end_line;
	const char *why; /* what the caller knows to be missing, or NULL */
};

/* Adds the summary of the run to the list. 1; 0: there is none to be made, and *reason (a constant) says why. */
int summary_driven(struct summaries *l, const struct driven_run *r, const char **reason);

/* Does the pointer's variable stand in these conjuncts? For places_open. */
struct driven_named {
	struct exprs *pool;
	const struct summary *s;
};
int driven_follow(void *named, const struct places_leaf *pointer);

#endif
