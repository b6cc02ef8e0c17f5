/* cov.h: reading the counters that a cov variant left in the shared mapping. */
#ifndef MUSTER_RUN_COV_H
#define MUSTER_RUN_COV_H

#include "run/shm.h"

#include <stddef.h>
#include <stdint.h>

/* Calls f for each block of counters, in the order of registration, until it
 * returns nonzero, and returns that. A unit may come more than once. The counters
 * are the mapping's own: no process of the run may be left. -1 with words if
 * the target wrote over the table (blocks before that place were delivered). */
int cov_each(const struct shm *s,
	     int (*f)(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count),
	     void *ctx);

/* Outcomes that were counted at least once, and all outcomes of units that registered. */
int cov_totals(const struct shm *s, uint64_t *covered, uint64_t *total);

#endif
