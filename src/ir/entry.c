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
			  .first_load = (uint32_t)e->loads.size,
			  .first_edge = (uint32_t)e->edges.size};

	for (uint32_t i = 0; i < f->parameters && x.count < ENTRY_VALUES; i++)
		if (is_integer(&f->values[i])) {
			vec_push(&e->values, i);
			x.count++;
		}
	if (x.count)
		vec_push(&e->list, x);
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

/* Can the address be computed where the loop is entered? Constant steps from something that is there. */
static int address_there(const struct code_function *f, const struct entries *e, const struct entry *x, uint32_t address)
{
	while (f->values[address].kind == CODE_INSTRUCTION && f->values[address].op == CODE_GEP && f->values[address].operands == 1)
		address = code_operand(f, address, 0);
	const struct code_value *v = &f->values[address];
	return v->kind == CODE_ADDRESS || v->kind == CODE_PARAMETER ||
	       (v->kind == CODE_INSTRUCTION && v->op == CODE_ALLOCA && there_at_edges(f, e, x, address));
}

static int has_load(const struct code_function *f, const struct entries *e, const struct entry *x, uint32_t cell)
{
	for (uint32_t k = 0; k < x->loads; k++)
		if (f->values[e->loads.data[x->first_load + k]].cell == cell)
			return 1;
	return 0;
}

/* The block that comes next for certain, checks being passed; CODE_NONE. */
static uint32_t certainly_next(const struct code_function *f, uint32_t block)
{
	const struct code_block *b = &f->blocks[block];
	for (uint32_t k = 0; k < b->edges; k++) {
		const struct code_edge *edge = &f->edges[b->first_edge + k];
		if ((b->edges == 1 || (b->check && edge->flags & CODE_EDGE_PASS)) && f->blocks[edge->to].preds == 1)
			return edge->to;
	}
	return CODE_NONE;
}

/* Loads of cells that happen in every visit of the header before anything else can: no call, which might not return, comes before them. */
static void add_loads(struct entries *e, const struct code_function *f, struct entry *x, uint32_t header)
{
	for (uint32_t b = header; b != CODE_NONE; b = certainly_next(f, b))
		for (uint32_t v = f->blocks[b].first; v < f->blocks[b].first + f->blocks[b].count; v++) {
			const struct code_value *i = &f->values[v];
			if (i->op == CODE_CALL || i->op == CODE_INVOKE || i->op == CODE_STORE || i->op == CODE_ATOMIC || i->op == CODE_FILL || i->op == CODE_MOVE ||
			    x->loads >= ENTRY_LOADS || x->count + x->loads >= ENTRY_VALUES)
				return;
			if (i->op != CODE_LOAD || i->cell == CODE_NONE || i->flags & CODE_VOLATILE || !is_integer(i) || i->width < 2 ||
			    has_load(f, e, x, i->cell) || !address_there(f, e, x, code_operand(f, v, 0)))
				continue;
			vec_push(&e->loads, v);
			x->loads++;
		}
}

static void add_loop(struct entries *e, const struct code_function *f, uint32_t loop)
{
	const struct code_loop *l = &f->loops[loop];
	struct entry x = {.function = f->number,
			  .loop = loop,
			  .ordinal = f->values[f->blocks[l->header].first].index,
			  .first = (uint32_t)e->values.size,
			  .first_load = (uint32_t)e->loads.size,
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
	reached = code_reached(f, l->header, CODE_NONE);
	for (uint32_t v = 0; v < f->first_instruction + f->instructions && x.count < ENTRY_VALUES; v++) {
		if (!is_integer(&f->values[v]) || code_varies(f, loop, v) || !used_behind(f, v, reached) || !there_at_edges(f, e, &x, v))
			continue;
		vec_push(&e->values, v);
		x.count++;
	}
	free(reached);
	if (!l->irreducible)
		add_loads(e, f, &x, l->header);
	if (x.count + x.loads)
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
	vec_release(&e->loads);
	vec_release(&e->edges);
	vec_release(&e->looping);
}
