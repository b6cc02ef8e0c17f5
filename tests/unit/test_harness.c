/* Plans of inputs, the text appended to a unit, and programs built with it. */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/capture.h"
#include "build/cc.h"
#include "build/home.h"
#include "build/image.h"
#include "harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct planned {
	struct front *f;
	struct harness *h;
};

static char *write_temp(const char *name, const char *text)
{
	char *path = file_temp(name);

	assert_int_equal(file_write_atomic(path, text, strlen(text)), 0);
	return path;
}

static struct planned plan(const char *text, const struct harness_options *o,
			   const char *const *stubs)
{
	struct planned p = {0};
	char *path = write_temp("unit.c", text);

	if (front_open(&p.f, path, NULL, 0))
		fail_msg("%s", error_text());
	if (harness_plan(&p.h, p.f, o, stubs))
		fail_msg("%s", error_text());
	free(path);
	return p;
}

static void release(struct planned *p)
{
	harness_free(p->h);
	front_close(p->f);
}

static const struct drive_function *call_of(const struct harness *h, const char *name)
{
	const struct harness_function *hf = harness_find(h, name);

	assert_non_null(hf);
	assert_int_not_equal(hf->number, UINT32_MAX);
	return &h->calls.data[hf->number];
}

static const struct drive_type *root_type(const struct harness *h, const char *function, uint32_t i)
{
	return &h->types.data[h->roots.data[call_of(h, function)->first_root + i].type];
}

static uint32_t limits_of(const struct harness *h, const char *name)
{
	return harness_find(h, name)->limits;
}

/* ------------------------------------------------------------------- layout */

static void claim(uint8_t *map, uint32_t from, uint32_t size, uint32_t end)
{
	assert_true(from % 8 == 0);
	assert_true(from + size <= end);
	for (uint32_t i = from; i < from + size; i++) {
		assert_int_equal(map[i], 0);
		map[i] = 1;
	}
}

/* Every byte has one meaning: nothing overlaps, all of it lies in the input. */
static void check_layout(const struct harness *h)
{
	for (size_t n = 0; n < h->calls.size; n++) {
		const struct drive_function *c = &h->calls.data[n];
		uint8_t *map = mem_zalloc(c->size);

		assert_true(c->size <= 256 * 1024);
		claim(map, 0, DRIVE_PREFIX, c->size);
		for (uint32_t i = 0; i < c->parameters + c->globals; i++) {
			const struct drive_root *r = &h->roots.data[c->first_root + i];

			assert_int_equal((r->flags & DRIVE_GLOBAL) != 0, i >= c->parameters);
			claim(map, r->at, h->types.data[r->type].size, c->size);
		}
		claim(map, c->results, DRIVE_RESULTS * DRIVE_RESULT, c->size);
		for (uint32_t i = 0; i < c->pools; i++) {
			const struct drive_pool *p = &h->pools.data[c->first_pool + i];
			const struct drive_type *t = &h->types.data[p->pointer];
			uint32_t elements = t->fixed > t->limit ? t->fixed : t->limit;

			assert_int_equal(t->kind, DRIVE_POINTER);
			assert_int_equal(h->pool_keys.data[p->pointer], p->pointer);
			assert_int_equal(t->limit & (t->limit - 1), 0);
			for (uint32_t k = 0; k < p->objects; k++)
				claim(map, p->at[k],
				      DRIVE_HEADER + elements * h->types.data[t->a].size, c->size);
		}
		free(map);
	}
}

static const char types_text[] =
    "#include <stdio.h>\n"
    "struct node { struct node *next; int n; _Bool on; const char *name; };\n"
    "struct span { const unsigned char *start, *end; };\n"
    "union both { long l; char *s; struct { int tag; int *p; } x; };\n"
    "struct later;\n"
    "typedef int (*op)(int, int);\n"
    "static int add(int a, int b) { return a + b; }\n"
    "static op keep = add;\n"
    "int numbers(int a, double d, _Bool b) { return a + d + b; }\n"
    "int list(struct node *p, const struct node *q) { return p->n + q->n; }\n"
    "int text(const char *s, unsigned char *u, void *v) { return *s + *u + (v != 0); }\n"
    "int array(int a[4]) { return a[3]; }\n"
    "int arrays(int a[4], int m[3][4], char c[5], int open[]) { return a[3] + m[2][3] + c[4] + "
    "open[0]; }\n"
    "int inner(struct span s) { return s.end - s.start; }\n"
    "int range(const int *first, const int *last) { return last - first; }\n"
    "int plain(const int *last) { return *last; }\n"
    "int both(union both u) { return u.x.tag; }\n"
    "int opaque(struct later *p, FILE *f) { return p != 0 && f != 0; }\n"
    "int calls(op f) { return f(1, 2) + keep(1, 2); }\n"
    "int pp(char **v) { return **v; }\n";

static void test_types(void **state)
{
	struct planned p = plan(types_text, NULL, NULL);
	struct harness *h = p.h;
	const struct drive_type *t;
	(void)state;

	check_layout(h);
	assert_int_equal(root_type(h, "numbers", 0)->kind, DRIVE_BYTES);
	assert_int_equal(root_type(h, "numbers", 1)->size, 8);
	assert_int_equal(root_type(h, "numbers", 2)->kind, DRIVE_BOOL);
	assert_int_equal(call_of(h, "numbers")->pools, 0);

	t = root_type(h, "list", 0);
	assert_int_equal(t->kind, DRIVE_POINTER);
	assert_int_equal(t->limit, 4);
	assert_int_equal(call_of(h, "list")->pools, 2); /* nodes, const or not, and strings */
	t = &h->types.data[t->a];
	assert_int_equal(t->kind, DRIVE_STRUCT);
	assert_int_equal(t->count, 3);
	assert_int_equal(h->members.data[t->a].offset, 0);
	assert_int_equal(h->members.data[t->a + 1].offset, 12);
	assert_int_equal(h->types.data[h->members.data[t->a + 1].type].kind, DRIVE_BOOL);
	assert_true(h->types.data[h->members.data[t->a + 2].type].flags & DRIVE_STRING);

	assert_int_equal(root_type(h, "text", 0)->flags, DRIVE_STRING);
	assert_int_equal(root_type(h, "text", 0)->limit, 16);
	assert_int_equal(root_type(h, "text", 1)->flags, 0);
	assert_int_equal(root_type(h, "text", 1)->limit, 16);
	assert_int_equal(root_type(h, "text", 2)->limit, 16);

	assert_int_equal(root_type(h, "array", 0)->fixed, 4);
	assert_int_equal(root_type(h, "arrays", 0)->fixed, 0); /* among the objects of v */
	assert_int_equal(root_type(h, "arrays", 0)->limit, 8);
	assert_int_equal(root_type(h, "arrays", 1)->fixed, 3);
	assert_int_equal(h->types.data[root_type(h, "arrays", 1)->a].size, 16);
	assert_int_equal(root_type(h, "arrays", 2)->fixed, 5);
	assert_int_equal(root_type(h, "arrays", 2)->flags & DRIVE_STRING, 0);
	assert_int_equal(root_type(h, "arrays", 3)->fixed, 0);
	assert_int_equal(root_type(h, "arrays", 3)->limit, 8);
	release(&p);
}

static void test_places(void **state)
{
	struct planned p = plan(types_text, NULL, NULL);
	struct harness *h = p.h;
	const struct drive_type *t;
	(void)state;

	t = root_type(h, "inner", 0);
	assert_int_equal(t->count, 2);
	assert_false(h->types.data[h->members.data[t->a].type].flags & DRIVE_INTERIOR);
	assert_true(h->types.data[h->members.data[t->a + 1].type].flags & DRIVE_INTERIOR);
	assert_int_equal(call_of(h, "inner")->pools, 1);
	assert_false(root_type(h, "range", 0)->flags & DRIVE_INTERIOR);
	assert_true(root_type(h, "range", 1)->flags & DRIVE_INTERIOR);
	assert_false(root_type(h, "plain", 0)->flags & DRIVE_INTERIOR);

	t = root_type(h, "both", 0);
	assert_true(t->flags & DRIVE_UNION_FIRST);
	assert_int_equal(t->count, 2); /* of s at 0, of p at 8 */
	assert_true(limits_of(h, "both") & 1u << HARNESS_UNION);
	assert_int_equal(root_type(h, "opaque", 0)->kind, DRIVE_OPAQUE);
	assert_int_equal(root_type(h, "opaque", 1)->kind, DRIVE_OPAQUE);
	assert_true(limits_of(h, "opaque") & 1u << HARNESS_OPAQUE);

	t = root_type(h, "calls", 0);
	assert_int_equal(t->kind, DRIVE_FUNCTION);
	assert_int_equal(t->count, 2);
	assert_string_equal(h->targets.data[t->a], "add");
	assert_true(limits_of(h, "calls") & 1u << HARNESS_POINTER_CALLS);
	assert_int_equal(harness_find(h, "calls")->stub_count, 1);
	assert_int_equal(limits_of(h, "numbers"), 0);
	assert_int_equal(call_of(h, "pp")->pools, 2);
	release(&p);
}

static void test_limits(void **state)
{
	static const char text[] =
	    "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
	    "int elsewhere(int); extern int far_away;\n"
	    "int level = 3; static int hidden; static int fixed = 4; const int never = 1; char "
	    "large[1000];\n"
	    "int pure(const char *s) { char *p = malloc(3); free(p); return strlen(s); }\n"
	    "static int inside(void) { return elsewhere(1); }\n"
	    "int stubbed(void) { return inside(); }\n"
	    "int world(void) { return time(0) > 5; }\n"
	    "int statics(void) { static int n; return n++; }\n"
	    "int globals(void) { hidden++; return level + hidden + fixed + never + far_away; }\n"
	    "int big(int i) { return large[i & 511]++; }\n"
	    "int variadic(int n, ...) { return n; }\n";
	static const char *const stubs[] = {"elsewhere", "far_away", NULL};
	struct harness_options initial = {.globals_initial = 1};
	struct planned p = plan(text, NULL, stubs);
	struct harness *h = p.h;
	(void)state;

	check_layout(h);
	assert_int_equal(limits_of(h, "pure"), 0);
	assert_int_equal(limits_of(h, "stubbed"), 1u << HARNESS_STUBS);
	assert_int_equal(harness_find(h, "stubbed")->stub_count, 1);
	assert_int_equal(limits_of(h, "world"), 1u << HARNESS_WORLD);
	assert_int_equal(limits_of(h, "statics"), 1u << HARNESS_STATICS);
	assert_int_equal(limits_of(h, "variadic"), 1u << HARNESS_VARIADIC);
	assert_int_equal(limits_of(h, "big"), 1u << HARNESS_LARGE_GLOBALS);
	assert_int_equal(call_of(h, "globals")->globals, 3); /* level, hidden, far_away */
	assert_int_equal(h->extern_globals.size, 1);
	release(&p);
	p = plan(text, &initial, stubs);
	assert_int_equal(call_of(p.h, "globals")->globals, 0);
	release(&p);
}

/* Objects are dropped until an input is small enough; the nearest stay. */
static void test_large(void **state)
{
	struct planned p = plan("struct deep { char room[90000]; };\n"
				"struct mid { struct deep *d; char room[100000]; };\n"
				"struct top { struct mid *m; char room[100000]; };\n"
				"int f(struct top *t) { return t->m->d->room[0]; }\n",
				NULL, NULL);
	const struct drive_function *c = call_of(p.h, "f");
	(void)state;

	check_layout(p.h);
	assert_int_equal(c->pools, 3);
	assert_int_equal(p.h->pools.data[c->first_pool].objects, 1);
	assert_int_equal(p.h->pools.data[c->first_pool + 2].objects, 0);
	assert_true(limits_of(p.h, "f") & 1u << HARNESS_OPAQUE);
	release(&p);
}

/* What a pointer is converted to says what it points to, where its type does not. */
static void test_conversions(void **state)
{
	struct planned p = plan("struct hidden; struct state { int mode; struct state *next; };\n"
				"struct stream { struct hidden *state; void *data; };\n"
				"int f(struct stream *s) { struct state *t = (struct state "
				"*)s->state; return t->mode; }\n"
				"int g(void *user) { struct state *t = user; return t->mode; }\n",
				NULL, NULL);
	const struct drive_type *t = root_type(p.h, "f", 0);
	(void)state;

	check_layout(p.h);
	t = &p.h->types.data[t->a];
	t = &p.h->types.data[p.h->members.data[t->a].type];
	assert_int_equal(t->kind, DRIVE_POINTER);
	assert_int_equal(p.h->types.data[t->a].size, 16);
	assert_int_equal(p.h->types.data[root_type(p.h, "g", 0)->a].size, 16);
	assert_int_equal(limits_of(p.h, "f"), 0);
	release(&p);
}

/* Functions without a body that manage memory do so. */
static void test_memory(void **state)
{
	static const char text[] =
	    "#include <stdlib.h>\n"
	    "void *my_alloc(void *ctx, unsigned n, unsigned size); void my_free(void *p); void "
	    "*get(int n);\n"
	    "char *my_strdup(const char *s); void *my_realloc(void *p, size_t n); void "
	    "node_free(struct node *);\n"
	    "struct hooks { void *(*allocate)(size_t); void (*deallocate)(void *); void "
	    "*(*find)(int); };\n"
	    "static struct hooks ours = {malloc, 0, get};\n"
	    "int f(struct hooks *h) { char *p = my_alloc(0, 2, 3); "
	    "my_free(my_realloc(my_strdup(p), 4)); node_free(0);\n"
	    "	h->deallocate(h->allocate(5)); return h->find(1) == get(2) && ours.find; }\n";
	static const char *const stubs[] = {"my_alloc",	  "my_free",   "get", "my_strdup",
					    "my_realloc", "node_free", NULL};
	struct planned p = plan(text, NULL, stubs);
	struct buf b = BUF_EMPTY;
	int found = 0;
	(void)state;

	harness_source(p.h, &b);
	assert_non_null(strstr(
	    buf_str(&b),
	    "return __muster_malloc((unsigned long)__muster_1 * (unsigned long)__muster_2);"));
	assert_non_null(strstr(
	    buf_str(&b),
	    " my_free(__typeof__(void *) __muster_0) { __muster_free((void *)__muster_0); }"));
	assert_non_null(
	    strstr(buf_str(&b),
		   "return __muster_realloc((void *)__muster_0, (unsigned long)__muster_1);"));
	assert_non_null(strstr(buf_str(&b), "__muster_strdup((const char *)__muster_0)"));
	for (size_t i = 0; i < p.h->targets.size; i++)
		found += !strcmp(p.h->targets.data[i], "malloc");
	assert_int_equal(found, 1);
	assert_int_equal(p.h->targets.size, 3); /* malloc, and a stub each for free and find */
	for (size_t i = 0; i < p.h->stubs.size; i++) {
		uint32_t entry = p.h->stubs.data[i];
		const char *name =
		    entry & HARNESS_STUB_POINTER ? "" : p.f->functions.data[entry].name;

		if (!strcmp(name, "get") || !strcmp(name, "node_free"))
			assert_int_equal(p.h->stub_memory.data[i], 0);
		if (!strcmp(name, "get"))
			assert_int_not_equal(p.h->stub_types.data[i], UINT32_MAX);
	}
	buf_release(&b);
	release(&p);
}

/* ------------------------------------------------------------- preconditions */

static int fails(const char *text, const char *requires, const char *words)
{
	const char *list[] = {requires, NULL};
	struct harness_options o = {.requires = list};
	struct front *f;
	struct harness *h;
	char *path = write_temp("unit.c", text), *program;
	int e = harness_build(path, NULL, &o, &f, &h, &program), found;

	found = e && strstr(error_text(), words);
	if (!found)
		print_message("'%s' is not in: %s\n", words, e ? error_text() : "(success)");
	if (!e) {
		harness_free(h);
		front_close(f);
		free(program);
	}
	free(path);
	return found;
}

static void test_requires(void **state)
{
	static const char text[] = "int sum(const int *a, int n) { return n ? a[n - 1] : 0; }\n"
				   "int other(int x) { return x; }\n"
				   "__attribute__((nonnull)) int said(char *p) { return *p; }\n";
	const char *list[] = {"n <= len(a) && n >= 0", "other: x > 3 || x < 0", NULL};
	struct harness_options o = {.requires = list};
	struct planned p = plan(text, &o, NULL);
	struct buf b = BUF_EMPTY;
	(void)state;

	harness_source(p.h, &b);
	assert_non_null(
	    strstr(buf_str(&b), "__muster_assume((n <= __muster_length((a), sizeof *(a)) ) != 0)"));
	assert_non_null(strstr(buf_str(&b), "__muster_assume(( n >= 0) != 0)"));
	assert_non_null(strstr(buf_str(&b), "__muster_assume((x > 3 || x < 0) != 0)"));
	assert_non_null(strstr(buf_str(&b), "__muster_assume((p != 0) != 0)"));
	buf_release(&b);
	release(&p);
	assert_true(fails(text, "nobody: n > 0", "no function 'nobody'"));
	assert_true(fails(text, "zzz > 0", "no function has parameters of these names"));
	assert_true(fails(text, "sum: n <= len(b)",
			  "the precondition 'n <= len(b)' does not compile: use of undeclared"));
	assert_true(fails(text, "sum: n <",
			  "the precondition 'n <' does not compile: expected expression"));
}

/* ------------------------------------------------------------------ programs */

static const char odd_text[] =
    "#include <stdarg.h>\n#include <stdlib.h>\n"
    "struct s { int a : 3; _Bool f : 1; char *p; };\n"
    "typedef float v4 __attribute__((vector_size(16)));\n"
    "extern int far_away; extern char names[];\n"
    "int nobody(struct s *, int); extern _Noreturn void fatal(const char *, ...);\n"
    "int kr(a, b) int a; char b; { return a + b; }\n"
    "int variadic(int n, ...) { return n; }\n"
    "const int result(const int x) { return x; }\n"
    "struct s by_value(struct s x) { x.a++; return x; }\n"
    "_Noreturn void die(int x) { exit(x); }\n"
    "int lists(const char *f, va_list ap) { return f != 0; }\n"
    "_Complex double complex(_Complex double z) { return z * z; }\n"
    "__int128 wide(__int128 x) { return x / 3; }\n"
    "v4 vector(v4 x) { return x + x; }\n"
    "inline int inlined(int x) { return x + 1; }\n"
    "int undefined(struct s *p) { if (!p) fatal(\"no\"); return nobody(p, far_away) + names[1]; }\n"
    "int divide(int a, int b) { return a / b; }\n"
    "int main(int argc, char *argv[]) { return divide(argc, argc); }\n";

static void call(const char *program, const char *name, int expected)
{
	uint8_t input[64] = {0};
	char *path = file_temp("input"), *argv[] = {(char *)program, path, NULL};
	uint32_t id = drive_id(name);
	struct proc_opts opts = {.null_input = 1};
	struct proc_result r;

	memcpy(input, &id, 4);
	assert_int_equal(file_write_atomic(path, input, sizeof input), 0);
	assert_int_equal(proc_run(argv, &opts, &r), 0);
	assert_int_equal(r.status, expected);
	proc_release(&r);
	free(path);
}

static void test_build(void **state)
{
	char *path = write_temp("odd.c", odd_text), *program, *again;
	struct front *f;
	struct harness *h;
	(void)state;

	if (harness_build(path, NULL, NULL, &f, &h, &program))
		fail_msg("%s", error_text());
	check_layout(h);
	assert_string_equal(harness_find(h, "lists")->why, "its parameter 'ap' is a va_list");
	assert_int_equal(h->stubs.size, 2);
	assert_int_equal(h->extern_globals.size, 2);
	call(program, "kr", 0);
	call(program, "by_value", 0);
	call(program, "undefined", 0); /* fatal ends it */
	call(program, "divide", 128 + 8);
	call(program, "no such function", 2);
	harness_free(h);
	front_close(f);
	assert_int_equal(harness_build(path, NULL, NULL, &f, &h, &again), 0);
	assert_string_equal(program, again);
	assert_int_equal(h->stubs.size, 2);
	harness_free(h);
	front_close(f);
	free(program);
	free(again);
	free(path);
}

/* Thunks and stubs decide nothing, whatever the checks of the unit. */
static void test_no_branch(void **state)
{
	char *argv[] = {"clang-19",
			"-w",
			"-O1",
			"-Xclang",
			"-disable-llvm-passes",
			"-S",
			"-emit-llvm",
			"-o",
			"-",
			(char *)capture_checks[0],
			(char *)capture_checks[1],
			(char *)capture_checks[2],
			"-x",
			"cpp-output",
			NULL,
			NULL};
	const char *list[] = {"a >= 0 && b != 0", NULL};
	struct harness_options o = {.requires = list};
	char *path = write_temp("odd.c", odd_text), *program, *dir;
	struct proc_opts opts = {.capture_out = 1, .null_input = 1};
	struct proc_result r;
	struct front *f;
	struct harness *h;
	int functions = 0, branches = 0;
	(void)state;

	if (harness_build(path, NULL, &o, &f, &h, &program))
		fail_msg("%s", error_text());
	dir = file_dir(program);
	argv[14] = file_join(dir, "unit.i");
	assert_int_equal(proc_run(argv, &opts, &r), 0);
	assert_int_equal(r.status, 0);
	for (char *line = strtok(buf_str(&r.out), "\n"), *in = ""; line;
	     line = strtok(NULL, "\n")) {
		if (!strncmp(line, "define", 6))
			in = line;
		int ours =
		    strstr(in, "muster_thunk") || strstr(in, "@nobody(") || strstr(in, "@fatal(");

		functions += ours && line == in;
		assert_false(ours && strstr(line, "br i1"));
		branches += !ours && strstr(line, "br i1") && strstr(in, "@divide(");
	}
	assert_int_equal(functions, (int)h->calls.size + 2);
	assert_int_equal(branches, 1); /* is it a division that C defines? */
	harness_free(h);
	front_close(f);
	proc_release(&r);
	free(argv[14]);
	free(dir);
	free(program);
	free(path);
}

static void test_bad(void **state)
{
	struct front *f;
	struct harness *h;
	char *program;
	(void)state;

	assert_true(fails("int f(int x) { return y; }\n", NULL, "undeclared identifier 'y'"));
	assert_true(fails("#include \"no-such-file.h\"\n", NULL, "no-such-file.h"));
	assert_int_equal(harness_build("/nowhere/x.c", NULL, NULL, &f, &h, &program), -1);
	assert_non_null(strstr(error_text(), "there is no file"));
}

/* ------------------------------------------------------- of a built program */

static void test_from(void **state)
{
	char *one = write_temp(
		 "one.c",
		 "int twice(int x) { return 2 * x; }\nstatic int deep(int *p) { return *p; }\n"
		 "int use(int *p) { return deep(p); }\n"),
	     *two = write_temp("two.c", "int twice(int); int use(int *);\nint main(int argc, char "
					"**argv) { return twice(argc) "
					"- 2 + use(&argc) - 1; }\n");
	char *out = file_temp("prog"), *argv[] = {"cc", "-o", out, one, two, NULL}, *program;
	struct program p;
	struct front *f;
	struct harness *h;
	(void)state;

	assert_int_equal(cc_run(5, argv), 0);
	if (harness_build_from(out, "deep", NULL, &f, &h, &program))
		fail_msg("%s", error_text());
	assert_non_null(harness_find(h, "deep"));
	assert_non_null(harness_find(h, "twice"));
	assert_null(harness_find(h, "main"));
	if (program_load(&p, program))
		fail_msg("%s", error_text());
	assert_int_equal(p.images.size, 1);
	assert_int_equal(p.images.data[0].records.frames.size, 3); /* two units and the link */
	assert_int_equal(p.images.data[0].closure.items.data[0].kind, ITEM_OBJECT);
	program_release(&p);
	harness_free(h);
	front_close(f);
	free(program);
	assert_int_equal(harness_build_from(out, "nobody", NULL, &f, &h, &program), -1);
	assert_non_null(strstr(error_text(), "no unit of"));
	free(one);
	free(two);
	free(out);
}

static int setup(void **state)
{
	(void)state;
	setenv("MUSTER_DIR", file_temp_dir(), 1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_types),     cmocka_unit_test(test_places),
	    cmocka_unit_test(test_limits),    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_memory),    cmocka_unit_test(test_conversions),
	    cmocka_unit_test(test_requires),  cmocka_unit_test(test_build),
	    cmocka_unit_test(test_no_branch), cmocka_unit_test(test_bad),
	    cmocka_unit_test(test_from),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
