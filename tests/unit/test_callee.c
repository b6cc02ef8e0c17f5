/* test_callee.c: what calls return, by summaries of the callees. */
#include "absint/absint.h"
#include "absint/callee.h"
#include "bitcode.h"
#include "ir/code.h"

#include <stdlib.h>

static const char program[] =
    "static int count(int n) { int c = 0; while (c < n) c++; return c; }\n"
    "static unsigned digit(unsigned x) { return x % 10; }\n"
    "static int twice(int x) { return count(x) - 3; }\n"
    "static int clamp(int x) { if (x < 5) return 5; if (x > 90) return 90; return x; }\n"
    "static int fact(int x) { return x <= 1 ? 1 : x * fact(x - 1); }\n"
    "static int never(int x) { for (;;) x++; return x; }\n"
    "int mark(int);\n"
    "int a(int n) { int r = count(n); return mark(r) < r; }\n"
    "int b(unsigned n) { unsigned r = digit(n); return mark(r) < r; }\n"
    "int c(int n) { if (n < 10 || n > 20) return 0; int r = twice(n) - n; return mark(r) < r; }\n"
    "int d(int n) { int r = clamp(n); return mark(r) < r; }\n"
    "int e(int n) { int r = fact(n); return mark(r) < r; }\n"
    "int f(int n) { return never(n) + mark(n); }\n"
    "static void advance(int *at, int n) { while (n > 0) { *at += 1; n--; } }\n"
    "static unsigned short total;\n"
    "static void add(unsigned short n) { for (unsigned short i = 0; i < n; i++) total += 3; }\n"
    "struct in { int at, end; };\n"
    "static int take(struct in *in) { if (in->at >= in->end) return -1; return in->at++; }\n"
    "static void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }\n"
    "int h(int n) { int at = 5; advance(&at, n); if (n < 100000 && at == 1005) return mark(n); return 0; }\n"
    "int i(unsigned short n) { total = 7; add(n); if (n < 1000) return mark(total - 3 * n); return 0; }\n"
    "int j(int n) { if (n >= 50) return 0; struct in in = {n, 50}; int r = take(&in); if (r < 0) return 0; return mark(in.at - r); }\n"
    "int k(int n) { struct in in = {n, 50}; take(&in); return mark(in.end + 1); }\n"
    "int l(int n) { int x = 1, y = 2; swap(&x, &y); return mark(y + 1); }\n"
    "int m(int n) { int x = 1; swap(&x, &x); return mark(x + 1); }\n"
    "int n(int *p) { int x = 1; *p = 4; advance(p, 3); swap(p, &x); return mark(x + 1); }\n"
    "struct big { int n, a[10]; };\n"
    "static int bump(struct big b, int k) { b.n += k; return b.n; }\n"
    "int q(int n) { struct big s; s.n = 1; int r = bump(s, 5); return mark(s.n - r); }\n"
    "int o(int *p, int *q) { *p = 1; *q = 2; advance(q, 1); return mark(*p + 1); }\n"
    "int g(int n) { int s = 0; for (int i = 0; i < n; i++) s += clamp(i); return mark(s); }\n";

struct ctx {
	struct code *code;
	struct callees *callees;
};

/* The bounds of the argument of mark(), where it is called. */
static struct domain_bounds at_mark(struct ctx *x, const char *name, int with)
{
	const struct code_function *f = code_find(x->code, name);
	struct absint_options o = {.callees = with ? x->callees : NULL};
	struct absint *a = absint_new(x->code, f, &o);
	struct domain_bounds b = {0};

	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
		const struct code_value *call = &f->values[v];
		struct linear e = linear_dim(0);
		struct absint_symbol wanted;

		if (call->op == CODE_CALL && !strcmp(x->code->functions[call->target].name, "mark")) {
			wanted = absint_value(a, code_operand(f, v, 1));
			b = absint_bounds(a, (struct absint_point){call->block, ABSINT_END}, &wanted, 1, &e);
		}
		linear_release(&e);
	}
	absint_free(a);
	return b;
}

static void expect(struct domain_bounds b, int64_t min, int64_t max)
{
	assert_true(b.has_min && b.has_max);
	assert_int_equal((int64_t)b.min, min);
	assert_int_equal((int64_t)b.max, max);
}

static void test_results(void **unused)
{
	struct buf bitcode = {0};
	struct ctx x;

	(void)unused;
	compile(program, &bitcode);
	x.code = code_load(bitcode.data, bitcode.size, 1);
	assert_non_null(x.code);
	x.callees = callees_new(x.code);
	expect(at_mark(&x, "a", 0), INT32_MIN, INT32_MAX);
	expect(at_mark(&x, "a", 1), 0, INT32_MAX);
	expect(at_mark(&x, "b", 1), 0, 9);
	expect(at_mark(&x, "c", 1), -3, -3); /* through two calls, and related to the argument */
	expect(at_mark(&x, "d", 1), 5, 90);
	expect(at_mark(&x, "e", 1), INT32_MIN, INT32_MAX); /* it calls itself */
	assert_true(at_mark(&x, "f", 1).min > at_mark(&x, "f", 1).max); /* never returns */
	expect(at_mark(&x, "d", 1), 5, 90);
	expect(at_mark(&x, "h", 1), 1000, 1000);
	expect(at_mark(&x, "i", 1), 7, 7);
	expect(at_mark(&x, "j", 1), 1, 1);
	expect(at_mark(&x, "k", 1), 51, 51);
	expect(at_mark(&x, "l", 1), 2, 2);
	expect(at_mark(&x, "m", 1), 2, 2);
	expect(at_mark(&x, "n", 1), 8, 8);
	/* A structure that is passed as a copy: nothing of what the callee writes is here. */
	expect(at_mark(&x, "q", 1), INT32_MIN, INT32_MAX);
	expect(at_mark(&x, "o", 1), INT32_MIN, INT32_MAX); /* p and q may be the same */
	callees_free(x.callees);
	code_free(x.code);
	buf_release(&bitcode);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_results)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
