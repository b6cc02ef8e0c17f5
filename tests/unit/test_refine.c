/* test_refine.c: refinement types: which obligations there are, what the prover says, what becomes of the text. */
#include "refine/refine.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REFINE(text) "__attribute__((annotate(\"muster.refine:" text "\")))"
#define OPERATOR(n, type, form, operands, result) \
	"typedef " type " o" n " __attribute__((annotate(\"muster.operator:" form "\\n" operands "\\n" result "\")));\n"

/* One letter for each obligation, in order: p, r (run-time), x (rejected). */
static void expect(const char *body, const char *letters)
{
	static const char names[] = {[REFINE_PROVED] = 'p', [REFINE_REJECTED] = 'x', [REFINE_RUNTIME] = 'r'};
	char text[8192], got[128] = "";
	struct refine r;
	int size = snprintf(text, sizeof text, "# 1 \"t.c\"\n%s\n", body);

	if (refine_source(&r, text, (size_t)size, NULL, 0, 0))
		fail_msg("%s: %s", body, error_text());
	for (size_t i = 0; i < r.obligations.size && i < sizeof got - 1; i++)
		got[i] = names[r.obligations.data[i].outcome];
	if (strcmp(got, letters))
		fail_msg("%s: %s, expected %s", body, got, letters);
	refine_release(&r);
}

static void test_nothing(void **state)
{
	static const char text[] = "int f(int x) { return x / 2; }\n";
	struct refine r;

	(void)state;
	assert_int_equal(refine_source(&r, text, sizeof text - 1, NULL, 0, 0), 0);
	assert_int_equal(r.text.size, sizeof text - 1);
	assert_memory_equal(r.text.data, text, sizeof text - 1);
	assert_int_equal(r.refinements, 0);
	refine_release(&r);
}

static void test_straight(void **state)
{
	(void)state;
	expect("void f(void) { int x " REFINE("x > 0") " = 1; x = 0; }", "px");
	expect("void f(int a) { int x " REFINE("x >= 0") " = a & 7; x = a; x = x / 2; }", "prp");
	expect("void f(unsigned char a) { int x " REFINE("x < 256 && x >= 0") " = a; }", "pp");
	expect("void f(int a) { unsigned char x " REFINE("x < 256") " = a; }", "p");
	expect("void f(int a) { int x " REFINE("x != 7") " = a; if (a == 7) x = a; }", "rp"); /* the second is never reached */
	expect("void f(int a) { int x " REFINE("x != 7") " = 1; if (a == 7) x = a; }", "px");
	expect("void f(int a) { int x " REFINE("x > 0") " = 1; if (a <= 0) return; x = a; }", "pp");
	expect("void f(int a) { int x " REFINE("x > 0") " = a > 0 ? a : 1; x = a < 0 && (a = 3) ? a : 1; }", "pp");
	expect("void f(int a) { int x " REFINE("x > 0") " = 1; if (a > 0) { a++; x = a; } }", "pr"); /* it wraps */
	expect("void f(long a) { int x " REFINE("x == 0") " = a >> 63 >> 1; }", "r");
	expect("void f(int a) { int x " REFINE("x == 0") " = 1 << (a | 32); }", "r"); /* undefined: anything */
}

static void test_flow(void **state)
{
	(void)state;
	expect("void f(int n) { int x " REFINE("x >= 0") " = 0; while (n--) { x = x & 3; n = x; } }", "pp");
	expect("void f(int n) { int w = 1, x " REFINE("x > 0") " = w; while (n--) { x = w; w = n; } }", "pr");
	expect("void f(int n) { int x " REFINE("x > 0") " = 1; for (int i = 0; i < 10; i++) { if (n) continue; x = i + 1; } }", "pr");
	expect("void f(int n) { int w = 1, x " REFINE("x > 0") " = 1; switch (n) { case 1: w = 0; case 2: x = w; } x = w; }", "prr");
	expect("void f(int n) { int x " REFINE("x > 0") " = 1; switch (n) { case 1: x = 2; break; case 2: x = 0; } }", "ppx");
	expect("void f(int n) { int w = 1, x " REFINE("x > 0") " = 1; if (n) goto l; w = 0; l: x = w; }", "pr");
	expect("void f(int n) { int w = 1, x " REFINE("x > 0") " = 1; switch (n) { do { case 1: x = w; w = 0; } while (n--); } }", "pr");
	expect("int setjmp(int *); void f(int *b) { int w = 1, x " REFINE("x > 0") " = 1; setjmp(b); x = w; }", "pr");
}

static void test_others(void **state)
{
	(void)state;
	expect("void f(int a) { int lo = 0, hi " REFINE("hi >= lo") " = 9; lo = 5; lo = a; }", "ppr");
	expect("void f(int a) { int lo = 0, hi " REFINE("hi >= lo") " = 9, *p = &lo; *p = a; }", "rr");
	expect("void g(int *); void f(void) { int x " REFINE("x > 0") " = 9; g(&x); int y " REFINE("y > 0") " = x; }", "prp");
	expect("void g(int *); void f(void) { int x " REFINE("x > 0") "; int y " REFINE("y > 0") " = x; }", "r");
	expect("static int s " REFINE("s > 0") " = 3; void f(int a) { int y " REFINE("y > 0") " = s; s = a; }", "ppr");
	expect("int s " REFINE("s > 0") " = 3; void f(int a) { int y " REFINE("y > 0") " = s; }", "pr");
	expect("static int s " REFINE("s > 0") "; int *p = &s; void f(int a) { int y " REFINE("y > 0") " = s; }", "xr");
	expect("void f(void) { int b[6]; int i " REFINE("i < (int)(sizeof b / sizeof *b)") " = 5; i = 6; }", "px");
	expect("typedef enum { RED, GREEN } color " REFINE("color == RED || color == GREEN") "; void f(int a) { color c = a ? RED : GREEN; c = 7; }", "px");
	expect("struct s { int n, m " REFINE("m > n") "; }; void f(struct s *p, int a) { p->m = a; p->n = a; }", "rr");
}

static void test_functions(void **state)
{
	(void)state;
	expect("static void g(int n " REFINE("n > 0") ") { int x " REFINE("x > 0") " = n; } void f(int a) { g(1); g(a); g(-1); }", "pprx");
	expect("void g(int n " REFINE("n > 0") ") { int x " REFINE("x > 0") " = n; }", "rp");
	expect("static void g(int n " REFINE("n > 0") ") {} void (*p)(int) = g;", "r");
	expect("static " REFINE("result > 0") " int g(int a) { if (a > 0) return a; return 0; } int f(void) { int x " REFINE("x > 0")
	       " = g(3); return x; }", "pxp");
	expect(REFINE("result > 0") " int g(void); int f(void) { int x " REFINE("x > 0") " = g(); return x; }", "rp");
	expect("void g(int k " REFINE("k > 0") "); void g(int n) { int x " REFINE("x > 0") " = n; }", "rp"); /* under another name */
}

/* What once was believed without reason. */
static void test_doubts(void **state)
{
	(void)state;
	expect("void f(int x, void (*abort)(void)) { if (x <= 0) abort(); int m " REFINE("m > 0") " = x; }", "r");
	expect("void exit(int c) { } void f(int x) { if (x <= 0) exit(1); int m " REFINE("m > 0") " = x; }", "r");
	expect("static int abs(int n " REFINE("n > 0") ") { int m " REFINE("m > 0") " = n; return m; } int f(int x) { return abs(x); }", "pr");
	expect("static int index(int); int f(int x) { return index(x); } static int index(int n " REFINE("n > 0") ") { return n; }", "r");
	expect("void exit(int c); void f(int x) { if (x <= 0) exit(1); int m " REFINE("m > 0") " = x; }", "p");
	expect("struct s { int b : 3; } *g; void f(void) { int m " REFINE("m == 9") " = (g->b = 9); m = g->b |= 8; }", "rr");
	expect("static int c(int n); int f(int x) { return c(x); } "
	       "static int c(int n " REFINE("n > 0") ") { int m " REFINE("m > 0") " = n; return m; }", "rp");
	expect("typedef int pos " REFINE("pos > 0") "; static int c(int n); int f(int x) { return c(x); } "
	       "static int c(pos n) { int m " REFINE("m > 0") " = n; return m; }", "rp");
	expect("static int c(int n " REFINE("n > 0") ") { int m " REFINE("m > 0") " = n; return m; } int y " REFINE("c(y) > 0") " = 1;", "rpr");
	expect("static int c(int n " REFINE("n > 0") ") { return n; } int d(int) __attribute__((alias(\"c\")));", "r");
	expect("static int g " REFINE("g > 0") " = 1; extern int h __attribute__((alias(\"g\"))); "
	       "void f(void) { h = -1; int m " REFINE("m > 0") " = g; }", "pr");
	expect("void f(void) { int y = 5; __builtin_constant_p(y = -1); int m " REFINE("m < 0") " = y; }", "r");
	expect("void f(char *p) { int y = 5; __builtin_object_size((y = -1, p), 0); int m " REFINE("m < 0") " = y; }", "r");
	expect("void f(void) { int y = 5; __typeof__(y = -1) q = 1; int m " REFINE("m < 0") " = y; }", "r");
	expect("void f(int x) { int y = 5; _Generic(1, int: y, default: x) = -1; int m " REFINE("m > 0") " = y; }", "r");
	expect("void f(int x) { int y = 5, *p = &_Generic(1, int: y, default: x); *p = 0; int m " REFINE("m > 0") " = y; }", "r");
	expect("void f(int x) { int y = 5; __builtin_choose_expr(1, y, x) = -1; int m " REFINE("m > 0") " = y; }", "r");
	expect("void f(int x) { int y " REFINE("y > 0") " = 5; __atomic_store_n(&y, x, 0); int m " REFINE("m > 0") " = y; }", "prp");
	expect("static int *p; static void c(int *d) { *p = -1; } void f(void) { int y " REFINE("y > 0") " = 5; p = &y; "
	       "{ int d __attribute__((cleanup(c))) = 0; } int m " REFINE("m > 0") " = y; }", "pr");
	expect("static int g = 9; void s(int v) { g = v; } void f(int v) { int x " REFINE("x < g") " = 5; s(v); }", "rr");
	expect("int f(int v) { static int y " REFINE("y > 0") " = 5; static int *p = &y; *p = v; int m " REFINE("m > 0") " = y; return m; }", "prr");
	expect("static int c(int n " REFINE("n == 3") ", int a[n++]) { int m " REFINE("m == 3") " = n; return m; }", "r");
}

static void test_operators(void **state)
{
	(void)state;
	expect(OPERATOR("1", "int", "a / b", "b != 0", "") "int f(int x) { return x / 3 + 5 / x; }", "pr");
	expect(OPERATOR("1", "int", "a / b", "b != 0", "") "long f(long x) { return x / 3; }", "");
	expect(OPERATOR("1", "int", "a / b", "b != 0", "") "int f(short x, char c) { x /= c; return x; }", "r");
	expect(OPERATOR("1", "int", "a / b", "b != 0", "") OPERATOR("2", "int", "a / b", "a > 0", "") "int f(int x) { return 4 / x; }", "rp");
	expect(OPERATOR("1", "int", "a % b", "b > 0", "result < b") "int f(int x) { return x % 3; }", "pp");
	expect(OPERATOR("1", "int", "-a", "a != 3", "") "int f(int x) { return x > 5 ? -x : -3; }", "px");
}

static void test_errors(void **state)
{
	static const char *const bad[] = {
	    "int f(int n " REFINE("n < nobody") ") { return n; }",
	    "int f(int n " REFINE("n = 3") ") { return n; }",
	    "struct s { int a; } x " REFINE("x.a > 0") ";",
	    "int f(int m) { for (int n = 0, x " REFINE("x > n") " = m; m; m--) { int n = 3; x = n; } return m; }",
	    OPERATOR("1", "int", "a + b", "b > 0", "result > 0") OPERATOR("2", "int", "a + b", "b > 0", "") "int x;",
	    OPERATOR("1", "int", "a @ b", "b > 0", "") "int x;",
	    "int f(int n " REFINE("n > ") ") { return n; }",
	};
	struct refine r;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(refine_source(&r, bad[i], strlen(bad[i]), NULL, 0, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing), cmocka_unit_test(test_straight),  cmocka_unit_test(test_flow),
	    cmocka_unit_test(test_others),  cmocka_unit_test(test_functions), cmocka_unit_test(test_operators),
	    cmocka_unit_test(test_errors),  cmocka_unit_test(test_doubts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
