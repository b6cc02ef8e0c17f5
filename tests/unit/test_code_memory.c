/* test_code_memory.c: cells of memory, and what may write them: stores, calls, loops. */
#include "code_unit.h"

#include <stdlib.h>

static uint32_t cell(const struct code_function *f, const char *name)
{
	for (uint32_t k = 0; k < f->cell_count; k++)
		if (f->cells[k].name && !strcmp(f->cells[k].name, name))
			return k;
	fail_msg("%s: no cell %s", f->name, name);
	return 0;
}

/* The n-th store or call that has the line. */
static uint32_t at_line(const struct code_function *f, enum code_op op, uint32_t line)
{
	for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
		if (f->values[v].op == op && f->values[v].line == line)
			return v;
	fail_msg("%s: no %s in line %u", f->name, code_op_text(op), line);
	return 0;
}

static const char memory[] =
    "struct s { int n; unsigned char m; struct { short q; } t[3]; struct s *next; };\n"
    "static int hidden, counted; int seen; static int given; static unsigned table[4];\n" /* 2 */
    "void out(void); void take(int *);\n"
    "static void set(int *p) { *p = 1; }\n"
    "static void keep(struct s *p) { p->next = p; }\n"
    "static void bump(void) { counted++; }\n"
    "void entry(void) { hidden = 1; }\n"
    "int f(struct s *p, struct s *q, int *r, int i) {\n"
    "  int local = 0, escaped = 0, a[4] = {0}, passed = 0;\n"
    "  p->n = 1;\n"	     /* 10 */
    "  p->t[1].q = 2;\n"     /* 11 */
    "  q->n = 3;\n"	     /* 12 */
    "  *r = 4;\n"	     /* 13 */
    "  seen = 5;\n"	     /* 14 */
    "  hidden = 6;\n"	     /* 15 */
    "  table[3] = 7;\n"	     /* 16 */
    "  table[i & 3] = 8;\n"  /* 17 */
    "  a[2] = 9;\n"	     /* 18 */
    "  a[i & 3] = 10;\n"     /* 19 */
    "  take(&escaped);\n"    /* 20 */
    "  set(&passed);\n"	     /* 21 */
    "  out();\n"	     /* 22 */
    "  bump();\n"	     /* 23 */
    "  q->next->n = 11;\n"   /* 24 */
    "  set(&given);\n"	     /* 25 */
    "  escaped++; local += a[1] + a[2];\n"
    "  return local + escaped + passed + given + hidden + counted + table[2] + table[3] + p->m; }\n";

static void expect(const struct code_function *f, uint32_t v, const char *name, int yes)
{
	if (code_may_write(f, v, cell(f, name)) != yes)
		fail_msg("line %u, %s", f->values[v].line, name);
}

static void check_effects(const char *flags)
{
	struct code *c = load_with(memory, flags);
	const struct code_function *f = function(c, "f");
	uint32_t store;

	assert_int_equal(f->cells[cell(f, "p->m")].is_unsigned, 1);
	assert_int_equal(f->cells[cell(f, "p->m")].width, 8);
	assert_int_equal(f->cells[cell(f, "p->t[1].q")].offset, 8);
	assert_int_equal(f->values[at_line(f, CODE_STORE, 10)].cell, cell(f, "p->n"));
	store = at_line(f, CODE_STORE, 10);
	expect(f, store, "p->n", 1);
	expect(f, store, "p->m", 0); /* beside it */
	expect(f, store, "p->t[1].q", 0);
	expect(f, store, "q->n", 1); /* p and q may be the same */
	expect(f, store, "*r", 1);
	expect(f, store, "seen", 1);
	expect(f, store, "hidden", 0); /* nobody has its address */
	expect(f, store, "escaped", 0); /* it is younger than p */
	store = at_line(f, CODE_STORE, 14);
	expect(f, store, "seen", 1);
	expect(f, store, "p->n", 1);
	expect(f, store, "hidden", 0);
	store = at_line(f, CODE_STORE, 15);
	expect(f, store, "p->n", 0);
	expect(f, store, "hidden", 1);
	store = at_line(f, CODE_STORE, 16);
	expect(f, store, "table[3]", 1);
	expect(f, store, "table[2]", 0);
	expect(f, at_line(f, CODE_STORE, 17), "table[2]", 1);
	expect(f, at_line(f, CODE_STORE, 17), "seen", 0);
	expect(f, at_line(f, CODE_STORE, 18), "a[2]", 1);
	expect(f, at_line(f, CODE_STORE, 18), "a[1]", 0);
	expect(f, at_line(f, CODE_STORE, 19), "a[1]", 1);
	expect(f, at_line(f, CODE_STORE, 19), "escaped", 0);
	store = at_line(f, CODE_CALL, 20); /* take(&escaped) */
	expect(f, store, "escaped", 1);
	expect(f, store, "passed", 0);
	expect(f, store, "a[2]", 0);
	expect(f, store, "seen", 1);
	expect(f, store, "p->n", 1);
	expect(f, store, "hidden", 1); /* it may call entry() */
	expect(f, store, "counted", 1); /* it may call f(), which calls bump() */
	store = at_line(f, CODE_CALL, 21); /* set(&passed) */
	expect(f, store, "passed", 1);
	expect(f, store, "escaped", 0);
	expect(f, store, "p->n", 0);
	expect(f, store, "seen", 0);
	store = at_line(f, CODE_CALL, 22);
	expect(f, store, "escaped", 1);
	expect(f, store, "passed", 0);
	store = at_line(f, CODE_CALL, 23);
	expect(f, store, "counted", 1);
	expect(f, store, "hidden", 0);
	expect(f, store, "seen", 0);
	expect(f, store, "p->n", 0);
	store = at_line(f, CODE_STORE, 24); /* somewhere */
	expect(f, store, "escaped", 1);
	expect(f, store, "passed", 0);
	expect(f, store, "p->n", 1);
	expect(f, store, "seen", 1);
	expect(f, store, "given", 1); /* a callee may see it as *p */
	expect(f, store, "hidden", 0);
	expect(f, at_line(f, CODE_CALL, 25), "given", 1);
	expect(f, at_line(f, CODE_CALL, 25), "hidden", 0);
	code_free(c);
}

static void test_effects(void **unused)
{
	(void)unused;
	check_effects(NULL);
	check_effects(CHECKS);
}

static const struct code_function *declared(const struct code *c, const char *name)
{
	for (uint32_t i = 0; i < c->function_count; i++)
		if (!strcmp(c->functions[i].name, name))
			return &c->functions[i];
	fail_msg("%s is not declared", name);
	return NULL;
}

/* By its name, and by which of its parameters are pointers. */
static void test_names_of_the_library(void **unused)
{
	struct code *c = load("int seen; int close(int); int access(int *, int) __attribute__((nothrow)); int remove(int *); int link(int, int); void free(void *); int log(int *); int read(int, void *, unsigned long);\n"
			      "int f(int *p) {\n"
			      "  close(1);\n"
			      "  access(p, 1);\n"
			      "  link(1, 2);\n"
			      "  free(p);\n"
			      "  log(p);\n"
			      "  read(0, p, 4);\n"
			      "  remove(p);\n"
			      "  return seen; }\n");
	const struct code_function *f = function(c, "f");
	(void)unused;
	for (uint32_t line = 3; line <= 9; line++)
		expect(f, at_line(f, CODE_CALL, line), "seen", line == 5 || line >= 7); /* read() writes *p, which may be it; remove() is not declared as the library does */
	assert_true(code_function_keeps_to_itself(declared(c, "close")) && code_function_keeps_to_itself(declared(c, "access")) && !code_function_keeps_to_itself(declared(c, "link")) && !code_function_keeps_to_itself(declared(c, "remove")));
	assert_true(code_function_frees(declared(c, "free")) && !code_function_frees(declared(c, "close")) && !code_function_keeps_to_itself(declared(c, "log")));
	code_free(c);
}

static void test_loop_effects(void **unused)
{
	struct code *c = load("static int g, h; int strlen(const char *); int puts(const char *); int any(const char *);\n"
			      "static int down(int n) { g++; return n ? down(n - 1) : 0; }\n"
			      "int f(char *s, int n) { h = 0; g = 0;\n"
			      "  for (int i = 0; i < n; i++) down(i);\n"
			      "  for (int i = 0; i < n; i++) { h++; puts(s); }\n"
			      "  for (int i = 0; i < n; i++) any(s);\n"
			      "  return g + h; }\n"
			      "static int alone(int n) { int x[2]; x[0] = n; while (n--) x[1] = 3; return x[0] + g; }\n"
			      "int use(int n) { return alone(n); }\n");
	const struct code_function *f = function(c, "f"), *alone = function(c, "alone");
	uint32_t n, *list;

	(void)unused;
	list = code_written(f, 0, &n);
	assert_int_equal(n, 1);
	assert_int_equal(list[0], cell(f, "g"));
	free(list);
	list = code_written(f, 1, &n); /* puts calls nobody back */
	assert_int_equal(n, 1);
	assert_int_equal(list[0], cell(f, "h"));
	free(list);
	list = code_written(f, 2, &n); /* any() may call f() */
	assert_int_equal(n, 2);
	free(list);
	list = code_written(alone, 0, &n);
	assert_int_equal(n, 1);
	assert_string_equal(alone->cells[list[0]].name, "x[1]");
	free(list);
	list = code_read(alone, CODE_NONE, &n);
	assert_int_equal(n, 2); /* x[0], g */
	free(list);
	for (uint32_t k = 0; k < c->global_count; k++) {
		if (strcmp(c->globals[k].name, "g"))
			continue;
		assert_false(c->globals[k].escapes);
		assert_true(code_function_writes(function(c, "down"), k));
		assert_false(code_function_writes(alone, k));
		assert_true(code_function_reads(alone, k));
	}
	code_free(c);
}

/* A pointer that came back, was stored, or met another one: what it points to is out of sight. */
static void test_escapes(void **unused)
{
	struct code *c = load("int *id(int *p) { return p; } int *where; void out(void); void same(int *p, int *q);\n"
			      "int f(int n, int *z) {\n"
			      "  int a = 1, b = 2, d = 3, e = 4;\n"
			      "  int *p = id(&a);\n"
			      "  where = &b;\n"
			      "  int *q = n ? &d : z;\n"
			      "  int *r = n ? &e : 0;\n"
			      "  *q = 7;\n" /* 8 */
			      "  *p = 8;\n"
			      "  out();\n" /* 10 */
			      "  if (r) *r = 9;\n"
			      "  return a + b + d + e; }\n"
			      "int walk(int *p, int n) { int s = 0; for (; n; n--) s += *p++; return s; }\n");
	const struct code_function *f = function(c, "f"), *walk = function(c, "walk");

	(void)unused;
	expect(f, at_line(f, CODE_STORE, 9), "a", 1);
	expect(f, at_line(f, CODE_STORE, 8), "d", 1);
	expect(f, at_line(f, CODE_STORE, 8), "e", 0);
	expect(f, at_line(f, CODE_CALL, 10), "b", 1);
	expect(f, at_line(f, CODE_CALL, 10), "e", 0);
	expect(f, at_line(f, CODE_STORE, 11), "e", 1);
	expect(f, at_line(f, CODE_STORE, 11), "a", 0);
	for (uint32_t k = 0; k < walk->cell_count; k++) /* p moves: *p is no name for what it was */
		assert_null(walk->cells[k].name);
	code_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_effects), cmocka_unit_test(test_names_of_the_library),
	    cmocka_unit_test(test_loop_effects),
	    cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
