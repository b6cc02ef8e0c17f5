/* test_cov.c: the cov and path variants, from bitcode to counters and events.
 *
 * Programs are instrumented by the pass under test and linked with the runtime's
 * sources, and their output is compared with what the plain compiler gives.
 */
#include "bitcode.h"
#include "base/file.h"
#include "base/mem.h"
#include "instrument/instrument.h"
#include "ir/site.h"
#include "run/cov.h"
#include "run/launch.h"

#include <signal.h>
#include <stdlib.h>

#define UNIT 0x1234abcd
#define LIBRARY 0x5678abcd

static void run_command(char *const *argv)
{
	struct proc_result r = {0};

	if (proc_run(argv, NULL, &r))
		fail_msg("%s: %s", argv[0], error_text());
	if (r.status)
		fail_msg("%s: exit status %d", argv[0], r.status);
	proc_release(&r);
}

static char *make_object(const char *text, enum instrument_kind kind, uint32_t unit, int pic)
{
	struct instrument_options options = {
	    .verify = 1, .reloc = pic ? INSTRUMENT_RELOC_PIC : INSTRUMENT_RELOC_AUTO};
	struct buf bitcode = {0}, object = {0};
	char *path = file_temp("unit.o");

	compile_with(text, pic ? "-fPIC" : NULL, &bitcode);
	if (instrument_unit(bitcode.data, bitcode.size, unit, kind, &options, &object))
		fail_msg("%s", error_text());
	assert_int_equal(file_write_atomic(path, object.data, object.size), 0);
	buf_release(&bitcode);
	buf_release(&object);
	return path;
}

/* extra: another object or library for the link, or NULL. */
static char *link_program(const char *object, enum instrument_kind kind, const char *extra)
{
	char *path = file_temp("program");
	int cov = kind == INSTRUMENT_COV;
	char *argv[] = {"clang-19",
			"-D_GNU_SOURCE",
			"-O1",
			"-w",
			"-Iinclude",
			"-Iruntime",
			"-fPIC",
			"-ftls-model=initial-exec",
			(char *)object,
			"runtime/light.c",
			"runtime/forkserver.c",
			"runtime/rt_null.c",
			cov ? "runtime/cov.c" : "runtime/path.c",
			"runtime/loop.c",
			"-o",
			path,
			"-lpthread",
			(char *)extra,
			NULL};

	run_command(argv);
	return path;
}

struct run {
	struct shm shm;
	struct launcher *launcher;
	struct run_result result;
};

static void start(struct run *r, const char *program, int server)
{
	static char *argv[] = {"program", NULL};
	struct launch_options o = LAUNCH_DEFAULTS;

	memset(r, 0, sizeof *r);
	if (shm_init(&r->shm, NULL))
		fail_msg("%s", error_text());
	o.argv = argv;
	o.program = program;
	o.shm = &r->shm;
	o.server = server;
	o.out = LAUNCH_CAPTURE;
	r->launcher = launcher_new(&o);
	if (!r->launcher)
		fail_msg("%s", error_text());
}

static void once(struct run *r, const char *input)
{
	struct launch_input in = {.data = input, .size = strlen(input), .present = 1};

	if (launcher_run(r->launcher, &in, &r->result))
		fail_msg("%s", error_text());
	if (r->result.end == RUN_FAILED)
		fail_msg("%s", r->result.message);
}

static void stop(struct run *r)
{
	launcher_free(r->launcher);
	shm_release(&r->shm);
}

/* clang-format off */
static const char program[] =
    "#include <stdio.h>\n"                                          /* 1 */
    "static int kind(int c)\n"                                      /* 2 */
    "{\n"                                                           /* 3 */
    "	switch (c) {\n"                                             /* 4 */
    "	case 'a': return 1;\n"                                      /* 5 */
    "	case 'b': case 'c': return 2;\n"                            /* 6 */
    "	}\n"                                                        /* 7 */
    "	return c == '!' ? *(volatile int *)0 : 3;\n"                /* 8 */
    "}\n"                                                           /* 9 */
    "int main(void)\n"                                              /* 10 */
    "{\n"                                                           /* 11 */
    "	int c, sum = 0;\n"                                          /* 12 */
    "	while ((c = getchar()) != EOF)\n"                           /* 13 */
    "		sum = sum * 10 + kind(c);\n"                        /* 14 */
    "	printf(\"%d\\n\", sum);\n"                                  /* 15 */
    "	return 0;\n"                                                /* 16 */
    "}\n";                                                          /* 17 */
/* clang-format on */

struct counters {
	uint32_t unit;
	uint8_t of[64];
	uint32_t count;
	int blocks;
};

static int take(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count)
{
	struct counters *c = ctx;

	if (unit != c->unit)
		return 0;
	assert_true(count <= sizeof c->of);
	memcpy(c->of, counters, count);
	c->count = count;
	c->blocks++;
	return 0;
}

static struct counters counters_of(struct run *r, uint32_t unit)
{
	struct counters c = {.unit = unit};

	if (cov_each(&r->shm, take, &c))
		fail_msg("%s", error_text());
	assert_int_equal(c.blocks, 1);
	return c;
}

/* The counter of an outcome of the n-th decision at a line. */
static unsigned at_line(const struct site_table *t, const struct counters *c, uint32_t line,
			uint32_t outcome)
{
	for (uint32_t i = 0; i < t->sites; i++) {
		struct site s;
		struct site_decision d;

		if (!site_table_site(t, i, &s) || s.line != line || !s.outcomes)
			continue;
		assert_true(
		    site_table_decision(t, (uint32_t)site_table_decision_at(t, s.index), &d));
		assert_true(d.first_outcome + outcome < c->count);
		return c->of[d.first_outcome + outcome];
	}
	fail_msg("no decision at line %u", line);
	return 0;
}

static void check_counts(struct run *r, const char *path)
{
	struct site_tables set = {0};
	struct counters c = counters_of(r, UNIT);
	const struct site_table *t;

	assert_int_equal(site_tables_add_elf(&set, path), 1);
	t = site_tables_find(&set, UNIT);
	assert_non_null(t);
	assert_int_equal(c.count, t->outcomes);
	assert_int_equal(at_line(t, &c, 13, 1), 5); /* five characters, then the end */
	assert_int_equal(at_line(t, &c, 13, 0), 1);
	assert_int_equal(at_line(t, &c, 4, 0), 2);
	assert_int_equal(at_line(t, &c, 4, 1), 1);
	assert_int_equal(at_line(t, &c, 4, 2), 0);
	assert_int_equal(at_line(t, &c, 4, 3), 2);
	assert_int_equal(at_line(t, &c, 8, 0), 2);
	site_tables_release(&set);
}

static void test_counts(void **unused)
{
	char *object = make_object(program, INSTRUMENT_COV, UNIT, 0);
	char *path = link_program(object, INSTRUMENT_COV, NULL);
	struct run r;

	(void)unused;
	for (int server = 0; server < 2; server++) {
		start(&r, path, server);
		/* Tables are reused: what the first run counted must be gone. */
		once(&r, "bbbbbbbbbb");
		once(&r, "acxcx");
		assert_int_equal(r.result.end, RUN_EXIT);
		assert_int_equal(r.result.out.size, 6);
		assert_memory_equal(r.result.out.data, "12323\n", 6);
		check_counts(&r, path);
		stop(&r);
	}
	free(object);
	free(path);
}

static void test_counts_survive_a_crash(void **unused)
{
	char *object = make_object(program, INSTRUMENT_COV, UNIT, 0);
	char *path = link_program(object, INSTRUMENT_COV, NULL);
	struct site_tables set = {0};
	struct counters c;
	struct run r;

	(void)unused;
	start(&r, path, 0);
	once(&r, "aa!a");
	assert_int_equal(r.result.end, RUN_SIGNAL);
	assert_int_equal(r.result.signal, SIGSEGV);
	c = counters_of(&r, UNIT);
	site_tables_add_elf(&set, path);
	assert_int_equal(at_line(site_tables_find(&set, UNIT), &c, 13, 1), 3);
	assert_int_equal(at_line(site_tables_find(&set, UNIT), &c, 8, 1), 1);
	site_tables_release(&set);
	stop(&r);
	free(object);
	free(path);
}

static void test_saturates(void **unused)
{
	char *object = make_object("int main(void) { for (volatile int i = 0; i < 1024; i++); }",
				   INSTRUMENT_COV, UNIT, 0);
	char *path = link_program(object, INSTRUMENT_COV, NULL);
	struct counters c;
	struct run r;

	(void)unused;
	start(&r, path, 0);
	once(&r, "");
	c = counters_of(&r, UNIT);
	assert_int_equal(c.count, 2);
	assert_int_equal(c.of[0], 1);
	assert_int_equal(c.of[1], 255);
	stop(&r);
	free(object);
	free(path);
}

/* Runs as any program where nobody watches. */
static void test_unwatched(void **unused)
{
	char *object = make_object(program, INSTRUMENT_COV, UNIT, 0);
	char *path = link_program(object, INSTRUMENT_COV, NULL);
	char *argv[] = {path, NULL};
	struct proc_opts o = {.input = "ab", .input_size = 2, .capture_out = 1};
	struct proc_result r = {0};

	(void)unused;
	assert_int_equal(proc_run(argv, &o, &r), 0);
	assert_int_equal(r.status, 0);
	assert_string_equal(buf_str(&r.out), "12\n");
	proc_release(&r);
	free(object);
	free(path);
}

static const char library[] = "int odd(int x) { if (x & 1) return 1; return 0; }";
static const char user[] =
    "#include <stdio.h>\n"
    "int odd(int);\n"
    "int main(void) { int c = getchar(), n = 0; if (odd(c)) n = 1; return n; }";

static char *make_library(enum instrument_kind kind)
{
	char *object = make_object(library, kind, LIBRARY, 1), *path = file_temp("libodd.so");
	char *argv[] = {"clang-19", "-shared", object, "-o", path, NULL};

	run_command(argv);
	free(object);
	return path;
}

static void test_shared_library(void **unused)
{
	char *shared = make_library(INSTRUMENT_COV);
	char *object = make_object(user, INSTRUMENT_COV, UNIT, 0);
	char *path = link_program(object, INSTRUMENT_COV, shared);
	struct counters c;
	struct run r;

	(void)unused;
	start(&r, path, 0);
	once(&r, "a");
	assert_int_equal(r.result.code, 1);
	c = counters_of(&r, LIBRARY);
	assert_int_equal(c.of[0], 0);
	assert_int_equal(c.of[1], 1);
	c = counters_of(&r, UNIT);
	assert_int_equal(c.of[1], 1);
	stop(&r);
	free(shared);
	free(object);
	free(path);
}

/* One letter for each event: t, f, or the digit of a switch's outcome. */
static void path_text(struct run *r, char *out, size_t size)
{
	const struct muster_event *e = shm_events(&r->shm);
	uint64_t n = r->result.counts.events;
	size_t used = 0;

	for (uint64_t i = 0; i < n && used + 1 < size; i++) {
		assert_int_equal(e[i].unit, UNIT);
		if (e[i].kind == MUSTER_EV_BRANCH)
			out[used++] = e[i].arg ? 't' : 'f';
		else if (e[i].kind == MUSTER_EV_SWITCH)
			out[used++] = (char)('0' + e[i].label);
		else
			fail_msg("event of kind %u", e[i].kind);
	}
	out[used] = 0;
}

static void expect_path(const char *text, const char *input, const char *expected)
{
	char *object = make_object(text, INSTRUMENT_PATH, UNIT, 0);
	char *path = link_program(object, INSTRUMENT_PATH, NULL);
	char found[200];
	struct run r;

	for (int server = 0; server < 2; server++) {
		start(&r, path, server);
		once(&r, "zzzz");
		once(&r, input);
		path_text(&r, found, sizeof found);
		assert_string_equal(found, expected);
		stop(&r);
	}
	free(object);
	free(path);
}

static void test_path(void **unused)
{
	(void)unused;
	/* loop, switch, and for the default the ?: behind it */
	expect_path(program, "axb", "t1t0ft2f");
	expect_path(program, "!", "t0t"); /* ends in a crash */
	expect_path("int main(void) { return 0; }", "", "");
}

/* Edges that join: cases with one body, values that depend on which edge was taken, both sides of a branch to one place, a jump back to the decision itself. */
static const char joins[] =
    "#include <stdio.h>\n"
    "static int pick(int c, int d)\n"
    "{\n"
    "	int r;\n"
    "	switch (c & 7) {\n"
    "	case 0: r = 5; break;\n"
    "	case 1: case 2: case 5: r = d; break;\n"
    "	case 3: r = d + 1; /* fall through */\n"
    "	case 4: r = c == d ? 7 : d < 40 ? 8 : c; break;\n"
    "	default: r = c > 100 && d > 100 || c + d == 60 ? 1 : 2;\n"
    "	}\n"
    "	if (c & 1) { }\n"
    "	for (int i = 0; i < (d & 3); i++)\n"
    "		if ((r ^= i) == 6) continue; else if (r > 200) goto out;\n"
    "again:\n"
    "	switch (r % 5) { case 4: case 3: r++; goto again; case 2: r += 9; }\n"
    "out:\n"
    "	return r;\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "	int c, d = 0;\n"
    "	unsigned sum = 0;\n"
    "	while ((c = getchar()) != EOF) { sum = sum * 31 + pick(c, d); d = c; }\n"
    "	printf(\"%u\\n\", sum);\n"
    "	return 0;\n"
    "}\n";

/* Two passes that share nothing of where they put what they count. */
static void test_counts_are_the_path(void **unused)
{
	char *cov_object = make_object(joins, INSTRUMENT_COV, UNIT, 0), *path_object = make_object(joins, INSTRUMENT_PATH, UNIT, 0);
	char *cov_path = link_program(cov_object, INSTRUMENT_COV, NULL), *path_path = link_program(path_object, INSTRUMENT_PATH, NULL);
	static const char *const inputs[] = {"", "a", "abcdefgh", "0123456789 zzyyxx <<>>", "~}|{zyxwv\"!#$%&'()*+,-./@ABCDEFGHIJ"};
	struct site_tables set = {0};
	const struct site_table *t;
	struct run cov, path;

	(void)unused;
	assert_int_equal(site_tables_add_elf(&set, cov_path), 1);
	t = site_tables_find(&set, UNIT);
	start(&cov, cov_path, 1);
	start(&path, path_path, 1);
	for (size_t n = 0; n < sizeof inputs / sizeof *inputs; n++) {
		struct counters c, expected = {0};
		const struct muster_event *e;

		once(&cov, inputs[n]);
		once(&path, inputs[n]);
		assert_int_equal(cov.result.out.size, path.result.out.size);
		assert_memory_equal(cov.result.out.data, path.result.out.data, path.result.out.size);
		c = counters_of(&cov, UNIT);
		e = shm_events(&path.shm);
		for (uint64_t i = 0; i < path.result.counts.events; i++) {
			struct site_decision d;

			assert_true(site_table_decision(t, (uint32_t)site_table_decision_at(t, e[i].index), &d));
			expected.of[d.first_outcome + (e[i].kind == MUSTER_EV_BRANCH ? e[i].arg : e[i].label)]++;
		}
		assert_int_equal(c.count, t->outcomes);
		assert_memory_equal(c.of, expected.of, c.count);
	}
	stop(&cov);
	stop(&path);
	site_tables_release(&set);
	free(cov_object);
	free(path_object);
	free(cov_path);
	free(path_path);
}

/* Children and other threads leave no events. */
static void test_path_of_one_thread(void **unused)
{
	(void)unused;
	expect_path("#include <unistd.h>\n#include <sys/wait.h>\n"
		    "int main(void) { volatile int n = 3; pid_t p = fork();\n"
		    "  if (p == 0) { while (n) n--; _exit(0); }\n"
		    "  waitpid(p, 0, 0); return 0; }",
		    "", "f");
	expect_path(
	    "#include <pthread.h>\n"
	    "static void *work(void *p) { volatile int n = 3; while (n) n--; return p; }\n"
	    "int main(int argc, char **argv) { pthread_t t; pthread_create(&t, 0, work, 0);\n"
	    "  pthread_join(t, 0); return argc > 5; }\n"
	    "int unused(int x) { if (x) return 1; return 2; }",
	    "", "");
}

/* Reads of uninitialised variables, overflow and null checks after a use mean the same in all
 * variants, and what the plain machine does. */
static const char undefined[] =
    "#include <limits.h>\n#include <stdio.h>\n"
    "__attribute__((noinline)) static int more(int x) { return x + 1 > x; }\n"
    "__attribute__((noinline)) static int blank(int c) { int x; return x + c ? 5 : 6; }\n"
    "__attribute__((noinline)) static int shift(int x, int by) { return x << by; }\n"
    "__attribute__((noinline, nonnull)) static int null(char *p) { return p ? 1 : 2; }\n"
    "char *volatile nothing;\n"
    "int main(void) { printf(\"%d %d %d %d %d\\n\", more(INT_MAX), blank(0), blank(1), "
    "null(nothing), shift(3, 33)); }";

static void test_undefined_behaviour_is_settled(void **unused)
{
	static const enum instrument_kind kinds[] = {INSTRUMENT_COV, INSTRUMENT_PATH};

	(void)unused;
	for (int i = 0; i < 2; i++) {
		char *object = make_object(undefined, kinds[i], UNIT, 0);
		char *path = link_program(object, kinds[i], NULL);
		char *argv[] = {path, NULL};
		struct proc_opts o = {.capture_out = 1};
		struct proc_result r = {0};

		assert_int_equal(proc_run(argv, &o, &r), 0);
		assert_string_equal(buf_str(&r.out), "0 6 5 2 6\n");
		proc_release(&r);
		free(object);
		free(path);
	}
}

/* A program that has only the inline definition links, and its decisions are the unit's. */
static void test_inline(void **unused)
{
	(void)unused;
	expect_path("inline int big(int x) { return x > 3 ? 1 : 0; }\n"
		    "int main(int argc, char **argv) { return big(argc); }",
		    "", "f");
}

/* Constructors run in their order, and the counters are there before them. */
static void test_constructors(void **unused)
{
	static const char text[] =
	    "#include <stdio.h>\n"
	    "__attribute__((constructor)) static void b(void) { printf(\"b\"); }\n"
	    "__attribute__((constructor(101))) static void a(void) { if (printf(\"a\")) "
	    "printf(\"1\"); }\n"
	    "__attribute__((destructor)) static void z(void) { printf(\"z\"); }\n"
	    "int main(void) { printf(\"m\"); return 0; }";
	char *object = make_object(text, INSTRUMENT_COV, UNIT, 0);
	char *path = link_program(object, INSTRUMENT_COV, NULL);
	struct run r;
	struct counters c;

	(void)unused;
	start(&r, path, 0);
	once(&r, "");
	assert_int_equal(r.result.out.size, 5);
	assert_memory_equal(r.result.out.data, "a1bmz", 5);
	c = counters_of(&r, UNIT);
	assert_int_equal(c.of[1], 1);
	stop(&r);
	free(object);
	free(path);
}

/* What the code generator refuses comes back as words. */
static void test_refused(void **unused)
{
	static const struct {
		const char *text, *option, *words;
	} rows[] = {
	    {"int f(void) { __asm__(\"bogus %eax\"); return 0; }", "-fPIC", "bogus"},
	    {"int f(int x) { return x; }", "--target=aarch64-linux-gnu", "aarch64"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf bitcode = {0}, object = {0};

		compile_with(rows[i].text, rows[i].option, &bitcode);
		assert_int_equal(instrument_unit(bitcode.data, bitcode.size, UNIT, INSTRUMENT_COV,
						 NULL, &object),
				 -1);
		if (!strstr(error_text(), rows[i].words))
			fail_msg("row %zu: %s", i, error_text());
		buf_release(&bitcode);
		buf_release(&object);
	}
}

static void test_scribbled(void **unused)
{
	struct shm shm;
	uint64_t covered, total;

	(void)unused;
	assert_int_equal(shm_init(&shm, NULL), 0);
	shm_reset(&shm, 0);
	assert_int_equal(cov_totals(&shm, &covered, &total), 0);
	assert_int_equal(total, 0);
	shm.header->node_count = 5;
	assert_int_equal(cov_totals(&shm, &covered, &total), -1);
	shm.header->node_count = UINT64_MAX;
	assert_int_equal(cov_totals(&shm, &covered, &total), -1);
	shm_release(&shm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counts),
	    cmocka_unit_test(test_counts_survive_a_crash),
	    cmocka_unit_test(test_saturates),
	    cmocka_unit_test(test_unwatched),
	    cmocka_unit_test(test_shared_library),
	    cmocka_unit_test(test_path),
	    cmocka_unit_test(test_counts_are_the_path),
	    cmocka_unit_test(test_path_of_one_thread),
	    cmocka_unit_test(test_undefined_behaviour_is_settled),
	    cmocka_unit_test(test_inline),
	    cmocka_unit_test(test_constructors),
	    cmocka_unit_test(test_scribbled),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
