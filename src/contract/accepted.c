/* accepted.c: muster.contracts, read and written.
 *
 * Who reads it believes it: a line that is none is an error, never left out in silence. What is written is what is read again.
 */
#include "contract/accepted.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/token.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "# muster contracts "

char *accepted_path(const char *source)
{
	char *dir = file_dir(source), *path = file_join(dir, ACCEPTED_FILE);
	free(dir);
	return path;
}

static char *trim(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]);)
		s[--n] = 0;
	return s;
}

/* "FILE.c:FUNCTION: TEXT" or "FUNCTION: TEXT": 0, -1. */
static int read_line(struct accepted *a, char *line)
{
	char *file = NULL, *at = line;
	size_t n = token_name(at);
	if (!n || at[n] != ':') { /* a file's name has a dot */
		char *colon = strchr(at, ':');
		if (!colon || colon == at || memchr(at, ' ', (size_t)(colon - at)))
			return -1;
		file = at;
		*colon = 0;
		at = colon + 1;
		n = token_name(at);
	}
	if (!n || at[n] != ':')
		return -1;
	at[n] = 0;
	char *text = trim(at + n + 1);
	if (!*text)
		return -1;
	vec_push(&a->lines, (struct accepted_line){file ? arena_strdup(&a->arena, file_base(file)) : NULL, arena_strdup(&a->arena, at), arena_strdup(&a->arena, text)});
	return 0;
}

/* Has a line before the last one the same function of the same file? Which of two is meant nobody can say. */
static int is_twice(const struct accepted *a)
{
	const struct accepted_line *last = &vec_last(&a->lines);
	for (size_t i = 0; i + 1 < a->lines.size; i++) {
		const struct accepted_line *l = &a->lines.data[i];
		if (!strcmp(l->function, last->function) && !l->file == !last->file && (!l->file || !strcmp(l->file, last->file)))
			return 1;
	}
	return 0;
}

int accepted_read(struct accepted *a, const char *path)
{
	struct buf b = BUF_EMPTY;
	unsigned number = 0, version;
	int e = 0;
	if (!file_exists(path))
		return 0;
	if (file_read(path, &b))
		return -1;
	if (memchr(b.data ? b.data : "", 0, b.size)) /* what follows would be left out */
		e = error_set("'%s' is damaged: it has a byte 0; write it anew, or delete it", path);
	char *all = mem_strdup(buf_str(&b)), *rest = all, *line;
	while (!e && (line = strsep(&rest, "\n"))) {
		number++;
		line = trim(line);
		if (sscanf(line, HEAD "%u", &version) == 1 && version != ACCEPTED_VERSION)
			e = error_set("'%s' is of version %u, and this muster reads version %d", path, version, ACCEPTED_VERSION);
		else if (*line && *line != '#' && read_line(a, line))
			e = error_set("%s:%u: this is no contract; write FUNCTION: EXPRESSION or FILE.c:FUNCTION: EXPRESSION", path, number);
		else if (*line && *line != '#' && is_twice(a))
			e = error_set("%s:%u: '%s' has a line before this one; join them by && or delete one", path, number, vec_last(&a->lines).function);
	}
	free(all);
	buf_release(&b);
	return e;
}

void accepted_release(struct accepted *a)
{
	vec_release(&a->lines);
	arena_release(&a->arena);
}

const struct accepted_line *accepted_find(const struct accepted *a, const char *source, const char *function)
{
	const struct accepted_line *found = NULL;
	for (size_t i = 0; i < a->lines.size; i++) {
		const struct accepted_line *l = &a->lines.data[i];
		if (strcmp(l->function, function) || (l->file && strcmp(l->file, file_base(source))))
			continue;
		if (!found || l->file)
			found = l;
	}
	return found;
}

void accepted_put(struct accepted *a, const char *file, const char *function, const char *text)
{
	const struct accepted_line *known = accepted_find(a, file ? file : "", function);
	struct accepted_line line = {file ? arena_strdup(&a->arena, file_base(file)) : NULL, arena_strdup(&a->arena, function), arena_strdup(&a->arena, text)};
	if (known && !known->file == !file)
		a->lines.data[known - a->lines.data] = line;
	else
		vec_push(&a->lines, line);
}

static int line_order(const void *x, const void *y)
{
	const struct accepted_line *a = x, *b = y;
	int d = strcmp(a->function, b->function);
	return d ? d : strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

int accepted_write(struct accepted *a, const char *path)
{
	struct buf b = BUF_EMPTY;
	buf_addf(&b, HEAD "%d: what functions require of their callers. Assumed for the function, checked at its callers.\n", ACCEPTED_VERSION);
	buf_adds(&b, "# A line a function, sorted; C, and len(p): the elements from p to the end of its object. 'true': it requires nothing.\n");
	if (a->lines.size)
		qsort(a->lines.data, a->lines.size, sizeof *a->lines.data, line_order);
	for (size_t i = 0; i < a->lines.size; i++) {
		const struct accepted_line *l = &a->lines.data[i];
		buf_addf(&b, "%s%s%s: %s\n", l->file ? l->file : "", l->file ? ":" : "", l->function, l->text);
	}
	int e = file_write_atomic(path, b.data, b.size);
	buf_release(&b);
	return e;
}
