/* test_match.c: counterparts in two versions of a program, and what counts as modified. */
#include "whole_units.h"

#include "ir/match.h"

struct versions {
	struct whole *old, *new;
	struct match *m;
};

static struct versions compare(struct whole *old, struct whole *new)
{
	return (struct versions){old, new, match_new(old, new)};
}
#define COMPARE(a, b) compare(JOIN(a), JOIN(b))

static void release(struct versions *v)
{
	match_free(v->m);
	whole_free(v->old);
	whole_free(v->new);
}

static uint32_t old_symbol(const struct versions *v, const char *name)
{
	uint32_t at = whole_find_any(v->old, name);

	if (at == CODE_NONE)
		fail_msg("no symbol %s", name);
	return at;
}

static const char *partner(const struct versions *v, const char *name)
{
	uint32_t to = v->m->to_new[old_symbol(v, name)];

	return to == CODE_NONE ? "-" : v->new->symbols.data[to].name;
}

static unsigned classes(const struct versions *v, const char *name)
{
	return v->m->classes[old_symbol(v, name)];
}

/* Modified instructions of a function that are no phis. */
static unsigned modified(const struct versions *v, const char *name)
{
	uint32_t at = old_symbol(v, name);
	const struct whole_symbol *s = &v->old->symbols.data[at];
	unsigned n = 0;

	for (uint32_t k = 0; k < s->order_count; k++)
		n += s->function->values[s->order[k]].op != CODE_PHI && match_modified(v->m, at, s->order[k]);
	return n;
}

/* Why the n-th instruction with this operator is modified. */
static unsigned why(const struct versions *v, const char *name, enum code_op op, unsigned n)
{
	uint32_t at = old_symbol(v, name);
	const struct code_function *f = v->old->symbols.data[at].function;

	for (uint32_t k = f->first_instruction; k < f->first_instruction + f->instructions; k++)
		if (f->values[k].op == op && !n--)
			return match_modified(v->m, at, k);
	fail_msg("%s: no such %s", name, code_op_text(op));
	return 0;
}

static int entry_modified(const struct versions *v, const char *name)
{
	return v->m->functions[old_symbol(v, name)]->entry;
}

#define LOOP "int g(int); int f(int n) { int s = 0; for (int i = 0; i < n; i++) { s += g(i); s ^= 5; } return s * 3; }\n"

static void test_nothing(void **unused)
{
	struct versions v = COMPARE(LOOP "int h(int a) { return f(a) + 1; }", "\n\n\nint h(int);\n" LOOP "int h(int b) {\n return f(b) + 1; }");
	struct match_counts c;

	(void)unused;
	match_count(v.m, &c);
	assert_int_equal(c.functions, 2);
	assert_int_equal(c.m, 0);
	assert_int_equal(c.im, 0);
	assert_int_equal(c.modified, 0);
	assert_int_equal(c.u, 1); /* f calls g, which nobody defines */
	assert_int_equal(c.iu, 1);
	assert_int_equal(classes(&v, "h"), MATCH_IU);
	release(&v);
}

/* An insertion modifies what comes right before it, and nothing else. */
static void test_insertion(void **unused)
{
	struct versions v = COMPARE("void a(void), b(void), c(void); void f(void) { a(); b(); c(); }", "void a(void), b(void), c(void), x(void); void f(void) { a(); b(); x(); c(); }");

	(void)unused;
	assert_int_equal(modified(&v, "f"), 1);
	assert_int_equal(why(&v, "f", CODE_CALL, 1), MATCH_SUCCESSORS);
	assert_int_equal(why(&v, "f", CODE_CALL, 2), 0);
	assert_false(entry_modified(&v, "f"));
	release(&v);
	/* At the beginning it is the entry. */
	v = COMPARE("void a(void); void f(void) { a(); }", "void a(void), x(void); void f(void) { x(); a(); }");
	assert_int_equal(modified(&v, "f"), 0);
	assert_true(entry_modified(&v, "f"));
	assert_int_equal(classes(&v, "f") & MATCH_M, MATCH_M);
	release(&v);
}

static void test_deletion(void **unused)
{
	struct versions v = COMPARE("void a(void), b(void), c(void); void f(void) { a(); b(); c(); }", "void a(void), b(void), c(void); void f(void) { a(); c(); }");

	(void)unused;
	assert_int_equal(modified(&v, "f"), 2);
	assert_int_equal(why(&v, "f", CODE_CALL, 0), MATCH_SUCCESSORS);
	assert_int_equal(why(&v, "f", CODE_CALL, 1), MATCH_DELETED);
	release(&v);
}

/* A constant changes its instruction alone: those that use the result have the same operand still. */
static void test_change(void **unused)
{
	struct versions v = COMPARE("int f(int a) { return (a + 3) * 7; }", "int f(int a) { return (a + 4) * 7; }");

	(void)unused;
	assert_int_equal(modified(&v, "f"), 1);
	assert_int_equal(why(&v, "f", CODE_ADD, 0), MATCH_CHANGED);
	release(&v);
}

/* Swapping then and else modifies the branch: successors are in order. */
static void test_swap(void **unused)
{
	struct versions v = COMPARE("void a(void), b(void); void f(int x) { if (x) a(); else b(); }", "void a(void), b(void); void f(int x) { if (x) b(); else a(); }");

	(void)unused;
	assert_int_equal(why(&v, "f", CODE_BRANCH, 0), MATCH_SUCCESSORS);
	assert_int_equal(why(&v, "f", CODE_CALL, 0), 0);
	assert_int_equal(why(&v, "f", CODE_CALL, 1), 0);
	release(&v);
}

/* A phi counts for each edge. */
static void test_phi(void **unused)
{
	const char *const old = "int a(void), b(void); int f(int x) { int r = 5; if (x) r = 6; return r; }", *const new = "int a(void), b(void); int f(int x) { int r = 5; if (x) r = 7; return r; }";
	struct versions v = COMPARE(old, new);
	uint32_t at = old_symbol(&v, "f"), edges = 0;
	const struct code_function *f = v.old->symbols.data[at].function;

	(void)unused;
	assert_int_equal(modified(&v, "f"), 0);
	assert_int_equal(why(&v, "f", CODE_PHI, 0), MATCH_EDGE);
	for (uint32_t e = 0; e < f->edge_count; e++)
		edges += v.m->functions[at]->edges[e];
	assert_int_equal(edges, 1);
	assert_int_equal(classes(&v, "f"), MATCH_M);
	release(&v);
}

static void test_move(void **unused)
{
	struct versions v = COMPARE("int p(int), q(int), r(int); int f(int x) { int s = p(x) * 3; int t = q(x) - 9; int u = r(x) ^ 77; return s + t + u; }",
				    "int p(int), q(int), r(int); int f(int x) { int t = q(x) - 9; int u = r(x) ^ 77; int s = p(x) * 3; return s + t + u; }");
	uint32_t at = old_symbol(&v, "f");
	const struct whole_symbol *s = &v.old->symbols.data[at];

	(void)unused;
	for (uint32_t k = 0; k < s->order_count; k++)
		assert_int_not_equal(match_value(v.m, at, s->order[k]), CODE_NONE);
	assert_int_equal(why(&v, "f", CODE_MUL, 0), MATCH_SUCCESSORS);
	assert_int_equal(why(&v, "f", CODE_SUB, 0), 0);
	release(&v);
}

static void test_renamed(void **unused)
{
	struct versions v = COMPARE("static int total = 4; static int step(int a) { total += a; return a * 2; } int f(int x) { return step(x) + total; }",
				    "static int sum = 4; static int advance(int a) { sum += a; return a * 2; } int f(int x) { return advance(x) + sum; }");
	struct match_counts c;

	(void)unused;
	assert_string_equal(partner(&v, "step"), "advance");
	assert_string_equal(partner(&v, "total"), "sum");
	match_count(v.m, &c);
	assert_int_equal(c.m, 0);
	assert_int_equal(c.renamed, 1);
	release(&v);
	/* Renamed and changed, called by nobody. */
	v = COMPARE("int g(int); int first(int a) { int r = 0; while (a > 9) { r += g(a) * 3; a -= 2; } return r ^ 17; }",
		    "int g(int); int second(int a) { int r = 0; while (a > 9) { r += g(a) * 3; a -= 3; } return r ^ 17; }");
	assert_string_equal(partner(&v, "first"), "second");
	assert_int_equal(v.m->by[old_symbol(&v, "first")], MATCH_BY_BODY);
	assert_int_equal(modified(&v, "first"), 1);
	release(&v);
	/* Renamed, with its caller unchanged otherwise. */
	v = COMPARE("int one(int a) { return a * 3; } int two(int a) { return a * 3; } int f(int a) { return one(a) - two(a); }",
		    "int eins(int a) { return a * 3; } int zwei(int a) { return a * 3; } int f(int a) { return eins(a) - zwei(a); }");
	assert_string_equal(partner(&v, "one"), "eins");
	assert_string_equal(partner(&v, "two"), "zwei");
	assert_int_equal(classes(&v, "f"), 0);
	release(&v);
}

/* Another library function is another call. */
static void test_outside(void **unused)
{
	struct versions v = COMPARE("int p(int), q(int); int f(int x) { return p(x); }", "int p(int), q(int); int f(int x) { return q(x); }");

	(void)unused;
	assert_int_equal(why(&v, "f", CODE_CALL, 0), MATCH_CHANGED);
	release(&v);
	/* It gets a body in the program: not what was called before. */
	v = COMPARE("int p(int); int f(int x) { return p(x); }", "int p(int x) { return x; } int f(int x) { return p(x); }");
	assert_int_equal(why(&v, "f", CODE_CALL, 0), MATCH_CHANGED);
	release(&v);
}

static void test_signature(void **unused)
{
	struct versions v = COMPARE("int f(int a) { return a + 1; }", "long f(long a) { return a + 1; }");

	(void)unused;
	assert_true(entry_modified(&v, "f"));
	release(&v);
	/* A parameter before the others: the body is as it was. */
	v = COMPARE("int g(int, int); int f(int a, int *p) { return g(a, 3) + *p; }", "int g(int, int); int f(long x, int a, int *p) { return g(a, 3) + *p; }");
	assert_true(entry_modified(&v, "f"));
	assert_int_equal(modified(&v, "f"), 0);
	release(&v);
}

static void test_initial_values(void **unused)
{
	struct versions v = COMPARE("static const int t[] = {1, 2, 3}; static const int *const p = t; int f(int i) { return t[i]; } int g(int i) { return p[i]; } int h(int i) { return i; }",
				    "static const int t[] = {1, 2, 4}; static const int *const p = t; int f(int i) { return t[i]; } int g(int i) { return p[i]; } int h(int i) { return i; }");

	(void)unused;
	assert_int_equal(classes(&v, "f"), MATCH_M);
	assert_int_equal(classes(&v, "g"), MATCH_M); /* what it names leads there */
	assert_int_equal(classes(&v, "h"), 0);
	assert_int_equal(v.m->changed[old_symbol(&v, "t")], 1);
	release(&v);
	v = COMPARE("const char *f(void) { return \"one\"; } const char *g(void) { return \"two\"; }", "const char *g(void) { return \"two\"; } const char *f(void) { return \"three\"; }");
	assert_int_equal(classes(&v, "f"), MATCH_M);
	assert_int_equal(classes(&v, "g"), 0);
	release(&v);
}

static void test_targets(void **unused)
{
	struct versions v = COMPARE("int a(int x) { return x; } int b(int x) { return -x; } int (*p)(int) = a; int f(int x) { return p(x); } long (*q)(long); long h(long x) { return q(x); }",
				    "int a(int x) { return x; } int b(int x) { return -x; } int (*p)(int) = a; int f(int x) { return p(x); } long (*q)(long); long h(long x) { return q(x); }\n"
				    "int (*r)(int) = b;");

	(void)unused;
	assert_int_equal(why(&v, "f", CODE_CALL, 0), MATCH_NAMES); /* b may be called now, too */
	assert_int_equal(classes(&v, "h"), MATCH_U);
	release(&v);
}

static void test_classes(void **unused)
{
	struct versions v = compare(JOIN("int leaf(int a) { return a + 1; } int mid(int a) { return leaf(a); }", "int mid(int); int top(int a) { return mid(a); } int gone(void) { return 1; } int puts(const char *);\n"
					 "int user(void) { return gone(); } int out(void) { return puts(\"x\"); } int over(void) { return out(); } int alone(void) { return 2; }"),
				    JOIN("int leaf(int a) { return a + 2; } int mid(int a) { return leaf(a); }", "int mid(int); int top(int a) { return mid(a); } int gone(void); int puts(const char *); int more(void) { return 3; }\n"
					 "int user(void) { return gone(); } int out(void) { return puts(\"x\"); } int over(void) { return out(); } int alone(void) { return 2; }"));
	struct match_counts c;

	(void)unused;
	assert_int_equal(classes(&v, "leaf"), MATCH_M);
	assert_int_equal(classes(&v, "mid"), MATCH_IM);
	assert_int_equal(classes(&v, "top"), MATCH_IM);
	assert_int_equal(classes(&v, "gone"), MATCH_M);
	assert_int_equal(classes(&v, "out"), MATCH_U);
	assert_int_equal(classes(&v, "over"), MATCH_IU);
	assert_int_equal(classes(&v, "alone"), 0);
	match_count(v.m, &c);
	assert_int_equal(c.functions, 8);
	assert_int_equal(c.deleted, 1);
	assert_int_equal(c.added, 1);
	release(&v);
}

/* Statics of one name in two units, which were moved and reordered. */
static void test_statics(void **unused)
{
	struct whole *old = whole_new(), *new = whole_new();
	struct versions v;
	uint32_t ok = 0;

	(void)unused;
	add_text(old, "x.c", "static int s(int a) { return a + 1; } int x(int a) { return s(a); }", 0, NULL);
	add_text(old, "y.c", "static int s(int a) { return a + 2; } int y(int a) { return s(a); }", 0, NULL);
	add_text(new, "y.c", "static int s(int a) { return a + 2; } int y(int a) { return s(a); }", 0, NULL);
	add_text(new, "lib/x.c", "static int s(int a) { return a + 1; } int x(int a) { return s(a); }", 0, NULL);
	whole_join(old);
	whole_join(new);
	v = compare(old, new);
	for (uint32_t i = 0; i < old->symbols.size; i++) {
		assert_int_equal(v.m->classes[i], 0);
		if (!strcmp(old->symbols.data[i].name, "s"))
			ok += same_digest(&old->symbols.data[i], &new->symbols.data[v.m->to_new[i]]);
	}
	assert_int_equal(ok, 2);
	release(&v);
}

/* Tables of labels: the same only if the whole function is. */
static void test_labels(void **unused)
{
#define COMPUTED(n) "void a(int); int f(int i) { static void *const t[] = {&&x, &&y}; goto *t[i]; x: a(1); return 1; y: a(" n "); return 2; }"
	struct versions v = COMPARE(COMPUTED("2"), COMPUTED("2"));

	(void)unused;
	assert_int_equal(classes(&v, "f") & MATCH_M, 0);
	release(&v);
	v = COMPARE(COMPUTED("2"), COMPUTED("3"));
	assert_int_equal(classes(&v, "f") & MATCH_M, MATCH_M);
	assert_true(why(&v, "f", CODE_GEP, 0) & MATCH_NAMES);
	release(&v);
}

/* Empty programs, and one that lost everything. */
static void test_empty(void **unused)
{
	struct whole *none = whole_new(), *also = whole_new();
	struct versions v;

	(void)unused;
	whole_join(none);
	whole_join(also);
	v = compare(none, also);
	release(&v);
	none = whole_new();
	whole_join(none);
	v = compare(JOIN("int f(void) { return 1; }"), none);
	assert_int_equal(classes(&v, "f"), MATCH_M);
	assert_int_equal(match_value(v.m, old_symbol(&v, "f"), 0), CODE_NONE);
	release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing), cmocka_unit_test(test_insertion), cmocka_unit_test(test_deletion),	cmocka_unit_test(test_change),
	    cmocka_unit_test(test_swap),    cmocka_unit_test(test_phi),	      cmocka_unit_test(test_move),	cmocka_unit_test(test_renamed),
	    cmocka_unit_test(test_outside), cmocka_unit_test(test_signature), cmocka_unit_test(test_initial_values), cmocka_unit_test(test_targets),
	    cmocka_unit_test(test_classes), cmocka_unit_test(test_statics),   cmocka_unit_test(test_labels),	cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
