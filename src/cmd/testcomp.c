/* testcomp.c: muster test --testcomp: a suite for a program of Test-Comp.
 *
 * Such a program is a whole one: its input is what the __VERIFIER_nondet functions return. It is
 * built with muster cc and searched by `muster fuzz`, in a process of its own. Each file that this
 * leaves in queue/ and crashes/ is run once more, in the program as it was built, with
 * MUSTER_VALUES, by which the runtime tells the values that were asked for: these are the test.
 * Tests are written as they are found, so that a limit from outside loses nothing.
 *
 * For the property coverage-error-call the search ends with the first test that calls the function.
 * An abort says nothing about that, since assumptions are often written as one: a second build,
 * with -finstrument-functions, tells of the call itself.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/home.h"
#include "cmd/confine.h"
#include "run/target.h"
#include "unit/unit.h"
#include "report/testcomp.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 200000000 /* between two looks at what was found */
#define VALUES_LIMIT (64u << 20)

struct suite {
	const struct test_options *o;
	const char *file, *dir; /* program's source; of the suite */
	struct buf property;	/* its text */
	char *call;		/* of coverage-error-call: the function; NULL: coverage-branches */
	char *program, *out;	/* built; what the search writes */
	char *telling;		/* the program that is run for a test's values */
	char *values;		/* file of MUSTER_VALUES */
	const char *env[4];
	char *values_setting, *argv[2];
	struct target plain;
	struct launcher *launcher;
	struct strmap seen; /* names of files */
	struct map known;   /* hashes of tests that were written */
	unsigned count, errors;
};

/* ---------------------------------------------------------------- property */

static void read_property(struct suite *s, const char *name)
{
	if (file_is_regular(name)) {
		if (file_read_limited(name, 1 << 16, &s->property))
			die(EXIT_USAGE, "%s", error_text());
	} else if (strchr(name, '(')) {
		buf_adds(&s->property, name);
	} else {
		die(EXIT_USAGE, "there is no property file '%s'", name);
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
		die(EXIT_USAGE,
		    "the property '%s' is neither coverage of branches (COVER "
		    "EDGES(@DECISIONEDGE)) nor of a call (@CALL(f))",
		    name);
}

/* ----------------------------------------------------------------- the suite */

static void put(const struct suite *s, const char *name, const struct buf *b)
{
	char *path = file_join(s->dir, name);
	if (file_write_atomic(path, b->data, b->size))
		die(EXIT_USAGE, "%s", error_text());
	free(path);
}

static void write_metadata(const struct suite *s)
{
	char *argv[] = {"sha256sum", "-b", (char *)s->file, NULL};
	struct proc_opts opts = {.capture_out = 1, .null_input = 1};
	struct proc_result r = {0};
	struct buf out = {0};
	if (proc_run(argv, &opts, &r) || r.status)
		die(EXIT_USAGE, "sha256sum cannot read '%s'", s->file);
	char *line = buf_str(&r.out), *hash = line + (*line == '\\');
	hash[strcspn(hash, " ")] = 0;
	struct testcomp_metadata m = {.specification = s->property.data,
				      .file = s->file,
				      .hash = hash,
				      .entry = "main",
				      .bits = 64,
				      .created = time(NULL)};
	testcomp_metadata(&out, &m);
	put(s, "metadata.xml", &out);
	proc_release(&r);
	buf_release(&out);
}

/* Values that were asked for, line by line, as elements of a test. 1: the function was called: "!" says the telling build's own,
 * "! NAME" muster's, for a function that the program does not define. */
static int add_values(struct buf *out, char *text, const char *call)
{
	int called = 0;
	for (char *line = text, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		line[n] = 0;
		char *space = strrchr(line, ' '); /* of "unsigned int 7" the last */
		called |= call && *line == '!' && (!line[1] || !strcmp(line + 2, call));
		if (!space || *line == '!')
			continue;
		*space = 0;
		testcomp_case_value(out, line, space + 1);
	}
	return called;
}

static void write_test(struct suite *s)
{
	struct buf values = {0}, inputs = {0}, out = {0};
	char name[40];
	if (file_is_regular(s->values) && file_read_limited(s->values, VALUES_LIMIT, &values))
		buf_clear(&values); /* a loop that asks for ever: no test of it */
	int called = add_values(&inputs, buf_str(&values), s->call);
	if ((called || !s->call) &&
	    map_set(&s->known, hash64(inputs.data ? inputs.data : "", inputs.size, 0), 1)) {
		testcomp_case_begin(&out, called);
		buf_add(&out, inputs.data, inputs.size);
		testcomp_case_end(&out);
		snprintf(name, sizeof name, "testcase-%u.xml", ++s->count);
		s->errors += (unsigned)called;
		put(s, name, &out);
	}
	buf_release(&values);
	buf_release(&inputs);
	buf_release(&out);
}

static void take_file(struct suite *s, const char *path)
{
	struct buf data = {0};
	struct run_result r;
	if (file_read_limited(path, 64u << 20, &data)) { /* gone meanwhile */
		buf_release(&data);
		return;
	}
	unlink(s->values);
	struct launch_input in = target_input(s->argv, data.data ? data.data : "", data.size, NULL);
	if (launcher_run(s->launcher, &in, &r))
		die(EXIT_INTERNAL, "%s", error_text());
	write_test(s);
	buf_release(&data);
}

static void take_folder(struct suite *s, const char *name)
{
	char *path = file_join(s->out, name);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (strncmp(e->d_name, "id:", 3))
			continue;
		char *file = file_join(path, e->d_name);
		if (strmap_set(&s->seen, file, 1))
			take_file(s, file);
		free(file);
	}
	if (dir)
		closedir(dir);
	free(path);
}

static void take_new(struct suite *s)
{
	take_folder(s, "crashes");
	take_folder(s, "queue");
}

/* ------------------------------------------------------------------ search */

typedef VEC(char *) word_list;

static void build(struct suite *s, const word_list *front, const word_list *back, const char *out)
{
	word_list argv = {0};
	struct proc_opts opts = {.capture_err = 1, .null_input = 1};
	struct proc_result r = {0};
	for (size_t i = 0; i < front->size; i++)
		vec_push(&argv, front->data[i]);
	vec_push(&argv, "-w");
	for (const char *const *p = s->o->cflags; *p; p++)
		vec_push(&argv, (char *)*p);
	vec_push(&argv, (char *)s->file);
	for (size_t i = 0; i < back->size; i++)
		vec_push(&argv, back->data[i]);
	vec_push(&argv, "-lm");
	vec_push(&argv, "-o");
	vec_push(&argv, (char *)out);
	vec_push(&argv, NULL);
	if (proc_run(argv.data, &opts, &r))
		die(EXIT_INTERNAL, "%s", error_text());
	if (r.status)
		die(EXIT_USAGE, "'%s' does not build:\n%s", s->file, buf_str(&r.err));
	proc_release(&r);
	vec_release(&argv);
}

static void build_program(struct suite *s)
{
	char *self = file_self();
	word_list front = {0}, back = {0};
	s->program = file_temp("program");
	vec_push(&front, self);
	vec_push(&front, "cc");
	vec_push(&front, "-g");
	build(s, &front, &back, s->program);
	vec_release(&front);
	free(self);
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

static void build_telling(struct suite *s)
{
	if (!s->call) {
		s->telling = mem_strdup(s->program);
		return;
	}
	char *source = file_temp("teller.c"), *text = mem_printf(teller, s->call, s->call),
	     *native = home_file("libmuster_native.a");
	word_list front = {0}, back = {0};
	if (!native || file_write_atomic(source, text, strlen(text)))
		die(EXIT_INTERNAL, "%s", error_text());
	s->telling = file_temp("telling");
	vec_push(&front, (char *)home_clang());
	vec_push(&front, "-O0");
	vec_push(&front, "-finstrument-functions");
	vec_push(&back, source);
	vec_push(&back, native);
	build(s, &front, &back, s->telling);
	vec_release(&front);
	vec_release(&back);
	free(source);
	free(text);
	free(native);
}

static void open_runner(struct suite *s)
{
	struct target_options t = TARGET_DEFAULTS;
	t.time = s->o->run_time * 4;
	s->argv[0] = s->telling;
	if (target_make(&s->plain, s->telling, s->argv, TARGET_PLAIN, &t))
		die(EXIT_USAGE, "%s", error_text());
	int n = 0;
	for (const char *const *e = s->plain.options.env; e && *e && n < 2; e++)
		s->env[n++] = *e;
	s->plain.options.env = s->env;
	char *outbox = NULL;
	if (!(s->launcher = launcher_new(&s->plain.options)) || !(outbox = launcher_outbox(s->launcher)))
		die(EXIT_USAGE, "%s", error_text());
	s->values = file_join(outbox, "values");
	s->values_setting = mem_printf("MUSTER_VALUES=%s", s->values);
	s->env[n++] = s->values_setting;
	free(outbox);
}

static pid_t start_search(struct suite *s)
{
	char *self = file_self(), *store = file_temp("store.db"), number[40], run[40], workers[24],
	     seed[24];
	confine_words argv = {0};
	/* Its own grace is a part of our time: building has used some of it. */
	double left = deadline_left() * 0.9 - 0.5;
	snprintf(number, sizeof number, "%g", s->o->seconds <= 0 ? 60 : left > 0.1 ? left : 0.1);
	snprintf(run, sizeof run, "%g", s->o->run_time * 4);
	snprintf(workers, sizeof workers, "%llu",
		 (unsigned long long)(s->o->workers ? s->o->workers : 1));
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->o->seed);
	char *words[] = {self,	   "fuzz", "-q",	 "-o", s->out, "--store", store,
			 "--time", number, "--run-time", run,  "-j",   workers};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		vec_push(&argv, words[i]);
	if (s->o->seed) {
		vec_push(&argv, "--seed");
		vec_push(&argv, seed);
	}
	confine_pass(&argv);
	vec_push(&argv, "--");
	vec_push(&argv, s->program);
	vec_push(&argv, NULL);
	pid_t parent = getpid(), pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent || !freopen("/dev/null", "w", stdout) ||
		    !freopen("/dev/null", "w", stderr))
			_exit(EXIT_INTERNAL);
		execv(self, argv.data);
		_exit(EXIT_INTERNAL);
	}
	vec_release(&argv);
	free(self);
	free(store);
	if (pid < 0)
		die(EXIT_INTERNAL, "cannot start the search: %s", strerror(errno));
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
		take_new(s);
		if (gone)
			break;
		if (!told && ((s->call && s->errors) || *s->o->stop)) {
			kill(pid, SIGINT);
			told = 1;
		}
		if (deadline_killed())
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
}

int testcomp(const struct test_options *o, const char *property, const char *file)
{
	struct suite s = {.o = o, .file = file, .dir = o->out ? o->out : "test-suite"};
	read_property(&s, property);
	build_program(&s);
	build_telling(&s);
	if (file_mkdirs(s.dir))
		die(EXIT_USAGE, "%s", error_text());
	write_metadata(&s);
	s.out = file_temp("search");
	open_runner(&s);
	pid_t search = start_search(&s);
	deadline_phase(DEADLINE_FINISH); /* what the search found last becomes tests, too */
	int code = follow(&s, search);
	if (!o->quiet)
		printf("%u tests in %s%s\n", s.count, s.dir,
		       s.call ? s.errors ? ", one reaches the call" : ", none reaches the call"
			      : "");
	launcher_free(s.launcher);
	target_release(&s.plain);
	strmap_release(&s.seen);
	map_release(&s.known);
	buf_release(&s.property);
	free(s.values_setting);
	free(s.values);
	free(s.program);
	free(s.telling);
	free(s.call);
	free(s.out);
	if (code == EXIT_USAGE || code == EXIT_INTERNAL)
		return code;
	return s.errors ? EXIT_FOUND : s.call ? EXIT_INCONCLUSIVE : EXIT_OK;
}
