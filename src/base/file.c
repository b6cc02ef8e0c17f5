/* file.c: whole files, paths, and what is to be removed at the end.
 *
 * Temporary files belong to the process that made them: cleanup compares
 * process ids, so that a forked child that exits leaves its parent's files alone. A child's
 * directory lies in its parent's where there is one, so that what a killed child leaves goes with the
 * parent's; a child that ends by itself calls file_exit_child, since _exit runs no atexit function.
 * The signal handler removes them with a forked rm (async-signal-safe),
 * then dies by the same signal, so that the caller sees the true cause.
 */
#include "base/file.h"
#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

#define PIPE_MS 2000 /* for somebody to begin writing to a pipe */

/* A pipe, opened without waiting: somebody writes to it, or words that nobody does. Leaves fd such that reading waits. */
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
			return error_set("'%s' is a pipe to which nobody writes: name a plain file", path);
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

	if (fd < 0 && errno == EEXIST && !unlinkat(dir, name, 0)) /* of a process that is gone, or a link somebody laid there */
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

#define TEMPS 16

/* Fixed places, so that the signal handler finds them whole. */
static char temps[TEMPS][4096];
static pid_t temp_owner; /* of what stands in them */
static const char *temp_dir;
static char temp_above[4096]; /* the temporary directory of the process that forked this one, or "" */
static unsigned temp_serial;

static void temp_cleanup(void)
{
	for (int i = 0; i < TEMPS; i++)
		if (temps[i][0] && temp_owner == getpid())
			file_remove_tree(temps[i]);
}

static void temp_signal(int sig)
{
	char *argv[TEMPS + 4] = {"rm", "-rf", "--"};
	int n = 3;

	for (int i = 0; i < TEMPS; i++)
		if (temps[i][0])
			argv[n++] = temps[i];
	if (n > 3 && temp_owner == getpid()) {
		pid_t pid = _Fork(); /* fork would wait for the allocator, in which the signal may have come */

		if (!pid) {
			execv("/bin/rm", argv);
			_exit(127);
		}
		if (pid > 0)
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				;
	}
	raise(sig); /* the default action: SA_RESETHAND */
}

/* The first time in this process: a child starts without its parent's files. */
static void temp_claim(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	if (temp_owner == getpid())
		return;
	if (!temp_owner)
		atexit(temp_cleanup);
	snprintf(temp_above, sizeof temp_above, "%s", temp_dir ? temp_dir : "");
	memset(temps, 0, sizeof temps);
	temp_dir = NULL;
	temp_owner = getpid();
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct sigaction sa = {.sa_handler = temp_signal, .sa_flags = SA_RESETHAND}, old;

		/* A signal that our parent ignores (nohup) stays ignored. */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &sa, NULL);
	}
}

static const char *temp_add(const char *path)
{
	temp_claim();
	for (int i = 0; i < TEMPS; i++) {
		if (!temps[i][0] && strlen(path) < sizeof temps[i]) {
			strcpy(temps[i], path);
			return temps[i];
		}
	}
	return NULL; /* it stays behind; better than to fail */
}

void file_temp_add(const char *path)
{
	temp_add(path);
}

void file_temp_done(const char *path)
{
	for (int i = 0; i < TEMPS; i++)
		if (!strcmp(temps[i], path))
			temps[i][0] = 0;
}

/* clang puts random digits in place of a %, and an option of the sanitizers that has both quotes cannot be
 * written. */
static int temp_unusable(const char *path)
{
	return strpbrk(path, "%\n\r") || (strchr(path, '"') && strchr(path, '\''));
}

void file_temp_settle(void)
{
	const char *base = getenv("TMPDIR");
	char *path;

	if (!base || !*base)
		return;
	path = file_absolute(base);
	if (temp_unusable(path)) {
		log_warn("TMPDIR has a character that compilers or sanitizers do not take as it stands (%%, a "
			 "line's end, or both kinds of quotes): /tmp is used instead");
		setenv("TMPDIR", "/tmp", 1);
	} else {
		setenv("TMPDIR", path, 1); /* runs have directories of their own */
	}
	free(path);
}

const char *file_temp_dir(void)
{
	const char *base = getenv("TMPDIR");
	char *path;

	temp_claim();
	if (temp_dir)
		return temp_dir;
	if (*temp_above && file_is_dir(temp_above))
		base = temp_above;
	path = mem_printf("%s/muster-XXXXXX", base && *base ? base : "/tmp");
	if (mkdtemp(path))
		temp_dir = temp_add(path);
	else
		error_errno("cannot make a temporary directory '%s' (set TMPDIR?)", path);
	free(path);
	return temp_dir;
}

char *file_temp(const char *name)
{
	const char *dir = file_temp_dir();

	if (!dir)
		return NULL;
	return mem_printf("%s/%u-%s", dir, __atomic_fetch_add(&temp_serial, 1, __ATOMIC_RELAXED),
			  name);
}

void file_exit_child(int status)
{
	temp_cleanup();
	_exit(status);
}

long file_temp_pid(const char *name)
{
	size_t n = strlen(name);
	long last = 0, before = 0;
	char copy[256], *dot;

	if (n < 5 || n >= sizeof copy || strcmp(name + n - 4, ".tmp"))
		return 0;
	memcpy(copy, name, n + 1);
	copy[n - 4] = 0;
	if ((dot = strrchr(copy, '.'))) {
		last = strtol(dot + 1, NULL, 10);
		*dot = 0;
		dot = strrchr(copy, '.');
		before = dot ? strtol(dot + 1, NULL, 10) : 0;
	}
	return before > 0 ? before : last;
}

void file_sweep_temps(const char *dir)
{
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		long pid = file_temp_pid(e->d_name);

		if (pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}
