/* summary.c: lists of must summaries: their life. */
#include "summary/summary.h"

#include <string.h>

void summaries_init(struct summaries *l)
{
	memset(l, 0, sizeof *l);
	l->pool = exprs_new();
}

void summary_release(struct summary *s)
{
	vec_release(&s->pre);
	vec_release(&s->post);
	vec_release(&s->functions);
}

void summaries_release(struct summaries *l)
{
	for (size_t i = 0; i < l->all.size; i++)
		summary_release(&l->all.data[i]);
	vec_release(&l->all);
	arena_release(&l->arena);
	exprs_free(l->pool);
	memset(l, 0, sizeof *l);
}
