/* import.c: labels of a trace as terms.
 *
 * A depth-first walk with a stack of its own: a label stays on the stack until its
 * operands have terms. Operands are older than a node (trace_open saw to it), so
 * the walk ends. The smart constructors normalise on the way: the runtime's
 * tables hold operations as they happened, the pool holds what they mean.
 */
#include "run/import.h"

#include "base/error.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void import_init(struct import *im, const struct trace *t, struct exprs *pool, uint64_t input_size)
{
	memset(im, 0, sizeof *im);
	im->input_size = input_size;
	im->trace = t;
	im->pool = pool;
	im->memo = mem_zalloc((size_t)t->node_count * sizeof *im->memo);
}

void import_release(struct import *im)
{
	free(im->memo);
	free(im->stack);
	vec_release(&im->known);
	map_release(&im->beyond);
	memset(im, 0, sizeof *im);
}

void import_forget(struct import *im)
{
	for (size_t i = 0; i < im->known.size; i++)
		im->memo[im->known.data[i]] = EXPR_NONE;
	im->known.size = 0;
}

static void push(struct import *im, uint32_t label)
{
	if (im->stack_size == im->stack_cap) {
		im->stack_cap = im->stack_cap ? 2 * im->stack_cap : 256;
		im->stack = mem_realloc(im->stack, im->stack_cap, sizeof *im->stack);
	}
	im->stack[im->stack_size++] = label;
}

/* Pushes the label if it has no term yet; 1 if it did. */
static int need(struct import *im, uint32_t label)
{
	if (!label || im->memo[label])
		return 0;
	push(im, label);
	return 1;
}

/* Operands that are missing go on the stack; 0 if there are none. */
static int missing(struct import *im, const struct muster_node *n)
{
	const struct trace *t = im->trace;
	int wait = 0;
	switch (n->op) {
	case MUSTER_OP_LEAF:
		return need(im, n->a);
	case MUSTER_OP_BYTES:
		for (unsigned i = 0; i < n->width / 8u; i++)
			wait |= need(im, n->a + i);
		return wait;
	case MUSTER_OP_READ: {
		const struct muster_node *data = &t->nodes[n->b];
		const uint32_t *cells = trace_data_cells(t, n->b);
		wait = need(im, n->a);
		if (im->memo[n->b])
			return wait;
		for (uint64_t i = 0; cells && i < data->k; i++)
			wait |= need(im, MUSTER_CELL_LABEL(cells[i]));
		return wait;
	}
	default: {
		unsigned arity = op_table[n->op].arity;
		wait |= arity > 0 && need(im, n->a);
		wait |= arity > 1 && need(im, n->b);
		wait |= arity > 2 && need(im, n->c);
		return wait;
	}
	}
}

static uint32_t source_of(const struct trace *t, uint32_t source)
{
	return source < t->source_count && t->sources[source].kind == MUSTER_SOURCE_MEMORY ? 0
											   : source;
}

static expr_t bytes_term(struct import *im, const struct muster_node *n)
{
	unsigned count = n->width / 8u;
	expr_t e = im->memo[n->a + count - 1];
	for (unsigned i = count - 1; i-- > 0;)
		e = expr_concat(im->pool, e, im->memo[n->a + i]);
	return e;
}

static expr_t data_term(struct import *im, uint32_t label)
{
	const struct trace *t = im->trace;
	const struct muster_node *data = &t->nodes[label];
	const uint8_t *contents = trace_data_bytes(t, label);
	const uint32_t *cells = trace_data_cells(t, label);
	if (im->memo[label])
		return im->memo[label];
	vec_push(&im->known, label);
	if (!cells)
		return im->memo[label] = expr_data_const(im->pool, contents, data->k);
	expr_t *bytes = mem_alloc(data->k * sizeof *bytes);
	for (uint64_t i = 0; i < data->k; i++) {
		uint32_t of = MUSTER_CELL_LABEL(cells[i]);
		bytes[i] = of ? expr_extract(im->pool,
					     expr_zext(im->pool, im->memo[of],
						       (t->nodes[of].width + 7u) / 8u * 8u),
					     MUSTER_CELL_BYTE(cells[i]) * 8, 8)
			      : expr_const(im->pool, 8, contents[i]);
	}
	im->memo[label] = expr_data(im->pool, bytes, data->k);
	free(bytes);
	return im->memo[label];
}

/* A labelled operand, or the constant in k. */
static expr_t operand(struct import *im, const struct muster_node *n, uint32_t label)
{
	if (label)
		return im->memo[label];
	return expr_const(im->pool, trace_operand_width(im->trace, n), n->k);
}

static expr_t term(struct import *im, const struct muster_node *n)
{
	struct exprs *p = im->pool;
	switch (n->op) {
	case MUSTER_OP_INPUT:
		if (n->k >= im->input_size)
			map_set(&im->beyond, n->k, n->low);
		return expr_input(p, source_of(im->trace, n->a), n->k);
	case MUSTER_OP_LENGTH:
		return expr_length(p, source_of(im->trace, n->a));
	case MUSTER_OP_CONST:
		return expr_const(p, n->width,
				  n->width > 64 ? (u128)n->k << 64 | n->value64 : muster_value(n));
	case MUSTER_OP_LEAF:
		return n->a ? im->memo[n->a] : expr_const(p, n->width, muster_value(n));
	case MUSTER_OP_BYTES:
		return bytes_term(im, n);
	case MUSTER_OP_READ:
		return expr_read(p, data_term(im, n->b), im->memo[n->a], n->width);
	case MUSTER_OP_EXTRACT:
		return expr_extract(p, im->memo[n->a], trace_extract_low(n), n->width);
	case MUSTER_OP_ZEXT:
		return expr_zext(p, im->memo[n->a], n->width);
	case MUSTER_OP_SEXT:
		return expr_sext(p, im->memo[n->a], n->width);
	case MUSTER_OP_CONCAT:
		return expr_concat(p, im->memo[n->a], im->memo[n->b]);
	case MUSTER_OP_ITE:
		return expr_ite(p, im->memo[n->a], im->memo[n->b], im->memo[n->c]);
	default:
		if (op_table[n->op].shape == OP_UNARY)
			return expr_unary(p, n->op, im->memo[n->a]);
		return expr_binary(p, n->op, operand(im, n, n->a), operand(im, n, n->b));
	}
}

expr_t import_label(struct import *im, uint32_t label)
{
	if (im->memo[label])
		return im->memo[label];
	push(im, label);
	while (im->stack_size) {
		uint32_t top = im->stack[im->stack_size - 1];
		const struct muster_node *n = &im->trace->nodes[top];
		if (im->memo[top]) {
			im->stack_size--;
			continue;
		}
		if (n->op == MUSTER_OP_LEAF && im->leaf)
			im->memo[top] = im->leaf(im->ctx, top);
		if (!im->memo[top]) {
			if (missing(im, n))
				continue;
			im->memo[top] = term(im, n);
		}
		vec_push(&im->known, top);
		if (!im->memo[top])
			BUG("no term for node %u, operator %u", top, n->op);
		im->stack_size--;
	}
	return im->memo[label];
}
