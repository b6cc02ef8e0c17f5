/* clock.h: seconds, for differences. */
#ifndef MUSTER_BASE_CLOCK_H
#define MUSTER_BASE_CLOCK_H

#include <time.h>

static inline double clock_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* On the wall: whatever the system's date does. */
static inline double clock_seconds(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

/* Of the processor, that this thread used. */
static inline double clock_processor(void)
{
	return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
