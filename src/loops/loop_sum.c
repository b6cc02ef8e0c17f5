/* loop_sum.c: sums in one form.
 *
 * The constructors of expressions keep sums as they were made; whether x + 2 - (x - n) - n is 2 is
 * left to a solver, which for bits is work. Here a term is taken apart into constant + sum of
 * factor * atom modulo 2^width: through additions, products (of two sums: each summand with each), concatenations (which
 * shift their upper part), cuts, and choices: c ? a : b is b + (a - b) * c if a - b is constant. An
 * atom is anything else, without a cut of its upper bits, since only the lower ones matter. Put
 * together again in the order of the atoms' ids.
 */
#include "loops/loop_sum.h"

#include "base/limit.h"
#include "base/vec.h"

#define DEEPEST LIMIT(60, 4) /* operators above each other in a sum | recursion depth */
#define MOST_ATOMS LIMIT(24, 2) /* summands of one sum over a loop; one with more is not used | a longer sum is seldom a bound that helps */

#define MOST_FACTORS LIMIT(6, 1) /* summands of a product of two sums, which else stays one | bounds the sum: two by three */
#define FACTOR_DEPTH LIMIT(6, 1) /* operators above each other in a factor | a square of a square is looked at twice at each: 64 times */

struct part {
	expr_t atom;
	uint64_t factor;
};

struct sum {
	struct exprs *pool;
	unsigned width;
	uint64_t constant;
	unsigned count;
	int full; /* too many atoms */
	struct part parts[MOST_ATOMS];
};

static void add(struct sum *s, expr_t e, uint64_t factor, unsigned depth);

static uint64_t cut(uint64_t x, unsigned width)
{
	return width >= 64 ? x : x & ((1ull << width) - 1);
}

static void add_atom(struct sum *s, expr_t e, uint64_t factor)
{
	struct expr_node n = *expr_get(s->pool, e);
	unsigned i = 0;
	u128 one;
	if (n.op == MUSTER_OP_ZEXT) { /* as it is put together again */
		add_atom(s, n.a, factor);
		return;
	}
	if (n.width == 1 && n.op == MUSTER_OP_XOR && expr_is_const(s->pool, n.b, &one) &&
	    one) { /* not */
		s->constant += factor;
		add_atom(s, n.a, -factor);
		return;
	}
	while (i < s->count && s->parts[i].atom < e)
		i++;
	if (i < s->count && s->parts[i].atom == e) {
		s->parts[i].factor = cut(s->parts[i].factor + factor, s->width);
		if (!s->parts[i].factor) {
			s->count--;
			for (; i < s->count; i++)
				s->parts[i] = s->parts[i + 1];
		}
		return;
	}
	factor = cut(factor, s->width);
	if (!factor)
		return;
	if (s->count == MOST_ATOMS) {
		s->full = 1;
		return;
	}
	for (unsigned k = s->count++; k > i; k--)
		s->parts[k] = s->parts[k - 1];
	s->parts[i] = (struct part){e, factor};
}

static expr_t resized(struct exprs *p, expr_t e, unsigned width)
{
	unsigned w = expr_width(p, e);
	return w > width ? expr_extract(p, e, 0, width) : w < width ? expr_zext(p, e, width) : e;
}

static expr_t together(const struct sum *s)
{
	struct exprs *p = s->pool;
	expr_t e = EXPR_NONE;
	for (unsigned i = 0; i < s->count; i++) {
		expr_t x = expr_binary(p, MUSTER_OP_MUL, resized(p, s->parts[i].atom, s->width),
				       expr_const(p, s->width, s->parts[i].factor));
		e = e == EXPR_NONE ? x : expr_binary(p, MUSTER_OP_ADD, e, x);
	}
	expr_t c = expr_const(p, s->width, cut(s->constant, s->width));
	return e == EXPR_NONE ? c : expr_binary(p, MUSTER_OP_ADD, e, c);
}

/* b + (a - b) * c */
static void add_choice(struct sum *s, expr_t e, uint64_t factor, unsigned depth)
{
	struct expr_node n = *expr_get(s->pool, e);
	struct sum d = {.pool = s->pool, .width = s->width};
	add(&d, n.b, 1, depth - 1);
	add(&d, n.c, -1ull, depth - 1);
	if (d.full) {
		add_atom(s, e, factor);
		return;
	}
	add(s, n.c, factor, depth - 1);
	if (!d.count)
		add_atom(s, n.a, factor * d.constant);
	else
		add_atom(s, expr_ite(s->pool, n.a, together(&d), expr_const(s->pool, s->width, 0)),
			 factor);
}

/* (a + b) * (c + d), unless that is too long. */
static void add_product(struct sum *s, expr_t e, uint64_t factor, unsigned depth)
{
	struct expr_node n = *expr_get(s->pool, e);
	struct sum a = {.pool = s->pool, .width = s->width}, b = a;
	unsigned below = depth - 1 < FACTOR_DEPTH ? depth - 1 : FACTOR_DEPTH;
	add(&a, n.a, 1, below);
	add(&b, n.b, 1, below);
	if (a.full || b.full || a.count * b.count > MOST_FACTORS) {
		add_atom(s, e, factor);
		return;
	}
	s->constant += factor * a.constant * b.constant;
	for (unsigned i = 0; i < a.count; i++)
		add_atom(s, a.parts[i].atom, factor * a.parts[i].factor * b.constant);
	for (unsigned k = 0; k < b.count; k++)
		add_atom(s, b.parts[k].atom, factor * b.parts[k].factor * a.constant);
	for (unsigned i = 0; i < a.count; i++)
		for (unsigned k = 0; k < b.count; k++) {
			expr_t x = resized(s->pool, a.parts[i].atom, s->width), y = resized(s->pool, b.parts[k].atom, s->width);
			add_atom(s, expr_binary(s->pool, MUSTER_OP_MUL, x < y ? x : y, x < y ? y : x), factor * a.parts[i].factor * b.parts[k].factor);
		}
}

static void add(struct sum *s, expr_t e, uint64_t factor, unsigned depth)
{
	struct exprs *p = s->pool;
	struct expr_node n = *expr_get(p, e);
	u128 c;
	factor = cut(factor, s->width);
	if (!factor || s->full)
		return;
	if (expr_is_const(p, e, &c)) {
		s->constant += factor * (uint64_t)c;
		return;
	}
	if (depth && (n.op == MUSTER_OP_ADD || n.op == MUSTER_OP_SUB) && n.width > 1) {
		add(s, n.a, factor, depth - 1);
		add(s, n.b, n.op == MUSTER_OP_SUB ? -factor : factor, depth - 1);
	} else if (depth && n.op == MUSTER_OP_MUL && expr_is_const(p, n.b, &c)) {
		add(s, n.a, factor * (uint64_t)c, depth - 1);
	} else if (depth && n.op == MUSTER_OP_MUL) {
		add_product(s, e, factor, depth);
	} else if (depth && n.op == MUSTER_OP_CONCAT && expr_width(p, n.b) < s->width) {
		unsigned low = expr_width(p, n.b);
		if (expr_is_const(p, n.b, &c))
			s->constant += factor * (uint64_t)c;
		else
			add_atom(s, n.b, factor);
		add(s, n.a, factor << low, depth - 1);
	} else if (depth && n.op == MUSTER_OP_EXTRACT && n.k == 0) {
		add(s, n.a, factor, depth - 1);
	} else if (depth && n.op == MUSTER_OP_ITE && n.width == s->width) {
		add_choice(s, e, factor, depth);
	} else {
		add_atom(s, e, factor);
	}
}

expr_t loop_sum(struct exprs *p, expr_t e)
{
	struct sum s = {.pool = p, .width = expr_width(p, e)};
	if (s.width > 64 || s.width < 2)
		return e;
	add(&s, e, 1, DEEPEST);
	return s.full ? e : together(&s);
}
