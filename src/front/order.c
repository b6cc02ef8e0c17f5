/* order.c: the call graph: callees first, and what a function may reach.
 *
 * The order is that in which a depth-first walk leaves the functions; the walk has a stack of its
 * own, since generated code has call chains of any length. Reaching is a walk over direct calls;
 * the first call through a pointer adds every function whose address is taken, once.
 */
#include "front/front.h"

#include <stdlib.h>
#include <string.h>

struct visit {
	uint32_t function;
	uint32_t next; /* of its calls */
};

void front_bottom_up(const struct front *f, uint32_t *order, uint32_t *count)
{
	uint8_t *seen = mem_zalloc(f->functions.size + 1);
	VEC(struct visit) stack = {0};

	*count = 0;
	for (size_t i = 0; i < f->functions.size; i++) {
		if (seen[i] || !f->functions.data[i].defined)
			continue;
		seen[i] = 1;
		vec_push(&stack, (struct visit){(uint32_t)i, 0});
		while (stack.size) {
			struct visit *top = &vec_last(&stack);
			const struct front_function *x = &f->functions.data[top->function];
			uint32_t callee;

			if (top->next == x->calls.size) {
				order[(*count)++] = top->function;
				(void)vec_pop(&stack);
				continue;
			}
			callee = x->calls.data[top->next++];
			if (seen[callee] || !f->functions.data[callee].defined)
				continue;
			seen[callee] = 1;
			vec_push(&stack, (struct visit){callee, 0});
		}
	}
	vec_release(&stack);
	free(seen);
}

struct reaching {
	const struct front *f;
	struct front_reach *out;
	uint8_t *functions, *globals; /* seen */
	int pointers;		      /* every function whose address is taken is in */
};

static void reach_function(struct reaching *g, uint32_t number)
{
	if (g->functions[number])
		return;
	g->functions[number] = 1;
	vec_push(&g->out->functions, number);
}

static void reach_global(struct reaching *g, uint32_t number)
{
	if (g->globals[number])
		return;
	g->globals[number] = 1;
	vec_push(&g->out->globals, number);
}

static void reach_pointers(struct reaching *g)
{
	if (g->pointers)
		return;
	g->pointers = 1;
	for (size_t i = 0; i < g->f->functions.size; i++)
		if (g->f->functions.data[i].address_taken)
			reach_function(g, (uint32_t)i);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void front_reach(const struct front *f, uint32_t function, struct front_reach *out)
{
	struct reaching g = {f, out, mem_zalloc(f->functions.size + 1),
			     mem_zalloc(f->globals.size + 1), 0};

	vec_clear(&out->functions);
	vec_clear(&out->globals);
	reach_function(&g, function);
	/* Both lists are work lists: what is pushed is looked at in turn. */
	for (size_t i = 0; i < out->functions.size; i++) {
		const struct front_function *x = &f->functions.data[out->functions.data[i]];

		for (size_t k = 0; k < x->calls.size; k++)
			reach_function(&g, x->calls.data[k]);
		for (size_t k = 0; k < x->takes.size; k++)
			reach_function(&g, x->takes.data[k]);
		for (size_t k = 0; k < x->globals.size; k++)
			reach_global(&g, x->globals.data[k]);
		if (x->calls_pointer)
			reach_pointers(&g);
	}
	for (size_t i = 0; i < out->globals.size; i++) {
		const struct front_global *x = &f->globals.data[out->globals.data[i]];

		for (size_t k = 0; k < x->globals.size; k++)
			reach_global(&g, x->globals.data[k]);
	}
	if (out->functions.size)
		qsort(out->functions.data, out->functions.size, sizeof *out->functions.data,
		      by_number);
	if (out->globals.size)
		qsort(out->globals.data, out->globals.size, sizeof *out->globals.data, by_number);
	free(g.functions);
	free(g.globals);
}
