/* test_weight.c: sizes of bodies are read off bitcode, and damaged bitcode is refused. */
#include "bitcode.h"
#include "ir/weight.h"

#include <stdlib.h>

static struct weight weight_of(const char *text)
{
	struct buf b = {0};
	struct weight w;

	compile(text, &b);
	assert_int_equal(weight_of_bitcode(b.data, b.size, &w), 0);
	buf_release(&b);
	return w;
}

/* A loop of n statements in f. */
static char *long_body(unsigned n)
{
	struct buf b = {0};

	buf_adds(&b, "static const char names[] = \"a long string that is no code\"; int g(void);\nint f(int x) {\n");
	for (unsigned i = 0; i < n; i++)
		buf_addf(&b, "x = x * %u + g();\n", i + 3);
	buf_adds(&b, "return x + names[x & 7]; }\n");
	return buf_str(&b);
}

static void test_bodies(void **state)
{
	(void)state;
	struct weight none = weight_of("int x = 3; int f(int); extern int y[10];"), two = weight_of("int f(int a) { return a + 1; } int g(void) { return 2; }");

	assert_int_equal(none.functions, 0);
	assert_int_equal(none.words, 0);
	assert_int_equal(two.functions, 2);
	assert_true(two.largest < two.words && two.largest * 2 >= two.words);
}

static void test_grows(void **state)
{
	(void)state;
	char *small = long_body(100), *large = long_body(1000);
	struct weight a = weight_of(small), b = weight_of(large);

	assert_int_equal(a.functions, 1);
	assert_int_equal(a.words, a.largest);
	assert_true(b.words > 8 * a.words && b.words < 12 * a.words);
	free(small);
	free(large);
}

/* Data that is no code has no weight. */
static void test_data(void **state)
{
	(void)state;
	struct weight a = weight_of("int f(int x) { return x; }"), b = weight_of("int t[1000] = {1, 2, 3, [900] = 4}; char s[] = \"words\"; int f(int x) { return x; }");

	assert_true(b.words <= a.words + 8);
}

/* No length and no flipped bit makes it read outside of what it was given or run without an end. */
static void test_damaged(void **state)
{
	(void)state;
	struct buf b = {0};
	struct weight w;

	compile("struct s { int a; } t = {1}; int f(int x) { return t.a + x; } int g(int y) { return f(y) * 2; }", &b);
	assert_int_equal(weight_of_bitcode("BC", 2, &w), -1);
	assert_int_equal(weight_of_bitcode("", 0, &w), -1);
	for (size_t i = 0; i < b.size; i += 1 + i / 64) {
		char *copy = malloc(b.size);

		memcpy(copy, b.data, i);
		char *exact = realloc(copy, i ? i : 1);
		weight_of_bitcode(exact, i, &w);
		free(exact);
	}
	for (size_t i = 0; i < b.size * 8; i += 3) {
		b.data[i / 8] = (char)(b.data[i / 8] ^ 1 << i % 8);
		weight_of_bitcode(b.data, b.size, &w);
		b.data[i / 8] = (char)(b.data[i / 8] ^ 1 << i % 8);
	}
	assert_int_equal(weight_of_bitcode(b.data, b.size, &w), 0);
	assert_int_equal(w.functions, 2);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bodies),
	    cmocka_unit_test(test_grows),
	    cmocka_unit_test(test_data),
	    cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
