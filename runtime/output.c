/* output.c: functions that write what the program says. Output decides nothing, so
 * its labels are left as they are; what comes back is the argument again, with its
 * label, unless the system did less than was asked.
 */
#include "rt.h"

#include <stdio.h>
#include <unistd.h>

ssize_t __real_write(int fd, const void *from, size_t n);
ssize_t __real_pwrite(int fd, const void *from, size_t n, off_t offset);
size_t __real_fwrite(const void *from, size_t size, size_t n, FILE *fp);
size_t __real_fwrite_unlocked(const void *from, size_t size, size_t n, FILE *fp);
int __real_fputs(const char *s, FILE *fp);
int __real_fputs_unlocked(const char *s, FILE *fp);
int __real_fputc(int c, FILE *fp);
int __real_fputc_unlocked(int c, FILE *fp);

/* n were asked for. */
static size_t wrote(const void *fn, size_t done, size_t n, label l)
{
	if (done != n) {
		rt_concrete(l, MUSTER_REASON_SIZE);
		l = 0;
	}
	rt_return(fn, l);
	return done;
}

RT_EXPORT ssize_t __wrap_write(int fd, const void *from, size_t n)
{
	label a[3];
	rt_enter(__wrap_write, a, 3);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	return (ssize_t)wrote(__wrap_write, (size_t)__real_write(fd, from, n), n, a[2]);
}

static ssize_t do_pwrite(const void *fn, int fd, const void *from, size_t n, off_t offset)
{
	label a[4];
	rt_enter(fn, a, 4);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_concrete(a[3], MUSTER_REASON_OFFSET);
	return (ssize_t)wrote(fn, (size_t)__real_pwrite(fd, from, n, offset), n, a[2]);
}

RT_EXPORT ssize_t __wrap_pwrite(int fd, const void *from, size_t n, off_t offset)
{
	return do_pwrite(__wrap_pwrite, fd, from, n, offset);
}

RT_EXPORT ssize_t __wrap_pwrite64(int fd, const void *from, size_t n, off_t offset)
{
	return do_pwrite(__wrap_pwrite64, fd, from, n, offset);
}

/* An element of no bytes makes the result 0, whatever their number. */
#define BLOCKS(X) X(fwrite) X(fwrite_unlocked)
#define X(name)                                                                           \
	RT_EXPORT size_t __wrap_##name(const void *from, size_t size, size_t n, FILE *fp) \
	{                                                                                 \
		label a[4];                                                               \
		rt_enter(__wrap_##name, a, 4);                                            \
		if (a[1])                                                                 \
			rt_bound(rt_binary(MUSTER_OP_EQ, 64, a[1], 0, size, 0));          \
		return wrote(__wrap_##name, __real_##name(from, size, n, fp), n, a[2]);   \
	}
BLOCKS(X)
#undef X

/* libc's result does not depend on the text. */
#define STRINGS(X) X(fputs) X(fputs_unlocked)
#define X(name)                                              \
	RT_EXPORT int __wrap_##name(const char *s, FILE *fp) \
	{                                                    \
		label a[2];                                  \
		rt_enter(__wrap_##name, a, 2);               \
		int result = __real_##name(s, fp);           \
		rt_return(__wrap_##name, 0);                 \
		return result;                               \
	}
STRINGS(X)
#undef X

static int put(const void *fn, int result, label c)
{
	rt_return(fn, c && result != EOF ? rt_zext(rt_extract(c, 0, 8), 32) : 0);
	return result;
}

/* X(name, parameters, the call) */
#define CHARACTERS(X)                                                      \
	X(fputc, (int c, FILE *fp), __real_fputc(c, fp))                   \
	X(putc, (int c, FILE *fp), __real_fputc(c, fp))                    \
	X(_IO_putc, (int c, FILE *fp), __real_fputc(c, fp))                \
	X(putchar, (int c), __real_fputc(c, stdout))                       \
	X(fputc_unlocked, (int c, FILE *fp), __real_fputc_unlocked(c, fp)) \
	X(putc_unlocked, (int c, FILE *fp), __real_fputc_unlocked(c, fp))  \
	X(putchar_unlocked, (int c), __real_fputc_unlocked(c, stdout))

#undef putc
#undef putchar
#undef putc_unlocked
#undef fputc_unlocked
#undef putchar_unlocked
#define X(name, parameters, call)                      \
	RT_EXPORT int __wrap_##name parameters         \
	{                                              \
		label a[1];                            \
		rt_enter(__wrap_##name, a, 1);         \
		return put(__wrap_##name, call, a[0]); \
	}
CHARACTERS(X)
#undef X

int __real___overflow(FILE *fp, int c);

/* What the macros of putc_unlocked call when the buffer is full. */
RT_EXPORT int __wrap___overflow(FILE *fp, int c)
{
	label a[2];
	rt_enter(__wrap___overflow, a, 2);
	return put(__wrap___overflow, __real___overflow(fp, c), a[1]);
}
