/* noskip.c: takes the place of skip.c where every decision must be made and written,
 * the concrete ones too: the bodies pass over nothing.
 */
#include "libc/libc.h"
#include "rt.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

RT_HIDDEN size_t rt_skip_bytes(const void *p, int c, size_t max)
{
	return 0;
}

RT_HIDDEN size_t rt_skip_string(const char *s, int c, size_t max)
{
	return 0;
}

RT_HIDDEN size_t rt_skip_equal(const void *a, const void *b, size_t max)
{
	return 0;
}

RT_HIDDEN size_t rt_skip_equal_string(const char *a, const char *b, size_t max)
{
	return 0;
}
