/* ic_lanes.h: values of a trace that are nothing but bytes of the input put side by side. */
#ifndef MUSTER_SEARCH_IC_LANES_H
#define MUSTER_SEARCH_IC_LANES_H

#include "base/map.h"
#include "run/trace.h"

#define IC_LANES 8 /* no limit: bytes of 64 bits */
#define IC_LANE_ZERO 0u	 /* no limit: always zero */
#define IC_LANE_OTHER 1u /* no limit: anything else */
#define IC_LANE_BYTE 2u	 /* no limit: this and more: byte (lane - 2) of the input */

/* From the lowest byte; those beyond the width are zero. */
struct ic_lanes {
	uint32_t lane[IC_LANES];
};

struct ic_lanes ic_lanes_of(const struct trace *t, uint32_t label);
/* A bit for each lane that is a byte of the input; 0 if a lane is something else, if a byte is there twice, or if there is none. */
uint8_t ic_lanes_bytes(const struct ic_lanes *l);

#endif
