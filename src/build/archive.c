/* archive.c: the ar format with GNU's long names.
 *
 * A member header is 60 bytes of text. Names end in '/'; "/N" is an offset in the
 * member "//" of long names; "/" and "/SYM64/" are symbol tables. A thin archive
 * has headers only, and long names are paths from the archive's directory. BSD's
 * "#1/LENGTH" names stand before the contents.
 */
#include "build/archive.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 60

int archive_is(const void *data, size_t size)
{
	return size >= 8 && (!memcmp(data, "!<arch>\n", 8) || !memcmp(data, "!<thin>\n", 8));
}

struct member {
	char field[17]; /* the header's name field, blanks cut off */
	size_t size;
};

static int parse_header(const char *p, struct member *m)
{
	char number[11] = {0};
	int n = 16;

	if (p[58] != '`' || p[59] != '\n')
		return -1;
	memcpy(m->field, p, 16);
	while (n && m->field[n - 1] == ' ')
		n--;
	m->field[n] = 0;
	memcpy(number, p + 48, 10);
	m->size = strtoul(number, NULL, 10);
	return 0;
}

/* The member's name, allocated; contents move past a BSD name. */
static char *member_name(struct member *m, const char *longs, size_t longs_size, const char **data)
{
	size_t n = strlen(m->field), at;

	if (!strncmp(m->field, "#1/", 3)) {
		at = strtoul(m->field + 3, NULL, 10);
		if (at > m->size)
			return NULL;
		*data += at;
		m->size -= at;
		return mem_strndup(*data - at, strnlen(*data - at, at));
	}
	if (m->field[0] == '/') {
		at = strtoul(m->field + 1, NULL, 10);
		if (at >= longs_size)
			return NULL;
		for (n = 0; at + n < longs_size && longs[at + n] != '\n';)
			n++;
		return mem_strndup(longs + at, n && longs[at + n - 1] == '/' ? n - 1 : n);
	}
	return mem_strndup(m->field, n && m->field[n - 1] == '/' ? n - 1 : n);
}

static int thin_member(const char *path, const char *name,
		       int (*f)(void *, const char *, const void *, size_t), void *ctx)
{
	char *dir = file_dir(path), *file = file_join(dir, name);
	struct buf b = BUF_EMPTY;
	int e = file_read(file, &b);

	if (!e)
		e = f(ctx, name, b.data, b.size);
	buf_release(&b);
	free(dir);
	free(file);
	return e;
}

int archive_members(const char *path, const void *archive, size_t size,
		    int (*f)(void *ctx, const char *name, const void *data, size_t size), void *ctx)
{
	const char *base = archive, *longs = NULL;
	size_t longs_size = 0;
	int thin = size >= 8 && base[2] == 't', e = 0;

	if (!archive_is(archive, size))
		return error_set("'%s' is not an archive", path);
	for (size_t at = 8; at + HEADER <= size && !e;) {
		struct member m;
		const char *data = base + at + HEADER;
		int table, stored;
		char *name;

		if (parse_header(base + at, &m))
			return error_set("archive '%s' is damaged", path);
		table = !strcmp(m.field, "/") || !strcmp(m.field, "/SYM64/") ||
			!strcmp(m.field, "__.SYMDEF");
		stored = !thin || table || !strcmp(m.field, "//");
		if (stored && m.size > size - at - HEADER)
			return error_set("archive '%s' is cut off", path);
		at += HEADER + (stored ? (m.size + 1) & ~(size_t)1 : 0);
		if (!strcmp(m.field, "//")) {
			longs = data;
			longs_size = m.size;
			continue;
		}
		if (table)
			continue;
		name = member_name(&m, longs, longs_size, &data);
		if (!name)
			return error_set("archive '%s' is damaged", path);
		e = thin ? thin_member(path, name, f, ctx) : f(ctx, name, data, m.size);
		free(name);
	}
	return e;
}
