/* test_solve_random.c: the ladder against enumeration.
 *
 * Random conditions over a few bytes are built twice: as terms, and as a small tree that
 * is evaluated here for every assignment of a domain of 4096. A random path over them is
 * followed as a search would: the opposite of each branch is asked for, then the branch is added.
 * Every verdict must be what enumeration says, and every model one of the assignments.
 */
#include "base/limit.h"
#include "solve/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 88172645463325252ull;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static struct exprs *pool;

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
	unsigned queries, sat, unsat, unknown, cheap, within;
};

/* A question from inside of calls: what the SAT solver finds among their variables is an answer like any other. */
static void check_within(struct solve_path *path, const uint8_t *alive, struct both goal, unsigned run, int any, struct tally *t)
{
	struct solve_model m = {0};
	uint32_t marks[3], most = solve_path_mark(path) + 1;

	for (unsigned i = 0; i < 3; i++)
		marks[i] = most = (uint32_t)(next() % (most + 1));
	solve_path_within(path, marks, 1 + next() % 3);
	enum verdict v = solve_path_query_within(path, goal.e, &m);
	if (v != VERDICT_UNKNOWN)
		assert_int_equal(v, any ? VERDICT_SAT : VERDICT_UNSAT);
	if (v == VERDICT_SAT) {
		unsigned k = apply_model(&m, run);

		assert_true(alive[k] && goal.value[k]);
		t->within += m.rung == SOLVE_SAT;
	}
	solve_model_release(&m);
}

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
	if (next() % 2)
		check_within(path, alive, goal, run, any, t);
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
	solve_path_within(path, NULL, 0);
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

	print_message("%s: %u queries, sat %u, unsat %u, unknown %u, cheap %u, within %u;", what, t->queries,
		      t->sat, t->unsat, t->unknown, t->cheap, t->within);
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
	if (LIMIT(1, 0)) /* with tiny limits, answers may be missing, not wrong */
		assert_int_equal(t.unknown, 0);
	assert_int_equal(solver_stats(s)->bad_models, 0);
	assert_int_equal(solver_stats(s)->contradictions, 0);
	if (o->no_search && LIMIT(1, 0))
		assert_true(t.within > 0);
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
	    cmocka_unit_test(test_random_paths),
	    cmocka_unit_test(test_recheck),
	    cmocka_unit_test(test_tiny_limits),
	    cmocka_unit_test(test_repeat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
