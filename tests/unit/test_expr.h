/* test_expr.h: random terms with values that are known without the expression library.
 *
 * A struct soup is a list of random operations over a few variables. Each has its
 * values at some points, computed operation by operation from op_apply (with SMT-LIB's
 * meaning where that says undefined), and the term that the constructors made of it. */
#ifndef TEST_EXPR_H
#define TEST_EXPR_H

#include "base/mem.h"
#include "expr/expr.h"

#include <string.h>

#define POINTS 8
#define SOUP_VARS 14
#define SOUP_MAX 400

struct soup_item {
	expr_t e;
	unsigned width;
	u128 at[POINTS];
};

struct soup {
	struct exprs *p;
	uint64_t random;
	unsigned count;
	struct soup_item items[SOUP_MAX]; /* the variables first */
	unsigned max_width;
	unsigned point; /* that soup_value looks at */
};

static inline uint64_t soup_random(struct soup *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random * 0x2545f4914f6cdd1dull >> 3;
}

static inline u128 soup_bits(struct soup *s)
{
	u128 r = (u128)soup_random(s) << 67 ^ (u128)soup_random(s) << 30 ^ soup_random(s);
	switch (soup_random(s) % 12) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return ~(u128)0;
	case 3:
		return (u128)1 << soup_random(s) % 128;
	case 4:
		return ((u128)1 << soup_random(s) % 128) - 1;
	case 5: /* a run of ones */
		return (((u128)1 << soup_random(s) % 64) - 1) << soup_random(s) % 64;
	case 6:
		return r & 0xff;
	case 7:
		return -(r & 0xff);
	case 8:
		return ((u128)1 << soup_random(s) % 128) + (u128)(soup_random(s) % 5) - 2;
	case 9:
		return r & 0xff00ff00ff00ffull;
	default:
		return r;
	}
}

/* What the operator means, independent of the library. */
static inline u128 soup_oracle(enum muster_op op, unsigned width, unsigned from, unsigned low,
			       u128 a, u128 b, u128 c)
{
	u128 r = 0, all = op_mask(~(u128)0, width);
	if (op_apply(op, width, from, low, a, b, c, &r) == OP_OK)
		return r;
	int minus = a >> (width - 1) & 1;
	switch (op) {
	case MUSTER_OP_UDIV:
		return all;
	case MUSTER_OP_UREM:
		return a;
	case MUSTER_OP_SDIV: /* -(ones) where a is negative; the least value by -1 wraps */
		return b ? a : minus ? 1 : all;
	case MUSTER_OP_SREM:
		return b ? 0 : a;
	case MUSTER_OP_ASHR:
		return minus ? all : 0;
	default:
		return 0;
	}
}

static inline struct soup_item *soup_add(struct soup *s, expr_t e, unsigned width)
{
	struct soup_item *x = &s->items[s->count++];
	x->e = e;
	x->width = width;
	return x;
}

static inline unsigned soup_width(struct soup *s)
{
	static const unsigned usual[] = {1, 8, 16, 32, 64, 128, 8, 32, 64, 1};
	unsigned w =
	    soup_random(s) % 4 ? usual[soup_random(s) % 10] : 1 + (unsigned)(soup_random(s) % 128);
	return w > s->max_width ? s->max_width : w;
}

static inline struct soup_item *soup_constant(struct soup *s, unsigned width)
{
	u128 v = op_mask(soup_bits(s), width);
	struct soup_item *x = soup_add(s, expr_const(s->p, width, v), width);
	for (unsigned i = 0; i < POINTS; i++)
		x->at[i] = v;
	return x;
}

/* Mostly recent ones, so that it grows deep; seldom what became constant, so that it does not die
 * out. */
static inline struct soup_item *soup_pick(struct soup *s)
{
	for (unsigned tries = 0; tries < 20; tries++) {
		unsigned n = s->count, back = (unsigned)(soup_random(s) % (tries < 6 ? 16 : n));
		struct soup_item *x = &s->items[back < n ? n - 1 - back : 0];
		if (!expr_is_const(s->p, x->e, NULL) || tries == 19)
			return x;
	}
	return &s->items[0];
}

static inline struct soup_item *soup_operation(struct soup *s, enum muster_op op, unsigned width,
					       unsigned low, expr_t e, const struct soup_item *a,
					       const struct soup_item *b, const struct soup_item *c)
{
	struct soup_item x = {.e = e, .width = width};
	for (unsigned i = 0; i < POINTS; i++)
		x.at[i] = soup_oracle(op, width, a->width, low, a->at[i], b ? b->at[i] : 0,
				      c ? c->at[i] : 0);
	s->items[s->count] = x;
	return &s->items[s->count++];
}

/* x in another width, by some of the ways there are. */
static inline struct soup_item *soup_resize(struct soup *s, struct soup_item *x, unsigned width)
{
	unsigned low;
	if (x->width == width)
		return x;
	if (x->width > width) {
		low = (unsigned)(soup_random(s) % (x->width - width + 1));
		low = soup_random(s) % 2 ? low : low / 8 * 8;
		return soup_operation(s, MUSTER_OP_EXTRACT, width, low,
				      expr_extract(s->p, x->e, low, width), x, NULL, NULL);
	}
	switch (soup_random(s) % 3) {
	case 0:
		return soup_operation(s, MUSTER_OP_ZEXT, width, 0, expr_zext(s->p, x->e, width), x,
				      NULL, NULL);
	case 1:
		return soup_operation(s, MUSTER_OP_SEXT, width, 0, expr_sext(s->p, x->e, width), x,
				      NULL, NULL);
	default: {
		struct soup_item *other = soup_random(s) % 3 ? soup_pick(s) : x;
		if (other->width != width - x->width)
			other = soup_random(s) % 2 ? soup_constant(s, width - x->width)
						   : soup_resize(s, other, width - x->width);
		return soup_operation(s, MUSTER_OP_CONCAT, width, x->width,
				      expr_concat(s->p, other->e, x->e), other, x, NULL);
	}
	}
}

static inline struct soup_item *soup_any(struct soup *s, unsigned width)
{
	return soup_random(s) % 4 == 0 ? soup_constant(s, width)
				       : soup_resize(s, soup_pick(s), width);
}

static inline void soup_read(struct soup *s)
{
	unsigned count = 1 + (unsigned)(soup_random(s) % 40), symbolic = soup_random(s) % 2;
	unsigned bytes = 1u << soup_random(s) % 4;
	expr_t terms[40];
	u128 values[40][POINTS];
	struct soup_item *at = soup_any(s, 64);
	if (bytes * 8 > s->max_width)
		bytes = s->max_width / 8;
	if (soup_random(s) % 4) { /* near the table, often */
		struct soup_item *small = soup_resize(s, soup_pick(s), 5);
		at = soup_operation(s, MUSTER_OP_ZEXT, 64, 0, expr_zext(s->p, small->e, 64), small,
				    NULL, NULL);
		if (soup_random(s) % 2) {
			struct soup_item *c = soup_constant(s, 64);
			at = soup_operation(s, MUSTER_OP_ADD, 64, 0,
					    expr_binary(s->p, MUSTER_OP_ADD, at->e, c->e), at, c,
					    NULL);
		}
	}
	for (unsigned i = 0; i < count; i++) {
		struct soup_item *x =
		    symbolic && s->count < SOUP_MAX - 60 && soup_random(s) % 8 == 0
			? soup_resize(s, soup_pick(s), 8)
			: NULL;
		u128 v = soup_random(s) & 0xff;
		terms[i] = x ? x->e : expr_const(s->p, 8, v);
		for (unsigned j = 0; j < POINTS; j++)
			values[i][j] = x ? x->at[j] : v;
	}
	struct soup_item r = {.width = bytes * 8};
	r.e = expr_read(s->p, expr_data(s->p, terms, count), at->e, bytes * 8);
	for (unsigned j = 0; j < POINTS; j++)
		if (bytes <= count && at->at[j] <= count - bytes)
			for (unsigned i = bytes; i-- > 0;)
				r.at[j] = r.at[j] << 8 | values[(unsigned)at->at[j] + i][j];
	s->items[s->count++] = r;
}

/* A constant near where a comparison of x, or an overflow, changes its answer at some point. */
static inline struct soup_item *soup_near(struct soup *s, const struct soup_item *x)
{
	struct soup_item c = {.width = x->width};
	u128 v = x->at[soup_random(s) % POINTS], half = (u128)1 << (x->width - 1);
	switch (soup_random(s) % 4) {
	case 0:
		v = -v;
		break;
	case 1:
		v = half - v;
		break;
	case 2:
		v = soup_random(s) % 2 ? v + half : v;
		break;
	default:
		break;
	}
	v = op_mask(v + (u128)(soup_random(s) % 3) - 1, x->width);
	c.e = expr_const(s->p, x->width, v);
	for (unsigned i = 0; i < POINTS; i++)
		c.at[i] = v;
	s->items[s->count] = c;
	return &s->items[s->count++];
}

/* Two parts of one term side by side, neighbours or not. */
static inline void soup_parts(struct soup *s)
{
	struct soup_item *x = soup_pick(s), *part[2];
	if (x->width < 4)
		return;
	unsigned cut = 1 + (unsigned)(soup_random(s) % (x->width - 2)),
		 skip = soup_random(s) % 2 ? 0 : 1;
	part[1] = soup_operation(s, MUSTER_OP_EXTRACT, cut, 0, expr_extract(s->p, x->e, 0, cut), x,
				 NULL, NULL);
	part[0] = soup_operation(s, MUSTER_OP_EXTRACT, 1, cut + skip,
				 expr_extract(s->p, x->e, cut + skip, 1), x, NULL, NULL);
	soup_operation(s, MUSTER_OP_CONCAT, cut + 1, cut, expr_concat(s->p, part[0]->e, part[1]->e),
		       part[0], part[1], NULL);
}

static inline void soup_step(struct soup *s)
{
	unsigned width = soup_width(s);
	enum muster_op op = MUSTER_OP_ADD + soup_random(s) % (MUSTER_OP_DATA - MUSTER_OP_ADD);
	struct soup_item *a, *b, *c;
	switch (op_table[op].shape) {
	case OP_SAME:
	case OP_TEST:
		a = soup_any(s, width);
		b = soup_any(s, width);
		if (soup_random(s) % 8 == 0)
			b = soup_constant(s, width);
		else if (soup_random(s) % 3 == 0)
			b = soup_near(s, a);
		if (soup_random(s) % 4 == 0) {
			struct soup_item *swap = a;
			a = b;
			b = swap;
		}
		soup_operation(s, op, op_table[op].shape == OP_TEST ? 1 : width, 0,
			       expr_binary(s->p, op, a->e, b->e), a, b, NULL);
		return;
	case OP_UNARY:
		if (op == MUSTER_OP_BSWAP)
			width = width < 8 ? 8 : width / 8 * 8;
		a = soup_resize(s, soup_pick(s), width);
		soup_operation(s, op, width, 0, expr_unary(s->p, op, a->e), a, NULL, NULL);
		return;
	default:
		break;
	}
	if (op == MUSTER_OP_ITE) {
		c = soup_resize(s, soup_pick(s), 1);
		a = soup_any(s, width);
		b = soup_any(s, width);
		soup_operation(s, op, width, 0, expr_ite(s->p, c->e, a->e, b->e), c, a, b);
	} else if (op == MUSTER_OP_READ && s->max_width >= 64) {
		soup_read(s);
	} else if (op == MUSTER_OP_CONCAT) {
		soup_parts(s);
	} else {
		soup_resize(s, soup_pick(s), width);
	}
}

/* A pool with variables and about `steps` random operations over them. */
static inline void soup_init(struct soup *s, uint64_t seed, unsigned steps, unsigned max_width)
{
	memset(s, 0, sizeof *s);
	s->p = exprs_new();
	s->random = seed * 0x9e3779b97f4a7c15ull + 1;
	s->max_width = max_width;
	for (unsigned i = 0; i < SOUP_VARS; i++) {
		static const unsigned widths[] = {1, 3, 32, 64, 128};
		char name[8] = {'v', (char)('a' + i), 0};
		unsigned width = i < 8 ? 8 : i == 8 ? 64 : widths[i - 9];
		if (width > max_width)
			width = max_width;
		expr_t e = i < 8 ? expr_input(s->p, i / 6, i % 6) : expr_named(s->p, width, name);
		if (i == 8 && max_width >= 64)
			e = expr_length(s->p, 0);
		struct soup_item *x = soup_add(s, e, width);
		for (unsigned j = 0; j < POINTS; j++)
			x->at[j] = op_mask(soup_bits(s), width);
	}
	while (s->count < SOUP_VARS + steps && s->count < SOUP_MAX - 100)
		soup_step(s);
}

static inline void soup_release(struct soup *s)
{
	exprs_free(s->p);
}

/* The variable's value at the soup's current point. */
static inline u128 soup_value(void *ctx, expr_t variable)
{
	struct soup *s = ctx;
	for (unsigned i = 0; i < SOUP_VARS; i++)
		if (s->items[i].e == variable)
			return s->items[i].at[s->point];
	return 0;
}

#endif
