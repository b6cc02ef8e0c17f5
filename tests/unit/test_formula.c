/* test_formula.c: contexts of assertions: push, pop, assumptions, and models of variables, arrays and functions.
 *
 * Sequences of random operations are answered a second time by trying all values of the few small variables. Formulas with arrays and
 * functions are answered a second time without them: each byte that is read and each application becomes a variable, and two of the same array or
 * function are equal where offsets or arguments are (Ackermann); the bit-blaster answers that. Every model is evaluated. MUSTER_TEST_ROUNDS makes it longer.
 */
#include "base/mem.h"
#include "base/vec.h"
#include "solve/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VARS 3
#define BITS 3

static unsigned rounds(unsigned usual)
{
	const char *s = getenv("MUSTER_TEST_ROUNDS");
	return s ? usual * (unsigned)atoi(s) : usual;
}

static uint64_t state;
static uint64_t random64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull >> 7;
}
static unsigned below(unsigned n)
{
	return (unsigned)(random64() % n);
}

static struct exprs *p;
static expr_t vars[VARS];
static unsigned now; /* values of the variables */

static u128 value_of(void *ctx, expr_t e)
{
	(void)ctx;
	for (unsigned i = 0; i < VARS; i++)
		if (vars[i] == e)
			return now >> (BITS * i) & ((1u << BITS) - 1);
	return 0;
}

static void begin(unsigned seed)
{
	char name[8];
	state = seed * 0x9e3779b97f4a7c15ull | 1;
	p = exprs_new();
	for (unsigned i = 0; i < VARS; i++) {
		snprintf(name, sizeof name, "x%u", i);
		vars[i] = expr_named(p, BITS, name);
	}
}

static expr_t number(unsigned depth)
{
	static const uint8_t ops[] = {MUSTER_OP_ADD, MUSTER_OP_SUB, MUSTER_OP_MUL, MUSTER_OP_AND, MUSTER_OP_XOR, MUSTER_OP_UDIV};
	if (!depth || !below(4))
		return below(4) ? vars[below(VARS)] : expr_const(p, BITS, random64());
	expr_t a = number(depth - 1), b = number(depth - 1);
	return expr_binary(p, ops[below(sizeof ops)], a, b);
}

static expr_t condition(void)
{
	static const uint8_t ops[] = {MUSTER_OP_EQ, MUSTER_OP_NE, MUSTER_OP_ULT, MUSTER_OP_SLE};
	expr_t a = number(2), b = number(2);
	return expr_binary(p, ops[below(sizeof ops)], a, b);
}

static void test_stack(void **unused)
{
	(void)unused;
	for (unsigned seed = 1; seed <= rounds(40); seed++) {
		struct solver *s = solver_new(&(struct solve_options){.no_z3 = 1, .seed = seed});
		struct solve_context *c;
		VEC(expr_t) stack = {0};
		VEC(size_t) marks = {0};
		begin(seed);
		c = solve_context_new(s, p);
		for (unsigned step = 0; step < 60; step++) {
			unsigned what = below(6), n = 0, count = below(3);
			if (what == 0) {
				solve_context_push(c);
				vec_push(&marks, stack.size);
			} else if (what == 1 && marks.size) {
				solve_context_pop(c);
				stack.size = vec_pop(&marks);
			} else if (what < 4) {
				expr_t e = condition();
				solve_context_assert(c, e);
				vec_push(&stack, e);
			}
			expr_t assumed[3], all;
			for (unsigned i = 0; i < count; i++)
				assumed[i] = condition();
			all = expr_true(p);
			for (size_t i = 0; i < stack.size; i++)
				all = expr_and(p, all, stack.data[i]);
			for (unsigned i = 0; i < count; i++)
				all = expr_and(p, all, assumed[i]);
			for (now = 0; now < 1u << (VARS * BITS); now++)
				n += expr_eval(p, all, value_of, NULL) != 0;
			struct solve_model m;
			enum verdict v = solve_context_check(c, assumed, count, &m);
			assert_int_equal(v, n ? VERDICT_SAT : VERDICT_UNSAT);
			if (v == VERDICT_SAT) {
				uint32_t named;
				assert_true(solve_model_eval(p, &m, all));
				expr_vars(p, all, &named);
				assert_int_equal(m.values.size, named);
			}
			solve_model_release(&m);
		}
		solve_context_free(c);
		solver_free(s);
		vec_release(&stack);
		vec_release(&marks);
		exprs_free(p);
	}
}

/* ------------------------------------------------------------ arrays and functions */
static expr_t array_of(unsigned depth, expr_t (*byte)(unsigned));
static unsigned with_functions;

static expr_t offset_of(unsigned depth)
{
	(void)depth;
	expr_t e = expr_zext(p, number(1), 64);
	return below(3) ? e : expr_binary(p, MUSTER_OP_ADD, e, expr_const(p, 64, below(3)));
}

static expr_t byte(unsigned depth)
{
	expr_t args[5];
	if (!depth || !below(5))
		return expr_zext(p, number(1), 8);
	if (with_functions && below(2)) {
		unsigned n = 1 + below(5);
		for (unsigned i = 0; i < n; i++)
			args[i] = i ? expr_zext(p, vars[below(VARS)], 8) : byte(depth - 1);
		return expr_apply(p, below(2) ? "f" : "g", 8, args, n);
	}
	expr_t a = array_of(depth - 1, byte);
	return expr_array_select(p, a, offset_of(depth));
}

static expr_t array_of(unsigned depth, expr_t (*make)(unsigned))
{
	if (!depth || !below(4))
		return expr_array(p, below(2) ? "A" : "B");
	expr_t a = array_of(depth - 1, make);
	if (!below(4)) {
		expr_t b = array_of(depth - 1, make), c = condition();
		return expr_array_ite(p, c, a, b);
	}
	if (!below(5)) {
		expr_t from = offset_of(0), v = make(0);
		return expr_array_fill(p, a, from, expr_const(p, 64, below(4)), v);
	}
	expr_t at = offset_of(0), v = make(depth - 1);
	return expr_array_write(p, a, at, v);
}

struct opaque {
	expr_t term, stands;
};
static VEC(struct opaque) found;

/* e without arrays and functions, operands first. */
static expr_t plain(expr_t e, expr_t *given)
{
	struct expr_node n = *expr_get(p, e);
	for (size_t i = 0; i < found.size; i++)
		if (found.data[i].term == e)
			return found.data[i].stands;
	if (n.op == MUSTER_OP_CONST || n.op == EXPR_OP_NAMED)
		return e;
	expr_t r;
	if (n.op == EXPR_OP_SELECT || n.op == EXPR_OP_APPLY) {
		char name[24];
		expr_t mine[8], theirs[8];
		unsigned count = n.op == EXPR_OP_APPLY ? expr_arguments(p, e, mine, 8) : 1;
		if (n.op == EXPR_OP_SELECT)
			mine[0] = n.b;
		for (unsigned i = 0; i < count; i++)
			mine[i] = plain(mine[i], given);
		snprintf(name, sizeof name, "opaque%zu", found.size);
		r = expr_named(p, 8, name);
		for (size_t i = 0; i < found.size; i++) {
			struct expr_node o = *expr_get(p, found.data[i].term);
			expr_t equal = expr_true(p);
			if (o.op != n.op || o.k != n.k || (n.op == EXPR_OP_SELECT && o.a != n.a) ||
			    (n.op == EXPR_OP_APPLY && expr_arguments(p, found.data[i].term, theirs, 8) != count))
				continue;
			if (n.op == EXPR_OP_SELECT)
				theirs[0] = o.b;
			for (unsigned k = 0; k < count; k++)
				equal = expr_and(p, equal, expr_eq(p, mine[k], plain(theirs[k], given)));
			*given = expr_and(p, *given, expr_or(p, expr_not(p, equal), expr_eq(p, r, found.data[i].stands)));
		}
		vec_push(&found, ((struct opaque){e, r}));
		return r;
	}
	expr_t a = plain(n.a, given), b = n.b ? plain(n.b, given) : 0, c = n.c ? plain(n.c, given) : 0;
	switch (n.op) {
	case MUSTER_OP_ITE:
		return expr_ite(p, a, b, c);
	case MUSTER_OP_EXTRACT:
		return expr_extract(p, a, (unsigned)n.k, n.width);
	case MUSTER_OP_ZEXT:
		return expr_zext(p, a, n.width);
	case MUSTER_OP_SEXT:
		return expr_sext(p, a, n.width);
	case MUSTER_OP_CONCAT:
		return expr_concat(p, a, b);
	default:
		return expr_binary(p, n.op, a, b);
	}
}

static void test_opaque(void **unused)
{
	unsigned sat = 0, unsat = 0, unknown = 0, by_z3 = 0;
	(void)unused;
	for (unsigned seed = 1; seed <= rounds(150); seed++) {
		struct solver *s = solver_new(&(struct solve_options){.z3_rlimit = 4000000});
		begin(seed);
		with_functions = seed % 2;
		expr_t all = expr_true(p), given = expr_true(p), simple;
		for (unsigned i = 0; i < 2 + seed % 40; i++) {
			expr_t a = byte(3), b = byte(3);
			all = expr_and(p, all, below(3) ? expr_eq(p, a, b) : expr_binary(p, MUSTER_OP_ULT, a, b));
		}
		struct solve_model m, m2;
		struct solve_context *c = solve_context_new(s, p);
		solve_context_assert(c, all);
		solve_context_push(c);
		enum verdict v = solve_context_check(c, NULL, 0, &m);
		by_z3 += m.rung == SOLVE_Z3;
		vec_clear(&found);
		simple = plain(expr_expand_arrays(p, all), &given);
		simple = expr_and(p, simple, given);
		enum verdict w = solve_formula(s, p, &simple, 1, &m2);
		assert_int_not_equal(w, VERDICT_UNKNOWN);
		if (v != VERDICT_UNKNOWN)
			assert_int_equal(v, w);
		if (v == VERDICT_SAT) {
			assert_true(solve_model_eval(p, &m, all));
			assert_true(solve_model_eval(p, &m, expr_expand_arrays(p, all)));
		}
		sat += v == VERDICT_SAT;
		unsat += v == VERDICT_UNSAT;
		unknown += v == VERDICT_UNKNOWN;
		assert_int_equal(solver_stats(s)->bad_models, 0);
		solve_model_release(&m);
		solve_model_release(&m2);
		/* what was pushed goes, and what stood before is asked again */
		solve_context_assert(c, expr_false(p));
		assert_int_equal(solve_context_check(c, NULL, 0, &m), VERDICT_UNSAT);
		solve_model_release(&m);
		solve_context_pop(c);
		expr_t none = expr_not(p, all);
		assert_int_equal(solve_context_check(c, &none, 1, &m), VERDICT_UNSAT);
		solve_model_release(&m);
		solve_context_free(c);
		solver_free(s);
		exprs_free(p);
	}
	vec_release(&found);
	print_message("%u satisfiable, %u not, %u without an answer; %u by Z3\n", sat, unsat, unknown, by_z3);
	assert_true(sat > 20 && unsat > 20 && by_z3 > 20 && unknown * 20 < sat + unsat);
}

/* A model names the bytes of arrays and the entries of functions. */
static void test_models(void **unused)
{
	(void)unused;
	struct solver *s = solver_new(&(struct solve_options){0});
	struct solve_model m;
	begin(1);
	expr_t a = expr_array(p, "A"), i = expr_named(p, 64, "i"), x = expr_array_select(p, a, i), five = expr_const(p, 64, 5);
	expr_t f[3] = {expr_eq(p, x, expr_const(p, 8, 77)), expr_not(p, expr_eq(p, expr_array_select(p, a, five), x)),
		       expr_eq(p, expr_apply(p, "f", 8, &x, 1), expr_const(p, 8, 9))};
	assert_int_equal(solve_formula(s, p, f, 3, &m), VERDICT_SAT);
	assert_int_equal(m.rung, SOLVE_Z3);
	assert_int_equal(m.bytes.size, 2);
	assert_int_equal(m.entries.size, 1);
	assert_true(m.entries.data[0].value == 9 && m.args.data[0] == 77);
	assert_true(solve_model_eval(p, &m, x) == 77);
	assert_true(solve_model_eval(p, &m, expr_array_select(p, a, five)) != 77);
	solve_model_release(&m);
	solver_free(s);
	exprs_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stack),
	    cmocka_unit_test(test_opaque),
	    cmocka_unit_test(test_models),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
