/* test_numbers.c: numbers in the text of seeds and of tests that cover something new are also tried with as many digits as types have. */
#include "search_program.h"

#include <ctype.h>

static struct searched program;
static struct search_options options = {.seed = 1, .repeatable = 1, .run_limit = 400};

/* Reads its input as it comes; a number behind the word decides nothing. */
static const char reader[] = "#include <unistd.h>\n#include <string.h>\nstatic volatile long sum;\n"
			     "int main(void) { char in[2000] = \"\"; long n = 0; int k = (int)read(0, in, 1999);\n"
			     "	for (int i = 2; i < k && in[i] >= '0' && in[i] <= '9'; i++) n = n * 10 + (in[i] - '0');\n"
			     "	if (in[0] == 'k' && in[1] == '=') sum += n; else sum -= n;\n"
			     "	return 0; }\n";

static void offer_text(const char *text, size_t size)
{
	if (search_offer(program.search, text, size, ORIGIN_SEED, 1) < 0)
		fail_msg("%s", error_text());
}

/* Tests that are `before`, a number of so many digits and `behind`. */
static unsigned with_digits(const char *before, unsigned digits, const char *behind)
{
	unsigned found = 0;
	for (size_t i = 0; i < program.frontier.tests.size; i++) {
		const struct search_test *t = &program.frontier.tests.data[i];
		size_t b = strlen(before), e = strlen(behind);
		if (t->size != b + digits + e || memcmp(t->data, before, b) || memcmp(t->data + b + digits, behind, e))
			continue;
		unsigned n = 0;
		while (n < digits && isdigit(t->data[b + n]))
			n++;
		found += n == digits;
	}
	return found;
}

static void open_program(const char *text)
{
	search_open(&program, text, "", &options);
}

/* Every length of a type's limits, and one digit more than int64_t has, with and without a sign; the rest of the seed stays. */
static void test_lengths(void **unused)
{
	static const unsigned lengths[] = {5, 10, 19, 20};
	(void)unused;
	open_program(reader);
	offer_text("k=7 end", 7);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(with_digits("k=", lengths[i], " end"), 1);
		assert_int_equal(with_digits("k=-", lengths[i], " end"), 1);
	}
	assert_int_equal(with_digits("k=", 6, " end"), 0);
	assert_int_equal(program.frontier.tests.size, 9);
	search_close(&program);
}

/* An old sign is part of the number; the same variant of two seeds is one test; the first numbers only. */
static void test_few(void **unused)
{
	(void)unused;
	open_program(reader);
	offer_text("k=-12", 5);
	assert_int_equal(with_digits("k=-", 5, ""), 1);
	assert_int_equal(with_digits("k=--", 5, ""), 0);
	offer_text("k=3", 3);
	assert_int_equal(program.frontier.tests.size, 10);
	search_close(&program);

	open_program(reader);
	offer_text("k=1 2 3 4 5 6 7 8 9", 19);
	assert_int_equal(program.frontier.tests.size, 1 + 3 * 8);
	assert_int_equal(with_digits("k=1 2 3 ", 5, " 5 6 7 8 9"), 0);
	search_close(&program);
}

/* None of inputs that are large, that have no digit, or beyond the first hundred; none where nothing is mutated. */
static void test_none(void **unused)
{
	char text[1500];
	(void)unused;
	memset(text, ' ', sizeof text);
	memcpy(text, "k=7", 3);
	open_program(reader);
	offer_text(text, sizeof text);
	offer_text("k=", 2);
	offer_text("", 0);
	assert_int_equal(program.frontier.tests.size, 3);
	for (int i = 0; i < 120; i++) {
		int n = snprintf(text, sizeof text, "k=%d%c", i, 'a' + i % 26);
		offer_text(text, (size_t)n);
	}
	assert_true(search_inputs(program.search) <= 100 + 120);
	search_close(&program);
	options.no_mutate = 1;
	open_program(reader);
	offer_text("k=7", 3);
	assert_int_equal(program.frontier.tests.size, 1);
	search_close(&program);
	options.no_mutate = 0;
}

/* What is behind a word that only the solver knows: the test that has the word gets the digits, and its check is then broken. */
static unsigned broken;

static int note_violation(void *ctx, const struct search_test *t, const struct search_violation *v)
{
	(void)ctx, (void)t;
	broken += v->broken && (v->checker == MUSTER_CHECK_INT_OVER || v->checker == MUSTER_CHECK_INT_UNDER);
	return 0;
}

static void test_found(void **unused)
{
	static const char text[] = "#include <stdlib.h>\n#include <unistd.h>\nstatic volatile long sum;\n"
				   "int main(void) { char in[40] = \"\"; if (read(0, in, 39) < 2) return 1;\n"
				   "	if (in[0] == 'Q') sum = strtol(in + 1, NULL, 10) + 1;\n"
				   "	return 0; }\n";
	(void)unused;
	options.checks = CHECKER_BIT(MUSTER_CHECK_INT_OVER) | CHECKER_BIT(MUSTER_CHECK_INT_UNDER);
	options.run_limit = 3000;
	search_open_told(&program, text, CHECKS_ALL, &options, note_violation);
	offer_text("a3", 2);
	assert_int_equal(with_digits("a", 19, ""), 1);
	for (int r = 1; r > 0 && !broken;)
		if ((r = search_step(program.search)) < 0)
			fail_msg("%s", error_text());
	assert_true(with_digits("Q", 20, "") + with_digits("Q", 19, "") > 0);
	assert_true(broken > 0);
	search_close(&program);
	options.checks = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_few),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
