/* testcomp_run.c: inputs of a program become tests of Test-Comp.
 *
 * Such a test is not an input but the values that the program asked __VERIFIER_nondet functions for, in order. The input is run in the
 * program with MUSTER_VALUES, by which the runtime writes them to a file, a line for each: "unsigned int 7". A line "!" says that the function was called
 * which the property names, "! NAME" that an error function was which the program does not define.
 */
#include "report/testcomp_run.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "report/testcomp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VALUES_LIMIT (64u << 20)

int testcomp_describe(const char *dir, const char *specification, const char *file, time_t created)
{
	char *argv[] = {"sha256sum", "-b", (char *)file, NULL};
	struct proc_opts opts = {.capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	struct buf out = {0};
	struct stat st;
	if (stat(file, &st))
		return error_errno("cannot read '%s'", file);
	int e = proc_run(argv, &opts, &r) || r.status ? error_set("sha256sum cannot read '%s'", file) : 0;
	if (!e) {
		char *hash = buf_str(&r.out) + (*buf_str(&r.out) == '\\');
		hash[strcspn(hash, " ")] = 0;
		testcomp_metadata(&out, &(struct testcomp_metadata){.specification = specification,
								    .file = file,
								    .hash = hash,
								    .entry = "main",
								    .bits = 64,
								    .created = created ? created : st.st_mtime});
		e = file_update(dir, "metadata.xml", out.data, out.size);
	}
	proc_release(&r);
	buf_release(&out);
	return e;
}

/* The values as elements of a test. 1: the function was called, or, without one, any error function. */
static int add_values(struct buf *out, char *text, const char *call)
{
	int called = 0;
	for (char *line = text, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		line[n] = 0;
		char *space = strrchr(line, ' '); /* of "unsigned int 7" the last */
		called |= *line == '!' && (!call || !line[1] || !strcmp(line + 2, call));
		if (!space || *line == '!')
			continue;
		*space = 0;
		testcomp_case_value(out, line, space + 1);
	}
	return called;
}

static int write_test(struct testcomp_suite *s)
{
	struct buf values = {0}, inputs = {0}, out = {0};
	char name[40];
	int e = 0;
	if (file_is_regular(s->values) && file_read_limited(s->values, VALUES_LIMIT, &values))
		buf_clear(&values); /* a loop that asks for ever: no test of it */
	int called = add_values(&inputs, buf_str(&values), s->call);
	if ((called || !s->call) && map_set(&s->known, hash64(inputs.data ? inputs.data : "", inputs.size, (uint64_t)called), 1)) {
		testcomp_case_begin(&out, called);
		buf_add(&out, inputs.data, inputs.size);
		testcomp_case_end(&out);
		snprintf(name, sizeof name, "testcase-%u.xml", ++s->tests);
		s->errors += (unsigned)called;
		e = file_update(s->dir, name, out.data, out.size);
	}
	buf_release(&values);
	buf_release(&inputs);
	buf_release(&out);
	return e;
}

int testcomp_take(struct testcomp_suite *s, char **argv, const void *data, size_t size)
{
	struct launch_input in = target_input(argv, size ? data : "", size, NULL);
	struct run_result r;
	unlink(s->values);
	return launcher_run(s->launcher, &in, &r) ? 1 : write_test(s);
}

int testcomp_open(struct testcomp_suite *s, const char *program, char **argv, double seconds)
{
	struct target_options t = TARGET_DEFAULTS;
	int n = 0;
	t.time = seconds;
	if (target_make(&s->plain, program, argv, TARGET_PLAIN, &t))
		return -1;
	for (const char *const *e = s->plain.options.env; e && *e && n < 2; e++)
		s->env[n++] = *e;
	s->plain.options.env = s->env;
	s->launcher = launcher_new(&s->plain.options);
	char *outbox = s->launcher ? launcher_outbox(s->launcher) : NULL;
	if (!outbox)
		return -1;
	s->values = file_join(outbox, "values");
	s->setting = mem_printf("MUSTER_VALUES=%s", s->values);
	s->env[n++] = s->setting;
	free(outbox);
	return 0;
}

void testcomp_close(struct testcomp_suite *s)
{
	launcher_free(s->launcher);
	if (s->plain.options.program)
		target_release(&s->plain);
	map_release(&s->known);
	free(s->values);
	free(s->setting);
}
