/* test_validate.c: summaries against a new version: what each phase proves, and what none may.
 *
 * Summaries are made by hand, so that postconditions can be weaker than those that muster makes; the figures are those of seed 000.
 */
#include "whole_units.h"

#include "validate/validate.h"

struct setting {
	struct summaries l;
	struct summary s;
};

static expr_t place(struct setting *t, unsigned width, int after, const char *path)
{
	return place_variable(t->l.pool, width, PLACE_SIGNED, 0, after, path, path);
}

static expr_t pointer(struct setting *t, uint64_t size, const char *path)
{
	return place_variable(t->l.pool, 64, PLACE_POINTER, size, 0, path, path);
}

static expr_t number(struct setting *t, unsigned width, int64_t n)
{
	return expr_const(t->l.pool, width, (u128)(uint64_t)n & (((u128)1 << width) - 1));
}

static void begin(struct setting *t)
{
	memset(t, 0, sizeof *t);
	summaries_init(&t->l);
	t->s = (struct summary){.function = "f", .lq = {.ordinal = SUMMARY_EXIT}};
}

static void end(struct setting *t)
{
	summary_release(&t->s);
	summaries_release(&t->l);
}

#define PRE(t, e) vec_push(&(t)->s.pre, e)
#define POST(t, e) vec_push(&(t)->s.post, e)
#define LESS(t, a, b) expr_binary((t)->l.pool, MUSTER_OP_SLT, a, b)
#define EQUAL(t, a, b) expr_eq((t)->l.pool, a, b)
#define NOT(t, a) expr_not((t)->l.pool, a)
#define X(t) place(t, 32, 0, "0")
#define Y(t) place(t, 32, 0, "1")
#define RESULT(t) place(t, 32, 1, "r")

struct asked {
	enum validate_verdict verdict;
	int partial;
};

static struct asked ask(struct setting *t, struct whole *old, struct whole *new, unsigned phase, int externals_unknown)
{
	struct validate_options o = {.order = {(uint8_t)phase}, .seconds = 20, .externals_unknown = externals_unknown};
	struct validation *v = validation_new(old, new, &o);
	struct validate_result r;
	validate_summary(v, &t->l, &t->s, &r);
	struct asked a = {r.verdict, r.partial};
	if (r.verdict == VALIDATE_VALID)
		assert_int_equal(r.phase, phase);
	else
		assert_non_null(r.why);
	if (getenv("SHOW_WHY"))
		print_message("phase %u: %s\n", phase, r.why ? r.why : "valid");
	validate_result_release(&r);
	validation_free(v);
	return a;
}

/* A digit for each phase that proves the summary. */
static unsigned proved(struct setting *t, const char *old, const char *new)
{
	struct whole *a = JOIN(old), *b = JOIN(new);
	unsigned digits = 0;
	for (unsigned phase = 1; phase <= VALIDATE_PHASES; phase++)
		if (ask(t, a, b, phase, 0).verdict == VALIDATE_VALID)
			digits = 10 * digits + phase;
	whole_free(a);
	whole_free(b);
	end(t);
	return digits;
}

#define LEFT(more, other) "int f(int x, int y, int w) { if (x > 0) { if (y == 10) " more " else w = 0; } else { " other " } return w; }"

static void test_figure_2_left(void **unused)
{
	struct setting t;
	begin(&t);
	PRE(&t, LESS(&t, number(&t, 32, 0), X(&t)));
	PRE(&t, LESS(&t, Y(&t), number(&t, 32, 10)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 0)));
	assert_int_equal(proved(&t, LEFT("w++;", "w = 1;"), LEFT("w--;", "w = 2;")), 23);
	begin(&t); /* P comes to what was modified */
	PRE(&t, LESS(&t, number(&t, 32, 0), X(&t)));
	PRE(&t, EQUAL(&t, Y(&t), number(&t, 32, 10)));
	PRE(&t, EQUAL(&t, place(&t, 32, 0, "2"), number(&t, 32, 6)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 7)));
	assert_int_equal(proved(&t, LEFT("w++;", "w = 1;"), LEFT("w--;", "w = 2;")), 0);
	(void)unused;
}

#define RIGHT(r) "int f(int x, int y) { int r = 9; if (x < 0) { if (y < 0) r = 1; else { r = " r "; } } return r; }"

static void test_figure_2_right(void **unused)
{
	struct setting t;
	begin(&t);
	PRE(&t, LESS(&t, X(&t), number(&t, 32, 0)));
	POST(&t, NOT(&t, LESS(&t, RESULT(&t), number(&t, 32, 0))));
	assert_int_equal(proved(&t, RIGHT("0"), RIGHT("4")), 3);
	begin(&t);
	PRE(&t, LESS(&t, X(&t), number(&t, 32, 0)));
	POST(&t, NOT(&t, LESS(&t, RESULT(&t), number(&t, 32, 0))));
	assert_int_equal(proved(&t, RIGHT("0"), RIGHT("-4")), 0);
	(void)unused;
}

/* The remark of section 4: the end is not reached any more, so nothing there can be wrong. */
static void test_not_reached(void **unused)
{
	static const char *const news[] = {
	    "int f(int x) { if (x > 0) for (;;); return 0; }",
	    "_Noreturn void abort(void); int f(int x) { if (x > 0) abort(); return 0; }",
	    "int f(int x) { if (x > 0) __builtin_unreachable(); return 0; }",
	    "int f(int x) { while (x > 0) x |= 1; return 0; }",
	    "void outside(void); int f(int x) { if (x > 0) outside(); return 0; }",
	};
	for (size_t i = 0; i < sizeof news / sizeof *news; i++) {
		struct setting t;
		begin(&t);
		PRE(&t, LESS(&t, number(&t, 32, 0), X(&t)));
		POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 0)));
		assert_int_equal(proved(&t, "int f(int x) { if (x > 0) x = 1; return 0; }", news[i]), 0);
	}
	(void)unused;
}

static void test_no_state(void **unused)
{
	struct setting t;
	begin(&t);
	PRE(&t, LESS(&t, number(&t, 32, 0), X(&t)));
	PRE(&t, LESS(&t, X(&t), number(&t, 32, 1)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 0)));
	assert_int_equal(proved(&t, "int f(int x) { return x; }", "int f(int x) { return x + 1; }"), 0);
	(void)unused;
}

/* What Q does not name is as it was. */
static void test_frame(void **unused)
{
	struct setting t;
	begin(&t);
	POST(&t, EQUAL(&t, RESULT(&t), X(&t)));
	assert_int_equal(proved(&t, "int g; int f(int x) { return x; }", "int g; int f(int x) { g++; return x; }"), 0);
	begin(&t);
	POST(&t, EQUAL(&t, RESULT(&t), X(&t)));
	assert_int_equal(proved(&t, "int g; int f(int x) { return x; }", "int g; int f(int x) { g++; g--; return x; }"), 23);
	begin(&t);
	POST(&t, EQUAL(&t, RESULT(&t), X(&t)));
	POST(&t, EQUAL(&t, place(&t, 32, 1, "gg"), number(&t, 32, 5)));
	assert_int_equal(proved(&t, "int g; int f(int x) { g = 5; return x; }", "int g; int f(int x) { g = 2 + 3 * (x == x); return x; }"), 23);
	(void)unused;
}

/* p points to one int: what lies behind it may not be touched, though memory has room. */
static void object(struct setting *t)
{
	begin(t);
	PRE(t, NOT(t, EQUAL(t, pointer(t, 4, "0"), number(t, 64, 0))));
	POST(t, EQUAL(t, RESULT(t), place(t, 32, 0, "0*0")));
}

static void test_objects(void **unused)
{
	struct setting t;
	object(&t);
	assert_int_equal(proved(&t, "int f(int *p) { return *p; }", "int f(int *p) { int r = p[0]; r += 1; return r - 1; }"), 23);
	object(&t);
	assert_int_equal(proved(&t, "int f(int *p) { return *p; }", "int f(int *p) { return *p + (p[1] & 0); }"), 0);
	object(&t);
	assert_int_equal(proved(&t, "int f(int *p) { return *p; }", "int f(int *p) { int r = *p; *p = 0; return r; }"), 0);
	object(&t); /* it may be the variable: P does not say that they lie apart */
	assert_int_equal(proved(&t, "int g; int f(int *p) { return *p; }", "int g; int f(int *p) { int r = *p; g++; g--; return r; }"), 0);
	begin(&t); /* two objects that may be one */
	PRE(&t, NOT(&t, EQUAL(&t, pointer(&t, 4, "0"), number(&t, 64, 0))));
	PRE(&t, NOT(&t, EQUAL(&t, pointer(&t, 4, "1"), number(&t, 64, 0))));
	POST(&t, EQUAL(&t, RESULT(&t), place(&t, 32, 0, "0*0")));
	POST(&t, EQUAL(&t, place(&t, 32, 1, "1*0"), number(&t, 32, 1)));
	assert_int_equal(proved(&t, "int f(int *p, int *q) { int r = *p; *q = 1; return r; }", "int f(int *p, int *q) { *q = 1; return *p; }"), 0);
	(void)unused;
}

/* P leaves open which of two addresses a pointer is. */
static void choice(struct setting *t)
{
	begin(t);
	expr_t p = pointer(t, 16, "0"), next = pointer(t, 16, "0*8"), null = number(t, 64, 0);
	PRE(t, NOT(t, EQUAL(t, p, null)));
	PRE(t, expr_or(t->l.pool, EQUAL(t, next, null), EQUAL(t, next, p)));
	POST(t, EQUAL(t, RESULT(t), place(t, 32, 0, "0*0")));
}

static void test_choices(void **unused)
{
#define NODE "struct n { int v; struct n *next; }; int f(struct n *p) "
	struct setting t;
	choice(&t);
	assert_int_equal(proved(&t, NODE "{ return p->v; }", NODE "{ return p->next ? p->next->v : p->v; }"), 23);
	choice(&t);
	assert_int_equal(proved(&t, NODE "{ return p->v; }", NODE "{ return p->next->v; }"), 0);
	choice(&t);
	assert_int_equal(proved(&t, NODE "{ return p->v; }", NODE "{ return p->next ? 0 : p->v; }"), 0);
	(void)unused;
}

/* What instructions name, and whom they call. */
static void test_names(void **unused)
{
#define TABLE(n) "static const int t[3] = {1, 2, " n "}; int f(int x) { return x < 2 ? t[x & 1] : t[2]; }"
	struct setting t;
	begin(&t);
	PRE(&t, LESS(&t, X(&t), number(&t, 32, 2)));
	PRE(&t, EQUAL(&t, X(&t), number(&t, 32, 1)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 2)));
	assert_int_equal(proved(&t, TABLE("3"), TABLE("4")), 23);
	begin(&t);
	PRE(&t, EQUAL(&t, X(&t), number(&t, 32, 7)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 3)));
	assert_int_equal(proved(&t, TABLE("3"), TABLE("4")), 0);
#define CALLEE(n) "static int h(int x) { if (x > 5) return " n "; return 1; } int f(int x) { return h(x); }"
	begin(&t);
	PRE(&t, EQUAL(&t, X(&t), number(&t, 32, 2)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 1)));
	assert_int_equal(proved(&t, CALLEE("2"), CALLEE("3")), 23);
	begin(&t);
	PRE(&t, EQUAL(&t, X(&t), number(&t, 32, 6)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 2)));
	assert_int_equal(proved(&t, CALLEE("2"), CALLEE("3")), 0);
#define BACK(n) "void each(int (*)(int), int *); static int h(int x) { return x + " n "; } int f(int x) { int r = x; each(h, &r); return 7; }"
	begin(&t); /* a library calls back what was modified */
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 7)));
	assert_int_equal(proved(&t, BACK("1"), BACK("2")), 0);
	begin(&t);
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 7)));
	assert_int_equal(proved(&t, BACK("1"), BACK("1") " int new(void) { return 0; }"), 12);
	(void)unused;
}

/* Another layout, another type of result: the same bytes are something else. */
static void test_layout(void **unused)
{
#define PAIR(members) "struct pair { " members " }; int f(struct pair *p) "
	struct setting t;
	object(&t);
	assert_int_equal(proved(&t, PAIR("int a;") "{ return p->a; }", PAIR("int a;") "{ int r = p->a; return r + 1 - 1; }"), 23);
	object(&t);
	assert_int_equal(proved(&t, PAIR("int a;") "{ return p->a; }", PAIR("int b;") "{ int r = p->b; return r + 1 - 1; }"), 0);
	object(&t);
	assert_int_equal(proved(&t, PAIR("int a;") "{ return p->a; }", PAIR("int a; int b;") "{ int r = p->a; return r + 1 - 1; }"), 0);
	begin(&t);
	PRE(&t, LESS(&t, number(&t, 32, 0), X(&t)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 1)));
	assert_int_equal(proved(&t, "int f(int x) { return x > 0; }", "long f(int x) { return x > 0 ? 0x100000001 : 0; }"), 0);
	(void)unused;
}

static void test_externals(void **unused)
{
	struct setting t;
	struct whole *a = JOIN("int outside(int); int f(int x) { return outside(x) ? 1 : 1; }"), *b = JOIN("int outside(int);\n\nint f(int x) { return outside(x) ? 1 : 1; }");
	begin(&t);
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 1)));
	assert_int_equal(ask(&t, a, b, 1, 0).verdict, VALIDATE_VALID);
	assert_int_equal(ask(&t, a, b, 1, 1).verdict, VALIDATE_UNKNOWN);
	assert_int_equal(ask(&t, a, b, 2, 1).verdict, VALIDATE_UNKNOWN);
	end(&t);
	whole_free(a);
	whole_free(b);
	(void)unused;
}

/* k of section 6: the global is missing from P. */
static void test_partial(void **unused)
{
#define K(n) "int vGlobal; int f(int x) { if (x > 0 && vGlobal > 10) return 1; return " n "; }"
	struct setting t;
	struct whole *a = JOIN(K("0")), *b = JOIN(K("0") " int other(void) { return 1; }"), *c = JOIN("int f(int x) { return x > 0; } int vGlobal;");
	begin(&t);
	PRE(&t, LESS(&t, number(&t, 32, 0), X(&t)));
	POST(&t, EQUAL(&t, RESULT(&t), number(&t, 32, 1)));
	t.s.why = "globals have the values that the program starts with";
	struct asked r = ask(&t, a, b, 1, 0);
	assert_int_equal(r.verdict, VALIDATE_VALID);
	assert_true(r.partial);
	r = ask(&t, a, c, 3, 0); /* Phase 3 with R = true takes the word away */
	assert_int_equal(r.verdict, VALIDATE_VALID);
	assert_false(r.partial);
	t.s.why = "it leaves a pointer to something that has no name at entry"; /* what Q does not say it does not say after a proof either */
	assert_true(ask(&t, a, c, 3, 0).partial);
	end(&t);
	whole_free(a);
	whole_free(b);
	whole_free(c);
	(void)unused;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figure_2_left), cmocka_unit_test(test_figure_2_right), cmocka_unit_test(test_not_reached), cmocka_unit_test(test_no_state), cmocka_unit_test(test_frame),
	    cmocka_unit_test(test_objects),	  cmocka_unit_test(test_choices), cmocka_unit_test(test_names), cmocka_unit_test(test_layout), cmocka_unit_test(test_externals),   cmocka_unit_test(test_partial),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
