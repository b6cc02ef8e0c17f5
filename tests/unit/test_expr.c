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

static int is_variable(const struct exprs *p, expr_t e)
{
	unsigned op = expr_get(p, e)->op;
	return op == MUSTER_OP_INPUT || op == MUSTER_OP_LENGTH || op == EXPR_OP_NAMED;
}

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
			expr_t b = terms[round % 3 ? n - 1 - soup_random(&s) % 40
						   : soup_random(&s) % n];
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

/* In another pool, with other ids: the same value, mostly the same digest (the order of operands may give
 * other rewritings), and back again the same term or one of the same value. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_idempotent), cmocka_unit_test(test_vars),
	    cmocka_unit_test(test_vars_large), cmocka_unit_test(test_substitute),
	    cmocka_unit_test(test_import),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
