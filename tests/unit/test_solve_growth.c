/* test_solve_growth.c: what long paths cost: negating n branches must not cost n times as much for each. */
#include "solve_terms.h"
#include "timing.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t state = 88172645463325252ull;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ------------------------------------------------------------------ growth */
static u128 long_value(void *ctx, expr_t e)
{
	(void)ctx;
	return (expr_get(pool, e)->k * 7 + 13) & 0x7f;
}

/* A parser's path: each byte is compared with a few constants, neighbours with each other. */
static double bytes_path(unsigned constraints, struct solve_stats *out)
{
	struct solver *s = solver_new(&(struct solve_options){0});
	double before = now();
	struct solve_path *path;

	pool = exprs_new();
	path = solve_path_new(s, pool, long_value, NULL);
	for (unsigned i = 0; i < constraints; i++) {
		unsigned at = i / 4;
		uint64_t x = (uint64_t)long_value(NULL, in(at));
		expr_t c = i % 4 == 3 ? op(MUSTER_OP_ULT, in(at), in(at / 8 * 8))
				      : expr_eq(pool, in(at), number(8, x + i % 4 * (i % 4 != 2)));
		struct solve_model m;

		if (expr_eval(pool, c, long_value, NULL) == 0)
			c = expr_not(pool, c);
		assert_true(solve_path_query(path, expr_not(pool, c), &m) != VERDICT_UNKNOWN);
		solve_model_release(&m);
		assert_true(solve_path_add(path, c) >= 0);
	}
	solve_path_free(path);
	exprs_free(pool);
	*out = *solver_stats(s);
	solver_free(s);
	return now() - before;
}

enum chain { SUM, PRODUCT, CRC };

/* The next value of a checksum. */
static expr_t chain_step(enum chain kind, expr_t sum, expr_t byte, expr_t table)
{
	expr_t at;

	byte = expr_zext(pool, byte, 32);
	if (kind == SUM)
		return op(MUSTER_OP_ADD, sum, byte);
	if (kind == PRODUCT)
		return op(MUSTER_OP_ADD, op(MUSTER_OP_MUL, sum, number(32, 31)), byte);
	at = op(MUSTER_OP_AND, op(MUSTER_OP_XOR, sum, byte), number(32, 255));
	at = op(MUSTER_OP_MUL, expr_zext(pool, at, 64), number(64, 4));
	return op(MUSTER_OP_XOR, expr_read(pool, table, at, 32),
		  op(MUSTER_OP_LSHR, sum, number(32, 8)));
}

static expr_t crc_table(void)
{
	uint8_t bytes[1024];

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		memcpy(bytes + 4 * i, &c, 4);
	}
	return expr_data_const(pool, bytes, sizeof bytes);
}

/* A checksum over all bytes so far, compared at each step with any value, for the sum one not far
 * from the run's: one slice for all. From the tenth byte on all these can be reached. */
static double chain_path(unsigned constraints, enum chain kind, struct solve_stats *out)
{
	struct solver *s = solver_new(&(struct solve_options){0});
	double before = now();
	struct solve_path *path;
	expr_t sum, table;
	uint32_t plain = 0xffffffff;

	pool = exprs_new();
	table = crc_table();
	path = solve_path_new(s, pool, long_value, NULL);
	sum = number(32, 0xffffffff);
	for (unsigned i = 0; i < constraints; i++) {
		struct solve_model m;
		expr_t c;

		sum = chain_step(kind, sum, in(i), table);
		plain += (uint32_t)long_value(NULL, in(i));
		if (i < 10)
			continue;
		c = number(32, kind == SUM ? plain + 1 + next() % 400 : next());
		c = expr_not(pool, expr_eq(pool, sum, c));
		assert_int_equal(solve_path_query(path, expr_not(pool, c), &m), VERDICT_SAT);
		solve_model_release(&m);
		assert_true(solve_path_add(path, c) >= 0);
	}
	assert_int_equal(solver_stats(s)->bad_models, 0);
	solve_path_free(path);
	exprs_free(pool);
	*out = *solver_stats(s);
	solver_free(s);
	return now() - before;
}

static void show(const char *what, double small, double large, const struct solve_stats *st)
{
	print_message("%s: %.3f s, then %.3f s, ratio %.1f;", what, small, large, large / small);
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++)
		if (st->answered[i] || st->seconds[i] > 0.001)
			print_message(" %s %llu (%.3fs)", solve_rung_key(i),
				      (unsigned long long)st->answered[i], st->seconds[i]);
	print_message("\n");
}

/* Sixteen times the constraints, less than thirty times the time. */
static void test_growth(void **unused)
{
	struct solve_stats st;
	double small, large;

	(void)unused;
	small = bytes_path(1000, &st);
	large = bytes_path(16000, &st);
	show("bytes", small, large, &st);
	assert_quick(large < 30 * small + 0.1);
	small = chain_path(1000, SUM, &st);
	large = chain_path(16000, SUM, &st);
	show("sum", small, large, &st);
	assert_quick(large < 30 * small + 0.1);
	small = chain_path(1000, PRODUCT, &st);
	large = chain_path(16000, PRODUCT, &st);
	show("product", small, large, &st);
	assert_quick(large < 30 * small + 0.1);
	small = chain_path(60, CRC, &st);
	large = chain_path(810, CRC, &st); /* sixteen times fifty, all of them for the SAT solver */
	show("crc", small, large, &st);
	assert_quick(large < 30 * small + 0.1);
}

/* More groups than solvers may live at a time, asked in turn; then goals that join some. */
static void test_many_groups(void **unused)
{
	struct solver *s = solver_new(&(struct solve_options){.no_search = 1, .no_cache = 1});
	struct solve_path *path;
	unsigned groups = 0, at[200];
	uint64_t before;

	(void)unused;
	pool = exprs_new();
	path = solve_path_new(s, pool, long_value, NULL);
	for (unsigned k = 0; groups < 60; k += 3) {
		if (solve_path_add(path, op(MUSTER_OP_ULT, in(k), in(k + 1))) < 0 ||
		    solve_path_add(path, op(MUSTER_OP_ULT, in(k + 1), in(k + 2))) < 0)
			continue;
		at[groups++] = k;
	}
	for (int round = 0; round < 2; round++)
		for (unsigned g = 0; g < groups; g++)
			ask(path,
			    round ? op(MUSTER_OP_ULT, in(at[g] + 2), number(8, 2))
				  : op(MUSTER_OP_ULT, number(8, 253), in(at[g])),
			    VERDICT_UNSAT, SOLVE_SAT, NULL);
	for (unsigned g = 0; g + 1 < groups; g += 2) { /* c is at most 255, a at most 253 */
		expr_t sum = op(MUSTER_OP_ADD, expr_zext(pool, in(at[g] + 2), 16),
				expr_zext(pool, in(at[g + 1]), 16));

		ask(path, op(MUSTER_OP_ULT, number(16, 255 + 253), sum), VERDICT_UNSAT, SOLVE_SAT,
		    NULL);
	}
	before = solver_stats(s)->slice_constraints;
	ask(path, op(MUSTER_OP_ULT, number(8, 254), in(at[0] + 1)), VERDICT_UNSAT, SOLVE_SAT, NULL);
	assert_int_equal(solver_stats(s)->slice_constraints - before, 2);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_many_groups),
	    cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
