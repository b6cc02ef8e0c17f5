/* io.c: wrappers of the calls that read a descriptor, move its position, or report
 * the size of a file.
 *
 * Whether a descriptor reads an input is asked each time, by device and inode, so
 * open, dup, fdopen and inheritance need nothing here. Bytes from elsewhere are
 * concrete; what stood in the buffer before is overwritten either way.
 */
#include "io.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __real_pread(int fd, void *to, size_t n, off_t offset);
ssize_t __real_readv(int fd, const struct iovec *parts, int count);
ssize_t __real_preadv(int fd, const struct iovec *parts, int count, off_t offset);
off_t __real_lseek(int fd, off_t offset, int whence);
int __real_close(int fd);
int __real_dup(int fd);
int __real_dup2(int fd, int to);
int __real_dup3(int fd, int to, int flags);
int __real_stat(const char *path, struct stat *st);
int __real_fstat(int fd, struct stat *st);
int __real_lstat(const char *path, struct stat *st);
int __real_fstatat(int dir, const char *path, struct stat *st, int flags);
int __real_statx(int dir, const char *path, int flags, unsigned mask, struct statx *st);
_Noreturn void __chk_fail(void);

/* ---------------------------------------------------------------- reading */

static ssize_t do_read(const void *fn, int fd, void *to, size_t n, const label *a)
{
	struct io_position p;
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_concrete(a[1], MUSTER_REASON_STORE);
	rt_returned(fd);
	int known = rt_io_position_get(fd, &p);
	uint64_t at = known ? p.at : 0;
	rt_check_read(to, n, a[2], known ? rt_io_end(&p) : 0, known ? p.at : 0);
	ssize_t got = __real_read(fd, to, n);
	label result = 0;
	if (got >= 0 && known) {
		result = rt_io_account(&p, n, a[2], (size_t)got);
		if (got > 0)
			rt_label_input(to, (unsigned)p.source, at, (size_t)got);
		if (result && (size_t)got < n)
			rt_io_past(p.source, (char *)to + got, a[2] ? SIZE_MAX : n - (size_t)got,
				   got > 0);
		else if (got > 0)
			rt_io_more(p.source, p.at, (char *)to + got, a[2], n);
		rt_io_position_set(fd, &p);
	} else {
		rt_concrete(a[2], MUSTER_REASON_SIZE);
		if (got > 0)
			rt_clear(to, (size_t)got);
	}
	rt_return(fn, result);
	return got;
}

RT_EXPORT ssize_t __wrap_read(int fd, void *to, size_t n)
{
	label a[3];
	rt_enter(__wrap_read, a, 3);
	return do_read(__wrap_read, fd, to, n, a);
}

RT_EXPORT ssize_t __wrap___read(int fd, void *to, size_t n)
{
	label a[3];
	rt_enter(__wrap___read, a, 3);
	return do_read(__wrap___read, fd, to, n, a);
}

RT_EXPORT ssize_t __wrap___read_chk(int fd, void *to, size_t n, size_t room)
{
	label a[4];
	rt_enter(__wrap___read_chk, a, 4);
	if (n > room)
		__chk_fail();
	return do_read(__wrap___read_chk, fd, to, n, a);
}

/* A position that the caller says. */
static int explicit_position(int fd, off_t offset, label l, struct io_position *p)
{
	*p =
	    (struct io_position){.source = rt_source_of_fd(fd), .at = (uint64_t)offset, .label = l};
	return p->source >= 0 && offset >= 0;
}

static ssize_t do_pread(const void *fn, int fd, void *to, size_t n, off_t offset, const label *a)
{
	struct io_position p;
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_concrete(a[1], MUSTER_REASON_STORE);
	rt_returned(fd);
	int known = explicit_position(fd, offset, a[3], &p);
	rt_check_read(to, n, a[2], known ? rt_io_end(&p) : 0, known ? p.at : 0);
	ssize_t got = __real_pread(fd, to, n, offset);
	label result = 0;
	if (got >= 0 && known) {
		result = rt_io_account(&p, n, a[2], (size_t)got);
		if (got > 0)
			rt_label_input(to, (unsigned)p.source, (uint64_t)offset, (size_t)got);
		if (result && (size_t)got < n)
			rt_io_past(p.source, (char *)to + got, a[2] ? SIZE_MAX : n - (size_t)got,
				   got > 0);
		else if (got > 0)
			rt_io_more(p.source, p.at, (char *)to + got, a[2], n);
	} else {
		rt_concrete(a[2], MUSTER_REASON_SIZE);
		rt_concrete(a[3], MUSTER_REASON_OFFSET);
		if (got > 0)
			rt_clear(to, (size_t)got);
	}
	rt_return(fn, result);
	return got;
}

RT_EXPORT ssize_t __wrap_pread(int fd, void *to, size_t n, off_t offset)
{
	label a[4];
	rt_enter(__wrap_pread, a, 4);
	return do_pread(__wrap_pread, fd, to, n, offset, a);
}

RT_EXPORT ssize_t __wrap_pread64(int fd, void *to, size_t n, off_t offset)
{
	label a[4];
	rt_enter(__wrap_pread64, a, 4);
	return do_pread(__wrap_pread64, fd, to, n, offset, a);
}

RT_EXPORT ssize_t __wrap___pread_chk(int fd, void *to, size_t n, off_t offset, size_t room)
{
	label a[5];
	rt_enter(__wrap___pread_chk, a, 5);
	if (n > room)
		__chk_fail();
	return do_pread(__wrap___pread_chk, fd, to, n, offset, a);
}

RT_EXPORT ssize_t __wrap___pread64_chk(int fd, void *to, size_t n, off_t offset, size_t room)
{
	label a[5];
	rt_enter(__wrap___pread64_chk, a, 5);
	if (n > room)
		__chk_fail();
	return do_pread(__wrap___pread64_chk, fd, to, n, offset, a);
}

/* The labels of an array of parts are fixed; gives the bytes they hold. */
static size_t parts_size(const struct iovec *parts, int count)
{
	size_t size = 0;
	rt_concrete_range(parts, (size_t)count * sizeof *parts, MUSTER_REASON_SIZE);
	for (int i = 0; i < count; i++)
		size += parts[i].iov_len;
	return size;
}

/* got bytes stand in the parts; they come from the source at `at`, or from none. */
static void label_parts(const struct iovec *parts, int count, size_t got, int source, uint64_t at)
{
	for (int i = 0; i < count && got > 0; i++) {
		size_t n = parts[i].iov_len < got ? parts[i].iov_len : got;
		if (source >= 0)
			rt_label_input(parts[i].iov_base, (unsigned)source, at, n);
		else
			rt_clear(parts[i].iov_base, n);
		at += n;
		got -= n;
	}
}

RT_EXPORT ssize_t __wrap_readv(int fd, const struct iovec *parts, int count)
{
	struct io_position p;
	label a[3], result = 0;
	rt_enter(__wrap_readv, a, 3);
	for (int i = 0; i < 3; i++)
		rt_concrete(a[i], MUSTER_REASON_SIZE);
	rt_returned(fd);
	int known = rt_io_position_get(fd, &p);
	uint64_t at = known ? p.at : 0;
	ssize_t got = __real_readv(fd, parts, count);
	if (got >= 0) {
		size_t want = parts_size(parts, count);
		if (known) {
			result = rt_io_account(&p, want, 0, (size_t)got);
			rt_io_position_set(fd, &p);
			if (result && (size_t)got < want)
				rt_io_past(p.source, NULL, want - (size_t)got, 0);
		}
		label_parts(parts, count, (size_t)got, known ? p.source : -1, at);
	}
	rt_return(__wrap_readv, result);
	return got;
}

static ssize_t do_preadv(const void *fn, int fd, const struct iovec *parts, int count, off_t offset,
			 const label *a)
{
	struct io_position p;
	label result = 0;
	for (int i = 0; i < 3; i++)
		rt_concrete(a[i], MUSTER_REASON_SIZE);
	rt_returned(fd);
	int known = explicit_position(fd, offset, a[3], &p);
	ssize_t got = __real_preadv(fd, parts, count, offset);
	if (got >= 0) {
		size_t want = parts_size(parts, count);
		if (known)
			result = rt_io_account(&p, want, 0, (size_t)got);
		if (result && (size_t)got < want)
			rt_io_past(p.source, NULL, want - (size_t)got, 0);
		label_parts(parts, count, (size_t)got, known ? p.source : -1, (uint64_t)offset);
	}
	rt_return(fn, result);
	return got;
}

RT_EXPORT ssize_t __wrap_preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
	label a[4];
	rt_enter(__wrap_preadv, a, 4);
	return do_preadv(__wrap_preadv, fd, parts, count, offset, a);
}

RT_EXPORT ssize_t __wrap_preadv64(int fd, const struct iovec *parts, int count, off_t offset)
{
	label a[4];
	rt_enter(__wrap_preadv64, a, 4);
	return do_preadv(__wrap_preadv64, fd, parts, count, offset, a);
}

/* --------------------------------------------------------------- position */

static off_t do_lseek(const void *fn, int fd, off_t offset, int whence, const label *a)
{
	struct io_position p;
	label result = 0;
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_concrete(a[2], MUSTER_REASON_OFFSET);
	rt_returned(fd);
	int known = rt_io_position_get(fd, &p);
	off_t at = __real_lseek(fd, offset, whence);
	if (known) {
		rt_io_seek(&p, offset, a[1], whence, at);
		rt_io_position_set(fd, &p);
		result = at >= 0 ? p.label : 0;
	} else {
		rt_concrete(a[1], MUSTER_REASON_OFFSET);
	}
	rt_return(fn, result);
	return at;
}

RT_EXPORT off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	label a[3];
	rt_enter(__wrap_lseek, a, 3);
	return do_lseek(__wrap_lseek, fd, offset, whence, a);
}

RT_EXPORT off_t __wrap_lseek64(int fd, off_t offset, int whence)
{
	label a[3];
	rt_enter(__wrap_lseek64, a, 3);
	return do_lseek(__wrap_lseek64, fd, offset, whence, a);
}

/* A duplicate has the same position, as long as it is not moved through the other one. */
static int duplicated(int from, int to)
{
	struct io_position p;
	if (to >= 0 && to != from) {
		rt_io_position_forget(to);
		if (rt_io_position_get(from, &p))
			rt_io_position_set(to, &p);
	}
	return to;
}

/* X(name, parameters, the call) */
#define DUPLICATES(X)                                  \
	X(dup, (int fd), __real_dup(fd))               \
	X(dup2, (int fd, int to), __real_dup2(fd, to)) \
	X(dup3, (int fd, int to, int flags), __real_dup3(fd, to, flags))

#define X(name, parameters, call)                                \
	RT_EXPORT int __wrap_##name parameters                   \
	{                                                        \
		label a[3];                                      \
		rt_enter(__wrap_##name, a, 3);                   \
		for (int i = 0; i < 3; i++)                      \
			rt_concrete(a[i], MUSTER_REASON_EXTERN); \
		int result = duplicated(fd, call);               \
		rt_return(__wrap_##name, 0);                     \
		return result;                                   \
	}
DUPLICATES(X)
#undef X

RT_EXPORT int __wrap_close(int fd)
{
	label a[1];
	rt_enter(__wrap_close, a, 1);
	rt_concrete(a[0], MUSTER_REASON_EXTERN);
	rt_io_position_forget(fd);
	return __real_close(fd);
}

/* ------------------------------------------------------------------ sizes */

/* result is what the stat function gave. */
static int told(int result, struct stat *st)
{
	if (result != 0)
		return result;
	rt_clear(st, sizeof *st);
	rt_returned_inode(st->st_dev, st->st_ino);
	int source = rt_source_of_inode(st->st_dev, st->st_ino);
	if (source >= 0 && (uint64_t)st->st_size == rt_source_size((unsigned)source))
		rt_store(&st->st_size, sizeof st->st_size, rt_length((unsigned)source));
	return 0;
}

/* X(name, parameters, the call). Paths are names for files, not data: their bytes
 * are fixed, as the file that was found depends on them. */
#define STATS(X)                                                                      \
	X(stat, (const char *path, struct stat *st), __real_stat(path, st), path)     \
	X(stat64, (const char *path, struct stat *st), __real_stat(path, st), path)   \
	X(lstat, (const char *path, struct stat *st), __real_lstat(path, st), path)   \
	X(lstat64, (const char *path, struct stat *st), __real_lstat(path, st), path) \
	X(fstat, (int fd, struct stat *st), __real_fstat(fd, st), NULL)               \
	X(fstat64, (int fd, struct stat *st), __real_fstat(fd, st), NULL)             \
	X(fstatat, (int dir, const char *path, struct stat *st, int flags),           \
	  __real_fstatat(dir, path, st, flags), path)                                 \
	X(fstatat64, (int dir, const char *path, struct stat *st, int flags),         \
	  __real_fstatat(dir, path, st, flags), path)

static void fix_path(const char *path)
{
	if (!path || !rt_active())
		return;
	size_t n = 0;
	while (path[n])
		n++;
	rt_concrete_range(path, n + 1, MUSTER_REASON_EXTERN);
}

#define X(name, parameters, call, path)                  \
	RT_EXPORT int __wrap_##name parameters           \
	{                                                \
		label a[4];                              \
		rt_enter(__wrap_##name, a, 4);           \
		rt_concrete(a[0], MUSTER_REASON_EXTERN); \
		fix_path(path);                          \
		return told(call, st);                   \
	}
STATS(X)
#undef X

RT_EXPORT int __wrap_statx(int dir, const char *restrict path, int flags, unsigned mask,
			   struct statx *restrict st)
{
	label a[5];
	rt_enter(__wrap_statx, a, 5);
	fix_path(path);
	int result = __real_statx(dir, path, flags, mask, st);
	if (result != 0)
		return result;
	rt_clear(st, sizeof *st);
	dev_t device = makedev(st->stx_dev_major, st->stx_dev_minor);
	rt_returned_inode(device, st->stx_ino);
	int source = rt_source_of_inode(device, st->stx_ino);
	if (source >= 0 && st->stx_size == rt_source_size((unsigned)source))
		rt_store(&st->stx_size, sizeof st->stx_size, rt_length((unsigned)source));
	return 0;
}
