/* annotations.c: the lists of annotations.h, in the order that pages want. */
#include "report/annotations.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
	const struct annotation *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (order)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->test != y->test)
		return x->test < y->test ? -1 : 1;
	if (!x->where != !y->where) /* the loop itself comes first */
		return x->where ? 1 : -1;
	order = x->where ? strcmp(x->where, y->where) : 0;
	return order ? order : strcmp(x->text, y->text);
}

void annotations_sort(struct annotations *a)
{
	if (a->places.size)
		qsort(a->places.data, a->places.size, sizeof *a->places.data, by_place);
}

const struct annotation_since *annotations_since(const struct annotations *a, uint64_t bucket)
{
	for (size_t i = 0; i < a->since.size; i++)
		if (a->since.data[i].bucket == bucket)
			return &a->since.data[i];
	return NULL;
}

void annotations_release(struct annotations *a)
{
	vec_release(&a->places);
	vec_release(&a->tests);
	map_release(&a->by_id);
	vec_release(&a->since);
	vec_release(&a->stale);
	arena_release(&a->strings);
}
