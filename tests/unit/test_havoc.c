/* test_havoc.c: mutants: the same for the same seed, within the limit, and with the changes that are promised;
 * dictionaries. */
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "search/havoc_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t stacks(uint64_t seed, const char *input, size_t size, uint64_t limit, int rounds)
{
	static const uint32_t hot[] = {1, 3, 1000000};
	struct buf out = BUF_EMPTY;
	uint64_t hash = 0;
	struct havoc h;

	havoc_init(&h, seed, limit);
	havoc_word(&h, "token", 5);
	for (int i = 0; i < rounds; i++) {
		havoc_stack(&h, (const uint8_t *)input, size, (const uint8_t *)"another input", 13,
			    i % 2 ? hot : NULL, 3, &out);
		assert_true(out.size <= limit);
		hash = hash64(out.data, out.size, hash);
	}
	buf_release(&out);
	havoc_release(&h);
	return hash;
}

static void test_seed(void **unused)
{
	const char *text = "{\"name\": [1, 2, 345], \"other\": null}";

	(void)unused;
	assert_true(stacks(1, text, strlen(text), 4096, 5000) == stacks(1, text, strlen(text), 4096, 5000));
	assert_false(stacks(1, text, strlen(text), 4096, 100) == stacks(2, text, strlen(text), 4096, 100));
}

/* Inputs at and over the limit, empty ones, ones of a byte. */
static void test_limits(void **unused)
{
	char zeros[5000] = {0};

	(void)unused;
	for (size_t size = 0; size < 20; size++)
		for (uint64_t limit = 1; limit < 24; limit++)
			stacks(size, "0123456789abcdef\"\"-7", size, limit, 300);
	stacks(1, zeros, sizeof zeros, 5000, 2000);
	stacks(1, zeros, sizeof zeros, 100, 2000);
}

/* Every operation alone changes some input, and none of them leaves the limit. */
static void test_each_op(void **unused)
{
	static const char input[] = "key = \"value 17\"; [a, -20, c] \x01\x00\x05hello binary\xff";

	(void)unused;
	for (int op = 0; op < HAVOC_OPS_COUNT; op++) {
		struct buf b = BUF_EMPTY;
		struct havoc h;
		struct havoc_task t = {&h, &b, (const uint8_t *)"other things", 12, NULL, 0};
		int changed = 0;

		havoc_init(&h, 7, 64);
		havoc_word(&h, "word", 4);
		for (int i = 0; i < 200; i++) {
			buf_clear(&b);
			buf_add(&b, input, sizeof input - 1);
			havoc_apply(&t, (enum havoc_op)op);
			assert_true(b.size <= 64);
			changed += b.size != sizeof input - 1 || memcmp(b.data, input, b.size);
		}
		assert_true(changed > 50);
		buf_release(&b);
		havoc_release(&h);
	}
}

/* How many of the changes by this operation make this text of it. */
static int made(enum havoc_op op, const char *input, const char *other, const char *wanted)
{
	struct buf b = BUF_EMPTY;
	struct havoc h;
	struct havoc_task t = {&h, &b, (const uint8_t *)other, strlen(other), NULL, 0};
	int found = 0;

	havoc_init(&h, 3, 64);
	havoc_word(&h, "word", 4);
	for (int i = 0; i < 2000; i++) {
		buf_clear(&b);
		buf_add(&b, input, strlen(input));
		havoc_apply(&t, op);
		found += b.size == strlen(wanted) && !memcmp(b.data, wanted, b.size);
	}
	buf_release(&b);
	havoc_release(&h);
	return found;
}

/* Changes that keep to the borders of tokens. */
static void test_tokens(void **unused)
{
	(void)unused;
	assert_true(made(HAVOC_token_word, "name = 17;", "", "name = word;") > 100);
	assert_true(made(HAVOC_token_word, "name = 17;", "", "word = 17;") > 100);
	assert_int_equal(made(HAVOC_token_word, "name = 17;", "", "nworde = 17;"), 0);
	/* What follows the same token there: one token, all the rest, one before the other. */
	assert_true(made(HAVOC_join, "a=1;", "if b=22,c", "a=22;") > 20);
	assert_true(made(HAVOC_join, "a=1;", "if b=22,c", "a=22,c") > 20);
	assert_true(made(HAVOC_join, "a=1;", "if b=22,c", "a=221;") > 20);
	assert_int_equal(made(HAVOC_join, "a=1;", "if b=22,c", "a=b;"), 0);
	assert_int_equal(made(HAVOC_join, "a=1;", "nothing in common", "a=1;"), 2000);
}

static int steps_contain(const char *input, size_t size, const void *wanted, size_t wanted_size, uint64_t *count)
{
	struct buf out = BUF_EMPTY;
	struct havoc h;
	int found = 0;

	havoc_init(&h, 1, 100000);
	havoc_word(&h, "WORD", 4);
	*count = 0;
	while (havoc_step(&h, (const uint8_t *)input, size, *count, &out)) {
		found += out.size == wanted_size && !memcmp(out.data, wanted, wanted_size);
		++*count;
	}
	buf_release(&out);
	havoc_release(&h);
	return found;
}

static void test_steps(void **unused)
{
	static char large[200000];
	uint64_t count, small_count;

	(void)unused;
	assert_true(steps_contain("abcdef", 6, "abcdeg", 6, &count));
	assert_true(steps_contain("abcdef", 6, "\xff\xff\xff\x7f" "ef", 6, &count)); /* an edge of 32 bits */
	assert_true(steps_contain("abcdef", 6, "a\x04\x00" "def", 6, &count));	     /* 1024, big endian */
	assert_true(steps_contain("abcdef", 6, "abWORD", 6, &count));
	assert_true(steps_contain("abcdef", 6, "abcdefWORD", 10, &count));
	assert_true(steps_contain("abcdef", 6, "WORDabcdef", 10, &count));
	assert_true(steps_contain("abcdef", 6, "abdef", 5, &count));
	assert_true(steps_contain("abcdef", 6, "abc", 3, &count));
	assert_false(steps_contain("abcdef", 6, "fedcba", 6, &count));
	small_count = count;
	assert_true(small_count > 500 && small_count < 5000);
	steps_contain(large, 100000, "", 0, &count);
	assert_true(count > small_count && count < 500000);
	assert_true(steps_contain("", 0, "WORD", 4, &count)); /* an empty input has words to take */
}

static void test_words(void **unused)
{
	struct havoc h;
	char text[16];
	int n;

	(void)unused;
	havoc_init(&h, 1, 100);
	for (int i = 0; i < HAVOC_WORDS + 99; i++)
		havoc_word(&h, text, (size_t)snprintf(text, sizeof text, "w%d", i));
	assert_int_equal(h.words.size, HAVOC_WORDS);
	assert_memory_equal(h.words.data[0].data, "w99", 4); /* the oldest gave way */
	n = snprintf(text, sizeof text, "w%d", HAVOC_WORDS - 1);
	havoc_word(&h, text, (size_t)n); /* it is there */
	assert_memory_equal(h.words.data[0].data, "w99", 4);
	havoc_word(&h, "w3", 2); /* it was there */
	assert_memory_equal(h.words.data[HAVOC_WORDS - 1].data, "w3", 3);
	assert_int_equal(h.words.size, HAVOC_WORDS);
	havoc_word(&h, "", 0);
	havoc_word(&h, "this word is far longer than a word may be", 42);
	assert_int_equal(h.words.size, HAVOC_WORDS);
	havoc_release(&h);
}

static int read_dictionary(struct havoc *h, const char *text)
{
	char *path = file_temp("dict");
	int e;

	assert_int_equal(file_write_atomic(path, text, strlen(text)), 0);
	havoc_init(h, 1, 100);
	havoc_word(h, "learnt", 6);
	e = havoc_dictionary(h, path);
	free(path);
	return e;
}

static void test_dictionary(void **unused)
{
	struct havoc h;

	(void)unused;
	assert_int_equal(read_dictionary(&h, "# comment\n\nkw1=\"blah\"\n  kw2@1 = \"\\\"ac\\\\dc\\\"\"  # more\n"
					     "\"\\xF7\\xf8\\x00\"\r\n\"a\\tb\"\n\"blah\"\n\"learnt\""),
			 0);
	assert_int_equal(h.words.size, 5);
	assert_int_equal(h.user_words, 5);
	assert_memory_equal(h.words.data[0].data, "blah", 4);
	assert_int_equal(h.words.data[1].size, 7);
	assert_memory_equal(h.words.data[1].data, "\"ac\\dc\"", 7);
	assert_int_equal(h.words.data[2].size, 3);
	assert_memory_equal(h.words.data[2].data, "\xf7\xf8\0", 3);
	assert_memory_equal(h.words.data[3].data, "a\tb", 3);
	assert_memory_equal(h.words.data[4].data, "learnt", 6);
	havoc_release(&h);
	assert_int_equal(read_dictionary(&h, "a=\"x\"\nb=\"y\\q\"\n"), -1);
	assert_non_null(strstr(error_text(), "line 2"));
	havoc_release(&h);
	assert_int_equal(read_dictionary(&h, "a=\"x\n"), -1);
	havoc_release(&h);
	assert_int_equal(read_dictionary(&h, "word\n"), -1);
	havoc_release(&h);
	assert_int_equal(read_dictionary(&h, "a=\"\"\n"), -1);
	havoc_release(&h);
	assert_int_equal(read_dictionary(&h, "a=\"b\" c\n"), -1);
	havoc_release(&h);
	havoc_init(&h, 1, 1);
	assert_int_equal(havoc_dictionary(&h, "/nowhere/at/all"), -1);
	havoc_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_seed),  cmocka_unit_test(test_limits), cmocka_unit_test(test_each_op),
	    cmocka_unit_test(test_tokens), cmocka_unit_test(test_steps), cmocka_unit_test(test_words),	 cmocka_unit_test(test_dictionary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
