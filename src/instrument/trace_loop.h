/* trace_loop.h: entries of functions and loops, as the trace pass marks them (trace_loop.c). */
#ifndef MUSTER_INSTRUMENT_TRACE_LOOP_H
#define MUSTER_INSTRUMENT_TRACE_LOOP_H

#include "ir/entry.h"
#include "ir/unit.h"

#define TRACE_PARAMETER (1u << 31)
#define TRACE_LOAD (1u << 30)

struct trace_entry {
	uint32_t ordinal; /* that the events have */
	uint32_t loop;	  /* of a loop; else of the function that has the ordinal */
	uint32_t first, count;	 /* in values */
	uint32_t first_end, ends; /* in ends */
};

struct trace_entries {
	VEC(struct trace_entry) list;
	VEC(uint32_t) values; /* ordinals, or TRACE_PARAMETER with a number, or TRACE_LOAD with the ordinal of a load that is made once more */
	VEC(uint32_t) ends;   /* ordinals of the jumps into loops */
};

/* Before anything is edited. Finds none where the unit has parts that src/ir cannot read. */
void trace_entries_find(struct trace_entries *t, struct unit *u);
void trace_entries_release(struct trace_entries *t);

#endif
