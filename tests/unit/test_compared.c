/* test_compared.c: what a comparison came to, as bytes and back; and bytes that are no such thing. */
#include "base/error.h"
#include "result/compared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(struct compared *c, struct buf *out)
{
	*c = (struct compared){.command = "diff", .status = "complete", .old = "a.c", .new = "HEAD~1:\"b\".c", .time = 1234567890123, .seconds = 0.25};
	struct compared_item *i = compared_item(c, "digit", "changed");
	i->file = compared_text(c, "a.c");
	i->line = 12;
	compared_part(c, i, "changed", "c >= 65");
	compared_part(c, i, "unchanged", NULL);
	compared_part(c, i, "why", "");
	compared_part(c, i, "run", "c = 'A'");
	compared_item(c, "other", "equal")->phase = 3;
	vec_push(&c->sources, (struct compared_source){"a.c", "int x;\n", "int y;\n"});
	compared_write(c, out);
}

static void there_and_back(void **state)
{
	struct compared c, d;
	struct buf b = {0};
	(void)state;
	make(&c, &b);
	assert_int_equal(compared_read(&d, b.data, b.size), 0);
	assert_string_equal(d.new, c.new);
	assert_true(d.time == c.time && d.seconds == c.seconds);
	assert_int_equal(d.items.size, 2);
	assert_int_equal(d.items.data[0].parts.size, 2);
	assert_string_equal(d.items.data[0].parts.data[1].text, "c = 'A'");
	assert_int_equal(d.items.data[0].line, 12);
	assert_string_equal(d.items.data[1].verdict, "equal");
	assert_int_equal(d.items.data[1].phase, 3);
	assert_string_equal(d.sources.data[0].new, "int y;\n");
	compared_release(&c);
	compared_release(&d);
	buf_release(&b);
}

/* Every cut, and every byte changed: an error or another result, never a read outside (the tests' asan build sees those). */
static void damaged(void **state)
{
	struct compared c, d;
	struct buf b = {0};
	(void)state;
	make(&c, &b);
	for (size_t n = 0; n < b.size; n++) {
		char *cut = malloc(n ? n : 1);
		memcpy(cut, b.data, n);
		assert_int_equal(compared_read(&d, cut, n), -1);
		compared_release(&d);
		free(cut);
	}
	for (size_t n = 0; n < b.size; n++) {
		char *other = malloc(b.size);
		memcpy(other, b.data, b.size);
		other[n] = (char)0xff;
		(void)compared_read(&d, other, b.size);
		compared_release(&d);
		free(other);
	}
	compared_release(&c);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(damaged)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
