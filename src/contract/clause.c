/* clause.c: the language of contracts, as values, as terms and as C.
 *
 * Comparisons are C's: a number beside len(), which is unsigned long, is converted to it, so that -1 <= len(p) does not hold; two numbers are only compared if they have one sign.
 */
#include "contract/clause.h"

#include "contract/every.h"

#include <inttypes.h>
#include <string.h>

static const struct {
	unsigned cost;
	enum clause_class class;
} rows[] = {
#define X(name, cost, class) {cost, class},
    CLAUSE_OPS(X)
#undef X
};

static int has_two(enum clause_op op)
{
	return op == CLAUSE_WITHIN || op == CLAUSE_BELOW || op == CLAUSE_SUM || op == CLAUSE_AREA || op == CLAUSE_LE || op == CLAUSE_LT || op == CLAUSE_NE || op == CLAUSE_FITS || op == CLAUSE_DISTINCT || op == CLAUSE_ORDERED;
}

int clause_has_third(enum clause_op op)
{
	return op == CLAUSE_SUM || op == CLAUSE_AREA;
}

unsigned clause_cost(const struct clause *c)
{
	unsigned cost = 0;
	for (unsigned i = 0; i < c->count; i++)
		cost += rows[c->part[i].op].cost + 2 * i + (c->part[i].op == CLAUSE_TREE ? (unsigned)c->part[i].k : 0);
	return cost;
}

enum clause_class clause_class(const struct entry *e, const struct clause *c)
{
	const struct entry_place *a = &e->places.data[c->part[0].a], *b = &e->places.data[c->part[0].b];
	if ((c->part[0].op == CLAUSE_LE || c->part[0].op == CLAUSE_LT) && a->in_struct && b->in_struct && a->parent == b->parent && a->index == b->index)
		return CLAUSE_LENGTH;
	return rows[c->part[0].op].class;
}

/* ------------------------------------------------------------------ values */

static int literal_holds(const struct entry *e, const struct clause_literal *l, const struct clause_value *v)
{
	const struct clause_value *a = &v[l->a], *b = &v[l->b];
	int64_t sum;
	int is_signed = e->places.data[l->a].is_signed;
	if (!a->there || (has_two(l->op) && !b->there) || (clause_has_third(l->op) && !v[l->k].there))
		return 1;
	switch (l->op) {
	case CLAUSE_SET: return a->set;
	case CLAUSE_CLEAR:
	case CLAUSE_BEFORE: return !a->set;
	case CLAUSE_LONG: return a->length >= l->k;
	case CLAUSE_WITHIN: return a->value <= b->length;
	case CLAUSE_BELOW: return a->value < b->length;
	case CLAUSE_SUM: return a->value <= b->length && v[l->k].value <= b->length - a->value;
	case CLAUSE_AREA: return !((a->value | v[l->k].value) >> 32) && a->value * v[l->k].value <= b->length;
	case CLAUSE_ENDED: return !a->set || a->ended;
	case CLAUSE_ORDERED: return a->set == b->set && (!a->set || (a->object == b->object && a->length >= b->length));
	case CLAUSE_EVERY:
	case CLAUSE_APART:
	case CLAUSE_TREE: return a->value != 0;
	case CLAUSE_DISTINCT: return !a->set || !b->set || a->object != b->object;
	case CLAUSE_ZERO: return a->value == 0;
	case CLAUSE_EQUAL: return a->value == l->k;
	case CLAUSE_NONZERO: return a->value != 0;
	case CLAUSE_POSITIVE: return (int64_t)a->value > 0;
	case CLAUSE_NATURAL: return (int64_t)a->value >= 0;
	case CLAUSE_NOTABOVE: return (int64_t)a->value <= 0;
	case CLAUSE_MOST: return is_signed ? (int64_t)a->value <= (int64_t)l->k : a->value <= l->k;
	case CLAUSE_LEAST: return is_signed ? (int64_t)a->value >= (int64_t)l->k : a->value >= l->k;
	case CLAUSE_LE: return is_signed ? (int64_t)a->value <= (int64_t)b->value : a->value <= b->value;
	case CLAUSE_LT: return is_signed ? (int64_t)a->value < (int64_t)b->value : a->value < b->value;
	case CLAUSE_NE: return a->value != b->value;
	case CLAUSE_FITS: return !__builtin_add_overflow((int64_t)a->value, (int64_t)b->value, &sum);
	case CLAUSE_OP_COUNT: break;
	}
	return 1;
}

int clause_holds(const struct entry *e, const struct clause *c, const struct clause_value *values)
{
	for (unsigned i = 0; i < c->count; i++)
		if (literal_holds(e, &c->part[i], values))
			return 1;
	return 0;
}

/* ------------------------------------------------------------------- terms */

/* product(a, c) <= len(b): where one of them is 0, or neither is larger than the length, which is short enough for a product of half the bits (CLAUSE_AREA_MOST). */
static expr_t area_term(const struct entry *e, const struct clause_literal *l)
{
	struct exprs *p = e->pool;
	expr_t a = e->places.data[l->a].value, c = e->places.data[l->k].value, n = e->places.data[l->b].length, zero = expr_const(p, 64, 0);
	expr_t short_of = expr_and(p, expr_binary(p, MUSTER_OP_ULE, a, n), expr_binary(p, MUSTER_OP_ULE, c, n));
	expr_t product = expr_binary(p, MUSTER_OP_MUL, expr_zext(p, expr_extract(p, a, 0, 16), 32), expr_zext(p, expr_extract(p, c, 0, 16), 32));
	expr_t fits = expr_binary(p, MUSTER_OP_ULE, expr_zext(p, product, 64), n);
	expr_t narrow = expr_eq(p, expr_extract(p, expr_binary(p, MUSTER_OP_OR, a, c), 32, 32), expr_const(p, 32, 0));
	return expr_and(p, narrow, expr_or(p, expr_or(p, expr_eq(p, a, zero), expr_eq(p, c, zero)), expr_and(p, short_of, fits)));
}

static expr_t literal_term(const struct entry *e, const struct clause_literal *l)
{
	struct exprs *p = e->pool;
	const struct entry_place *a = &e->places.data[l->a], *b = &e->places.data[l->b];
	expr_t zero = expr_const(p, 64, 0), t = EXPR_NONE;
	switch (l->op) {
	case CLAUSE_SET: t = a->set; break;
	case CLAUSE_CLEAR:
	case CLAUSE_BEFORE: t = expr_not(p, a->set); break;
	case CLAUSE_LONG: t = expr_binary(p, MUSTER_OP_ULE, expr_const(p, 64, l->k), a->length); break;
	case CLAUSE_WITHIN: t = expr_binary(p, MUSTER_OP_ULE, a->value, b->length); break;
	case CLAUSE_BELOW: t = expr_binary(p, MUSTER_OP_ULT, a->value, b->length); break;
	case CLAUSE_SUM:
		t = expr_and(p, expr_binary(p, MUSTER_OP_ULE, a->value, b->length),
			     expr_binary(p, MUSTER_OP_ULE, e->places.data[l->k].value, expr_binary(p, MUSTER_OP_SUB, b->length, a->value)));
		break;
	case CLAUSE_AREA: t = area_term(e, l); break;
	case CLAUSE_ENDED: t = expr_or(p, expr_not(p, a->set), a->ended); break;
	case CLAUSE_ORDERED:
		t = expr_and(p, expr_and(p, a->set, b->set), expr_and(p, expr_eq(p, a->object, b->object), expr_binary(p, MUSTER_OP_ULE, b->length, a->length)));
		t = expr_or(p, t, expr_and(p, expr_not(p, a->set), expr_not(p, b->set)));
		break;
	case CLAUSE_EVERY:
	case CLAUSE_APART: t = every_term(e, a); break;
	case CLAUSE_TREE: t = shape_term(p, &e->shapes.data[a->shape]); break;
	case CLAUSE_DISTINCT: t = expr_not(p, expr_and(p, expr_and(p, a->set, b->set), expr_eq(p, a->object, b->object))); break;
	case CLAUSE_ZERO: t = expr_eq(p, a->value, zero); break;
	case CLAUSE_EQUAL: t = expr_eq(p, a->value, expr_const(p, 64, l->k)); break;
	case CLAUSE_NONZERO: t = expr_not(p, expr_eq(p, a->value, zero)); break;
	case CLAUSE_POSITIVE: t = expr_binary(p, MUSTER_OP_SLT, zero, a->value); break;
	case CLAUSE_NATURAL: t = expr_binary(p, MUSTER_OP_SLE, zero, a->value); break;
	case CLAUSE_NOTABOVE: t = expr_binary(p, MUSTER_OP_SLE, a->value, zero); break;
	case CLAUSE_MOST: t = expr_binary(p, a->is_signed ? MUSTER_OP_SLE : MUSTER_OP_ULE, a->value, expr_const(p, 64, l->k)); break;
	case CLAUSE_LEAST: t = expr_binary(p, a->is_signed ? MUSTER_OP_SLE : MUSTER_OP_ULE, expr_const(p, 64, l->k), a->value); break;
	case CLAUSE_LE: t = expr_binary(p, a->is_signed ? MUSTER_OP_SLE : MUSTER_OP_ULE, a->value, b->value); break;
	case CLAUSE_LT: t = expr_binary(p, a->is_signed ? MUSTER_OP_SLT : MUSTER_OP_ULT, a->value, b->value); break;
	case CLAUSE_NE: t = expr_not(p, expr_eq(p, a->value, b->value)); break;
	case CLAUSE_FITS: { /* the sum has the sign of one of them */
		expr_t sum = expr_binary(p, MUSTER_OP_ADD, a->value, b->value);
		t = expr_binary(p, MUSTER_OP_AND, expr_binary(p, MUSTER_OP_XOR, a->value, sum), expr_binary(p, MUSTER_OP_XOR, b->value, sum));
		t = expr_binary(p, MUSTER_OP_SLE, zero, t);
		break;
	}
	case CLAUSE_OP_COUNT: break;
	}
	expr_t there = has_two(l->op) ? expr_and(p, a->there, b->there) : a->there;
	if (clause_has_third(l->op))
		there = expr_and(p, there, e->places.data[l->k].there);
	return expr_or(p, expr_not(p, there), t);
}

expr_t clause_term(const struct entry *e, const struct clause *c)
{
	expr_t t = expr_false(e->pool);
	for (unsigned i = 0; i < c->count; i++)
		t = expr_or(e->pool, t, literal_term(e, &c->part[i]));
	return t;
}

expr_t clause_edge(const struct entry *e, const struct clause *c)
{
	const struct clause_literal *l = &c->part[0];
	const struct entry_place *a = &e->places.data[l->a], *b = &e->places.data[l->b];
	struct exprs *p = e->pool;
	expr_t one = expr_const(p, 64, 1), number = a->value, bound = EXPR_NONE;
	switch (l->op) {
	case CLAUSE_WITHIN: bound = expr_binary(p, MUSTER_OP_ADD, b->length, one); break;
	case CLAUSE_BELOW: bound = b->length; break;
	case CLAUSE_LE: bound = expr_binary(p, MUSTER_OP_ADD, b->value, one); break;
	case CLAUSE_LT: bound = b->value; break;
	case CLAUSE_SUM:
		number = expr_binary(p, MUSTER_OP_ADD, a->value, e->places.data[l->k].value);
		bound = expr_binary(p, MUSTER_OP_ADD, b->length, one);
		break;
	case CLAUSE_AREA:
		number = expr_binary(p, MUSTER_OP_MUL, a->value, e->places.data[l->k].value);
		bound = expr_binary(p, MUSTER_OP_ADD, b->length, one);
		break;
	case CLAUSE_EVERY: /* some number is one too large, and none more */
		bound = every_slack_term(e, a);
		return bound ? expr_and(p, bound, expr_not(p, every_term(e, a))) : EXPR_NONE;
	default: return EXPR_NONE;
	}
	return expr_and(p, expr_eq(p, number, bound), expr_not(p, clause_term(e, c)));
}

/* ---------------------------------------------------------------------- C */

static void literal_text(const struct entry *e, const struct clause_literal *l, struct buf *out)
{
	const char *a = e->places.data[l->a].text, *b = e->places.data[l->b].text;
	int is_signed = e->places.data[l->a].is_signed;
	switch (l->op) {
	case CLAUSE_SET: buf_addf(out, "%s != NULL", a); break;
	case CLAUSE_CLEAR: buf_addf(out, "%s == NULL", a); break;
	case CLAUSE_LONG: buf_addf(out, "len(%s) >= %" PRIu64, a, l->k); break;
	case CLAUSE_BEFORE: buf_addf(out, "before(%s) >= %" PRIu64, a, l->k); break;
	case CLAUSE_WITHIN: buf_addf(out, "%s <= len(%s)", a, b); break;
	case CLAUSE_BELOW: buf_addf(out, "%s < len(%s)", a, b); break;
	case CLAUSE_SUM: buf_addf(out, "(%s <= len(%s) && %s <= len(%s) - %s)", a, b, e->places.data[l->k].text, b, a); break;
	case CLAUSE_AREA: buf_addf(out, "product(%s, %s) <= len(%s)", a, e->places.data[l->k].text, b); break;
	case CLAUSE_ENDED: buf_addf(out, "terminated(%s)", a); break;
	case CLAUSE_ORDERED: buf_addf(out, "ordered(%s, %s)", a, b); break;
	case CLAUSE_EVERY:
	case CLAUSE_APART:
	case CLAUSE_TREE: buf_adds(out, a); break;
	case CLAUSE_DISTINCT: buf_addf(out, "distinct(%s, %s)", a, b); break;
	case CLAUSE_ZERO: buf_addf(out, "%s == 0", a); break;
	case CLAUSE_NONZERO: buf_addf(out, "%s != 0", a); break;
	case CLAUSE_POSITIVE: buf_addf(out, "%s > 0", a); break;
	case CLAUSE_NATURAL: buf_addf(out, "%s >= 0", a); break;
	case CLAUSE_NOTABOVE: buf_addf(out, "%s <= 0", a); break;
	case CLAUSE_EQUAL:
	case CLAUSE_MOST:
	case CLAUSE_LEAST:
		buf_addf(out, "%s %s ", a, l->op == CLAUSE_EQUAL ? "==" : l->op == CLAUSE_MOST ? "<=" : ">=");
		if (is_signed)
			buf_addf(out, "%" PRId64, (int64_t)l->k);
		else
			buf_addf(out, "%" PRIu64 "%s", l->k, l->k > INT64_MAX ? "u" : "");
		break;
	case CLAUSE_LE: buf_addf(out, "%s <= %s", a, b); break;
	case CLAUSE_LT: buf_addf(out, "%s < %s", a, b); break;
	case CLAUSE_NE: buf_addf(out, "%s != %s", a, b); break;
	case CLAUSE_FITS: buf_addf(out, "(%s >= 0 ? %s <= %" PRId64 " - %s : %s >= -%" PRId64 " - 1 - %s)", a, b, INT64_MAX, a, b, INT64_MAX, a); break;
	case CLAUSE_OP_COUNT: break;
	}
}

/* "p == NULL || " for each pointer in front of the place that may be null, the outermost first, and "i >= len(p) || " for what is p[i]'s. said: those that stand there already. */
static void add_guards(const struct entry *e, uint32_t place, const uint8_t *known, uint32_t *said, struct buf *out)
{
	uint32_t parent = e->places.data[place].parent;
	if (parent == ENTRY_NONE)
		return;
	add_guards(e, parent, known, said, out);
	if (!(known && known[parent]) && !said[parent])
		buf_addf(out, "%s == NULL || ", e->places.data[parent].text);
	said[parent] += !said[parent];
	uint32_t index = e->places.data[place].index;
	if (index != ENTRY_NONE && said[parent] != 2 + index)
		buf_addf(out, "%s >= len(%s) || ", e->places.data[index].text, e->places.data[parent].text);
	if (index != ENTRY_NONE)
		said[parent] = 2 + index;
}

void clause_text(const struct entry *e, const struct clause *c, const uint8_t *known, struct buf *out)
{
	uint32_t *said = mem_zalloc((e->places.size + 1) * sizeof *said); /* 1: that it is null; 2 + i: and that i is too large for it */
	for (unsigned i = c->count; i-- > 0;) { /* the guard first */
		add_guards(e, c->part[i].a, known, said, out);
		if (has_two(c->part[i].op))
			add_guards(e, c->part[i].b, known, said, out);
		if (clause_has_third(c->part[i].op))
			add_guards(e, (uint32_t)c->part[i].k, known, said, out);
		if (c->part[i].op == CLAUSE_BEFORE && !(known && known[c->part[i].a]))
			buf_addf(out, "%s == NULL || ", e->places.data[c->part[i].a].text);
	}
	for (unsigned i = c->count; i-- > 0;) {
		literal_text(e, &c->part[i], out);
		buf_adds(out, i ? " || " : "");
	}
	free(said);
}
