/* gate.c: constructors of gates.
 *
 * Each constructor first folds (constants, equal and opposite operands, and for AND and
 * XOR one level of the operands' own operands), then brings operands and signs into
 * one order, then looks the gate up in the unique table. Invariant: no gate has a
 * constant operand, two operands of the same gate number, or a sign that could
 * stand on its output instead (XOR and XOR3 have unsigned operands, MAJ an unsigned first
 * operand, ITE an unsigned condition and an unsigned first choice).
 */
#include "solve/gate.h"
#include "base/hash.h"

#include <string.h>

void gates_init(struct gates *g)
{
	memset(g, 0, sizeof *g);
	vec_reserve(&g->v, 256);
	vec_push(&g->v, (struct gate){.op = GATE_CONST});
	g->cap = 512;
	g->table = mem_zalloc(g->cap * sizeof *g->table);
}

void gates_release(struct gates *g)
{
	vec_release(&g->v);
	vec_release(&g->conditions);
	vec_release(&g->definitions);
	free(g->table);
	g->table = NULL;
}

lit_t gate_free(struct gates *g)
{
	vec_push(&g->v, (struct gate){.op = GATE_FREE});
	return (lit_t)(g->v.size - 1) << 1;
}

uint32_t gate_define(struct gates *g)
{
	vec_push(&g->definitions, (uint32_t)g->conditions.size);
	return (uint32_t)g->definitions.size - 1;
}

lit_t gate_free_in(struct gates *g, uint32_t definition)
{
	lit_t x = gate_free(g);

	g->v.data[lit_gate(x)].a = definition + 1;
	return x;
}

void gate_require(struct gates *g, lit_t condition)
{
	if (condition != LIT_TRUE)
		vec_push(&g->conditions, condition);
}

const lit_t *gate_conditions(const struct gates *g, uint32_t definition, uint32_t *count)
{
	uint32_t from = g->definitions.data[definition];
	size_t to = definition + 1 < g->definitions.size ? g->definitions.data[definition + 1]
							 : g->conditions.size;

	*count = (uint32_t)(to - from);
	return g->conditions.data + from;
}

/* ------------------------------------------------------------ unique table */
static inline uint32_t gate_slot(const struct gates *g, unsigned op, lit_t a, lit_t b, lit_t c)
{
	uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15ull;

	h ^= ((uint64_t)c << 3 | op) * 0xc2b2ae3d27d4eb4full;
	return (uint32_t)((h ^ h >> 29) * 0x165667b19e3779f9ull >> 32) & (g->cap - 1);
}

static void gate_grow(struct gates *g)
{
	uint32_t *old = g->table, cap = g->cap;

	g->cap = 2 * cap;
	g->table = mem_zalloc(g->cap * sizeof *g->table);
	for (uint32_t i = 0; i < cap; i++) {
		const struct gate *x = &g->v.data[old[i]];
		uint32_t at;

		if (!old[i])
			continue;
		at = gate_slot(g, x->op, x->a, x->b, x->c);
		while (g->table[at])
			at = (at + 1) & (g->cap - 1);
		g->table[at] = old[i];
	}
	free(old);
}

static void gate_use(struct gates *g, lit_t x)
{
	struct gate *y = &g->v.data[lit_gate(x)];

	y->shared = y->used;
	y->used = 1;
}

static lit_t gate_make(struct gates *g, enum gate_op op, lit_t a, lit_t b, lit_t c)
{
	uint32_t at = gate_slot(g, op, a, b, c), id;

	for (; (id = g->table[at]); at = (at + 1) & (g->cap - 1)) {
		const struct gate *x = &g->v.data[id];

		if (x->a == a && x->b == b && x->c == c && x->op == op)
			return id << 1;
	}
	id = (uint32_t)g->v.size;
	vec_push(&g->v, (struct gate){.op = (uint8_t)op, .a = a, .b = b, .c = c});
	gate_use(g, a);
	gate_use(g, b);
	if (op >= GATE_XOR3)
		gate_use(g, c);
	g->table[at] = id;
	if (++g->hashed > g->cap / 2)
		gate_grow(g);
	return id << 1;
}

/* ------------------------------------------------------------ constructors */
#define SWAP(x, y)            \
	do {                  \
		lit_t t_ = x; \
		x = y;        \
		y = t_;       \
	} while (0)

/* a & b where b is an AND gate (or its negation) with a operand of a; LIT_NONE: no such luck. */
static lit_t and_look(struct gates *g, lit_t a, lit_t b)
{
	struct gate x = g->v.data[lit_gate(b)];

	if (x.op != GATE_AND)
		return LIT_NONE;
	if (!lit_sign(b)) {
		if (x.a == a || x.b == a)
			return b;
		if (x.a == lit_not(a) || x.b == lit_not(a))
			return LIT_FALSE;
		return LIT_NONE;
	}
	if (x.a == lit_not(a) || x.b == lit_not(a))
		return a;
	if (x.a == a)
		return gate_and(g, a, lit_not(x.b));
	if (x.b == a)
		return gate_and(g, a, lit_not(x.a));
	return LIT_NONE;
}

lit_t gate_and(struct gates *g, lit_t a, lit_t b)
{
	lit_t r;

	if (a > b)
		SWAP(a, b);
	if (lit_is_const(a))
		return a == LIT_TRUE ? b : LIT_FALSE;
	if (lit_gate(a) == lit_gate(b))
		return a == b ? a : LIT_FALSE;
	r = and_look(g, a, b);
	if (r != LIT_NONE)
		return r;
	return gate_make(g, GATE_AND, a, b, 0);
}

lit_t gate_xor(struct gates *g, lit_t a, lit_t b)
{
	lit_t sign = (a ^ b) & 1;
	const struct gate *x;

	a &= ~1u;
	b &= ~1u;
	if (a > b)
		SWAP(a, b);
	if (a == LIT_FALSE)
		return b ^ sign;
	if (a == b)
		return sign;
	x = &g->v.data[lit_gate(b)];
	if (x->op == GATE_XOR && (x->a == a || x->b == a))
		return (x->a == a ? x->b : x->a) ^ sign;
	return gate_make(g, GATE_XOR, a, b, 0) ^ sign;
}

lit_t gate_xor3(struct gates *g, lit_t a, lit_t b, lit_t c)
{
	lit_t sign = (a ^ b ^ c) & 1;

	a &= ~1u;
	b &= ~1u;
	c &= ~1u;
	if (a > b)
		SWAP(a, b);
	if (b > c)
		SWAP(b, c);
	if (a > b)
		SWAP(a, b);
	if (a == LIT_FALSE)
		return gate_xor(g, b, c) ^ sign;
	if (a == b)
		return c ^ sign;
	if (b == c)
		return a ^ sign;
	return gate_make(g, GATE_XOR3, a, b, c) ^ sign;
}

lit_t gate_maj(struct gates *g, lit_t a, lit_t b, lit_t c)
{
	lit_t sign;

	if (a > b)
		SWAP(a, b);
	if (b > c)
		SWAP(b, c);
	if (a > b)
		SWAP(a, b);
	if (a == LIT_FALSE)
		return gate_and(g, b, c);
	if (a == LIT_TRUE)
		return gate_or(g, b, c);
	if (lit_gate(a) == lit_gate(b))
		return a == b ? a : c;
	if (lit_gate(b) == lit_gate(c))
		return b == c ? b : a;
	sign = a & 1;
	return gate_make(g, GATE_MAJ, a ^ sign, b ^ sign, c ^ sign) ^ sign;
}

lit_t gate_ite(struct gates *g, lit_t s, lit_t a, lit_t b)
{
	lit_t sign;

	if (lit_is_const(s))
		return s == LIT_TRUE ? a : b;
	if (lit_sign(s)) {
		s = lit_not(s);
		SWAP(a, b);
	}
	if (a == b)
		return a;
	if (a == lit_not(b))
		return gate_xor(g, s, b);
	if (lit_is_const(a) || lit_gate(a) == lit_gate(s)) /* a is true, or false, where s is */
		return a == LIT_TRUE || a == s ? gate_or(g, s, b) : gate_and(g, lit_not(s), b);
	if (lit_is_const(b) || lit_gate(b) == lit_gate(s))
		return b == LIT_FALSE || b == s ? gate_and(g, s, a) : gate_or(g, lit_not(s), a);
	sign = a & 1;
	return gate_make(g, GATE_ITE, s, a ^ sign, b ^ sign) ^ sign;
}
