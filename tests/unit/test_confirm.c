/* test_confirm.c: the verdicts, kinds, places and buckets of small programs with one bug each,
 * and the reader of reports on texts. */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "check/confirm.h"
#include "check/report.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The first byte chooses the bug, the second a number. */
static const char program[] =
    "#include <assert.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <unistd.h>\n"
    "static int odd(int n); int raise(int); void __asan_init(void) __attribute__((weak));\n"
    "static int even(int n) { volatile char b[64]; b[0] = n; return odd(n + 1) + b[0]; }\n"
    "static int odd(int n) { volatile char b[99]; b[0] = n; return even(n + 1) + b[0]; }\n"
    "static int deep(volatile int *n) { volatile char b[64]; b[0] = 1; return --*n < 0 ? 0 : "
    "deep(n) + b[0]; }\n"
    "static void copy(char *d, const char *s) { strcpy(d, s); }\n" /* 10 */
    "static int add(int a, int b) { return a + b; }\n"
    "static int get(int *p) { return *p; }\n"
    "static void nest(int n, char *p) {\n"
    "	if (n) nest(n - 1, p);\n"
    "	else p[4] = 1;\n" /* 15 */
    "}\n"
    "int main(int argc, char **argv) {\n"
    "	char b[64] = {0}, *p = malloc(4);\n"
    "	int n = fread(b, 1, 63, stdin), z = b[1] - '0';\n"
    "	volatile int many = 1;\n" /* 20 */
    "	(void)argc; (void)argv;\n"
    "	switch (b[0]) {\n"
    "	case 'h': copy(p, b); break;\n"
    "	case 'H': copy(p, b + 1); break;\n"
    "	case 'x': nest(z, p); break;\n" /* 25 */
    "	case 'r': return even(z);\n"
    "	case 'R': many = 1000000000; return deep(&many);\n"
    "	case 'l': many = 60000; return deep(&many) & 0;\n"
    "	case 'n': return get(z ? &n : 0) & 0;\n"
    "	case 'w': *(volatile int *)(0x12345678L) = z; break;\n" /* 30 */
    "	case 'a': assert(z != 1); break;\n"
    "	case 'b': if (z) abort(); break;\n"
    "	case 'o': return add(2147483647, z) & 0;\n"
    "	case 'd': return (5 / z) & 0;\n"
    "	case 'u': free(p); return p[0] & 0;\n" /* 35 */
    "	case 'f': free(p); free(p); break;\n"
    "	case 'm': return malloc((size_t)-1 >> z) != 0;\n"
    "	case 't': for (;;) many++;\n"
    "	case 'e': fputs(\"==1==ERROR: AddressSanitizer: fake\\nx: runtime error: y\\n\", stderr); "
    "return 1;\n"
    "	case 'E': fputs(\"x.c:1:1: runtime error: y\\n\", stderr); p[z] = 1; return 1;\n" /* 40 */
    "	case 'k': raise(15); break;\n"
    "	case 'c': close(2); abort();\n"
    "	case 'z': write(2, \"a\\0b\\n\", 4); p[z] = 1; break;\n"
    "	case 's': if (__asan_init) { extern long clock(void); while (clock() < z * 100000) ; } p[4] = 1; break;\n"
    "	case 'M': for (;;) memset(malloc(1 << 20), 1, 1 << 20);\n" /* 45 */
    "	case 'S': sleep(100); break;\n"
    "	case 'L': memset(malloc(100000000), z, 100000000); break;\n"
    "	}\n"
    "	return 3;\n"
    "}\n";

static struct confirm *target;

static int open_target(void **state)
{
	static char *argv[] = {"prog", NULL};
	struct launch_options o = LAUNCH_DEFAULTS;
	char *path = file_temp("prog.c"), *cache = file_temp("cache");

	(void)state;
	setenv("MUSTER_DIR", cache, 1);
	assert_int_equal(file_write_atomic(path, program, sizeof program - 1), 0);
	o.argv = argv;
	launch_limit(&o, 0.2);
	o.memory_limit = 64 << 20;
	free(cache);
	if (confirm_open(&target, path, &o))
		return -1;
	free(path);
	return 0;
}

static int close_target(void **state)
{
	(void)state;
	confirm_close(target);
	return 0;
}

static struct finding run(const char *input)
{
	struct finding f;

	if (confirm_run(target, input, strlen(input), &f))
		fail_msg("%s: %s", input, error_text());
	return f;
}

static void expect(const char *input, const char *kind, const char *function, uint32_t line,
		   int signal)
{
	struct finding f = run(input);

	if (!f.bug.confirmed || strcmp(f.bug.kind, kind) || strcmp(f.bug.function, function) || f.bug.line != line ||
	    f.bug.signal != signal)
		fail_msg("%s: failed %d, %s in %s:%u, signal %d: %s", input, f.bug.confirmed, f.bug.kind,
			 f.bug.function, f.bug.line, f.bug.signal, f.bug.summary);
	if (line && !strstr(f.bug.file, "prog.c"))
		fail_msg("%s: file %s", input, f.bug.file);
	assert_true(strlen(f.bug.summary) > 10 && !strchr(f.bug.summary, '\n'));
	assert_non_null(strstr(f.bug.summary, kind));
	finding_release(&f);
}

/* Which of two functions that call each other has the last frame is the stack's business. */
static void expect_recursion(void)
{
	struct finding f = run("r0");
	int even = !strcmp(f.bug.function, "even");

	assert_string_equal(f.bug.kind, "stack-overflow");
	assert_string_equal(f.bug.function, even ? "even" : "odd");
	assert_int_equal(f.bug.line, even ? 7 : 8);
	assert_int_equal(f.bug.signal, SIGSEGV);
	finding_release(&f);
}

static void test_kinds(void **state)
{
	(void)state;
	expect("h123", "heap-buffer-overflow", "copy", 10, SIGABRT);
	expect_recursion();
	expect("n0", "null-pointer-use", "get", 12, SIGABRT);
	expect("w1", "SEGV", "main", 30, SIGSEGV);
	expect("a1", "assert", "main", 31, SIGABRT);
	expect("b1", "abort", "main", 32, SIGABRT);
	expect("o1", "signed-integer-overflow", "add", 11, SIGABRT);
	expect("d0", "integer-divide-by-zero", "main", 34, SIGABRT);
	expect("u", "heap-use-after-free", "main", 35, SIGABRT);
	expect("f", "double-free", "main", 36, SIGABRT);
	expect("k", "TERM", "", 0, SIGTERM);
	expect("c", "abort", "main", 42, SIGABRT);
	expect("t", "timeout", "", 0, 0);
	expect("M", "memory limit", "", 0, 0);
	expect("s1", "heap-buffer-overflow", "main", 44, SIGABRT);
	expect("s7", "heap-buffer-overflow", "main", 44, SIGABRT); /* slow with sanitizers only */
	expect("z4", "heap-buffer-overflow", "main", 43, SIGABRT);
}

static void expect_clean(const char *input)
{
	struct finding f = run(input);

	if (f.bug.confirmed)
		fail_msg("%s: %s", input, f.bug.summary);
	finding_release(&f);
}

static void test_clean(void **state)
{
	(void)state;
	expect_clean("");
	expect_clean("b0");
	expect_clean("o0");
	expect_clean("n1");
	expect_clean("m1"); /* an allocation that fails is no bug */
	expect_clean("L1");
	expect_clean("S"); /* waits, which is no hang */
	expect_clean("e"); /* words that look like a report */
}

/* Deep, but not too deep for a build whose frames have the usual size. */
static void test_frames_of_usual_size(void **state)
{
	struct finding f = run("l");

	(void)state;
	assert_int_equal(f.bug.confirmed, 0);
	assert_string_equal(f.bug.kind, "stack-overflow");
	finding_release(&f);
	f = run("R");
	assert_int_equal(f.bug.confirmed, 1);
	finding_release(&f);
}

static uint64_t bucket(const char *input)
{
	struct finding f = run(input);
	uint64_t b = f.bug.bucket;

	assert_int_equal(f.bug.confirmed, 1);
	finding_release(&f);
	return b;
}

static void test_buckets(void **state)
{
	static const char *const different[] = {"h123", "H1234", "r0", "R", "n0", "w0", "a1",
						"b1",	"o1",	 "d0", "u", "f",  "x0", "z4"};
	enum { COUNT = sizeof different / sizeof *different };
	uint64_t seen[COUNT];

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		seen[i] = bucket(different[i]);
		for (unsigned k = 0; k < i; k++)
			if (seen[i] == seen[k])
				fail_msg("%s and %s share a bucket", different[i], different[k]);
	}
	assert_int_equal(bucket("h123456789"), seen[0]);
	assert_int_equal(bucket("r1"), seen[2]); /* the other function is on top */
	assert_int_equal(bucket("o9"), seen[8]);
	assert_int_equal(bucket("x2"), bucket("x7")); /* depth of recursion */
}

/* What a program prints before a report is not part of it. */
static void test_report_text(void **state)
{
	struct finding f = run("E4");
	const char *text = f.bug.report;

	(void)state;
	assert_string_equal(f.bug.kind, "heap-buffer-overflow");
	assert_null(strstr(text, "x.c:1:1"));
	assert_non_null(strstr(text, "in main"));
	assert_non_null(strstr(text, "prog.c:40:"));
	assert_non_null(strstr(text, "SUMMARY: AddressSanitizer: heap-buffer-overflow /"));
	assert_non_null(strstr(text, "prog.c:40 in main\n"));
	assert_non_null(
	    strstr(f.bug.summary, "a write of 1 byte right after"));
	finding_release(&f);
}

static void test_reading(void **state)
{
	static const char text[] =
	    "noise\n==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n"
	    "READ of size 8 at 0x1 thread T0\n"
	    "    #0 0x55  (/a (b)+0x1/c+0x10) (BuildId: 00ff)\n"
	    "    #1 0x56  (<unknown module>)\n"
	    "    #2 0x57  (/lib/c.so+0xff)\n"
	    "\nfreed by thread T0 here:\n"
	    "    #0 0x58  (/a+0x20)\n"
	    "SUMMARY: AddressSanitizer: heap-use-after-free (/a+0x1)\nmore\n";
	struct report r;

	(void)state;
	assert_int_equal(report_read(&r, text), 1);
	assert_string_equal(r.kind, "heap-use-after-free");
	assert_int_equal(r.access, 'R');
	assert_int_equal(r.access_size, 8);
	assert_int_equal(r.count, 3);
	assert_int_equal(r.frames.size, 4);
	assert_string_equal(r.frames.data[0].module, "/a (b)+0x1/c");
	assert_int_equal(r.frames.data[0].offset, 0x10);
	assert_null(r.frames.data[1].module);
	assert_int_equal(r.frames.data[3].first, 1);
	assert_memory_equal(text + r.end, "more", 4);
	report_release(&r);
	assert_int_equal(
	    report_read(&r, "==1==ERROR: AddressSanitizer: x\nSUMMARY: AddressSanitizer: x\n"), 0);
	assert_int_equal(report_read(&r, ""), 0);
	assert_int_equal(report_read(&r, "==1==Shadow memory range interleaves with an existing "
					 "memory mapping. ASan cannot proceed\n"),
			 -1);
}

/* Any prefix of a report, and noise, is read without harm. */
static void test_hostile_text(void **state)
{
	static const char text[] =
	    "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc)\n"
	    "    #0 0x1  (/a+0x1) (BuildId: 1)\n    #1 0x\n    #99999999999999 0x1 (+0x)\n"
	    "    # 0x1 (((\nf:1:2: runtime error: \nSUMMARY: UndefinedBehaviorSanitizer: \n";
	struct symboliser none = {0};

	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		char *part = mem_strndup(text, n);
		struct buf out = {0};
		struct report r;

		if (report_read(&r, part) > 0)
			report_render(&r, part, &none, NULL, &out);
		buf_release(&out);
		report_release(&r);
		free(part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reading),
	    cmocka_unit_test(test_hostile_text),
	    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_clean),
	    cmocka_unit_test(test_buckets),
	    cmocka_unit_test(test_report_text),
	    cmocka_unit_test(test_frames_of_usual_size),
	};

	return cmocka_run_group_tests(tests, open_target, close_target);
}
