/* test_hostile.c: targets that misbehave (tests/hostile/hostile.c), each in every
 * way a target can be run: exec and fork server, with and without a PID
 * namespace. After each run no process of it may be left (all carry a marker
 * in their environment) and no file in the temporary directory.
 *
 * The program is compiled here. For the fork server it is linked with the start-up
 * and server code of the runtime, without instrumentation.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "run/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char marker[64];		      /* NAME=VALUE in the environment of every process of a run */
static char *plain, *served, *traced; /* the program; with a fork server; its trace variant */
static struct shm shm;

/* ------------------------------------------------------------- leftovers */

static unsigned marked_processes(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d))) {
		struct buf b = BUF_EMPTY;
		char path[300];

		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%s/environ", e->d_name);
		if (!file_read(path, &b) && b.size &&
		    memmem(b.data, b.size, marker, strlen(marker)))
			n++;
		buf_release(&b);
	}
	closedir(d);
	return n;
}

/* The directories of the input: a run's, and the launcher's. */
static char run_dir[4096], launcher_dir[4096];

static void remember_dirs(const struct launcher *l)
{
	const char *path = launcher_input_path(l);

	run_dir[0] = launcher_dir[0] = 0;
	if (!path)
		return;
	strcpy(run_dir, path);
	*strrchr(run_dir, '/') = 0;
	strcpy(launcher_dir, run_dir);
	*strrchr(launcher_dir, '/') = 0;
}

static void no_process_left(const char *what)
{
	unsigned n = marked_processes();

	if (n)
		fail_msg("%s: %u processes are left", what, n);
	if (run_dir[0] && file_exists(run_dir))
		fail_msg("%s: the input is left", what);
}

static void nothing_left(const char *what)
{
	no_process_left(what);
	if (launcher_dir[0] && file_exists(launcher_dir))
		fail_msg("%s: '%s' is left", what, launcher_dir);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		fail_msg("%s: an orphan became our child", what);
}

/* ------------------------------------------------------------------- runs */

enum how { EXEC, SERVER, TRACED, TRACED_SERVER };

static struct launch_options options(char *const *argv, enum how how, int no_namespace)
{
	static const char *env[2];
	struct launch_options o = LAUNCH_DEFAULTS;

	env[0] = marker;
	o.argv = argv;
	o.env = env;
	o.out = o.err = LAUNCH_NULL;
	o.wall_seconds = 20;
	o.memory_limit = 100 << 20;
	o.process_limit = 100;
	o.file_limit = 8 << 20;
	o.no_namespace = no_namespace;
	if (how != EXEC) {
		o.server = how != TRACED;
		o.program = how == SERVER ? served : traced;
		o.shm = &shm;
	}
	return o;
}

struct expect {
	const char *behaviour;
	enum run_end end;
	int value;	   /* exit code or signal */
	enum run_end end2; /* without a namespace, if it differs */
	int value2;
	double wall, cpu; /* limits, if not the usual ones */
};

static const struct expect expectations[] = {
    {"exit3", RUN_EXIT, 3, RUN_EXIT, 3, 0, 0},
    {"crash", RUN_SIGNAL, SIGSEGV, RUN_SIGNAL, SIGSEGV, 0, 0},
    {"abort", RUN_SIGNAL, SIGABRT, RUN_SIGNAL, SIGABRT, 0, 0},
    {"spin", RUN_TIME, 0, RUN_TIME, 0, 0.1, 0},
    {"sleep", RUN_WAITING, 0, RUN_WAITING, 0, 0.1, 0},
    {"deaf", RUN_WAITING, 0, RUN_WAITING, 0, 0.1, 0},
    {"limits", RUN_TIME, 0, RUN_TIME, 0, 0, 0.1},
    {"children", RUN_PROCESSES, 0, RUN_PROCESSES, 0, 0, 0},
    {"many", RUN_EXIT, 0, RUN_EXIT, 0, 0, 0},
    {"runner", RUN_EXIT, 0, RUN_EXIT, 0, 0, 0},
    {"memory", RUN_MEMORY, 0, RUN_MEMORY, 0, 0, 0},
    {"shared-memory", RUN_MEMORY, 0, RUN_MEMORY, 0, 0, 0},
    {"close", RUN_EXIT, 5, RUN_EXIT, 5, 0, 0},
    {"daemon", RUN_EXIT, 0, RUN_EXIT, 0, 0, 0},
    {"nest", RUN_EXIT, 0, RUN_EXIT, 0, 0, 0},
    /* Without a namespace a target that kills its parent dies with it: the next in line would be
       the keeper. */
    {"kill-parent", RUN_EXIT, 7, RUN_SIGNAL, SIGKILL, 0, 0},
    {"kill-parents", RUN_EXIT, 8, RUN_SIGNAL, SIGKILL, 0, 0},
    {"stop-parent", RUN_EXIT, 4, RUN_EXIT, 4, 0, 0},
    {"stop", RUN_STOPPED, 0, RUN_STOPPED, 0, 0, 0},
    {"delete", RUN_EXIT, 2, RUN_EXIT, 2, 0, 0},
    {"litter", RUN_EXIT, 0, RUN_EXIT, 0, 0, 0},
    {"output", RUN_EXIT, 0, RUN_EXIT, 0, 0, 0},
    {"file", RUN_SIGNAL, SIGXFSZ, RUN_SIGNAL, SIGXFSZ, 0, 0},
};

static void check(const struct expect *x, const struct run_result *r, int no_namespace,
		  const char *what)
{
	/* Landlock keeps signals in from 6.12 on: then a target without a namespace ends as one with it. */
	int as_in_one = r->end == x->end && x->end == RUN_EXIT && r->code == x->value;
	enum run_end end = no_namespace && !as_in_one ? x->end2 : x->end;
	int value = no_namespace && !as_in_one ? x->value2 : x->value;
	char words[600];

	run_result_words(r, words, sizeof words);
	if (r->end != end || (end == RUN_EXIT && r->code != value) ||
	    (end == RUN_SIGNAL && r->signal != value))
		fail_msg("%s: %s", what, words);
}

/* All behaviours; twice with one server: what one run does must not spoil the next. */
static void run_all(enum how how, int no_namespace)
{
	for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
		const struct expect *x = &expectations[i];
		char *argv[] = {plain, (char *)x->behaviour, "@@", NULL};
		struct launch_options o = options(argv, how, no_namespace);
		struct launch_input in = {.data = "input", .size = 5};
		struct launcher *l;
		struct run_result r;

		if (x->wall > 0)
			launch_limit(&o, x->wall);
		if (x->cpu > 0)
			o.cpu_seconds = x->cpu;
		l = launcher_new(&o);
		if (!l)
			fail_msg("%s: %s", x->behaviour, error_text());
		for (int round = 0; round < 1 + o.server; round++) {
			if (launcher_run(l, &in, &r))
				fail_msg("%s: %s", x->behaviour, error_text());
			check(x, &r, !launcher_namespace(l), x->behaviour);
			remember_dirs(l);
			assert_true(file_exists(launcher_dir));
			if (how == EXEC || how == TRACED)
				no_process_left(x->behaviour);
		}
		launcher_free(l);
		nothing_left(x->behaviour);
	}
}

static void test_exec(void **unused)
{
	(void)unused;
	run_all(EXEC, 0);
}

static void test_exec_no_namespace(void **unused)
{
	(void)unused;
	run_all(EXEC, 1);
}

static void test_server(void **unused)
{
	(void)unused;
	if (!served)
		skip();
	run_all(SERVER, 0);
}

static void test_server_no_namespace(void **unused)
{
	(void)unused;
	if (!served)
		skip();
	run_all(SERVER, 1);
}

static void test_traced(void **unused)
{
	(void)unused;
	if (!traced)
		skip();
	run_all(TRACED, 0);
	run_all(TRACED_SERVER, 0);
}

static int no_sandbox; /* of run_one */

static void run_one(const char *behaviour, enum how how, const char *data, struct run_result *r,
		    int *is_namespace)
{
	char *argv[] = {plain, (char *)behaviour, NULL};
	struct launch_options o = options(argv, how, 0);
	struct launch_input in = {.data = data, .size = strlen(data)};
	struct launcher *l;

	o.no_sandbox = no_sandbox;
	l = launcher_new(&o);

	if (!l || launcher_run(l, &in, r))
		fail_msg("%s: %s", behaviour, error_text());
	*is_namespace = launcher_namespace(l);
	launcher_free(l);
	nothing_left(behaviour);
}

/* Doubles without end, each process in its own session: only in a namespace can
 * root stop that; other users have RLIMIT_NPROC. */
static void test_bomb(void **unused)
{
	struct run_result r;
	int is_namespace;

	(void)unused;
	if (geteuid())
		skip();
	run_one("exit3", EXEC, "", &r, &is_namespace);
	if (!is_namespace)
		skip();
	run_one("bomb", EXEC, "", &r, &is_namespace);
	assert_int_equal(r.end, RUN_PROCESSES);
	run_one("kill-all", EXEC, "", &r, &is_namespace);
	assert_int_equal(r.end, RUN_EXIT);
	assert_int_equal(r.code, 6);
	no_sandbox = 1; /* there nobody can become another */
	run_one("other-user", EXEC, "", &r, &is_namespace);
	no_sandbox = 0;
	assert_int_equal(r.end, RUN_EXIT);
	assert_int_equal(r.left, 1);
}

/* --------------------------------------------------------- the fork server */

/* Position and flags of standard input are new in each run; the server survives. */
static void test_server_input(void **unused)
{
	char *argv[] = {plain, "count", NULL};
	struct launch_options o = options(argv, SERVER, 0);
	struct launcher *l;
	struct run_result r;

	(void)unused;
	if (!served)
		skip();
	l = launcher_new(&o);
	assert_non_null(l);
	for (int i = 0; i < 200; i++) {
		char text[256];
		struct launch_input in = {.data = text, .size = (size_t)i % 100, .present = 1};

		memset(text, 'x', sizeof text);
		assert_int_equal(launcher_run(l, &in, &r), 0);
		assert_int_equal(r.end, RUN_EXIT);
		assert_int_equal(r.code, i % 100);
		assert_int_equal(r.counts.state, MUSTER_STATE_RUNNING);
	}
	assert_int_equal(launcher_restarts(l), 0);
	launcher_free(l);
	nothing_left("count");
}

/* A target that writes over the header spoils its own trace only. */
static void test_scribble(void **unused)
{
	(void)unused;
	if (!served)
		skip();
	for (int server = 0; server < 2; server++) {
		char *argv[] = {plain, "scribble", NULL};
		struct launch_options o = options(argv, SERVER, 0);
		struct launcher *l;
		struct run_result r;

		o.server = server;
		l = launcher_new(&o);
		assert_non_null(l);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(launcher_run(l, NULL, &r), 0);
			assert_int_equal(r.end, RUN_EXIT);
			assert_int_equal(r.code, 0);
			assert_int_equal(r.counts.scribbled, 1);
			assert_true(r.counts.nodes <= shm.node_capacity);
		}
		launcher_free(l);
		nothing_left("scribble");
	}
}

static void test_server_restarts(void **unused)
{
	char *argv[] = {plain, "kill-parent", NULL};
	struct launch_options o = options(argv, SERVER, 0);
	struct launcher *l;
	struct run_result r;

	(void)unused;
	if (!served)
		skip();
	l = launcher_new(&o);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(launcher_run(l, NULL, &r), 0);
		assert_int_equal(r.killed_parent, 1);
	}
	assert_int_equal(launcher_restarts(l), 4);
	launcher_free(l);
	nothing_left("kill-parent");
}

/* ------------------------------------------------------------ muster dies */

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void muster_dies(int sig, int no_namespace)
{
	char *dir = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();
	int i;

	if (!pid) {
		char *argv[] = {plain, "nest", "@@", NULL};
		struct launch_options o = options(argv, EXEC, no_namespace);
		struct launch_input in = {.data = "input", .size = 5};
		struct launcher *l;
		struct run_result r;

		signal(sig, SIG_DFL); /* a shell's job in the background ignores SIGINT */
		l = launcher_new(&o);
		strcpy(dir, file_temp_dir());
		for (;;) {
			if (!l || launcher_run(l, &in, &r))
				_exit(1);
			remember_dirs(l);
			strcpy(dir + 4096, launcher_dir);
		}
	}
	for (i = 0; i < 2000 && (!dir[4096] || marked_processes() < 2); i++)
		pause_ms(1);
	assert_true(i < 2000);
	kill(pid, sig);
	waitpid(pid, &i, 0);
	assert_true(WIFSIGNALED(i));
	for (i = 0; i < 5000 && (marked_processes() || file_exists(dir) || file_exists(dir + 4096));
	     i++)
		pause_ms(1);
	assert_int_equal(marked_processes(), 0);
	assert_false(file_exists(dir));
	assert_false(file_exists(dir + 4096));
	munmap(dir, 8192);
	for (i = 0; i < 5000 && waitpid(-1, NULL, WNOHANG) >= 0; i++)
		pause_ms(1); /* its keeper fell to us */
}

static void test_muster_killed(void **unused)
{
	(void)unused;
	muster_dies(SIGKILL, 0);
	muster_dies(SIGKILL, 1);
	muster_dies(SIGINT, 0);
	muster_dies(SIGTERM, 1);
}

/* The keeper is killed from outside: the run fails with words, the next one works. */
static void test_keeper_killed(void **unused)
{
	char *argv[] = {plain, "nest", NULL};
	struct launch_options o = options(argv, EXEC, 1);
	struct launcher *l;
	struct run_result r;
	pid_t helper;

	(void)unused;
	helper = fork();
	if (!helper) { /* kills our other child, the keeper, in the middle of a run */
		struct buf b = BUF_EMPTY;
		char path[64], *p, *end;

		while (marked_processes() < 4)
			pause_ms(1);
		snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getppid(),
			 (int)getppid());
		if (!file_read(path, &b))
			for (p = buf_str(&b);; p = end) {
				pid_t pid = (pid_t)strtol(p, &end, 10);

				if (end == p)
					break;
				if (pid != getpid())
					kill(pid, SIGKILL);
			}
		_exit(0);
	}
	l = launcher_new(&o);
	assert_non_null(l);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(launcher_run(l, NULL, &r), 0);
		if (r.end == RUN_FAILED)
			break;
	}
	assert_int_equal(r.end, RUN_FAILED);
	waitpid(helper, NULL, 0);
	assert_int_equal(marked_processes(), 0);
	assert_int_equal(launcher_run(l, NULL, &r), 0);
	assert_int_equal(r.end, RUN_EXIT);
	assert_int_equal(launcher_restarts(l), 1);
	launcher_free(l);
	nothing_left("keeper killed");
}

/* ------------------------------------------------------------------ set-up */

static char *compile(const char *name, const char *const *more)
{
	char *path = file_temp(name),
	     *argv[24] = {"clang-19", "-O1", "-w", "tests/hostile/hostile.c", "-o", path};
	struct proc_opts po = {.capture_err = 1};
	struct proc_result r;
	int n = 6;

	for (; more && *more; more++)
		argv[n++] = (char *)*more;
	if (proc_run(argv, &po, &r) || r.status) {
		print_message("%s\n", r.err.data ? buf_str(&r.err) : error_text());
		free(path);
		path = NULL;
	}
	proc_release(&r);
	return path;
}

static char *make_traced(void)
{
	char *dir = mem_printf("MUSTER_DIR=%s/cache", file_temp_dir()), *path = NULL;
	const char *const env[] = {dir, NULL};
	char *argv[] = {"build/muster", "variant", "tests/hostile/hostile.c", NULL};
	struct proc_opts po = {.env = env, .capture_out = 1};
	struct proc_result r;

	if (!proc_run(argv, &po, &r) && !r.status && r.out.size) {
		path = buf_take(&r.out);
		path[strcspn(path, "\n")] = 0;
	}
	proc_release(&r);
	free(dir);
	return path;
}

/* Address space is limited after the engine made its tables: the runtime says what to do. */
static void test_ulimit(void **unused)
{
	pid_t pid;
	int status;

	(void)unused;
	if (!traced)
		skip();
	pid = fork();
	if (!pid) {
		struct rlimit limit = {64ull << 30, 64ull << 30};
		char *argv[] = {plain, "exit3", NULL};
		struct run_result r;
		int code = 0;

		setrlimit(RLIMIT_AS, &limit);
		for (int how = TRACED; how <= TRACED_SERVER && !code; how++) {
			struct launch_options o = options(argv, how, 0);
			struct launcher *l = launcher_new(&o);

			if (!l || launcher_run(l, NULL, &r))
				code = 1;
			else if (r.end != RUN_FAILED || !strstr(r.message, "ulimit -v unlimited"))
				code = 2;
			launcher_free(l);
		}
		_exit(code);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static int setup(void **unused)
{
	static const char *const runtime[] = {
	    "-Wl,--whole-archive", "build/runtime/libmuster_cov.a", "-Wl,--no-whole-archive", NULL};

	(void)unused;
	snprintf(marker, sizeof marker, "MUSTER_HOSTILE_TEST=%d", (int)getpid());
	plain = compile("hostile", NULL);
	if (file_exists("build/runtime/libmuster_cov.a"))
		served = compile("hostile-served", runtime);
	traced = make_traced();
	if (!served || !traced)
		print_message(
		    "the runtime is not built: no tests of the fork server or of variants\n");
	return plain ? shm_init(&shm, NULL) : -1;
}

static int teardown(void **unused)
{
	(void)unused;
	shm_release(&shm);
	free(plain);
	free(served);
	free(traced);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exec),	  cmocka_unit_test(test_exec_no_namespace),
	    cmocka_unit_test(test_server),	  cmocka_unit_test(test_server_no_namespace),
	    cmocka_unit_test(test_traced),	  cmocka_unit_test(test_ulimit),
	    cmocka_unit_test(test_bomb),	  cmocka_unit_test(test_server_input),
	    cmocka_unit_test(test_scribble),	  cmocka_unit_test(test_server_restarts),
	    cmocka_unit_test(test_muster_killed), cmocka_unit_test(test_keeper_killed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
