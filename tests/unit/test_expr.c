/* test_expr.c: constructors: what they make, and that they never change a value.
 *
 * Random operations are evaluated one by one without the library and compared with
 * the normalised terms at several points. MUSTER_TEST_ROUNDS makes it longer.
 */
#include "test_expr.h"
#include "expr/pool.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned rounds(unsigned usual)
{
	const char *s = getenv("MUSTER_TEST_ROUNDS");
	return s ? usual * (unsigned)atoi(s) : usual;
}

static void show(const struct exprs *p, expr_t e)
{
	struct expr_order order = {0};
	expr_walk(p, &e, 1, &order);
	for (size_t i = 0; i < order.size; i++) {
		const struct expr_node *n = node(p, order.data[i]);
		print_error("%u: %s w%u %u %u %u k=%" PRIx64 " %" PRIx64 "\n", order.data[i],
			    n->op < MUSTER_OP_COUNT ? op_table[n->op].name : "?", n->width, n->a,
			    n->b, n->c, n->k, n->high);
	}
	vec_release(&order);
}

static void test_values(void **unused)
{
	(void)unused;
	static struct soup s;
	for (unsigned seed = 1; seed <= rounds(400); seed++) {
		soup_init(&s, seed, 150, seed % 4 ? 128 : 64);
		for (unsigned i = 0; i < s.count; i++) {
			struct soup_item *x = &s.items[i];
			assert_int_equal(expr_width(s.p, x->e), x->width);
			for (s.point = 0; s.point < POINTS; s.point += 1 + (i & 3)) {
				u128 v = expr_eval(s.p, x->e, soup_value, &s);
				if (v == x->at[s.point])
					continue;
				show(s.p, x->e);
				fail_msg("seed %u item %u: %" PRIx64 " %" PRIx64
					 " instead of %" PRIx64 " %" PRIx64,
					 seed, i, (uint64_t)(v >> 64), (uint64_t)v,
					 (uint64_t)(x->at[s.point] >> 64),
					 (uint64_t)x->at[s.point]);
			}
		}
		soup_release(&s);
	}
}

/* The constructor of each node's operator gives the node back. */
static void test_idempotent(void **unused)
{
	(void)unused;
	static struct soup s;
	for (unsigned seed = 1; seed <= rounds(300); seed++) {
		soup_init(&s, seed, 200, 128);
		for (expr_t e = 1; e < exprs_count(s.p); e++) {
			struct expr_node n = *node(s.p, e);
			if (n.op == MUSTER_OP_DATA || n.op == EXPR_OP_NAMED)
				continue;
			expr_t again = expr_rebuild(s.p, &n, n.a, n.b, n.c);
			if (again == e)
				continue;
			show(s.p, e);
			print_error("became\n");
			show(s.p, again);
			fail_msg("seed %u term %u", seed, e);
		}
		soup_release(&s);
	}
}

/* ---------------------------------------------------------- variables */

static int ascending(const void *x, const void *y)
{
	expr_t a = *(const expr_t *)x, b = *(const expr_t *)y;
	return a < b ? -1 : a > b;
}

static void check_vars(struct exprs *p, expr_t e)
{
	struct expr_order order = {0};
	expr_walk(p, &e, 1, &order);
	size_t n = 0;
	for (size_t i = 0; i < order.size; i++)
		if (is_variable(p, order.data[i]))
			order.data[n++] = order.data[i];
	qsort(order.data, n, sizeof *order.data, ascending);
	uint32_t count;
	const expr_t *vars = expr_vars(p, e, &count);
	assert_int_equal(count, n);
	if (n)
		assert_memory_equal(vars, order.data, n * sizeof *vars);
	vec_release(&order);
}

static void test_vars(void **unused)
{
	(void)unused;
	static struct soup s;
	for (unsigned seed = 1; seed <= rounds(100); seed++) {
		soup_init(&s, seed, 150, 128);
		for (unsigned i = 0; i < s.count; i++)
			if (seed % 2 || soup_random(&s) % 4 == 0)
				check_vars(s.p, s.items[i].e);
		soup_release(&s);
	}
}

/* Terms over hundreds of variables, so that sets are shared, extended at both ends and lazy. */
static void test_vars_large(void **unused)
{
	(void)unused;
	struct soup s = {.random = 77};
	for (unsigned round = 0; round < rounds(30); round++) {
		struct exprs *p = exprs_new();
		expr_t terms[600];
		unsigned n = 0;
		for (; n < 200; n++)
			terms[n] = expr_input(p, 0, round % 2 ? n : 1000 - n);
		for (; n < 600; n++) {
			expr_t a = terms[soup_random(&s) % n];
			expr_t b =
			    terms[round % 3 ? n - 1 - soup_random(&s) % 40 : soup_random(&s) % n];
			terms[n] = expr_binary(p, n % 5 ? MUSTER_OP_MUL : MUSTER_OP_UDIV, a, b);
			if (soup_random(&s) % 3 == 0)
				check_vars(p, terms[n]);
		}
		for (unsigned i = 0; i < 600; i++)
			check_vars(p, terms[i]);
		exprs_free(p);
	}
}

/* ------------------------------------------------------- substitution */

struct replace {
	struct soup *s;
	expr_t by[SOUP_VARS];
};

static expr_t replacement(void *ctx, expr_t variable)
{
	struct replace *r = ctx;
	for (unsigned i = 0; i < SOUP_VARS; i++)
		if (r->s->items[i].e == variable)
			return r->by[i];
	return EXPR_NONE;
}

/* The value of a variable is that of its replacement. */
static u128 replaced_value(void *ctx, expr_t variable)
{
	struct replace *r = ctx;
	expr_t by = replacement(r, variable);
	for (unsigned i = 0; by && i < r->s->count; i++)
		if (r->s->items[i].e == by)
			return r->s->items[i].at[r->s->point];
	return soup_value(r->s, variable);
}

static void test_substitute(void **unused)
{
	(void)unused;
	static struct soup s;
	for (unsigned seed = 1; seed <= rounds(100); seed++) {
		struct replace r = {.s = &s};
		soup_init(&s, seed, 120, 128);
		for (unsigned i = 0; i < SOUP_VARS; i++)
			for (unsigned j = soup_random(&s) % s.count; i % 3 && j < s.count; j++)
				if (s.items[j].width == s.items[i].width) {
					r.by[i] = s.items[j].e;
					break;
				}
		for (unsigned i = SOUP_VARS; i < s.count; i += 7) {
			expr_t e = expr_substitute(s.p, s.items[i].e, replacement, &r);
			s.point = i % POINTS;
			u128 v = expr_eval(s.p, e, soup_value, &s),
			     w = expr_eval(s.p, s.items[i].e, replaced_value, &r);
			assert_true(v == w);
		}
		soup_release(&s);
	}
}

struct both {
	struct soup *s;
	struct exprs *other;
};

static u128 other_value(void *ctx, expr_t variable)
{
	struct both *b = ctx;
	for (unsigned i = 0; i < SOUP_VARS; i++) {
		struct hash128 x = expr_digest(b->other, variable),
			       y = expr_digest(b->s->p, b->s->items[i].e);
		if (x.a == y.a && x.b == y.b)
			return b->s->items[i].at[b->s->point];
	}
	fail_msg("a variable without a twin");
	return 0;
}

/* In another pool, with other ids: the same value, mostly the same digest (the order of operands
 * may give other rewritings), and back again the same term or one of the same value. */
static void test_import(void **unused)
{
	(void)unused;
	static struct soup s;
	unsigned same = 0, all = 0;
	for (unsigned seed = 1; seed <= rounds(100); seed++) {
		soup_init(&s, seed, 120, 128);
		struct both b = {&s, exprs_new()};
		struct expr_import memo = {0};
		for (unsigned i = s.count; i-- > 0;) {
			expr_t e = expr_import(b.other, s.p, s.items[i].e, &memo);
			s.point = i % POINTS;
			assert_true(expr_eval(b.other, e, other_value, &b) ==
				    s.items[i].at[s.point]);
			struct hash128 x = expr_digest(b.other, e),
				       y = expr_digest(s.p, s.items[i].e);
			same += x.a == y.a && x.b == y.b;
			all++;
		}
		expr_import_release(&memo);
		exprs_free(b.other);
		soup_release(&s);
	}
	if (same < all - all / 200)
		fail_msg("only %u digests of %u are the same", same, all);
}

/* --------------------------------------------------------- normal forms */

/* Both ways of saying it are one term. */
static void test_forms(void **unused)
{
	(void)unused;
	struct exprs *p = exprs_new();
	expr_t x = expr_input(p, 0, 0), y = expr_input(p, 0, 1), n = expr_named(p, 32, "n");
	expr_t wide = expr_zext(p, x, 32), seven = expr_const(p, 32, 7);
#define K(w, v) expr_const(p, w, (u128)(v))
#define B(op, a, b) expr_binary(p, MUSTER_OP_##op, a, b)
	assert_int_equal(B(ADD, seven, n), B(SUB, n, K(32, -7)));
	assert_int_equal(B(ADD, B(ADD, n, seven), B(ADD, wide, K(32, 1))),
			 B(ADD, B(ADD, wide, n), K(32, 8)));
	assert_int_equal(B(NE, n, seven), expr_not(p, expr_eq(p, seven, n)));
	assert_int_equal(B(ULE, n, seven), B(ULT, n, K(32, 8)));
	assert_int_equal(expr_not(p, B(SLT, n, seven)), B(SLT, K(32, 6), n));
	assert_int_equal(B(ULT, n, K(32, 1)), expr_eq(p, n, K(32, 0)));
	assert_int_equal(B(ULT, wide, K(32, 300)), expr_true(p));
	assert_int_equal(B(SLT, wide, K(32, 'z')), B(ULT, x, K(8, 'z')));
	assert_int_equal(expr_eq(p, wide, K(32, 0x141)), expr_false(p));
	assert_int_equal(expr_eq(p, wide, K(32, 0x41)), expr_eq(p, x, K(8, 0x41)));
	assert_int_equal(B(MUL, n, K(32, 8)), B(SHL, n, K(32, 3)));
	assert_int_equal(B(UDIV, n, K(32, 16)), B(LSHR, n, K(32, 4)));
	assert_int_equal(B(UREM, n, K(32, 16)), B(AND, n, K(32, 15)));
	assert_int_equal(expr_extract(p, n, 8, 16),
			 expr_concat(p, expr_extract(p, n, 16, 8), expr_extract(p, n, 8, 8)));
	expr_t word = B(OR, wide, B(SHL, expr_zext(p, y, 32), K(32, 8)));
	assert_int_equal(word, expr_zext(p, expr_concat(p, y, x), 32));
	assert_int_equal(expr_extract(p, word, 8, 8), y);
	assert_int_equal(expr_unary(p, MUSTER_OP_BSWAP, expr_concat(p, y, x)),
			 expr_concat(p, x, y));
	expr_t c = expr_eq(p, x, y);
	assert_int_equal(expr_eq(p, expr_ite(p, c, K(32, 1), K(32, 0)), K(32, 1)), c);
	assert_int_equal(expr_eq(p, expr_ite(p, c, K(32, 5), K(32, 3)), K(32, 3)), expr_not(p, c));
	assert_int_equal(expr_extract(p, B(ADD, wide, K(32, 1)), 0, 8), B(ADD, x, K(8, 1)));
	/* nothing of this is folded: each must be found undefined */
	assert_int_equal(expr_defined(p, B(UDIV, n, K(32, 0))), expr_false(p));
	assert_int_equal(expr_defined(p, B(SHL, n, K(32, 32))), expr_false(p));
	assert_int_equal(expr_defined(p, B(SHL, n, K(32, 31))), expr_true(p));
	assert_int_equal(expr_defined(p, B(SDIV, n, K(32, -1))), B(NE, n, K(32, 0x80000000)));
	uint8_t bytes[300] = {1, 2, 3};
	expr_t data = expr_data_const(p, bytes, 300);
	assert_int_equal(expr_read(p, data, K(64, 1), 16), K(16, 0x302));
	assert_int_equal(expr_defined(p, expr_read(p, data, K(64, 299), 16)), expr_false(p));
	expr_t read = expr_read(p, data, B(ADD, expr_zext(p, x, 64), K(64, 2)), 8);
	assert_int_equal(expr_data_count(p, expr_get(p, read)->b), 256);
	exprs_free(p);
}

static u128 given(void *ctx, expr_t variable)
{
	(void)variable;
	return *(u128 *)ctx;
}

/* What random terms seldom hit: the one value where an equality holds, the ends of tables. */
static void test_edges(void **unused)
{
	(void)unused;
	struct exprs *p = exprs_new();
	struct soup s = {.random = 99};
	for (unsigned width = 2; width <= 128; width++) {
		char name[16];
		snprintf(name, sizeof name, "v%u", width);
		expr_t x = expr_named(p, width, name);
		for (unsigned i = 0; i < 20; i++) {
			u128 odd = soup_bits(&s) | 1, at = op_mask(soup_bits(&s), width),
			     mask = op_mask(soup_bits(&s), width);
			assert_int_equal(expr_eq(p, B(MUL, x, K(width, odd)), K(width, odd * at)),
					 expr_eq(p, x, K(width, at)));
			assert_true(
			    expr_eval(p, expr_eq(p, B(AND, x, K(width, mask)), K(width, at & mask)),
				      given, &at));
			assert_true(
			    expr_eval(p, expr_eq(p, B(OR, x, K(width, mask)), K(width, at | mask)),
				      given, &at));
		}
	}
	expr_t index = expr_zext(p, expr_named(p, 5, "index"), 64);
	uint8_t bytes[50];
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 37 + 1);
	for (unsigned count = 1; count < sizeof bytes; count++)
		for (unsigned from = 0; from < count + 3; from++) {
			unsigned size = 1 + (count + from) % 4;
			expr_t read = expr_read(p, expr_data_const(p, bytes, count),
						B(ADD, index, K(64, from)), size * 8);
			for (u128 i = 0; i < 32; i += 1) {
				unsigned at = from + (unsigned)i;
				u128 wanted = 0;
				for (unsigned b = size; at + size <= count && b-- > 0;)
					wanted = wanted << 8 | bytes[at + b];
				assert_true(expr_eval(p, read, given, &i) == wanted);
			}
		}
	exprs_free(p);
}

/* A word whose low or high part is a constant, beside every number, on either side, in every order. */
static void test_parts(void **unused)
{
	(void)unused;
	static const enum muster_op less[] = {MUSTER_OP_ULT, MUSTER_OP_ULE, MUSTER_OP_SLT, MUSTER_OP_SLE, MUSTER_OP_EQ};
	struct exprs *p = exprs_new();
	expr_t x = expr_named(p, 4, "x");
	for (u128 part = 0; part < 8; part++)
		for (unsigned low = 0; low < 2; low++) {
			expr_t word = low ? expr_concat(p, x, K(3, part)) : expr_concat(p, K(3, part), x);
			for (u128 v = 0; v < 128; v++)
				for (unsigned i = 0; i < sizeof less / sizeof *less; i++) {
					expr_t left = expr_binary(p, less[i], K(7, v), word), right = expr_binary(p, less[i], word, K(7, v));
					for (u128 at = 0; at < 16; at++) {
						u128 is = low ? at << 3 | part : part << 4 | at;
						assert_true(expr_eval(p, left, given, &at) == expr_total(less[i], 1, 7, 0, v, is, 0));
						assert_true(expr_eval(p, right, given, &at) == expr_total(less[i], 1, 7, 0, is, v, 0));
					}
				}
		}
	expr_t n = expr_named(p, 32, "n"), index = expr_sext(p, n, 64);
	assert_int_equal(B(SLT, K(64, 40), B(SHL, index, K(64, 2))), B(SLT, K(32, 10), n)); /* an index into an array of int */
	assert_int_equal(B(SLT, B(SHL, index, K(64, 2)), K(64, 41)), B(SLT, n, K(32, 11)));
	exprs_free(p);
}

/* A million terms deep: nothing recurses, nothing is quadratic. */
static void test_deep(void **unused)
{
	(void)unused;
	struct exprs *p = exprs_new(), *other = exprs_new();
	struct soup s = {.p = p};
	expr_t e = expr_zext(p, expr_input(p, 0, 0), 32);
	for (unsigned i = 0; i < 500000; i++) {
		expr_t byte = expr_zext(p, expr_input(p, 0, i * 40503ull % 65536), 32);
		e = expr_binary(p, MUSTER_OP_XOR,
				expr_binary(p, MUSTER_OP_MUL, e, expr_const(p, 32, 16777619)),
				byte);
	}
	struct expr_import memo = {0};
	uint32_t count;
	expr_t copy = expr_import(other, p, e, &memo);
	assert_true(expr_eval(p, e, soup_value, &s) == expr_eval(other, copy, soup_value, &s));
	struct hash128 x = expr_digest(p, e), y = expr_digest(other, copy);
	assert_true(x.a == y.a && x.b == y.b);
	expr_vars(p, e, &count);
	assert_int_equal(count, 65536);
	expr_import_release(&memo);
	exprs_free(p);
	exprs_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),     cmocka_unit_test(test_idempotent),
	    cmocka_unit_test(test_vars),       cmocka_unit_test(test_vars_large),
	    cmocka_unit_test(test_substitute), cmocka_unit_test(test_import),
	    cmocka_unit_test(test_forms),      cmocka_unit_test(test_edges),
	    cmocka_unit_test(test_deep),       cmocka_unit_test(test_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
