/* eval.c: evaluating a node table.
 *
 * step() gives one node's value from its operands' values. It is compiled twice by
 * inlining: with operands from the evaluator's arrays (another input) and with
 * operands from the table itself (the self-check). Nodes of at most 64 bits with
 * operands of at most 64 bits take the short way; others go through 128 bits.
 *
 * Invariant: when node i is evaluated, low, high and undefined are right for all
 * labels below i. The table was validated, so no operand needs a check here.
 */
#include "run/eval.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct source {
	const struct trace *trace;
	const struct eval *eval; /* NULL: recorded values */
	const struct eval_input *inputs;
};

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t low_of(const struct source *s, int recorded, uint32_t label)
{
	return recorded ? muster_value(&s->trace->nodes[label]) : s->eval->low[label];
}

INLINE u128 wide_of(const struct source *s, int recorded, uint32_t label)
{
	return recorded ? trace_value(s->trace, label) : eval_value(s->eval, label);
}

INLINE int defined(const struct source *s, int recorded, uint32_t label)
{
	return recorded || eval_defined(s->eval, label);
}

static enum op_status leaf(const struct source *s, const struct muster_node *n, u128 *out)
{
	const struct eval_input *in = &s->inputs[n->a];
	switch (n->op) {
	case MUSTER_OP_INPUT:
		if (n->k < in->size)
			*out = in->bytes[n->k];
		else if (n->k >= s->trace->sources[n->a].size)
			*out = muster_value(n);
		else
			return OP_UNDEFINED;
		return OP_OK;
	case MUSTER_OP_LENGTH:
		*out = in->size;
		return OP_OK;
	case MUSTER_OP_CONST:
		*out = n->width > 64 ? (u128)n->k << 64 | n->value64 : muster_value(n);
		return OP_OK;
	default:
		*out = 0;
		return OP_OK; /* DATA: only READ looks at it */
	}
}

INLINE enum op_status bytes(const struct source *s, int recorded, const struct muster_node *n,
			    u128 *out)
{
	u128 r = 0;
	for (unsigned i = n->width / 8; i-- > 0;) {
		if (!defined(s, recorded, n->a + i))
			return OP_UNDEFINED;
		r = r << 8 | low_of(s, recorded, n->a + i);
	}
	*out = r;
	return OP_OK;
}

INLINE enum op_status read_data(const struct source *s, int recorded, const struct muster_node *n,
				u128 *out)
{
	const struct muster_node *data = &s->trace->nodes[n->b];
	const uint8_t *contents = trace_data_bytes(s->trace, n->b);
	const uint32_t *cells = trace_data_cells(s->trace, n->b);
	uint64_t at = low_of(s, recorded, n->a), size = n->width / 8;
	if (!defined(s, recorded, n->a) || at > data->k || data->k - at < size)
		return OP_UNDEFINED;
	u128 r = 0;
	for (uint64_t i = size; i-- > 0;) {
		uint32_t cell = cells ? cells[at + i] : 0, label = MUSTER_CELL_LABEL(cell);
		uint8_t byte = contents[at + i];
		if (label) {
			if (!defined(s, recorded, label))
				return OP_UNDEFINED;
			byte = (uint8_t)(wide_of(s, recorded, label) >> MUSTER_CELL_BYTE(cell) * 8);
		}
		r = r << 8 | byte;
	}
	*out = r;
	return OP_OK;
}

/* An input of an activation is what its caller has there. */
INLINE enum op_status bound_leaf(const struct source *s, int recorded, const struct muster_node *n, u128 *out)
{
	if (n->a && !defined(s, recorded, n->a))
		return OP_UNDEFINED;
	*out = n->a ? low_of(s, recorded, n->a) : muster_value(n);
	return OP_OK;
}

/* Is an operand that the value needs undefined? An ITE needs only the side it takes. */
static int lacks(const struct source *s, const struct muster_node *n)
{
	if (n->op == MUSTER_OP_ITE)
		return !defined(s, 0, n->a) || !defined(s, 0, low_of(s, 0, n->a) ? n->b : n->c);
	return (n->a && !defined(s, 0, n->a)) ||
	       (op_table[n->op].arity > 1 && n->b && !defined(s, 0, n->b));
}

static enum op_status apply_wide(const struct source *s, int recorded, const struct muster_node *n,
				 unsigned from, u128 *out)
{
	const struct muster_node *nodes = s->trace->nodes;
	unsigned arity = op_table[n->op].arity, low = 0;
	u128 a = n->a ? wide_of(s, recorded, n->a) : n->k;
	u128 b = arity < 2 ? 0 : n->b ? wide_of(s, recorded, n->b) : n->k;
	u128 c = arity < 3 ? 0 : wide_of(s, recorded, n->c);
	if (n->op == MUSTER_OP_EXTRACT)
		low = trace_extract_low(n);
	else if (n->op == MUSTER_OP_CONCAT)
		low = nodes[n->b].width;
	return op_apply(n->op, n->width, from, low, a, b, c, out);
}

INLINE enum op_status step(const struct source *s, int recorded, uint32_t i, u128 *out)
{
	const struct muster_node *nodes = s->trace->nodes, *n = &nodes[i];
	const struct op_info *info = &op_table[n->op];
	if (info->shape == OP_LEAF)
		return leaf(s, n, out);
	if (n->op == MUSTER_OP_BYTES)
		return bytes(s, recorded, n, out);
	if (n->op == MUSTER_OP_READ)
		return read_data(s, recorded, n, out);
	if (n->op == MUSTER_OP_LEAF)
		return bound_leaf(s, recorded, n, out);
	if (!recorded && s->eval->any_undefined && lacks(s, n))
		return OP_UNDEFINED;
	unsigned from = trace_operand_width(s->trace, n);
	if (n->width > 64 || from > 64)
		return apply_wide(s, recorded, n, from, out);

	unsigned low = n->op == MUSTER_OP_EXTRACT  ? (unsigned)n->k
		       : n->op == MUSTER_OP_CONCAT ? nodes[n->b].width
						   : 0;
	uint64_t a = n->a ? low_of(s, recorded, n->a) : n->k;
	uint64_t b = info->arity < 2 ? 0 : n->b ? low_of(s, recorded, n->b) : n->k;
	uint64_t c = info->arity < 3 ? 0 : low_of(s, recorded, n->c), r = 0;
	enum op_status status = op_apply64(n->op, n->width, from, low, a, b, c, &r);
	*out = r;
	return status;
}

static int is_contents(const struct trace *t, uint32_t i)
{
	return t->payload && t->payload[i / 64] >> i % 64 & 1;
}

void eval_init(struct eval *e, const struct trace *t)
{
	e->trace = t;
	e->low = mem_zalloc(t->node_count * sizeof *e->low);
	e->high = t->wide ? mem_zalloc(t->node_count * sizeof *e->high) : NULL;
	e->undefined = mem_zalloc((t->node_count / 64 + 1) * sizeof *e->undefined);
	e->any_undefined = 0;
}

void eval_release(struct eval *e)
{
	free(e->low);
	free(e->high);
	free(e->undefined);
	memset(e, 0, sizeof *e);
}

void eval_run(struct eval *e, const struct eval_input *inputs)
{
	const struct trace *t = e->trace;
	struct source s = {t, e, inputs};
	if (e->any_undefined)
		memset(e->undefined, 0, (t->node_count / 64 + 1) * sizeof *e->undefined);
	e->any_undefined = 0;
	for (uint32_t i = 1; i < t->node_count; i++) {
		if (is_contents(t, i))
			continue;
		u128 v = 0;
		if (step(&s, 0, i, &v) != OP_OK) {
			e->undefined[i / 64] |= (uint64_t)1 << i % 64;
			e->any_undefined = 1;
			v = 0;
		}
		e->low[i] = (uint64_t)v;
		/* Written only where it differs: pages without wide nodes stay untouched. */
		if (e->high && e->high[i] != (uint64_t)(v >> 64))
			e->high[i] = (uint64_t)(v >> 64);
	}
}

struct eval_check eval_self_check(const struct trace *t, const struct eval_input *inputs,
				  struct eval_mismatch *first, unsigned room)
{
	struct eval_check check = {0};
	struct source s = {t, NULL, inputs};
	for (uint32_t i = 1; i < t->node_count; i++) {
		const struct muster_node *n = &t->nodes[i];
		if (is_contents(t, i) || n->op == MUSTER_OP_DATA)
			continue;
		if ((n->op == MUSTER_OP_INPUT || n->op == MUSTER_OP_ZEXT) && n->flags & MUSTER_NODE_UNREAD)
			continue;
		u128 v = 0;
		if (step(&s, 1, i, &v) != OP_OK) {
			check.undefined++;
			continue;
		}
		check.nodes++;
		if (v == trace_value(t, i))
			continue;
		if (check.mismatches++ < room)
			first[check.mismatches - 1] =
			    (struct eval_mismatch){i, trace_value(t, i), v};
	}
	return check;
}
