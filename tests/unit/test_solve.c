/* test_solve.c: the ladder against enumeration.
 *
 * Random conditions over a few bytes are built twice: as terms, and as a small tree that
 * is evaluated here for every assignment of a domain of 4096. A random path over them is
 * followed as a search would: the opposite of each branch is asked for, then the branch is added.
 * Every verdict must be what enumeration says, and every model one of the assignments.
 */
#include "solve/solve.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

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

/* ------------------------------------------------------- terms and oracle */
#define DOMAIN 4096
#define MOST_NODES 1500

struct both { /* a term and its value for each assignment */
	expr_t e;
	unsigned width;
	uint64_t *value;
};

static uint64_t storage[MOST_NODES][DOMAIN];
static unsigned stored;
static struct exprs *pool;
static unsigned vars;	  /* 2, 3 or 4 */
static unsigned var_bits; /* 12 / vars */

static struct both both_new(expr_t e, unsigned width)
{
	assert_true(stored < MOST_NODES);
	return (struct both){e, width, storage[stored++]};
}

static unsigned byte_of(unsigned assignment, unsigned variable)
{
	return assignment >> variable * var_bits & ((1u << var_bits) - 1);
}

static struct both variable(unsigned i)
{
	struct both r = both_new(expr_input(pool, 0, i), 8);

	for (unsigned k = 0; k < DOMAIN; k++)
		r.value[k] = byte_of(k, i);
	return r;
}

static struct both constant(unsigned width, uint64_t value)
{
	struct both r = both_new(expr_const(pool, width, value), width);

	value = (uint64_t)op_mask(value, width);
	for (unsigned k = 0; k < DOMAIN; k++)
		r.value[k] = value;
	return r;
}

/* SMT-LIB's values where C has none. */
static uint64_t total(enum muster_op op, unsigned width, uint64_t a, uint64_t b)
{
	uint64_t top = (uint64_t)op_mask(~(u128)0, width);
	int negative = (int)(a >> (width - 1) & 1);

	if (op == MUSTER_OP_UDIV)
		return top;
	if (op == MUSTER_OP_UREM)
		return a;
	if (op == MUSTER_OP_SDIV)
		return b ? a : negative ? 1 : top;
	if (op == MUSTER_OP_SREM)
		return b ? 0 : a;
	return op == MUSTER_OP_ASHR && negative ? top : 0;
}

static struct both binary(enum muster_op op, struct both a, struct both b)
{
	int test = op >= MUSTER_OP_EQ && op <= MUSTER_OP_UMULO;
	struct both r = both_new(expr_binary(pool, op, a.e, b.e), test ? 1 : a.width);

	for (unsigned k = 0; k < DOMAIN; k++)
		if (op_apply64(op, r.width, a.width, 0, a.value[k], b.value[k], 0, &r.value[k]) !=
		    OP_OK)
			r.value[k] = total(op, a.width, a.value[k], b.value[k]);
	return r;
}

static struct both resize(struct both a, unsigned width, int sign)
{
	struct both r;

	if (a.width == width)
		return a;
	r = both_new(width < a.width ? expr_extract(pool, a.e, 0, width)
		     : sign	     ? expr_sext(pool, a.e, width)
				     : expr_zext(pool, a.e, width),
		     width);
	for (unsigned k = 0; k < DOMAIN; k++)
		r.value[k] = (uint64_t)op_mask(
		    sign && width > a.width ? (u128)op_signed(a.value[k], a.width) : a.value[k],
		    width);
	return r;
}

static struct both concat(struct both high, struct both low)
{
	struct both r = both_new(expr_concat(pool, high.e, low.e), high.width + low.width);

	for (unsigned k = 0; k < DOMAIN; k++)
		r.value[k] = high.value[k] << low.width | low.value[k];
	return r;
}

static struct both choose(struct both c, struct both a, struct both b)
{
	struct both r = both_new(expr_ite(pool, c.e, a.e, b.e), a.width);

	for (unsigned k = 0; k < DOMAIN; k++)
		r.value[k] = c.value[k] ? a.value[k] : b.value[k];
	return r;
}

static struct both random_condition(unsigned depth);
static struct both random_term(unsigned width, unsigned depth);

/* A byte of a small table, some of whose bytes are variables; outside of it there is 0. */
static struct both table_byte(unsigned depth)
{
	struct both at = resize(random_term(8, depth), 64, 0), byte[6], r;
	expr_t bytes[6];

	for (unsigned i = 0; i < 6; i++) {
		byte[i] = next() % 3 ? constant(8, next()) : variable(next() % vars);
		bytes[i] = byte[i].e;
	}
	r = both_new(expr_read(pool, expr_data(pool, bytes, 6), at.e, 8), 8);
	for (unsigned k = 0; k < DOMAIN; k++)
		r.value[k] = at.value[k] < 6 ? byte[at.value[k]].value[k] : 0;
	return r;
}

static struct both random_term(unsigned width, unsigned depth)
{
	static const enum muster_op ops[] = {
	    MUSTER_OP_ADD,  MUSTER_OP_SUB,  MUSTER_OP_MUL,  MUSTER_OP_AND,  MUSTER_OP_OR,
	    MUSTER_OP_XOR,  MUSTER_OP_SHL,  MUSTER_OP_LSHR, MUSTER_OP_ASHR, MUSTER_OP_UDIV,
	    MUSTER_OP_UREM, MUSTER_OP_SDIV, MUSTER_OP_SREM, MUSTER_OP_ADD,  MUSTER_OP_XOR};
	uint64_t r = next();

	if (!depth || r % 5 == 0) {
		if (next() % 4 == 0)
			return constant(width, next() >> next() % 64);
		return resize(variable(next() % vars), width, next() % 2);
	}
	switch (r % 8) {
	case 0:
		return choose(random_condition(depth - 1), random_term(width, depth - 1),
			      random_term(width, depth - 1));
	case 1:
		if (width > 8)
			return concat(random_term(width / 2, depth - 1),
				      random_term(width / 2, depth - 1));
		return resize(random_term(16, depth - 1), width, 0);
	case 2:
		return binary(ops[next() % 15], random_term(width, depth - 1),
			      constant(width, next() % 300));
	case 3:
		return resize(table_byte(depth - 1), width, next() % 2);
	default:
		return binary(ops[next() % 15], random_term(width, depth - 1),
			      random_term(width, depth - 1));
	}
}

static struct both random_condition(unsigned depth)
{
	static const enum muster_op ops[] = {
	    MUSTER_OP_EQ,    MUSTER_OP_NE,    MUSTER_OP_ULT,   MUSTER_OP_ULE,	MUSTER_OP_SLT,
	    MUSTER_OP_SLE,   MUSTER_OP_EQ,    MUSTER_OP_SADDO, MUSTER_OP_UADDO, MUSTER_OP_SSUBO,
	    MUSTER_OP_USUBO, MUSTER_OP_SMULO, MUSTER_OP_UMULO};
	unsigned width = 8u << next() % 4;
	struct both a, b;

	if (depth > 1 && next() % 8 == 0)
		return binary(next() % 2 ? MUSTER_OP_AND : MUSTER_OP_OR,
			      random_condition(depth - 1), random_condition(depth - 1));
	a = random_term(width, depth);
	b = next() % 3 ? constant(width, next() % 2 ? a.value[next() % DOMAIN] : next() % 200)
		       : random_term(width, depth ? depth - 1 : 0);
	return binary(ops[next() % (next() % 4 ? 7 : 13)], a, b);
}

static struct both negated(struct both a)
{
	struct both r = both_new(expr_not(pool, a.e), 1);

	for (unsigned k = 0; k < DOMAIN; k++)
		r.value[k] = !a.value[k];
	return r;
}

/* ------------------------------------------------------------ random paths */
static u128 run_value(void *ctx, expr_t e)
{
	return byte_of(*(unsigned *)ctx, (unsigned)expr_get(pool, e)->k);
}

/* The assignment a model stands for, on top of the run's. */
static unsigned apply_model(const struct solve_model *m, unsigned run)
{
	for (size_t i = 0; i < m->values.size; i++) {
		const struct solve_value *v = &m->values.data[i];
		unsigned shift = (unsigned)v->index * var_bits, mask = ((1u << var_bits) - 1)
								       << shift;

		assert_int_equal(v->op, MUSTER_OP_INPUT);
		assert_true(v->index < vars);
		assert_true(v->value < 1u << var_bits); /* the path says so */
		run = (run & ~mask) | (unsigned)v->value << shift;
	}
	return run;
}

struct tally {
	unsigned queries, sat, unsat, unknown, cheap;
};

static void check_query(struct solve_path *path, const uint8_t *alive, struct both goal,
			unsigned run, struct tally *t)
{
	struct solve_model m = {0};
	int any = 0;
	enum verdict v;

	for (unsigned k = 0; k < DOMAIN && !any; k++)
		any = alive[k] && goal.value[k];
	if (next() % 4 == 0) {
		v = solve_path_query_cheap(path, goal.e, &m);
		t->cheap += v != VERDICT_UNKNOWN;
		if (v != VERDICT_UNKNOWN)
			assert_int_equal(v, any ? VERDICT_SAT : VERDICT_UNSAT);
		solve_model_release(&m);
	}
	v = solve_path_query(path, goal.e, &m);
	t->queries++;
	t->unknown += v == VERDICT_UNKNOWN;
	t->sat += v == VERDICT_SAT;
	t->unsat += v == VERDICT_UNSAT;
	if (v != VERDICT_UNKNOWN)
		assert_int_equal(v, any ? VERDICT_SAT : VERDICT_UNSAT);
	if (v == VERDICT_SAT) {
		unsigned k = apply_model(&m, run);

		assert_true(alive[k]);
		assert_true(goal.value[k]);
		assert_false(m.optimistic);
	}
	solve_model_release(&m);
}

static void random_path(struct solver *s, struct tally *t, unsigned length, unsigned depth)
{
	unsigned run = (unsigned)(next() % DOMAIN);
	uint8_t alive[DOMAIN];
	struct solve_path *path;

	pool = exprs_new();
	vars = 2 + (unsigned)(next() % 3);
	var_bits = 12 / vars;
	path = solve_path_new(s, pool, run_value, &run);
	memset(alive, 1, sizeof alive);
	for (unsigned i = 0; i < vars; i++)
		assert_int_equal(
		    solve_path_add(path, expr_binary(pool, MUSTER_OP_ULT, expr_input(pool, 0, i),
						     expr_const(pool, 8, 1u << var_bits))),
		    1);
	for (unsigned i = 0; i < length; i++) {
		struct both c, goal;

		stored = 0;
		c = random_condition(depth);
		goal = negated(c);
		check_query(path, alive, c.value[run] ? goal : c, run, t);
		if (!c.value[run])
			c = goal;
		assert_true(solve_path_add(path, c.e) >= 0);
		for (unsigned k = 0; k < DOMAIN; k++)
			alive[k] &= (uint8_t)c.value[k];
	}
	solve_path_free(path);
	exprs_free(pool);
}

static void report(const char *what, const struct solver *s, const struct tally *t)
{
	const struct solve_stats *st = solver_stats(s);

	print_message("%s: %u queries, sat %u, unsat %u, unknown %u, cheap %u;", what, t->queries,
		      t->sat, t->unsat, t->unknown, t->cheap);
	for (int i = 0; i < SOLVE_RUNG_COUNT; i++)
		print_message(" %s %llu (%.3fs)", solve_rung_key(i),
			      (unsigned long long)st->answered[i], st->seconds[i]);
	print_message("; bad %llu, rechecked %llu\n", (unsigned long long)st->bad_models,
		      (unsigned long long)st->rechecked);
}

static void run_paths(const char *what, const struct solve_options *o, unsigned count)
{
	struct solver *s = solver_new(o);
	struct tally t = {0};

	for (unsigned i = 0; i < count; i++)
		random_path(s, &t, 12, 1 + i % 3);
	report(what, s, &t);
	assert_int_equal(t.unknown, 0);
	assert_int_equal(solver_stats(s)->bad_models, 0);
	assert_int_equal(solver_stats(s)->contradictions, 0);
	assert_true(t.sat > t.queries / 20);
	assert_true(t.unsat > t.queries / 20);
	solver_free(s);
}

static void test_random_paths(void **unused)
{
	(void)unused;
	run_paths("all rungs", &(struct solve_options){0}, 120);
	run_paths("no search, no cache",
		  &(struct solve_options){.no_search = 1, .no_cache = 1, .seed = 7}, 60);
}

/* Z3 is asked about every UNSAT. */
static void test_recheck(void **unused)
{
	(void)unused;
	run_paths("recheck", &(struct solve_options){.recheck = 1.0}, 12);
}

/* With next to no limits answers may be missing, never wrong. */
static void test_tiny_limits(void **unused)
{
	struct solve_options o = {.conflicts = 1, .search_steps = 1, .no_z3 = 1, .no_cache = 1};
	struct solver *s = solver_new(&o);
	struct tally t = {0};

	(void)unused;
	for (unsigned i = 0; i < 40; i++)
		random_path(s, &t, 12, 1 + i % 3);
	report("tiny limits", s, &t);
	solver_free(s);
}

/* ------------------------------------------------------------------- rungs */
struct input {
	uint8_t bytes[64];
};

static u128 input_value(void *ctx, expr_t e)
{
	const struct expr_node *n = expr_get(pool, e);

	return n->op == MUSTER_OP_INPUT && n->k < 64 ? ((struct input *)ctx)->bytes[n->k] : 0;
}

static expr_t in(unsigned i)
{
	return expr_input(pool, 0, i);
}

static expr_t number(unsigned width, uint64_t v)
{
	return expr_const(pool, width, v);
}

static expr_t op(enum muster_op o, expr_t a, expr_t b)
{
	return expr_binary(pool, o, a, b);
}

static expr_t u32le(unsigned at)
{
	return expr_concat(pool, expr_concat(pool, in(at + 3), in(at + 2)),
			   expr_concat(pool, in(at + 1), in(at)));
}

/* Asks, checks verdict and rung; the model's bytes are put into *out, if given. */
static void ask(struct solve_path *path, expr_t goal, enum verdict want, enum solve_rung rung,
		struct input *out)
{
	struct solve_model m = {0};
	enum verdict v = solve_path_query(path, goal, &m);

	assert_int_equal(v, want);
	if (m.rung != rung)
		print_message("rung %s, not %s\n", solve_rung_key(m.rung), solve_rung_key(rung));
	assert_int_equal(m.rung, rung);
	for (size_t i = 0; out && i < m.values.size; i++)
		out->bytes[m.values.data[i].index] = (uint8_t)m.values.data[i].value;
	solve_model_release(&m);
}

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
	assert_true(large < 30 * small + 0.1);
	small = chain_path(1000, SUM, &st);
	large = chain_path(16000, SUM, &st);
	show("sum", small, large, &st);
	assert_true(large < 30 * small + 0.1);
	small = chain_path(1000, PRODUCT, &st);
	large = chain_path(16000, PRODUCT, &st);
	show("product", small, large, &st);
	assert_true(large < 30 * small + 0.1);
	small = chain_path(60, CRC, &st);
	large = chain_path(810, CRC, &st); /* sixteen times fifty, all of them for the SAT solver */
	show("crc", small, large, &st);
	assert_true(large < 30 * small + 0.1);
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

/* The same seed gives the same answers. */
static void test_repeat(void **unused)
{
	uint64_t before = state;
	struct solve_stats first = {0};

	(void)unused;
	for (int k = 0; k < 2; k++) {
		struct solver *s = solver_new(&(struct solve_options){.seed = 5});
		struct tally t = {0};

		state = before;
		for (unsigned i = 0; i < 15; i++)
			random_path(s, &t, 12, 2);
		if (k)
			assert_memory_equal(first.answered, solver_stats(s)->answered,
					    sizeof first.answered);
		first = *solver_stats(s);
		solver_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_model_bytes), cmocka_unit_test(test_add),
	    cmocka_unit_test(test_slices),	cmocka_unit_test(test_local),
	    cmocka_unit_test(test_copy),	cmocka_unit_test(test_linear),
	    cmocka_unit_test(test_one_byte),	cmocka_unit_test(test_cache),
	    cmocka_unit_test(test_formula),	cmocka_unit_test(test_optimistic),
	    cmocka_unit_test(test_dump),	cmocka_unit_test(test_random_paths),
	    cmocka_unit_test(test_recheck),	cmocka_unit_test(test_tiny_limits),
	    cmocka_unit_test(test_repeat),	cmocka_unit_test(test_many_groups),
	    cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
