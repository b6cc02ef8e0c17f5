/* random.c: the system's random numbers, the same ones in every run.
 *
 * They are input that nobody gave: a path that depends on them cannot be walked again, and what a trace says
 * about an input would be true of one run only (hash tables with a random salt are in many parsers). So they
 * come from a generator with a fixed start (splitmix64), in every variant with a runtime. Children go on where
 * their parent was.
 */
#include "rt.h"

#include <errno.h>
#include <sys/types.h>

static uint64_t state = 0x6d7573746572ull;

static uint64_t next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* fn's arguments are a buffer and its size. */
static void fill(const void *fn, void *to, size_t n)
{
	label a[2];
	unsigned char *p = to;
	rt_enter(fn, a, 2);
	rt_concrete(a[0], MUSTER_REASON_STORE);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(next() >> 56);
	rt_clear(to, n);
	rt_return(fn, 0);
}

RT_EXPORT ssize_t __wrap_getrandom(void *to, size_t n, unsigned flags)
{
	(void)flags;
	fill(__wrap_getrandom, to, n);
	return (ssize_t)n;
}

RT_EXPORT int __wrap_getentropy(void *to, size_t n)
{
	if (n > 256) {
		errno = EIO;
		return -1;
	}
	fill(__wrap_getentropy, to, n);
	return 0;
}

RT_EXPORT void __wrap_arc4random_buf(void *to, size_t n)
{
	fill(__wrap_arc4random_buf, to, n);
}

RT_EXPORT uint32_t __wrap_arc4random(void)
{
	rt_return(__wrap_arc4random, 0);
	return (uint32_t)(next() >> 32);
}

RT_EXPORT uint32_t __wrap_arc4random_uniform(uint32_t below)
{
	label a[1];
	rt_enter(__wrap_arc4random_uniform, a, 1);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_return(__wrap_arc4random_uniform, 0);
	return (uint32_t)((next() >> 32) * below >> 32);
}
