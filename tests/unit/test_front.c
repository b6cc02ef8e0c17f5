/* test_front.c: a unit as the front sees it: nasty C, K&R, errors, names, order, time. */
#include "base/error.h"
#include "base/file.h"
#include "base/proc.h"
#include "front/asm_text.h"
#include "front/front.h"
#include "timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static char *source_path(const char *name, const char *text)
{
	char *path = file_temp(name);

	if (file_write_atomic(path, text, strlen(text)))
		fail_msg("%s", error_text());
	return path;
}

static struct front *open_path(const char *path, const char *flag)
{
	const char *const flags[] = {flag};
	struct front *f;

	if (front_open(&f, path, flags, flag != NULL))
		fail_msg("%s", error_text());
	return f;
}

static struct front *open_text(const char *text, const char *flag)
{
	char *path = source_path("unit.c", text);
	struct front *f = open_path(path, flag);

	free(path);
	return f;
}

static const struct front_function *function(const struct front *f, const char *name)
{
	int i = front_function(f, name);

	if (i < 0)
		fail_msg("no function %s", name);
	return &f->functions.data[i];
}

static const struct front_global *global(const struct front *f, const char *name)
{
	uint64_t i;

	if (!strmap_get(&f->global_numbers, name, &i))
		fail_msg("no global %s", name);
	return &f->globals.data[i];
}

static const struct front_type *type(const struct front *f, uint32_t number)
{
	assert_true(number < f->types.size);
	return &f->types.data[number];
}

static const struct front_type *parameter(const struct front *f, const char *name, size_t i)
{
	const struct front_function *x = function(f, name);

	assert_true(i < x->parameters.size);
	return type(f, x->parameters.data[i].type);
}

static const struct front_field *field(const struct front_type *t, const char *name)
{
	for (size_t i = 0; i < t->fields.size; i++)
		if (!strcmp(t->fields.data[i].name, name))
			return &t->fields.data[i];
	fail_msg("no field %s", name);
	return NULL;
}

/* Whether a function has the number of `name` in a list. */
static int lists_function(const struct front *f, const uint32_t *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f->functions.data[list[i]].name, name))
			return 1;
	return 0;
}
#define CALLS(f, x, name) lists_function(f, (x)->calls.data, (x)->calls.size, name)

static int lists_global(const struct front *f, const uint32_t *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f->globals.data[list[i]].name, name))
			return 1;
	return 0;
}

/* ------------------------------------------------------------------- types */
/* clang-format off */
static const char nasty[] =
    "#include <stdarg.h>\n"
    "#include <stddef.h>\n"
    "enum color { RED, GREEN = 5, BLUE };\n"
    "enum { NEGATIVE = -3 };\n"
    "typedef struct { int x, y; } point;\n"
    "typedef struct { int hidden; } *handle;\n"
    "struct node {\n"
    "	struct node *next;\n"
    "	union { int i; float f; };\n"
    "	unsigned a : 3, : 2, b : 7;\n"
    "	struct { char c; struct { short q; } z[2]; } inner;\n"
    "	char tail[];\n"
    "};\n"
    "static struct { int count; struct { long v; } deep; } state;\n"
    "typedef int (*callback)(const point *, void *);\n"
    "typedef int plain_function(int);\n"
    "struct opaque;\n"
    "int scalars(_Bool b, char c, signed char sc, enum color e, size_t n, __int128 big, float f, long double ld, point p)\n"
    "{ return b + c + sc + e + (int)n + (int)big + (int)f + (int)ld + p.x; }\n"
    "int pointers(const char *s, struct node *n, int (*fn)(int, ...), callback cb, plain_function *pf, struct opaque *o, handle h, int **pp)\n"
    "{ return *s + n->i + fn(1, 2) + cb(0, 0) + pf(3) + (o != 0) + h->hidden + **pp; }\n"
    "int arrays(int four[4], int open[], const int two[2][3], int n, int vla[n]) { return four[0] + open[0] + two[1][2] + vla[0]; }\n"
    "int lists(va_list ap, ...) { return va_arg(ap, int); }\n"
    "volatile int vol; _Atomic long atom;\n"
    "int vector(int __attribute__((vector_size(16))) v, _Complex double z) { return v[0] + (int)z; }\n"
    "int uses_state(int local) { __typeof__(local) w = ({ int t = local; t + 1; }); return w + state.count + (int)state.deep.v + NEGATIVE; }\n"
    "int prototype_scope(struct only_here *p) { return p != 0; }\n"
    "struct node *gets_const(const struct node *const p, const volatile int *const *q) { return p->next + **q; }\n";
/* clang-format on */

static void test_scalars(void **unused)
{
	struct front *f = open_text(nasty, NULL);
	const struct front_type *t;
	static const struct {
		enum front_kind kind;
		const char *name;
		uint64_t size;
		int is_signed;
	} expected[] = {
	    {FRONT_BOOL, "_Bool", 1, 0},      {FRONT_CHAR, "char", 1, 1},
	    {FRONT_INT, "signed char", 1, 1}, {FRONT_INT, "enum color", 4, 0},
	    {FRONT_INT, "size_t", 8, 0},      {FRONT_INT, "__int128", 16, 1},
	    {FRONT_FLOAT, "float", 4, 1},     {FRONT_FLOAT, "long double", 16, 1},
	    {FRONT_STRUCT, "point", 8, 0},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		t = parameter(f, "scalars", i);
		assert_int_equal(t->kind, expected[i].kind);
		assert_string_equal(t->name, expected[i].name);
		assert_int_equal(t->size, expected[i].size);
		assert_int_equal(t->is_signed, expected[i].is_signed);
	}
	t = parameter(f, "scalars", 3);
	assert_true(t->is_enum);
	assert_int_equal(t->enumerators.size, 3);
	assert_string_equal(t->enumerators.data[2].name, "BLUE");
	assert_int_equal(t->enumerators.data[2].value, 6);
	t = parameter(f, "scalars", 4);
	assert_string_equal(type(f, t->plain)->name, "unsigned long");
	assert_int_equal(type(f, t->plain)->plain, t->plain);
	assert_true(function(f, "scalars")->has_float);
	assert_false(function(f, "arrays")->has_float);
	assert_string_equal(type(f, global(f, "atom")->type)->name, "_Atomic(long)");
	assert_int_equal(type(f, global(f, "atom")->type)->kind, FRONT_INT);
	assert_true(type(f, global(f, "vol")->type)->is_volatile);
	assert_int_equal(parameter(f, "vector", 0)->kind, FRONT_OTHER);
	assert_int_equal(parameter(f, "vector", 1)->kind, FRONT_OTHER);
	front_close(f);
}

static void test_pointers(void **unused)
{
	struct front *f = open_text(nasty, NULL);
	const struct front_type *t, *to;

	(void)unused;
	t = parameter(f, "pointers", 0);
	to = type(f, t->to);
	assert_int_equal(t->kind, FRONT_POINTER);
	assert_string_equal(t->name, "const char *");
	assert_true(to->is_const && to->kind == FRONT_CHAR && !t->is_const);
	assert_string_equal(type(f, to->plain)->name, "char");
	t = parameter(f, "pointers", 2);
	to = type(f, t->to);
	assert_string_equal(t->name, "int (*)(int, ...)");
	assert_true(to->kind == FRONT_FUNCTION && to->variadic && to->prototyped);
	assert_int_equal(to->parameters.size, 1);
	t = parameter(f, "pointers", 3);
	to = type(f, t->to);
	assert_string_equal(t->name, "callback");
	assert_int_equal(to->parameters.size, 2);
	assert_string_equal(type(f, to->parameters.data[0])->name, "const point *");
	assert_string_equal(type(f, type(f, parameter(f, "pointers", 4)->to)->to)->name, "int");
	to = type(f, parameter(f, "pointers", 5)->to);
	assert_true(to->kind == FRONT_STRUCT && to->size == 0 && to->fields.size == 0);
	assert_string_equal(to->name, "struct opaque");
	to =
	    type(f, parameter(f, "pointers", 6)->to); /* no tag, no typedef: named by the pointer */
	assert_int_equal(to->fields.size, 1);
	assert_non_null(strstr(to->name, "handle"));
	assert_string_equal(parameter(f, "pointers", 7)->name, "int **");
	/* A tag that is known in the prototype alone. */
	t = parameter(f, "prototype_scope", 0);
	assert_string_equal(t->name, "void *");
	assert_null(type(f, t->to)->name);
	t = parameter(f, "gets_const", 0);
	assert_true(t->is_const && type(f, t->to)->is_const);
	assert_string_equal(t->name, "const struct node *const");
	assert_string_equal(type(f, t->plain)->name, "const struct node *");
	assert_int_equal(type(f, t->to)->plain, parameter(f, "pointers", 1)->to);
	assert_string_equal(parameter(f, "gets_const", 1)->name, "const volatile int *const *");
	front_close(f);
}

static void test_arrays(void **unused)
{
	struct front *f = open_text(nasty, NULL);
	const struct front_type *t;

	(void)unused;
	t = parameter(f, "arrays", 0);
	assert_true(t->kind == FRONT_ARRAY && t->count == 4 && t->size == 16);
	t = parameter(f, "arrays", 1);
	assert_true(t->kind == FRONT_ARRAY && t->count == 0 && t->size == 0);
	t = parameter(f, "arrays", 2);
	assert_true(t->kind == FRONT_ARRAY && t->count == 2 && type(f, t->to)->count == 3);
	assert_true(t->is_const);
	assert_string_equal(t->name, "const int [2][3]");
	t = parameter(f, "arrays", 4);
	assert_true(t->kind == FRONT_ARRAY && t->count == 0 && type(f, t->to)->size == 4);
	t = parameter(f, "lists", 0);
	assert_true(t->kind == FRONT_OTHER && t->is_va_list);
	assert_string_equal(t->name, "va_list");
	assert_true(function(f, "lists")->variadic);
	front_close(f);
}

static void test_records(void **unused)
{
	struct front *f = open_text(nasty, NULL);
	const struct front_type *node = type(f, parameter(f, "pointers", 1)->to), *t;
	const struct front_field *x;

	(void)unused;
	assert_string_equal(node->name, "struct node");
	assert_int_equal(node->size, 24);
	/* next, the union, a, b, inner, tail: the bits without a name are padding. */
	assert_int_equal(node->fields.size, 6);
	assert_int_equal(type(f, field(node, "next")->type)->to, parameter(f, "pointers", 1)->to);
	x = &node->fields.data[1];
	assert_string_equal(x->name, "");
	t = type(f, x->type);
	assert_int_equal(t->kind, FRONT_UNION);
	assert_null(t->name);
	assert_int_equal(t->fields.size, 2);
	assert_int_equal(x->bit_offset, 64);
	x = field(node, "b");
	assert_true(x->bits == 7 && x->bit_offset == 101);
	t = type(f, field(node, "inner")->type);
	assert_int_equal(t->size, 6);
	assert_non_null(t->name);
	assert_int_equal(type(f, field(node, "tail")->type)->size, 0);
	assert_string_equal(type(f, global(f, "state")->type)->name, "__typeof__(state)");
	front_close(f);
}

/* Every name compiles behind the unit, and means a type of that size with members at these offsets:
 * clang says so. */
static void test_names_compile(void **unused)
{
	struct front *f = open_text(nasty, NULL);
	struct proc_result result = {0};
	struct proc_opts o = {.merge_err = 1, .capture_out = 1};
	struct buf text = {0};
	unsigned checked = 0;
	char *path;

	(void)unused;
	buf_adds(&text, nasty);
	for (size_t i = 0; i < f->types.size; i++) {
		const struct front_type *t = type(f, (uint32_t)i);

		if (!t->name)
			continue;
		buf_addf(&text, "extern __typeof__(%s) *muster_type_%zu;\n", t->name, i);
		if (!t->size)
			continue;
		buf_addf(&text, "_Static_assert(sizeof(__typeof__(%s)) == %llu, \"\");\n", t->name,
			 (unsigned long long)t->size);
		buf_addf(&text, "_Static_assert(_Alignof(__typeof__(%s)) == %u, \"\");\n", t->name,
			 t->align);
		for (size_t k = 0; k < t->fields.size; k++) {
			const struct front_field *x = &t->fields.data[k];

			if (!*x->name || x->bits)
				continue;
			buf_addf(&text,
				 "_Static_assert(__builtin_offsetof(__typeof__(%s), %s) == %llu, "
				 "\"\");\n",
				 t->name, x->name, (unsigned long long)x->bit_offset / 8);
			if (!type(f, x->type)->name)
				continue;
			buf_addf(&text,
				 "_Static_assert(__builtin_types_compatible_p(__typeof__(((__"
				 "typeof__(%s) "
				 "*)0)->%s), __typeof__(%s)), \"\");\n",
				 t->name, x->name, type(f, x->type)->name);
			checked++;
		}
	}
	assert_true(checked > 15);
	path = source_path("names.c", buf_str(&text));
	if (proc_run((char *[]){"clang-19", "-w", "-fsyntax-only", path, NULL}, &o, &result))
		fail_msg("%s", error_text());
	if (result.status)
		fail_msg("%s", buf_str(&result.out));
	proc_release(&result);
	buf_release(&text);
	free(path);
	front_close(f);
}

/* --------------------------------------------------------------- functions */
/* As clang prints a body. */
static void test_asm_text(void **unused)
{
	static const char *const harmless[] = {
	    "int f() { return 1; }",
	    "{ asm volatile (\"\" :  :  : \"memory\"); asm (\"nop\"); }",
	    "{ asm volatile (\"rep; nop\\n\\tpause\"); }",
	    "{ asm (\"\" : \"+r\" (x), [y] \"+r\" (y ? \")\" : ':')); }",
	    "{ asm (\"\" : \"=r\" (x) : \"0\" (f(\"(\"))); }",
	    "{ puts(\"asm (\\\"rdtsc\\\")\"); int my_asm = asmx('\"'); }",
	};
	static const char *const others[] = {
	    "{ asm (\"rdtsc\" : \"=a\" (x)); }", "{ asm (\"\" : \"=r\" (x)); }",	    "{ asm (\"\"); asm (\"cld\"); }",
	    "{ asm volatile (\"nop; incl g\"); }",  "{ asm goto (\"jmp %l0\" :  :  :  : out); }", "{ asm (\"\" : \"=r\" (x), \"=r\" (y) : \"0\" (x)); }",
	    "{ int x = ({ asm (\"%0\"); 1; }); }",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (asm_text_matters(harmless[i]))
			fail_msg("%s", harmless[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!asm_text_matters(others[i]))
			fail_msg("%s", others[i]);
}

static void test_functions(void **unused)
{
	static const char text[] =
	    "#include \"unit.h\"\n"
	    "int kr(a, p, c)\n"
	    "	char *p; int a; char c;\n"
	    "{\n"
	    "	return a + *p + c;\n"
	    "}\n"
	    "static int looping(int n)\n"
	    "{\n"
	    "	static int kept;\n"
	    "	static const int fixed[] = {1, 2};\n"
	    "again:\n"
	    "	if (n-- > 0) goto again;\n"
	    "	for (;;) break;\n"
	    "	while (n) n--;\n"
	    "	do n++; while (n < 0);\n"
	    "	goto out;\n"
	    "out:\n"
	    "	return kept++ + fixed[n & 1];\n"
	    "}\n"
	    "int tables(int i) { static const int fixed[] = {1, 2}; return fixed[i & 1]; }\n"
	    "int outer(int n) { extern int later; int hidden(int); later++; return looping(n) + "
	    "hidden(n) + inlined(n) + kr(1, \"\", 2); }\n"
	    "int jumps(void) { extern int setjmp(void *); __asm__(\"cld\"); return setjmp(0); }\n"
	    "int needs(const int *v, MUSTER(\"n <= len(v)\") int n) { return v[n]; }\n"
	    "int twice(MUSTER(\"x > 0\") MUSTER(\"x < 9\") int x) { return x; }\n"
	    "void filled(int *a, int *b, int n) __attribute__((nonnull(1)));\n"
	    "int wraps(int n) __attribute__((no_sanitize(\"thread\", \"undefined\")));\n"
	    "int wraps(int n) { return n + 1; }\n"
	    "__attribute__((no_sanitize(\"thread\"), no_sanitize(\"cfi-icall\"))) int races(int n) { return n + 1; }\n"
	    "__attribute__((no_sanitize_address)) int reads(int *p) { return *p; }\n"
	    "void filled(int *a, int *b, int n) { *a = *b + n; stop(n); __builtin_trap(); }\n"
	    "#line 70 \"grammar.y\"\n"
	    "int parsed(void) { return 1; }\n";
	static const char header[] =
	    "static inline int inlined(int x) { return x; }\n"
	    "#define MUSTER(e) __attribute__((annotate(\"muster.requires:\" e)))\n"
	    "void stop(int) __attribute__((noreturn));\n"
	    "_Noreturn void stop_too(int);\n";
	char *path = source_path("functions.c", text), *dir = file_dir(path),
	     *h = file_join(dir, "unit.h");
	const struct front_function *x;
	struct front *f;

	(void)unused;
	if (file_write_atomic(h, header, strlen(header)))
		fail_msg("%s", error_text());
	f = open_path(path, NULL);
	x = function(f, "kr");
	assert_int_equal(x->parameters.size, 3);
	assert_string_equal(x->parameters.data[0].name, "a");
	assert_string_equal(type(f, x->parameters.data[1].type)->name, "char *");
	assert_string_equal(type(f, x->parameters.data[2].type)->name, "char");
	assert_true(x->line == 2 && x->end_line == 6 && x->defined && !x->is_static &&
		    !x->in_header);
	assert_string_equal(x->file, path);
	x = function(f, "looping");
	assert_int_equal(x->loops, 4);
	assert_true(x->is_static && x->has_static_locals && !x->has_asm && !x->has_setjmp);
	assert_false(function(f, "tables")->has_static_locals);
	x = function(f, "inlined");
	assert_true(x->in_header && x->is_inline && x->defined);
	x = function(f, "outer");
	assert_int_equal(x->calls.size, 4);
	assert_true(CALLS(f, x, "looping") && CALLS(f, x, "hidden") && CALLS(f, x, "inlined") &&
		    CALLS(f, x, "kr"));
	assert_false(function(f, "hidden")->defined);
	assert_false(global(f, "later")->defined);
	assert_true(global(f, "later")->written);
	x = function(f, "jumps");
	assert_true(x->has_asm && x->has_setjmp);
	assert_true(function(f, "wraps")->has_unchecked && function(f, "reads")->has_unchecked && !function(f, "races")->has_unchecked);
	x = function(f, "filled");
	assert_true(!x->has_asm && x->builtins.size == 1 && !strcmp(x->builtins.data[0], "__builtin_trap"));
	x = function(f, "needs");
	assert_null(x->parameters.data[0].requires);
	assert_string_equal(x->parameters.data[1].requires, "n <= len(v)");
	assert_string_equal(function(f, "twice")->parameters.data[0].requires,
			    "(x > 0) && (x < 9)");
	x = function(f, "filled");
	assert_true(x->parameters.data[0].nonnull && !x->parameters.data[1].nonnull);
	assert_int_equal(x->calls.size, 1); /* builtins are none */
	assert_true(function(f, "stop")->noreturn && !x->noreturn);
	x = function(f, "parsed");
	assert_string_equal(x->file, "grammar.y");
	assert_true(x->line == 70 && !x->in_header);
	assert_int_equal(front_function(f, "stop_too"), -1); /* declared, not used */
	front_close(f);
	free(h);
	free(dir);
	free(path);
}

static void test_globals(void **unused)
{
	static const char text[] =
	    "char *strchr(const char *, int); unsigned long strlen(const char *); void fill(void "
	    "*, int);\n"
	    "static const int table[3] = {1, 2, 3};\n"
	    "static int unwritten[4] = {4, 3, 2, 1}, matrix[2][2];\n"
	    "static int indexed[4], filled[4], counted, taken, added, nested[2][2];\n"
	    "static char looked[] = \"abc\", cut[] = \"a=b\";\n"
	    "static struct { int n; int v[3]; struct { int k; } *p; } record, seen, passed;\n"
	    "static int *chain = &taken; int tentative; extern int given; int given; _Thread_local "
	    "int own;\n"
	    "static int *pointer; static int target_not_pointer;\n"
	    "int reads(int i) { return table[i] + unwritten[i & 3] + *(unwritten + 1) + "
	    "matrix[1][i & 1] + (int)strlen(looked) +\n"
	    "	seen.n + seen.v[1] + seen.p->k + (int)sizeof filled + *chain; }\n"
	    "void writes(int i) { indexed[i] = 1; fill(filled, 4); counted++; added += 2; "
	    "nested[i][1] = 3; *strchr(cut, '=') = 0;\n"
	    "	record.v[i] = 2; pointer[3] = 1; seen.p->k = 3; fill(&passed, 4); "
	    "(void)target_not_pointer; fill((void *)table, 1); }\n"
	    "static int stored_at, fetched; static int lanes __attribute__((vector_size(16))), "
	    "lanes_read __attribute__((vector_size(16)));\n"
	    "static _Complex double halves; static int in_asm, atomically_read;\n"
	    "int odd_ways(int i) { __atomic_store_n(&stored_at, 1, 0); lanes[i] = 2; __real halves "
	    "= 1; __asm__(\"\" : \"=m\"(in_asm));\n"
	    "	return __atomic_fetch_add(&fetched, 1, 0) == 3 ? lanes_read[1] : atomically_read; "
	    "}\n";
	static const char *const written[] = {"indexed", "filled", "counted", "taken",	"added",
					      "nested",	 "cut",	   "record",  "passed", "stored_at",
					      "fetched", "lanes",  "halves",  "in_asm"};
	static const char *const kept[] = {
	    "table", "unwritten",	   "matrix",	 "looked",	   "seen", "pointer",
	    "chain", "target_not_pointer", "lanes_read", "atomically_read"};
	struct front *f = open_text(text, NULL);
	struct front_reach reach = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof written / sizeof *written; i++)
		if (!global(f, written[i])->written)
			fail_msg("%s is not written", written[i]);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (global(f, kept[i])->written)
			fail_msg("%s is written", kept[i]);
	assert_true(global(f, "table")->is_const && !global(f, "unwritten")->is_const);
	assert_true(global(f, "tentative")->defined && global(f, "given")->defined);
	assert_true(global(f, "own")->is_thread && !global(f, "tentative")->is_thread);
	assert_true(global(f, "table")->is_static && !global(f, "tentative")->is_static);
	/* taken is named by nobody but the initialiser of chain. */
	front_reach(f, (uint32_t)front_function(f, "reads"), &reach);
	assert_true(lists_global(f, reach.globals.data, reach.globals.size, "taken"));
	assert_false(lists_global(f, reach.globals.data, reach.globals.size, "filled"));
	vec_release(&reach.functions);
	vec_release(&reach.globals);
	front_close(f);
}

/* What pointers to void and to incomplete types are taken for. */
static void test_conversions(void **unused)
{
	static const char text[] =
	    "struct hidden; struct elsewhere; struct real { int k; }; struct other { int j; };\n"
	    "struct stream { struct hidden *state; void *data, *both, *bytes; struct elsewhere "
	    "*kept; };\n"
	    "int field(struct stream *s)\n"
	    "{ struct real *r = (struct real *)(s->state); struct other *o = s->data;\n"
	    "  return r->k + o->j + ((struct real *)s->both)->k + ((struct other *)s->both)->j + "
	    "*(char *)s->bytes; }\n"
	    "int parameter(void *p, const void *q, void *none, const void *bytes)\n"
	    "{ const int *a = q; const unsigned char *b = bytes; return ((struct real *)p)->k + *a "
	    "+ (none != 0) + *b; }\n"
	    "void store(struct stream *s, struct real *r) { s->state = (struct hidden *)r; }\n";
	struct front *f = open_text(text, NULL);
	const struct front_type *s = type(f, parameter(f, "field", 0)->to), *t;
	const struct front_parameter *p = function(f, "parameter")->parameters.data;

	(void)unused;
	assert_string_equal(type(f, field(s, "state")->as)->name, "struct real *");
	assert_string_equal(type(f, field(s, "data")->as)->name, "struct other *");
	assert_int_equal(field(s, "both")->as, FRONT_NONE);
	assert_int_equal(field(s, "bytes")->as, FRONT_NONE);
	assert_string_equal(type(f, p[0].as)->name, "struct real *");
	assert_string_equal(type(f, p[1].as)->name, "const int *");
	assert_int_equal(p[2].as, FRONT_NONE);
	assert_int_equal(p[3].as, FRONT_NONE);
	t = type(f, type(f, field(s, "state")->type)->to);
	assert_string_equal(t->name, "struct hidden");
	assert_string_equal(type(f, t->as)->name, "struct real");
	assert_int_equal(type(f, type(f, field(s, "kept")->type)->to)->as, FRONT_NONE);
	assert_int_equal(s->as, FRONT_NONE);
	front_close(f);
}

/* ---------------------------------------------------------- the call graph */
static const char graph[] =
    "void sort(void *, int (*)(const void *, const void *)); void closer(int *p) { *p = 0; }\n"
    "static int top(int), even(int), odd(int);\n"
    "static int compare(const void *a, const void *b) { return a < b; }\n"
    "static int leaf(int x) { return x; }\n"
    "static int handler(int x) { return leaf(x); }\n"
    "static int (*table[])(int) = {handler};\n"
    "int by_pointer(int x) { return table[0](x); }\n"
    "int top(int x) { return leaf(x) + even(x) + by_pointer(x); }\n"
    "int even(int x) { return x ? odd(x - 1) : 1; }\n"
    "int odd(int x) { return x ? even(x - 1) : 0; }\n"
    "void sorts(void *p) { sort(p, compare); }\n"
    "int cleans(void) { int v __attribute__((cleanup(closer))) = 3; return v; }\n"
    "int alias(int) __attribute__((alias(\"by_pointer\")));\n"
    "int other(int x) { return (alias)(x); }\n"
    "int parenthesised(int x) { return (*leaf)(x) + (&leaf)(x); }\n";

static uint32_t place(const struct front *f, const uint32_t *order, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(f->functions.data[order[i]].name, name))
			return i;
	fail_msg("%s is not in the order", name);
	return 0;
}

static void test_order(void **unused)
{
	struct front *f = open_text(graph, NULL);
	uint32_t *order = mem_alloc(f->functions.size * sizeof *order), n, defined = 0;

	(void)unused;
	front_bottom_up(f, order, &n);
	for (size_t i = 0; i < f->functions.size; i++)
		defined += f->functions.data[i].defined;
	assert_int_equal(n, defined);
	assert_true(place(f, order, n, "leaf") < place(f, order, n, "handler"));
	assert_true(place(f, order, n, "even") < place(f, order, n, "top"));
	assert_true(place(f, order, n, "odd") < place(f, order, n, "top"));
	assert_true(place(f, order, n, "by_pointer") < place(f, order, n, "top"));
	assert_true(place(f, order, n, "closer") < place(f, order, n, "cleans"));
	free(order);
	front_close(f);
}

static int reaches(const struct front *f, const char *from, const char *to)
{
	struct front_reach reach = {0};
	int is;

	front_reach(f, (uint32_t)front_function(f, from), &reach);
	for (size_t i = 1; i < reach.functions.size; i++)
		assert_true(reach.functions.data[i - 1] < reach.functions.data[i]);
	is = lists_function(f, reach.functions.data, reach.functions.size, to);
	vec_release(&reach.functions);
	vec_release(&reach.globals);
	return is;
}

static void test_reach(void **unused)
{
	struct front *f = open_text(graph, NULL);

	(void)unused;
	assert_true(function(f, "by_pointer")->calls_pointer);
	assert_true(function(f, "handler")->address_taken);
	assert_false(function(f, "leaf")->address_taken); /* (*leaf)(x) is a call as any */
	assert_false(function(f, "parenthesised")->calls_pointer);
	assert_false(function(f, "other")->calls_pointer);
	assert_true(reaches(f, "parenthesised", "leaf"));
	assert_true(reaches(f, "by_pointer", "handler") && reaches(f, "by_pointer", "leaf"));
	assert_true(reaches(f, "by_pointer", "by_pointer"));
	assert_false(reaches(f, "by_pointer", "top"));
	assert_true(reaches(f, "top", "odd") && reaches(f, "top", "handler"));
	assert_true(reaches(f, "odd", "even") && !reaches(f, "odd", "leaf"));
	assert_true(reaches(f, "sorts", "compare"));
	assert_true(reaches(f, "cleans", "closer"));
	assert_true(reaches(f, "other", "leaf"));
	front_close(f);
}

/* ------------------------------------------------------------------- names */
static void test_nearest(void **unused)
{
	struct front *f =
	    open_text("int parse_int(int x) { return x; } int parse_hint(int x) { return x; }\n"
		      "int zebra(int x) { return x; } int undefined(int); int U(void) { return "
		      "undefined(1); }\n",
		      NULL);
	struct buf words = {0};

	(void)unused;
	front_nearest(f, "prase_int", &words);
	assert_string_equal(buf_str(&words), "parse_int, parse_hint");
	buf_clear(&words);
	front_nearest(f, "parse_hin", &words);
	assert_string_equal(buf_str(&words), "parse_hint, parse_int");
	buf_clear(&words);
	front_nearest(f, "ZEBRA_", &words);
	assert_string_equal(buf_str(&words), "zebra");
	buf_clear(&words);
	front_nearest(f, "nothing_like_it", &words);
	assert_int_equal(words.size, 0);
	front_nearest(f, "undefine", &words);
	assert_int_equal(words.size, 0);
	buf_release(&words);
	front_close(f);
}

static void test_pairs(void **unused)
{
	static const struct {
		const char *parameters, *pairs;
	} cases[] = {
	    {"const char *buf, int len", "len <= len(buf)"},
	    {"int *a, unsigned long n, char *out, unsigned out_size",
	     "n <= len(a) && out_size <= len(out)"},
	    {"unsigned nbuf, const unsigned char *buf", "nbuf <= len(buf)"},
	    {"const char *value, unsigned long buffer_length", "buffer_length <= len(value)"},
	    {"const char *dict, unsigned wordLength", "wordLength <= len(dict)"},
	    {"int v[], int count", "count <= len(v)"},
	    {"int *p, int flags", ""},
	    {"int *p, char *q", ""},
	    {"int n", ""},
	    {"int v[4], int n", ""},
	    {"int *p, float len", ""},
	};
	struct buf text = {0}, words = {0};
	struct front *f;

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		buf_addf(&text, "int f%zu(%s) { return 0; }\n", i, cases[i].parameters);
	f = open_text(buf_str(&text), NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		buf_clear(&words);
		front_pairs(f, (uint32_t)i, &words);
		assert_string_equal(buf_str(&words), cases[i].pairs);
	}
	buf_release(&text);
	buf_release(&words);
	front_close(f);
}

/* ------------------------------------------------------------------ errors */
static void check_error(const char *name, const char *text, const char *flag, const char *place,
			const char *words)
{
	char *path = source_path(name, text);
	const char *const flags[] = {flag};
	struct front *f = (void *)1;

	assert_int_equal(front_open(&f, path, flags, flag != NULL), -1);
	assert_null(f);
	if (!strstr(error_text(), place) || !strstr(error_text(), words))
		fail_msg("'%s' should have '%s' and '%s'", error_text(), place, words);
	free(path);
}

static void test_errors(void **unused)
{
	struct front *f;

	(void)unused;
	check_error("e.c", "int f(void)\n{\n	return missing;\n}\n", NULL,
		    "e.c:3:9: error: ", "'missing'");
	check_error("e.c", "int f(void) { return g(1); }\n", NULL,
		    "e.c:1:22: error: ", "undeclared function 'g'");
	check_error("e.c", "#include \"nowhere.h\"\n", NULL,
		    "e.c:1:10: error: ", "'nowhere.h' file not found");
	check_error("e.c", "#error told you\n", NULL, "e.c:1:2: error: ", "told you");
	check_error("e.i", "# 1 \"orig.c\"\n# 9 \"orig.c\"\nint f(void) { return missing; }\n",
		    NULL, "orig.c:9:22: error: ", "'missing'");
	check_error("e.c", "int x;\n", "-fno-such-flag", "", "-fno-such-flag");
	check_error("e.c", "int x;\n", "-std=c42", "", "c42");
	assert_int_equal(front_open(&f, "/nowhere/at/all.c", NULL, 0), -1);
	assert_non_null(strstr(error_text(), "no such file"));
	/* What C89 allowed, clang allows if it is asked to. */
	f = open_text("f(x) { return g(x); }\n", "-std=gnu89");
	assert_true(CALLS(f, function(f, "f"), "g"));
	front_close(f);
	f = open_text("", NULL);
	assert_int_equal(f->functions.size, 0);
	front_close(f);
}

static void test_preprocessed(void **unused)
{
	char *path = source_path(
	    "unit.i", "# 1 \"dir/orig.c\"\n# 1 \"dir/part.h\" 1\n"
		      "static inline int part(void) { return 1; }\n# 12 \"dir/orig.c\" 2\n"
		      "int whole(void)\n{\n	return part();\n}\n");
	struct front *f = open_path(path, NULL);
	const struct front_function *x = function(f, "whole");

	(void)unused;
	assert_string_equal(x->file, "dir/orig.c");
	assert_true(x->line == 12 && x->end_line == 15 && !x->in_header);
	x = function(f, "part");
	assert_string_equal(x->file, "dir/part.h");
	assert_true(x->line == 1 && x->in_header);
	front_close(f);
	free(path);
}

/* Flags of a build that ask for lists of headers: reading a unit writes nothing. */
static void test_writes_nothing(void **unused)
{
	char *path = source_path("unit.c", "int f(void) { return 1; }\n"),
	     *list = file_temp("list.d");
	const char *const flags[] = {"-MD", "-MF", list, "-MT", "x",
				     "-MP", "-c",  "-o", list,	"-O2"};
	struct front *f;

	(void)unused;
	if (front_open(&f, path, flags, sizeof flags / sizeof *flags))
		fail_msg("%s", error_text());
	assert_int_equal(f->functions.size, 1);
	assert_false(file_exists(list));
	front_close(f);
	free(list);
	free(path);
}

/* -------------------------------------------------------------------- size */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CPU time for `count` functions of 12 lines, each of which calls the one before. */
static double time_of(unsigned count)
{
	struct buf text = {0};
	struct front_reach reach = {0};
	struct front *f;
	uint32_t *order, n;
	double start;

	buf_adds(&text, "unsigned long strlen(const char *); struct n { struct n *next; int v[8]; "
			"}; static int g[100];\n");
	for (unsigned i = 0; i < count; i++)
		buf_addf(
		    &text,
		    "struct s%u { struct s%u *p; int k; };\n"
		    "static int f%u(struct n *p, int x, const char *s, struct s%u *q)\n"
		    "{\n"
		    "	int y = x * %u, i;\n"
		    "	for (i = 0; i < 8; i++) {\n"
		    "		if (p->v[i] > y && s[i] != 'a')\n"
		    "			y += p->v[i] ^ (x << 2);\n"
		    "		else if (x & 1)\n"
		    "			g[i] += y + q->k;\n"
		    "	}\n"
		    "	return y + (p->next ? f%u(p->next, x - 1, s, 0) : (int)strlen(s));\n"
		    "}\n",
		    i, i + 1, i, i, i, i ? i - 1 : i);
	start = seconds();
	f = open_text(buf_str(&text), NULL);
	order = mem_alloc(f->functions.size * sizeof *order);
	front_bottom_up(f, order, &n);
	front_reach(f, count - 1, &reach);
	start = seconds() - start;
	assert_int_equal(n, count);
	assert_int_equal(order[count - 1], count - 1);
	assert_int_equal(reach.functions.size, count + 1);
	assert_true(f->types.size > 2 * count);
	vec_release(&reach.functions);
	vec_release(&reach.globals);
	free(order);
	buf_release(&text);
	front_close(f);
	return start;
}

static void test_growth(void **unused)
{
	double small, large;

	(void)unused;
	time_of(10); /* loads the library */
	small = time_of(425);
	large = time_of(1700); /* 20,400 lines */
	print_message("%.3f s for 5,100 lines, %.3f s for 20,400\n", small, large);
	assert_quick(large < 8 * small);
}

/* Operators and calls in chains that recursion would not survive. */
static void test_depth(void **unused)
{
	struct buf text = {0};
	struct front *f;

	(void)unused;
	buf_adds(&text, "int f(int x) { return x");
	for (int i = 0; i < 50000; i++)
		buf_adds(&text, " + x");
	buf_adds(&text, "; }\n");
	f = open_text(buf_str(&text), NULL);
	assert_int_equal(f->functions.size, 1);
	front_close(f);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scalars),	   cmocka_unit_test(test_pointers),
	    cmocka_unit_test(test_arrays),	   cmocka_unit_test(test_records),
	    cmocka_unit_test(test_names_compile),  cmocka_unit_test(test_asm_text),
	    cmocka_unit_test(test_functions),
	    cmocka_unit_test(test_globals),	   cmocka_unit_test(test_conversions),
	    cmocka_unit_test(test_order),	   cmocka_unit_test(test_reach),
	    cmocka_unit_test(test_nearest),	   cmocka_unit_test(test_pairs),
	    cmocka_unit_test(test_errors),	   cmocka_unit_test(test_preprocessed),
	    cmocka_unit_test(test_writes_nothing), cmocka_unit_test(test_growth),
	    cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
