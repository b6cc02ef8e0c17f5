/* test_defects.c: the normal form keeps every defect of tests/defects, on its line.
 *
 * Each program there says in its opening comment which kind of instruction (site.h)
 * commits the fault, as " * site: KIND", and the faulty line ends in HERE.
 * tests/defects/run.sh looks at what the variants do with the same programs.
 */
#include "bitcode.h"
#include "base/file.h"
#include "ir/site.h"
#include "ir/unit.h"

#include <glob.h>
#include <stdlib.h>

struct defect {
	char path[256];
	struct buf text;
	char site[40];
	uint32_t line;
};

static void value_of(const char *text, const char *key, char *out, size_t size)
{
	char start[40];
	const char *p;

	snprintf(start, sizeof start, "\n * %s: ", key);
	p = strstr(text, start);
	out[0] = 0;
	if (p) {
		p += strlen(start);
		snprintf(out, size, "%.*s", (int)strcspn(p, "\n"), p);
	}
}

static void read_defect(const char *path, struct defect *d)
{
	const char *here;

	memset(d, 0, sizeof *d);
	snprintf(d->path, sizeof d->path, "%s", path);
	if (file_read(path, &d->text))
		fail_msg("%s", error_text());
	value_of(buf_str(&d->text), "site", d->site, sizeof d->site);
	here = strstr(d->text.data, "HERE");
	if (!here || !d->site[0])
		fail_msg("%s: has no HERE or no site", path);
	d->line = 1;
	for (const char *p = d->text.data; p < here; p++)
		d->line += *p == '\n';
}

static void each_defect(void (*f)(const struct defect *d))
{
	glob_t found;

	assert_int_equal(glob("tests/defects/*.c", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 30);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct defect d;

		read_defect(found.gl_pathv[i], &d);
		f(&d);
		buf_release(&d.text);
	}
	globfree(&found);
}

static void expect_site(const struct defect *d, const struct site_table *t)
{
	struct site s;

	for (uint32_t i = 0; i < t->sites; i++)
		if (site_table_site(t, i, &s) && s.line == d->line &&
		    !strcmp(site_kind_text(s.kind), d->site))
			return;
	fail_msg("%s:%u: the normal form has no %s there", d->path, d->line, d->site);
}

static void check_normal_form(const struct defect *d)
{
	struct buf bitcode = {0}, table = {0};
	struct site_tables set = {0};
	struct unit u;

	compile(d->text.data, &bitcode);
	if (unit_load(&u, bitcode.data, bitcode.size, 5) || site_table_write(&u, &table) ||
	    site_tables_add(&set, table.data, table.size) != 1)
		fail_msg("%s: %s", d->path, error_text());
	expect_site(d, &set.tables[0]);
	site_tables_release(&set);
	unit_release(&u);
	buf_release(&table);
	buf_release(&bitcode);
}

static void test_normal_form(void **unused)
{
	(void)unused;
	each_defect(check_normal_form);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_normal_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
