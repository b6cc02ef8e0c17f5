/* test_operands.c: a command line of the store becomes words again. */
#include "cmd/operands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *line, const char *words)
{
	struct operands o = {0};
	struct buf all = {0};

	operands_split(&o, line);
	for (size_t i = 0; i < o.argv.size; i++)
		buf_addf(&all, "[%s]", o.argv.data[i]);
	assert_string_equal(buf_str(&all), words);
	buf_release(&all);
	operands_release(&o);
}

static void test_split(void **state)
{
	(void)state;
	expect("", "");
	expect("  ./prog  @@ ", "[./prog][@@]");
	expect("./prog -x 'a b' ''", "[./prog][-x][a b][]");
	expect("p 'it'\\''s' a\\ b", "[p][it's][a b]");
	expect("p \"a \\\" b\"c", "[p][a \" bc]");
	expect("p '$HOME `x` \\'", "[p][$HOME `x` \\]");
	expect("p 'open", "[p][open]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_split)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
