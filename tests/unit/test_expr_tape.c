/* test_expr_tape.c: tapes compute what the terms mean, one by one and in batches; and how fast. */
#include "test_expr.h"
#include "expr/tape.h"
#include "timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static unsigned rounds(unsigned usual)
{
	const char *s = getenv("MUSTER_TEST_ROUNDS");
	return s ? usual * (unsigned)atoi(s) : usual;
}

static void check_scalar(struct soup *s, struct tape *t)
{
	u128 slots[SOUP_VARS], out[SOUP_MAX];
	for (s->point = 0; s->point < POINTS; s->point++) {
		for (unsigned i = 0; i < t->var_count; i++)
			slots[i] = soup_value(s, t->vars[i]);
		tape_run(t, slots, out);
		for (unsigned i = 0; i < s->count; i++)
			if (out[i] != s->items[i].at[s->point])
				fail_msg("item %u at point %u", i, s->point);
	}
}

static int check_batch(struct soup *s, struct tape *t)
{
	uint64_t slots[SOUP_VARS * TAPE_LANES];
	static uint64_t out[SOUP_MAX * TAPE_LANES];
	for (unsigned i = 0; i < t->var_count; i++)
		for (unsigned l = 0; l < TAPE_LANES; l++) {
			s->point = (l * 5 + 1) % POINTS;
			slots[i * TAPE_LANES + l] = (uint64_t)soup_value(s, t->vars[i]);
		}
	if (!tape_run_batch(t, slots, out))
		return 0;
	for (unsigned i = 0; i < s->count; i++)
		for (unsigned l = 0; l < TAPE_LANES; l++)
			if (out[i * TAPE_LANES + l] !=
			    (uint64_t)s->items[i].at[(l * 5 + 1) % POINTS])
				fail_msg("item %u in lane %u", i, l);
	return 1;
}

static void test_tape(void **unused)
{
	(void)unused;
	static struct soup s;
	unsigned narrow = 0, wide = 0;
	for (unsigned seed = 1; seed <= rounds(400); seed++) {
		struct tape t;
		expr_t roots[SOUP_MAX];
		soup_init(&s, seed, 150, seed % 2 ? 64 : 128);
		for (unsigned i = 0; i < s.count; i++)
			roots[i] = s.items[i].e;
		tape_init(&t, s.p, roots, s.count);
		check_scalar(&s, &t);
		*(check_batch(&s, &t) ? &narrow : &wide) += 1;
		tape_release(&t);
		soup_release(&s);
	}
	assert_true(narrow >= rounds(400) / 2 && wide > rounds(400) / 4);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Some 200 nodes as paths have them: words of bytes, sums, comparisons. */
static expr_t path_like(struct exprs *p)
{
	expr_t all = expr_true(p), acc = expr_const(p, 32, 17);
	for (unsigned i = 0; i < 16; i++) {
		expr_t word = expr_concat(p, expr_input(p, 0, 2 * i), expr_input(p, 0, 2 * i + 1));
		expr_t x = expr_zext(p, word, 32);
		acc = expr_binary(p, MUSTER_OP_ADD, acc, x);
		acc = expr_binary(p, MUSTER_OP_XOR, acc,
				  expr_binary(p, MUSTER_OP_LSHR, acc, expr_const(p, 32, 3)));
		acc = expr_binary(p, MUSTER_OP_MUL, acc, expr_const(p, 32, 33));
		expr_t less = expr_binary(p, MUSTER_OP_ULT, acc, expr_const(p, 32, 0x7fff0000 + i));
		expr_t sless = expr_binary(p, MUSTER_OP_SLT, expr_sext(p, word, 32), acc);
		expr_t eq = expr_eq(p, word, expr_const(p, 16, 0x4142 + i));
		all = expr_and(p, all, expr_or(p, less, expr_or(p, expr_not(p, eq), sless)));
	}
	return all;
}

/* Prints the speed; fails only if it is far off, since machines differ. */
static void test_speed(void **unused)
{
	(void)unused;
	struct exprs *p = exprs_new();
	expr_t e = path_like(p);
	struct tape t;
	tape_init(&t, p, &e, 1);
	u128 slots[32], out;
	uint64_t lanes[32 * TAPE_LANES], outs[TAPE_LANES], sum = 0;
	for (unsigned i = 0; i < 32; i++)
		slots[i] = i * 7;
	for (unsigned i = 0; i < 32 * TAPE_LANES; i++)
		lanes[i] = i * 13 & 0xff;
	unsigned n = 200000;
	double start = now();
	for (unsigned i = 0; i < n; i++) {
		slots[i & 31] = i;
		tape_run(&t, slots, &out);
		sum += (uint64_t)out;
	}
	double scalar = n / (now() - start) / 1e6;
	start = now();
	for (unsigned i = 0; i < n / 4; i++) {
		lanes[i & 31] = i & 0xff;
		assert_true(tape_run_batch(&t, lanes, outs));
		sum += outs[i % TAPE_LANES];
	}
	double batch = n / 4 * TAPE_LANES / (now() - start) / 1e6;
	print_message("%u instructions: %.2f M/s scalar, %.2f M/s batch (%u)\n", t.code_size,
		      scalar, batch, (unsigned)sum & 1);
	assert_quick(scalar > 0.2 && batch > 0.5);
	tape_release(&t);
	exprs_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tape),
	    cmocka_unit_test(test_speed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
