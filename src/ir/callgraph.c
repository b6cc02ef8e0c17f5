/* callgraph.c: who calls whom in a unit, directly, and who may be called by unknown code; cycles of calls.
 *
 * Components (cycles of calls) come from Tarjan's algorithm with a stack of its own; it finishes a component after all that it calls, so that going through
 * functions by component sees callees first. The graph is plain arrays: that of a unit here, that of a program in whole_graph.c.
 */
#include "base/sort.h"
#include "ir/code_parts.h"

#include <string.h>

static void look_at(struct code *c, struct code_function *f, uint32_t v)
{
	const struct code_value *value = &f->values[v];
	int call = value->op == CODE_CALL || value->op == CODE_INVOKE;

	if (call && value->target == CODE_NONE)
		f->calls_unknown = 1;
	for (uint32_t k = call && value->target != CODE_NONE ? 1 : 0; k < value->operands; k++) {
		const struct code_value *operand = code_operand_value(f, v, k);

		if (operand->kind == CODE_FUNCTION)
			c->functions[operand->index].address_taken = 1;
	}
}

static void list_callees(struct code *c, struct code_function *f, struct arena *arena)
{
	VEC(uint32_t) list = {0};

	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
		look_at(c, f, v);
		if ((f->values[v].op == CODE_CALL || f->values[v].op == CODE_INVOKE) && f->values[v].target != CODE_NONE)
			vec_push(&list, f->values[v].target);
	}
	size_t n = sort_u32_once(list.data, list.size);
	f->callees = arena_copy(arena, list.data, n * sizeof *list.data);
	f->callee_count = (uint32_t)n;
	vec_release(&list);
}

/* ------------------------------------------------------------------ components */

struct walker {
	struct code_graph *g;
	uint32_t *number, *low, *next;
	VEC(uint32_t) path, open;
	uint32_t count, components;
};

static void enter(struct walker *w, uint32_t f)
{
	w->number[f] = w->low[f] = w->count++;
	w->next[f] = w->g->first[f];
	vec_push(&w->path, f);
	vec_push(&w->open, f);
}

static void close_component(struct walker *w, uint32_t f)
{
	struct code_graph *g = w->g;
	uint32_t member, size = 0;

	do {
		member = vec_pop(&w->open);
		g->component[member] = w->components;
		g->recursive[member] = 1;
		size++;
	} while (member != f);
	if (size == 1) {
		g->recursive[f] = 0;
		for (uint32_t k = g->first[f]; k < g->first[f + 1]; k++)
			g->recursive[f] |= g->callees[k] == f;
	}
	w->components++;
}

static void walk_from(struct walker *w, uint32_t root)
{
	enter(w, root);
	while (w->path.size) {
		uint32_t f = vec_last(&w->path), callee;

		if (w->next[f] < w->g->first[f + 1]) {
			callee = w->g->callees[w->next[f]++];
			if (w->number[callee] == CODE_NONE)
				enter(w, callee);
			else if (w->g->component[callee] == CODE_NONE && w->number[callee] < w->low[f])
				w->low[f] = w->number[callee];
			continue;
		}
		(void)vec_pop(&w->path);
		if (w->low[f] == w->number[f])
			close_component(w, f);
		if (w->path.size && w->low[f] < w->low[vec_last(&w->path)])
			w->low[vec_last(&w->path)] = w->low[f];
	}
}

void code_components(struct code_graph *g)
{
	size_t bytes = (g->count + 1) * sizeof(uint32_t);
	struct walker w = {.g = g, .number = mem_alloc(bytes), .low = mem_alloc(bytes), .next = mem_alloc(bytes)};

	memset(w.number, 0xff, bytes);
	memset(g->component, 0xff, g->count * sizeof *g->component);
	for (uint32_t i = 0; i < g->count; i++)
		if (w.number[i] == CODE_NONE)
			walk_from(&w, i);
	free(w.number);
	free(w.low);
	free(w.next);
	vec_release(&w.path);
	vec_release(&w.open);
}

void code_call_graph(struct code *c, struct arena *arena)
{
	struct code_graph g = {.count = c->function_count};
	VEC(uint32_t) callees = {0};

	g.first = mem_alloc((g.count + 1) * sizeof *g.first);
	g.component = mem_alloc((g.count + 1) * sizeof *g.component);
	g.recursive = mem_zalloc(g.count + 1);
	for (uint32_t i = 0; i < c->function_count; i++) {
		struct code_function *f = &c->functions[i];

		list_callees(c, f, arena);
		g.first[i] = (uint32_t)callees.size;
		for (uint32_t k = 0; k < f->callee_count; k++)
			vec_push(&callees, f->callees[k]);
	}
	g.first[g.count] = (uint32_t)callees.size;
	g.callees = callees.data;
	code_components(&g);
	for (uint32_t i = 0; i < c->function_count; i++) {
		c->functions[i].component = g.component[i];
		c->functions[i].recursive = g.recursive[i];
	}
	free(g.first);
	free(g.component);
	free(g.recursive);
	vec_release(&callees);
}
