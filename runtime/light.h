/* light.h: what the runtimes of the cov and the path variant share: a start
 * without shadow memory. */
#ifndef MUSTER_RT_LIGHT_H
#define MUSTER_RT_LIGHT_H

#include "rt.h"

/* The mapping, or NULL if this run is not watched. */
extern RT_HIDDEN struct muster_header *light_header;

/* Each of the two runtimes has one: called before any constructor, in the process
 * that becomes the target, if the run is watched. */
RT_HIDDEN void light_begin(struct muster_header *h);
/* cov, called by the driver: the harness in a loop. 0 at once if the engine did not ask for that; else never. */
RT_EXPORT int __muster_loop(int (*harness)(const uint8_t *, size_t));

#endif
