/* matter.c: where values count: as an index, as a size, as the bound of a loop.
 *
 * A conversion that changes a number is no defect by itself: programs cut off bits on purpose all the time. It is one where the result
 * is used for something that the author took to be the number. The uses that count are the conditions of bounds on indices, ranges and
 * allocations, indices of reads, what was fixed as an address or a size, and comparisons of a branch that the path passes at least twice: a loop's, most likely.
 *
 * Operands are older than their node, so one pass from the last node to the first hands down to each node the last step at which
 * anything that it is part of counts.
 */
#include "search/inside.h"

#include "base/limit.h"
#include "base/mem.h"

#include <stdlib.h>

static int counts(const struct path_step *s, const struct sites *sites, const struct map *passes)
{
	uint64_t n = 0;
	switch (s->kind) {
	case MUSTER_EV_CONCRETE:
		return s->outcome == MUSTER_REASON_ADDRESS || s->outcome == MUSTER_REASON_STORE || s->outcome == MUSTER_REASON_SIZE ||
		       s->outcome == MUSTER_REASON_ALLOCATION || s->outcome == MUSTER_REASON_OFFSET;
	case MUSTER_EV_BRANCH:
		if (!s->checker) {
			map_get(passes, s->site, &n);
			return n >= 2 && sites->decisions.data[s->site].kind != SITES_PIN;
		} /* fall through */
	case MUSTER_EV_BOUND:
	case PATH_CHECK:
		return s->checker == MUSTER_CHECK_ARRAY_UNDER || s->checker == MUSTER_CHECK_ARRAY_OVER || s->checker == MUSTER_CHECK_RANGE ||
		       s->checker == MUSTER_CHECK_SUB_OBJECT || s->checker == MUSTER_CHECK_STACK || s->checker == MUSTER_CHECK_ALLOC;
	default:
		return 0;
	}
}

static void hand(uint32_t *last, uint32_t label, uint32_t step)
{
	if (label && last[label] < step)
		last[label] = step;
}

static void hand_down(uint32_t *last, const struct trace *t, uint32_t label)
{
	const struct muster_node *n = &t->nodes[label];
	unsigned arity = op_table[n->op].arity;
	if (n->op == MUSTER_OP_BYTES) {
		for (unsigned i = 0; i < n->width / 8u; i++)
			hand(last, n->a + i, last[label]);
		return;
	}
	if (n->op == MUSTER_OP_READ) { /* its contents are what is read */
		const uint32_t *cells = last[label] ? trace_data_cells(t, n->b) : NULL;
		for (uint64_t i = 0; cells && i < t->nodes[n->b].k; i++)
			hand(last, MUSTER_CELL_LABEL(cells[i]), last[label]);
		hand(last, n->a, UINT32_MAX); /* an index that always fits leaves no step, but this */
		return;
	}
	if (arity > 0)
		hand(last, n->a, last[label]);
	if (arity > 1)
		hand(last, n->b, last[label]);
	if (arity > 2)
		hand(last, n->c, last[label]);
}

uint32_t *matter_of(const struct path *p, const struct trace *t, const struct sites *sites)
{
	uint32_t *last = mem_zalloc((t->node_count + 1) * sizeof *last);
	struct map passes = {0};
	for (size_t i = 0; i < p->steps.size; i++)
		if (p->steps.data[i].kind == MUSTER_EV_BRANCH) {
			uint64_t n = 0;
			map_get(&passes, p->steps.data[i].site, &n);
			map_set(&passes, p->steps.data[i].site, n + 1);
		}
	for (size_t i = 0; i < p->steps.size; i++)
		if (counts(&p->steps.data[i], sites, &passes))
			hand(last, p->steps.data[i].label, (uint32_t)i + 1);
	for (uint32_t label = t->node_count; label-- > 1;)
		if (trace_is_node(t, label) && (last[label] || t->nodes[label].op == MUSTER_OP_READ))
			hand_down(last, t, label);
	map_release(&passes);
	return last;
}

#define DEPTH LIMIT(4, 1) /* operators of a check's condition above what was converted | conditions of checks have few operators */

/* Of a comparison with the number that was there before, one side is the result of the conversion, widened again: does the result count?
 * Where the number is bytes of the input, so is the result, and nothing was cut off. */
static int widened_later(const uint32_t *last, const struct trace *t, const struct muster_node *n, size_t step)
{
	const uint32_t sides[] = {n->a, n->b};
	if (n->op != MUSTER_OP_EQ && n->op != MUSTER_OP_NE)
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct muster_node *side = &t->nodes[sides[i]];
		if (sides[i] && (side->op == MUSTER_OP_SEXT || side->op == MUSTER_OP_ZEXT) && last[side->a] > step + 1)
			return 1;
	}
	return 0;
}

/* The value that was converted: what was cut off, or what stands in the comparison. */
static int later(const uint32_t *last, const struct trace *t, uint32_t label, size_t step, unsigned depth, int cut)
{
	const struct muster_node *n = &t->nodes[label];
	unsigned arity = label ? op_table[n->op].arity : 0;
	if (!label || !depth)
		return 0;
	if (n->op == MUSTER_OP_EXTRACT || (!cut && n->width > 1))
		return last[label] > step + 1;
	if (widened_later(last, t, n, step))
		return 1;
	return (arity > 0 && later(last, t, n->a, step, depth - 1, cut)) || (arity > 1 && later(last, t, n->b, step, depth - 1, cut));
}

static int has_cut(const struct trace *t, uint32_t label, unsigned depth)
{
	const struct muster_node *n = &t->nodes[label];
	unsigned arity = label ? op_table[n->op].arity : 0;
	if (!label || !depth)
		return 0;
	return n->op == MUSTER_OP_EXTRACT || (arity > 0 && has_cut(t, n->a, depth - 1)) || (arity > 1 && has_cut(t, n->b, depth - 1));
}

int matter_later(const uint32_t *last, const struct trace *t, uint32_t label, size_t step)
{
	return later(last, t, label, step, DEPTH, has_cut(t, label, DEPTH));
}
