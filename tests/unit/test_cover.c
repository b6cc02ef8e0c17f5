/* test_cover.c: hit classes, news, and that the fast way gives what the slow one would. */
#include "base/mem.h"
#include "search/cover.h"
#include "timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct exec_result result_of(uint8_t *counters, uint32_t count)
{
	return (struct exec_result){.counters = counters, .count = count};
}

static void test_classes(void **unused)
{
	static const struct {
		uint8_t count, mask;
	} rows[] = {{0, 0},   {1, 1},	{2, 2},	  {3, 4},   {4, 8},    {7, 8},	  {8, 16},   {15, 16},
		    {16, 32}, {31, 32}, {32, 64}, {127, 64}, {128, 128}, {255, 128}};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (uint32_t at = 0; at < 40; at++) { /* inside a group and behind the last whole one */
			uint8_t counters[40] = {0};
			struct exec_result r = result_of(counters, 40);
			struct cover c;
			struct cover_news n;

			cover_init(&c);
			counters[at] = rows[i].count;
			n = cover_look(&c, &r, 1, NULL, NULL);
			assert_int_equal(n.outcomes, rows[i].mask != 0);
			assert_int_equal(n.classes, 0);
			assert_int_equal(c.seen[at], rows[i].mask);
			assert_int_equal(c.covered, rows[i].mask != 0);
			assert_int_equal(cover_has(&c, at), rows[i].mask != 0);
			assert_int_equal(cover_look(&c, &r, 1, NULL, NULL).outcomes, 0);
			cover_release(&c);
		}
}

struct heard {
	unsigned calls;
	uint32_t index;
	uint8_t mask;
};

static void hear(void *ctx, uint32_t index, uint8_t mask)
{
	struct heard *h = ctx;

	h->calls++;
	h->index = index;
	h->mask = mask;
}

static void test_news(void **unused)
{
	uint8_t counters[100] = {0};
	struct exec_result r = result_of(counters, 100);
	struct heard h = {0};
	struct cover_news n;
	struct cover c;

	(void)unused;
	cover_init(&c);
	counters[50] = 1;
	n = cover_look(&c, &r, 0, hear, &h); /* only looked: nothing is kept */
	assert_int_equal(n.outcomes, 1);
	assert_int_equal(c.covered, 0);
	assert_int_equal(h.calls, 1);
	n = cover_look(&c, &r, 1, hear, &h);
	assert_int_equal(n.outcomes, 1);
	counters[50] = 9;
	n = cover_look(&c, &r, 1, hear, &h);
	assert_int_equal(n.outcomes, 0);
	assert_int_equal(n.classes, 1);
	assert_int_equal(h.calls, 3);
	assert_int_equal(h.index, 50);
	assert_int_equal(h.mask, 17);
	counters[50] = 1;
	n = cover_look(&c, &r, 1, hear, &h);
	assert_int_equal(n.outcomes + n.classes, 0);
	assert_int_equal(c.covered, 1);
	cover_set(&c, 1000, 3);
	assert_true(cover_has(&c, 1000));
	assert_false(cover_has(&c, 999));
	assert_false(cover_has(&c, 100000));
	assert_int_equal(c.covered, 2);
	cover_release(&c);
}

/* A library that is loaded later makes the array longer. */
static void test_growth(void **unused)
{
	struct cover c;
	uint8_t counters[5000];

	(void)unused;
	cover_init(&c);
	memset(counters, 1, sizeof counters);
	for (uint32_t count = 1; count <= 5000; count += 7) {
		struct exec_result r = result_of(counters, count);

		assert_int_equal(cover_look(&c, &r, 0, NULL, NULL).outcomes, count == 1 ? 1 : 7);
		assert_int_equal(cover_look(&c, &r, 1, NULL, NULL).outcomes, count == 1 ? 1 : 7);
		assert_int_equal(c.covered, count);
	}
	cover_release(&c);
}

static void test_speed(void **unused)
{
	enum { COUNT = 4000, ROUNDS = 20000 };
	static uint8_t counters[COUNT];
	struct exec_result r = result_of(counters, COUNT);
	struct timespec from, to;
	unsigned news = 0;
	struct cover c;
	double us;

	(void)unused;
	cover_init(&c);
	for (uint32_t i = 0; i < COUNT; i += 2)
		counters[i] = (uint8_t)(i * 7);
	cover_look(&c, &r, 1, NULL, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < ROUNDS; i++)
		news += cover_look(&c, &r, 1, NULL, NULL).outcomes;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	us = ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) * 1e-3) / ROUNDS;
	print_message("%d counters: %.3f us\n", COUNT, us);
	assert_int_equal(news, 0);
	assert_quick(us < 5); /* about 0.5 */
	cover_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_classes),
	    cmocka_unit_test(test_news),
	    cmocka_unit_test(test_growth),
	    cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
