/* output.c: functions that write what the program says. Output decides nothing, so
 * its labels are left as they are; what comes back is the argument again, with its
 * label, unless the system did less than was asked. What goes to a pipe, to a
 * stream in memory or to a file that is open for reading too is given up: the
 * program may read it again, without labels. What goes to other files is remembered, in case they are read (unseen.c).
 */
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_fstat(int fd, struct stat *st);
ssize_t __real_write(int fd, const void *from, size_t n);
ssize_t __real_pwrite(int fd, const void *from, size_t n, off_t offset);
size_t __real_fwrite(const void *from, size_t size, size_t n, FILE *fp);
size_t __real_fwrite_unlocked(const void *from, size_t size, size_t n, FILE *fp);
int __real_fputs(const char *s, FILE *fp);
int __real_fputs_unlocked(const char *s, FILE *fp);
int __real_fputc(int c, FILE *fp);
int __real_fputc_unlocked(int c, FILE *fp);

int rt_comes_back(int fd)
{
	struct stat st;
	int kept = errno, flags = fd == STDOUT_FILENO || fd == STDERR_FILENO ? -1 : fcntl(fd, F_GETFL), back = 0;
	if (flags != -1 && __real_fstat(fd, &st) == 0)
		back = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || (S_ISREG(st.st_mode) && (flags & O_ACCMODE) == O_RDWR);
	errno = kept;
	return back;
}

#define WRITE_ONLY 4 /* glibc's _IO_NO_READS */

int rt_stream_comes_back(const void *stream)
{
	FILE *fp = (FILE *)stream;
	int kept = errno, fd = fp == stdout || fp == stderr ? STDOUT_FILENO : fileno(fp);
	errno = kept;
	return fd < 0 || (!(fp->_flags & WRITE_ONLY) && rt_comes_back(fd));
}

static void say(int fd, const void *from, size_t n)
{
	if (!rt_any(from, n))
		return;
	if (rt_comes_back(fd))
		rt_concrete_range(from, n, MUSTER_REASON_EXTERN);
	else
		rt_left(fd, from, n);
}

static void say_to(FILE *fp, const void *from, size_t n)
{
	if (!rt_any(from, n))
		return;
	if (rt_stream_comes_back(fp))
		rt_concrete_range(from, n, MUSTER_REASON_EXTERN);
	else
		rt_left(fileno(fp), from, n);
}

/* How much was written: the next reader of a pipe gets it, and the file's size says. */
static void say_size(int back, int fd, label n)
{
	if (n && back)
		rt_concrete(n, MUSTER_REASON_SIZE);
	else if (n)
		rt_left_label(fd, n);
}

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
	rt_there(a[1], a[2], from, n);
	say(fd, from, n);
	say_size(a[2] && rt_comes_back(fd), fd, a[2]);
	return (ssize_t)wrote(__wrap_write, (size_t)__real_write(fd, from, n), n, a[2]);
}

static ssize_t do_pwrite(const void *fn, int fd, const void *from, size_t n, off_t offset)
{
	label a[4];
	rt_enter(fn, a, 4);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_concrete(a[3], MUSTER_REASON_OFFSET);
	say(fd, from, n);
	say_size(a[2] && rt_comes_back(fd), fd, a[2]);
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
		label bytes = rt_binary(MUSTER_OP_MUL, 64, a[1], a[2], size, n);          \
		rt_there(a[0], bytes, from, size * n);                                    \
		say_to(fp, from, size * n);                                               \
		say_size(bytes && rt_stream_comes_back(fp), fileno(fp), bytes);           \
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
		rt_output(s, a[0]);                          \
		say_to(fp, s, strlen(s) + 1);                \
		int result = __real_##name(s, fp);           \
		rt_return(__wrap_##name, 0);                 \
		return result;                               \
	}
STRINGS(X)
#undef X

static int put(const void *fn, int result, label c, FILE *fp)
{
	if (c && rt_stream_comes_back(fp))
		rt_concrete(c, MUSTER_REASON_EXTERN);
	else if (c)
		rt_left_label(fileno(fp), c);
	rt_return(fn, c && result != EOF ? rt_zext(rt_extract(c, 0, 8), 32) : 0);
	return result;
}

/* X(name, parameters, the call, the stream) */
#define CHARACTERS(X)                                                      \
	X(fputc, (int c, FILE *fp), __real_fputc(c, fp), fp)                   \
	X(putc, (int c, FILE *fp), __real_fputc(c, fp), fp)                    \
	X(_IO_putc, (int c, FILE *fp), __real_fputc(c, fp), fp)                \
	X(putchar, (int c), __real_fputc(c, stdout), stdout)                       \
	X(fputc_unlocked, (int c, FILE *fp), __real_fputc_unlocked(c, fp), fp) \
	X(putc_unlocked, (int c, FILE *fp), __real_fputc_unlocked(c, fp), fp)  \
	X(putchar_unlocked, (int c), __real_fputc_unlocked(c, stdout), stdout)

#undef putc
#undef putchar
#undef putc_unlocked
#undef fputc_unlocked
#undef putchar_unlocked
#define X(name, parameters, call, stream)               \
	RT_EXPORT int __wrap_##name parameters         \
	{                                              \
		label a[1];                            \
		rt_enter(__wrap_##name, a, 1);         \
		return put(__wrap_##name, call, a[0], stream); \
	}
CHARACTERS(X)
#undef X

int __real___overflow(FILE *fp, int c);

/* What the macros of putc_unlocked call when the buffer is full. */
RT_EXPORT int __wrap___overflow(FILE *fp, int c)
{
	label a[2];
	rt_enter(__wrap___overflow, a, 2);
	return put(__wrap___overflow, __real___overflow(fp, c), a[1], fp);
}
