/* activation_segment.h: parts of an activation, from the header of a loop to the next, as activations of their own (summary mode, segments variant). */
#ifndef MUSTER_RT_ACTIVATION_SEGMENT_H
#define MUSTER_RT_ACTIVATION_SEGMENT_H

#include "activation.h"

#ifdef RT_ACTIVATIONS
/* Each gives the place of the segment among the open activations; 0: none was begun. */
RT_HIDDEN uint32_t segment_enter(const struct rt_function *f, uint64_t *values, label *labels); /* with its call */
RT_HIDDEN uint32_t segment_begin(const struct rt_cut *c, uint64_t *values, label *labels);
/* The innermost activation is a segment that is over. labels become what they are outside of it. */
RT_HIDDEN void segment_next(const struct rt_cut *c, const uint64_t *values, label *labels);
RT_HIDDEN void segment_return(const struct rt_function *f, const uint64_t *values, label *labels);
RT_HIDDEN void segment_lost(uint64_t site);
#endif

#endif
