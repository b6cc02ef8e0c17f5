/* export.c: what the kinds of export share: paths, files that are written only if they changed, values of campaigns, notes. */
#include "export/export.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *export_relative(const char *from, const char *to)
{
	struct buf b = {0};
	size_t common = 0;

	/* Up to the last slash where both agree. */
	for (size_t i = 0;; i++) {
		int end_from = !from[i] || from[i] == '/', end_to = !to[i] || to[i] == '/';
		if (end_from && end_to)
			common = i;
		if (!from[i] || !to[i] || from[i] != to[i])
			break;
	}
	for (const char *p = from + common; *p; p++)
		if (*p == '/' && p[1])
			buf_adds(&b, "../");
	to += common + (to[common] == '/');
	if (!*to && b.size)
		b.size--;
	buf_adds(&b, *to || b.size ? to : ".");
	return buf_take(&b);
}

char *export_absolute(const char *path)
{
	char *long_form = file_absolute(path);
	struct buf b = {0};

	for (const char *p = long_form; *p;) {
		size_t n;

		p += strspn(p, "/");
		n = strcspn(p, "/");
		if (n == 2 && !strncmp(p, "..", 2)) {
			while (b.size && b.data[--b.size] != '/')
				;
		} else if (n && !(n == 1 && *p == '.')) {
			buf_addc(&b, '/');
			buf_add(&b, p, n);
		}
		p += n;
	}
	if (!b.size)
		buf_addc(&b, '/');
	free(long_form);
	return buf_take(&b);
}

int export_value(const struct export_campaign *c, const char *name, char **out)
{
	struct buf b = {0};
	int e = store_value_get(c->store, c->id, name, &b) < 0 ? -1 : 0;

	*out = buf_take(&b);
	return e;
}

void export_note(struct export_counts *c, enum export_note_kind kind, const char *name,
		 const char *fmt, ...)
{
	struct export_note n = {.kind = kind, .name = mem_strdup(name)};
	va_list ap;

	if (fmt) {
		char *words = NULL;
		va_start(ap, fmt);
		if (vasprintf(&words, fmt, ap) < 0)
			words = NULL;
		va_end(ap);
		n.words = words;
	}
	vec_push(&c->notes, n);
}
