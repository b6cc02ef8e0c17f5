/* check.c: a file of exported tests is tried as its user would: compiled and run without
 * muster.
 *
 * One that does not compile is written once more without names of members. Tests that fail outside
 * of the driver (they depend on something that it cannot know: addresses, what memory had in it)
 * lose their assertions first and then their place in the file; each is noted. If a test ends the
 * whole program, every test is run by itself.
 *
 * A bug is reproduced if its test fails with the kind of error and in the place it was reported with;
 * the sanitizer's report says both. A used-up stack is compared by the functions that recur, since
 * its place is chance; a hang has none.
 */
#include "export/unit.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/home.h"
#include "check/confirm.h"
#include "check/san_options.h"
#include "run/confined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 16
#define SECONDS_ALL 300
#define SECONDS_ONE 10 /* as in the Makefile */
#define SECONDS_HANG 3 /* of a bug that is known to hang */
#define SECONDS_BUGS 240.0 /* for all bugs of a file */
#define AT_ONCE 8

/* Compiles the file; -1: the compiler cannot be run, 0: it compiles, 1: it does not (words). */
static int compile(const struct unit *u, int bugs, const char *program, struct buf *words)
{
	char *source = mem_printf("%s/%s.c", u->o->dir, u->base);
	char *front[] = {bugs ? (char *)home_clang() : "cc", "-w", "-o", (char *)program, source};
	char *bug_flags[] = {EXPORT_BUG_FLAGS};
	VEC(char *) argv = {0};
	struct proc_opts opts = {.capture_err = 1, .capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	int e;

	for (size_t i = 0; i < sizeof front / sizeof *front; i++)
		vec_push(&argv, front[i]);
	for (size_t i = 0; i < u->cflags.argv.size && u->cflags.argv.data[i]; i++)
		vec_push(&argv, u->cflags.argv.data[i]);
	for (size_t i = 0; bugs && i < sizeof bug_flags / sizeof *bug_flags; i++)
		vec_push(&argv, bug_flags[i]);
	vec_push(&argv, "-lcmocka");
	vec_push(&argv, "-lm");
	vec_push(&argv, NULL);
	e = proc_run(argv.data, &opts, &r);
	if (!e) {
		e = r.status != 0;
		buf_clear(words);
		buf_add(words, r.err.data, r.err.size);
	}
	proc_release(&r);
	vec_release(&argv);
	free(source);
	return e;
}

/* -------------------------------------------------------------------- tests */

/* They are sorted by their names. */
static struct input *find(struct unit *u, const char *name, size_t n)
{
	size_t low = 0, high = u->inputs.size;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const char *other = u->inputs.data[mid].name;
		int order = strncmp(other, name, n);

		if (!order && !other[n])
			return &u->inputs.data[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* First its assertions go, then, in another round, the test. 1: something changed. */
static int weaken(struct input *in)
{
	if (!in || in->bug || in->dropped || in->touched)
		return 0;
	in->touched = 1;
	in->dropped = in->unsteady || !in->seen.size;
	in->unsteady = 1;
	in->note = in->dropped ? EXPORT_OUTSIDE : EXPORT_BARE;
	return 1;
}

/* The test that a line of cmocka's names. */
static struct input *named(struct unit *u, const char *line, const char *mark)
{
	size_t n = strlen(mark);

	return strncmp(line, mark, n) ? NULL : find(u, line + n, strcspn(line + n, " \r\n"));
}

/* Runs all tests. -1: it could not be run. */
static int run(const char *program, struct proc_result *r)
{
	static const double seconds = SECONDS_ALL;
	char *scratch = file_temp("run"), *argv[] = {(char *)program, NULL};
	struct proc_opts opts = {
	    .capture_err = 1, .capture_out = 1, .null_input = 1, .dir = scratch, .call = confined_call, .ctx = &seconds};
	int e = file_mkdirs(scratch) || proc_run(argv, &opts, r);

	file_remove_tree(scratch);
	free(scratch);
	return e ? -1 : 0;
}

/* Tests that are run by themselves, several at a time, each in a scratch directory of its own. */
struct alone {
	const char *program;
	const char *const *env; /* may be NULL */
	struct proc_job jobs[AT_ONCE];
	char *argv[AT_ONCE][3], *scratch[AT_ONCE];
	double seconds[AT_ONCE];
	struct input *inputs[AT_ONCE];
	int count;
};

static void alone_add(struct alone *a, struct input *in, double seconds)
{
	int n = a->count++;

	a->argv[n][0] = (char *)a->program;
	a->argv[n][1] = in->name;
	a->argv[n][2] = NULL;
	a->seconds[n] = seconds;
	a->scratch[n] = file_temp("run");
	file_mkdirs(a->scratch[n]);
	a->inputs[n] = in;
	a->jobs[n] = (struct proc_job){.argv = a->argv[n],
				       .opts = {.capture_err = 1,
						.capture_out = 1,
						.null_input = 1,
						.env = a->env,
						.dir = a->scratch[n],
						.call = confined_call,
						.ctx = &a->seconds[n]}};
}

static void alone_run(struct alone *a)
{
	proc_run_many(a->jobs, a->count);
	for (int i = 0; i < a->count; i++)
		file_remove_tree(a->scratch[i]);
}

static void alone_clear(struct alone *a)
{
	for (int i = 0; i < a->count; i++) {
		proc_release(&a->jobs[i].result);
		free(a->scratch[i]);
	}
	a->count = 0;
}

/* One of them took the others with it: which? */
static int run_alone(struct unit *u, const char *program)
{
	struct alone a = {.program = program};
	int changed = 0;

	for (size_t i = 0; i < u->inputs.size; i++) {
		struct input *in = &u->inputs.data[i];

		if (!in->bug && !in->dropped)
			alone_add(&a, in, SECONDS_ONE);
		if (a.count < AT_ONCE && i + 1 < u->inputs.size)
			continue;
		alone_run(&a);
		for (int k = 0; k < a.count; k++)
			if (a.jobs[k].result.status)
				changed += weaken(a.inputs[k]);
		alone_clear(&a);
	}
	return changed;
}

/* Runs the tests; how many were changed because they fail outside of the driver. */
static int run_tests(struct unit *u, const char *program)
{
	struct proc_result r = {0};
	struct input *last = NULL;
	int changed = 0, ended = 0;

	for (size_t i = 0; i < u->inputs.size; i++)
		u->inputs.data[i].touched = 0; /* cmocka names a failure more than once */
	if (!run(program, &r) && r.status) {
		struct buf *outs[] = {&r.out, &r.err};

		for (int k = 0; k < 2; k++)
			for (char *p = buf_str(outs[k]); *p;
			     p += strcspn(p, "\n"), p += *p == '\n') {
				struct input *begun = named(u, p, "[ RUN      ] ");

				changed += weaken(named(u, p, "[  FAILED  ] "));
				last = begun ? begun : last;
				ended |= strstr(p, " test(s) run.") != NULL;
			}
		if (!ended)
			changed += run_alone(u, program);
		if (!changed) /* each passes by itself */
			changed = weaken(last);
	}
	proc_release(&r);
	return changed;
}

/* --------------------------------------------------------------------- bugs */

static int is_same(const struct export_place *want, const struct finding *f)
{
	if (strcmp(want->kind, f->bug.kind))
		return 0;
	if (!strcmp(f->bug.kind, "stack-overflow"))
		return !want->bucket || want->bucket == f->bug.bucket ||
		       !strcmp(want->function, f->bug.function);
	return want->line == f->bug.line && !strcmp(file_base(want->file), file_base(f->bug.file));
}

static void note_bug(struct unit *u, const struct input *in, const struct finding *f)
{
	const struct export_place *p = &in->place;

	if (is_same(p, f))
		u->counts->reproduced++;
	else if (f->bug.confirmed)
		export_note(u->counts, EXPORT_BUG_DIFFERS, in->name,
			    "%s in %s, line %u; there %s in %s, line %u", p->kind,
			    *p->function ? p->function : "?", p->line, f->bug.kind,
			    *f->bug.function ? f->bug.function : "?", f->bug.line);
	else
		export_note(u->counts, EXPORT_BUG_PASSES, in->name, "%s", in->bug);
}

/* What a run of a bug's test shows. -1: the report could not be read. */
static int read_bug(struct confirm *c, const char *program, const struct proc_result *r, struct finding *f)
{
	struct run_result end = {0};
	char *dir = file_dir(program);
	int e;

	end.end = r->status == 124 ? RUN_TIME : r->status > 128 ? RUN_SIGNAL : RUN_EXIT;
	end.code = r->status;
	end.signal = r->status > 128 ? r->status - 128 : 0;
	end.err = r->err;
	e = confirm_read(c, dir, &end, f);
	if (!e && !f->bug.confirmed && r->status) { /* without a report: at least it fails */
		f->bug.confirmed = 1;
		f->bug.kind = "a failure";
	}
	free(dir);
	return e ? -1 : 0;
}

/* Runs those that wait. */
static void bugs_step(struct unit *u, struct confirm *c, struct alone *a)
{
	alone_run(a);
	for (int i = 0; i < a->count; i++) {
		struct finding f = FINDING_NONE;

		if (read_bug(c, a->program, &a->jobs[i].result, &f))
			export_note(u->counts, EXPORT_UNSEEN, a->inputs[i]->name, "%s", error_text());
		else
			note_bug(u, a->inputs[i], &f);
		finding_release(&f);
	}
	alone_clear(a);
}

/* Those that hang and the others, each kind by itself: who waits for a hang waits for several. */
static void run_each_bug(struct unit *u, struct confirm *c, const char *program)
{
	static const char *const env[] = {
	    "ASAN_OPTIONS=" SAN_ASAN_OPTIONS
	    ":handle_segv=2:handle_abort=2:handle_sigfpe=2:handle_sigill=2:"
	    "handle_sigbus=2:detect_stack_use_after_return=1",
	    "UBSAN_OPTIONS=" SAN_UBSAN_OPTIONS, NULL};
	struct alone a = {.program = program, .env = env};
	struct timespec begun, now;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	for (int hangs = 0; hangs < 2; hangs++) {
		for (size_t i = 0; i < u->inputs.size; i++) {
			struct input *in = &u->inputs.data[i];

			if (!in->bug || export_is_claim(in->place.kind) || (strcmp(in->place.kind, "timeout") == 0) != hangs)
				continue;
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (now.tv_sec - begun.tv_sec > SECONDS_BUGS)
				export_note(u->counts, EXPORT_UNSEEN, in->name, "the time for trying bugs was over");
			else
				alone_add(&a, in, hangs ? SECONDS_HANG : SECONDS_ONE);
			if (a.count == AT_ONCE)
				bugs_step(u, c, &a);
		}
		bugs_step(u, c, &a);
	}
}

static void run_bugs(struct unit *u, const char *program)
{
	struct launch_options none = {0};
	struct confirm *c = NULL;
	struct buf words = {0};
	size_t bugs = 0;

	for (size_t i = 0; i < u->inputs.size; i++)
		bugs += u->inputs.data[i].bug && !export_is_claim(u->inputs.data[i].place.kind);
	if (!bugs || confirm_open(&c, program, &none))
		return;
	if (compile(u, 1, program, &words)) {
		char *name = mem_printf("%s.c with -DMUSTER_BUGS", u->base);
		export_note(u->counts, EXPORT_BROKEN, name, "%s", buf_str(&words));
		free(name);
		bugs = 0;
	}
	if (bugs)
		run_each_bug(u, c, program);
	confirm_close(c);
	buf_release(&words);
}

/* --------------------------------------------------------------------- file */

/* With names of members, or else without. 0, 1: it does not compile, or cannot be tried; -1. */
static int compile_file(struct unit *u, const char *program)
{
	struct buf words = {0}, plain = {0};
	char *name = mem_printf("%s.c", u->base);
	int e = compile(u, 0, program, &words);

	if (e > 0 && (strstr(buf_str(&words), "cmocka.h") || strstr(buf_str(&words), "lcmocka"))) {
		export_note(u->counts, EXPORT_UNSEEN, name, "cmocka is not installed here");
	} else if (e > 0) {
		u->raw = 1;
		e = export_unit_write(u) ? -1 : compile(u, 0, program, &plain);
		if (e > 0) { /* as it should have been is easier to mend */
			u->raw = 0;
			e = export_unit_write(u) ? -1 : 1;
			export_note(u->counts, EXPORT_BROKEN, name, "%s", buf_str(&words));
		}
	}
	buf_release(&words);
	buf_release(&plain);
	free(name);
	return e;
}

int export_unit_check(struct unit *u)
{
	char *dir = file_temp("tests"), *program = file_join(dir, u->base);
	struct buf words = {0};
	int e = file_mkdirs(dir), round = 0;

	if (!u->o->quiet)
		log_progress("compiling and running %s.c", u->base);
	if (!e)
		e = compile_file(u, program);
	while (!e && run_tests(u, program)) {
		if (round++ == ROUNDS) {
			export_note(u->counts, EXPORT_BROKEN, u->base,
				    "its tests fail, now these and now those");
			break;
		}
		e = export_unit_write(u);
		if (!e)
			e = compile(u, 0, program, &words);
	}
	if (!e)
		run_bugs(u, program);
	log_progress(NULL);
	file_remove_tree(dir);
	free(program);
	free(dir);
	buf_release(&words);
	return e < 0 ? -1 : 0;
}
