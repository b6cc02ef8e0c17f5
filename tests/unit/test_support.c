/* test_support.c: a support digest changes exactly if something changes that a run of the function can meet. */
#include "whole_units.h"

#include "ir/support.h"

#include <stdlib.h>

struct pair {
	const char *why, *old, *new;
	int same;
};

#define TABLE "static const int muster_table[] = {1, 2}; int stub(void) { return muster_table[0]; } int f(void) { return stub(); }"

/* Each pair: the support of f. */
static const struct pair pairs[] = {
    {"lines", "int f(int a) { return a; }", "\n\nint f(int a) {\nreturn a; }", 1},
    {"another function", "int f(int a) { return a; }", "int g(int a) { return a + 1; } int f(int a) { return a; }", 1},
    {"a caller", "int f(int a) { return a; } int g(void) { return f(1); }", "int f(int a) { return a; } int g(void) { return f(2); }", 1},
    {"a literal elsewhere", "char *g(void) { return \"x\"; } char *f(void) { return \"abc\"; }", "char *h(void) { return \"yy\"; } char *g(void) { return \"x\"; } char *f(void) { return \"abc\"; }", 1},
    {"data that it does not name", "int d = 1, e = 1; int f(void) { return d; }", "int d = 1, e = 2; int f(void) { return d; }", 1},
    {"itself", "int f(int a) { return a; }", "int f(int a) { return -a; }", 0},
    {"a callee", "static int g(int a) { return a; } int f(int a) { return g(a); }", "static int g(int a) { return a + 1; } int f(int a) { return g(a); }", 0},
    {"a callee of a callee", "static int h(int a) { return a; } static int g(int a) { return h(a); } int f(int a) { return g(a); }",
     "static int h(int a) { return a + 1; } static int g(int a) { return h(a); } int f(int a) { return g(a); }", 0},
    {"in a cycle", "int g(int); int f(int a) { return a ? g(a - 1) : 0; } int g(int a) { return a ? f(a - 1) : 1; }",
     "int g(int); int f(int a) { return a ? g(a - 1) : 0; } int g(int a) { return a ? f(a - 1) : 2; }", 0},
    {"below a cycle", "static int h(void) { return 1; } int g(int); int f(int a) { return a ? g(a - 1) : 0; } int g(int a) { return a ? f(a - 1) : h(); }",
     "static int h(void) { return 2; } int g(int); int f(int a) { return a ? g(a - 1) : 0; } int g(int a) { return a ? f(a - 1) : h(); }", 0},
    {"an initial value", "static int d = 1; int f(void) { return d++; }", "static int d = 2; int f(void) { return d++; }", 0},
    {"of data of a callee", "static int d = 1; static int g(void) { return d++; } int f(void) { return g(); }", "static int d = 2; static int g(void) { return d++; } int f(void) { return g(); }", 0},
    {"what data points to", "static int d = 1; static int *p = &d; int f(void) { return *p++; }", "static int d = 2; static int *p = &d; int f(void) { return *p++; }", 0},
    {"a function in a table", "static int g(void) { return 1; } static int (*t[])(void) = {g}; int f(int i) { return t[i](); }",
     "static int g(void) { return 2; } static int (*t[])(void) = {g}; int f(int i) { return t[i](); }", 0},
    {"a function that is handed on", "void s(int (*)(void)); static int g(void) { return 1; } void f(void) { s(g); }", "void s(int (*)(void)); static int g(void) { return 2; } void f(void) { s(g); }", 0},
    {"one more target of a pointer", "int g(int a) { return a; } int (*p)(int) = g; int f(int (*q)(int)) { return q(1); }",
     "int g(int a) { return a; } int h(int a) { return a + 1; } int (*p)(int) = g; int (*r)(int) = h; int f(int (*q)(int)) { return q(1); }", 0},
    {"a definition", "int g(void); int f(void) { return g(); }", "int g(void) { return 0; } int f(void) { return g(); }", 0},
    {"which of two callees", "static int g(void) { return 1; } static int h(void) { return 2; } int f(int a) { return a ? g() : h(); }",
     "static int g(void) { return 2; } static int h(void) { return 1; } int f(int a) { return a ? g() : h(); }", 0},
    {"a static local", "int f(void) { static int n = 1; return n++; }", "int f(void) { static int n = 2; return n++; }", 0},
    {"assembly of the unit", "int f(int a) { return a; }", "__asm__(\".globl x\\nx: ret\"); int f(int a) { return a; }", 0},
    {"an opaque table", TABLE, "static const int muster_table[] = {1, 2, 3}; int stub(void) { return muster_table[1]; } int f(void) { return stub(); }", 1},
    {"beside an opaque table", TABLE, "static const int muster_table[] = {1, 2}; int stub(void) { return muster_table[0]; } int f(void) { return stub() + 1; }", 0},
};

static struct hash128 support(const char *text)
{
	struct whole *w = JOIN(text);
	struct hash128 *all = support_digests(w, "muster_table"), h = all[whole_find_any(w, "f")];

	free(all);
	whole_free(w);
	return h;
}

static void test_pairs(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct hash128 a = support(pairs[i].old), b = support(pairs[i].new);

		if ((a.a == b.a && a.b == b.b) != pairs[i].same)
			fail_msg("%s: the digest should be %s", pairs[i].why, pairs[i].same ? "the same" : "another");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
