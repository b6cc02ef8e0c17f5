/* calls.h: the tree of calls of a run, from the events of a trace that has them (MUSTER_FLAG_CALLS). */
#ifndef MUSTER_RUN_CALLS_H
#define MUSTER_RUN_CALLS_H

#include "base/map.h"
#include "base/vec.h"
#include "run/trace.h"

#define CALLS_NONE UINT32_MAX
#define CALLS_OPEN UINT64_MAX

struct call {
	uint32_t parent;	   /* in the list, or CALLS_NONE */
	uint32_t depth;		   /* calls that were open when it began */
	uint32_t unit, index;	   /* the function: its first instruction that the variant has */
	uint32_t from_unit, from_index; /* the call instruction; 0, 0: code without instrumentation called */
	uint32_t arguments, results;
	uint64_t begin, end;	   /* events: its CALL, its RETURN; CALLS_OPEN: the run ended before it did */
	uint64_t first_argument, first_result; /* events */
	unsigned left;		   /* enum muster_left, if it has ended */
};

struct calls {
	VEC(struct call) list; /* in the order they began */
	int lost;	       /* some ended because the stack of calls was lost */
	struct map events;     /* events that begin or end a call -> its place in the list */
};

/* -1 with words if the events are no stack. The last event of a trace may be what an earlier run left there, if this one was killed while it
 * wrote: it is left out if it does not fit. */
int calls_read(struct calls *c, const struct trace *t);
void calls_release(struct calls *c);
/* The call whose CALL or RETURN an event is; NULL: none. */
const struct call *calls_at(const struct calls *c, uint64_t event);

const char *calls_left_key(unsigned left);   /* "returned", ... */
const char *calls_left_words(unsigned left);

#endif
