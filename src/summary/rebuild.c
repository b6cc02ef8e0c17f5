/* rebuild.c: replaces sub-terms, from the outside in, and makes the rest anew with the smart constructors, so that the result is in normal form again. */
#include "summary/rebuild.h"

#include "base/map.h"

static expr_t again(struct exprs *p, const struct expr_node *n, expr_t e, const expr_t *x, unsigned count)
{
	switch (n->op) {
	case MUSTER_OP_EXTRACT:
		return expr_extract(p, x[0], (unsigned)n->k, n->width);
	case MUSTER_OP_ZEXT:
		return expr_zext(p, x[0], n->width);
	case MUSTER_OP_SEXT:
		return expr_sext(p, x[0], n->width);
	case MUSTER_OP_CONCAT:
		return expr_concat(p, x[0], x[1]);
	case MUSTER_OP_ITE:
		return expr_ite(p, x[0], x[1], x[2]);
	case MUSTER_OP_READ:
		return expr_read(p, n->b, x[0], n->width);
	default:
		if (n->op >= MUSTER_OP_COUNT || !count)
			return e;
		if (op_table[n->op].shape == OP_UNARY)
			return expr_unary(p, n->op, x[0]);
		return count == 2 ? expr_binary(p, n->op, x[0], x[1]) : e;
	}
}

expr_t summary_rebuild(struct exprs *p, expr_t e, expr_t (*map)(void *ctx, expr_t term), void *ctx, unsigned depth)
{
	expr_t to = map(ctx, e), x[3];
	const struct expr_node n = *expr_get(p, e);
	unsigned count, changed = 0;

	if (to != EXPR_NONE || !depth || n.op >= MUSTER_OP_COUNT)
		return to != EXPR_NONE ? to : e;
	count = expr_operands(p, e, x);
	for (unsigned i = 0; i < count; i++) {
		if (n.op == MUSTER_OP_READ && i)
			break;
		expr_t made = summary_rebuild(p, x[i], map, ctx, depth - 1);
		changed |= made != x[i];
		x[i] = made;
	}
	return changed ? again(p, &n, e, x, count) : e;
}

expr_t summary_rebuild_all(struct exprs *p, expr_t e, expr_t (*map)(void *ctx, expr_t term), void *ctx, struct map *memo)
{
	const struct expr_node n = *expr_get(p, e);
	uint64_t known;
	expr_t x[3], to;
	unsigned count, changed = 0;

	if (map_get(memo, e, &known))
		return (expr_t)known;
	count = n.op < MUSTER_OP_COUNT ? expr_operands(p, e, x) : 0;
	for (unsigned i = 0; i < count && !(n.op == MUSTER_OP_READ && i); i++) {
		expr_t made = summary_rebuild_all(p, x[i], map, ctx, memo);
		changed |= made != x[i];
		x[i] = made;
	}
	expr_t made = changed ? again(p, &n, e, x, count) : e;
	to = map(ctx, made);
	made = to != EXPR_NONE ? to : made;
	map_set(memo, e, made);
	return made;
}
