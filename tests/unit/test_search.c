/* test_search.c: searches of small programs as muster test makes them: all paths, each answer run, losses told by name. */
#include "search_program.h"
#include "search/inside.h"

static const char head[] = "int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);\n"
			   "void __VERIFIER_assume(int); int puts(const char *);\n"
			   "#define I __VERIFIER_nondet_int()\n"
			   "#define U __VERIFIER_nondet_uchar()\n";

static struct searched program;
static struct search_options options = {
    .unit = 1, .seed = 1, .repeatable = 1, .cover_per_function = 1, .run_limit = 2000};

static void search_text(const char *text, const char *flags)
{
	struct buf whole = BUF_EMPTY;

	buf_adds(&whole, head);
	buf_adds(&whole, text);
	search_open(&program, buf_str(&whole), flags, &options);
	search_run(&program);
	buf_release(&whole);
}

static uint64_t loss(enum search_loss l)
{
	return search_losses(program.search)->count[l];
}

static uint64_t covered(void)
{
	return search_cover(program.search)->covered;
}

/* 30 independent branches on independent inputs: one run more than branches, not 2^30. Bytes that no input had
 * yet are free, and inputs become as long as they must. */
static void test_growth(void **unused)
{
	struct buf text = BUF_EMPTY;

	(void)unused;
	buf_adds(&text, "static volatile int n;\nint main(void) {\n");
	for (int i = 0; i < 30; i++)
		buf_addf(&text, "if (I == %d) n++;\n", 1000 + i);
	buf_adds(&text, "return 0; }\n");
	options.run_limit = 31;
	search_text(buf_str(&text), CHECKS);
	options.run_limit = 2000;
	assert_int_equal(covered(), 60);
	assert_int_equal(search_inputs(program.search), 31);
	assert_true(search_stats(program.search)->runs <= 64);
	assert_false(search_exhausted(program.search));
	assert_int_equal(loss(LOSS_ENDED), 1);
	assert_true(program.frontier.tests.data[program.frontier.tests.size - 1].size > 100);
	search_close(&program);
	buf_release(&text);
}

/* A slice that ends in the middle of a path changes nothing: what was begun goes on, with the same questions, and the path is not imported again for each. */
static void test_slices(void **unused)
{
	struct buf text = BUF_EMPTY;
	uint64_t seen[2], tests[2], expanded[2], flips[2];

	(void)unused;
	buf_adds(&text, "static volatile int n;\nint main(void) {\n");
	for (int i = 0; i < 12; i++)
		buf_addf(&text, "if (I == %d) return n;\n", 1000 + i);
	buf_adds(&text, "n = 100 / I; return 0; }\n");
	for (int i = 0; i < 2; i++) {
		search_hasty = i;
		search_text(buf_str(&text), CHECKS);
		seen[i] = covered();
		tests[i] = program.frontier.tests.size;
		expanded[i] = search_stats(program.search)->expanded;
		flips[i] = search_stats(program.search)->flips;
		assert_true(program.failures > 0);
		search_close(&program);
	}
	search_hasty = 0;
	assert_int_equal(seen[0], seen[1]);
	assert_int_equal(tests[0], tests[1]);
	assert_int_equal(flips[0], flips[1]);
	assert_true(flips[0] > 2 * expanded[0]);
	assert_true(expanded[1] <= expanded[0] + expanded[0] / 2);
	buf_release(&text);
}

/* Nor does another test whose turn comes meanwhile: each keeps its place. */
static void test_turns(void **unused)
{
	struct buf text = BUF_EMPTY;
	uint64_t seen[2], tests[2], expanded[2], flips[2];

	(void)unused;
	buf_adds(&text, "static volatile int n;\nint main(void) {\nint other = U == 1;\nif (other) n = 1;\n");
	for (int i = 0; i < 12; i++)
		buf_addf(&text, "if (I == (other ? %d : %d)) return n;\n", 1000 + i, 2000 + i);
	buf_adds(&text, "return 0; }\n");
	for (int i = 0; i < 2; i++) {
		search_hasty = search_alternates = i;
		search_text(buf_str(&text), CHECKS);
		seen[i] = covered();
		tests[i] = program.frontier.tests.size;
		expanded[i] = search_stats(program.search)->expanded;
		flips[i] = search_stats(program.search)->flips;
		search_close(&program);
	}
	search_hasty = search_alternates = 0;
	assert_int_equal(seen[0], 50);
	assert_int_equal(seen[1], 50);
	assert_int_equal(tests[0], tests[1]);
	assert_int_equal(flips[0], flips[1]);
	assert_true(SEARCH_SUSPENDED == 1 || flips[1] > 4 * expanded[1]);
	buf_release(&text);
}

/* A check is negated and found to fail; it is no coverage; ordinary outcomes come first. */
static void test_checks(void **unused)
{
	size_t i;

	(void)unused;
	search_text("int main(void) { int a = I, b = I; if (a > 5) return a / (b ^ 1); if (b == 3) return 1; return 0; }\n",
		    CHECKS);
	assert_int_equal(covered(), 4);
	assert_true(search_exhausted(program.search));
	assert_int_equal(program.failures, 1); /* by zero: a is above 5, so that nothing overflows */
	for (i = 0; i < program.frontier.tests.size; i++)
		if (program.frontier.tests.data[i].flags & TEST_CRASH)
			break;
	assert_int_equal(i, 3);
	search_close(&program);

	search_text("int main(void) { unsigned char a = U; int b = a; return 100 / (b + 1) + b * 1000 > 7; }\n", CHECKS);
	assert_true(search_exhausted(program.search));
	assert_int_equal(program.failures, 0);
	search_close(&program);
}

/* Two checks that fail on one set of branches are two failures. */
static void test_failures(void **unused)
{
	(void)unused;
	search_text("int main(void) { int a = I, b = U; return a / b + (a + b > 9); }\n", CHECKS);
	assert_true(program.failures >= 2);
	assert_true(search_exhausted(program.search));
	search_close(&program);
}

/* What is known of one function is forgotten for the next, and nothing of the program. */
static void test_restart(void **unused)
{
	static const char text[] = "int t[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
				   "int main(void) { int a = U, n = 0; for (int i = 0; i < (a & 3); i++) n += t[i] == a;\n"
				   "	if (t[a & 7] == 3) return 1; return n; }\n";
	struct search_stats first;
	uint64_t inputs, covers;
	size_t tests;

	(void)unused;
	search_text(text, CHECKS);
	assert_true(search_exhausted(program.search));
	first = *search_stats(program.search);
	inputs = search_inputs(program.search);
	tests = program.frontier.tests.size;
	covers = covered();
	assert_true(tests > 4);
	for (int i = 0; i < 3; i++) {
		frontier_clear(&program.frontier);
		search_restart(program.search);
		assert_int_equal(covered(), 0);
		assert_int_equal(search_stats(program.search)->runs, 0);
		search_run(&program);
		assert_int_equal(search_inputs(program.search), inputs);
		assert_int_equal(search_stats(program.search)->flips, first.flips);
		assert_int_equal(program.frontier.tests.size, tests);
		assert_int_equal(covered(), covers);
		assert_true(search_exhausted(program.search));
	}
	search_close(&program);
	options.cover_per_function = 0;
	search_text(text, CHECKS);
	frontier_clear(&program.frontier);
	search_restart(program.search);
	assert_int_equal(covered(), covers);
	options.cover_per_function = 1;
	search_close(&program);
}

/* One run for the cov variant and one for the trace variant: stages do not trace again. */
static void test_runs(void **unused)
{
	(void)unused;
	search_text("int main(void) { int a = I, b = I; if (a == 7) return 1; if (b == 8) return 2; return a < b; }\n", CHECKS);
	assert_true(search_exhausted(program.search));
	assert_int_equal(search_stats(program.search)->traces, search_inputs(program.search));
	assert_int_equal(search_stats(program.search)->runs, 2 * search_inputs(program.search));
	search_close(&program);
}

/* A bound that always holds is no loss, even where it takes the SAT solver to see it; one that does not is broken,
 * and its run is a test for a sanitizer. */
static void test_bounds(void **unused)
{
	static const char index[] = "static int t[256];\n"
				    "int main(void) { unsigned x = U, y = U; int *p = t; t[9] = 1;\n"
				    "	return p[((x * y) & 255)] == 1; }\n";
	static const char beyond[] = "static int t[16];\n"
				     "int main(void) { unsigned x = U; int *p = t; t[9] = 1; return p[x] == 1; }\n";
	unsigned broken = 0;

	(void)unused;
	search_text(index, CHECKS);
	assert_true(search_exhausted(program.search));
	search_close(&program);
	search_text(beyond, CHECKS);
	for (size_t i = 0; i < program.frontier.tests.size; i++)
		broken += (program.frontier.tests.data[i].flags & TEST_BROKEN) != 0;
	assert_true(broken > 0);
	assert_false(search_exhausted(program.search));
	assert_true(loss(LOSS_BOUND) > 0);
	search_close(&program);
}

/* What the trace fixes is run with all its values, where they are few. */
static void test_values(void **unused)
{
	static const char few[] = "int main(void) { unsigned char m[8] = {0}; unsigned a = U, b = U; m[a & 7] = 1;\n"
				  "	m[b & 3] += 2; if (m[5] == 1) return 1; return m[2] == 3; }\n";
	static const char many[] = "double d; int main(void) { d = I; d *= 0.5; return d > 7; }\n";

	(void)unused;
	search_text(few, CHECKS);
	assert_true(search_exhausted(program.search));
	assert_int_equal(covered(), 2);
	search_close(&program);
	search_text(many, CHECKS);
	assert_false(search_exhausted(program.search));
	assert_true(loss(LOSS_CONCRETISED) > 0);
	assert_true(search_losses(program.search)->concretised[MUSTER_REASON_FLOAT] > 0);
	assert_true(search_inputs(program.search) < 300);
	search_close(&program);
}

/* An assumption that the first input does not meet is asked to hold. */
static void test_assume(void **unused)
{
	unsigned tests = 0;

	(void)unused;
	search_text("int main(void) { int a = I; __VERIFIER_assume(a > 1000); if (a == 12345) return 1; return 100 / (a - 7); }\n",
		    CHECKS);
	for (size_t i = 0; i < program.frontier.tests.size; i++)
		tests += !(program.frontier.tests.data[i].flags & TEST_ASSUMED);
	assert_int_equal(tests, 2);
	assert_int_equal(covered(), 2);
	assert_int_equal(program.failures, 0);
	assert_true(search_exhausted(program.search));
	search_close(&program);

	/* The input that meets it takes no branch either, and is another path all the same. */
	search_text("int main(void) { int a = I; __VERIFIER_assume(a > 1000); return 100 / (a - 5000); }\n", NULL);
	assert_int_equal(program.frontier.tests.size, 3);
	assert_int_equal(program.failures, 1);
	search_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slices),
	    cmocka_unit_test(test_turns),
	    cmocka_unit_test(test_growth),  cmocka_unit_test(test_checks), cmocka_unit_test(test_failures),
	    cmocka_unit_test(test_restart), cmocka_unit_test(test_runs),   cmocka_unit_test(test_bounds),
	    cmocka_unit_test(test_values),  cmocka_unit_test(test_assume),
	};

	options.checks = checker_default();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
