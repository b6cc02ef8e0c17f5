/* compare.h: two traces of one run, of variants with other instrumentation: do they take the same path? */
#ifndef MUSTER_RUN_COMPARE_H
#define MUSTER_RUN_COMPARE_H

#include "run/trace.h"

/* Where the events of a trace stand in the path, which `all`, a trace with every decision, has. */
struct trace_places {
	uint64_t placed;    /* events of the trace that have a place: up to the first that `all` does not have next */
	uint64_t there;	    /* what `all` has in place of that one; its event_count: nothing */
	int apart;	    /* there is such an event; neither table was full, and both runs had given up the same by then */
	int whole;	    /* all events have a place, and no table was full */
	uint64_t *position; /* of each that has a place: decisions of the path before it */
	uint64_t decisions; /* up to the last decision that both have */
};

/* Concretisations, bounds and decisions without a label need not be in both. Release it. */
void trace_compare(struct trace_places *p, const struct trace *some, const struct trace *all);
void trace_places_release(struct trace_places *p);

#endif
