/* called_layout.c: where things lie. Conditions of a path that say of pointers what P says anyway, or what holds for every pointer to an object of its type, are no part of P; and an address of the run is a number that no other run has.
 *
 * No object lies across the end of memory or near to it; a pointer that was followed is not null, and aligned as its type asks.
 */
#include "summary/called_inside.h"

#define SMALL_ADDRESS 65536

/* Are the low bits of p plus a constant 0 for every p that has this alignment? */
static int is_aligned(struct called_maker *m, expr_t p, expr_t bits, uint64_t align)
{
	const struct expr_node n = *expr_get(m->p, bits);
	expr_t from = n.a;
	u128 mask = 0, offset = 0;

	if (n.op == MUSTER_OP_EXTRACT && !n.k && n.width < 16)
		mask = ((u128)1 << n.width) - 1;
	else if (n.op != MUSTER_OP_AND || !expr_is_const(m->p, n.b, &mask))
		return 0;
	if (from != p) {
		const struct expr_node sum = *expr_get(m->p, from);
		if (sum.op != MUSTER_OP_ADD || sum.a != p || !expr_is_const(m->p, sum.b, &offset))
			return 0;
	}
	return mask < align && !(offset & mask);
}

/* Is it less than 2^44, whatever its variables are? No object lies so near to the end of memory. */
static int is_small(struct called_maker *m, expr_t e, unsigned depth)
{
	const struct expr_node n = *expr_get(m->p, e);
	u128 v;

	if (expr_is_const(m->p, e, &v))
		return v <= UINT32_MAX;
	if (n.op == MUSTER_OP_ZEXT)
		return expr_width(m->p, n.a) <= 32;
	if (n.op == MUSTER_OP_SHL)
		return depth && expr_is_const(m->p, n.b, &v) && v <= 8 && expr_get(m->p, n.a)->op == MUSTER_OP_ZEXT && is_small(m, n.a, depth - 1);
	return n.op == MUSTER_OP_ADD && depth && is_small(m, n.a, depth - 1) && is_small(m, n.b, depth - 1);
}

/* p + small != 0: as p is not. */
static int is_not_zero(struct called_maker *m, expr_t e, expr_t p)
{
	struct expr_node n = *expr_get(m->p, e);
	u128 v;

	if (n.op != MUSTER_OP_XOR || n.width != 1 || !expr_is_const(m->p, n.b, NULL))
		return 0;
	n = *expr_get(m->p, n.a);
	if (n.op != MUSTER_OP_EQ || !expr_is_const(m->p, n.b, &v) || v || expr_get(m->p, n.a)->op != MUSTER_OP_ADD)
		return 0;
	n = *expr_get(m->p, n.a);
	return (n.a == p && is_small(m, n.b, 8)) || (n.b == p && is_small(m, n.a, 8));
}

/* What P says anyway: a pointer that was followed is not null. And checks of the compiler that say of a pointer alone what holds for every pointer to an object of its type: it is aligned, and the object does not lie across the end of memory. */
int called_is_layout(struct called_maker *m, const struct activation_step *s, expr_t e)
{
	struct expr_node n = *expr_get(m->p, e);
	struct site site;
	uint64_t align;
	uint32_t count;
	const expr_t *vars = expr_vars(m->p, e, &count);
	u128 v, w;

	expr_t p = EXPR_NONE;

	for (uint32_t i = 0; i < count && p == EXPR_NONE; i++)
		p = map_get(&m->followed, vars[i], &align) ? vars[i] : EXPR_NONE;
	if (p == EXPR_NONE)
		return 0;
	if (is_not_zero(m, e, p))
		return 1;
	if (count > 1 && n.op != MUSTER_OP_ULE)
		return 0;
	if (e == expr_not(m->p, expr_eq(m->p, p, expr_const(m->p, 64, 0))))
		return 1; /* as P has it */
	if (s->kind != MUSTER_EV_BRANCH || !site_find(m->r->sites, s->unit, s->index, &site) || !site.check)
		return 0;
	if (n.op == MUSTER_OP_EQ && expr_is_const(m->p, n.b, &v) && !v)
		return is_aligned(m, p, n.a, align);
	if (n.op == MUSTER_OP_ULE && n.a == p && expr_get(m->p, n.b)->op == MUSTER_OP_ADD) {
		const struct expr_node sum = *expr_get(m->p, n.b);
		return (sum.a == p && is_small(m, sum.b, 8)) || (sum.b == p && is_small(m, sum.a, 8));
	}
	if (n.op == MUSTER_OP_XOR && n.width == 1 && expr_is_const(m->p, n.b, NULL)) {
		n = *expr_get(m->p, n.a);
		return n.op == MUSTER_OP_EQ && n.a == p && expr_is_const(m->p, n.b, &w) && w >= (u128)1 << 48;
	}
	return 0;
}

/* ------------------------------------------------------------ addresses of the run */

static int is_address(const struct called_maker *m, uint64_t v)
{
	if (v < SMALL_ADDRESS)
		return 0;
	if (called_is_home(m, v))
		return 1;
	for (uint32_t i = 0; i < m->r->a->objects.size; i++)
		if (v - m->r->a->objects.data[i].base < m->r->a->objects.data[i].size)
			return 1;
	return 0;
}

struct looking {
	struct map seen;
	int found;
};

/* Is there an address of the run in the term? */
static void look_for_address(struct called_maker *m, expr_t e, struct looking *x)
{
	expr_t operands[3];
	u128 v;

	if (x->found || !map_set(&x->seen, e, 1))
		return;
	if (expr_is_const(m->p, e, &v)) {
		x->found = expr_width(m->p, e) == 64 && is_address(m, (uint64_t)v);
		return;
	}
	if (expr_get(m->p, e)->op == MUSTER_OP_DATA) {
		x->found = summary_is_table(m->p, e);
		return;
	}
	for (unsigned i = 0, n = expr_operands(m->p, e, operands); i < n; i++)
		look_for_address(m, operands[i], x);
}

int called_has_address(struct called_maker *m, expr_t e)
{
	struct looking x = {0};

	look_for_address(m, e, &x);
	map_release(&x.seen);
	return x.found;
}
