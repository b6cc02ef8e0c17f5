/* test_growing.c: texts that grow stay texts: what is put behind their end is no zero, which would end every string there. */
#include "search_program.h"

static struct searched program;

/* Tests that are longer than the seed, and those of them with a zero. */
static void count(const char *seed, size_t size, unsigned *longer, unsigned *zeros)
{
	static const char text[] = "#include <stdio.h>\n#include <string.h>\nstatic volatile int sum;\n"
				   "int main(void) { char w[40] = \"\"; if (scanf(\"%39s\", w) != 1) return 1;\n"
				   "	sum = (int)strlen(w); return 0; }\n";
	struct search_options options = {.seed = 1, .repeatable = 1, .no_mutate = 1, .run_limit = 80};
	int r;

	*longer = *zeros = 0;
	search_open(&program, text, "", &options);
	if (search_offer(program.search, seed, size, ORIGIN_SEED, 1) < 0)
		fail_msg("%s", error_text());
	while ((r = search_step(program.search)) > 0)
		;
	assert_int_equal(r, 0);
	for (size_t i = 0; i < program.frontier.tests.size; i++) {
		const struct search_test *t = &program.frontier.tests.data[i];
		if (t->size <= size)
			continue;
		++*longer;
		*zeros += memchr(t->data + size, 0, t->size - size) != NULL;
	}
	search_close(&program);
}

static void test_text(void **unused)
{
	unsigned longer, zeros;

	(void)unused;
	count("b\n", 2, &longer, &zeros);
	assert_true(longer > 8);
	assert_true(zeros < longer / 2); /* but for those that were asked to have one */
}

/* A seed with zeros is none. */
static void test_binary(void **unused)
{
	unsigned longer, zeros;

	(void)unused;
	count("b\0", 2, &longer, &zeros);
	assert_true(longer > 2);
	assert_true(zeros > longer / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_binary),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
