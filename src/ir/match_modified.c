/* match_modified.c: what changed, from the definition (match.h).
 *
 * Data first: a pair of data is changed if anything in it is another, and so is all data that leads to changed data. Then each instruction, edge and entry of each pair of functions
 * is held against its counterpart. Then classes of functions spread from callees to callers. A symbol that is no pair, or is bound outside the program in one version
 * only, is another symbol. The address of a block is the same only in functions that are equal as a whole.
 */
#include "base/sort.h"
#include "ir/match_parts.h"

#include <string.h>

struct checker {
	struct match *m;
	struct match_side a, b;
	struct match_function *p;
};

/* ------------------------------------------------------------------ symbols and constants */

#define SAME 1
#define OTHER 0

static int same_constant(const struct match *m, const struct whole_unit *u, uint32_t a, const struct whole_unit *v, uint32_t b, int depth);

/* Data without names: by content. */
static int same_unnamed(const struct match *m, const struct whole_unit *u, uint32_t a, const struct whole_unit *v, uint32_t b, int depth)
{
	const struct content_symbol *x = &u->content->symbols[a], *y = &v->content->symbols[b];

	if (x->head != y->head || (x->initial == CODE_NONE) != (y->initial == CODE_NONE) || depth > 16)
		return OTHER;
	return x->initial == CODE_NONE || same_constant(m, u, x->initial, v, y->initial, depth + 1);
}

static int same_symbol(const struct match *m, const struct whole_unit *u, uint32_t a, const struct whole_unit *v, uint32_t b, int depth)
{
	uint32_t x = u->symbols[a], y = v->symbols[b];

	if (u->content->symbols[a].unnamed != v->content->symbols[b].unnamed)
		return OTHER;
	if (u->content->symbols[a].unnamed)
		return same_unnamed(m, u, a, v, b, depth);
	if (m->to_new[x] != y)
		return OTHER;
	return (m->old->symbols.data[x].unit == CODE_NONE) == (m->new->symbols.data[y].unit == CODE_NONE);
}

static int same_digest(const struct match *m, uint32_t old, uint32_t new)
{
	const struct whole_symbol *a = &m->old->symbols.data[old], *b = &m->new->symbols.data[new];

	return a->digest.a == b->digest.a && a->digest.b == b->digest.b;
}

static int same_constant(const struct match *m, const struct whole_unit *u, uint32_t a, const struct whole_unit *v, uint32_t b, int depth)
{
	const struct content_constant *x = &u->content->constants[a], *y = &v->content->constants[b];

	if (x->hash != y->hash || x->refs != y->refs || x->label != y->label)
		return OTHER;
	for (uint32_t k = 0; k < x->refs; k++) {
		uint32_t s = u->content->refs[x->first + k], t = v->content->refs[y->first + k];

		if (!same_symbol(m, u, s, v, t, depth) || (x->label && !same_digest(m, u->symbols[s], v->symbols[t])))
			return OTHER;
	}
	return SAME;
}

/* ------------------------------------------------------------------ data */

static int is_data_changed(const struct match *m, uint32_t old)
{
	const struct whole_symbol *a = &m->old->symbols.data[old], *b;
	const struct content_symbol *x, *y;

	if (a->unit == CODE_NONE)
		return 0;
	x = &m->old->units.data[a->unit].content->symbols[a->number];
	if (x->unnamed) /* compared where it is named */
		return 0;
	if (m->to_new[old] == CODE_NONE)
		return 1;
	b = &m->new->symbols.data[m->to_new[old]];
	if (b->unit == CODE_NONE)
		return 1;
	y = &m->new->units.data[b->unit].content->symbols[b->number];
	if (x->head != y->head || (x->initial == CODE_NONE) != (y->initial == CODE_NONE))
		return 1;
	return x->initial != CODE_NONE && !same_constant(m, &m->old->units.data[a->unit], x->initial, &m->new->units.data[b->unit], y->initial, 0);
}

struct data_edge {
	uint32_t to, from; /* from's initial value names to */
};

static int by_target(const void *x, const void *y)
{
	const struct data_edge *a = x, *b = y;

	return a->to < b->to ? -1 : a->to > b->to;
}

static void spread_data(struct match *m, struct data_edge *edges, size_t n)
{
	VEC(uint32_t) work = {0};

	for (uint32_t i = 0; i < m->old->symbols.size; i++)
		if (m->changed[i])
			vec_push(&work, i);
	while (work.size) {
		uint32_t to = vec_pop(&work);
		size_t low = 0, high = n;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (edges[middle].to < to)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < n && edges[low].to == to; low++)
			if (!m->changed[edges[low].from]) {
				m->changed[edges[low].from] = 1;
				vec_push(&work, edges[low].from);
			}
	}
	vec_release(&work);
}

static void check_data(struct match *m)
{
	VEC(struct data_edge) edges = {0};

	for (uint32_t i = 0; i < m->old->symbols.size; i++) {
		const struct whole_symbol *s = &m->old->symbols.data[i];
		const struct whole_unit *u;
		const struct content_constant *c;

		if (s->kind == WHOLE_FUNCTION || s->unit == CODE_NONE)
			continue;
		m->changed[i] = (uint8_t)is_data_changed(m, i);
		u = &m->old->units.data[s->unit];
		if (u->content->symbols[s->number].initial == CODE_NONE)
			continue;
		c = &u->content->constants[u->content->symbols[s->number].initial];
		for (uint32_t k = 0; k < c->refs; k++)
			vec_push(&edges, (struct data_edge){u->symbols[u->content->refs[c->first + k]], i});
	}
	if (edges.size)
		qsort(edges.data, edges.size, sizeof *edges.data, by_target);
	spread_data(m, edges.data, edges.size);
	vec_release(&edges);
}

/* ------------------------------------------------------------------ pointers to functions */

static int same_targets(struct match *m, uint64_t signature)
{
	uint32_t n, k;
	const uint32_t *old = whole_targets(m->old, signature, &n), *new = whole_targets(m->new, signature, &k);
	uint32_t *mapped;
	uint64_t known;
	int same = n == k;

	if (map_get(&m->inside->pointer_types, signature, &known))
		return known == 1;
	mapped = mem_alloc((n + 1) * sizeof *mapped);
	for (uint32_t i = 0; i < n; i++)
		mapped[i] = m->to_new[old[i]];
	sort_u32(mapped, n);
	for (uint32_t i = 0; same && i < n; i++)
		same = mapped[i] == new[i];
	free(mapped);
	map_set(&m->inside->pointer_types, signature, same ? 1 : 2);
	return same;
}

/* ------------------------------------------------------------------ operands */

static int names_changed(const struct match *m, const struct whole_unit *u, uint32_t symbol)
{
	return m->changed[u->symbols[symbol]];
}

/* 0, MATCH_CHANGED or MATCH_NAMES. */
static unsigned check_operand(const struct checker *c, uint32_t x, uint32_t y)
{
	const struct match *m = c->m;
	uint32_t a = x & CONTENT_NUMBER, b = y & CONTENT_NUMBER;
	const struct content_constant *k;

	if ((x & CONTENT_KIND) != (y & CONTENT_KIND))
		return MATCH_CHANGED;
	switch (x & CONTENT_KIND) {
	case CONTENT_SYMBOL:
		if (!same_symbol(m, c->a.u, a, c->b.u, b, 0))
			return MATCH_CHANGED;
		return names_changed(m, c->a.u, a) ? MATCH_NAMES : 0;
	case CONTENT_CONSTANT:
		if (!same_constant(m, c->a.u, a, c->b.u, b, 0))
			return MATCH_CHANGED;
		k = &c->a.u->content->constants[a];
		for (uint32_t n = 0; n < k->refs; n++)
			if (names_changed(m, c->a.u, c->a.u->content->refs[k->first + n]))
				return MATCH_NAMES;
		return 0;
	default:
		return c->p->to_new[x] == y ? 0 : MATCH_CHANGED;
	}
}

static unsigned check_operands(const struct checker *c, uint32_t v, uint32_t w)
{
	const struct content_instruction *i = content_of(c->a.u->content, c->a.f, v), *j = content_of(c->b.u->content, c->b.f, w);
	unsigned why = 0;

	if (i->shape != j->shape || i->operands != j->operands)
		return MATCH_CHANGED;
	for (uint32_t k = 0; k < i->operands; k++)
		why |= check_operand(c, content_operand(c->a.u->content, i, k), content_operand(c->b.u->content, j, k));
	if (i->signature && (content_callee(c->a.u->content, i) & CONTENT_KIND) != CONTENT_SYMBOL && !same_targets(c->m, i->signature))
		why |= MATCH_NAMES;
	return why;
}

/* ------------------------------------------------------------------ successors */

static int floats(const struct code_function *f, uint32_t v)
{
	return f->values[v].op == CODE_ALLOCA && !f->values[v].operands && !f->values[v].block;
}

/* The first instruction of a block that is executed one after another. */
static uint32_t start_of(const struct code_function *f, uint32_t block)
{
	uint32_t v = f->blocks[block].first;

	while (f->values[v].op == CODE_PHI || floats(f, v))
		v++;
	return v;
}

static uint32_t next_of(const struct code_function *f, uint32_t v)
{
	do
		v++;
	while (floats(f, v));
	return v;
}

static unsigned check_successors(const struct checker *c, uint32_t v, uint32_t w)
{
	const struct code_function *f = c->a.f, *g = c->b.f;
	uint32_t x = f->values[v].block, y = g->values[w].block;
	int last = v == code_last(f, x);

	if (last != (w == code_last(g, y)))
		return MATCH_SUCCESSORS;
	if (!last)
		return c->p->to_new[next_of(f, v)] == next_of(g, w) ? 0 : MATCH_SUCCESSORS;
	if (f->blocks[x].edges != g->blocks[y].edges)
		return MATCH_SUCCESSORS;
	for (uint32_t k = 0; k < f->blocks[x].edges; k++) {
		uint32_t to = f->edges[f->blocks[x].first_edge + k].to, other = g->edges[g->blocks[y].first_edge + k].to;

		if (c->p->to_new[start_of(f, to)] != start_of(g, other))
			return MATCH_SUCCESSORS;
	}
	return 0;
}

/* ------------------------------------------------------------------ phis */

/* For each edge into the old block the number of the counterpart among the predecessors of the new one, or CODE_NONE. */
static void same_edges(const struct checker *c, uint32_t block, uint32_t other, uint32_t *out)
{
	const struct code_function *f = c->a.f, *g = c->b.f;
	struct map known = {0};

	for (uint32_t n = 0; n < g->blocks[other].preds; n++)
		map_set(&known, g->preds[g->blocks[other].first_pred + n], n);
	for (uint32_t k = 0; k < f->blocks[block].preds; k++) {
		const struct code_edge *e = code_pred(f, block, k);
		uint32_t last = c->p->to_new[code_last(f, e->from)];
		const struct code_block *from = last == CODE_NONE ? NULL : &g->blocks[g->values[last].block];
		uint64_t n;

		out[k] = CODE_NONE;
		if (from && last == from->first + from->count - 1 && e->outcome < from->edges && map_get(&known, from->first_edge + e->outcome, &n))
			out[k] = (uint32_t)n;
	}
	map_release(&known);
}

static void check_phi(struct checker *c, uint32_t v, const uint32_t *preds, uint32_t other)
{
	const struct code_function *f = c->a.f, *g = c->b.f;
	uint32_t block = f->values[v].block, w = c->p->to_new[v];
	uint8_t *why = &c->p->modified[v - f->first_instruction];
	int lost = w == CODE_NONE || other == CODE_NONE || g->values[w].block != other;

	if (w == CODE_NONE)
		*why |= MATCH_DELETED;
	else if (lost || content_of(c->a.u->content, f, v)->shape != content_of(c->b.u->content, g, w)->shape)
		*why |= MATCH_CHANGED;
	for (uint32_t k = 0; k < f->blocks[block].preds; k++) {
		uint32_t edge = f->preds[f->blocks[block].first_pred + k];

		if (f->blocks[f->edges[edge].from].order == CODE_NONE)
			continue;
		if (!(*why & ~MATCH_EDGE) && preds[k] != CODE_NONE &&
		    !check_operand(c, content_operand(c->a.u->content, content_of(c->a.u->content, f, v), k),
				   content_operand(c->b.u->content, content_of(c->b.u->content, g, w), preds[k])))
			continue;
		c->p->edges[edge] = 1;
		*why |= *why ? 0 : MATCH_EDGE;
	}
}

static void check_phis(struct checker *c, uint32_t block)
{
	const struct code_function *f = c->a.f;
	uint32_t start = start_of(f, block), new = c->p->to_new[start], other = new == CODE_NONE ? CODE_NONE : c->b.f->values[new].block, *preds;

	if (f->values[f->blocks[block].first].op != CODE_PHI)
		return;
	if (other != CODE_NONE && start_of(c->b.f, other) != new)
		other = CODE_NONE;
	preds = mem_alloc((f->blocks[block].preds + 1) * sizeof *preds);
	if (other != CODE_NONE)
		same_edges(c, block, other, preds);
	for (uint32_t v = f->blocks[block].first; f->values[v].op == CODE_PHI; v++)
		check_phi(c, v, preds, other);
	free(preds);
}

/* ------------------------------------------------------------------ functions */

static void check_instruction(struct checker *c, uint32_t v)
{
	const struct code_function *f = c->a.f;
	uint8_t *why = &c->p->modified[v - f->first_instruction];
	uint32_t w = c->p->to_new[v];

	if (w == CODE_NONE) {
		*why |= MATCH_DELETED;
		return;
	}
	*why |= check_operands(c, v, w);
	if (!floats(f, v))
		*why |= check_successors(c, v, w);
}

static void check_function(struct match *m, uint32_t symbol)
{
	struct checker c = {.m = m, .p = m->functions[symbol]};

	match_sides(m, symbol, &c.a, &c.b);
	for (uint32_t k = 0; k < c.a.s->order_count; k++)
		if (c.a.f->values[c.a.s->order[k]].op != CODE_PHI)
			check_instruction(&c, c.a.s->order[k]);
	for (uint32_t k = 0; k < c.a.f->order_count; k++)
		check_phis(&c, c.a.f->order[k]);
	c.p->entry = c.a.u->content->symbols[c.a.s->number].head != c.b.u->content->symbols[c.b.s->number].head ||
		     c.p->to_new[start_of(c.a.f, 0)] != start_of(c.b.f, 0);
	for (uint32_t k = 0; k < c.a.s->order_count; k++)
		c.p->count += c.p->modified[c.a.s->order[k] - c.a.f->first_instruction] != 0;
	c.p->count += c.p->entry;
}

/* ------------------------------------------------------------------ classes */

/* Gives `more` to all that call, over any number of calls, one that has `from`, and do not have it themselves. Calls first[f] to first[f + 1] - 1 are f's callers. */
static void spread_class(struct match *m, const uint32_t *first, const uint32_t *callers, uint8_t from, uint8_t more)
{
	VEC(uint32_t) work = {0};

	for (uint32_t i = 0; i < m->old->symbols.size; i++)
		if (m->classes[i] & from)
			vec_push(&work, i);
	while (work.size) {
		uint32_t f = vec_pop(&work);

		for (uint32_t k = first[f]; k < first[f + 1]; k++)
			if (!(m->classes[callers[k]] & (from | more))) {
				m->classes[callers[k]] |= more;
				vec_push(&work, callers[k]);
			}
	}
	vec_release(&work);
}

static void classify(struct match *m)
{
	const struct whole *w = m->old;
	uint32_t n = (uint32_t)w->symbols.size, *first = mem_zalloc((n + 2) * sizeof *first), *callers = mem_alloc((w->callees.size + 1) * sizeof *callers);

	for (uint32_t i = 0; i < n; i++) {
		const struct whole_symbol *s = &w->symbols.data[i];

		if (s->function && (!m->functions[i] || m->functions[i]->count))
			m->classes[i] |= MATCH_M;
		if (s->unknown_calls)
			m->classes[i] |= MATCH_U;
		for (uint32_t k = 0; k < s->callees; k++)
			first[w->callees.data[s->first_callee + k] + 2]++;
	}
	for (uint32_t i = 1; i < n + 1; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < w->symbols.data[i].callees; k++)
			callers[first[w->callees.data[w->symbols.data[i].first_callee + k] + 1]++] = i;
	spread_class(m, first, callers, MATCH_M, MATCH_IM);
	spread_class(m, first, callers, MATCH_U, MATCH_IU);
	free(first);
	free(callers);
}

void match_check(struct match *m)
{
	check_data(m);
	for (uint32_t i = 0; i < m->old->symbols.size; i++)
		if (m->functions[i])
			check_function(m, i);
	classify(m);
}
