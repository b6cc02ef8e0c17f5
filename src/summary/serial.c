/* serial.c: summaries as bytes, for the store: a version, how many conjuncts P has, then those of P and Q as expr_write has them, in one set: places that both name stand there
 * once; of the hash at their end two bytes stay. What is read is checked: every conjunct is of one bit.
 */
#include "summary/summary.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "expr/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIAL_VERSION 3
#define SERIAL_ACROSS 4 /* the same of one that ends in another function, which a muster that knows none of these must not read */
#define CHECK 8 /* bytes of the hash at the end of terms, of which KEPT stay */
#define KEPT 2

int summary_fits(const struct summary *s)
{
	return s->pre.size + s->post.size <= SUMMARY_CONJUNCTS;
}

void summary_write(const struct exprs *p, const struct summary *s, struct buf *out)
{
	VEC(expr_t) all = {0};

	for (size_t i = 0; i < s->pre.size; i++)
		vec_push(&all, s->pre.data[i]);
	for (size_t i = 0; i < s->post.size; i++)
		vec_push(&all, s->post.data[i]);
	buf_addc(out, s->end_function ? SERIAL_ACROSS : SERIAL_VERSION);
	buf_addc(out, (char)(s->pre.size & 255));
	buf_addc(out, (char)(s->pre.size >> 8));
	expr_write(p, all.data, (unsigned)all.size, out);
	out->size -= CHECK - KEPT;
	vec_release(&all);
}

int summary_read(struct summaries *l, const void *data, size_t size, struct summary *s)
{
	const uint8_t *bytes = data;
	unsigned count = 0, room = (unsigned)(size < SUMMARY_CONJUNCTS ? size : SUMMARY_CONJUNCTS), pre;
	expr_t *roots;
	int e;

	if (size < 3 + KEPT || (bytes[0] != SERIAL_VERSION && bytes[0] != SERIAL_ACROSS))
		return error_set("a summary has format %u, this muster reads format %u: 'muster test --summaries' makes it anew", size ? bytes[0] : 0, SERIAL_VERSION);
	pre = bytes[1] | (unsigned)bytes[2] << 8;
	roots = mem_alloc((room + 1) * sizeof *roots);
	struct buf terms = BUF_EMPTY;
	buf_add(&terms, bytes + 3, size - 3 - KEPT);
	buf_add64(&terms, hash64(terms.data, terms.size, EXPR_SERIAL_VERSION));
	e = memcmp(terms.data + terms.size - CHECK, bytes + size - KEPT, KEPT) ? error_set("the formulas of a summary are damaged")
									    : expr_read_serial(l->pool, terms.data, terms.size, roots, room, &count);
	buf_release(&terms);
	if (!e && pre > count)
		e = error_set("a summary has %u conjuncts, and says that %u are its precondition", count, pre);
	for (unsigned i = 0; i < count && !e; i++) {
		if (expr_width(l->pool, roots[i]) != 1)
			e = error_set("a conjunct of a summary has %u bits", expr_width(l->pool, roots[i]));
		else if (i < pre)
			vec_push(&s->pre, roots[i]);
		else
			vec_push(&s->post, roots[i]);
	}
	free(roots);
	return e ? -1 : 0;
}

/* LINE END PATHS TEST, a c where it is from a call, `in` and a name where it ends in that function; then the functions, one a line. */
void summary_write_support(const struct summary *s, struct buf *out)
{
	buf_addf(out, "%x %x %llx %llx%s", s->line, s->end_line, (unsigned long long)s->paths, (unsigned long long)s->test, s->called ? " c" : "");
	if (s->end_function)
		buf_addf(out, " in %s", s->end_function);
	for (size_t i = 0; i < s->functions.size; i++)
		if (strcmp(s->functions.data[i], s->function)) /* itself is always among them */
			buf_addf(out, "\n%s", s->functions.data[i]);
}

int summary_read_support(struct summaries *l, const void *data, size_t size, struct summary *s)
{
	char *text = mem_strndup(data, size), *line = text;
	unsigned long long paths = 0, test = 0;
	int used = 0, fields = sscanf(text, "%x %x %llx %llx%n", &s->line, &s->end_line, &paths, &test, &used);

	s->called = fields == 4 && !strncmp(text + used, " c", 2);
	const char *in = fields == 4 ? text + used + (s->called ? 2 : 0) : "";
	s->end_function = strncmp(in, " in ", 4) ? NULL : arena_strndup(&l->arena, in + 4, strcspn(in + 4, "\n"));
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
