/* seeds.c: the inputs a search begins with: every plain file below a directory, in the order of
 * their names (bytes of the path below the directory), so that the same seeds make the same search.
 *
 * Directories that begin with '.' are left out (.git, AFL's .state). Links to files are followed,
 * links to directories are not: they can make circles. Pipes and devices are passed over without
 * being opened. Names may hold any byte; they are tamed where they are printed.
 */
#include "store/outdir_parts.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64 /* a descriptor each */
#define WARNINGS 5   /* then they are counted */

struct walk {
	VEC(char *) names;
	unsigned skipped;
};

/* A name as it can be shown: a terminal must not obey it. */
static char *shown(const char *name)
{
	struct buf b = BUF_EMPTY;

	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		buf_addf(&b, *p < ' ' || *p == 127 ? "\\x%02x" : "%c", *p);
	return buf_take(&b);
}

static void skip(struct walk *w, const char *name, const char *why)
{
	char *s;

	if (w->skipped++ >= WARNINGS)
		return;
	s = shown(name);
	log_warn("seed '%s' is left out: %s", s, why);
	free(s);
}

/* Takes fd. */
static void collect(struct walk *w, int fd, const char *prefix, int depth)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;

	if (!d) {
		close(fd);
		return;
	}
	while ((e = readdir(d))) {
		struct stat st, own;
		char *name;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		name = mem_printf("%s%s", prefix, e->d_name);
		if (fstatat(dirfd(d), e->d_name, &own, AT_SYMLINK_NOFOLLOW) ||
		    fstatat(dirfd(d), e->d_name, &st, 0)) {
			skip(w, name, strerror(errno));
		} else if (S_ISREG(st.st_mode)) {
			vec_push(&w->names, name);
			continue;
		} else if (S_ISDIR(own.st_mode) && e->d_name[0] != '.') {
			int sub = depth < DEPTH_MAX
				      ? openat(dirfd(d), e->d_name,
					       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				      : -1;
			char *below = mem_printf("%s/", name);

			if (sub >= 0)
				collect(w, sub, below, depth + 1);
			else
				skip(w, name,
				     depth < DEPTH_MAX ? strerror(errno)
						       : "too many directories deep");
			free(below);
		} else if (!S_ISDIR(st.st_mode)) {
			skip(w, name, "no plain file");
		}
		free(name);
	}
	closedir(d);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef int seed_fn(void *ctx, const void *data, size_t size, const char *name);

/* 0, or what f said to end it. */
static int give(struct walk *w, int dir, const char *path, const char *name, size_t limit,
		seed_fn *f, void *ctx)
{
	struct buf b = BUF_EMPTY;
	int r = 0, saved;

	switch (outdir_read(dir, path, limit, &b, NULL)) {
	case READ_OK:
		r = f(ctx, buf_str(&b), b.size, name);
		break;
	case READ_NOT_PLAIN:
		skip(w, name, "no plain file");
		break;
	case READ_LARGE:
		skip(w, name, "it is larger than an input may be");
		break;
	case READ_FAILED:
		saved = errno;
		skip(w, name, strerror(saved));
	}
	buf_release(&b);
	return r;
}

static int give_directory(struct walk *w, const char *path, size_t limit, seed_fn *f, void *ctx)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), copy, r = 0;

	if (fd < 0)
		return error_errno("cannot read the seeds in '%s'", path);
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0)
		collect(w, copy, "", 0);
	if (w->names.size)
		qsort(w->names.data, w->names.size, sizeof w->names.data[0], by_bytes);
	for (size_t i = 0; i < w->names.size && !r; i++)
		r = give(w, fd, w->names.data[i], w->names.data[i], limit, f, ctx);
	close(fd);
	return r;
}

int outdir_seeds(const char *path, size_t limit, seed_fn *f, void *ctx)
{
	struct walk w = {0};
	struct stat st;
	int r;

	if (stat(path, &st))
		return error_errno("cannot read the seeds '%s'", path);
	if (S_ISDIR(st.st_mode))
		r = give_directory(&w, path, limit, f, ctx);
	else if (!S_ISREG(st.st_mode))
		r = error_set("the seeds '%s' are neither a directory nor a plain file", path);
	else if (access(path, R_OK))
		r = error_errno("cannot read the seed '%s'", path);
	else
		r = give(&w, AT_FDCWD, path, file_base(path), limit, f, ctx);
	if (w.skipped > WARNINGS)
		log_warn("%u seeds were left out in all", w.skipped);
	for (size_t i = 0; i < w.names.size; i++)
		free(w.names.data[i]);
	vec_release(&w.names);
	return r < 0 ? -1 : 0;
}
