/* test_solve.c: each rung of the ladder by itself: which queries it answers, and how; the cache, dumped queries,
 * and what an optimistic answer is. test_solve_random.c asks whether the answers are right, test_solve_growth.c what they cost.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "solve_terms.h"

#include <stdio.h>
#include <string.h>

static void test_add(void **unused)
{
	struct input run = {.bytes = "abc"};
	struct solver *s = solver_new(NULL);
	struct solve_path *path;
	expr_t both;

	(void)unused;
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	assert_int_equal(solve_path_add(path, expr_eq(pool, in(0), number(8, 'a'))), 1);
	assert_int_equal(solve_path_add(path, expr_eq(pool, in(0), number(8, 'a'))), 0);
	assert_int_equal(solve_path_add(path, expr_true(pool)), 0);
	assert_int_equal(solve_path_add(path, expr_eq(pool, in(1), number(8, 'x'))), -1);
	assert_true(strlen(error_text()) > 0);
	both =
	    expr_and(pool, op(MUSTER_OP_ULT, in(1), in(2)), expr_eq(pool, in(2), number(8, 'c')));
	assert_int_equal(solve_path_add(path, both), 1);
	assert_int_equal(solve_path_add(path, op(MUSTER_OP_ULT, in(1), in(2))), 0);
	ask(path, expr_true(pool), VERDICT_SAT, SOLVE_FOLD, NULL);
	ask(path, expr_false(pool), VERDICT_UNSAT, SOLVE_FOLD, NULL);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

static void test_slices(void **unused)
{
	struct input run = {.bytes = "abcdefgh"};
	struct solver *s = solver_new(NULL);
	struct solve_path *path;
	uint64_t before;

	(void)unused;
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	solve_path_add(path, op(MUSTER_OP_ULT, in(0), in(1)));
	solve_path_add(path, op(MUSTER_OP_ULT, in(1), in(2)));
	solve_path_add(path, op(MUSTER_OP_ULT, in(4), in(5)));
	solve_path_add(path, op(MUSTER_OP_ULT, in(6), number(8, 200)));
	before = solver_stats(s)->slice_constraints;
	ask(path, expr_eq(pool, in(6), number(8, 7)), VERDICT_SAT, SOLVE_COPY, NULL);
	assert_int_equal(solver_stats(s)->slice_constraints - before, 1);
	before = solver_stats(s)->slice_constraints;
	ask(path, op(MUSTER_OP_ULT, in(2), in(5)), VERDICT_SAT, SOLVE_MODEL,
	    NULL); /* holds already */
	assert_int_equal(solver_stats(s)->slice_constraints - before, 3);
	before = solver_stats(s)->slice_constraints;
	ask(path, expr_eq(pool, in(7), number(8, 7)), VERDICT_SAT, SOLVE_COPY, NULL);
	assert_int_equal(solver_stats(s)->slice_constraints - before, 0);
	/* a < b < c leaves 254 and 255 for b and c when a is 253 */
	ask(path, op(MUSTER_OP_ULT, number(8, 253), in(0)), VERDICT_UNSAT, SOLVE_SAT, NULL);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

static void test_local(void **unused)
{
	struct input run = {.bytes = "\x05\0\0\0\x07\0\0\0"};
	struct solver *s = solver_new(NULL);
	struct solve_path *path;
	expr_t x, y;

	(void)unused;
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	x = op(MUSTER_OP_MUL, u32le(0), u32le(4)); /* 35, and not taken apart by the constructors */
	y = op(MUSTER_OP_UDIV, u32le(4), u32le(8));
	solve_path_add(path, op(MUSTER_OP_ULT, x, number(32, 100)));
	ask(path, op(MUSTER_OP_ULT, x, number(32, 100)), VERDICT_SAT, SOLVE_LOCAL, NULL);
	ask(path, op(MUSTER_OP_ULE, number(32, 100), x), VERDICT_UNSAT, SOLVE_LOCAL, NULL);
	ask(path, expr_eq(pool, x, number(32, 101)), VERDICT_UNSAT, SOLVE_LOCAL, NULL);
	ask(path, op(MUSTER_OP_SLT, x, number(32, 0)), VERDICT_UNSAT, SOLVE_LOCAL, NULL);
	solve_path_add(path, expr_eq(pool, x, number(32, 35)));
	ask(path, expr_eq(pool, x, number(32, 36)), VERDICT_UNSAT, SOLVE_LOCAL, NULL);
	ask(path, op(MUSTER_OP_ULT, x, number(32, 35)), VERDICT_UNSAT, SOLVE_LOCAL, NULL);
	solve_path_add(path, op(MUSTER_OP_SLT, y, number(32, 0))); /* 7 / 0 is ones */
	ask(path, op(MUSTER_OP_ULT, y, number(32, 9)), VERDICT_UNSAT, SOLVE_LOCAL, NULL);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

static expr_t table_read(expr_t index)
{
	uint8_t bytes[256];

	for (unsigned i = 0; i < 256; i++)
		bytes[i] = (uint8_t)(i * 7 + 3);
	return expr_read(pool, expr_data_const(pool, bytes, 256), expr_zext(pool, index, 64), 8);
}

static void test_copy(void **unused)
{
	struct input run = {.bytes = "0123456789abcdefghijkl"}, got = run;
	struct solver *s = solver_new(NULL);
	struct solve_path *path;
	uint32_t value;
	expr_t sum;

	(void)unused;
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	ask(path, expr_eq(pool, u32le(0), number(32, 0xdeadbeef)), VERDICT_SAT, SOLVE_COPY, &got);
	memcpy(&value, got.bytes, 4);
	assert_int_equal(value, 0xdeadbeef);
	ask(path,
	    expr_eq(pool,
		    op(MUSTER_OP_ADD, expr_unary(pool, MUSTER_OP_BSWAP, u32le(4)), number(32, 77)),
		    number(32, 0x01020304 + 77)),
	    VERDICT_SAT, SOLVE_COPY, &got);
	assert_memory_equal(got.bytes + 4, "\1\2\3\4", 4);
	ask(path, op(MUSTER_OP_SLT, u32le(8), number(32, (uint64_t)-1000)), VERDICT_SAT, SOLVE_COPY,
	    &got);
	memcpy(&value, got.bytes + 8, 4);
	assert_true((int32_t)value < -1000);
	ask(path, expr_eq(pool, table_read(in(12)), number(8, 3 + 7 * 200 % 256)), VERDICT_SAT,
	    SOLVE_COPY, &got);
	assert_int_equal(got.bytes[12], 200);
	ask(path,
	    expr_eq(pool, op(MUSTER_OP_MUL, u32le(13), number(32, 12345)),
		    number(32, 12345u * 987654321u)),
	    VERDICT_SAT, SOLVE_COPY, &got);
	memcpy(&value, got.bytes + 13, 4);
	assert_int_equal(value * 12345u, 12345u * 987654321u);
	sum = op(MUSTER_OP_ADD, expr_zext(pool, in(17), 32), expr_zext(pool, in(18), 32));
	ask(path, expr_eq(pool, sum, number(32, 400)), VERDICT_SAT, SOLVE_COPY, &got);
	assert_int_equal(got.bytes[17] + got.bytes[18], 400);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

/* Numbers and hashes that are read byte by byte. */
static void test_linear(void **unused)
{
	struct input run = {.bytes = "000000 and more of the same"}, got = run;
	struct solver *s = solver_new(NULL);
	struct solve_path *path;
	expr_t value;
	uint32_t hash = 0;

	(void)unused;
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	value = number(32, 0);
	for (unsigned i = 0; i < 6; i++) {
		expr_t digit = op(MUSTER_OP_SUB, expr_zext(pool, in(i), 32), number(32, '0'));

		solve_path_add(path, op(MUSTER_OP_ULE, digit, number(32, 9)));
		value = op(MUSTER_OP_ADD, op(MUSTER_OP_MUL, value, number(32, 10)), digit);
	}
	ask(path, expr_eq(pool, value, number(32, 907312)), VERDICT_SAT, SOLVE_COPY, &got);
	assert_memory_equal(got.bytes, "907312", 6);
	ask(path, expr_eq(pool, value, number(32, 1000000)), VERDICT_UNSAT, SOLVE_SAT, NULL);
	value = number(32, 5381);
	for (unsigned i = 6; i < 20; i++)
		value = op(MUSTER_OP_ADD, op(MUSTER_OP_MUL, value, number(32, 33)),
			   expr_zext(pool, in(i), 32));
	ask(path, expr_eq(pool, value, number(32, 0xcafebabe)), VERDICT_SAT, SOLVE_COPY, &got);
	hash = 5381;
	for (unsigned i = 6; i < 20; i++)
		hash = hash * 33 + got.bytes[i];
	assert_int_equal(hash, 0xcafebabe);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

/* A byte alone is decided without a solver, both ways. */
static void test_one_byte(void **unused)
{
	struct input run = {.bytes = "5"};
	struct solver *s = solver_new(NULL);
	struct solve_path *path;
	expr_t square;

	(void)unused;
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	square = op(MUSTER_OP_MUL, expr_zext(pool, in(0), 16), expr_zext(pool, in(0), 16));
	solve_path_add(path, op(MUSTER_OP_ULT, number(8, 9), in(0)));
	ask(path, expr_eq(pool, square, number(16, 169)), VERDICT_SAT, SOLVE_SEARCH, &run);
	assert_int_equal(run.bytes[0], 13);
	ask(path, expr_eq(pool, square, number(16, 49)), VERDICT_UNSAT, SOLVE_SEARCH, NULL);
	ask(path, expr_eq(pool, square, number(16, 170)), VERDICT_UNSAT, SOLVE_SEARCH, NULL);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

/* ------------------------------------------------------------------- cache */
struct store {
	struct map verdicts;
	struct buf model;
	unsigned puts, gets;
};

static int store_get(void *ctx, struct hash128 key, enum verdict *v, struct buf *model)
{
	struct store *s = ctx;
	uint64_t value;

	s->gets++;
	if (!map_get(&s->verdicts, key.a, &value))
		return 0;
	*v = (enum verdict)value;
	if (*v == VERDICT_SAT)
		buf_add(model, s->model.data, s->model.size);
	return 1;
}

static void store_put(void *ctx, struct hash128 key, enum verdict v, const void *model, size_t size)
{
	struct store *s = ctx;

	s->puts++;
	map_set(&s->verdicts, key.a, v);
	if (v == VERDICT_SAT) {
		buf_clear(&s->model);
		buf_add(&s->model, model, size);
	}
}

/* x * y == 391 with x, y between 2 and 200, in a pool of its own; the order of constraints differs.
 */
static void factor_query(struct solver *s, int order, uint64_t product, enum verdict want,
			 enum solve_rung rung, int extra)
{
	struct input run = {.bytes = {3, 5}}, got = run;
	struct solve_path *path;
	expr_t x, y, c[2];

	pool = exprs_new();
	if (order)
		in(1);
	path = solve_path_new(s, pool, input_value, &run);
	x = expr_zext(pool, in(0), 32);
	y = expr_zext(pool, in(1), 32);
	c[0] = op(MUSTER_OP_ULT, number(32, 1), x);
	c[1] = op(MUSTER_OP_ULT, number(32, 1), y);
	assert_int_equal(solve_path_add(path, c[order]), 1);
	assert_int_equal(solve_path_add(path, c[!order]), 1);
	if (extra)
		solve_path_add(path, op(MUSTER_OP_ULT, in(0), number(8, 201)));
	ask(path, expr_eq(pool, op(MUSTER_OP_MUL, x, y), number(32, product)), want, rung, &got);
	if (want == VERDICT_SAT)
		assert_int_equal(got.bytes[0] * got.bytes[1], product);
	solve_path_free(path);
	exprs_free(pool);
}

static void test_cache(void **unused)
{
	struct store store = {0};
	struct solve_options o = {
	    .cache_get = store_get, .cache_put = store_put, .cache_ctx = &store, .no_search = 1};
	struct solver *s = solver_new(&o);

	(void)unused;
	factor_query(s, 0, 241 * 239, VERDICT_SAT, SOLVE_SAT, 0);
	assert_int_equal(store.puts, 1);
	factor_query(s, 1, 241 * 239, VERDICT_SAT, SOLVE_CACHE, 0);
	assert_int_equal(store.puts, 1);
	factor_query(s, 0, 257 * 3, VERDICT_UNSAT, SOLVE_SAT, 0);
	factor_query(s, 1, 257 * 3, VERDICT_UNSAT, SOLVE_CACHE, 0);
	factor_query(s, 1, 257 * 3, VERDICT_UNSAT, SOLVE_CACHE, 1); /* a subset is */
	solver_free(s);
	s = solver_new(&o); /* another process: only the store knows */
	factor_query(s, 1, 257 * 3, VERDICT_UNSAT, SOLVE_CACHE, 0);
	factor_query(s, 1, 241 * 239, VERDICT_SAT, SOLVE_CACHE, 0);
	assert_int_equal(store.puts, 2);
	if (store.model.size)
		store.model.data[0] ^= 0x40; /* damaged: as if there were none */
	solver_free(s);
	s = solver_new(&o);
	factor_query(s, 1, 241 * 239, VERDICT_SAT, SOLVE_SAT, 0);
	solver_free(s);
	map_release(&store.verdicts);
	buf_release(&store.model);
}

static void test_model_bytes(void **unused)
{
	struct solve_model m = {0}, back = {0};
	struct solve_value v = {MUSTER_OP_INPUT, 3, 1ull << 40, ((u128)1 << 100) + 5};
	struct buf b = {0};

	(void)unused;
	vec_push(&m.values, v);
	v.op = MUSTER_OP_LENGTH;
	vec_push(&m.values, v);
	solve_model_write(&m, &b);
	assert_int_equal(solve_model_read(&back, b.data, b.size), 0);
	assert_int_equal(back.values.size, 2);
	assert_true(back.values.data[0].value == v.value);
	assert_true(back.values.data[0].index == v.index);
	assert_int_equal(back.values.data[1].op, MUSTER_OP_LENGTH);
	for (size_t n = 0; n < b.size; n++)
		assert_int_equal(solve_model_read(&back, b.data, n), -1);
	b.data[5] = 99;
	assert_int_equal(solve_model_read(&back, b.data, b.size), -1);
	solve_model_release(&m);
	solve_model_release(&back);
	buf_release(&b);
}

/* ----------------------------------------------------------------- formula */
static void test_formula(void **unused)
{
	struct solver *s = solver_new(NULL);
	struct solve_model m = {0};
	expr_t x, y, f[3], args[1];

	(void)unused;
	pool = exprs_new();
	x = expr_named(pool, 32, "x");
	y = expr_named(pool, 32, "y");
	f[0] = expr_eq(pool, op(MUSTER_OP_MUL, x, y), number(32, 3599));
	f[1] = op(MUSTER_OP_ULT, number(32, 1), x);
	f[2] = op(MUSTER_OP_ULT, op(MUSTER_OP_OR, x, y), number(32, 64));
	assert_int_equal(solve_formula(s, pool, f, 3, &m), VERDICT_SAT);
	assert_int_equal(m.values.size, 2);
	assert_true(m.values.data[0].value * m.values.data[1].value == 3599);
	assert_true(m.values.data[0].source == x || m.values.data[1].source == x);
	solve_model_release(&m);
	f[0] = expr_eq(pool, op(MUSTER_OP_MUL, x, y), number(32, 3607)); /* a prime */
	f[1] = op(MUSTER_OP_ULT, number(32, 1), op(MUSTER_OP_AND, x, y));
	assert_int_equal(solve_formula(s, pool, f, 3, &m), VERDICT_UNSAT);
	solve_model_release(&m);
	args[0] = x; /* f(x) != f(y), x == y */
	f[0] = expr_apply(pool, "f", 32, args, 1);
	args[0] = y;
	f[0] = expr_not(pool, expr_eq(pool, f[0], expr_apply(pool, "f", 32, args, 1)));
	f[1] = expr_eq(pool, x, y);
	assert_int_equal(solve_formula(s, pool, f, 2, &m), VERDICT_UNSAT);
	solve_model_release(&m);
	assert_int_equal(solve_formula(s, pool, f, 1, &m), VERDICT_SAT);
	solve_model_release(&m);
	assert_int_equal(solve_formula(s, pool, NULL, 0, &m), VERDICT_SAT);
	solve_model_release(&m);
	exprs_free(pool);
	solver_free(s);
}

/* The prefix is a factorisation, far too hard for the limit; the goal alone is easy. */
static void test_optimistic(void **unused)
{
	struct solve_options o = {.conflicts = 3, .no_z3 = 1, .search_steps = 500};
	struct input run = {0};
	uint32_t p = 4294967291u, q = 4294967279u; /* primes */
	struct solver *s = solver_new(&o);
	struct solve_model m = {0};
	struct solve_path *path;
	expr_t x, y, goal;

	(void)unused;
	memcpy(run.bytes, &p, 4);
	memcpy(run.bytes + 4, &q, 4);
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	x = expr_zext(pool, u32le(0), 64);
	y = expr_zext(pool, u32le(4), 64);
	assert_int_equal(solve_path_add(path, expr_eq(pool, op(MUSTER_OP_MUL, x, y),
						      number(64, (uint64_t)p * q))),
			 1);
	goal = expr_eq(pool, op(MUSTER_OP_UREM, u32le(0), number(32, 1000)), number(32, 17));
	assert_int_equal(solve_path_query(path, goal, &m), VERDICT_UNKNOWN);
	assert_true(m.optimistic);
	assert_int_equal(m.rung, SOLVE_OPTIMISTIC);
	for (size_t i = 0; i < m.values.size; i++)
		run.bytes[m.values.data[i].index] = (uint8_t)m.values.data[i].value;
	memcpy(&p, run.bytes, 4);
	assert_int_equal(p % 1000, 17);
	assert_int_equal(solver_stats(s)->unknown, 1);
	solve_model_release(&m);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

/* A prime has no two factors. With little work there is no answer, with all of it the right one, whatever was learned meanwhile. */
static void test_work(void **unused)
{
	struct solve_options o = {.no_z3 = 1, .no_optimistic = 1};
	struct solve_effort little = {.work = 1000};
	struct input run = {.bytes = {3, 0, 5, 0}};
	struct solver *s = solver_new(&o);
	struct solve_model m = {0};
	expr_t words[2];

	(void)unused;
	pool = exprs_new();
	struct solve_path *path = solve_path_new(s, pool, input_value, &run);
	for (unsigned i = 0; i < 2; i++) {
		words[i] = expr_concat(pool, in(2 * i + 1), in(2 * i));
		solve_path_add(path, op(MUSTER_OP_ULT, number(16, 1), words[i]));
		solve_path_add(path, op(MUSTER_OP_ULT, words[i], number(16, 4096)));
	}
	expr_t goal = expr_eq(pool, op(MUSTER_OP_MUL, expr_zext(pool, words[0], 32), expr_zext(pool, words[1], 32)), number(32, 16769023));
	solver_effort(s, &little);
	assert_int_equal(solve_path_query(path, goal, &m), VERDICT_UNKNOWN);
	assert_int_equal(solver_stats(s)->unknown, 1);
	solver_effort(s, NULL);
	solve_model_release(&m);
	m = (struct solve_model){0};
	assert_int_equal(solve_path_query(path, goal, &m), VERDICT_UNSAT);
	solve_model_release(&m);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

static void test_dump(void **unused)
{
	struct solve_options o = {.dump_dir = file_temp("dump")};
	struct input run = {.bytes = "ab"};
	struct solver *s;
	struct solve_path *path;
	struct buf text = BUF_EMPTY;
	char *command, *list = file_temp("list");

	(void)unused;
	assert_int_equal(file_mkdirs(o.dump_dir), 0);
	s = solver_new(&o);
	pool = exprs_new();
	path = solve_path_new(s, pool, input_value, &run);
	solve_path_add(path, op(MUSTER_OP_ULT, in(0), in(1)));
	ask(path, op(MUSTER_OP_ULT, in(1), in(0)), VERDICT_UNSAT, SOLVE_SEARCH, NULL);
	ask(path, op(MUSTER_OP_ULT, in(1), in(0)), VERDICT_UNSAT, SOLVE_LOCAL, NULL);
	command = mem_printf("cat %s/*.smt2 >%s", o.dump_dir, list);
	assert_int_equal(system(command), 0);
	assert_int_equal(file_read(list, &text), 0);
	assert_non_null(strstr(buf_str(&text), "; verdict=unsat seconds="));
	assert_non_null(strstr(buf_str(&text), "(check-sat)"));
	assert_null(strstr(strstr(buf_str(&text), "; verdict") + 5, "; verdict")); /* once */
	free(command);
	free(list);
	free((char *)o.dump_dir);
	buf_release(&text);
	solve_path_free(path);
	exprs_free(pool);
	solver_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_model_bytes), cmocka_unit_test(test_add),
	    cmocka_unit_test(test_slices),	cmocka_unit_test(test_local),
	    cmocka_unit_test(test_copy),	cmocka_unit_test(test_linear),
	    cmocka_unit_test(test_one_byte),	cmocka_unit_test(test_cache),
	    cmocka_unit_test(test_formula),	cmocka_unit_test(test_optimistic),
	    cmocka_unit_test(test_dump),	cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
