/* terms.c: what the conditions of a path speak of (terms.h). */
#include "contract/terms.h"

#include "base/mem.h"

#include <stdlib.h>

#define QUESTION_DEPTH 24 /* terms above each other in which a question is looked for: a switch has one for each case */
#define PRODUCT_TERMS 400 /* of a condition, among which a product is looked for */
#define CONSTANT_DEPTH 6 /* terms above each other in which constants are looked for */

int terms_meet(struct exprs *p, expr_t a, expr_t b)
{
	uint32_t n, m;
	const expr_t *x = expr_vars(p, a, &n), *y = expr_vars(p, b, &m);
	for (uint32_t i = 0, k = 0; i < n && k < m;) {
		if (x[i] == y[k])
			return 1;
		if (x[i] < y[k])
			i++;
		else
			k++;
	}
	return 0;
}

static int has(const expr_t *list, uint32_t n, expr_t x)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == x)
			return 1;
	return 0;
}

int terms_meet_own(struct exprs *p, expr_t a, expr_t without, expr_t b)
{
	uint32_t n, m, k;
	const expr_t *x = expr_vars(p, a, &n), *y = expr_vars(p, b, &m), *z = expr_vars(p, without, &k);
	for (uint32_t i = 0; i < n; i++)
		if (has(y, m, x[i]) && !has(z, k, x[i]))
			return 1;
	return 0;
}

/* An input byte, extended or not, or 0 where the string ends before it. */
static int is_byte_of(struct exprs *p, expr_t bytes, expr_t e)
{
	expr_t arms[3];
	u128 value;
	const struct expr_node *n = expr_get(p, e);
	while (n->op == MUSTER_OP_ZEXT || n->op == MUSTER_OP_SEXT || n->op == MUSTER_OP_ITE) {
		if (n->op == MUSTER_OP_ITE && expr_operands(p, e, arms) == 3)
			e = expr_is_const(p, arms[1], &value) && !value ? arms[2] : arms[1];
		else
			e = n->a;
		n = expr_get(p, e);
	}
	return n->op == MUSTER_OP_INPUT && terms_meet(p, bytes, e);
}

static int asks_zero(struct exprs *p, expr_t bytes, expr_t condition, unsigned depth)
{
	struct expr_node n = *expr_get(p, condition);
	u128 value;
	if (n.op == MUSTER_OP_EQ && (expr_is_const(p, n.b, &value) || expr_is_const(p, n.a, &value)))
		return !value && (is_byte_of(p, bytes, n.a) || is_byte_of(p, bytes, n.b));
	if (n.width != 1 || !depth || (n.op != MUSTER_OP_AND && n.op != MUSTER_OP_OR && n.op != MUSTER_OP_XOR))
		return 0;
	return asks_zero(p, bytes, n.a, depth - 1) || asks_zero(p, bytes, n.b, depth - 1);
}

int terms_ask_zero(struct exprs *p, expr_t bytes, expr_t condition)
{
	return terms_meet(p, bytes, condition) && asks_zero(p, bytes, condition, QUESTION_DEPTH);
}

/* Constants of a term, at most `room` of them, sign-extended. */
static size_t search_constants(const struct exprs *p, expr_t e, unsigned depth, uint64_t *out, size_t room)
{
	expr_t operands[3];
	u128 value;
	unsigned width = expr_width(p, e);
	if (!room)
		return 0;
	if (expr_is_const(p, e, &value)) {
		if (width < 8 || width > 64)
			return 0;
		out[0] = width < 64 && value >> (width - 1) & 1 ? (uint64_t)value | ~(uint64_t)0 << width : (uint64_t)value;
		return 1;
	}
	size_t found = 0;
	for (unsigned i = 0, n = depth ? expr_operands(p, e, operands) : 0; i < n; i++)
		found += search_constants(p, operands[i], depth - 1, out + found, room - found);
	return found;
}

/* *left: terms that may still be looked at, since a term may stand in many others. */
static int search_product(struct exprs *p, expr_t a, expr_t b, expr_t e, unsigned *left)
{
	expr_t arms[3];
	if (!*left || !terms_meet(p, a, e) || !terms_meet(p, b, e))
		return 0;
	--*left;
	unsigned n = expr_operands(p, e, arms);
	if (expr_get(p, e)->op == MUSTER_OP_MUL && n == 2 && ((terms_meet(p, a, arms[0]) && terms_meet(p, b, arms[1])) || (terms_meet(p, b, arms[0]) && terms_meet(p, a, arms[1]))))
		return 1;
	for (unsigned i = 0; i < n; i++)
		if (search_product(p, a, b, arms[i], left))
			return 1;
	return 0;
}

int terms_multiply(struct exprs *p, expr_t a, expr_t b, expr_t condition)
{
	unsigned left = PRODUCT_TERMS;
	return search_product(p, a, b, condition, &left);
}

size_t terms_constants(const struct exprs *p, expr_t e, uint64_t *out, size_t room)
{
	return search_constants(p, e, CONSTANT_DEPTH, out, room);
}

static void mark(struct exprs *p, expr_t e, uint8_t value, uint8_t *marks)
{
	uint32_t n;
	const expr_t *v = expr_vars(p, e, &n);
	for (uint32_t i = 0; i < n; i++)
		marks[v[i]] = value;
}

static int is_marked(struct exprs *p, expr_t e, const uint8_t *marks, const uint8_t *without)
{
	uint32_t n;
	const expr_t *v = e ? expr_vars(p, e, &n) : NULL;
	for (uint32_t i = 0; v && i < n; i++)
		if (marks[v[i]] && !without[v[i]])
			return 1;
	return 0;
}

void terms_looked(const struct entry *e, const expr_t *conditions, size_t count, uint8_t *looked)
{
	struct exprs *p = e->pool;
	uint8_t *marks = mem_zalloc(exprs_count(p) + 1), *without = mem_zalloc(exprs_count(p) + 1);
	for (size_t i = 0; i < count; i++)
		mark(p, conditions[i], 1, marks);
	for (size_t i = 0; i < e->places.size; i++) {
		const struct entry_place *x = &e->places.data[i];
		mark(p, x->there, 1, without);
		looked[i] |= is_marked(p, x->value, marks, without) || is_marked(p, x->set, marks, without) || is_marked(p, x->length, marks, without);
		mark(p, x->there, 0, without);
	}
	free(marks);
	free(without);
}
