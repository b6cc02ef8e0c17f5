/* test_broken.c: which of several broken checks a report is about. */
#include "search/broken.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void add(broken_list *l, uint32_t checker, uint32_t index, const char *file, uint32_t line, uint32_t column)
{
	struct broken_check b = {.checker = checker, .label = (uint32_t)l->size + 1, .matters = 1};

	b.site = (struct site){.unit = 3, .index = index, .file = file, .line = line, .column = column, .directory = "", .function = ""};
	vec_push(l, b);
}

/* The label of what is found; 0: nothing. */
static uint32_t at(const broken_list *l, const char *kind, uint32_t line, uint32_t column)
{
	const struct broken_check *b = broken_at(l, kind, "/src/x.c", line, column);

	return b ? b->label : 0;
}

static void test_at(void **state)
{
	static const char wrap[] = "unsigned-integer-overflow", index[] = "out-of-bounds-index";
	broken_list l = {0};

	(void)state;
	add(&l, MUSTER_CHECK_UINT_UNDER, 10, "x.c", 7, 5);
	add(&l, MUSTER_CHECK_UINT_OVER, 11, "x.c", 7, 20);
	add(&l, MUSTER_CHECK_ARRAY_OVER, 12, "x.c", 7, 9);
	add(&l, MUSTER_CHECK_UINT_OVER, 13, "y.c", 7, 30);
	assert_int_equal(at(&l, wrap, 7, 5), 1);
	assert_int_equal(at(&l, wrap, 7, 20), 2);
	assert_int_equal(at(&l, wrap, 7, 30), 0); /* another file's */
	assert_int_equal(at(&l, wrap, 7, 0), 0);  /* one of two */
	assert_int_equal(at(&l, index, 7, 9), 3);
	assert_int_equal(at(&l, index, 7, 11), 3); /* a macro moved it: it is alone */
	assert_int_equal(at(&l, index, 8, 9), 0);
	add(&l, MUSTER_CHECK_ARRAY_OVER, 12, "x.c", 7, 9); /* once more, in a loop: the last one */
	assert_int_equal(at(&l, index, 7, 0), 5);
	vec_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_at)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
