/* random.c: the system's random numbers, the same ones in every run.
 *
 * They are input that was not given: a path that depends on them cannot be walked again, and what a trace says
 * about an input would be true of one run only (hash tables with a random salt are in many parsers). So they
 * come from a generator with a fixed start (splitmix64), in every variant with a runtime. Children go on where
 * their parent was.
 */
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

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

/* ------------------------------------------------------------- the devices
 * /dev/random and /dev/urandom are a file with bytes of the generator. */
#define DEVICE_BYTES 65536

static int is_device(const char *path)
{
	return path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}

static int device(int flags)
{
	unsigned char block[512];
	int fd = memfd_create("random", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	for (int i = 0; fd >= 0 && i < DEVICE_BYTES; i += (int)sizeof block) {
		for (size_t k = 0; k < sizeof block; k++)
			block[k] = (unsigned char)(next() >> 56);
		if (write(fd, block, sizeof block) != (ssize_t)sizeof block)
			break;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* A name that depends on the input names this file from here on. */
static void fix_name(const char *path, label l)
{
	rt_concrete(l, MUSTER_REASON_EXTERN);
	if (path && rt_active())
		rt_concrete_range(path, strlen(path) + 1, MUSTER_REASON_EXTERN);
}

#define MODE(flags, last, mode)                                                                    \
	if ((flags) & (O_CREAT | O_TMPFILE)) {                                                     \
		va_list ap;                                                                        \
		va_start(ap, last);                                                                \
		mode = va_arg(ap, mode_t);                                                         \
		va_end(ap);                                                                        \
	}

#define OPENS(X) X(open) X(open64)
#define X(name)                                                                                    \
	int __real_##name(const char *path, int flags, ...);                                       \
	RT_EXPORT int __wrap_##name(const char *path, int flags, ...)                              \
	{                                                                                          \
		label a[2];                                                                        \
		mode_t mode = 0;                                                                   \
		MODE(flags, flags, mode)                                                           \
		rt_enter(__wrap_##name, a, 2);                                                     \
		fix_name(path, a[0]);                                                              \
		rt_concrete(a[1], MUSTER_REASON_EXTERN);                                           \
		rt_return(__wrap_##name, 0);                                                       \
		return is_device(path) ? device(flags) : __real_##name(path, flags, mode);         \
	}
OPENS(X)
#undef X

#define OPENATS(X) X(openat) X(openat64)
#define X(name)                                                                                    \
	int __real_##name(int at, const char *path, int flags, ...);                               \
	RT_EXPORT int __wrap_##name(int at, const char *path, int flags, ...)                      \
	{                                                                                          \
		label a[3];                                                                        \
		mode_t mode = 0;                                                                   \
		MODE(flags, flags, mode)                                                           \
		rt_enter(__wrap_##name, a, 3);                                                     \
		rt_concrete(a[0], MUSTER_REASON_EXTERN);                                           \
		fix_name(path, a[1]);                                                              \
		rt_concrete(a[2], MUSTER_REASON_EXTERN);                                           \
		rt_return(__wrap_##name, 0);                                                       \
		return is_device(path) ? device(flags) : __real_##name(at, path, flags, mode);     \
	}
OPENATS(X)
#undef X

#define FOPENS(X) X(fopen) X(fopen64)
#define X(name)                                                                                    \
	FILE *__real_##name(const char *path, const char *mode);                                   \
	RT_EXPORT FILE *__wrap_##name(const char *path, const char *mode)                          \
	{                                                                                          \
		label a[2];                                                                        \
		rt_enter(__wrap_##name, a, 2);                                                     \
		fix_name(path, a[0]);                                                              \
		fix_name(mode, a[1]);                                                              \
		rt_return(__wrap_##name, 0);                                                       \
		return is_device(path) ? fdopen(device(0), "r") : __real_##name(path, mode);       \
	}
FOPENS(X)
#undef X
