/* invariants_annotate.c: a copy of the source with invariants as comments.
 *
 * Each comment is a line of its own, indented as the line it belongs to, so that the program stays what it was: before the line of a loop what
 * holds at its head, before the line of a condition what each outcome means, after the last line of a loop what holds
 * when it is left. A line that continues the one before it (a backslash: a macro) has its comments above the whole.
 */
#include "cmd/invariants.h"

#include <stdlib.h>
#include <string.h>

/* A comment and the line that it stands before, counted from 1. */
struct comment {
	uint32_t line, order;
	char *text;
};

struct lines {
	VEC(size_t) starts; /* of each line, and of the end */
	const char *text;
};

static void find_lines(struct lines *l, const char *text, size_t size)
{
	l->text = text;
	for (size_t at = 0; at < size;) {
		const char *end = memchr(text + at, '\n', size - at);

		vec_push(&l->starts, at);
		at = end ? (size_t)(end - text) + 1 : size;
	}
	vec_push(&l->starts, size);
}

static uint32_t count_lines(const struct lines *l)
{
	return (uint32_t)l->starts.size - 1;
}

/* Does the line end in a backslash? */
static int continues(const struct lines *l, uint32_t line)
{
	size_t from = l->starts.data[line - 1], to = l->starts.data[line];

	while (to > from && strchr("\r\n", l->text[to - 1]))
		to--;
	return to > from && l->text[to - 1] == '\\';
}

static uint32_t whole_line(const struct lines *l, uint32_t line)
{
	while (line > 1 && continues(l, line - 1))
		line--;
	return line;
}

static int in_order(const void *a, const void *b)
{
	const struct comment *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static char *words(const struct invariant *p)
{
	switch (p->place) {
	case INVARIANT_HEAD:
		return mem_printf("loop: %s", p->text);
	case INVARIANT_EXIT:
		return mem_printf("loop of line %u left in line %u (%s): %s", p->loop, p->line, p->outcome, p->text);
	default:
		return mem_printf("if %s: %s", p->outcome, p->text);
	}
}

void invariants_annotate(const struct invariants *all, const char *source, size_t size, struct buf *out)
{
	struct lines l = {0};
	VEC(struct comment) comments = {0};
	size_t next = 0;

	find_lines(&l, source, size);
	for (size_t i = 0; i < all->points.size; i++) {
		const struct invariant *p = &all->points.data[i];
		uint32_t line = p->line, last = count_lines(&l);

		if (p->place == INVARIANT_EXIT && p->loop_end && p->loop_end < last && !continues(&l, p->loop_end))
			line = p->loop_end + 1;
		if (line < 1 || line > last)
			continue;
		vec_push(&comments, (struct comment){whole_line(&l, line), (uint32_t)i, words(p)});
	}
	if (comments.size)
		qsort(comments.data, comments.size, sizeof *comments.data, in_order);
	for (uint32_t line = 1; line <= count_lines(&l); line++) {
		const char *text = source + l.starts.data[line - 1];
		size_t length = l.starts.data[line] - l.starts.data[line - 1];
		size_t indent = 0;

		while (indent < length && strchr(" \t", text[indent]))
			indent++;
		for (; next < comments.size && comments.data[next].line == line; next++) {
			buf_add(out, text, indent);
			buf_addf(out, "/* %s */\n", comments.data[next].text);
		}
		buf_add(out, text, length);
	}
	for (size_t i = 0; i < comments.size; i++)
		free(comments.data[i].text);
	vec_release(&comments);
	vec_release(&l.starts);
}
