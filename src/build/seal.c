/* seal.c: sums of a directory's files.
 *
 * A cache outlives crashes of the machine, full disks and tools that truncate what they touch, and what is in it
 * is executed. So nothing in it is believed by its name alone: the sums are written when all files are, and are
 * checked before each use. The last line is the checksum of the lines before it, so that a cut-off list
 * is no shorter list. XXH3 reads some GB a second: a variant costs a millisecond.
 *
 *	muster sums 1
 *	HASH MODE SIZE PATH		one for each file, sorted by path; %0a is a line feed, %25 a percent sign
 *	end HASH
 *
 * It notices accidents. It is no protection against a user who may write to the directory.
 */
#include "build/seal.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD "muster sums 1\n"

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Any byte may be in a name; a line feed would end the line. */
static void add_name(struct buf *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n' || *name == '%')
			buf_addf(out, "%%%02x", (unsigned char)*name);
		else
			buf_addc(out, *name);
	}
}

static char *read_name(const char *s)
{
	struct buf b = BUF_EMPTY;
	unsigned c;

	for (; *s; s++) {
		if (*s == '%' && sscanf(s + 1, "%2x", &c) == 1 && s[2])
			buf_addc(&b, (char)c), s += 2;
		else
			buf_addc(&b, *s);
	}
	buf_str(&b);
	return buf_take(&b);
}

static int add_file(struct buf *out, const char *path, const char *name)
{
	struct buf data = BUF_EMPTY;
	char hex[HASH_HEX_SIZE];
	struct stat st;
	int e = file_read(path, &data);

	if (!e && stat(path, &st))
		e = error_errno("cannot read '%s'", path);
	if (!e) {
		buf_addf(out, "%s %03o %zu ", hash_hex(hash128(data.data, data.size), hex), (unsigned)st.st_mode & 0777, data.size);
		add_name(out, name);
		buf_addc(out, '\n');
	}
	buf_release(&data);
	return e;
}

static int add_all(struct buf *out, const char *dir)
{
	char *const roots[] = {(char *)dir, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	int e = walk ? 0 : error_errno("cannot read '%s'", dir);

	for (FTSENT *f; !e && (f = fts_read(walk));) {
		const char *name = f->fts_path + strlen(dir);

		name += *name == '/';
		if (f->fts_info == FTS_F && strcmp(name, SEAL_FILE) && !file_temp_pid(f->fts_name)) /* what another process is writing */
			e = add_file(out, f->fts_path, name);
		else if (f->fts_info == FTS_ERR || f->fts_info == FTS_DNR || f->fts_info == FTS_NS)
			e = error_set("cannot read '%s': %s", f->fts_path, strerror(f->fts_errno));
	}
	if (walk)
		fts_close(walk);
	return e;
}

int seal_write(const char *dir)
{
	char *path = file_join(dir, SEAL_FILE), hex[HASH_HEX_SIZE];
	struct buf b = BUF_EMPTY;
	int e;

	buf_adds(&b, HEAD);
	e = add_all(&b, dir);
	buf_addf(&b, "end %s\n", hash_hex(hash128(b.data, b.size), hex));
	if (!e)
		e = file_write_atomic(path, b.data, b.size);
	buf_release(&b);
	free(path);
	return e;
}

/* The lines between the first and the last, or NULL. */
static char *lines_of(struct buf *b)
{
	char hex[HASH_HEX_SIZE], end[HASH_HEX_SIZE + 8];
	char *text = buf_str(b), *last;
	size_t size;

	if (strncmp(text, HEAD, strlen(HEAD)) || b->size < strlen(HEAD) + sizeof end - 4)
		return NULL;
	for (last = text + b->size - 1; last > text && last[-1] != '\n'; last--)
		;
	size = (size_t)(last - text);
	snprintf(end, sizeof end, "end %s\n", hash_hex(hash128(text, size), hex));
	if (strcmp(last, end))
		return NULL;
	*last = 0;
	return text + strlen(HEAD);
}

static int check_line(const char *dir, char *line)
{
	char want[HASH_HEX_SIZE], got[HASH_HEX_SIZE], *name, *path;
	struct buf data = BUF_EMPTY;
	unsigned mode;
	size_t size;
	int at = 0, whole;
	struct stat st;

	if (sscanf(line, "%32s %o %zu %n", want, &mode, &size, &at) < 3 || !at)
		return 0;
	name = read_name(line + at);
	path = file_join(dir, name);
	free(name);
	whole = !stat(path, &st) && S_ISREG(st.st_mode) && (size_t)st.st_size == size && (st.st_mode & 0777) == mode && !file_read(path, &data) &&
		!strcmp(hash_hex(hash128(data.data, data.size), got), want);
	if (!whole)
		error_set("'%s' is damaged", path);
	buf_release(&data);
	free(path);
	return whole;
}

int seal_check(const char *dir)
{
	char *path = file_join(dir, SEAL_FILE), *lines, *save = NULL;
	struct buf b = BUF_EMPTY;
	int whole = file_is_regular(path) && !file_read(path, &b) && (lines = lines_of(&b)) != NULL;

	if (!whole)
		error_set("'%s' is damaged", path);
	else
		for (char *line = strtok_r(lines, "\n", &save); line && whole; line = strtok_r(NULL, "\n", &save))
			whole = check_line(dir, line);
	buf_release(&b);
	free(path);
	return whole;
}
