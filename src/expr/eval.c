/* eval.c: the value of a term, and the walk that everything linear uses.
 *
 * The walk is a depth-first search with a stack of its own, so depth costs memory but
 * no C stack. Evaluation goes once over its result, operands first.
 *
 * Invariant: values are masked to their width; every operator has a value for all
 * operands (expr_total), as expr.h promises.
 */
#include "expr/pool.h"

#include "base/error.h"

#include <string.h>

static u128 total_divide(enum muster_op op, unsigned width, u128 a, u128 b)
{
	int negative = a >> (width - 1) & 1;
	switch (op) {
	case MUSTER_OP_UDIV:
		return ones(width);
	case MUSTER_OP_UREM:
		return a;
	case MUSTER_OP_SDIV: /* by zero, or the least value by -1 */
		return b ? a : negative ? 1 : ones(width);
	default:
		return b ? 0 : a;
	}
}

u128 expr_total(enum muster_op op, unsigned width, unsigned from, unsigned low, u128 a, u128 b,
		u128 c)
{
	u128 r;
	if (op == MUSTER_OP_CONCAT && low >= 128)
		BUG("a concatenation beyond 128 bits");
	if (op_apply(op, width, from, low, a, b, c, &r) == OP_OK)
		return r;
	switch (op) {
	case MUSTER_OP_UDIV:
	case MUSTER_OP_SDIV:
	case MUSTER_OP_UREM:
	case MUSTER_OP_SREM:
		return total_divide(op, width, a, b);
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
		return 0;
	case MUSTER_OP_ASHR:
		return a >> (width - 1) & 1 ? ones(width) : 0;
	default:
		BUG("operator %u has no value", op);
	}
}

u128 expr_table_read(const struct expr_table *t, u128 at, unsigned bytes,
		     u128 (*byte)(void *ctx, expr_t term), void *ctx)
{
	u128 r = 0;
	if (bytes > t->count || at > t->count - bytes)
		return 0;
	for (unsigned i = bytes; i-- > 0;)
		r = r << 8 |
		    (t->term ? byte(ctx, t->term[(uint64_t)at + i]) : t->value[(uint64_t)at + i]);
	return r;
}

/* -------------------------------------------------------------- the walk */

unsigned expr_operands(const struct exprs *p, expr_t e, expr_t out[3])
{
	const struct expr_node *n = node(p, e);
	unsigned count = 0;
	if (n->op == MUSTER_OP_INPUT || n->op == MUSTER_OP_LENGTH)
		return 0;
	for (unsigned i = 0; i < 3; i++) {
		expr_t x = i == 0 ? n->a : i == 1 ? n->b : n->c;
		if (!x)
			break;
		if (out)
			out[i] = x;
		count++;
	}
	return count;
}

void expr_new_stamp(struct exprs *p)
{
	if (p->mark_cap < p->count) {
		p->mark_cap = p->cap;
		p->mark = mem_realloc(p->mark, p->mark_cap, sizeof *p->mark);
		p->place = mem_realloc(p->place, p->mark_cap, sizeof *p->place);
		memset(p->mark, 0, p->mark_cap * sizeof *p->mark);
		p->stamp = 0;
	}
	if (++p->stamp == 0) {
		memset(p->mark, 0, p->mark_cap * sizeof *p->mark);
		p->stamp = 1;
	}
}

struct frame {
	expr_t e;
	uint64_t next; /* operand to look at, or byte of a table */
};

/* The next operand that was not seen, or 0. */
static expr_t next_operand(const struct exprs *p, struct frame *f)
{
	const struct expr_node *n = node(p, f->e);
	if (n->op == MUSTER_OP_DATA) {
		const struct expr_table *t = &p->tables.data[n->k];
		while (t->term && f->next < t->count) {
			expr_t x = t->term[f->next++];
			if (p->mark[x] != p->stamp)
				return x;
		}
		return 0;
	}
	if (n->op == MUSTER_OP_INPUT || n->op == MUSTER_OP_LENGTH)
		return 0;
	while (f->next < 3) {
		expr_t x = f->next == 0 ? n->a : f->next == 1 ? n->b : n->c;
		f->next++;
		if (x && p->mark[x] != p->stamp)
			return x;
	}
	return 0;
}

void expr_walk(const struct exprs *pool, const expr_t *roots, size_t count, struct expr_order *out)
{
	struct exprs *p = (struct exprs *)pool; /* marks are scratch */
	VEC(struct frame) stack = {0};
	expr_new_stamp(p);
	vec_clear(out);
	for (size_t i = 0; i < count; i++) {
		if (!roots[i] || p->mark[roots[i]] == p->stamp)
			continue;
		p->mark[roots[i]] = p->stamp;
		vec_push(&stack, (struct frame){roots[i], 0});
		while (stack.size) {
			struct frame *f = &vec_last(&stack);
			expr_t x = next_operand(p, f);
			if (x) {
				p->mark[x] = p->stamp;
				vec_push(&stack, (struct frame){x, 0});
				continue;
			}
			p->place[f->e] = (uint32_t)out->size;
			vec_push(out, f->e);
			stack.size--;
		}
	}
	vec_release(&stack);
}

/* ------------------------------------------------------------ evaluation */

struct eval {
	const struct exprs *p;
	const struct expr_values *leaves;
	const u128 *values; /* by place; of arrays nothing */
};

static u128 byte_value(void *ctx, expr_t term)
{
	const struct eval *v = ctx;
	return v->values[v->p->place[term]];
}

/* An uninterpreted function: any function of the operands' values will do, as long as it is one. */
u128 expr_apply_value(const struct exprs *p, expr_t e, u128 a, u128 b, u128 c)
{
	const struct expr_node *n = node(p, e);
	u128 in[3] = {a, b, c};
	struct hash128 h = hash128(in, sizeof in);
	if (n->op == EXPR_OP_LIST)
		return (u128)h.a << 64 | h.b;
	h = hash128_join(h, hash128_str(p->name_list.data[n->k]));
	return n->width ? op_mask((u128)h.a << 64 | h.b, n->width) : h.b; /* of an array: its byte at offset a */
}

static u128 place_value(const struct eval *v, expr_t e)
{
	return v->values[v->p->place[e]];
}

/* The byte of an array, by what was done to it last. */
static u128 select_value(const struct eval *v, expr_t array, uint64_t at)
{
	for (;;) {
		const struct expr_node *n = node(v->p, array);
		switch (n->op) {
		case EXPR_OP_WRITE:
			if (place_value(v, n->b) == at)
				return place_value(v, n->c);
			array = n->a;
			break;
		case EXPR_OP_FILL: {
			const struct expr_node *list = node(v->p, n->c);
			if (at - (uint64_t)place_value(v, n->b) < (uint64_t)place_value(v, list->a))
				return place_value(v, list->b);
			array = n->a;
			break;
		}
		case MUSTER_OP_ITE:
			array = place_value(v, n->a) ? n->b : n->c;
			break;
		default:
			if (v->leaves->byte)
				return v->leaves->byte(v->leaves->ctx, array, at);
			return expr_apply_value(v->p, array, at, 0, 0) & 0xff;
		}
	}
}

#define FEW_ARGUMENTS 16

static u128 application_value(const struct eval *v, expr_t e)
{
	expr_t few[FEW_ARGUMENTS], *terms = few;
	unsigned count = expr_arguments(v->p, e, few, FEW_ARGUMENTS);
	u128 values[FEW_ARGUMENTS], *args = values;
	if (count > FEW_ARGUMENTS) {
		terms = mem_realloc(NULL, count, sizeof *terms);
		args = mem_realloc(NULL, count, sizeof *args);
		expr_arguments(v->p, e, terms, count);
	}
	for (unsigned i = 0; i < count; i++)
		args[i] = place_value(v, terms[i]);
	u128 r = op_mask(v->leaves->apply(v->leaves->ctx, e, args, count), node(v->p, e)->width);
	if (terms != few) {
		free(terms);
		free(args);
	}
	return r;
}

static u128 node_eval(struct eval *v, expr_t e)
{
	const struct exprs *p = v->p;
	const struct expr_node *n = node(p, e);
	u128 a = n->a ? v->values[p->place[n->a]] : 0, b = n->b ? v->values[p->place[n->b]] : 0,
	     c = n->c ? v->values[p->place[n->c]] : 0;
	switch (n->op) {
	case EXPR_OP_APPLY:
		return v->leaves->apply ? application_value(v, e) : expr_apply_value(p, e, a, b, c);
	case EXPR_OP_LIST:
		return expr_apply_value(p, e, a, b, c);
	case EXPR_OP_SELECT:
		return select_value(v, n->a, (uint64_t)b);
	case EXPR_OP_WRITE:
	case EXPR_OP_FILL:
		return 0;
	case MUSTER_OP_READ:
		return expr_table_read(expr_table_of(p, n->b), a, n->width / 8, byte_value, v);
	default: {
		if (!n->width) /* a choice of arrays */
			return 0;
		unsigned low = n->op == MUSTER_OP_CONCAT ? node(p, n->b)->width : (unsigned)n->k;
		return expr_total((enum muster_op)n->op, n->width, node(p, n->a)->width, low, a, b,
				  c);
	}
	}
}

u128 expr_evaluate(const struct exprs *p, expr_t e, const struct expr_values *leaves)
{
	struct expr_order order = {0};
	expr_walk(p, &e, 1, &order);
	u128 *values = mem_realloc(NULL, order.size, sizeof *values);
	struct eval v = {p, leaves, values};
	for (size_t i = 0; i < order.size; i++) {
		const struct expr_node *n = node(p, order.data[i]);
		switch (n->op) {
		case MUSTER_OP_CONST:
			values[i] = node_value(n);
			break;
		case MUSTER_OP_INPUT:
		case MUSTER_OP_LENGTH:
		case EXPR_OP_NAMED:
			values[i] = op_mask(leaves->value(leaves->ctx, order.data[i]), n->width);
			break;
		case MUSTER_OP_DATA:
		case EXPR_OP_ARRAY:
			values[i] = 0;
			break;
		default:
			values[i] = node_eval(&v, order.data[i]);
		}
	}
	u128 r = values[order.size - 1];
	free(values);
	vec_release(&order);
	return r;
}

u128 expr_eval(const struct exprs *p, expr_t e, u128 (*value)(void *ctx, expr_t variable), void *ctx)
{
	return expr_evaluate(p, e, &(struct expr_values){.value = value, .ctx = ctx});
}
