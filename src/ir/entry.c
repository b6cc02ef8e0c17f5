/* entry.c: which entries of functions and loops a traced run tells of, and which values come in there.
 *
 * One pass over each function: outermost loops, blocks reached from their header, and the integers from before that these use. A
 * value that is not there on every edge into the loop (its definition does not dominate them) is left out, so that the trace pass may
 * use each of them at the end of the edge's block.
 */
#include "ir/entry.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int is_integer(const struct code_value *v)
{
	return (v->kind == CODE_PARAMETER || v->kind == CODE_INSTRUCTION) && v->width >= 1 && v->width <= 64 && !v->is_pointer;
}

/* Functions with loops, then whoever calls them, until nothing changes. Callees come first where there is no cycle, so that few rounds do. */
static void find_looping(struct entries *e, const struct code *c)
{
	int changed = 1;

	vec_clear(&e->looping);
	for (uint32_t i = 0; i < c->function_count; i++)
		vec_push(&e->looping, (uint8_t)(c->functions[i].loop_count != 0));
	while (changed) {
		changed = 0;
		for (uint32_t i = 0; i < c->function_count; i++) {
			const struct code_function *f = &c->functions[i];
			for (uint32_t k = 0; k < f->callee_count && !e->looping.data[i]; k++)
				if (e->looping.data[f->callees[k]])
					e->looping.data[i] = 1, changed = 1;
		}
	}
}

static void add_function(struct entries *e, const struct code_function *f)
{
	struct entry x = {.function = f->number,
			  .loop = CODE_NONE,
			  .ordinal = f->first_ordinal,
			  .first = (uint32_t)e->values.size,
			  .first_edge = (uint32_t)e->edges.size};

	for (uint32_t i = 0; i < f->parameters && x.count < ENTRY_VALUES; i++)
		if (is_integer(&f->values[i])) {
			vec_push(&e->values, i);
			x.count++;
		}
	if (x.count)
		vec_push(&e->list, x);
}

/* Blocks that are reached from the header, itself among them. */
static uint8_t *reached_from(const struct code_function *f, uint32_t header)
{
	uint8_t *seen = mem_zalloc(f->block_count);
	VEC(uint32_t) work = {0};

	seen[header] = 1;
	vec_push(&work, header);
	while (work.size) {
		const struct code_block *b = &f->blocks[vec_pop(&work)];
		for (uint32_t k = 0; k < b->edges; k++) {
			uint32_t to = f->edges[b->first_edge + k].to;
			if (!seen[to]) {
				seen[to] = 1;
				vec_push(&work, to);
			}
		}
	}
	vec_release(&work);
	return seen;
}

static int used_behind(const struct code_function *f, uint32_t value, const uint8_t *reached)
{
	const struct code_value *v = &f->values[value];

	for (uint32_t i = 0; i < v->uses; i++) {
		const struct code_value *user = &f->values[f->uses[v->first_use + i]];
		if (user->kind == CODE_INSTRUCTION && reached[user->block])
			return 1;
	}
	return 0;
}

static int there_at_edges(const struct code_function *f, const struct entries *e, const struct entry *x, uint32_t value)
{
	const struct code_value *v = &f->values[value];

	for (uint32_t k = 0; k < x->edges && v->kind == CODE_INSTRUCTION; k++)
		if (!code_dominates(f, v->block, f->edges[e->edges.data[x->first_edge + k]].from))
			return 0;
	return 1;
}

static void add_loop(struct entries *e, const struct code_function *f, uint32_t loop)
{
	const struct code_loop *l = &f->loops[loop];
	struct entry x = {.function = f->number,
			  .loop = loop,
			  .ordinal = f->values[f->blocks[l->header].first].index,
			  .first = (uint32_t)e->values.size,
			  .first_edge = (uint32_t)e->edges.size};
	uint8_t *reached;

	for (uint32_t k = 0; k < l->entries; k++) {
		uint32_t edge = f->loop_edges[l->first_entry + k];
		const struct code_block *from = &f->blocks[f->edges[edge].from];
		if (from->edges == 1 && from->flags & CODE_BLOCK_REACHED) {
			vec_push(&e->edges, edge);
			x.edges++;
		}
	}
	if (!x.edges)
		return;
	reached = reached_from(f, l->header);
	for (uint32_t v = 0; v < f->first_instruction + f->instructions && x.count < ENTRY_VALUES; v++) {
		if (!is_integer(&f->values[v]) || code_varies(f, loop, v) || !used_behind(f, v, reached) || !there_at_edges(f, e, &x, v))
			continue;
		vec_push(&e->values, v);
		x.count++;
	}
	free(reached);
	if (x.count)
		vec_push(&e->list, x);
	else
		e->edges.size = x.first_edge;
}

void entries_find(struct entries *e, const struct code *c)
{
	find_looping(e, c);
	for (uint32_t i = 0; i < c->function_count; i++) {
		const struct code_function *f = &c->functions[i];
		if (!f->defined || !e->looping.data[i])
			continue;
		add_function(e, f);
		for (uint32_t l = 0; l < f->loop_count; l++)
			if (f->loops[l].parent == CODE_NONE)
				add_loop(e, f, l);
	}
}

void entries_release(struct entries *e)
{
	vec_release(&e->list);
	vec_release(&e->values);
	vec_release(&e->edges);
	vec_release(&e->looping);
}
