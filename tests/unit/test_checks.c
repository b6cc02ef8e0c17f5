/* test_checks.c: active checks: how many questions a bundle costs and what it finds, against an enumeration; and searches of small programs. */
#include "search_program.h"
#include "search/bundle.h"

/* ------------------------------------------------------------------ bundles */

struct bundled {
	struct solver *solver;
	struct exprs *pool;
	struct bundle b;
	uint8_t input[16]; /* that was found last */
	unsigned inputs;   /* all that were */
};

static u128 run_value(void *ctx, expr_t variable)
{
	(void)ctx, (void)variable;
	return 0; /* the run's input is all zeros */
}

static int take(void *ctx, const struct solve_model *m)
{
	struct bundled *t = ctx;

	memset(t->input, 0, sizeof t->input);
	for (size_t i = 0; i < m->values.size; i++)
		t->input[m->values.data[i].index] = (uint8_t)m->values.data[i].value;
	return 1;
}

static u128 value(void *ctx, expr_t variable)
{
	struct bundled *t = ctx;

	return t->input[expr_get(t->pool, variable)->k];
}

static int found(void *ctx, struct bundle *b, uint32_t goal, const struct solve_model *m)
{
	struct bundled *t = ctx;
	const struct bundle_goal *g = &b->goals.data[goal];

	(void)m;
	assert_true(g->state == GOAL_FOUND);
	assert_true(expr_eval(t->pool, g->goal, value, t) != 0);
	for (uint32_t i = 0; i < g->step; i++) /* the first step that it breaks */
		assert_true(expr_eval(t->pool, b->steps.data[i].safe, value, t) != 0);
	t->inputs++;
	return 0;
}

static void open_bundle(struct bundled *t, enum search_combine how, const struct solve_options *o)
{
	memset(t, 0, sizeof *t);
	t->solver = solver_new(o);
	t->pool = exprs_new();
	t->b = (struct bundle){.path = solve_path_new(t->solver, t->pool, run_value, NULL), .pool = t->pool, .how = how,
			       .ctx = t, .take = take, .value = value, .found = found};
}

static void close_bundle(struct bundled *t)
{
	bundle_release(&t->b);
	solve_path_free(t->b.path);
	exprs_free(t->pool);
	solver_free(t->solver);
}

/* A step that one goal breaks. */
static void add_goal(struct bundled *t, expr_t goal)
{
	bundle_step(&t->b, (uint32_t)t->b.steps.size, expr_not(t->pool, goal), 1);
	bundle_goal(&t->b, goal, MUSTER_CHECK_OTHER);
}

static expr_t byte(struct bundled *t, unsigned i)
{
	return expr_input(t->pool, 0, i);
}

static expr_t is(struct bundled *t, expr_t e, uint64_t c)
{
	return expr_eq(t->pool, e, expr_const(t->pool, expr_width(t->pool, e), c));
}

static unsigned count_state(const struct bundled *t, enum goal_state s)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->b.goals.size; i++)
		n += t->b.goals.data[i].state == s;
	return n;
}

static const struct solve_options plain = {.no_cache = 1, .no_optimistic = 1};

/* None can be reached: one question is enough, but naive asks for each. */
static void test_none(void **unused)
{
	(void)unused;
	for (int how = 0; how < COMBINE_COUNT; how++) {
		struct bundled t;

		open_bundle(&t, (enum search_combine)how, &plain);
		expr_t x = expr_zext(t.pool, byte(&t, 0), 16), square = expr_binary(t.pool, MUSTER_OP_MUL, x, x);
		for (unsigned i = 0; i < 6; i++)
			add_goal(&t, is(&t, square, 2 + 5 * i)); /* 2 or 7 at the end: no square */
		assert_int_equal(bundle_ask(&t.b), 0);
		assert_int_equal(t.b.calls, how == COMBINE_NAIVE ? 6 : 1);
		assert_int_equal(count_state(&t, GOAL_REFUTED), 6);
		assert_int_equal(t.inputs, 0);
		close_bundle(&t);
	}
}

/* Weak stops at the first answer: here is what that loses. */
static void test_weak_loses(void **unused)
{
	static const unsigned calls[] = {[COMBINE_STRONG] = 4, [COMBINE_WEAK] = 1, [COMBINE_NAIVE] = 5};
	static const unsigned reached[] = {[COMBINE_STRONG] = 3, [COMBINE_WEAK] = 1, [COMBINE_NAIVE] = 3};

	(void)unused;
	for (int how = 0; how < COMBINE_COUNT; how++) {
		struct bundled t;

		open_bundle(&t, (enum search_combine)how, &plain);
		expr_t x = expr_zext(t.pool, byte(&t, 0), 16), square = expr_binary(t.pool, MUSTER_OP_MUL, x, x);
		add_goal(&t, is(&t, square, 49));
		add_goal(&t, is(&t, square, 50));
		add_goal(&t, is(&t, square, 64));
		add_goal(&t, is(&t, square, 65));
		add_goal(&t, is(&t, square, 81));
		assert_int_equal(bundle_ask(&t.b), 0);
		assert_int_equal(t.b.calls, calls[how]);
		assert_int_equal(t.inputs, reached[how]);
		assert_int_equal(count_state(&t, GOAL_FOUND), reached[how]);
		assert_int_equal(count_state(&t, GOAL_REFUTED), how == COMBINE_WEAK ? 0 : 2);
		assert_int_equal(count_state(&t, GOAL_LEFT), how == COMBINE_WEAK ? 4 : 0);
		close_bundle(&t);
	}
}

/* The safe forms join the path, and what stands there is known without a question. */
static void test_joins(void **unused)
{
	struct bundled t;

	(void)unused;
	open_bundle(&t, COMBINE_STRONG, &plain);
	expr_t goal = is(&t, byte(&t, 3), 9);
	assert_false(solve_path_refutes(t.b.path, goal));
	add_goal(&t, goal);
	add_goal(&t, is(&t, byte(&t, 4), 9));
	assert_int_equal(bundle_ask(&t.b), 0);
	assert_int_equal(t.inputs, 2);
	assert_true(solve_path_refutes(t.b.path, goal));
	assert_true(solve_path_refutes(t.b.path, expr_and(t.pool, goal, is(&t, byte(&t, 5), 1))));
	assert_true(solve_path_refutes(t.b.path, expr_or(t.pool, goal, is(&t, byte(&t, 4), 9))));
	assert_false(solve_path_refutes(t.b.path, expr_or(t.pool, goal, is(&t, byte(&t, 4), 8))));
	assert_false(solve_path_refutes(t.b.path, is(&t, byte(&t, 3), 0)));
	assert_true(solve_path_refutes(t.b.path, expr_false(t.pool)));
	close_bundle(&t);
}

/* No verdict on the disjunction: each goal is asked for by itself, and those that have an answer get it. */
static void test_unknown(void **unused)
{
	struct solve_options weak = {.conflicts = 1, .search_steps = 1, .no_z3 = 1, .no_search = 1, .no_cache = 1, .no_optimistic = 1};

	(void)unused;
	for (int how = 0; how < COMBINE_COUNT; how++) {
		struct bundled t;
		expr_t x, y, hard;

		open_bundle(&t, (enum search_combine)how, &weak);
		x = byte(&t, 0), y = byte(&t, 8);
		for (unsigned i = 1; i < 7; i++)
			x = expr_concat(t.pool, x, byte(&t, i)), y = expr_concat(t.pool, y, byte(&t, 8 + i));
		x = expr_zext(t.pool, x, 112), y = expr_zext(t.pool, y, 112);
		hard = expr_binary(t.pool, MUSTER_OP_MUL, x, y); /* two primes, by one conflict */
		hard = expr_eq(t.pool, hard, expr_const(t.pool, 112, (u128)281474976710597ull * 281474976710591ull));
		add_goal(&t, hard);
		add_goal(&t, expr_and(t.pool, hard, is(&t, byte(&t, 1), 7)));
		add_goal(&t, expr_and(t.pool, is(&t, byte(&t, 7), 3), expr_and(t.pool, is(&t, byte(&t, 7), 4), hard)));
		assert_int_equal(bundle_ask(&t.b), 0);
		assert_true(count_state(&t, GOAL_UNKNOWN) >= 1);
		assert_int_equal(count_state(&t, GOAL_FOUND) + count_state(&t, GOAL_LEFT) + count_state(&t, GOAL_OPEN), 0);
		assert_int_equal(t.b.calls, how == COMBINE_NAIVE ? t.b.goals.size : t.b.goals.size + 1);
		close_bundle(&t);
	}
}

/* ------------------------------------------------- against an enumeration */

static uint64_t seed = 7;

static unsigned next(unsigned below)
{
	seed = hash_mix(seed + 1);
	return (unsigned)(seed % below);
}

/* A condition over two bytes, of which about half can be met. */
static expr_t random_goal(struct bundled *t)
{
	expr_t x = expr_zext(t->pool, byte(t, next(2)), 16), y = expr_zext(t->pool, byte(t, next(2)), 16);
	expr_t product = expr_binary(t->pool, next(2) ? MUSTER_OP_MUL : MUSTER_OP_ADD, x, y);
	expr_t goal = is(t, product, next(3) ? next(700) : next(65536));

	if (next(4) == 0)
		goal = expr_or(t->pool, goal, is(t, x, next(256)));
	if (next(4) == 0)
		goal = expr_and(t->pool, goal, expr_binary(t->pool, MUSTER_OP_ULT, y, expr_const(t->pool, 16, next(256))));
	return goal;
}

static void make_random(struct bundled *t, unsigned n)
{
	while (t->b.goals.size < n) {
		expr_t first = random_goal(t), second = next(3) ? EXPR_NONE : random_goal(t), safe;

		safe = expr_not(t->pool, second ? expr_or(t->pool, first, second) : first);
		memset(t->input, 0, sizeof t->input);
		if (!expr_eval(t->pool, safe, value, t)) /* the run passed it */
			continue;
		bundle_step(&t->b, (uint32_t)t->b.steps.size, safe, 1);
		bundle_goal(&t->b, first, MUSTER_CHECK_OTHER);
		if (second)
			bundle_goal(&t->b, second, MUSTER_CHECK_SHIFT);
	}
}

/* Which goals can be reached: for each input, the goals of the first step that it breaks. */
static unsigned reach(struct bundled *t, char *reached)
{
	unsigned count = 0;

	memset(reached, 0, t->b.goals.size);
	for (unsigned xy = 0; xy < 65536; xy++) {
		int broken = 0;

		t->input[0] = (uint8_t)xy, t->input[1] = (uint8_t)(xy >> 8);
		for (size_t i = 0; i < t->b.goals.size; i++) {
			if (broken && t->b.goals.data[i].step != t->b.goals.data[i - 1].step)
				break;
			if (expr_eval(t->pool, t->b.goals.data[i].goal, value, t)) {
				broken = 1;
				count += !reached[i];
				reached[i] = 1;
			}
		}
	}
	return count;
}

static void test_random(void **unused)
{
	(void)unused;
	for (unsigned round = 0; round < 8; round++) {
		uint64_t from = seed = 100 + round;
		unsigned n = 2 + round, t_count = 0;
		char reached[16];

		for (int how = 0; how < COMBINE_COUNT; how++) {
			struct bundled t;

			seed = from;
			open_bundle(&t, (enum search_combine)how, &plain);
			make_random(&t, n);
			assert_true(t.b.goals.size <= sizeof reached);
			if (!how)
				t_count = reach(&t, reached);
			assert_int_equal(bundle_ask(&t.b), 0);
			unsigned all = (unsigned)t.b.goals.size, limit = t_count + 1 < all ? t_count + 1 : all;
			for (unsigned i = 0; i < all; i++) {
				int is_found = t.b.goals.data[i].state == GOAL_FOUND;

				if (how == COMBINE_WEAK ? is_found && !reached[i] : is_found != reached[i])
					fail_msg("round %u, way %d, goal %u: found %d, reachable %d", round, how, i, is_found, reached[i]);
			}
			assert_true(how == COMBINE_NAIVE ? t.b.calls == all : how == COMBINE_WEAK ? t.b.calls == 1 : t.b.calls <= limit);
			close_bundle(&t);
		}
	}
}

/* ------------------------------------------------------------------- searches */

static const char head[] = "int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);\n"
			   "#define I __VERIFIER_nondet_int()\n"
			   "#define U __VERIFIER_nondet_uchar()\n"
			   "static volatile int out;\n";

static struct searched program;
static struct {
	unsigned count, broken;
	uint64_t set; /* checkers */
	uint64_t places;
} told;

static int violated(void *ctx, const struct search_test *t, const struct search_violation *v)
{
	(void)ctx, (void)t;
	told.count++;
	told.broken += v->broken != 0;
	told.set |= CHECKER_BIT(v->checker);
	told.places |= (uint64_t)1 << (hash_mix((uint64_t)v->index << 8 | v->checker) & 63);
	return 0;
}

/* A whole program: it goes on behind checks. */
static void search_whole(const char *text, checker_set checks, enum search_combine how, int unit)
{
	struct search_options o = {.seed = 1, .repeatable = 1, .no_mutate = 1, .run_limit = 2000, .checks = checks, .combine = how, .unit = unit};
	struct buf whole = BUF_EMPTY;

	memset(&told, 0, sizeof told);
	buf_adds(&whole, head);
	buf_adds(&whole, text);
	search_open_told(&program, buf_str(&whole), unit ? CHECKS : CHECKS_ALL, &o, violated);
	search_run(&program);
	buf_release(&whole);
}

static const struct search_checker_stats *of(enum muster_checker c)
{
	return &search_stats(program.search)->checkers[c];
}

/* Overflow in both directions, a divisor of zero, an index below and above: each is found, told, and its run shows it. */
static void test_found(void **unused)
{
	static const char text[] = "static int t[16];\n"
				   "int main(void) { int a = I, b = I, c = I; out = a + b; out = 7 / c; if (c < 100) out = t[c]; return 0; }\n";
	static const enum muster_checker all[] = {MUSTER_CHECK_INT_OVER, MUSTER_CHECK_INT_UNDER, MUSTER_CHECK_DIVIDE, MUSTER_CHECK_ARRAY_OVER,
						  MUSTER_CHECK_ARRAY_UNDER};
	uint64_t places[2] = {0};

	(void)unused;
	for (int naive = 0; naive < 2; naive++) {
		search_whole(text, checker_default(), naive ? COMBINE_NAIVE : COMBINE_STRONG, 0);
		for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
			if (!(told.set & CHECKER_BIT(all[i])) || !of(all[i])->violated)
				fail_msg("%s was not found", checker_get(all[i])->name);
		assert_true(told.broken > 0);
		assert_false(search_exhausted(program.search));
		assert_true(search_stats(program.search)->bundles < search_stats(program.search)->bundle_goals);
		places[naive] = told.places;
		search_close(&program);
	}
	assert_true(places[0] == places[1]);
	search_whole(text, CHECKER_BIT(MUSTER_CHECK_DIVIDE), COMBINE_STRONG, 0);
	assert_true(told.set == CHECKER_BIT(MUSTER_CHECK_DIVIDE));
	search_close(&program);
	search_whole(text, 0, COMBINE_STRONG, 0);
	assert_int_equal(told.count, 0);
	assert_int_equal(search_stats(program.search)->bundles, 0);
	search_close(&program);
}

/* An index without a sign cannot be below its object, however the comparison is written down. */
static void test_direction(void **unused)
{
	(void)unused;
	search_whole("static int t[16];\nint main(void) { unsigned char a = U; out = t[a]; return 0; }\n", checker_default(), COMBINE_STRONG, 0);
	assert_true(told.set == CHECKER_BIT(MUSTER_CHECK_ARRAY_OVER));
	assert_int_equal(of(MUSTER_CHECK_ARRAY_UNDER)->injected, 0);
	search_close(&program);
	search_whole("int main(void) { int a = U, b = U; out = 2147483600 + a; out = -2147483600 - b; return 0; }\n", CHECKER_BIT(MUSTER_CHECK_INT_UNDER),
		     COMBINE_STRONG, 0);
	assert_true(told.set == CHECKER_BIT(MUSTER_CHECK_INT_UNDER));
	assert_int_equal(told.count, told.broken);
	search_close(&program);
}

/* Behind a check the path has its safe form: what lies beyond it is found from the test that broke it and went on. */
static void test_survives(void **unused)
{
	(void)unused;
	search_whole("int main(void) { int a = I; if (a < 0) return 1; int b = a + 100; if (b == -2147483600) out = 5; return 0; }\n",
		     checker_default(), COMBINE_STRONG, 0);
	assert_int_equal(search_cover(program.search)->covered, 4);
	assert_true(told.set & CHECKER_BIT(MUSTER_CHECK_INT_OVER));
	search_close(&program);
	/* Unsigned numbers wrap by the rules: no constraint, and what is behind is reached at once. */
	search_whole("int main(void) { unsigned a = (unsigned)I, b = a * 7; if (b == 3) out = 1; if (a > 1000u) out = b; return 0; }\n", checker_all(),
		     COMBINE_STRONG, 0);
	assert_int_equal(search_cover(program.search)->covered, 4);
	assert_true(told.set & CHECKER_BIT(MUSTER_CHECK_UINT_OVER));
	search_close(&program);
}

/* What cannot be broken is asked about and not told; the search is exhaustive, and the paths are those without checks. */
static void test_near_misses(void **unused)
{
	static const char text[] = "static int t[16];\n"
				   "int main(void) { int a = U, b = U; out = a * b + 1000; out = a / (b + 1) - a; out = t[a & 15]; out = 1 << (b & 7);\n"
				   "	return a > b; }\n";
	uint64_t inputs;

	(void)unused;
	search_whole(text, 0, COMBINE_STRONG, 0);
	inputs = search_inputs(program.search);
	search_close(&program);
	for (int how = 0; how < COMBINE_COUNT; how++) {
		search_whole(text, checker_default(), (enum search_combine)how, 0);
		assert_true(search_exhausted(program.search));
		assert_int_equal(told.count, 0);
		assert_int_equal(search_inputs(program.search), inputs);
		search_close(&program);
	}
}

/* Program Q of the document: x is tested once and used k times. The uses cost no question, on any of the 2^k paths. */
static void test_q(void **unused)
{
	struct buf text = BUF_EMPTY;

	(void)unused;
	buf_adds(&text, "int main(void) { int x = I; unsigned bits = U; if (x == 0) return 1;\n");
	for (int k = 0; k < 6; k++)
		buf_addf(&text, "if (bits >> %d & 1) out += 100 / x; else out -= 100 / x;\n", k);
	buf_adds(&text, "return 0; }\n");
	for (int unit = 0; unit < 2; unit++) {
		uint64_t queries[2];

		for (int on = 0; on < 2; on++) {
			search_whole(buf_str(&text), on ? CHECKER_BIT(MUSTER_CHECK_DIVIDE) : 0, COMBINE_STRONG, unit);
			assert_int_equal(search_cover(program.search)->covered, 14);
			queries[on] = search_solve_stats(program.search)->queries;
			assert_int_equal(search_stats(program.search)->bundle_calls, 0);
			assert_int_equal(of(MUSTER_CHECK_DIVIDE)->asked, 0);
			assert_int_equal(of(MUSTER_CHECK_DIVIDE)->local, of(MUSTER_CHECK_DIVIDE)->injected);
			assert_true(!on || of(MUSTER_CHECK_DIVIDE)->injected >= 64);
			assert_int_equal(told.count, 0);
			search_close(&program);
		}
		assert_int_equal(queries[0], queries[1]);
	}
	buf_release(&text);
}

/* A conversion counts where its result is an index, a size or the bound of a loop. */
static void test_matters(void **unused)
{
	static const char index[] = "static int t[300];\n"
				    "int main(void) { int n = I; unsigned char k = n; out = t[k + 1]; return 0; }\n";
	static const char loop[] = "int main(void) { int n = I; signed char k = n; for (int i = 0; i < k && i < 3; i++) out += i; return 0; }\n";
	static const char nothing[] = "int main(void) { int n = I; unsigned char k = n; out = k; return 0; }\n";
	checker_set both = CHECKER_BIT(MUSTER_CHECK_CONVERT_LOW) | CHECKER_BIT(MUSTER_CHECK_CONVERT_HIGH);

	(void)unused;
	search_whole(index, both, COMBINE_STRONG, 0);
	assert_true(told.set == both);
	search_close(&program);
	search_whole(index, CHECKER_BIT(MUSTER_CHECK_CONVERT_LOW), COMBINE_STRONG, 0);
	assert_true(told.set == CHECKER_BIT(MUSTER_CHECK_CONVERT_LOW));
	search_close(&program);
	search_whole(loop, both, COMBINE_STRONG, 0);
	assert_true(told.set == both);
	search_close(&program);
	search_whole(nothing, both, COMBINE_STRONG, 0);
	assert_int_equal(told.count, 0);
	assert_int_equal(of(MUSTER_CHECK_CONVERT_HIGH)->injected, 0);
	search_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_none),    cmocka_unit_test(test_weak_loses), cmocka_unit_test(test_joins),
	    cmocka_unit_test(test_unknown), cmocka_unit_test(test_random),     cmocka_unit_test(test_found), cmocka_unit_test(test_direction),
	    cmocka_unit_test(test_survives), cmocka_unit_test(test_near_misses), cmocka_unit_test(test_q),
	    cmocka_unit_test(test_matters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
