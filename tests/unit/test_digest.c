/* test_digest.c: a digest changes exactly if what the function, the data or the unit says changes. */
#include "whole_units.h"


struct pair {
	const char *why, *old, *new;
	int same;
};

/* Each pair: the digest of f. */
static const struct pair pairs[] = {
    {"names of variables", "int f(int a) { int x = a * 3; return x + a; }", "int f(int n) { int product = n * 3; return product + n; }", 1},
    {"lines and comments", "int f(int a) { if (a) return 3; return a; }", "\n\n/* c */ int f(int a) {\n if (a)\n return 3;\n return a; }", 1},
    {"order of locals", "void g(int *, int *); void f(void) { int a, b; g(&a, &b); }", "void g(int *, int *); void f(void) { int b, a; g(&a, &b); }", 1},
    {"order of declarations", "int a, b; int g(void), h(void); int f(void) { return a + b + g() + h(); }", "int h(void); int b; int g(void); int a; int f(void) { return a + b + g() + h(); }", 1},
    {"another literal before", "char *g(void) { return \"x\"; } char *f(void) { return \"abc\"; }", "char *g(void) { return \"x\"; } char *h(void) { return \"y\"; } char *f(void) { return \"abc\"; }", 1},
    {"member at the end", "struct s { int a, b; }; int f(struct s *p) { return p->b; }", "struct s { int a, b, c; }; int f(struct s *p) { return p->b; }", 1},
    {"name of a struct", "struct s { int a, b; }; int f(struct s *p) { return p->b; }", "struct t { int q, r; }; int f(struct t *p) { return p->r; }", 1},
    {"the body of a callee", "int g(void) { return 1; } int f(void) { return g(); }", "int g(void) { return 2; } int f(void) { return g(); }", 1},
    {"order of blocks", "void g(void), h(void); void f(int a) { if (a) goto x; g(); goto y; x: h(); y: g(); }",
     "void g(void), h(void); void f(int a) { if (a) goto x; g(); y: g(); return; x: h(); goto y; }", 1},
    {"another static of the same name", "int g(void) { static int n; { static int n; n++; } return n++; } int f(void) { static int m; return m++; }",
     "int f(void) { static int m; return m++; } int g(void) { return 1; }", 1},
    {"a constant", "int f(int a) { return a + 3; }", "int f(int a) { return a + 4; }", 0},
    {"a constant of a float", "double f(double a) { return a * 3.5; }", "double f(double a) { return a * 3.25; }", 0},
    {"a long double", "long double f(long double a) { return a * 3.5L; }", "long double f(long double a) { return a * 3.5000000000000000005L; }", 0},
    {"an operator of floats", "double f(double a, double b) { return a + b; }", "double f(double a, double b) { return a - b; }", 0},
    {"a comparison of floats", "int f(double a, double b) { return a < b; }", "int f(double a, double b) { return a <= b; }", 0},
    {"order of operands", "int f(int a, int b) { return a - b; }", "int f(int a, int b) { return b - a; }", 0},
    {"sign of a comparison", "int f(int a, int b) { return a < b; }", "int f(unsigned a, unsigned b) { return a < b; }", 0},
    {"then and else", "int g(void), h(void); int f(int a) { int r; if (a) r = g(); else r = h(); return r; }",
     "int g(void), h(void); int f(int a) { int r; if (a) r = h(); else r = g(); return r; }", 0},
    {"a literal", "char *f(void) { return \"abc\"; }", "char *f(void) { return \"abd\"; }", 0},
    {"a callee", "int g(void), h(void); int f(void) { return g(); }", "int g(void), h(void); int f(void) { return h(); }", 0},
    {"a global", "int g, h; int f(void) { return g; }", "int g, h; int f(void) { return h; }", 0},
    {"an offset", "struct s { int a, b; }; int f(struct s *p) { return p->b; }", "struct s { int x, a, b; }; int f(struct s *p) { return p->b; }", 0},
    {"size of elements", "struct s { int a, b; }; int f(struct s *p, int i) { return p[i].b; }", "struct s { int a, b, c; }; int f(struct s *p, int i) { return p[i].b; }", 0},
    {"volatile", "int g; int f(void) { return g; }", "volatile int g; int f(void) { return g; }", 0},
    {"order of effects", "void g(int); void f(void) { g(1); g(2); }", "void g(int); void f(void) { g(2); g(1); }", 0},
    {"a case", "int f(int a) { switch (a) { case 1: return 5; case 2: return 6; } return 0; }", "int f(int a) { switch (a) { case 1: return 5; case 3: return 6; } return 0; }", 0},
    {"width of the result", "int f(char *p) { return *p; }", "long f(char *p) { return *p; }", 0},
    {"assembly", "int f(int a) { __asm__(\"nop\" : \"+r\"(a)); return a; }", "int f(int a) { __asm__(\"inc %0\" : \"+r\"(a)); return a; }", 0},
    {"an attribute of the call", "struct s { int a[9]; }; void g(struct s); void f(struct s *p) { g(*p); }", "struct s { int a[9]; }; void g(struct s *); void f(struct s *p) { g(p); }", 0},
    {"where a loop goes", "int f(int n) { int s = 0; while (n--) s += n; return s; }", "int f(int n) { int s = 0; do s += n; while (n--); return s; }", 0},
    {"what a phi takes", "int f(int a, int b) { int r = b; if (a) r = a; return r; }", "int f(int a, int b) { int r = a; if (a) r = b; return r; }", 0},
    {"an atomic operator", "int f(int *p) { return __atomic_fetch_add(p, 1, 5); }", "int f(int *p) { return __atomic_fetch_sub(p, 1, 5); }", 0},
    {"order of memory", "int f(int *p) { return __atomic_load_n(p, 0); }", "int f(int *p) { return __atomic_load_n(p, 5); }", 0},
    {"a member of a pair", "struct s { long a, b; }; struct s g(void); long f(void) { return g().a; }", "struct s { long a, b; }; struct s g(void); long f(void) { return g().b; }", 0},
    {"what an unnamed table names", "int g, h; int *f(int i) { int *t[] = {&g, &h}; return t[i]; }", "int g, h; int *f(int i) { int *t[] = {&h, &g}; return t[i]; }", 0},
    {"nsw", "int f(int a) { return a + 1; }", "int f(int a) { return (int)((unsigned)a + 1u); }", 0},
};

static void test_functions(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct whole *a = JOIN(pairs[i].old), *b = JOIN(pairs[i].new);

		if (same_digest(symbol(a, "f"), symbol(b, "f")) != pairs[i].same)
			fail_msg("%s: the digest should be %s", pairs[i].why, pairs[i].same ? "the same" : "another");
		whole_free(a);
		whole_free(b);
	}
}

/* The digest of data d. */
static const struct pair datas[] = {
    {"the same", "int d[] = {1, 2, 3};", "\nint d[3] = {1, 2, 3};", 1},
    {"a value", "int d[] = {1, 2, 3};", "int d[] = {1, 2, 4};", 0},
    {"zeros", "int d[] = {0, 0, 0};", "int d[3];", 1},
    {"a literal", "char *d[] = {\"a\", \"b\"};", "char *c = \"z\"; char *d[] = {\"a\", \"b\"};", 1},
    {"another literal", "char *d[] = {\"a\", \"b\"};", "char *d[] = {\"a\", \"c\"};", 0},
    {"a function", "void g(void), h(void); void (*d)(void) = g;", "void g(void), h(void); void (*d)(void) = h;", 0},
    {"an offset", "int x[9]; int *d = x + 3;", "int x[9]; int *d = x + 4;", 0},
    {"alignment", "char d[8] = \"a\";", "_Alignas(32) char d[8] = \"a\";", 0},
    {"a float", "float d = 1.5f;", "float d = 1.25f;", 0},
    {"constant", "int d = 1;", "const int d = 1;", 0},
    {"thread-local", "int d = 1;", "_Thread_local int d = 1;", 0},
    {"wide", "unsigned __int128 d = (unsigned __int128)1 << 100;", "unsigned __int128 d = (unsigned __int128)1 << 101;", 0},
};

static void test_data(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof datas / sizeof *datas; i++) {
		struct whole *a = JOIN(datas[i].old), *b = JOIN(datas[i].new);

		if (same_digest(symbol(a, "d"), symbol(b, "d")) != datas[i].same)
			fail_msg("%s: the digest of data should be %s", datas[i].why, datas[i].same ? "the same" : "another");
		whole_free(a);
		whole_free(b);
	}
}

/* One that was renamed, and calls itself, has the same digest. */
static void test_renamed(void **unused)
{
	struct whole *w = JOIN("int f(int a) { return a > 0 ? a * f(a - 1) : 1; }\n"
			       "int g(int a) { return a > 0 ? a * g(a - 1) : 1; }\n"
			       "int h(int a) { return a > 0 ? a * g(a - 1) : 1; }\n");

	(void)unused;
	assert_true(same_digest(symbol(w, "f"), symbol(w, "g")));
	assert_false(same_digest(symbol(w, "f"), symbol(w, "h")));
	whole_free(w);
}

/* A unit's digest: no debug info, no order. */
static void test_units(void **unused)
{
	struct whole *a = JOIN("int x = 1; static int h(void) { return x; } int f(void) { return h(); }"),
		     *b = JOIN("\n\nstatic int h(void); int f(void) { return h(); }\nint x = 1;\nstatic int h(void) { return x; }"),
		     *c = JOIN("int x = 2; static int h(void) { return x; } int f(void) { return h(); }");

	(void)unused;
	assert_true(a->units.data[0].digest.a == b->units.data[0].digest.a && a->units.data[0].digest.b == b->units.data[0].digest.b);
	assert_true(a->units.data[0].digest.a != c->units.data[0].digest.a);
	whole_free(a);
	whole_free(b);
	whole_free(c);
}

/* A location is found again in a build with other lines, other names and another order. */
static void test_locations(void **unused)
{
	struct whole *a = JOIN("int g(int); int f(int a) { int r = 0; while (a--) r += g(a); return r; }"),
		     *b = JOIN("int z;", "int g(int);\n\nint f(int count) {\n int sum = 0;\n while (count--)\n  sum += g(count);\n return sum; }");
	uint32_t f = whole_find(a, "f"), at, value, n = 0;
	const struct whole_symbol *s = &a->symbols.data[f];
	struct buf text = {0};

	(void)unused;
	for (uint32_t v = s->function->first_instruction; v < s->function->first_instruction + s->function->instructions; v++) {
		struct whole_location l;

		assert_true(whole_location(a, f, v, &l));
		assert_true(whole_locate(a, &l, &at, &value));
		assert_int_equal(at, f);
		assert_int_equal(value, v);
		assert_true(whole_locate(b, &l, &at, &value));
		assert_ptr_equal(&b->symbols.data[at], symbol(b, "f"));
		assert_int_equal(b->symbols.data[at].function->values[value].op, s->function->values[v].op);
		buf_clear(&text);
		whole_location_text(&l, &text);
		assert_non_null(strstr(buf_str(&text), ":f:"));
		l.ordinal = 10000;
		assert_false(whole_locate(b, &l, &at, &value));
		l.ordinal = 0;
		l.unit.b++;
		assert_false(whole_locate(b, &l, &at, &value));
		n++;
	}
	assert_true(n > 8);
	buf_release(&text);
	whole_free(a);
	whole_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_functions), cmocka_unit_test(test_data),	cmocka_unit_test(test_renamed),
	    cmocka_unit_test(test_units),     cmocka_unit_test(test_locations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
