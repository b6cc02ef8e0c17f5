/* timing.h: limits on time. A test that shares the machine with others says nothing about speed, so these limits are checked
 * where nothing else runs: `make check-time` sets MUSTER_CHECK_TIME and runs each test that includes this file once more. */
#ifndef TEST_TIMING_H
#define TEST_TIMING_H

#include <stdlib.h>

#define assert_quick(condition)                                                                                                  \
	do {                                                                                                                     \
		if (getenv("MUSTER_CHECK_TIME"))                                                                                 \
			assert_true(condition);                                                                                  \
	} while (0)

#endif
