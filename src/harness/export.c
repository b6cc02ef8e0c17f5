/* export.c: inputs as a file of cmocka tests that needs nothing of muster.
 *
 * The file includes the unit, so that static functions and variables can be named; a main of the
 * unit has another name there. Nothing is included before the unit, whose own definitions
 * (_GNU_SOURCE) must come first. Functions and variables that are not defined are defined after it;
 * such functions return what the test says.
 *
 * Each test begins with the unit's variables as they were at the start, makes the objects of its
 * input, each from malloc and of exactly its size (sanitizers and valgrind see every byte too far),
 * calls the function and asserts what was observed. Tests of functions with static variables of
 * their own, which cannot be set back, run in a process of their own, and so do those that end the
 * process. With -DMUSTER_BUGS the file has those that show a bug,
 * and no others.
 *
 * Nothing in the text depends on a clock, a path of this machine or the order in which tests were
 * found.
 */
#include "harness/export.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const char head[] = "#define main muster_main /* the unit's own, if it has one */\n"
			   "#include \"%s\"\n"
			   "#undef main\n"
			   "\n"
			   "#include <setjmp.h>\n"
			   "#include <stdarg.h>\n"
			   "#include <stddef.h>\n"
			   "#include <stdint.h>\n"
			   "#include <stdio.h>\n"
			   "#include <stdlib.h>\n"
			   "#include <string.h>\n"
			   "#include <sys/wait.h>\n"
			   "#include <unistd.h>\n"
			   "#include <cmocka.h>\n"
			   "\n"
			   "#define MUSTER_USED __attribute__((unused))\n"
			   "\n";

static const char helpers[] =
    "MUSTER_USED static void muster_fill(void *to, const void *from, size_t size)\n"
    "{\n"
    "\tmemcpy(to, from, size);\n"
    "}\n"
    "\n"
    "MUSTER_USED static void muster_xor(void *to, const void *with, size_t size)\n"
    "{\n"
    "\twhile (size--)\n"
    "\t\t((unsigned char *)to)[size] ^= ((const unsigned char *)with)[size];\n"
    "}\n"
    "\n"
    "/* An object of exactly this size, zeros. It stays reachable: the function may keep or free "
    "it. */\n"
    "MUSTER_USED static void *muster_keep_object(void *object, size_t size)\n"
    "{\n"
    "\tstatic struct muster_list { void *object; struct muster_list *next; } *all;\n"
    "\tstruct muster_list *one = malloc(sizeof *one);\n"
    "\n"
    "\tif (!one || !object)\n"
    "\t\tabort();\n"
    "\tone->object = object;\n"
    "\tone->next = all;\n"
    "\tall = one;\n"
    "\treturn memset(object, 0, size);\n"
    "}\n"
    "\n"
    "MUSTER_USED static void *muster_object(size_t size)\n"
    "{\n"
    "\treturn muster_keep_object(malloc(size), size);\n"
    "}\n"
    "\n"
    "MUSTER_USED static void *muster_copy(const void *from, size_t size)\n"
    "{\n"
    "\treturn memcpy(muster_object(size), from, size);\n"
    "}\n"
    "\n"
    "extern int posix_memalign(void **, size_t, size_t); /* -std=c99 hides it */\n"
    "MUSTER_USED static void *muster_aligned(size_t size, size_t align)\n"
    "{\n"
    "\tvoid *object = NULL;\n"
    "\n"
    "\treturn muster_keep_object(posix_memalign(&object, align, size) ? NULL : object, size);\n"
    "}\n"
    "\n"
    "/* In a process of its own, which must end with this exit code. 0: this is that process. */\n"
    "static int muster_is_alone;\n"
    "MUSTER_USED static int muster_alone(const char *test, int code)\n"
    "{\n"
    "\tint status = 0;\n"
    "\tpid_t pid;\n"
    "\n"
    "\tif (muster_is_alone)\n"
    "\t\treturn 0;\n"
    "\tfflush(NULL);\n"
    "\tpid = fork();\n"
    "\tif (!pid) {\n"
    "\t\tif (!freopen(\"/dev/null\", \"w\", stdout))\n"
    "\t\t\t_exit(126);\n"
    "\t\texecl(\"/proc/self/exe\", \"test\", test, \"alone\", (char *)NULL);\n"
    "\t\t_exit(127);\n"
    "\t}\n"
    "\tassert_true(pid > 0 && waitpid(pid, &status, 0) == pid);\n"
    "\tassert_true(WIFEXITED(status));\n"
    "\tassert_int_equal(WEXITSTATUS(status), code);\n"
    "\treturn 1;\n"
    "}\n"
    "\n";

static const char sanitizers[] =
    "/* The sanitizers report every failure themselves, with its place. */\n"
    "const char *__asan_default_options(void);\n"
    "const char *__asan_default_options(void)\n"
    "{\n"
    "\treturn \"handle_segv=2:handle_abort=2:handle_sigfpe=2:handle_sigill=2:handle_sigbus=2:detect_leaks=0:\"\n"
    "\t       \"detect_stack_use_after_return=1:allocator_may_return_null=1:redzone=512\";\n"
    "}\n"
    "const char *__ubsan_default_options(void);\n"
    "const char *__ubsan_default_options(void)\n"
    "{\n"
    "\treturn \"print_stacktrace=1\";\n"
    "}\n"
    "\n";

static const char results[] =
    "/* What functions without a body return, by call and type; zeros where nothing is said. */\n"
    "static const void *muster_results[%u][%zu];\n"
    "static unsigned muster_calls;\n"
    "\n"
    "MUSTER_USED static void muster_result(void *value, size_t size, unsigned type)\n"
    "{\n"
    "\tconst void *from = muster_calls < %u ? muster_results[muster_calls][type] : NULL;\n"
    "\n"
    "\tmuster_calls++;\n"
    "\tmemset(value, 0, size);\n"
    "\tif (from)\n"
    "\t\tmemcpy(value, from, size);\n"
    "}\n"
    "\n";

/* -------------------------------------------------------------------- names */

int export_type(const struct export *e, uint32_t front, struct buf *out)
{
	const struct front_type *types = e->h->front->types.data, *t = &types[front];
	const char *name = types[t->plain].name ? types[t->plain].name : t->name;
	size_t n;

	if (!name)
		return 0;
	/* The typedef is what the author wrote, if it has no const. */
	if (t->name && !t->is_const && !t->is_volatile)
		name = t->name;
	/* Words, and then stars: all else needs more than a name after it. */
	n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ");
	if (name[n + strspn(name + n, "*")])
		buf_addf(out, "__typeof__(%s)", name);
	else
		buf_adds(out, name);
	return 1;
}

/* A type as a parameter or result of a definition has it. */
static void add_plain_type(const struct export *e, uint32_t front, int parameter)
{
	const struct front_type *t = &e->h->front->types.data[front];

	if (t->kind == FRONT_ARRAY && (parameter || !t->name)) {
		add_plain_type(e, t->to, 0);
		buf_adds(e->out, " *");
	} else if (t->kind == FRONT_VOID) {
		buf_adds(e->out, "void");
	} else {
		buf_addf(e->out, "__typeof__(%s)", t->name ? t->name : "void *");
	}
}

static int is_keyword(const char *s)
{
	static const char words[] =
	    " auto break case char const continue default do double else enum extern float for "
	    "goto if inline int long "
	    "register restrict return short signed sizeof static struct switch typedef union "
	    "unsigned void volatile while "
	    "asm typeof bool true false nullptr constexpr alignas alignof thread_local "
	    "static_assert "
	    "fail skip mock memcpy memset malloc NULL errno stdin stdout stderr ";
	char *padded = mem_printf(" %s ", s);
	int is = strstr(words, padded) != NULL;

	free(padded);
	return is;
}

char *export_name(struct export *e, const char *wish)
{
	char *name = mem_printf("%s%s", wish, e->raw ? "_" : "");

	while (is_keyword(name) || strmap_get(&e->taken, name, NULL) ||
	       strmap_get(&e->locals, name, NULL)) {
		char *longer = mem_printf("%s_", name);
		free(name);
		name = longer;
	}
	strmap_set(&e->locals, name, 1);
	return name;
}

static void take_names(struct export *e)
{
	const struct front *f = e->h->front;

	for (size_t i = 0; i < f->functions.size; i++)
		strmap_set(&e->taken, f->functions.data[i].name, 1);
	for (size_t i = 0; i < f->globals.size; i++)
		strmap_set(&e->taken, f->globals.data[i].name, 1);
	for (size_t i = 0; i < f->types.size; i++) {
		const struct front_type *t = &f->types.data[i];

		if (t->name && !strchr(t->name, ' '))
			strmap_set(&e->taken, t->name, 1); /* a typedef */
		for (size_t k = 0; k < t->enumerators.size; k++)
			strmap_set(&e->taken, t->enumerators.data[k].name, 1);
	}
}

void export_comment(struct buf *out, const char *text)
{
	for (const char *s = text; *s; s++) {
		buf_addc(out, *s == '\n' ? ' ' : *s);
		if ((*s == '*' && s[1] == '/') || (*s == '/' && s[1] == '*'))
			buf_addc(out, ' ');
	}
}

uint32_t export_column(const struct export *e, uint32_t type)
{
	for (uint32_t i = 0; i < e->result_types.size; i++)
		if (e->result_types.data[i] == type)
			return i;
	return WALK_NONE;
}

int export_alone(const struct export *e, const struct harness_case *c)
{
	const struct harness_function *about = walk_about(e->h, c->number);

	return !c->bug && ((about && about->limits & 1u << HARNESS_STATICS) || !c->observation);
}

/* --------------------------------------------------- what the unit lacks */

static void add_stub(struct export *e, uint32_t stub)
{
	const struct front *f = e->h->front;
	uint32_t entry = e->h->stubs.data[stub], type = e->h->stub_types.data[stub];
	const struct front_function *fn =
	    entry & HARNESS_STUB_POINTER ? NULL : &f->functions.data[entry];
	const struct front_type *ft = fn ? NULL : &f->types.data[entry & ~HARNESS_STUB_POINTER];
	size_t count = fn ? fn->parameters.size : ft->parameters.size;
	uint32_t result = fn ? fn->result : ft->to;

	buf_adds(e->out, fn ? "" : "MUSTER_USED static ");
	add_plain_type(e, result, 0);
	if (fn)
		buf_addf(e->out, " %s(", fn->name);
	else
		buf_addf(e->out, " muster_stub_%u(", entry & ~HARNESS_STUB_POINTER);
	for (size_t i = 0; i < count; i++) {
		buf_adds(e->out, i ? ", " : "");
		add_plain_type(e, fn ? fn->parameters.data[i].type : ft->parameters.data[i], 1);
		buf_addf(e->out, " muster_%zu MUSTER_USED", i);
	}
	buf_adds(e->out, (fn ? fn->variadic : ft->variadic) && count ? ", ...)\n{\n"
			 : count				     ? ")\n{\n"
								     : "void)\n{\n");
	if (fn && fn->noreturn) {
		buf_adds(e->out, "\t_exit(0);\n");
	} else if (e->h->stub_memory.size && e->h->stub_memory.data[stub]) {
		if (type != WALK_NONE)
			buf_addf(e->out,
				 "\tunsigned char fails;\n\n\tmuster_result(&fails, sizeof fails, %u);\n"
				 "\tif (fails == 1)\n\t\treturn 0;\n",
				 export_column(e, type));
		buf_addc(e->out, '\t');
		harness_stub_memory(e->h, stub, "", "muster_", e->out);
		buf_addc(e->out, '\n');
	} else if (type != WALK_NONE) {
		buf_adds(e->out, "\tunion { ");
		add_plain_type(e, result, 0);
		buf_adds(e->out, " v; char bytes[1]; } u;\n\n");
		if (export_column(e, type) != WALK_NONE)
			buf_addf(e->out, "\tmuster_result(&u, sizeof u, %u);\n",
				 export_column(e, type));
		else
			buf_adds(e->out, "\tmemset(&u, 0, sizeof u);\n");
		buf_adds(e->out, "\treturn u.v;\n");
	}
	buf_adds(e->out, "}\n\n");
}

static void add_extern_globals(struct export *e)
{
	const struct front *f = e->h->front;

	for (size_t i = 0; i < e->h->extern_globals.size; i++) {
		const struct front_global *g = &f->globals.data[e->h->extern_globals.data[i]];
		const struct front_type *t = &f->types.data[g->type];

		if (t->kind == FRONT_ARRAY && !t->count) {
			add_plain_type(e, t->to, 0);
			buf_addf(e->out, " %s[%u];\n", g->name, e->h->options.elements);
		} else if (!t->size) {
			buf_addf(e->out, "_Alignas(16) char muster_incomplete_%zu[%u] __asm__(\"%s\");\n", i, HARNESS_INCOMPLETE,
				 g->symbol ? g->symbol : g->name);
		} else {
			add_plain_type(e, g->type, 0);
			buf_addf(e->out, " %s;\n", g->name);
		}
	}
	if (e->h->extern_globals.size)
		buf_addc(e->out, '\n');
}

static int is_kept(const struct export *e, const struct front_global *g)
{
	return g->defined && !g->is_const && e->h->front->types.data[g->type].size;
}

/* Sets the unit's variables back, and forgets results. */
static void add_begin(struct export *e)
{
	const struct front *f = e->h->front;
	size_t count = 0;

	for (size_t i = 0; i < f->globals.size; i++)
		count += is_kept(e, &f->globals.data[i]);
	count += e->h->extern_globals.size;
	if (count)
		buf_addf(e->out,
			 "/* The first time what is there is kept, later it is put back. */\n"
			 "static void muster_keep(unsigned number, void *at, size_t size)\n"
			 "{\n"
			 "\tstatic void *kept[%zu];\n"
			 "\n"
			 "\tif (kept[number])\n"
			 "\t\tmemcpy(at, kept[number], size);\n"
			 "\telse\n"
			 "\t\tkept[number] = muster_copy(at, size);\n"
			 "}\n\n",
			 count);
	buf_adds(e->out, "MUSTER_USED static void muster_begin(void)\n{\n");
	count = 0;
	for (size_t i = 0; i < f->globals.size; i++)
		if (is_kept(e, &f->globals.data[i]))
			buf_addf(e->out, "\tmuster_keep(%zu, (void *)&%s, sizeof %s);\n", count++,
				 f->globals.data[i].name, f->globals.data[i].name);
	for (size_t i = 0; i < e->h->extern_globals.size; i++) {
		const struct front_global *g = &f->globals.data[e->h->extern_globals.data[i]];
		const char *name = g->name;

		if (!f->types.data[g->type].size && f->types.data[g->type].kind != FRONT_ARRAY) {
			buf_addf(e->out, "\tmuster_keep(%zu, muster_incomplete_%zu, sizeof muster_incomplete_%zu);\n", count++, i, i);
			continue;
		}
		buf_addf(e->out, "\tmuster_keep(%zu, (void *)&%s, sizeof %s);\n", count++, name,
			 name);
	}
	if (e->result_types.size)
		buf_adds(
		    e->out,
		    "\tmemset(muster_results, 0, sizeof muster_results);\n\tmuster_calls = 0;\n");
	buf_adds(e->out, "}\n\n");
}

/* -------------------------------------------------------------------- tests */

static void add_call(struct export *e)
{
	const struct front_function *fn = &e->h->front->functions.data[e->w.about->front];
	int returns = e->w.f->result_size && e->c->observation && !e->c->bug && !e->c->unsteady;

	buf_addc(e->out, '\t');
	if (returns) {
		e->result = export_name(e, "result");
		if (!export_type(e, fn->result, e->out))
			buf_adds(e->out, "__auto_type");
		buf_addf(e->out, "%s%s = ", vec_last(e->out) == '*' ? "" : " ", e->result);
	}
	/* In parentheses, a name is never that of a macro with arguments. */
	buf_addf(e->out,
		 e->raw || !strncmp(fn->name, "assert", 6) || is_keyword(fn->name) ? "(%s)("
										   : "%s(",
		 strcmp(fn->name, "main") ? fn->name : "muster_main");
	for (uint32_t i = 0; i < e->w.f->parameters; i++)
		buf_addf(e->out, "%s%s", i ? ", " : "", e->parameters[i]);
	buf_adds(e->out, ");\n");
	if (returns)
		buf_addf(e->out, "\t(void)%s;\n", e->result);
}

static void add_test(struct export *e, const struct harness_case *c)
{
	struct buf words = {0};

	e->c = c;
	walk_open(&e->w, e->h, c->number, c->input, c->input_size);
	e->names = mem_zalloc((e->w.objects.size + 1) * sizeof *e->names);
	e->parameters = mem_zalloc((e->w.f->parameters + 1) * sizeof *e->parameters);
	harness_print_inline(e->h, c->number, c->input, c->input_size, &words);
	buf_adds(e->out, "/* ");
	if (c->bug) {
		export_comment(e->out, c->bug);
		buf_adds(e->out, words.size ? ": " : "");
	}
	export_comment(e->out, words.size ? buf_str(&words) : c->bug ? "" : "no arguments");
	buf_addf(e->out, " */\nstatic void %s(void **muster_state)\n{\n\t(void)muster_state;\n",
		 c->name);
	if (export_alone(e, c))
		buf_addf(e->out, "\tif (muster_alone(\"%s\", %d))\n\t\treturn;\n", c->name,
			 c->exit_code);
	buf_adds(e->out, "\tmuster_begin();\n");
	export_build(e);
	add_call(e);
	if (c->observation && !c->bug && !c->unsteady)
		export_assert(e);
	else if (!c->bug && c->exit_code)
		buf_adds(e->out, "\tfail_msg(\"it returned\");\n");
	buf_adds(e->out, "}\n\n");
	for (size_t i = 0; i < e->w.objects.size; i++)
		free(e->names[i]);
	for (uint32_t i = 0; i < e->w.f->parameters; i++)
		free(e->parameters[i]);
	free(e->names);
	free(e->parameters);
	free(e->result);
	e->result = NULL;
	strmap_release(&e->locals);
	e->locals = (struct strmap){0};
	walk_release(&e->w);
	buf_release(&words);
}

/* Those that show a bug, or the others. */
static void add_group(struct export *e, const struct harness_case *cases, size_t count, int bugs)
{
	for (size_t i = 0; i < count; i++)
		if (!cases[i].bug == !bugs)
			add_test(e, &cases[i]);
	buf_adds(e->out, "static const struct CMUnitTest muster_tests[] = {\n");
	for (size_t i = 0; i < count; i++)
		if (!cases[i].bug == !bugs)
			buf_addf(e->out, "\tcmocka_unit_test(%s),\n", cases[i].name);
	buf_adds(e->out, "};\n");
}

static void add_tests(struct export *e, const struct harness_case *cases, size_t count)
{
	size_t bugs = 0;

	for (size_t i = 0; i < count; i++)
		bugs += cases[i].bug != NULL;
	if (bugs)
		buf_adds(e->out, "#ifndef MUSTER_BUGS\n\n");
	add_group(e, cases, count, 0);
	if (bugs) {
		buf_adds(e->out, "\n#else /* those that show a bug */\n\n");
		buf_adds(e->out, sanitizers);
		add_group(e, cases, count, 1);
		buf_adds(e->out, "\n#endif\n");
	}
	buf_adds(e->out, "\nint main(int argc, char **argv)\n{\n"
			 "\tif (!freopen(\"/dev/null\", \"r\", stdin)) /* as when the tests were made */\n"
			 "\t\treturn 2;\n"
			 "\tmuster_is_alone = argc > 2;\n"
			 "\tif (argc > 1)\n\t\tcmocka_set_test_filter(argv[1]);\n"
			 "\treturn cmocka_run_group_tests(muster_tests, NULL, NULL) != 0;\n}\n");
}

void harness_cmocka(const struct harness *h, const char *unit_file, const char *about, int raw,
		    const struct harness_case *cases, size_t count, struct buf *out)
{
	struct export e = {.h = h, .out = out, .raw = raw};

	take_names(&e);
	for (size_t i = 0; i < h->stub_types.size; i++) {
		uint32_t type = h->stub_types.data[i];
		if (type != WALK_NONE && h->types.data[type].size <= DRIVE_RESULT &&
		    export_column(&e, type) == WALK_NONE)
			vec_push(&e.result_types, type);
	}
	buf_adds(out, about);
	buf_addf(out, head, unit_file);
	buf_adds(out, helpers);
	if (e.result_types.size)
		buf_addf(out, results, DRIVE_RESULTS, e.result_types.size, DRIVE_RESULTS);
	for (uint32_t i = 0; i < h->stubs.size; i++)
		add_stub(&e, i);
	add_extern_globals(&e);
	add_begin(&e);
	add_tests(&e, cases, count);
	vec_release(&e.result_types);
	strmap_release(&e.taken);
}
