/* test_claim.c: assertions in preprocessed text: gcc compiles it, the program does what it did, and aborts exactly where the claim is broken. */
#include "claim/claim.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAIN "int printf(const char *, ...);\nint atoi(const char *);\nvoid *malloc(unsigned long);\nvoid *calloc(unsigned long, unsigned long);\n" \
	     "void *memset(void *, int, unsigned long);\nunsigned long strtoul(const char *, char **, int);\n"

/* Exit status of the program, its output in *out. */
static int run(const char *program, const char *argument, struct buf *out, struct buf *err)
{
	char *argv[] = {(char *)program, (char *)argument, NULL};
	struct proc_opts opts = {.capture_out = 1, .capture_err = 1, .null_input = 1};
	struct proc_result r = {0};

	assert_int_equal(proc_run(argv, &opts, &r), 0);
	buf_add(out, r.out.data, r.out.size);
	buf_add(err, r.err.data, r.err.size);
	int status = r.status;

	proc_release(&r);
	return status;
}

static char *compile(const char *name, const char *text, size_t size)
{
	char *source = file_temp(name), *program = file_temp("program");
	char *argv[] = {"gcc", "-w", "-x", "cpp-output", source, "-o", program, NULL};
	struct proc_opts opts = {.capture_err = 1};
	struct proc_result r = {0};

	assert_int_equal(file_write_atomic(source, text, size), 0);
	assert_int_equal(proc_run(argv, &opts, &r), 0);
	if (r.status)
		fail_msg("%s\n%.*s", buf_str(&r.err), (int)size, text);
	proc_release(&r);
	free(source);
	return program;
}

/* body is line 1 of t.c, with @ in front of the place. With `good` the program must do what it does without the claim, with `bad` abort there. */
static void expect(const char *kind, const char *message, const char *body, const char *good, const char *bad)
{
	struct buf text = {0}, stated = {0}, out[2] = {{0}}, err[2] = {{0}};
	const char *at = strchr(body, '@');
	struct claim c = {.kind = kind, .file = "/elsewhere/t.c", .line = 1, .column = (uint32_t)(at - body) + 1, .message = message};

	buf_adds(&text, MAIN "# 1 \"dir/t.c\"\n");
	buf_add(&text, body, (size_t)(at - body));
	buf_adds(&text, at + 1);
	buf_adds(&text, "\n");
	if (claim_source(&c, text.data, text.size, NULL, 0, &stated))
		fail_msg("%s: %s", body, error_text());
	char *plain = compile("plain.i", text.data, text.size), *with = compile("with.i", stated.data, stated.size);

	assert_int_equal(run(plain, good, &out[0], &err[0]), run(with, good, &out[1], &err[1]));
	if (strcmp(buf_str(&out[0]), buf_str(&out[1])))
		fail_msg("%s: %s, not %s", body, buf_str(&out[1]), buf_str(&out[0]));
	assert_int_equal(run(with, bad, &out[1], &err[1]), 134);
	if (!claim_failed(&c, buf_str(&err[1])))
		fail_msg("%s: %s", body, buf_str(&err[1]));
	for (int i = 0; i < 2; i++) {
		buf_release(&out[i]);
		buf_release(&err[i]);
	}
	buf_release(&text);
	buf_release(&stated);
	free(plain);
	free(with);
}

#define BEGIN "int main(int c, char **v) { unsigned n = strtoul(v[1], 0, 0), k = 7, a[4] = {1, 2, 3, 4}, *p = a; "
#define END " printf(\"%u %u %u %u %u %ld\\n\", n, k, a[0], a[1], a[2], (long)(p - a)); return 0; }"
#define WRAP "unsigned-integer-overflow"

static void test_wrap(void **state)
{
	(void)state;
	expect(WRAP, NULL, BEGIN "k = 3 * (n @+ 5) << 1;" END, "9", "0xfffffffb");
	expect(WRAP, NULL, BEGIN "k = n @- 5 - 1;" END, "9", "4");
	expect(WRAP, NULL, BEGIN "k = n - 5 @- 1;" END, "9", "5");
	expect(WRAP, NULL, BEGIN "k = (n @* (k += 2)) + k++;" END, "9", "0x40000000");
	expect(WRAP, NULL, BEGIN "k = @-n + 1;" END, "0", "1");
	expect(WRAP, NULL, BEGIN "*p++ @+= n;" END, "9", "0xffffffff");
	expect(WRAP, NULL, BEGIN "a[1] @*= n;" END, "9", "0x80000000");
	expect(WRAP, NULL, BEGIN "k = n@++;" END, "9", "0xffffffff");
	expect(WRAP, NULL, BEGIN "k = @--n;" END, "9", "0");
	expect(WRAP, NULL, BEGIN "a[0] = n; k = (*p++)@--;" END, "9", "0");
	expect(WRAP, NULL, BEGIN "unsigned x = n @- 1, y = n + 1; k = x ^ y;" END, "9", "0");
	expect(WRAP, NULL, BEGIN "unsigned x = n, y = n @- 1; k = x ^ y;" END, "9", "0");
	expect(WRAP, NULL, BEGIN "struct { unsigned b : 32; } s = {n}; s.b @+= 2; k = s.b;" END, "9", "0xffffffff");
	expect(WRAP, NULL, BEGIN "unsigned long w = n; w = (w << 32) @+ (w << 33); k = w >> 32;" END, "9", "0xffffffff");
}

static void test_convert(void **state)
{
	(void)state;
	expect("implicit-unsigned-integer-truncation", "x of value 1 (32-bit, unsigned) to y 0 (8-bit, unsigned)",
	       BEGIN "unsigned char b = @n + 1; k = b;" END, "9", "255");
	expect("implicit-signed-integer-truncation", "x of value 1 (32-bit, signed) to y 0 (8-bit, unsigned)",
	       BEGIN "unsigned char b = n & 255; b@++; k = b;" END, "9", "255");
	expect("implicit-signed-integer-truncation", "x of value 1 (32-bit, signed) to y 0 (8-bit, unsigned)",
	       BEGIN "unsigned char b = 1; b @+= (int)n; k = b;" END, "9", "255");
	expect("implicit-integer-sign-change", "x of value 1 (32-bit, signed) to y 0 (64-bit, unsigned)",
	       BEGIN "unsigned long b = @(int)n - 3; k = b;" END, "9", "2");
	expect("implicit-integer-sign-change", "x of value 1 (32-bit, unsigned) to y 0 (32-bit, signed)",
	       BEGIN "int b; b = @n; k = b / 2;" END, "9", "0x80000000");
}

static void test_sizes(void **state)
{
	(void)state;
	expect("alloc-size", NULL, BEGIN "k = !@malloc(n * 16);" END, "9", "0x10000001");
	expect("alloc-size", NULL, BEGIN "unsigned m = n * 16; if (m < n) m = 1; k = !@malloc(m + 1ul);" END, "9", "0x18000001");
	expect("alloc-size", NULL, BEGIN "int m = n; k = !@malloc(m * 4l + 1);" END, "9", "-1");
	expect("alloc-size", NULL, BEGIN "k = !@calloc(n, 1 << 20);" END, "9", "0x10000");
	/* nothing wraps: it is too large */
	expect("alloc-size", NULL, BEGIN "unsigned m = n + 1; k = m; if (m == 0) m = 8; if (n == 5) m = ~0u; k += !@malloc(m);" END, "9", "5");
	expect("sub-object", NULL, BEGIN "struct { char a[8]; int b; } s; @memset(s.a, 1, n); k = s.a[0];" END, "8", "9");
	expect("sub-object", NULL, BEGIN "struct { char a[8]; int b; } s; @memset(&s.a[3], 1, n); k = s.a[3];" END, "5", "6");
	expect("sub-object", NULL, BEGIN "struct { short a[8]; int b; } s; @memset(s.a + 3, 1, n); k = s.a[3];" END, "10", "11");
	/* behind a macro the column is another one: the line has it */
	expect("sub-object", NULL, BEGIN "struct @{ char a[8]; int b; } s; memset(s.a, 1, n); k = s.a[0];" END, "8", "9");
}

static void test_cannot(void **state)
{
	static const char text[] = "# 1 \"t.c\"\nint f(int a) { return a + 1; }\n";
	struct claim c = {.kind = WRAP, .file = "t.c", .line = 1, .column = 25};
	struct buf out = {0};

	(void)state;
	assert_int_equal(claim_source(&c, text, sizeof text - 1, NULL, 0, &out), -1); /* it is signed */
	c.line = 2;
	assert_int_equal(claim_source(&c, text, sizeof text - 1, NULL, 0, &out), -1);
	c.line = 1, c.kind = "alloc-size";
	assert_int_equal(claim_source(&c, text, sizeof text - 1, NULL, 0, &out), -1);
	assert_int_equal(out.size, 0);
}

static void test_read(void **state)
{
	static const char report[] = "other.c:1:2: runtime error: x\nSUMMARY\n/a/dir/t.c:14:9: runtime error: unsigned integer overflow: 1 - 2\n    #0\n";
	struct buf message = {0};
	struct claim c;

	(void)state;
	assert_int_equal(claim_read(&c, WRAP, "dir/t.c", 14, report, &message), 1);
	assert_int_equal(c.column, 9);
	assert_string_equal(c.message, "runtime error: unsigned integer overflow: 1 - 2");
	assert_int_equal(claim_read(&c, WRAP, "dir/t.c", 15, report, &message), 0);
	assert_int_equal(claim_read(&c, WRAP, "r.c", 1, report, &message), 0); /* a part of a name */
	assert_int_equal(claim_failed(&c, "p: r.c:1: main: Assertion `" WRAP ": a + b' failed.\n"), 1);
	assert_int_equal(claim_failed(&c, "p: r.c:2: main: Assertion `" WRAP ": a + b' failed.\n"), 0);
	assert_int_equal(claim_failed(&c, "p: r.c:1: main: Assertion `a + b' failed.\n"), 0);
	buf_release(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wrap), cmocka_unit_test(test_convert), cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_cannot), cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
