/* test_shell.c: a command line of the store becomes words again. */
#include "base/shell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *line, const char *words)
{
	struct shell_line o = {0};
	struct buf all = {0};

	shell_split(&o, line);
	for (size_t i = 0; i < o.argv.size; i++)
		buf_addf(&all, "[%s]", o.argv.data[i]);
	assert_string_equal(buf_str(&all), words);
	buf_release(&all);
	shell_line_release(&o);
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

/* What shell_word wrote, shell_split reads. */
static void test_word(void **state)
{
	static const char *const words[] = {"./prog", "", "a b", "it's", "new\nline", "\xff", "$x`y`\\\"", "~", "a*?[!]"};
	struct shell_line o = {0};
	struct buf line = {0};
	size_t n = sizeof words / sizeof *words;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		shell_word(&line, words[i]);
		buf_addc(&line, ' ');
	}
	shell_split(&o, buf_str(&line));
	assert_int_equal(o.argv.size, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(o.argv.data[i], words[i]);
	assert_memory_equal(buf_str(&line), "./prog '' 'a b' ", 16);
	buf_release(&line);
	shell_line_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_split), cmocka_unit_test(test_word)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
