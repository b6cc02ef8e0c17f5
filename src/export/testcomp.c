/* testcomp.c: muster export --testcomp: the tests of a search as a suite in Test-Comp's format (report/testcomp_run.h). */
#include "base/error.h"
#include "base/shell.h"
#include "export/export.h"
#include "report/testcomp_run.h"

#include <stdlib.h>

#define BRANCHES "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )"

struct suite {
	const struct export_options *o;
	struct shell_line command;
	char *program;
	struct testcomp_suite tests;
	int failed;
};

static int each_test(void *ctx, const struct store_test *t)
{
	struct suite *s = ctx;

	if (testcomp_take(&s->tests, s->command.argv.data, t->data, t->size))
		s->failed = 1;
	return s->failed;
}

static int open_suite(struct suite *s, const struct export_campaign *c)
{
	shell_split(&s->command, c->command);
	if (!s->command.argv.size || vec_last(&s->command.argv))
		vec_push(&s->command.argv, NULL);
	if (!s->command.argv.data[0])
		return error_set("the campaign has no program");
	s->program = target_program(s->command.argv.data[0]);
	if (!s->program || testcomp_open(&s->tests, s->program, s->command.argv.data, s->o->time))
		return -1;
	return testcomp_describe(s->o->dir, BRANCHES, s->program, 0);
}

int export_testcomp(const struct export_campaign *c, const struct export_options *o,
		    struct export_counts *counts)
{
	struct suite s = {.o = o, .tests = {.dir = o->dir}};
	int e = open_suite(&s, c);

	e = e || store_test_each(c->store, c->id, 0, 1, each_test, &s) || s.failed;
	counts->tests += s.tests.tests;
	counts->files += s.tests.tests + 1;
	testcomp_close(&s.tests);
	shell_line_release(&s.command);
	free(s.program);
	return e ? -1 : 0;
}
