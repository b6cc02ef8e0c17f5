/* testcomp.c: muster export --testcomp: the tests of a search as a suite in Test-Comp's
 * format.
 *
 * Such a test is not an input but the values that the program asked __VERIFIER_nondet functions
 * for, in order. Each input of the campaign is run once more, in the program as it was
 * built, with MUSTER_VALUES, by which the runtime tells them.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/shell.h"
#include "export/export.h"
#include "run/target.h"
#include "report/testcomp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VALUES_LIMIT (64u << 20)
#define BRANCHES "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )"

struct suite {
	const struct export_options *o;
	struct export_counts *counts;
	struct shell_line command;
	char *program, *values, *setting;
	const char *env[4];
	struct target plain;
	struct launcher *launcher;
	struct map known; /* hashes of tests that were written */
	unsigned count;
	int failed;
};

static int write_metadata(const struct suite *s)
{
	char *argv[] = {"sha256sum", "-b", s->program, NULL};
	struct proc_opts opts = {.capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	struct buf out = {0};
	struct stat st;
	char *hash;
	int e;

	if (stat(s->program, &st))
		return error_errno("cannot read '%s'", s->program);
	if (proc_run(argv, &opts, &r) || r.status)
		return error_set("sha256sum cannot read '%s'", s->program);
	hash = buf_str(&r.out) + (*buf_str(&r.out) == '\\');
	hash[strcspn(hash, " ")] = 0;
	struct testcomp_metadata m = {.specification = BRANCHES,
				      .file = s->program,
				      .hash = hash,
				      .entry = "main",
				      .bits = 64,
				      .created = st.st_mtime};
	testcomp_metadata(&out, &m);
	e = export_write(s->o->dir, "metadata.xml", out.data, out.size);
	proc_release(&r);
	buf_release(&out);
	return e;
}

/* "unsigned int 7" a line; "! NAME" where an error function was called that the program does not define: 1 then. */
static int add_values(struct buf *out, char *text)
{
	int called = 0;

	for (char *line = text, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");
		char *space;

		next = line + n + (line[n] == '\n');
		line[n] = 0;
		space = strrchr(line, ' ');
		called |= *line == '!';
		if (!space || *line == '!')
			continue;
		*space = 0;
		testcomp_case_value(out, line, space + 1);
	}
	return called;
}

static int write_test(struct suite *s)
{
	struct buf values = {0}, inputs = {0}, out = {0};
	char name[40];
	int e = 0;

	if (file_is_regular(s->values) && file_read_limited(s->values, VALUES_LIMIT, &values))
		buf_clear(&values); /* a loop that asks for ever: no test of it */
	if (map_set(&s->known, hash64(values.data ? values.data : "", values.size, 0), 1)) {
		testcomp_case_begin(&out, add_values(&inputs, buf_str(&values)));
		buf_add(&out, inputs.data, inputs.size);
		testcomp_case_end(&out);
		snprintf(name, sizeof name, "testcase-%u.xml", ++s->count);
		e = export_write(s->o->dir, name, out.data, out.size);
	}
	buf_release(&values);
	buf_release(&inputs);
	buf_release(&out);
	return e;
}

static int each_test(void *ctx, const struct store_test *t)
{
	struct suite *s = ctx;
	struct launch_input in =
	    target_input(s->command.argv.data, t->size ? t->data : "", t->size, NULL);
	struct run_result r;

	unlink(s->values);
	if (launcher_run(s->launcher, &in, &r) || write_test(s))
		s->failed = 1;
	return s->failed;
}

static int open_suite(struct suite *s, const struct export_campaign *c)
{
	struct target_options t = TARGET_DEFAULTS;
	char *outbox;
	int n = 0;

	t.time = s->o->time;
	shell_split(&s->command, c->command);
	if (!s->command.argv.size || vec_last(&s->command.argv))
		vec_push(&s->command.argv, NULL);
	if (!s->command.argv.data[0])
		return error_set("the campaign has no program");
	s->program = target_program(s->command.argv.data[0]);
	if (!s->program || target_make(&s->plain, s->program, s->command.argv.data, TARGET_PLAIN, &t))
		return -1;
	for (const char *const *e = s->plain.options.env; e && *e && n < 2; e++)
		s->env[n++] = *e;
	s->plain.options.env = s->env;
	s->launcher = launcher_new(&s->plain.options);
	outbox = s->launcher ? launcher_outbox(s->launcher) : NULL;
	if (!outbox)
		return -1;
	s->values = file_join(outbox, "values");
	s->setting = mem_printf("MUSTER_VALUES=%s", s->values);
	s->env[n++] = s->setting;
	free(outbox);
	return 0;
}

int export_testcomp(const struct export_campaign *c, const struct export_options *o,
		    struct export_counts *counts)
{
	struct suite s = {.o = o, .counts = counts};
	int e = open_suite(&s, c) || write_metadata(&s);

	e = e || store_test_each(c->store, c->id, 0, 1, each_test, &s) || s.failed;
	counts->tests += s.count;
	counts->files += s.count + 1;
	if (s.launcher) {
		launcher_free(s.launcher);
		target_release(&s.plain);
	}
	map_release(&s.known);
	shell_line_release(&s.command);
	free(s.program);
	free(s.values);
	free(s.setting);
	return e ? -1 : 0;
}
