/* match.c: two versions of a program, step by step, and questions about the result.
 *
 * Symbols are paired by name and content; the instructions of each pair of functions are aligned; what aligned instructions name in the same places gives further pairs of
 * symbols, renamed ones, and so on until there are none; functions that are left are paired by their bodies. Then everything is checked (match_modified.c).
 */
#include "ir/match.h"

#include "ir/match_parts.h"

#include <string.h>

#define ROUNDS 8 /* of pairs that give pairs: a chain of renamed functions, each called by the one before alone */

const char *match_by_text(enum match_by by)
{
	static const char *const texts[] = {
#define X(name, text) text,
	    MATCH_BY(X)
#undef X
	};

	return texts[by];
}

void match_sides(const struct match *m, uint32_t symbol, struct match_side *old, struct match_side *new)
{
	const struct whole_symbol *a = &m->old->symbols.data[symbol], *b = &m->new->symbols.data[m->to_new[symbol]];

	*old = (struct match_side){m->old, &m->old->units.data[a->unit], a, a->function, m->inside->self};
	*new = (struct match_side){m->new, &m->new->units.data[b->unit], b, b->function, m->to_old};
}

static uint32_t *no_values(struct arena *a, const struct code_function *f)
{
	size_t n = (size_t)f->first_instruction + f->instructions + 1;
	uint32_t *list = arena_alloc(a, n * sizeof *list);

	memset(list, 0xff, n * sizeof *list);
	return list;
}

static void align(struct match *m, uint32_t symbol)
{
	struct match_function *p = m->functions[symbol];
	struct arena *arena = &m->inside->arena;
	struct match_side a, b;

	match_sides(m, symbol, &a, &b);
	if (!p) {
		p = m->functions[symbol] = arena_alloc(arena, sizeof *p);
		p->to_new = no_values(arena, a.f);
		p->to_old = no_values(arena, b.f);
		p->modified = arena_alloc(arena, a.f->instructions + 1);
		p->edges = arena_alloc(arena, a.f->edge_count + 1);
		p->same = a.s->digest.a == b.s->digest.a && a.s->digest.b == b.s->digest.b;
	}
	match_align(p, &a, &b);
}

static void align_new(struct match *m)
{
	for (uint32_t i = 0; i < m->old->symbols.size; i++)
		if (!m->functions[i] && m->to_new[i] != CODE_NONE && m->old->symbols.data[i].function && m->new->symbols.data[m->to_new[i]].function)
			align(m, i);
}

static void pair_everything(struct match *m)
{
	match_names(m);
	align_new(m);
	for (int round = 0; round < ROUNDS && match_by_use(m); round++)
		align_new(m);
	if (match_by_body(m))
		align_new(m);
	for (int round = 0; round < ROUNDS && match_by_use(m); round++)
		align_new(m);
}

struct match *match_new(const struct whole *old, const struct whole *new)
{
	struct match *m = mem_zalloc(sizeof *m);
	size_t n = old->symbols.size + 1, k = new->symbols.size + 1;

	m->old = old;
	m->new = new;
	m->inside = mem_zalloc(sizeof *m->inside);
	m->to_new = mem_alloc(n * sizeof *m->to_new);
	m->to_old = mem_alloc(k * sizeof *m->to_old);
	memset(m->to_new, 0xff, n * sizeof *m->to_new);
	memset(m->to_old, 0xff, k * sizeof *m->to_old);
	m->inside->self = mem_alloc(n * sizeof *m->inside->self);
	for (uint32_t i = 0; i < n; i++)
		m->inside->self[i] = i;
	m->by = mem_zalloc(n);
	m->changed = mem_zalloc(n);
	m->classes = mem_zalloc(n);
	m->functions = mem_zalloc(n * sizeof *m->functions);
	pair_everything(m);
	match_check(m);
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	arena_release(&m->inside->arena);
	map_release(&m->inside->pointer_types);
	free(m->inside->self);
	free(m->inside);
	free(m->to_new);
	free(m->to_old);
	free(m->by);
	free(m->changed);
	free(m->classes);
	free(m->functions);
	free(m);
}

uint32_t match_value(const struct match *m, uint32_t symbol, uint32_t value)
{
	return m->functions[symbol] ? m->functions[symbol]->to_new[value] : CODE_NONE;
}

unsigned match_modified(const struct match *m, uint32_t symbol, uint32_t value)
{
	const struct code_function *f = m->old->symbols.data[symbol].function;

	return m->functions[symbol] ? m->functions[symbol]->modified[value - f->first_instruction] : MATCH_DELETED;
}

static void count_function(const struct match *m, uint32_t i, struct match_counts *out)
{
	const struct whole_symbol *s = &m->old->symbols.data[i];

	out->functions++;
	out->m += (m->classes[i] & MATCH_M) != 0;
	out->im += (m->classes[i] & MATCH_IM) != 0;
	out->u += (m->classes[i] & MATCH_U) != 0;
	out->iu += (m->classes[i] & MATCH_IU) != 0;
	out->instructions += s->order_count;
	out->modified += m->functions[i] ? m->functions[i]->count - m->functions[i]->entry : s->order_count;
	out->deleted += !m->functions[i];
	out->renamed += m->functions[i] && strcmp(s->key, m->new->symbols.data[m->to_new[i]].key) != 0;
}

void match_count(const struct match *m, struct match_counts *out)
{
	*out = (struct match_counts){.functions = 0};
	for (uint32_t i = 0; i < m->old->symbols.size; i++)
		if (m->old->symbols.data[i].function)
			count_function(m, i, out);
	for (uint32_t i = 0; i < m->new->symbols.size; i++) {
		uint32_t old = m->to_old[i];

		out->added += m->new->symbols.data[i].function && (old == CODE_NONE || !m->old->symbols.data[old].function);
	}
}
