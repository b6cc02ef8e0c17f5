/* test_blast.c: the two complete solvers against evaluation, and against each other.
 *
 * Small terms are decided by trying all values of their variables; larger ones are put to both
 * solvers, which must not contradict each other; every model is evaluated. Operators
 * are checked at many widths with fixed operands: the result must be the value that expr_eval
 * gives, and no other.
 */
#include "expr/expr.h"
#include "solve/affine.h"
#include "solve/backend.h"
#include "solve/quotient.h"
#include "base/vec.h"
#include "timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static const struct backend_limits no_limit;

static uint64_t seed = 1;
static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dull >> 11;
}
static unsigned below(unsigned n)
{
	return (unsigned)(next() % n);
}
static u128 random_value(unsigned width)
{
	u128 v = (u128)next() << 75 | (u128)next() << 40 | next();

	switch (below(6)) {
	case 0:
		v = below(4);
		break;
	case 1:
		v = -(u128)below(4);
		break;
	case 2:
		v = (u128)1 << below(width);
		break;
	case 3:
		v = ((u128)1 << below(width)) - 1;
		break;
	}
	return op_mask(v, width);
}

/* ---------------------------------------------------------------- variables */
struct values {
	expr_t var[64];
	u128 value[64];
	unsigned count;
};

static u128 value_of(void *ctx, expr_t variable)
{
	const struct values *v = ctx;

	for (unsigned i = 0; i < v->count; i++)
		if (v->var[i] == variable)
			return v->value[i];
	return 0;
}

static expr_t new_var(struct exprs *p, struct values *v, unsigned width)
{
	char name[24];

	snprintf(name, sizeof name, "v%u_%u", v->count, width);
	v->var[v->count] = expr_named(p, width, name);
	return v->var[v->count++];
}

static void take_model(struct backend *b, struct values *v)
{
	for (unsigned i = 0; i < v->count; i++)
		v->value[i] = b->value(b, v->var[i]);
}

/* ------------------------------------------------------------ random terms */
typedef VEC(expr_t) terms;

static const unsigned widths[] = {1, 2, 3, 5, 7, 8, 13, 16, 24, 32, 33, 48, 63, 64, 65, 100, 128};
#define WIDTHS (sizeof widths / sizeof *widths)
static const enum muster_op same_ops[] = {
    MUSTER_OP_ADD,  MUSTER_OP_SUB,  MUSTER_OP_MUL,  MUSTER_OP_UDIV, MUSTER_OP_SDIV,
    MUSTER_OP_UREM, MUSTER_OP_SREM, MUSTER_OP_AND,  MUSTER_OP_OR,   MUSTER_OP_XOR,
    MUSTER_OP_SHL,  MUSTER_OP_LSHR, MUSTER_OP_ASHR,
};
static const enum muster_op test_ops[] = {
    MUSTER_OP_EQ,    MUSTER_OP_NE,    MUSTER_OP_ULT,   MUSTER_OP_ULE,
    MUSTER_OP_SLT,   MUSTER_OP_SLE,   MUSTER_OP_SADDO, MUSTER_OP_UADDO,
    MUSTER_OP_SSUBO, MUSTER_OP_USUBO, MUSTER_OP_SMULO, MUSTER_OP_UMULO,
};
static const enum muster_op unary_ops[] = {
    MUSTER_OP_CTPOP, MUSTER_OP_CTLZ, MUSTER_OP_CTTZ, MUSTER_OP_BITREVERSE, MUSTER_OP_BSWAP,
};
#define COUNT(x) (sizeof(x) / sizeof *(x))

static expr_t pick(const terms *t)
{
	return t->data[below((unsigned)t->size)];
}

/* A term of this width out of another one. */
static expr_t fit(struct exprs *p, expr_t e, unsigned width)
{
	unsigned w = expr_width(p, e);

	if (w == width)
		return e;
	if (w > width)
		return expr_extract(p, e, below(w - width + 1), width);
	return below(2) ? expr_zext(p, e, width) : expr_sext(p, e, width);
}

static expr_t random_read(struct exprs *p, const terms *t, unsigned max)
{
	unsigned bytes = 1u << below(max >= 32 ? 3 : 2), count = 1 + below(40), scale = below(3);
	expr_t table[64], data, at = fit(p, pick(t), 4);
	uint8_t fixed[64];

	if (below(2)) {
		for (unsigned i = 0; i < count; i++)
			fixed[i] = (uint8_t)(below(3) ? next() : (i * 5) ^ 3);
		data = expr_data_const(p, fixed, count);
	} else {
		for (unsigned i = 0; i < count; i++)
			table[i] = below(3) ? expr_const(p, 8, next() & 0xff) : fit(p, pick(t), 8);
		data = expr_data(p, table, count);
	}
	at = below(8) ? expr_zext(p, at, 64) : fit(p, pick(t), 64);
	at = expr_binary(p, MUSTER_OP_SHL, at, expr_const(p, 64, scale));
	if (below(2))
		at = expr_binary(p, MUSTER_OP_ADD, at, expr_const(p, 64, (uint64_t)below(20) - 5));
	return expr_read(p, data, at, 8 * bytes);
}

static expr_t random_term(struct exprs *p, const terms *t, unsigned max)
{
	expr_t a = pick(t), b = pick(t);
	unsigned w = expr_width(p, a), k = below(16);
	enum muster_op op;

	if (k < 7) {
		op = same_ops[below(COUNT(same_ops))];
		b = below(3) ? fit(p, b, w) : expr_const(p, w, random_value(w));
		if (w > 32 && op >= MUSTER_OP_MUL && op <= MUSTER_OP_SREM)
			op = MUSTER_OP_ADD;
		return below(4) ? expr_binary(p, op, a, b) : expr_binary(p, op, b, a);
	}
	if (k < 10) {
		op = test_ops[below(COUNT(test_ops))];
		if (w > 32 && (op == MUSTER_OP_SMULO || op == MUSTER_OP_UMULO))
			op = MUSTER_OP_EQ;
		return expr_binary(p, op, a,
				   below(3) ? fit(p, b, w) : expr_const(p, w, random_value(w)));
	}
	if (k < 12)
		return fit(p, a, 1 + below(max));
	if (k == 12)
		return expr_ite(p, fit(p, b, 1), a, fit(p, pick(t), w));
	if (k == 13) {
		op = unary_ops[below(COUNT(unary_ops))];
		return expr_unary(p, op == MUSTER_OP_BSWAP && w % 16 ? MUSTER_OP_CTPOP : op, a);
	}
	if (k == 14 && w + expr_width(p, b) <= max)
		return expr_concat(p, a, b);
	return max >= 8 ? random_read(p, t, max) : a;
}

/* A random condition over terms made out of the variables. */
static expr_t random_condition(struct exprs *p, const struct values *v, unsigned size, unsigned max)
{
	terms t = {0};
	expr_t r;

	for (unsigned i = 0; i < v->count; i++)
		vec_push(&t, v->var[i]);
	for (unsigned i = 0; i < size; i++)
		vec_push(&t, random_term(p, &t, max));
	r = vec_last(&t);
	if (expr_width(p, r) != 1) {
		unsigned w = expr_width(p, r);

		r = expr_binary(p, test_ops[below(6)], r,
				below(2) ? expr_const(p, w, random_value(w)) : fit(p, pick(&t), w));
	}
	vec_release(&t);
	return below(2) ? r : expr_not(p, r);
}

/* ------------------------------------------------------------------- tests */
static int all_hold(struct exprs *p, const expr_t *e, unsigned count, struct values *v)
{
	for (unsigned i = 0; i < count; i++)
		if (!expr_eval(p, e[i], value_of, v))
			return 0;
	return 1;
}

/* Is there an assignment with all of these? */
static enum verdict brute(struct exprs *p, const expr_t *e, unsigned count, struct values *v)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < v->count; i++)
		bits += expr_width(p, v->var[i]);
	for (uint32_t n = 0; n < 1u << bits; n++) {
		uint32_t rest = n;

		for (unsigned i = 0; i < v->count; i++) {
			unsigned w = expr_width(p, v->var[i]);

			v->value[i] = op_mask(rest, w);
			rest >>= w;
		}
		if (all_hold(p, e, count, v))
			return VERDICT_SAT;
	}
	return VERDICT_UNSAT;
}

static void check_brute(const struct backend *kind, unsigned rounds)
{
	static const unsigned shapes[][4] = {{1, 1, 1, 1}, {3, 2, 1}, {4, 4},
					     {8},	   {5, 3, 1}, {2, 2, 2, 2}};
	unsigned sat = 0, unsat = 0;

	for (unsigned r = 0; r < rounds; r++) {
		struct exprs *p = exprs_new();
		struct backend *b = kind->open(kind, p);
		const unsigned *shape = shapes[below(COUNT(shapes))];
		struct values v = {.count = 0};
		expr_t e[3];

		for (unsigned i = 0; i < 4 && shape[i]; i++)
			new_var(p, &v, shape[i]);
		for (unsigned i = 0; i < 3; i++) {
			enum verdict want, got;

			e[i] = random_condition(p, &v, 1 + below(8), 40);
			got = b->check(b, e[i], &no_limit);
			if (got == VERDICT_SAT) {
				take_model(b, &v);
				assert_true(all_hold(p, e, i + 1, &v));
			}
			want = brute(p, e, i + 1, &v);
			assert_int_equal(got, want);
			*(got == VERDICT_SAT ? &sat : &unsat) += 1;
			b->assert_term(b, e[i]);
			assert_int_equal(b->check(b, EXPR_NONE, &no_limit), want);
		}
		b->close(b);
		exprs_free(p);
	}
	assert_true(sat > rounds / 4 && unsat > rounds / 4);
}

static void blast_brute(void **state)
{
	(void)state;
	check_brute(&backend_blast, 1200);
}

static void z3_brute(void **state)
{
	(void)state;
	check_brute(&backend_z3, 60);
}

/* The two 8-bit variables once with all their values. */
static void blast_two_bytes(void **state)
{
	(void)state;
	for (unsigned r = 0; r < 6; r++) {
		struct exprs *p = exprs_new();
		struct backend *b = backend_blast.open(&backend_blast, p);
		struct values v = {.var = {expr_input(p, 0, 0), expr_input(p, 0, 1)}, .count = 2};
		expr_t e = random_condition(p, &v, 4, 16);
		enum verdict got = b->check(b, e, &no_limit);

		assert_int_equal(got, brute(p, &e, 1, &v));
		b->close(b);
		exprs_free(p);
	}
}

/* x against a / y without the division, for all values: a a variable or each constant. */
static void quotients(void **state)
{
	static const enum muster_op ops[] = {MUSTER_OP_ULT, MUSTER_OP_ULE, MUSTER_OP_SLT, MUSTER_OP_SLE};
	struct exprs *p = exprs_new();
	struct values v = {.count = 0};
	expr_t x = new_var(p, &v, 4), y = new_var(p, &v, 4), any = new_var(p, &v, 4);
	unsigned done = 0;

	(void)state;
	for (unsigned c = 0; c <= 16; c++) {
		expr_t q = expr_binary(p, MUSTER_OP_UDIV, c < 16 ? expr_const(p, 4, c) : any, y);

		for (unsigned i = 0; i < 8; i++) {
			expr_t e = expr_binary(p, ops[i / 2], i % 2 ? q : x, i % 2 ? x : q);
			expr_t same = quotient_free(p, e), differ;

			if (!same) /* of a sign that is not known */
				continue;
			differ = expr_binary(p, MUSTER_OP_NE, e, same);
			assert_int_equal(brute(p, &differ, 1, &v), VERDICT_UNSAT);
			done++;
		}
	}
	assert_in_range(done, 70, 200);
	exprs_free(p);
}

/* w <= INT_MAX / h, and w * h is above INT_MAX. */
static void blast_guarded_product(void **state)
{
	struct exprs *p = exprs_new();
	struct backend *b = backend_blast.open(&backend_blast, p);
	expr_t w = expr_zext(p, expr_concat(p, expr_input(p, 0, 0), expr_input(p, 0, 1)), 32);
	expr_t h = expr_zext(p, expr_concat(p, expr_input(p, 0, 2), expr_input(p, 0, 3)), 32);
	expr_t most = expr_const(p, 32, 0x7fffffff), product = expr_binary(p, MUSTER_OP_MUL, w, h);
	struct backend_limits few = {.conflicts = 10};

	(void)state;
	b->assert_term(b, expr_binary(p, MUSTER_OP_NE, h, expr_const(p, 32, 0)));
	b->assert_term(b, expr_binary(p, MUSTER_OP_SLE, w, expr_binary(p, MUSTER_OP_UDIV, most, h)));
	assert_int_equal(b->check(b, expr_binary(p, MUSTER_OP_SLT, product, expr_const(p, 32, 0)), &few), VERDICT_UNSAT);
	b->close(b);
	exprs_free(p);
}

/* op on variables that are fixed: its value, and no other. */
static void check_fixed(struct exprs *p, struct backend *b, struct values *v, expr_t e)
{
	expr_t fixed = expr_true(p), value;

	for (unsigned i = 0; i < v->count; i++) {
		unsigned w = expr_width(p, v->var[i]);

		fixed = expr_and(p, fixed, expr_eq(p, v->var[i], expr_const(p, w, v->value[i])));
	}
	value = expr_const(p, expr_width(p, e), expr_eval(p, e, value_of, v));
	assert_int_equal(b->check(b, expr_and(p, fixed, expr_eq(p, e, value)), &no_limit),
			 VERDICT_SAT);
	assert_int_equal(
	    b->check(b, expr_and(p, fixed, expr_not(p, expr_eq(p, e, value))), &no_limit),
	    VERDICT_UNSAT);
}

static void check_operators(const struct backend *kind, unsigned rounds, unsigned widest)
{
	for (unsigned k = 0; k < WIDTHS && widths[k] <= widest; k++) {
		unsigned w = widths[k];
		struct exprs *p = exprs_new();
		struct backend *b = kind->open(kind, p);
		struct values v = {.count = 0};
		expr_t x = new_var(p, &v, w), y = new_var(p, &v, w);

		for (unsigned r = 0; r < (w > 64 ? 1 : rounds); r++) {
			v.value[0] = random_value(w);
			v.value[1] = random_value(w);
			for (unsigned i = 0; i < COUNT(same_ops); i++) {
				enum muster_op op = same_ops[i];
				expr_t c = expr_const(p, w, random_value(w));

				check_fixed(p, b, &v, expr_binary(p, op, x, y));
				check_fixed(p, b, &v, expr_binary(p, op, x, c));
				if (w <= 64)
					check_fixed(p, b, &v, expr_binary(p, op, c, y));
			}
			for (unsigned i = 0; i < COUNT(test_ops); i++)
				check_fixed(p, b, &v, expr_binary(p, test_ops[i], x, y));
			for (unsigned i = 0; i < COUNT(unary_ops); i++)
				if (unary_ops[i] != MUSTER_OP_BSWAP || w % 16 == 0)
					check_fixed(p, b, &v, expr_unary(p, unary_ops[i], x));
			check_fixed(p, b, &v, fit(p, x, 1 + below(128)));
			if (w <= 64)
				check_fixed(p, b, &v, expr_concat(p, x, y));
			check_fixed(p, b, &v,
				    expr_ite(p, expr_binary(p, MUSTER_OP_ULT, x, y), x, y));
		}
		b->close(b);
		exprs_free(p);
	}
}

static void blast_operators(void **state)
{
	(void)state;
	check_operators(&backend_blast, 2, 128);
}

static void z3_operators(void **state)
{
	(void)state;
	check_operators(&backend_z3, 1, 33);
}

/* Larger terms, a growing path: blast incremental, blast fresh and Z3 must agree where they answer.
 */
static void blast_against_z3(void **state)
{
	static const struct backend_limits few = {.conflicts = 3000, .rlimit = 200000};
	unsigned answered = 0, asked = 0;

	(void)state;
	for (unsigned r = 0; r < 25; r++) {
		struct exprs *p = exprs_new();
		struct backend *b = backend_blast.open(&backend_blast, p);
		struct backend *z = backend_z3.open(&backend_z3, p);
		struct values v = {.count = 0};
		expr_t e[6];

		for (unsigned i = 0; i < 6; i++)
			new_var(p, &v, widths[below(WIDTHS)]);
		for (unsigned i = 0; i < 6; i++) {
			struct backend *f = backend_blast.open(&backend_blast, p);
			enum verdict x, y, u;

			e[i] = random_condition(p, &v, 2 + below(16), 128);
			x = b->check(b, e[i], &few);
			if (x == VERDICT_SAT) {
				take_model(b, &v);
				assert_true(all_hold(p, e, i + 1, &v));
			}
			y = z->check(z, e[i], &few);
			if (y == VERDICT_SAT) {
				take_model(z, &v);
				assert_true(all_hold(p, e, i + 1, &v));
			}
			for (unsigned k = 0; k < i; k++)
				f->assert_term(f, e[k]);
			u = f->check(f, e[i], &few);
			assert_true(!x || !y || x == y);
			assert_true(!x || !u || x == u);
			answered += x != VERDICT_UNKNOWN;
			asked++;
			f->close(f);
			if (x == VERDICT_UNSAT)
				e[i] = expr_not(p, e[i]);
			b->assert_term(b, e[i]);
			z->assert_term(z, e[i]);
		}
		b->close(b);
		z->close(z);
		exprs_free(p);
	}
	assert_true(answered > asked * 9 / 10);
}

/* ------------------------------------------------------------------ tables */
static uint32_t crc_entry(uint32_t x, uint32_t polynomial)
{
	for (int i = 0; i < 8; i++)
		x = x >> 1 ^ (x & 1 ? polynomial : 0);
	return x;
}

static expr_t crc_of(struct exprs *p, const expr_t *byte, unsigned count, uint32_t polynomial)
{
	uint32_t table[256];
	expr_t data, crc = expr_const(p, 32, 0xffffffffu);

	for (unsigned i = 0; i < 256; i++)
		table[i] = crc_entry(i, polynomial);
	data = expr_data_const(p, (const uint8_t *)table, sizeof table);
	for (unsigned i = 0; i < count; i++) {
		expr_t x = expr_binary(p, MUSTER_OP_XOR, expr_extract(p, crc, 0, 8), byte[i]);
		expr_t at =
		    expr_binary(p, MUSTER_OP_SHL, expr_zext(p, x, 64), expr_const(p, 64, 2));

		crc = expr_binary(p, MUSTER_OP_XOR, expr_read(p, data, at, 32),
				  expr_binary(p, MUSTER_OP_LSHR, crc, expr_const(p, 32, 8)));
	}
	return expr_binary(p, MUSTER_OP_XOR, crc, expr_const(p, 32, 0xffffffffu));
}

static void blast_crc(void **state)
{
	static const unsigned counts[] = {1, 4, 5, 8, 16, 64};

	(void)state;
	for (unsigned k = 0; k < COUNT(counts); k++) {
		struct exprs *p = exprs_new();
		struct backend *b = backend_blast.open(&backend_blast, p);
		struct values v = {.count = counts[k]};
		expr_t e;

		for (unsigned i = 0; i < counts[k]; i++)
			v.var[i] = expr_input(p, 0, i);
		e = expr_eq(p, crc_of(p, v.var, counts[k], 0xedb88320u),
			    expr_const(p, 32, 0x12345678));
		if (counts[k] < 4) {
			assert_int_equal(b->check(b, e, &no_limit), VERDICT_UNSAT);
		} else {
			assert_int_equal(b->check(b, e, &no_limit), VERDICT_SAT);
			take_model(b, &v);
			assert_true(all_hold(p, &e, 1, &v));
			/* Four bytes have one solution, more of them several. */
			b->assert_term(b, e);
			e = expr_not(p, expr_eq(p, v.var[0], expr_const(p, 8, v.value[0])));
			assert_int_equal(b->check(b, e, &no_limit),
					 counts[k] == 4 ? VERDICT_UNSAT : VERDICT_SAT);
		}
		b->close(b);
		exprs_free(p);
	}
}

/* Two checksums of the same bytes: no search finds that, equations do. */
static void blast_two_crcs(void **state)
{
	static const unsigned counts[] = {6, 8, 12};

	(void)state;
	for (unsigned k = 0; k < COUNT(counts); k++) {
		struct exprs *p = exprs_new();
		struct backend *b = backend_blast.open(&backend_blast, p);
		struct values v = {.count = counts[k]};
		expr_t e[2];
		enum verdict got;

		for (unsigned i = 0; i < counts[k]; i++)
			v.var[i] = expr_input(p, 0, i);
		e[0] = expr_eq(p, crc_of(p, v.var, counts[k], 0xedb88320u), expr_const(p, 32, 77));
		e[1] = expr_eq(p, crc_of(p, v.var, counts[k], 0x82f63b78u), expr_const(p, 32, 99));
		b->assert_term(b, e[0]);
		got = b->check(b, e[1], &(struct backend_limits){.conflicts = 1000});
		assert_int_equal(got, counts[k] < 8 ? VERDICT_UNSAT : VERDICT_SAT);
		if (got == VERDICT_SAT) {
			take_model(b, &v);
			assert_true(all_hold(p, e, 2, &v));
		}
		b->close(b);
		exprs_free(p);
	}
}

static int gate_value(const struct gates *g, lit_t x, uint32_t bits)
{
	uint8_t out[256] = {0};

	for (uint32_t id = 1; id <= lit_gate(x); id++) {
		const struct gate *y = &g->v.data[id];
#define IN(z) (out[lit_gate(z)] ^ lit_sign(z))
		out[id] = y->op == GATE_FREE   ? bits >> (id - 1) & 1
			  : y->op == GATE_AND  ? IN(y->a) & IN(y->b)
			  : y->op == GATE_XOR  ? IN(y->a) ^ IN(y->b)
			  : y->op == GATE_XOR3 ? IN(y->a) ^ IN(y->b) ^ IN(y->c)
			  : y->op == GATE_MAJ  ? IN(y->a) + IN(y->b) + IN(y->c) > 1
			  : IN(y->a)	       ? IN(y->b)
					       : IN(y->c);
	}
	return IN(x);
}

/* Random literals over ten bits, mostly XORs: what affine_check says is true. */
static void affine_random(void **state)
{
	unsigned said[3] = {0};

	(void)state;
	for (unsigned r = 0; r < 600; r++) {
		struct gates g;
		lit_t x[64], root[16];
		unsigned n = 10, mixed = below(3), roots = 2 + below(12);
		uint8_t model[256] = {0};
		uint32_t bits, found = 0;
		enum verdict got;

		gates_init(&g);
		for (unsigned i = 0; i < 10; i++)
			x[i] = gate_free(&g);
		for (; n < 50; n++) {
			lit_t a = x[below(n)] ^ below(2), b = x[below(n)] ^ below(2),
			      c = x[below(n)];

			switch (mixed ? below(4 + 8 * mixed) : 9) {
			case 0:
				x[n] = gate_and(&g, a, b);
				break;
			case 1:
				x[n] = gate_ite(&g, a, b, c);
				break;
			case 2:
				x[n] = gate_maj(&g, a, b, c);
				break;
			case 3:
				x[n] = gate_xor3(&g, a, b, c);
				break;
			default:
				x[n] = gate_xor(&g, a, b);
			}
		}
		for (unsigned i = 0; i < roots; i++)
			root[i] = x[below(40) + 10] ^ below(2);
		got = affine_check(&g, root, roots, model);
		said[got]++;
		for (bits = 0; bits < 1024 && !found; bits++) {
			unsigned i = 0;

			while (i < roots && gate_value(&g, root[i], bits))
				i++;
			found = i == roots;
		}
		assert_true(got == VERDICT_UNKNOWN || (got == VERDICT_SAT) == (int)found);
		if (got == VERDICT_SAT) {
			for (unsigned i = bits = 0; i < 10; i++)
				bits |= (uint32_t)model[lit_gate(x[i])] << i;
			for (unsigned i = 0; i < roots; i++)
				assert_true(gate_value(&g, root[i], bits));
		}
		assert_true(mixed || got != VERDICT_UNKNOWN || roots < 6);
		gates_release(&g);
	}
	assert_true(said[VERDICT_SAT] > 50 && said[VERDICT_UNSAT] > 50);
}

/* --------------------------------------------------------- limits and depth */
/* The product of two odd factors of 2w bits is a given one: hard for its size. */
static expr_t factors(struct exprs *p, unsigned w, u128 product)
{
	expr_t x = expr_named(p, w, "x"), y = expr_named(p, w, "y"), one = expr_const(p, w, 1);
	expr_t e = expr_eq(
	    p, expr_binary(p, MUSTER_OP_MUL, expr_zext(p, x, 2 * w), expr_zext(p, y, 2 * w)),
	    expr_const(p, 2 * w, product));

	e = expr_and(p, e, expr_binary(p, MUSTER_OP_ULT, one, x));
	return expr_and(p, e, expr_binary(p, MUSTER_OP_ULT, one, y));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check_limits(const struct backend *kind)
{
	static const struct backend_limits counted = {.conflicts = 50, .rlimit = 20000};
	static const struct backend_limits timed = {.seconds = 0.1};
	struct exprs *p = exprs_new();
	struct backend *b = kind->open(kind, p);
	/* Two primes of 32 bits. */
	expr_t e = factors(p, 40, (u128)4294967291u * 4294967279u);
	double start;

	assert_int_equal(b->check(b, e, &counted), VERDICT_UNKNOWN);
	start = now();
	assert_int_equal(b->check(b, e, &timed), VERDICT_UNKNOWN);
	assert_quick(now() - start < 1.5);
	/* Still usable. */
	e = expr_eq(p, expr_named(p, 40, "x"), expr_const(p, 40, 77));
	assert_int_equal(b->check(b, e, &counted), VERDICT_SAT);
	assert_int_equal((uint64_t)b->value(b, expr_named(p, 40, "x")), 77);
	b->close(b);
	exprs_free(p);
}

static void blast_limits(void **state)
{
	(void)state;
	check_limits(&backend_blast);
}

static void z3_limits(void **state)
{
	(void)state;
	check_limits(&backend_z3);
}

/* Products that Z3 takes seconds to read: it must not do so where it looks at no limit. The goal of one query is none of the next. */
static void z3_deep(void **state)
{
	static const struct backend_limits timed = {.seconds = 0.1}, none = {0};
	struct exprs *p = exprs_new();
	struct backend *b = backend_z3.open(&backend_z3, p);
	expr_t x = expr_named(p, 64, "x"), y = expr_named(p, 64, "y"), n = x;
	double start;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		n = expr_binary(p, MUSTER_OP_ADD, expr_binary(p, MUSTER_OP_MUL, n, expr_binary(p, MUSTER_OP_XOR, y, expr_const(p, 64, 3 * i))), x);
		b->assert_term(b, expr_binary(p, MUSTER_OP_ULT, n, expr_const(p, 64, UINT64_MAX - i)));
	}
	start = now();
	b->check(b, expr_eq(p, n, expr_const(p, 64, 4242424242u)), &timed);
	b->close(b);
	assert_true(now() - start < 1.5);
	b = backend_z3.open(&backend_z3, p);
	b->assert_term(b, expr_binary(p, MUSTER_OP_ULT, x, y));
	assert_int_equal(b->check(b, expr_eq(p, x, expr_const(p, 64, 5)), &none), VERDICT_SAT);
	assert_int_equal((uint64_t)b->value(b, x), 5);
	assert_int_equal(b->check(b, expr_eq(p, y, expr_const(p, 64, 0)), &none), VERDICT_UNSAT);
	assert_int_equal(b->check(b, expr_eq(p, y, expr_const(p, 64, 1)), &none), VERDICT_SAT);
	assert_int_equal((uint64_t)b->value(b, x), 0);
	b->close(b);
	exprs_free(p);
}

static void blast_deep(void **state)
{
	struct exprs *p = exprs_new();
	struct backend *b = backend_blast.open(&backend_blast, p);
	struct values v = {.var = {expr_input(p, 0, 0), expr_input(p, 0, 1)}, .count = 2};
	expr_t x = v.var[0], e;

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		x = expr_binary(p,
				i % 8 == 0 ? MUSTER_OP_ADD
				: i % 2	   ? MUSTER_OP_AND
					   : MUSTER_OP_XOR,
				x, i % 3 ? v.var[i % 2] : expr_const(p, 8, i % 255 | 3));
	e = expr_eq(p, x, expr_const(p, 8, 0x5a));
	if (b->check(b, e, &(struct backend_limits){.conflicts = 1}) == VERDICT_SAT) {
		take_model(b, &v);
		assert_true(all_hold(p, &e, 1, &v));
	}
	b->close(b);
	exprs_free(p);
}

/* An uninterpreted function: Z3 knows that it is one, blast never says more than it knows. */
static void functions(void **state)
{
	struct exprs *p = exprs_new();
	struct backend *b = backend_blast.open(&backend_blast, p);
	struct backend *z = backend_z3.open(&backend_z3, p);
	expr_t x = expr_named(p, 16, "x"), y = expr_named(p, 16, "y");
	expr_t fx = expr_apply(p, "f", 16, &x, 1), fy = expr_apply(p, "f", 16, &y, 1);
	expr_t e = expr_and(p, expr_eq(p, x, y), expr_not(p, expr_eq(p, fx, fy)));

	(void)state;
	assert_int_equal(b->check(b, e, &no_limit), VERDICT_UNKNOWN);
	assert_int_equal(z->check(z, e, &no_limit), VERDICT_UNSAT);
	e = expr_and(p, expr_eq(p, fx, x), expr_not(p, expr_eq(p, fx, x)));
	assert_int_equal(b->check(b, e, &no_limit), VERDICT_UNSAT);
	e = expr_eq(p, x, expr_const(p, 16, 5));
	assert_int_equal(b->check(b, e, &no_limit), VERDICT_SAT);
	assert_int_equal((uint64_t)b->value(b, x), 5);
	b->close(b);
	z->close(z);
	exprs_free(p);
}

/* What is asserted stays, also what contradicts itself. */
static void assertions(void **state)
{
	static const struct backend *const kinds[] = {&backend_blast, &backend_z3};

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct exprs *p = exprs_new();
		struct backend *b = kinds[k]->open(kinds[k], p);
		expr_t x = expr_input(p, 0, 3),
		       big = expr_binary(p, MUSTER_OP_ULT, expr_const(p, 8, 200), x);

		assert_int_equal(b->check(b, EXPR_NONE, &no_limit), VERDICT_SAT);
		assert_int_equal(b->check(b, expr_false(p), &no_limit), VERDICT_UNSAT);
		assert_int_equal(b->check(b, expr_not(p, big), &no_limit), VERDICT_SAT);
		assert_true(b->value(b, x) <= 200);
		assert_int_equal(b->check(b, big, &no_limit), VERDICT_SAT);
		assert_true(b->value(b, x) > 200);
		assert_int_equal((uint64_t)b->value(b, expr_input(p, 0, 4)), 0);
		b->assert_term(b, big);
		assert_int_equal(b->check(b, expr_not(p, big), &no_limit), VERDICT_UNSAT);
		assert_int_equal(b->check(b, EXPR_NONE, &no_limit), VERDICT_SAT);
		b->assert_term(b, expr_not(p, big));
		assert_int_equal(b->check(b, EXPR_NONE, &no_limit), VERDICT_UNSAT);
		assert_int_equal(b->check(b, expr_true(p), &no_limit), VERDICT_UNSAT);
		b->close(b);
		exprs_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(assertions),	cmocka_unit_test(blast_brute),
	    cmocka_unit_test(z3_brute),		cmocka_unit_test(blast_two_bytes),
	    cmocka_unit_test(blast_operators),	cmocka_unit_test(z3_operators),
	    cmocka_unit_test(blast_against_z3), cmocka_unit_test(blast_crc),
	    cmocka_unit_test(blast_two_crcs),	cmocka_unit_test(affine_random),
	    cmocka_unit_test(blast_limits),	cmocka_unit_test(z3_limits), cmocka_unit_test(z3_deep),
	    cmocka_unit_test(blast_deep),	cmocka_unit_test(functions),
	    cmocka_unit_test(quotients),	cmocka_unit_test(blast_guarded_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
