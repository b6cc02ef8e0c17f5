/* subst.c: terms made anew: with other variables, or in another pool.
 *
 * Both go over the DAG once, operands first, and build each term from what its
 * operands became, with the same constructors as all others. So the result is in normal form
 * though the operands changed.
 */
#include "expr/pool.h"

#include <string.h>

struct change {
	struct exprs *p;
	expr_t *became; /* by place in the walk */
};

static expr_t became(const struct change *c, expr_t e)
{
	return e ? c->became[c->p->place[e]] : EXPR_NONE;
}

static expr_t changed_data(struct change *c, expr_t data)
{
	const struct expr_table *t = expr_table_of(c->p, data);
	if (!t->term)
		return data;
	expr_t *bytes = mem_realloc(NULL, t->count, sizeof *bytes);
	uint64_t count = t->count;
	for (uint64_t i = 0; i < count; i++)
		bytes[i] = became(c, t->term[i]);
	expr_t r = expr_data(c->p, bytes, count);
	free(bytes);
	return r;
}

static expr_t changed(struct change *c, expr_t e)
{
	struct expr_node n = *node(c->p, e);
	if (n.op == MUSTER_OP_DATA)
		return changed_data(c, e);
	if (n.op == MUSTER_OP_CONST)
		return e;
	expr_t x = became(c, n.a), y = became(c, n.b), z = became(c, n.c);
	if (x == n.a && y == n.b && z == n.c && !(c->p->expand && n.op == EXPR_OP_SELECT))
		return e;
	return expr_rebuild(c->p, &n, x, y, z);
}

expr_t expr_substitute(struct exprs *p, expr_t e, expr_t (*map)(void *ctx, expr_t variable),
		       void *ctx)
{
	struct expr_order order = {0}, again = {0};
	if (!e)
		return e;
	expr_walk(p, &e, 1, &order);
	struct change c = {p, mem_zalloc(order.size * sizeof(expr_t))};
	for (size_t i = 0; i < order.size; i++)
		if (is_variable(p, order.data[i])) {
			expr_t x = map(ctx, order.data[i]);
			c.became[i] = x ? x : order.data[i];
		}
	/* The callback may have walked, too; constructors do not. The order is the same. */
	expr_walk(p, &e, 1, &again);
	for (size_t i = 0; i < order.size; i++)
		if (!c.became[i])
			c.became[i] = changed(&c, order.data[i]);
	expr_t r = c.became[order.size - 1];
	free(c.became);
	vec_release(&order);
	vec_release(&again);
	return r;
}

/* --------------------------------------------------------------- import */

static expr_t import_data(struct exprs *to, const struct exprs *from, expr_t data,
			  const uint32_t *memo)
{
	const struct expr_table *t = expr_table_of(from, data);
	if (!t->term)
		return expr_data_const(to, t->value, t->count);
	expr_t *bytes = mem_realloc(NULL, t->count, sizeof *bytes);
	for (uint64_t i = 0; i < t->count; i++)
		bytes[i] = memo[t->term[i]];
	expr_t r = expr_data(to, bytes, t->count);
	free(bytes);
	return r;
}

static expr_t import_node(struct exprs *to, const struct exprs *from, expr_t e,
			  const uint32_t *memo)
{
	const struct expr_node *n = node(from, e);
	switch (n->op) {
	case MUSTER_OP_DATA:
		return import_data(to, from, e, memo);
	case EXPR_OP_NAMED:
	case EXPR_OP_ARRAY:
	case EXPR_OP_APPLY: {
		struct expr_node other = *n;
		other.k = expr_name_number(to, expr_name(from, e));
		return expr_rebuild(to, &other, memo[n->a], memo[n->b], memo[n->c]);
	}
	case MUSTER_OP_INPUT:
	case MUSTER_OP_LENGTH:
		return expr_rebuild(to, n, 0, 0, 0);
	default:
		return expr_rebuild(to, n, memo[n->a], memo[n->b], memo[n->c]);
	}
}

/* Operands without a copy go on the stack. */
static int push_missing(const struct exprs *from, expr_t e, const uint32_t *memo,
			struct expr_order *stack)
{
	size_t before = stack->size;
	if (is_op(from, e, MUSTER_OP_DATA)) {
		const struct expr_table *t = expr_table_of(from, e);
		for (uint64_t i = 0; t->term && i < t->count; i++)
			if (!memo[t->term[i]])
				vec_push(stack, t->term[i]);
	} else {
		expr_t operands[3];
		unsigned n = expr_operands(from, e, operands);
		while (n-- > 0)
			if (!memo[operands[n]])
				vec_push(stack, operands[n]);
	}
	return stack->size > before;
}

expr_t expr_import(struct exprs *to, const struct exprs *from, expr_t e, struct expr_import *memo)
{
	struct expr_order stack = {0};
	if (!e)
		return e;
	if (memo->size < from->count) {
		memo->memo = mem_realloc(memo->memo, from->cap, sizeof *memo->memo);
		memset(memo->memo + memo->size, 0,
		       (from->cap - memo->size) * sizeof *memo->memo);
		memo->size = from->cap;
	}
	vec_push(&stack, e);
	while (stack.size) {
		expr_t x = vec_last(&stack);
		if (memo->memo[x]) {
			stack.size--;
		} else if (!push_missing(from, x, memo->memo, &stack)) {
			memo->memo[x] = import_node(to, from, x, memo->memo);
			stack.size--;
		}
	}
	vec_release(&stack);
	return memo->memo[e];
}

void expr_import_release(struct expr_import *memo)
{
	free(memo->memo);
	*memo = (struct expr_import){0};
}
