/* number.c: the numbers of the files in queue/.
 *
 * AFL++ remembers how many files of a queue it has read and looks for exactly the next number: a
 * queue whose numbers have a gap is not read beyond it. Tests in the store have gaps as seen from
 * the queue, since not each gets a file, and several processes write one queue. So the queue has
 * numbers of its own, from 0 without gaps: line n of .queue is the test whose file has number n.
 * Lines are only appended, under a lock, and all are of one length: a process reads what others
 * added since it last looked, and nothing twice.
 *
 * A line is written before its file. A kill between the two leaves a gap that is closed when the
 * search goes on: the file is missing, so it is written again, and the test still has its number.
 */
#include "store/outdir_parts.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX ".queue"
#define LINE 21 /* "%020llu\n" */

static int fail(struct outdir *o)
{
	return error_errno("cannot number the files of '%s/queue' in '%s/" INDEX "'", o->path,
			   o->path);
}

static void take_lines(struct outdir *o, const char *text, size_t size)
{
	for (; size >= LINE; text += LINE, size -= LINE) {
		uint64_t test = strtoull(text, NULL, 10);

		if (test) /* 0: a file of which it is not known */
			map_set(&o->numbers, test, o->numbered);
		o->numbered++;
	}
}

/* Reads what was added since the last time. */
static int refresh(struct outdir *o)
{
	char block[LINE * 1024 + 1];
	struct stat st;

	if (fstat(o->index, &st))
		return fail(o);
	while ((uint64_t)st.st_size >= (o->numbered + 1) * LINE) {
		ssize_t n = pread(o->index, block, sizeof block - 1, o->numbered * LINE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(o);
		if (n < LINE)
			break;
		block[n] = 0;
		take_lines(o, block, n);
	}
	return 0;
}

/* With the lock held. */
static int append(struct outdir *o, uint64_t test)
{
	char line[LINE + 1];
	struct stat st;

	if (fstat(o->index, &st))
		return fail(o);
	/* The rest of a line that a full disk cut off. */
	if (st.st_size % LINE && ftruncate(o->index, st.st_size / LINE * LINE))
		return fail(o);
	snprintf(line, sizeof line, "%020llu\n", (unsigned long long)test);
	if (write(o->index, line, LINE) != LINE)
		return fail(o);
	return 0;
}

/* How many files with a number there are, and one more than the greatest number. */
static void look_at_queue(struct outdir *o, uint64_t *files, uint64_t *end)
{
	int fd = openat(o->fd, "queue", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *x;
	uint64_t id;

	*files = *end = 0;
	if (!d && fd >= 0)
		close(fd);
	while (d && (x = readdir(d))) {
		if (!outdir_number(x->d_name, &id))
			continue;
		++*files;
		*end = id + 1 > *end ? id + 1 : *end;
	}
	if (d)
		closedir(d);
}

/* Files without an index (it was removed): they keep their numbers, and new ones come after them.
 */
static int adopt(struct outdir *o)
{
	uint64_t files, end;
	int e = 0;

	look_at_queue(o, &files, &end);
	/* A number that is out of all proportion belongs to no order that could be kept. */
	if (end > 1000000 + 100 * files)
		end = 0;
	while (end-- && !e)
		e = append(o, 0);
	return e;
}

/* A link would lead our writing elsewhere, and what is no plain file cannot be read from its middle. */
static int open_index(struct outdir *o, int flags)
{
	struct stat st;

	if (o->index >= 0)
		return 0;
	o->index = openat(o->fd, INDEX, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0644);
	if (o->index < 0 && errno != ELOOP)
		return fail(o);
	if (o->index >= 0 && !fstat(o->index, &st) && S_ISREG(st.st_mode))
		return 0;
	if (o->index >= 0)
		close(o->index);
	o->index = -1;
	return error_set("'%s/" INDEX "' is a link or no plain file: remove it, and the files of '%s/queue' are numbered anew",
			 o->path, o->path);
}

static int lock(struct outdir *o)
{
	struct stat st;

	if (open_index(o, O_CREAT))
		return -1;
	while (flock(o->index, LOCK_EX))
		if (errno != EINTR)
			return fail(o);
	if ((!fstat(o->index, &st) && st.st_size < LINE && adopt(o)) || refresh(o)) {
		flock(o->index, LOCK_UN);
		return -1;
	}
	return 0;
}

int number_assign(struct outdir *o, uint64_t test, uint64_t *n)
{
	int e = 0;

	if (map_get(&o->numbers, test, n))
		return 0;
	if (lock(o))
		return -1;
	if (!map_get(&o->numbers, test, n)) {
		e = append(o, test) || refresh(o) ? -1 : 0;
		if (!e && !map_get(&o->numbers, test, n))
			e = error_set("'%s/" INDEX "' was changed by somebody else", o->path);
	}
	flock(o->index, LOCK_UN);
	return e;
}

int number_find(struct outdir *o, uint64_t test, uint64_t *n)
{
	if (map_get(&o->numbers, test, n))
		return 1;
	return !open_index(o, 0) && !refresh(o) && map_get(&o->numbers, test, n);
}

int outdir_forget(struct outdir *o)
{
	uint64_t files, end;

	if (unlinkat(o->fd, INDEX, 0) && errno != ENOENT)
		return fail(o);
	look_at_queue(o, &files, &end);
	return files > 0;
}

int outdir_files(const char *dir, int (*f)(void *ctx, uint64_t test, const char *name), void *ctx)
{
	char *index = file_join(dir, INDEX), *queue = file_join(dir, "queue");
	DIR *d = opendir(queue);
	struct buf b = BUF_EMPTY;
	struct dirent *e;
	uint64_t n;

	if (file_is_regular(index))
		file_read(index, &b);
	buf_str(&b);
	while (d && (e = readdir(d))) {
		uint64_t test = 0;

		if (outdir_number(e->d_name, &n) && n < b.size / LINE)
			test = strtoull(b.data + n * LINE, NULL, 10);
		if (test && f(ctx, test, e->d_name))
			break;
	}
	if (d)
		closedir(d);
	buf_release(&b);
	free(index);
	free(queue);
	return d ? 0 : -1;
}
