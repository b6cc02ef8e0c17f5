/* test_minimize.c: what stays, what goes, in how many runs. */
#include "base/error.h"
#include "search/minimize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct rule {
	const char *needs[4]; /* in this order */
	size_t at_least;
	uint64_t fail_at; /* the call that fails; 0: none */
	uint64_t calls;
};

static int keeps(void *ctx, const void *data, size_t size)
{
	struct rule *r = ctx;
	const char *p = data, *end = p + size;

	if (++r->calls == r->fail_at)
		return error_set("broken");
	for (unsigned i = 0; i < 4 && r->needs[i]; i++) {
		p = memmem(p, (size_t)(end - p), r->needs[i], strlen(r->needs[i]));
		if (!p)
			return 0;
		p += strlen(r->needs[i]);
	}
	return size >= r->at_least;
}

static void fill(struct buf *b, size_t size, const char *words, size_t at)
{
	for (size_t i = 0; i < size; i++)
		buf_addc(b, (char)(i * 7 + i / 13));
	memcpy(b->data + at, words, strlen(words));
}

static void test_small(void **state)
{
	struct rule r = {.needs = {"if", "xy"}};
	struct minimize m = {.keeps = keeps, .ctx = &r};
	struct buf b = {0};

	(void)state;
	fill(&b, 1000, "if", 300);
	memcpy(b.data + 777, "xy", 2);
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_DONE);
	assert_int_equal(b.size, 4);
	assert_memory_equal(b.data, "ifxy", 4);
	assert_int_equal(m.removed, 996);
	assert_int_equal(m.runs, r.calls);
	assert_true(m.runs < 200);
	buf_release(&b);
}

/* A length is needed: what cannot go becomes plain. */
static void test_plain(void **state)
{
	struct rule r = {.needs = {"q"}, .at_least = 20};
	struct minimize m = {.keeps = keeps, .ctx = &r};
	struct buf b = {0};

	(void)state;
	fill(&b, 100, "q", 50);
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_DONE);
	assert_int_equal(b.size, 20);
	size_t q = 0;
	for (size_t i = 0; i < b.size; i++) {
		assert_true(b.data[i] == '0' || b.data[i] == 'q');
		q += b.data[i] == 'q';
	}
	assert_int_equal(q, 1);
	buf_release(&b);
}

static int spaces(void *ctx, const void *data, size_t size)
{
	const char *p = data;

	(void)ctx;
	return size == 3 && p[0] == p[2] && p[0] <= ' ' && (p[1] == 0 || p[1] == 'x');
}

static void test_other_plain(void **state)
{
	struct minimize m = {.keeps = spaces};
	struct buf b = {0};

	(void)state;
	buf_adds(&b, "\tx\t"); /* the two can only change together */
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_DONE);
	assert_memory_equal(b.data, " \0 ", 3);
	assert_int_equal(m.changed, 3);
	buf_release(&b);
}

static void test_large(void **state)
{
	struct rule r = {.needs = {"needle"}};
	struct minimize m = {.keeps = keeps, .ctx = &r};
	struct buf b = {0}, c = {0};

	(void)state;
	fill(&b, 1 << 20, "needle", 700001);
	fill(&c, 1 << 20, "needle", 700001);
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_DONE);
	assert_int_equal(b.size, 6);
	assert_true(m.runs < 200);
	uint64_t runs = m.runs;
	assert_int_equal(minimize_input(&m, &c), MINIMIZE_DONE);
	assert_int_equal(m.runs, runs);
	buf_release(&b);
	buf_release(&c);
}

static void test_budget(void **state)
{
	struct rule r = {.needs = {"a", "b", "c", "d"}};
	struct minimize m = {.keeps = keeps, .ctx = &r, .max_runs = 10};
	struct buf b = {0};

	(void)state;
	fill(&b, 5000, "a", 10);
	memcpy(b.data + 1500, "b", 1);
	memcpy(b.data + 2500, "c", 1);
	memcpy(b.data + 4900, "d", 1);
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_BUDGET);
	assert_int_equal(r.calls, 10);
	assert_int_equal(keeps(&r, b.data, b.size), 1);
	buf_release(&b);
}

static void test_not(void **state)
{
	struct rule r = {.needs = {"zebra"}};
	struct minimize m = {.keeps = keeps, .ctx = &r};
	struct buf b = {0};

	(void)state;
	buf_adds(&b, "horse");
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_NOT);
	assert_memory_equal(b.data, "horse", 5);
	buf_release(&b);
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_NOT); /* empty */
	r = (struct rule){.fail_at = 3};
	buf_adds(&b, "horse");
	r.needs[0] = "r";
	assert_int_equal(minimize_input(&m, &b), -1);
	assert_string_equal(error_text(), "broken");
	assert_non_null(memchr(b.data, 'r', b.size));
	buf_release(&b);
}

static void test_everything_goes(void **state)
{
	struct rule r = {0};
	struct minimize m = {.keeps = keeps, .ctx = &r};
	struct buf b = {0};

	(void)state;
	buf_adds(&b, "anything");
	assert_int_equal(minimize_input(&m, &b), MINIMIZE_DONE);
	assert_int_equal(b.size, 0);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_small),	    cmocka_unit_test(test_plain),
	    cmocka_unit_test(test_other_plain),	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_budget),	    cmocka_unit_test(test_not),
	    cmocka_unit_test(test_everything_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
