/* test_whole.c: units joined by symbols as the linker joins them; calls and effects across units. */
#include "whole_units.h"

#include "base/mem.h"
#include "build/closure.h"

static void test_binding(void **unused)
{
	struct whole *w = JOIN("static int count; int next(void) { return ++count; } extern int shared; int get(void) { return shared; }",
			       "static int count; int other(void) { return --count; } int shared = 5; int next(void); int twice(void) { return next() + next(); }");
	uint32_t next = whole_find(w, "next"), shared = whole_find(w, "shared");
	int statics = 0;

	(void)unused;
	assert_int_equal(w->units.size, 2);
	assert_int_equal(w->symbols.data[next].unit, 0);
	assert_int_equal(w->symbols.data[shared].unit, 1);
	assert_true(calls(w, "twice", "next"));
	assert_false(calls(w, "next", "twice"));
	assert_true(symbol(w, "next")->component < symbol(w, "twice")->component);
	/* Two statics of one name stay apart, and are no symbol for others. */
	assert_int_equal(whole_find(w, "count"), CODE_NONE);
	for (size_t i = 0; i < w->symbols.size; i++)
		statics += !strcmp(w->symbols.data[i].name, "count") && w->symbols.data[i].local;
	assert_int_equal(statics, 2);
	whole_free(w);
}

static void test_weak(void **unused)
{
	struct whole *w = JOIN("__attribute__((weak)) int f(void) { return 1; } __attribute__((weak)) int g(void) { return 1; } int call(void) { return f() + g(); }",
			       "int f(void) { return 2; } __attribute__((weak)) int g(void) { return 3; }");

	(void)unused;
	assert_int_equal(symbol(w, "f")->unit, 1); /* strong before weak */
	assert_int_equal(symbol(w, "g")->unit, 0); /* the first of two */
	assert_true(calls(w, "call", "f"));
	assert_int_equal(symbol(w, "call")->unknown_calls, 0);
	whole_free(w);
	/* A file without a record defines it, too: which one was linked is not known. */
	w = whole_new();
	add_text(w, "a.c", "__attribute__((weak)) int f(void) { return 1; } int call(void) { return f(); } int strong(void) { return 1; } int call2(void) { return strong(); }", 0, NULL);
	whole_foreign(w, 0, "f");
	whole_foreign(w, 0, "strong");
	assert_int_equal(whole_join(w), 0);
	assert_int_equal(symbol(w, "f")->unit, CODE_NONE);
	assert_int_equal(symbol(w, "call")->unknown_calls, 1);
	assert_int_equal(symbol(w, "call2")->unknown_calls, 0);
	whole_free(w);
}

static void test_common(void **unused)
{
	struct whole *w = whole_new();

	(void)unused;
	add_text(w, "a.c", "int x[2]; int y[2]; int *a(void) { return x; }", 0, "-fcommon");
	add_text(w, "b.c", "int x[4]; int y[1] = {7}; int *b(void) { return x; }", 0, "-fcommon");
	assert_int_equal(whole_join(w), 0);
	assert_int_equal(symbol(w, "x")->unit, 1); /* the largest */
	assert_int_equal(symbol(w, "y")->unit, 1); /* initialised before common */
	whole_free(w);
}

static void test_images(void **unused)
{
	struct whole *w = whole_new();

	(void)unused;
	add_text(w, "p.c", "int f(void) { return 1; } int lib(void); int main(void) { return lib(); }", 0, NULL);
	add_text(w, "l.c", "int f(void) { return 2; } __attribute__((visibility(\"hidden\"))) int g(void) { return 3; } int lib(void) { return f() + g(); }", 1, NULL);
	add_text(w, "m.c", "int g(void) { return 4; } int user(void) { return g(); }", 2, NULL);
	assert_int_equal(whole_join(w), 0);
	assert_int_equal(symbol(w, "f")->unit, 0);	 /* the program's comes before the library's */
	assert_true(calls(w, "lib", "f"));
	assert_int_equal(w->symbols.data[whole_find(w, "g")].unit, 2); /* what is hidden is seen by nobody else ... */
	assert_false(calls(w, "lib", "g"));		 /* ... and found at home first */
	assert_int_equal(symbol(w, "lib")->callees, 2);
	assert_int_equal(symbol(w, "lib")->unknown_calls, 0);
	whole_free(w);
}

static void test_aliases(void **unused)
{
	struct whole *w = JOIN("int real(int a) { return a; } int also(int) __attribute__((alias(\"real\")));", "int also(int); int call(void) { return also(1); }");

	(void)unused;
	assert_int_equal(whole_find(w, "also"), whole_find(w, "real"));
	assert_true(calls(w, "call", "real"));
	whole_free(w);
}

static void test_pointers(void **unused)
{
	struct whole *w = JOIN("int a(int x) { return x; } int b(int x) { return -x; } long c(long x) { return x; } int never(int x) { return 9; }\n"
			       "int (*table[])(int) = {a};\n"
			       "int use(int i, int (*p)(int)) { return table[i](i) + p(i); }\n"
			       "double odd(double (*p)(double)) { return p(1); }",
			       "int b(int); long c(long); int use(int, int (*)(int)); int start(void) { return use(0, b); } long (*keep)(long) = c;\n"
			       "int asm_call(void) { __asm__ volatile(\"nop\"); return 0; } int puts(const char *); int out(void) { return puts(\"x\"); }");
	uint32_t n;

	(void)unused;
	assert_true(calls(w, "use", "a"));
	assert_true(calls(w, "use", "b")); /* its address is taken in another unit */
	assert_false(calls(w, "use", "c")); /* another type */
	assert_false(calls(w, "use", "never")); /* nobody takes its address */
	assert_int_equal(symbol(w, "use")->unknown_calls, 0);
	assert_int_equal(symbol(w, "odd")->unknown_calls, 1); /* nothing fits */
	assert_int_equal(symbol(w, "asm_call")->unknown_calls, 1);
	assert_int_equal(symbol(w, "out")->unknown_calls, 1);
	assert_non_null(whole_targets(w, symbol(w, "a")->signature, &n));
	assert_int_equal(n, 2);
	whole_free(w);
}

static void test_cycles(void **unused)
{
	struct whole *w = JOIN("int odd(int); int even(int n) { return n ? odd(n - 1) : 1; } int top(int n) { return even(n); }", "int even(int); int odd(int n) { return n ? even(n - 1) : 0; }");

	(void)unused;
	assert_int_equal(symbol(w, "even")->component, symbol(w, "odd")->component);
	assert_true(symbol(w, "even")->recursive && symbol(w, "odd")->recursive);
	assert_false(symbol(w, "top")->recursive);
	assert_true(symbol(w, "top")->component > symbol(w, "odd")->component);
	whole_free(w);
}

static uint32_t global(const struct code *c, const char *name)
{
	for (uint32_t g = 0; g < c->global_count; g++)
		if (!strcmp(c->globals[g].name, name))
			return g;
	fail_msg("no global %s", name);
	return 0;
}

static const struct code_function *declared(const struct code *c, const char *name)
{
	for (uint32_t k = 0; k < c->function_count; k++)
		if (!strcmp(c->functions[k].name, name))
			return &c->functions[k];
	fail_msg("no function %s", name);
	return NULL;
}

static void test_effects(void **unused)
{
	struct whole *w = JOIN("extern int x, y; static int own; void set_x(int); int peek(const int *); void back(void) { own = 1; } int lookup(int);\n"
			       "int f(int *p) { set_x(1); return x + y + peek(p); } int g(int *p) { return peek(p); } void h(void) { lookup(3); }",
			       "int x, y; void set_x(int v) { x = v; } int peek(const int *p) { return *p; } void back(void); int lookup(int n) { back(); return n; }");
	const struct code *a = w->units.data[0].code;
	const struct code_function *f = declared(a, "f"), *g = declared(a, "g");

	(void)unused;
	assert_true(code_function_writes(f, global(a, "x")));
	assert_false(code_function_writes(f, global(a, "y"))); /* alone, the unit could not know */
	assert_true(code_function_reads(f, global(a, "y")));
	assert_false(code_function_writes_parameter(g, 0));
	assert_true(code_function_reads_parameter(g, 0));
	assert_false(code_function_writes(declared(a, "set_x"), global(a, "y"))); /* asked of the declaration */
	assert_true(code_function_writes(declared(a, "h"), global(a, "own"))); /* through the other unit and back */
	assert_false(code_function_writes(g, global(a, "own")));
	whole_free(w);
}

/* A declaration that lies about the type stands for nothing known. */
static void test_wrong_declaration(void **unused)
{
	struct whole *w = JOIN("int y; int set(long); int f(void) { return set(1); }", "int set(int *p) { *p = 1; return 0; }");
	const struct code *a = w->units.data[0].code;

	(void)unused;
	assert_true(calls(w, "f", "set"));
	assert_true(code_function_writes(declared(a, "f"), global(a, "y")));
	whole_free(w);
}

static void test_bad_bitcode(void **unused)
{
	struct whole *w = whole_new();
	struct whole_source s = {.name = "a.c", .bitcode = "nothing", .size = 7};

	(void)unused;
	assert_int_equal(whole_add(w, &s), -1);
	assert_int_equal(whole_join(w), 0);
	assert_int_equal(whole_find(w, "main"), CODE_NONE);
	whole_free(w);
}

#define CALL "int say(const char *file, int line); int call(int i) { if (i) say(__FILE__, __LINE__); return i; }"
#define SAY "int say(const char *file, int line) { (void)file; (void)line; return 0; } int call(int i) { if (i) say(__FILE__, __LINE__); return i; }"

/* The digest of call, whose text begins in another line; another file: of an image, or without a record (NULL). */
static struct hash128 digest_in_line(const char *start, const char *text, uint32_t image, const char *other, const char *foreign)
{
	struct whole *w = whole_new();
	char *all = mem_printf("%s%s", start, text);

	if (other)
		add_text(w, "b.c", other, 0, NULL);
	add_text(w, "a.c", all, image, NULL);
	if (foreign)
		whole_foreign(w, 0, foreign);
	assert_int_equal(whole_join(w), 0);
	struct hash128 h = symbol(w, "call")->digest;
	const struct whole *u = whole_unset(w);
	assert_non_null(u);
	assert_int_equal(u->units.size, w->units.size);
	assert_int_equal(hash_equal(h, symbol(u, "call")->digest), 1); /* the other form knows the same files */
	whole_free(w);
	free(all);
	return h;
}

static int forgets(const char *text, uint32_t image, const char *other, const char *foreign)
{
	return hash_equal(digest_in_line("", text, image, other, foreign), digest_in_line("\n\n", text, image, other, foreign));
}

/* The place that a call passes counts where another file may compute with it. */
static void test_positions(void **unused)
{
	(void)unused;
	assert_true(forgets(CALL, 0, NULL, NULL));
	assert_true(forgets(CALL, 0, "static int say(int i) { return i; } int used(int i) { return say(i); }", "another"));
	assert_false(forgets(CALL, 0, "int say(const char *file, int line) { return line; }", NULL));
	assert_false(forgets(CALL, 0, "__attribute__((weak)) int say(const char *file, int line) { return line; }", NULL));
	assert_false(forgets(CALL, 0, NULL, "say"));
	assert_true(forgets(SAY, 0, NULL, NULL));
	assert_true(forgets(SAY, 1, "int other;", NULL));
	assert_false(forgets(SAY, 1, "int say(const char *file, int line) { return line; }", NULL)); /* the program's comes before that of its library */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_binding),  cmocka_unit_test(test_weak),    cmocka_unit_test(test_common),	       cmocka_unit_test(test_images),
	    cmocka_unit_test(test_aliases),  cmocka_unit_test(test_pointers), cmocka_unit_test(test_cycles),	       cmocka_unit_test(test_effects),
	    cmocka_unit_test(test_wrong_declaration), cmocka_unit_test(test_bad_bitcode), cmocka_unit_test(test_positions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
