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

static u128 predicate_holds(void *ctx, expr_t e, const u128 *args, unsigned count)
{
	(void)ctx, (void)e, (void)args, (void)count;
	return 1;
}

int summary_all_hold(const struct exprs *p, const expr_t *conjuncts, size_t count, u128 (*value)(void *ctx, expr_t variable), void *ctx)
{
	struct expr_values v = {.value = value, .apply = predicate_holds, .ctx = ctx};

	for (size_t i = 0; i < count; i++)
		if (!expr_evaluate(p, conjuncts[i], &v))
			return 0;
	return 1;
}

void summary_copy(struct summaries *to, const struct summaries *from, const struct summary *s)
{
	struct expr_import memo = {0};
	struct summary c = *s;

	memset(&c.pre, 0, sizeof c.pre);
	memset(&c.post, 0, sizeof c.post);
	memset(&c.functions, 0, sizeof c.functions);
	c.function = arena_strdup(&to->arena, s->function);
	c.end_function = s->end_function ? arena_strdup(&to->arena, s->end_function) : NULL;
	c.lp.symbol = arena_strdup(&to->arena, s->lp.symbol);
	c.lq.symbol = arena_strdup(&to->arena, s->lq.symbol);
	c.why = s->why ? arena_strdup(&to->arena, s->why) : NULL;
	for (size_t i = 0; i < s->pre.size; i++)
		vec_push(&c.pre, expr_import(to->pool, from->pool, s->pre.data[i], &memo));
	for (size_t i = 0; i < s->post.size; i++)
		vec_push(&c.post, expr_import(to->pool, from->pool, s->post.data[i], &memo));
	for (size_t i = 0; i < s->functions.size; i++)
		vec_push(&c.functions, arena_strdup(&to->arena, s->functions.data[i]));
	expr_import_release(&memo);
	vec_push(&to->all, c);
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

int summary_is_table(struct exprs *p, expr_t data)
{
	uint64_t v = 0, count = expr_data_count(p, data);

	for (uint64_t i = 0; i < count; i++) {
		u128 byte = 0;
		v = expr_is_const(p, expr_data_byte(p, data, i), &byte) ? v >> 8 | (uint64_t)byte << 56 : 0;
		if (i % 8 == 7 && (v >> 40 == 0x55 || v >> 40 == 0x56 || v >> 40 == 0x7f))
			return 1;
	}
	return 0;
}
