/* test_exec.c: many runs of the cov variant: processes, the loop of a harness, and what either does with
 * programs that crash, hang, leave, leak or leave others behind. */
#include "cov_program.h"
#include "base/mem.h"
#include "run/exec.h"
#include "search/cover.h"
#include "timing.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static double wall = 0.25;
static int no_namespace;

static struct exec *open_program(const char *path, int no_loop, char *argument)
{
	char **argv = mem_zalloc(3 * sizeof *argv); /* borrowed by the exec */
	struct launch_options o = LAUNCH_DEFAULTS;
	struct exec *e;

	argv[0] = "program";
	argv[1] = argument;
	o.argv = argv;
	o.program = path;
	o.out = o.err = LAUNCH_NULL;
	launch_limit(&o, wall);
	o.no_namespace = no_namespace;
	o.memory_limit = 128u << 20;
	o.process_limit = 20;
	if (exec_open(&e, &o, no_loop))
		fail_msg("%s", error_text());
	return e;
}

static struct exec_result result;

static void run(struct exec *e, const char *input)
{
	if (exec_run(e, input, strlen(input), &result))
		fail_msg("%s", error_text());
}

static unsigned covered(void)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < result.count; i++)
		n += result.counters[i] != 0;
	return n;
}

/* ------------------------------------------------------------ processes */

static const char reader[] = "#include <unistd.h>\n"
			     "#include <stdlib.h>\n"
			     "#include <fcntl.h>\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	char b[100];\n"
			     "	int fd = argc > 1 ? open(argv[1], O_RDONLY) : 0;\n"
			     "	int n = read(fd, b, 100);\n"
			     "	if (n < 0) return 99;\n"
			     "	for (int i = 0; i < n; i++)\n"
			     "		if (b[i] == 'x')\n"
			     "			exit(n);\n"
			     "	if (n && b[0] == 'a') abort();\n"
			     "	if (n && b[0] == 'h') for (;;) ;\n"
			     "	if (n && b[0] == 'f') { if (!fork()) for (;;) pause(); return 7; }\n"
			     "	if (n && b[0] == 's') { lseek(0, 50, 0); fcntl(0, F_SETFL, O_NONBLOCK); }\n"
			     "	if (n && b[0] == '?') return fcntl(0, F_GETFL) & O_NONBLOCK ? 50 : lseek(0, 0, 1);\n"
			     "	return 0;\n"
			     "}\n";

static void check_reader(struct exec *e)
{
	uint32_t units;

	for (int round = 0; round < 2; round++) {
		run(e, "one");
		assert_int_equal(result.end, RUN_EXIT);
		assert_int_equal(result.code, 0);
		assert_false(result.looped);
		run(e, "a longer one, x");
		assert_int_equal(result.code, 15);
		run(e, "x");
		assert_int_equal(result.code, 1);
		run(e, "");
		assert_int_equal(result.code, 0);
		run(e, "abort");
		assert_int_equal(result.end, RUN_SIGNAL);
		assert_int_equal(result.signal, SIGABRT);
		run(e, "fork");
		assert_int_equal(result.code, 7);
		run(e, "hang");
		assert_int_equal(result.end, RUN_TIME);
		assert_true(result.seconds > 0.2);
		assert_quick(result.seconds < 5);
	}
	assert_int_equal(exec_units(e, &units)->unit, PROGRAM);
	assert_int_equal(units, 1);
}

static void test_processes(void **unused)
{
	char *path = make_program(reader, 0);
	struct exec *e = open_program(path, 0, NULL); /* a loop is asked for; there is none */

	(void)unused;
	check_reader(e);
	run(e, "s");
	run(e, "?"); /* a fresh position and fresh flags */
	assert_int_equal(result.code, 1); /* the byte that was read */
	exec_close(e);
	e = open_program(path, 1, "@@");
	check_reader(e);
	exec_close(e);
	free(path);
}

/* The counts of one run are those of that run alone, and the same each time. */
static void test_counters(void **unused)
{
	char *path = make_program(reader, 0);
	struct exec *e = open_program(path, 1, NULL);
	uint8_t first[4096];
	uint32_t count;

	(void)unused;
	run(e, "12345");
	count = result.count;
	assert_true(count > 8 && count < sizeof first);
	memcpy(first, result.counters, count);
	run(e, "1x");
	assert_int_equal(result.count, count);
	assert_memory_not_equal(first, result.counters, count);
	run(e, "12345");
	assert_memory_equal(first, result.counters, count);
	exec_close(e);
	free(path);
}

/* ---------------------------------------------------------------- loop */

static const char harness[] =
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <unistd.h>\n"
    "#include <signal.h>\n"
    "static int runs;\n"
    "static char *leak[100000];\n"
    "int LLVMFuzzerInitialize(int *argc, char ***argv) { return *argc > 5 ? 1 : 0; }\n"
    "int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n"
    "{\n"
    "	runs++;\n"
    "	if (!size) return 0;\n"
    "	if (data[0] == 'a') abort();\n"
    "	if (data[0] == 'h') for (;;) ;\n"
    "	if (data[0] == 'e') exit(3);\n"
    "	if (data[0] == 'r' && data[size + 40]) return 0;\n" /* past the end */
    "	if (data[0] == 'p') for (size_t i = size; i % 16; i++) if (data[i]) abort();\n"
    "	if (data[0] == 'l') { leak[runs] = malloc(1 << 20); memset(leak[runs], 1, 1 << 20); }\n"
    "	if (data[0] == 'L') memset(malloc(1 << 28), 1, 1 << 28);\n"
    "	if (data[0] == 'f' && !fork()) for (;;) pause();\n"
    "	if (data[0] == 'k') kill(getppid(), SIGKILL);\n"
    "	for (size_t i = 0; i < size; i++) if (data[i] == 'x') runs++;\n"
    "	return 0;\n"
    "}\n";

static struct exec *open_harness(int no_loop)
{
	static char *path;

	if (!path)
		path = make_program(harness, 1);
	return open_program(path, no_loop, NULL);
}

static void test_loop(void **unused)
{
	struct exec *e = open_harness(0);
	uint8_t first[4096];
	uint32_t count, units;

	(void)unused;
	run(e, "xx1");
	assert_int_equal(result.looped, 1);
	assert_int_equal(result.end, RUN_EXIT);
	count = result.count;
	memcpy(first, result.counters, count);
	for (int i = 0; i < 200; i++) {
		run(e, "1");
		assert_memory_not_equal(first, result.counters, count);
		run(e, "xx1");
		assert_int_equal(result.looped, 1);
		assert_memory_equal(first, result.counters, count);
		run(e, "pp");
		assert_int_equal(result.end, RUN_EXIT); /* no stale bytes behind the input */
	}
	run(e, "");
	assert_int_equal(result.end, RUN_EXIT);
	exec_units(e, &units);
	assert_int_equal(units, 2);
	exec_close(e);
}

/* The second block of the unit counts what the input says: sums have classes of their own. */
static const char twice[] =
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "void again(uint32_t unit, uint32_t count, uint8_t *own, uint8_t **at);\n"
    "__asm__(\".globl again\\nagain: jmp __muster_cov_unit@PLT\");\n"
    "static uint8_t own[4], *at = own;\n"
    "int LLVMFuzzerInitialize(int *argc, char ***argv) { again(0x1234abcd, 4, own, &at); return 0; }\n"
    "int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n"
    "{\n"
    "	for (size_t i = 0; i < size; i++)\n"
    "		if (data[i] == 'x') at[0]++; else if (data[i] == 'y') at[1] += 3; else if (data[i] == 'a') abort();\n"
    "	return 0;\n"
    "}\n";

static const struct exec_unit *unit_of(const struct exec *e)
{
	uint32_t count;
	const struct exec_unit *units = exec_units(e, &count);

	for (uint32_t i = 0; i < count; i++)
		if (units[i].unit == PROGRAM)
			return &units[i];
	fail_msg("the program has no unit");
	return NULL;
}

/* A batch says of each input what a run in a process of its own says: where it stops, what it skips, and the counters. */
static void check_batches(const char *text, const char *const *inputs, uint32_t count, double limit)
{
	char *path = make_program(text, 1);
	struct exec *alone, *looped;
	struct cover seen;
	struct exec_input list[512];
	uint32_t from = 0, done, batches = 0;

	assert_true(count <= 512);
	wall = limit;
	alone = open_program(path, 1, NULL);
	looped = open_program(path, 0, NULL);
	wall = 0.25;
	exec_set_patient(looped, 1);
	cover_init(&seen);
	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct exec_input){.data = inputs[i], .size = strlen(inputs[i])};
	for (; from < count; from += done, batches++) {
		struct exec_seen classes = {seen.seen, seen.count, seen.version};
		struct exec_result r;

		if (exec_batch(looped, list + from, count - from < 64 ? count - from : 64, &classes, &done, &r))
			fail_msg("%s", error_text());
		assert_true(done >= 1 && from + done <= count);
		for (uint32_t i = from; i < from + done; i++) {
			struct cover_news news;

			run(alone, inputs[i]);
			news = cover_look(&seen, &result, 0, NULL, NULL);
			if (i + 1 < from + done || r.quiet) {
				if (news.outcomes || news.classes || result.end != RUN_EXIT)
					fail_msg("input %u, \"%s\", was passed over", i, inputs[i]);
				continue;
			}
			assert_int_equal(r.end, result.end);
			assert_int_equal(r.signal, result.signal);
			assert_int_equal(r.count, result.count);
			/* Not the driver's: without a loop it reads a file. */
			assert_memory_equal(r.counters + unit_of(looped)->first, result.counters + unit_of(alone)->first, unit_of(alone)->count);
			cover_look(&seen, &r, 1, NULL, NULL);
			cover_look(&seen, &result, 1, NULL, NULL);
		}
	}
	assert_true(batches < count || text == twice); /* where sums count, every run is looked at */
	cover_release(&seen);
	exec_close(alone);
	exec_close(looped);
	free(path);
}

static void test_batches(void **unused)
{
	static const char *const ends[] = {"1",	 "1",	  "xx", "xx", "2",  "abort", "1",    "xxxx", "3",  "good", "exit", "xxx", "1", "pp",
					   "pp", "4",  "x",     "hang", "5",    "xx", "",	   "6",	   "abort again", "7", "8", "9", "xxxxxxxxx"};
	static const char *const sums[] = {"x", "x", "x", "xx", "xx", "y", "y", "xy", "xy", "xxy", "xyz", "xxy", "yyy", "a", "yyy", "xxxxxx", "xyxyxy", "", "z", "zz", "x"};
	static char text[400][6];
	static const char *random[400];
	uint32_t state = 1;

	(void)unused;
	check_batches(harness, ends, sizeof ends / sizeof *ends, 1);
	check_batches(twice, sums, sizeof sums / sizeof *sums, 1);
	for (size_t i = 0; i < 400; i++) {
		for (size_t n = 0; n < i % 6; n++)
			text[i][n] = "xyz1p"[(state = state * 1103515245 + 12345) >> 16 & 3];
		random[i] = text[i];
	}
	check_batches(harness, random, 400, 1);
	check_batches(twice, random, 400, 1);
}

/* Of inputs with one signature the first is found, and those before it are others. */
static void test_until(void **unused)
{
	struct exec *e = open_harness(0);
	struct exec_input list[] = {{.data = "1", .size = 1}, {.data = "12", .size = 2}, {.data = "2", .size = 1}, {.data = "x1", .size = 2}, {.data = "1x", .size = 2}};
	uint32_t done;

	(void)unused;
	run(e, "y4x");
	assert_int_not_equal(result.signature, 0);
	exec_until(e, list, 5, result.signature, &done, &result);
	assert_int_equal(result.quiet && done == 5, 1);
	run(e, "5x");
	exec_until(e, list, 5, result.signature, &done, &result);
	assert_int_equal(done, 4);
	assert_int_equal(result.quiet, 0);
	assert_true(covered() > 2);
	exec_close(e);
}

/* The loop's end may come at any of these inputs, on a busy machine many later: each gets its result, and the loop goes on. */
static void loops_again(struct exec *e)
{
	const struct timespec pause = {0, 2000000};
	int looped = 0;

	for (int i = 0; i < 1000 && looped < 20; i++) {
		run(e, "fine");
		assert_int_equal(result.end, RUN_EXIT);
		looped = result.looped ? looped + 1 : 0;
		nanosleep(&pause, NULL);
	}
	assert_int_equal(looped, 20);
}

/* What a run costs: processor time, whoever else wants the processor, but all of it where the run waits. */
static void test_cost(void **unused)
{
	static const char burner[] =
	    "#include <stdint.h>\n"
	    "#include <stddef.h>\n"
	    "#include <time.h>\n"
	    "#include <unistd.h>\n"
	    "static double used(void)\n"
	    "{\n"
	    "	struct timespec t;\n"
	    "	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);\n"
	    "	return t.tv_sec + t.tv_nsec * 1e-9;\n"
	    "}\n"
	    "int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n"
	    "{\n"
	    "	double end = used() + 0.03;\n"
	    "	if (size && data[0] == 'w') usleep(120000);\n"
	    "	if (size && data[0] == 'b') while (used() < end) ;\n"
	    "	return 0;\n"
	    "}\n";
	char *path = make_program(burner, 1);
	pid_t others[6];

	(void)unused;
	for (unsigned i = 0; i < 6; i++)
		if (!(others[i] = fork()))
			for (;;)
				;
	wall = 5;
	for (int no_loop = 0; no_loop < 2; no_loop++) {
		struct exec *e = open_program(path, no_loop, NULL);

		run(e, "first");
		run(e, "burn");
		assert_int_equal(result.looped, !no_loop);
		assert_true(result.seconds > 0.029 && result.seconds < 0.06);
		run(e, "wait");
		assert_true(result.seconds > 0.11);
		exec_close(e);
	}
	wall = 0.25;
	for (unsigned i = 0; i < 6; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	free(path);
}

static void test_loop_ends(void **unused)
{
	struct exec *e = open_harness(0);

	(void)unused;
	for (int round = 0; round < 1 + !no_namespace; round++) {
		run(e, "fine");
		run(e, "abort");
		assert_int_equal(result.end, RUN_SIGNAL);
		assert_int_equal(result.signal, SIGABRT);
		assert_true(covered() > 2);
		run(e, "fine");
		assert_int_equal(result.end, RUN_EXIT);
		run(e, "exit");
		assert_int_equal(result.end, RUN_EXIT);
		assert_int_equal(result.code, 3);
		run(e, "hang");
		assert_int_equal(result.end, RUN_TIME);
		assert_true(result.seconds > 0.2);
		assert_quick(result.seconds < 5);
		run(e, "read past the end");
		assert_int_equal(result.end, RUN_SIGNAL);
		assert_int_equal(result.signal, SIGSEGV);
		run(e, "kill the parent"); /* which kills this one a little later, perhaps */
		loops_again(e);
	}
	exec_close(e);
	wall = 20; /* on a busy machine, memory takes its time */
	e = open_harness(0);
	wall = 0.25;
	run(e, "fine");
	run(e, "L");
	assert_int_equal(result.end, RUN_MEMORY);
	assert_false(result.looped); /* nobody else's memory: it was run again, alone */
	run(e, "fine");
	assert_int_equal(result.end, RUN_EXIT);
	exec_close(e);
}

/* What inputs leave behind is not charged to later ones. */
static void test_loop_leaks(void **unused)
{
	struct exec *e = open_harness(0);

	(void)unused;
	for (int i = 0; i < 400; i++) {
		run(e, "leak");
		assert_int_equal(result.end, RUN_EXIT);
	}
	for (int i = 0; i < 60; i++) {
		run(e, "fork");
		assert_int_equal(result.end, RUN_EXIT);
	}
	exec_close(e);
}

static void test_no_loop(void **unused)
{
	struct exec *e = open_harness(1);

	(void)unused;
	run(e, "fine");
	assert_false(result.looped);
	run(e, "abort");
	assert_int_equal(result.signal, SIGABRT);
	run(e, "exit");
	assert_int_equal(result.code, 3);
	exec_close(e);
}

/* The thread is where it may be again, and so is a burst's after it. */
static void test_binding(void **unused)
{
	struct exec *e = open_harness(0);
	cpu_set_t before, after;

	(void)unused;
	sched_getaffinity(0, sizeof before, &before);
	run(e, "1");
	sched_getaffinity(0, sizeof after, &after);
	assert_true(CPU_EQUAL(&before, &after));
	exec_burst(e, 1);
	run(e, "1");
	exec_burst(e, 0);
	sched_getaffinity(0, sizeof after, &after);
	assert_true(CPU_EQUAL(&before, &after));
	exec_burst(e, 1);
	exec_close(e);
	sched_getaffinity(0, sizeof after, &after);
	assert_true(CPU_EQUAL(&before, &after));
}

static void test_cannot(void **unused)
{
	char *argv[] = {"/bin/true", NULL}, *nowhere[] = {"/nowhere/program", NULL};
	struct launch_options o = LAUNCH_DEFAULTS;
	struct exec *e;

	(void)unused;
	o.argv = nowhere;
	assert_int_equal(exec_open(&e, &o, 0), -1);
	o.argv = argv; /* no variant */
	for (int no_loop = 0; no_loop < 2; no_loop++) {
		assert_int_equal(exec_open(&e, &o, no_loop), 0);
		assert_int_equal(exec_run(e, "1", 1, &result), -1);
		assert_non_null(strstr(error_text(), "no variant"));
		exec_close(e);
	}
}

/* Without a namespace, as for users who are not root. */
static void test_subreaper(void **state)
{
	no_namespace = 1;
	test_loop_ends(state);
	no_namespace = 0;
}

/* Nothing is left behind: no child of ours is there. */
static int no_children(void **unused)
{
	(void)unused;
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_processes, no_children),
	    cmocka_unit_test_teardown(test_counters, no_children),
	    cmocka_unit_test_teardown(test_loop, no_children),
	    cmocka_unit_test_teardown(test_batches, no_children),
	    cmocka_unit_test_teardown(test_until, no_children),
	    cmocka_unit_test_teardown(test_loop_ends, no_children),
	    cmocka_unit_test_teardown(test_cost, no_children),
	    cmocka_unit_test_teardown(test_loop_leaks, no_children),
	    cmocka_unit_test_teardown(test_no_loop, no_children),
	    cmocka_unit_test_teardown(test_binding, no_children),
	    cmocka_unit_test_teardown(test_subreaper, no_children),
	    cmocka_unit_test_teardown(test_cannot, no_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
