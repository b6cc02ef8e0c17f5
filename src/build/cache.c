/* cache.c: the user's cache: its place, its entries, its size.
 *
 * Place: $MUSTER_CACHE; $MUSTER_DIR/cache; $XDG_CACHE_HOME/muster; ~/.cache/muster. What the user named must work.
 * The last two are a habit only: where they cannot be made or written (no HOME, a read-only one), or belong to another
 * user (sudo keeps HOME: root would execute what a user can change, and leave files that the user cannot
 * remove), the cache is .muster/cache in the current directory.
 *
 * Several processes: entries appear by renaming. Whoever runs a variant holds a shared lock (flock) on its directory,
 * whoever builds holds one on the file `lock`, and whoever fills a directory *.tmp one on that. All of these
 * end with the process, however it ends, so a lock that can be had exclusively says that no process is there. After
 * waiting for a lock the name must still be that directory, else it was removed meanwhile. Where flock does not
 * work, nothing is ever removed.
 *
 * Size: the file `sums` of an entry has the time of its last use. When something was added and all of it is larger than the limit,
 * entries go in this order until an eighth below the limit, so that the next addition finds room.
 */
#include "build/cache.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/vec.h"
#include "build/home.h"
#include "build/seal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define SIZE_DEFAULT ((uint64_t)2 << 30) /* some hundred programs in three variants each, of 2 MB a variant */
#define ROOM ((uint64_t)16 << 20)	 /* less than this on the disk is called full: a link of a small program needs a few */
#define LEFT_SECONDS 60			 /* old enough for a lock to have been taken */
#define UNITS "unit"			 /* the kind whose entries the lock of builds keeps */

/* --------------------------------------------------------------- its place */

static int usable(const char *dir)
{
	struct stat st;

	return !file_mkdirs(dir) && !stat(dir, &st) && st.st_uid == geteuid() && !access(dir, W_OK | X_OK);
}

/* What the environment names: it works, or it is an error. */
static char *named(const char *variable, const char *below)
{
	const char *s = getenv(variable);
	char *full, *dir;

	if (!s || !*s)
		return NULL;
	full = file_absolute(s);
	dir = file_join(full, below);
	free(full);
	return dir;
}

/* Where programs keep caches: below an absolute path, as the specification asks. */
static char *usual(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return file_join(xdg, "muster");
	return home && *home == '/' ? file_join(home, ".cache/muster") : NULL;
}

static char *choose(void)
{
	char *dir = named(CACHE_VARIABLE, ".");
	const char *variable = dir ? CACHE_VARIABLE : "MUSTER_DIR";

	if (dir)
		dir[strlen(dir) - 2] = 0; /* "/." */
	else
		dir = named(variable, "cache");
	if (dir && !file_mkdirs(dir))
		return dir;
	if (dir) {
		error_wrap("no place for the cache, which %s names", variable);
		free(dir);
		return NULL;
	}
	dir = usual();
	if (dir && usable(dir))
		return dir;
	free(dir);
	dir = file_absolute(".muster/cache");
	if (!file_mkdirs(dir))
		return dir;
	error_set("no place for the cache: %s; name one with " CACHE_VARIABLE, error_text());
	free(dir);
	return NULL;
}

const char *cache_dir(void)
{
	static char *dir;

	if (!dir)
		dir = choose();
	return dir;
}

char *cache_entry(const char *kind, const char *name)
{
	return cache_dir() ? mem_printf("%s/%s/%s", cache_dir(), kind, name) : NULL;
}

/* -------------------------------------------------------------------- locks */

static int lock_file(const char *path, int flags, int how)
{
	int fd = open(path, flags | O_CLOEXEC, 0644), e;

	if (fd < 0)
		return -1;
	while ((e = flock(fd, how)) && errno == EINTR)
		;
	if (!e)
		return fd;
	close(fd);
	return -1;
}

static int still(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int lock_builds(int how)
{
	char *path = cache_dir() ? file_join(cache_dir(), "lock") : NULL;
	int fd = path ? lock_file(path, O_RDWR | O_CREAT, how) : -1;

	free(path);
	return fd;
}

int cache_lock(void)
{
	return lock_builds(LOCK_SH);
}

void cache_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* ------------------------------------------------------------------ entries */

/* Out of sight first, so that no process sees half of it. */
static void remove_entry(const char *entry)
{
	static unsigned serial;
	char *gone = mem_printf("%s.%ld.%u.tmp", entry, (long)getpid(), serial++);

	if (!rename(entry, gone))
		file_remove_tree(gone);
	free(gone);
}

/* What was held stays so: a process runs a handful of variants, each from here until it ends. */
static void keep_lock(int fd, const char *entry)
{
	static VEC(char *) held;

	for (size_t i = 0; i < held.size; i++) {
		if (!strcmp(held.data[i], entry)) {
			close(fd);
			return;
		}
	}
	vec_push(&held, mem_strdup(entry));
}

int cache_use(const char *entry, int hold)
{
	int fd = lock_file(entry, O_RDONLY | O_DIRECTORY, LOCK_SH), there;
	char *sums;

	if (fd >= 0 ? !still(fd, entry) : !file_is_dir(entry)) {
		cache_unlock(fd);
		return 0;
	}
	there = seal_check(entry);
	if (!there) {
		log_warn("in the cache, %s: it is made again", error_text());
		remove_entry(entry);
	} else {
		sums = file_join(entry, SEAL_FILE);
		utimensat(AT_FDCWD, sums, NULL, 0);
		free(sums);
	}
	if (there && hold && fd >= 0)
		keep_lock(fd, entry);
	else
		cache_unlock(fd);
	return there;
}

char *cache_begin(const char *entry)
{
	char *temp = mem_printf("%s.%ld.tmp", entry, (long)getpid());

	file_temp_add(temp);
	if (!file_remove_tree(temp) && !file_mkdirs(temp)) {
		/* Not closed: it says that this process is at it. One a process and entry that it makes. */
		lock_file(temp, O_RDONLY | O_DIRECTORY, LOCK_SH);
		return temp;
	}
	error_set("%s; name another place for the cache with " CACHE_VARIABLE, error_text());
	file_temp_done(temp);
	free(temp);
	return NULL;
}

void cache_abandon(char *temp)
{
	char *saved = mem_strdup(error_text());

	file_remove_tree(temp);
	file_temp_done(temp);
	error_set("%s", saved);
	free(saved);
	free(temp);
}

int cache_commit(char *temp, const char *entry)
{
	int e = seal_write(temp);

	/* Whoever was faster made the same thing. */
	if (!e && rename(temp, entry) && !file_is_dir(entry))
		e = error_errno("cannot create '%s'", entry);
	cache_abandon(temp);
	return e;
}

/* --------------------------------------------------------------------- size */

struct found {
	char *path;
	uint64_t bytes;
	struct timespec used;
	int unit, unfinished;
	int left; /* unfinished, and no process is at it */
};
struct found_list {
	VEC(struct found) list;
};

static uint64_t add_bytes(const char *dir)
{
	DIR *d = opendir(dir);
	uint64_t bytes = 0;
	struct stat st;

	for (struct dirent *e; d && (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(st.st_mode)) {
			char *path = file_join(dir, e->d_name);

			bytes += add_bytes(path);
			free(path);
		} else {
			bytes += (uint64_t)st.st_blocks * 512;
		}
	}
	if (d)
		closedir(d);
	return bytes;
}

/* NAME.PID.tmp and NAME.PID.N.tmp, of a process that is gone: no process holds it, and none has its number (or has had
 * time to lock what it just made: in another container numbers say nothing). */
static int is_left(const char *path, const struct stat *st)
{
	long pid = file_temp_pid(file_base(path));
	int fd;

	if (!pid || (!(kill((pid_t)pid, 0) && errno == ESRCH) && time(NULL) - st->st_mtime < LEFT_SECONDS))
		return 0;
	fd = lock_file(path, O_RDONLY, LOCK_EX | LOCK_NB);
	cache_unlock(fd);
	return fd >= 0;
}

static void find_kind(struct found_list *all, const char *kind)
{
	char *dir = file_join(cache_dir(), kind);
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		struct found f = {.unit = !strcmp(kind, UNITS)};
		char *sums = mem_printf("%s/%s/" SEAL_FILE, dir, e->d_name);
		struct stat st;

		f.path = file_join(dir, e->d_name);
		if (e->d_name[0] != '.' && !lstat(f.path, &st)) {
			f.unfinished = file_temp_pid(e->d_name) > 0;
			f.left = f.unfinished && is_left(f.path, &st);
			f.bytes = S_ISDIR(st.st_mode) ? add_bytes(f.path) : (uint64_t)st.st_blocks * 512;
			f.used = stat(sums, &st) ? (struct timespec){0} : st.st_mtim; /* without sums it is of no use */
			vec_push(&all->list, f);
		} else {
			free(f.path);
		}
		free(sums);
	}
	if (d)
		closedir(d);
	free(dir);
}

static void find_all(struct found_list *all)
{
	DIR *d = cache_dir() ? opendir(cache_dir()) : NULL;

	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			find_kind(all, e->d_name); /* of a plain file: nothing */
	if (d)
		closedir(d);
}

static void release_all(struct found_list *all)
{
	for (size_t i = 0; i < all->list.size; i++)
		free(all->list.data[i].path);
	vec_release(&all->list);
}

/* What the user set: a number with k, M or G; 0 for none. Nonsense is said, and the default taken. */
static uint64_t limit(void)
{
	const char *s = getenv(CACHE_SIZE_VARIABLE);
	uint64_t bytes;

	if (!s || !*s)
		return SIZE_DEFAULT;
	if (option_number(s, &bytes)) {
		log_warn(CACHE_SIZE_VARIABLE "='%s' is no number of bytes (500M, 2G; 0: no limit)", s);
		return SIZE_DEFAULT;
	}
	return bytes;
}

static int older(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* 1: it is gone. The lock is kept until it is: who waits for it then sees that the name is no longer this. */
static int evict(const struct found *f)
{
	int fd = lock_file(f->path, O_RDONLY | O_DIRECTORY, LOCK_EX | LOCK_NB);

	if (fd < 0)
		return !file_is_dir(f->path);
	if (still(fd, f->path))
		remove_entry(f->path);
	close(fd);
	return 1;
}

void cache_trim(void)
{
	struct found_list all = {0};
	uint64_t most = limit(), bytes = 0, enough = most - most / 8;
	int builds = lock_builds(LOCK_EX | LOCK_NB); /* -1: a process builds, and may need units */

	find_all(&all);
	for (size_t i = 0; i < all.list.size; i++) {
		if (all.list.data[i].left)
			file_remove_tree(all.list.data[i].path);
		else
			bytes += all.list.data[i].bytes;
	}
	if (most && bytes > most)
		qsort(all.list.data, all.list.size, sizeof *all.list.data, older);
	else
		enough = UINT64_MAX;
	for (size_t i = 0; i < all.list.size && bytes > enough; i++) {
		const struct found *f = &all.list.data[i];

		if (!f->unfinished && !(f->unit && builds < 0) && evict(f))
			bytes -= f->bytes;
	}
	release_all(&all);
	cache_unlock(builds);
}

int cache_measure(struct cache_size *out)
{
	struct found_list all = {0};

	*out = (struct cache_size){.limit = limit()};
	if (!cache_dir())
		return -1;
	find_all(&all);
	for (size_t i = 0; i < all.list.size; i++)
		out->bytes += all.list.data[i].bytes;
	out->entries = all.list.size;
	release_all(&all);
	return 0;
}

char *cache_full_words(void)
{
	struct statvfs v;

	if (!cache_dir() || statvfs(cache_dir(), &v) || (uint64_t)v.f_bavail * v.f_frsize >= ROOM)
		return mem_strdup("");
	return mem_printf("\nthe disk with the cache '%s' is full: make room there, or name another place with " CACHE_VARIABLE, cache_dir());
}
