/* ic_tied.c: IC-Cut: is something tested inside a call that was tested before it?
 *
 * Most functions of a parser are called with a size or a position that was looked at before, so they have a tied input and no summary. An ordinary trace shows that: a condition inside of the call has a byte in it that a condition before it has, too.
 * What is found here the interface of the call would show as well (ic_probe.c), for many times the cost of a run. Two sweeps over the nodes: down from the conditions before the call, and up from the bytes that these have.
 */
#include "search/ic_tied.h"

#include "search/ic_nodes.h"

enum { BEFORE = 1, TOUCHES = 2 };

static void sweep_down(const struct trace *t, uint8_t *flags)
{
	for (uint32_t i = t->node_count; i-- > 1;) {
		const struct muster_node *n = &t->nodes[i];
		if (!flags[i] || !trace_is_node(t, i))
			continue;
#define DOWN(l) flags[l] |= BEFORE
		EACH_OPERAND(t, n, DOWN);
#undef DOWN
	}
}

static void sweep_up(const struct trace *t, uint8_t *flags)
{
	for (uint32_t i = 1; i < t->node_count; i++) {
		const struct muster_node *n = &t->nodes[i];
		uint8_t on = 0;
		if (!trace_is_node(t, i))
			continue;
		if (n->op == MUSTER_OP_INPUT)
			on = flags[i] & BEFORE ? TOUCHES : 0;
#define UP(l) on |= flags[l] & TOUCHES
		EACH_OPERAND(t, n, UP);
#undef UP
		flags[i] |= on;
	}
}

int ic_tied(const struct trace *t, const struct path *p, uint32_t first, uint32_t end)
{
	uint8_t *flags = mem_zalloc(t->node_count + 1);
	int found = 0;
	for (uint32_t i = 0; i < first && i < p->steps.size; i++)
		flags[p->steps.data[i].label] |= BEFORE;
	flags[0] = 0;
	sweep_down(t, flags);
	sweep_up(t, flags);
	for (uint32_t i = first; i < end && i < p->steps.size && !found; i++)
		found = flags[p->steps.data[i].label] & TOUCHES ? 1 : 0;
	free(flags);
	return found;
}
