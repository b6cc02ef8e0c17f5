/* sync.c: what the other fuzzers of an AFL++ campaign found.
 *
 * DIR/NAME/queue/id:NNNNNN... of every NAME but our own, in the order of their numbers. For each
 * NAME the number below which everything was read is remembered in .synced/NAME of our own folder,
 * so a restarted search does not read all again. It is written at the next call and at closing, not
 * at once: by then the search has committed what it was given, and a kill in between only means
 * reading some files twice.
 *
 * A queue whose directory has not changed since it was listed is not listed again (a second must
 * lie between, since times are coarse). AFL++ makes a file and then writes it: an empty file that
 * is young ends this call's turn of the queue. (One whose time lies in the future, by a clock that is wrong, is not waited for.) A queue that shrank below our number was begun anew
 * and is read from its start.
 */
#include "store/outdir_parts.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYNC_LIMIT (1 << 20) /* AFL++'s own: MAX_FILE */
#define SYNC_YOUNG 5	     /* seconds in which an empty file may still be written */

struct found {
	uint64_t id;
	char *name;
};
typedef VEC(struct found) found_list;

static void release(found_list *l)
{
	for (size_t i = 0; i < l->size; i++)
		free(l->data[i].name);
	vec_release(l);
}

static int by_id(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct outdir_peer *)a)->name, ((const struct outdir_peer *)b)->name);
}

/* -------------------------------------------------------------------- position */

static uint64_t load(struct outdir *o, const char *name)
{
	char *path = mem_printf(".synced/%s", name);
	struct buf b = BUF_EMPTY;
	uint64_t next = 0;

	if (outdir_read(o->fd, path, 64, &b, NULL) == READ_OK)
		next = strtoull(buf_str(&b), NULL, 10);
	buf_release(&b);
	free(path);
	return next;
}

void sync_save(struct outdir *o)
{
	char text[32];

	for (size_t i = 0; i < o->peers.size; i++) {
		struct outdir_peer *p = &o->peers.data[i];
		char *path;

		if (p->next == p->saved)
			continue;
		if (mkdirat(o->fd, ".synced", 0777) && errno != EEXIST)
			return; /* costs reading again, no more */
		path = mem_printf(".synced/%s", p->name);
		snprintf(text, sizeof text, "%llu\n", (unsigned long long)p->next);
		if (!outdir_put(o, path, text, strlen(text)))
			p->saved = p->next;
		free(path);
	}
}

/* ----------------------------------------------------------------------- peers */

static int knows(struct outdir *o, const char *name)
{
	for (size_t i = 0; i < o->peers.size; i++)
		if (!strcmp(o->peers.data[i].name, name))
			return 1;
	return 0;
}

static int find_peers(struct outdir *o)
{
	DIR *d = opendir(o->sync);
	size_t before = o->peers.size;
	struct dirent *e;

	if (!d)
		return error_errno("cannot read '%s'", o->sync);
	while ((e = readdir(d))) {
		char *queue;
		struct stat st;

		if (e->d_name[0] == '.' || !strcmp(e->d_name, o->name) || knows(o, e->d_name))
			continue;
		queue = mem_printf("%s/queue", e->d_name);
		if (!fstatat(dirfd(d), queue, &st, 0) && S_ISDIR(st.st_mode)) {
			struct outdir_peer p = {.name = mem_strdup(e->d_name)};

			p.next = p.saved = load(o, p.name);
			vec_push(&o->peers, p);
		}
		free(queue);
	}
	closedir(d);
	if (o->peers.size > before)
		qsort(o->peers.data, o->peers.size, sizeof o->peers.data[0], by_name);
	return 0;
}

/* ----------------------------------------------------------------------- files */

/* Files from p->next on; *end is one more than the greatest number of all. */
static void list_new(int fd, const struct outdir_peer *p, found_list *l, uint64_t *end)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;
	uint64_t id;

	*end = 0;
	if (!d && copy >= 0)
		close(copy);
	while (d && (e = readdir(d))) {
		if (!outdir_number(e->d_name, &id))
			continue;
		if (id + 1 > *end)
			*end = id + 1;
		if (id >= p->next)
			vec_push(l, (struct found){id, mem_strdup(e->d_name)});
	}
	if (d)
		closedir(d);
}

typedef int take_fn(void *ctx, const void *data, size_t size, const char *from);

/* Gives the files in order; 0 all, 1 stopped before the end (to be continued), -1. */
static int give(struct outdir_peer *p, int fd, const found_list *l, take_fn *f, void *ctx)
{
	struct buf b = BUF_EMPTY, from = BUF_EMPTY;
	int r = 0;

	buf_adds(&from, "sync:");
	buf_add_tame(&from, p->name, 100);
	for (size_t i = 0; i < l->size && !r; i++) {
		struct timespec mtime;
		enum outdir_read e = outdir_read(fd, l->data[i].name, SYNC_LIMIT, &b, &mtime);

		if (e == READ_OK && !b.size && llabs((long long)time(NULL) - mtime.tv_sec) < SYNC_YOUNG) {
			r = 1;
			break;
		}
		if (e == READ_OK)
			r = f(ctx, buf_str(&b), b.size, buf_str(&from));
		else
			log_info("sync: file %llu of '%s' was passed over",
				 (unsigned long long)l->data[i].id, buf_str(&from));
		if (!r)
			p->next = l->data[i].id + 1;
	}
	buf_release(&b);
	buf_release(&from);
	return r;
}

static int sync_peer(struct outdir *o, struct outdir_peer *p, take_fn *f, void *ctx)
{
	char *path = mem_printf("%s/%s/queue", o->sync, p->name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	found_list l = {0};
	struct stat st;
	uint64_t end;

	free(path);
	if (fd < 0)
		return 0; /* it was removed */
	if (fstat(fd, &st) || (p->settled && st.st_mtim.tv_sec == p->mtime.tv_sec &&
			       st.st_mtim.tv_nsec == p->mtime.tv_nsec)) {
		close(fd);
		return 0;
	}
	p->mtime = st.st_mtim;
	p->settled = time(NULL) - st.st_mtim.tv_sec > 1;
	list_new(fd, p, &l, &end);
	if (end < p->next) {
		p->next = 0;
		list_new(fd, p, &l, &end);
	}
	if (l.size)
		qsort(l.data, l.size, sizeof l.data[0], by_id);
	r = give(p, fd, &l, f, ctx);
	if (r)
		p->settled = 0;
	release(&l);
	close(fd);
	return r;
}

int outdir_sync(struct outdir *o, take_fn *f, void *ctx)
{
	if (!o->sync)
		return 0;
	sync_save(o);
	if (find_peers(o))
		return -1;
	for (size_t i = 0; i < o->peers.size; i++)
		if (sync_peer(o, &o->peers.data[i], f, ctx) < 0)
			return -1;
	return 0;
}
