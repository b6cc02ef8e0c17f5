/* Sets of keys with a limit: they hold at least the newest, and no more than their bytes. */
#include "search/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static size_t bytes_of(const struct memory *m)
{
	return (m->young.cap + m->old.cap) * 17;
}

static void newest_stay(void **state)
{
	struct memory m = {0};

	(void)state;
	memory_limit(&m, 1 << 20);
	for (uint64_t i = 0; i < 200000; i++) {
		assert_int_equal(memory_add(&m, i * 977), 1);
		assert_int_equal(memory_add(&m, i * 977), 0);
		assert_true(bytes_of(&m) <= 1 << 20);
	}
	assert_true(m.limit > 10000);
	for (uint64_t i = 200000 - m.limit; i < 200000; i++)
		assert_int_equal(memory_has(&m, i * 977), 1);
	assert_int_equal(memory_has(&m, 0), 0);
	assert_int_equal(memory_add(&m, 0), 1); /* forgotten, so new again */
	memory_release(&m);
	assert_int_equal(memory_has(&m, 199999 * 977), 0);
	assert_int_equal(bytes_of(&m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(newest_stay)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
