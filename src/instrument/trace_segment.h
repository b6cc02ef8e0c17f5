/* trace_segment.h: cuts of functions into segments, as the trace pass of the segments variant marks them (trace_segment.c). */
#ifndef MUSTER_INSTRUMENT_TRACE_SEGMENT_H
#define MUSTER_INSTRUMENT_TRACE_SEGMENT_H

#include "ir/segment.h"
#include "ir/unit.h"

#define TRACE_CUT_PARAMETER (1u << 31)

struct trace_cut {
	uint32_t ordinal; /* of the header's first instruction */
	uint32_t first, count; /* in values */
	uint8_t more;
};

struct trace_cut_value {
	uint32_t what; /* ordinal, or TRACE_CUT_PARAMETER with a number */
	uint8_t bits;  /* as segment.h has it */
};

struct trace_cuts {
	VEC(struct trace_cut) list;
	VEC(struct trace_cut_value) values;
};

/* Before anything is edited. Finds none where the unit has parts that src/ir cannot read. */
void trace_cuts_find(struct trace_cuts *t, struct unit *u);
void trace_cuts_put(const struct trace_cuts *t, struct unit *u); /* marks; right after it */
void trace_cuts_release(struct trace_cuts *t);

#endif
