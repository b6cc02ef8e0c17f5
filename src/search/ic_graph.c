/* ic_graph.c: functions bottom-up, by strongly connected components.
 *
 * Tarjan's algorithm with a stack of its own. A component is complete when its first member has seen all that it reaches; components come out
 * callees first, so the order in which they do is the order that is wanted. Algorithm 1 of the document takes the callers of what is done, which
 * may be before another of their callees is; and it has no answer to recursion. Here a cycle is one component: its members come one after
 * the other, and what one of them calls of the others is inlined.
 */
#include "search/ic_graph.h"

#define NEW UINT32_MAX /* no limit: not yet met */

void ic_graph_release(struct ic_graph *g)
{
	for (size_t i = 0; i < g->callees.size; i++)
		vec_release(&g->callees.data[i]);
	map_release(&g->numbers);
	map_release(&g->edges);
	vec_release(&g->functions);
	vec_release(&g->callees);
}

uint32_t ic_graph_function(struct ic_graph *g, uint64_t function)
{
	uint64_t n;
	if (map_get(&g->numbers, function, &n))
		return (uint32_t)n;
	n = g->functions.size;
	map_set(&g->numbers, function, n);
	vec_push(&g->functions, function);
	vec_push(&g->callees, (ic_numbers){0});
	return (uint32_t)n;
}

int ic_graph_call(struct ic_graph *g, uint32_t caller, uint32_t callee)
{
	if (!map_set(&g->edges, (uint64_t)caller << 32 | callee, 1))
		return 0;
	vec_push(&g->callees.data[caller], callee);
	return 1;
}

struct visit {
	uint32_t function, next; /* callee to look at */
};

struct walk {
	const struct ic_graph *g;
	uint32_t *met, *low; /* when it was met first; the earliest that it reaches */
	uint8_t *open;	     /* its component is not complete */
	uint32_t count;
	ic_numbers waiting;
	VEC(struct visit) visits;
	ic_numbers *out;
};

static void enter(struct walk *w, uint32_t function)
{
	w->met[function] = w->low[function] = w->count++;
	w->open[function] = 1;
	vec_push(&w->waiting, function);
	vec_push(&w->visits, (struct visit){function, 0});
}

static void leave(struct walk *w)
{
	uint32_t f = vec_pop(&w->visits).function, member;
	if (w->visits.size) {
		uint32_t caller = vec_last(&w->visits).function;
		if (w->low[f] < w->low[caller])
			w->low[caller] = w->low[f];
	}
	if (w->low[f] != w->met[f])
		return;
	do {
		member = vec_pop(&w->waiting);
		w->open[member] = 0;
		vec_push(w->out, member);
	} while (member != f);
}

static void visit_all(struct walk *w)
{
	while (w->visits.size) {
		struct visit *v = &vec_last(&w->visits);
		const ic_numbers *callees = &w->g->callees.data[v->function];
		if (v->next == callees->size) {
			leave(w);
			continue;
		}
		uint32_t callee = callees->data[v->next++], caller = v->function;
		if (w->met[callee] == NEW)
			enter(w, callee);
		else if (w->open[callee] && w->met[callee] < w->low[caller])
			w->low[caller] = w->met[callee];
	}
}

void ic_graph_order(const struct ic_graph *g, ic_numbers *out)
{
	size_t n = g->functions.size;
	struct walk w = {.g = g, .out = out};
	vec_clear(out);
	w.met = mem_alloc((n + 1) * sizeof *w.met);
	w.low = mem_alloc((n + 1) * sizeof *w.low);
	w.open = mem_zalloc(n + 1);
	for (size_t i = 0; i < n; i++)
		w.met[i] = NEW;
	for (uint32_t i = 0; i < n; i++)
		if (w.met[i] == NEW) {
			enter(&w, i);
			visit_all(&w);
		}
	free(w.met);
	free(w.low);
	free(w.open);
	vec_release(&w.waiting);
	vec_release(&w.visits);
}
