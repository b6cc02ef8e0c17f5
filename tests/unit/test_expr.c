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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_idempotent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
