/* called_state.c: an activation beside a summary that was not made of it.
 *
 * What P and Q of the activation itself would be is made as for a summary (called.c), and with it the value that each place had. A summary of the same code has the same names for the same places, so it can be evaluated on
 * these values. What the activation did not read has no value here: then nothing is said.
 */
#include "summary/called_state.h"

#include "summary/called_inside.h"

#include <string.h>

static const char *name_in(struct called_state *s, const struct called_maker *m, expr_t v)
{
	return arena_strdup(&s->arena, expr_name(m->p, v));
}

static void take_values(struct called_state *s, const struct called_maker *m)
{
	size_t at = 0;
	uint64_t variable, value;

	while (map_next(&m->values, &at, &variable, &value))
		if (expr_get(m->p, (expr_t)variable)->op == EXPR_OP_NAMED)
			strmap_set(&s->values, expr_name(m->p, (expr_t)variable), value);
}

static void take_places(struct called_state *s, const struct called_maker *m)
{
	for (size_t i = 0; i < m->spots.size; i++) {
		const struct called_spot *x = &m->spots.data[i];
		uint64_t value = 0;

		map_get(&m->values, x->variable, &value);
		vec_push(&s->places, ((struct called_state_place){name_in(s, m, x->variable), expr_width(m->p, x->variable), {x->address, value, x->number, x->bytes}}));
	}
	for (size_t i = 0; i < m->regions.size; i++)
		if (m->regions.data[i].element)
			vec_push(&s->objects, m->regions.data[i].base);
}

/* Variables of the end state in Q. */
static void take_left(struct called_state *s, const struct called_maker *m)
{
	for (size_t i = 0; i < m->post.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(m->p, m->post.data[i], &count);
		struct place pl;

		for (uint32_t k = 0; k < count; k++)
			if (place_of(m->p, vars[k], &pl) && pl.after && pl.type != PLACE_FAILURE)
				vec_push(&s->left, name_in(s, m, vars[k]));
	}
}

int called_state_read(struct called_state *s, const struct called_run *r, const struct called_function *f, uint32_t number)
{
	struct summary where = {.lp = {.ordinal = SUMMARY_ENTRY}, .lq = {.ordinal = SUMMARY_EXIT}, .end_line = f->end_line};
	struct called_maker m;
	const char *reason = NULL;

	memset(s, 0, sizeof *s);
	called_open(&m, NULL, r, f, number);
	int ok = called_fill(&m, &reason);
	if (ok) {
		called_locate(&m, &where);
		s->number = r->t->events[m.a->begin].index;
		s->lp = where.lp.ordinal, s->lq = where.lq.ordinal;
		s->end_line = m.fails ? r->failure_line : where.end_line;
		s->failure = m.fails ? arena_strdup(&s->arena, r->failure) : NULL;
		s->partial = m.why.size > 0;
		take_values(s, &m);
		take_places(s, &m);
		take_left(s, &m);
	}
	called_close(&m);
	return ok;
}

void called_state_release(struct called_state *s)
{
	strmap_release(&s->values);
	vec_release(&s->places);
	vec_release(&s->left);
	vec_release(&s->objects);
	arena_release(&s->arena);
	memset(s, 0, sizeof *s);
}

/* ---------------------------------------------------------------- evaluation */

struct reading {
	const struct called_view *v;
	const struct exprs *p;
	int unknown;
};

int called_state_before(const struct called_view *v, const char *name, uint64_t *value)
{
	return strmap_get(&v->state->values, name, value) || (v->set && strmap_get(v->set, name, value)) || (v->rest && strmap_get(&v->rest->values, name, value));
}

static u128 value_of(void *ctx, expr_t e)
{
	struct reading *r = ctx;
	const char *name = expr_name(r->p, e);
	struct place pl;
	uint64_t value = 0;

	if (!place_of(r->p, e, &pl)) {
		r->unknown = 1;
		return 0;
	}
	if (!pl.after) {
		r->unknown |= !called_state_before(r->v, name, &value);
		return value;
	}
	if (strmap_get(&r->v->state->values, name, &value))
		return value;
	struct buf before = BUF_EMPTY; /* the same name without its > */
	buf_add(&before, name, (size_t)(pl.path - 1 - name));
	buf_adds(&before, pl.path);
	r->unknown |= !called_state_before(r->v, buf_str(&before), &value);
	buf_release(&before);
	return value;
}

static u128 apply(void *ctx, expr_t e, const u128 *args, unsigned count)
{
	const struct reading *r = ctx;

	if (strcmp(expr_name(r->p, e), PLACE_APART))
		return 1;
	for (unsigned i = 0; i < count; i++) {
		int object = 0;
		for (size_t k = 0; k < r->v->state->objects.size; k++)
			object |= r->v->state->objects.data[k] == (uint64_t)args[i];
		for (unsigned k = 0; k < i; k++)
			object &= args[k] != args[i];
		if (!object)
			return 0;
	}
	return 1;
}

int called_state_says(const struct called_view *v, const struct exprs *p, expr_t conjunct)
{
	struct reading r = {v, p, 0};
	struct expr_values values = {.value = value_of, .apply = apply, .ctx = &r};
	int holds = expr_evaluate(p, conjunct, &values) != 0;

	return r.unknown ? -1 : holds;
}

int called_state_holds(const struct called_view *v, const struct exprs *p, const expr_t *list, size_t count)
{
	int all = 1;

	for (size_t i = 0; i < count; i++) {
		int one = called_state_says(v, p, list[i]);
		if (!one)
			return 0;
		all = one < 0 ? -1 : all;
	}
	return all;
}
