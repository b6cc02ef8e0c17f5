/* suite.c: a suite for a program of Test-Comp.
 *
 * Such a program is a whole one: its input is what the __VERIFIER_nondet functions return. It is
 * built as muster cc does and searched by a campaign, in a process of its own. Each file that this
 * leaves in queue/ and crashes/ is run once more, in the program as it was built, with
 * MUSTER_VALUES, by which the runtime tells the values that were asked for: these are the test.
 * Tests are written as they are found, so that a limit from outside loses nothing.
 *
 * For the property coverage-error-call the search ends with the first test that calls the function.
 * An abort says nothing about that, since assumptions are often written as one: a second build,
 * with -finstrument-functions, tells of the call itself.
 */
#include "campaign/suite.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/cc.h"
#include "build/home.h"
#include "campaign/campaign.h"
#include "report/testcomp_run.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 200000000 /* between two looks at what was found */

struct suite {
	const struct suite_options *o;
	struct suite_result *r;
	struct buf property;	/* its text */
	char *call;		/* of coverage-error-call: the function; NULL: coverage-branches */
	char *program, *out;	/* built; what the search writes */
	char *telling;		/* the program that is run for a test's values */
	char *argv[2];
	struct testcomp_suite tests;
	struct strmap seen; /* names of files */
};

/* What is wrong is not the user's: -1. */
static int internal(struct suite *s)
{
	s->r->code = EXIT_INTERNAL;
	return -1;
}

/* ---------------------------------------------------------------- property */

static int read_property(struct suite *s)
{
	const char *name = s->o->property;
	if (file_is_regular(name)) {
		if (file_read_limited(name, 1 << 16, &s->property))
			return -1;
	} else if (strchr(name, '(')) {
		buf_adds(&s->property, name);
	} else {
		return error_set("there is no property file '%s'", name);
	}
	while (s->property.size && strchr(" \t\r\n", s->property.data[s->property.size - 1]))
		s->property.size--;
	const char *text = buf_str(&s->property);
	const char *call = strstr(text, "@CALL(");
	if (call)
		s->call = mem_strndup(
		    call + 6,
		    strspn(call + 6,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
	if (!call && !strstr(text, "@DECISIONEDGE"))
		return error_set("the property '%s' is neither coverage of branches (COVER "
				 "EDGES(@DECISIONEDGE)) nor of a call (@CALL(f))",
				 name);
	s->r->of_call = call != NULL;
	return 0;
}

/* ----------------------------------------------------------------- the suite */

static int take_file(struct suite *s, const char *path)
{
	struct buf data = {0};
	int e = 0;
	if (!file_read_limited(path, 64u << 20, &data)) /* else it is gone meanwhile */
		e = testcomp_take(&s->tests, s->argv, data.data, data.size);
	buf_release(&data);
	s->r->tests = s->tests.tests;
	s->r->errors = s->call ? s->tests.errors : 0;
	return e > 0 ? internal(s) : e;
}

static int take_folder(struct suite *s, const char *name)
{
	int e = 0;
	char *path = file_join(s->out, name);
	DIR *dir = opendir(path);
	for (struct dirent *d; !e && dir && (d = readdir(dir));) {
		if (strncmp(d->d_name, "id:", 3))
			continue;
		char *file = file_join(path, d->d_name);
		if (strmap_set(&s->seen, file, 1))
			e = take_file(s, file);
		free(file);
	}
	if (dir)
		closedir(dir);
	free(path);
	return e;
}

static int take_new(struct suite *s)
{
	return take_folder(s, "crashes") || take_folder(s, "queue") ? -1 : 0;
}

/* ------------------------------------------------------------------ search */

typedef VEC(char *) word_list;

/* call: cc_call, or NULL: front has a compiler. */
static int build(struct suite *s, int (*call)(char *const *, const void *), const word_list *front, const word_list *back, const char *out)
{
	word_list argv = {0};
	struct proc_opts opts = {.capture_err = 1, .null_input = 1, .call = call};
	struct proc_result r = {0};
	for (size_t i = 0; i < front->size; i++)
		vec_push(&argv, front->data[i]);
	vec_push(&argv, "-w");
	for (const char *const *p = s->o->cflags; *p; p++)
		vec_push(&argv, (char *)*p);
	vec_push(&argv, (char *)s->o->file);
	for (size_t i = 0; i < back->size; i++)
		vec_push(&argv, back->data[i]);
	vec_push(&argv, "-lm");
	vec_push(&argv, "-o");
	vec_push(&argv, (char *)out);
	vec_push(&argv, NULL);
	int e = proc_run(argv.data, &opts, &r) ? internal(s) : 0;
	if (!e && r.status)
		e = error_set("'%s' does not build:\n%s", s->o->file, buf_str(&r.err));
	proc_release(&r);
	vec_release(&argv);
	return e;
}

static int build_program(struct suite *s)
{
	word_list front = {0}, back = {0};
	s->program = file_temp("program");
	vec_push(&front, "cc");
	vec_push(&front, "-g");
	int e = s->program ? build(s, cc_call, &front, &back, s->program) : internal(s);
	vec_release(&front);
	return e;
}

/* The same program, which says "!" where the other values stand when the function is entered. */
static const char teller[] =
    "#include <fcntl.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    "extern void %s() __attribute__((weak));\n"
    "__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *at) { "
    "(void)f, (void)at; }\n"
    "__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *at)\n"
    "{\n\tconst char *name = f == (void *)%s ? getenv(\"MUSTER_VALUES\") : 0;\n"
    "\tint fd = name ? open(name, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;\n"
    "\t(void)at;\n\tif (fd >= 0 && write(fd, \"!\\n\", 2) == 2)\n\t\tclose(fd);\n}\n";

static int build_telling(struct suite *s)
{
	if (!s->call) {
		s->telling = mem_strdup(s->program);
		return 0;
	}
	char *source = file_temp("teller.c"), *text = mem_printf(teller, s->call, s->call),
	     *native = home_file("libmuster_native.a");
	word_list front = {0}, back = {0};
	s->telling = file_temp("telling");
	vec_push(&front, (char *)home_clang());
	vec_push(&front, "-O0");
	vec_push(&front, "-finstrument-functions");
	vec_push(&back, source);
	vec_push(&back, native);
	int e = !native || file_write_atomic(source, text, strlen(text)) ? internal(s) : build(s, NULL, &front, &back, s->telling);
	vec_release(&front);
	vec_release(&back);
	free(source);
	free(text);
	free(native);
	return e;
}

static pid_t start_search(struct suite *s)
{
	struct fuzz_options o = FUZZ_DEFAULTS;
	char *store = file_temp("store.db"), *argv[] = {s->program, NULL};
	struct campaign_alone a = {.o = &o, .argv = argv, .orphan = SIGTERM};
	/* Its own grace is a part of our time: building has used some of it. */
	double left = deadline_left() * 0.9 - 0.5;
	o.seconds = s->o->seconds <= 0 ? 60 : left > 0.1 ? left : 0.1;
	o.run_time = s->o->run_time * 4;
	o.workers = s->o->workers ? s->o->workers : 1;
	o.seed = s->o->seed;
	o.out = s->out;
	o.store = store;
	o.quiet = 1;
	o.search.checks = s->o->checks;
	o.search.combine = s->o->combine;
	campaign_complete(&o);
	pid_t pid = campaign_start(&a);
	free(store);
	return pid;
}

/* Until the search ends, by itself, by its time, by the first error that was wanted, or by a
 * signal. */
static int follow(struct suite *s, pid_t pid)
{
	struct timespec pause = {0, POLL_NS};
	int status = 0, told = 0;
	for (;;) {
		pid_t gone = waitpid(pid, &status, WNOHANG);
		int e = take_new(s);
		if (e && !gone) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
		}
		if (e)
			return -1;
		if (gone)
			break;
		if (!told && ((s->call && s->r->errors) || *s->o->stop)) {
			kill(pid, SIGINT);
			told = 1;
		}
		if (deadline_killed())
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	s->r->code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
	return 0;
}

static int make(struct suite *s)
{
	if (read_property(s) || build_program(s) || build_telling(s) || file_mkdirs(s->o->dir) ||
	    testcomp_describe(s->o->dir, buf_str(&s->property), s->o->file, time(NULL)))
		return -1;
	s->out = file_temp("search");
	s->argv[0] = s->telling;
	s->tests.dir = s->o->dir;
	s->tests.call = s->call;
	if (testcomp_open(&s->tests, s->telling, s->argv, s->o->run_time * 4))
		return -1;
	pid_t search = start_search(s);
	deadline_phase(DEADLINE_FINISH); /* what the search found last becomes tests, too */
	return search < 0 ? internal(s) : follow(s, search);
}

int suite_make(const struct suite_options *o, struct suite_result *r)
{
	struct suite s = {.o = o, .r = r};
	*r = (struct suite_result){.code = EXIT_USAGE};
	int e = make(&s);
	testcomp_close(&s.tests);
	strmap_release(&s.seen);
	buf_release(&s.property);
	free(s.program);
	free(s.telling);
	free(s.call);
	free(s.out);
	return e;
}
