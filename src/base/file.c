/* file.c: whole files, their trees, and paths. Temporary ones: file_temp.c. */
#include "base/file.h"
#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_limited(int fd, size_t limit, struct buf *out)
{
	size_t start = out->size;
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= limit)
		buf_reserve(out, st.st_size);
	for (;;) {
		ssize_t n;

		buf_reserve(out, out->cap - out->size > 4096 ? 0 : 65536);
		n = read(fd, out->data + out->size, out->cap - out->size - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno("cannot read");
		if (!n)
			return 0;
		out->size += n;
		if (out->size - start > limit)
			return error_set("it has more than %zu bytes, which is the limit", limit);
	}
}

#define PIPE_MS 2000 /* for a writer to begin writing to a pipe */

/* A pipe, opened without waiting: another process writes to it, or words that none does. Leaves fd such that reading waits. */
static int await_writer(int fd, const char *path)
{
	struct pollfd p = {fd, POLLIN, 0};
	struct stat st;
	char none;

	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return 0;
	/* Without a writer reading gives the end at once, with one that has written nothing it gives EAGAIN; poll
	 * says neither before the first writer is there. */
	if (!poll(&p, 1, PIPE_MS)) {
		if (!read(fd, &none, 0) && read(fd, &none, 1) == 0)
			return error_set("'%s' is a pipe without a writer: name a plain file", path);
		log_warn("waiting for what is written to the pipe '%s'", path);
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return 0;
}

int file_read_fd(int fd, struct buf *out)
{
	return read_limited(fd, SIZE_MAX, out);
}

int file_read_limited(const char *path, size_t limit, struct buf *out)
{
	struct stat st;
	int pipe = !stat(path, &st) && S_ISFIFO(st.st_mode); /* opening one would wait for its writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | (pipe ? O_NONBLOCK : 0)), e;

	if (fd < 0)
		return error_errno("cannot open '%s'", path);
	if (pipe && await_writer(fd, path)) {
		close(fd);
		return -1;
	}
	e = read_limited(fd, limit, out);
	close(fd);
	return e ? error_wrap("'%s'", path) : 0;
}

int file_read(const char *path, struct buf *out)
{
	return file_read_limited(path, SIZE_MAX, out);
}

int file_write_all(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno("cannot write");
		p += n;
		size -= n;
	}
	return 0;
}

/* What is no regular file (/dev/null, a pipe, a terminal) is written to, never replaced. */
static int write_into(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), e;

	if (fd < 0)
		return error_errno("cannot open '%s'", path);
	e = file_write_all(fd, data, size) ? error_wrap("'%s'", path) : 0;
	if (close(fd) && !e)
		e = error_errno("cannot write '%s'", path);
	return e;
}

int file_create_new(int dir, const char *name, unsigned mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir, name, flags, mode);

	if (fd < 0 && errno == EEXIST && !unlinkat(dir, name, 0)) /* of a process that is gone, or a link that was laid there */
		fd = openat(dir, name, flags, mode);
	return fd;
}

int file_write_mode(const char *path, const void *data, size_t size, unsigned mode)
{
	static unsigned serial;
	struct stat st;
	char *temp;
	int fd, e = 0;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return write_into(path, data, size);
	temp = mem_printf("%s.%ld.%u.tmp", path, (long)getpid(),
			  __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
	fd = file_create_new(AT_FDCWD, temp, mode);
	if (fd < 0)
		e = error_errno("cannot create '%s'", path);
	if (!e && file_write_all(fd, data, size))
		e = error_wrap("'%s'", path);
	if (fd >= 0 && close(fd) && !e)
		e = error_errno("cannot write '%s'", path);
	if (!e && rename(temp, path))
		e = error_errno("cannot create '%s'", path);
	if (e && fd >= 0)
		unlink(temp);
	free(temp);
	return e;
}

int file_write_atomic(const char *path, const void *data, size_t size)
{
	return file_write_mode(path, data, size, 0644);
}

int file_update(const char *dir, const char *name, const void *data, size_t size)
{
	char *path = file_join(dir, name);
	struct buf old = {0};
	int e = 0;
	if (!file_is_regular(path) || file_read(path, &old) || old.size != size || (size && memcmp(old.data, data, size)))
		e = file_write_atomic(path, data, size);
	buf_release(&old);
	free(path);
	return e;
}

int file_copy(const char *from, const char *to)
{
	struct buf b = BUF_EMPTY;
	struct stat st;
	int e;

	if (stat(from, &st))
		return error_errno("cannot open '%s'", from);
	e = file_read(from, &b);
	if (!e)
		e = file_write_mode(to, b.data, b.size, st.st_mode & 0777);
	buf_release(&b);
	return e;
}

int file_mkdirs(const char *path)
{
	char *p = mem_strdup(path);
	int e = 0;

	for (char *s = p + 1; !e; s++) {
		char c = *s;

		if (c && c != '/')
			continue;
		*s = 0;
		if (mkdir(p, 0777) && errno != EEXIST)
			e = error_errno("cannot create directory '%s'", p);
		*s = c;
		if (!c)
			break;
	}
	if (!e && !file_is_dir(path))
		e = error_set("'%s' is not a directory", path);
	free(p);
	return e;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int file_remove_tree(const char *path)
{
	if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		return error_errno("cannot remove '%s'", path);
	return 0;
}

int file_exists(const char *path)
{
	return !access(path, F_OK);
}

int file_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int file_is_regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

int file_is_c(const char *path)
{
	size_t n = strlen(path);

	return n > 2 && (!strcmp(path + n - 2, ".c") || !strcmp(path + n - 2, ".i"));
}

char *file_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	if (name[0] == '/' || !n)
		return mem_strdup(name);
	return mem_printf("%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
}

char *file_absolute(const char *path)
{
	char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);
	char *p = file_join(cwd ? cwd : "", path);

	free(cwd);
	return p;
}

char *file_dir(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return mem_strndup(path, slash == path ? 1 : slash - path);
}

const char *file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#define NAME_LIMIT 200 /* a file name has 255 bytes, and those of temporary files are longer */

char *file_tame(const char *path, const char *const *taken)
{
	struct buf b = BUF_EMPTY;

	buf_add_tame(&b, file_base(path), NAME_LIMIT);
	for (; *taken; taken++)
		if (!strcmp(buf_str(&b), *taken)) {
			buf_addc(&b, '_');
			break;
		}
	return buf_take(&b);
}

char *file_self(void)
{
	char *p = realpath("/proc/self/exe", NULL);

	if (!p)
		error_errno("cannot find muster's own executable (is /proc mounted?)");
	return p;
}

char *file_part(const char *name)
{
	static const char *const places[] = {"", "../", "../../", "../lib/muster/", "../libexec/muster/"};
	char *self = file_self(), *dir, *path = NULL;

	if (!self)
		return NULL;
	dir = file_dir(self);
	for (size_t i = 0; i < sizeof places / sizeof places[0] && !path; i++) {
		path = mem_printf("%s/%s%s", dir, places[i], name);
		if (access(path, X_OK)) {
			free(path);
			path = NULL;
		}
	}
	free(dir);
	free(self);
	return path;
}
