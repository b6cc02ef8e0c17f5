/* serial.c: summaries as bytes, for the store: a version, then the terms as expr_write has them. What is read is checked: every root is of one bit. */
#include "summary/summary.h"

#include "base/error.h"
#include "base/mem.h"
#include "expr/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIAL_VERSION 1

void summary_write(const struct exprs *p, const expr_t *conjuncts, size_t count, struct buf *out)
{
	buf_addc(out, SERIAL_VERSION);
	expr_write(p, conjuncts, (unsigned)count, out);
}

int summary_read(struct summaries *l, const void *data, size_t size, struct summary *s, int post)
{
	const uint8_t *bytes = data;
	unsigned count = 0, room = (unsigned)(size < 65536 ? size : 65536);
	expr_t *roots;
	int e;

	if (!size || bytes[0] != SERIAL_VERSION)
		return error_set("a summary has format %u, this muster reads format %u", size ? bytes[0] : 0, SERIAL_VERSION);
	roots = mem_alloc((room + 1) * sizeof *roots);
	e = expr_read_serial(l->pool, bytes + 1, size - 1, roots, room, &count);
	for (unsigned i = 0; i < count && !e; i++) {
		if (expr_width(l->pool, roots[i]) != 1)
			e = error_set("a conjunct of a summary has %u bits", expr_width(l->pool, roots[i]));
		else if (post)
			vec_push(&s->post, roots[i]);
		else
			vec_push(&s->pre, roots[i]);
	}
	free(roots);
	return e ? -1 : 0;
}

/* LINE END PATHS TEST, then the functions, one a line. */
void summary_write_support(const struct summary *s, struct buf *out)
{
	buf_addf(out, "%x %x %llx %llx", s->line, s->end_line, (unsigned long long)s->paths, (unsigned long long)s->test);
	for (size_t i = 0; i < s->functions.size; i++)
		if (strcmp(s->functions.data[i], s->function)) /* itself is always among them */
			buf_addf(out, "\n%s", s->functions.data[i]);
}

int summary_read_support(struct summaries *l, const void *data, size_t size, struct summary *s)
{
	char *text = mem_strndup(data, size), *line = text;
	unsigned long long paths = 0, test = 0;
	int fields = sscanf(text, "%x %x %llx %llx", &s->line, &s->end_line, &paths, &test);

	s->paths = paths;
	s->test = test;
	vec_push(&s->functions, s->function);
	while (fields == 4 && (line = strchr(line, '\n'))) {
		size_t n = strcspn(++line, "\n");
		vec_push(&s->functions, arena_strndup(&l->arena, line, n));
	}
	free(text);
	return fields == 4 ? 0 : error_set("a summary of '%s' says nothing readable about where it is from", s->function);
}
