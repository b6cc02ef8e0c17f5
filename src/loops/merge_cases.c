/* merge_cases.c: values that can be few numbers, as a condition for each of them (loop_merge.h).
 *
 * A count after n choices is one of n + 1 numbers. As a sum of bits, a solver learns nothing about
 * a choice from `count == 7` before it has decided almost all others. With a condition for each
 * number (the count is 7 if it was 6 and this byte matches, or it was 7 and it does not) every
 * choice that is made tells at once what is left, as in an automaton. So such terms have a list of
 * cases: numbers, ascending, with conditions of which exactly one holds for each input. Choices
 * unite lists, operators combine each with each, and a comparison is the sum of the conditions that
 * it holds for.
 */
#include "base/limit.h"
#include "loops/merge_inside.h"

#include <string.h>

#define CASES LIMIT(72, 2) /* cases that one term is split into: bounds the work for each | 64 values and some: a table of characters */
#define PAIRS LIMIT(1300, 2) /* pairs of cases that are combined | 36 by 36: half of CASES each */
#define DEEPEST LIMIT(4, 1) /* operators above lists that exist already | lists are made bottom up: one operator is usual */

struct list {
	struct merge_case of[CASES];
	unsigned count;
};

static int64_t as_signed(u128 value, unsigned width)
{
	return (int64_t)((uint64_t)value << (64 - width)) >> (64 - width);
}

/* One more; equal numbers become one case. 0: too many. */
static int add(struct merge *m, struct list *l, int64_t value, expr_t guard)
{
	unsigned at = 0;
	u128 never;
	if (expr_is_const(m->pool, guard, &never) && !never)
		return 1;
	while (at < l->count && l->of[at].value < value)
		at++;
	if (at < l->count && l->of[at].value == value) {
		l->of[at].guard = expr_or(m->pool, l->of[at].guard, guard);
		return 1;
	}
	if (l->count == CASES)
		return 0;
	memmove(&l->of[at + 1], &l->of[at], (l->count - at) * sizeof *l->of);
	l->of[at] = (struct merge_case){value, guard};
	l->count++;
	return 1;
}

static int cases_of(struct merge *m, expr_t e, unsigned depth, struct list *out);

static int chosen(struct merge *m, const struct expr_node *n, unsigned depth, struct list *out)
{
	struct list a, b;
	if (!cases_of(m, n->b, depth - 1, &a) || !cases_of(m, n->c, depth - 1, &b))
		return 0;
	expr_t not = expr_not(m->pool, n->a);
	for (unsigned i = 0; i < a.count; i++)
		if (!add(m, out, a.of[i].value, expr_and(m->pool, n->a, a.of[i].guard)))
			return 0;
	for (unsigned i = 0; i < b.count; i++)
		if (!add(m, out, b.of[i].value, expr_and(m->pool, not, b.of[i].guard)))
			return 0;
	return 1;
}

/* Each with each: the operator of two constants is a constant. */
static int combined(struct merge *m, const struct expr_node *n, unsigned depth, struct list *out)
{
	struct list a, b;
	u128 value;
	if (!cases_of(m, n->a, depth - 1, &a) || !cases_of(m, n->b, depth - 1, &b) ||
	    a.count * b.count > PAIRS)
		return 0;
	unsigned width = expr_width(m->pool, n->a);
	for (unsigned i = 0; i < a.count; i++)
		for (unsigned k = 0; k < b.count; k++) {
			expr_t e =
			    expr_binary(m->pool, n->op,
					expr_const(m->pool, width, (u128)(uint64_t)a.of[i].value),
					expr_const(m->pool, width, (u128)(uint64_t)b.of[k].value));
			if (!expr_is_const(m->pool, e, &value) ||
			    !add(m, out, as_signed(value, n->width),
				 expr_and(m->pool, a.of[i].guard, b.of[k].guard)))
				return 0;
		}
	return 1;
}

static int converted(struct merge *m, const struct expr_node *n, unsigned depth, struct list *out)
{
	struct list a;
	unsigned from = expr_width(m->pool, n->a);
	if (from == 1 && n->op != MUSTER_OP_EXTRACT)
		return add(m, out, 0, expr_not(m->pool, n->a)) &&
		       add(m, out, n->op == MUSTER_OP_ZEXT ? 1 : -1, n->a);
	if (from < 2 || from > 64 || !cases_of(m, n->a, depth - 1, &a))
		return 0;
	for (unsigned i = 0; i < a.count; i++) {
		int64_t v = a.of[i].value;
		if (n->op == MUSTER_OP_ZEXT && v < 0)
			v += (int64_t)1 << from;
		else if (n->op == MUSTER_OP_EXTRACT)
			v = as_signed((u128)(uint64_t)(v >> n->k), n->width);
		if (!add(m, out, v, a.of[i].guard))
			return 0;
	}
	return 1;
}

/* 1: it has a list. */
static int cases_of(struct merge *m, expr_t e, unsigned depth, struct list *out)
{
	const struct expr_node n = *expr_get(m->pool, e);
	uint64_t at;
	u128 value;
	out->count = 0;
	if (n.width < 2 || n.width > 64)
		return 0;
	if (expr_is_const(m->pool, e, &value))
		return add(m, out, as_signed(value, n.width), expr_true(m->pool));
	if (map_get(&m->cases, e, &at)) {
		out->count = (unsigned)(at & 0xff);
		if (out->count)
			memcpy(out->of, &m->case_list.data[at >> 8], out->count * sizeof *out->of);
		return out->count != 0;
	}
	if (!depth)
		return 0;
	switch (n.op) {
	case MUSTER_OP_ITE:
		return chosen(m, &n, depth, out);
	case MUSTER_OP_ZEXT:
		return expr_width(m->pool, n.a) < 62 && converted(m, &n, depth, out);
	case MUSTER_OP_SEXT:
	case MUSTER_OP_EXTRACT:
		return converted(m, &n, depth, out);
	case MUSTER_OP_ADD:
	case MUSTER_OP_SUB:
	case MUSTER_OP_MUL:
	case MUSTER_OP_AND:
	case MUSTER_OP_OR:
	case MUSTER_OP_XOR:
	case MUSTER_OP_SHL:
	case MUSTER_OP_LSHR:
	case MUSTER_OP_ASHR:
	case MUSTER_OP_UDIV:
	case MUSTER_OP_UREM:
		return combined(m, &n, depth, out);
	default:
		return 0;
	}
}

void merge_note_cases(struct merge *m, expr_t from, expr_t e)
{
	struct list l;
	if (!m->by_cases || expr_is_const(m->pool, e, NULL) || map_get(&m->cases, e, NULL))
		return;
	if (!cases_of(m, from, DEEPEST, &l))
		l.count = 0; /* it is not looked for again */
	map_set(&m->cases, e, (uint64_t)m->case_list.size << 8 | l.count);
	for (unsigned i = 0; i < l.count; i++)
		vec_push(&m->case_list, l.of[i]);
}

size_t merge_cases(struct merge *m, expr_t e, struct merge_case *out, size_t most)
{
	struct list l;
	if (!m->by_cases || !cases_of(m, e, DEEPEST, &l) || l.count > most)
		return 0;
	memcpy(out, l.of, l.count * sizeof *l.of);
	return l.count;
}

static int holds(unsigned op, int64_t a, int64_t b, unsigned width)
{
	uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : ~0ull, x = (uint64_t)a & mask,
		 y = (uint64_t)b & mask;
	switch (op) {
	case MUSTER_OP_EQ:
		return a == b;
	case MUSTER_OP_SLT:
		return a < b;
	case MUSTER_OP_SLE:
		return a <= b;
	case MUSTER_OP_ULT:
		return x < y;
	default:
		return x <= y;
	}
}

expr_t merge_compare(struct merge *m, expr_t e)
{
	const struct expr_node n = *expr_get(m->pool, e);
	struct list a, b;
	u128 one;
	if (n.width != 1 || !m->by_cases)
		return e;
	if (n.op == MUSTER_OP_XOR && expr_is_const(m->pool, n.b, &one) && one)
		return expr_not(m->pool, merge_compare(m, n.a));
	if (n.op != MUSTER_OP_EQ && n.op != MUSTER_OP_SLT && n.op != MUSTER_OP_SLE &&
	    n.op != MUSTER_OP_ULT && n.op != MUSTER_OP_ULE)
		return e;
	if (!cases_of(m, n.a, DEEPEST, &a) || !cases_of(m, n.b, DEEPEST, &b) ||
	    a.count * b.count > 2 * PAIRS)
		return e;
	expr_t any = expr_false(m->pool);
	for (unsigned i = 0; i < a.count; i++) {
		expr_t with = expr_false(m->pool);
		unsigned n_true = 0;
		for (unsigned k = 0; k < b.count; k++)
			if (holds(n.op, a.of[i].value, b.of[k].value, expr_width(m->pool, n.a))) {
				with = expr_or(m->pool, with, b.of[k].guard);
				n_true++;
			}
		if (n_true == b.count)
			with = expr_true(m->pool);
		any = expr_or(m->pool, any, expr_and(m->pool, a.of[i].guard, with));
	}
	return any;
}
