/* witness.c: runs of both versions on one input: what is called a difference was seen.
 *
 * Each version becomes a program, once: the C file, a table of its functions and variables behind it, and a main that reads from standard input what to set and what to call. It
 * is compiled without optimisation and with arithmetic that wraps. Pointers lead into a piece of memory that both programs map at one address, so that addresses can be compared. Functions that
 * nobody defines are stubs that say how they were called, and return 0.
 *
 * What is compared: the result, variables and memory afterwards, what was written to standard output, how it ended. Addresses of the program's own (variables, functions, the stack) are different in two
 * programs and count as one value. Each version runs twice: what is not the same both times is no observation. So a difference is the code's doing, and the model that predicted it need not be right
 * for what is printed to be true.
 */
#include "diff/inside.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "run/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA 0x600000000ull /* where both programs have the memory of the input */
#define ARENA_BYTES 65536ull
#define SECONDS 0.5 /* of a run */

struct version {
	const char *file;
	struct whole const *whole;
	char *program;
	struct launcher *launcher;
	VEC(const struct code_function *) calls; /* by number in the table */
	VEC(uint32_t) globals;			 /* by number in the table: of the unit's code */
	int failed;
};

struct diff_witnesses {
	const struct differ *d;
	struct version v[2];
};

struct seen { /* of a run */
	char *out, *result, *memory, *end; /* result NULL: it did not return */
	int timeout;
};

/* ------------------------------------------------------------ the program */

static const char support[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <sys/mman.h>\n"
    "struct call { const char *name; unsigned long long (*call)(const unsigned long long *); };\n"
    "struct data { const char *name; unsigned char *at; unsigned long size; };\n"
    "extern const struct call muster_diff_calls[];\n"
    "extern const struct data muster_diff_data[];\n"
    "static unsigned char before[%llu];\n"
    "static int is_address(unsigned long long v)\n"
    "{\n"
    "\tunsigned char c;\n"
    "\treturn v >= 65536 && v >> 47 == 0 && (v < %lluull || v >= %lluull) && !mincore((void *)(v & ~4095ull), 1, &c);\n"
    "}\n"
    "static void say_word(const char *what, unsigned long long at, unsigned long long v)\n"
    "{\n"
    "\tif (is_address(v)) printf(\"%%s %%llx address\\n\", what, at); else printf(\"%%s %%llx %%llx\\n\", what, at, v);\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "\tunsigned long long a[64] = {0}, i, at, value, r;\n"
    "\tunsigned char *arena = mmap((void *)%lluull, %llu, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);\n"
    "\tint call = -1;\n"
    "\tchar kind;\n"
    "\tif (arena != (void *)%lluull) return 99;\n"
    "\twhile (scanf(\" %%c\", &kind) == 1 && kind != '.') {\n"
    "\t\tif (kind == 'F' && scanf(\"%%d\", &call) != 1) return 99;\n"
    "\t\tif (kind == 'A') { if (scanf(\"%%llu %%llx\", &i, &value) != 2) return 99; a[i %% 64] = value; }\n"
    "\t\tif (kind == 'M') { if (scanf(\"%%llx %%llx\", &at, &value) != 2) return 99; ((unsigned char *)at)[0] = value; }\n"
    "\t\tif (kind == 'Z') { if (scanf(\"%%llu\", &i) != 1) return 99; memset(muster_diff_data[i].at, 0, muster_diff_data[i].size); }\n"
    "\t\tif (kind == 'G') { if (scanf(\"%%llu %%llu %%llx\", &i, &at, &value) != 3) return 99; muster_diff_data[i].at[at] = value; }\n"
    "\t}\n"
    "\tmemcpy(before, arena, sizeof before);\n"
    "\tr = muster_diff_calls[call].call(a);\n"
    "\tprintf(\"\\n\\1muster-diff\\n\");\n"
    "\tsay_word(\"result\", 0, r);\n"
    "\tprintf(\"\\2\\n\");\n"
    "\tfor (i = 0; i < sizeof before; i += 8)\n"
    "\t\tif (memcmp(before + i, arena + i, 8)) { memcpy(&value, arena + i, 8); say_word(\"memory\", (unsigned long)arena + i, value); }\n"
    "\tfor (i = 0; muster_diff_data[i].name; i++)\n"
    "\t\tfor (at = 0; at < muster_diff_data[i].size; at += 8) {\n"
    "\t\t\tunsigned long n = muster_diff_data[i].size - at;\n"
    "\t\t\tvalue = 0;\n"
    "\t\t\tmemcpy(&value, muster_diff_data[i].at + at, n < 8 ? n : 8);\n"
    "\t\t\tsay_word(muster_diff_data[i].name, at, value);\n"
    "\t\t}\n"
    "\tfflush(NULL);\n"
    "\t_Exit(0);\n"
    "}\n";

static int returns(const struct code_function *f)
{
	for (uint32_t i = f->first_instruction; i < f->first_instruction + f->instructions; i++)
		if (f->values[i].op == CODE_RETURN)
			return f->values[i].operands != 0;
	return 0;
}

static int is_name(const char *s)
{
	return *s && !strchr(s, '.') && !strchr(s, ' ');
}

static void add_call(struct version *v, const struct code_function *f, struct buf *out)
{
	size_t number = v->calls.size;
	const char *name = strcmp(f->name, "main") ? f->name : "muster_unit_main";
	buf_addf(out, "static unsigned long long muster_diff_call_%zu(const unsigned long long *a) { %s(%s)(", number, returns(f) ? "return (unsigned long long)" : "", name);
	for (uint32_t i = 0; i < f->parameters; i++)
		buf_addf(out, "%s%sa[%u]", i ? ", " : "", f->values[i].is_pointer ? "(void *)" : "", i);
	buf_addf(out, ");%s }\n", returns(f) ? "" : " return 0;");
	vec_push(&v->calls, f);
}

static int can_call(const struct code_function *f)
{
	if (!f->defined || f->variadic || f->parameters > 60 || !is_name(f->name))
		return 0;
	for (uint32_t i = 0; i < f->parameters; i++)
		if (f->values[i].flags & CODE_BYVAL || (!f->values[i].width && !f->values[i].is_pointer) || f->values[i].width > 64)
			return 0;
	return 1;
}

static void write_unit(struct version *v, struct buf *out)
{
	const struct code *c = v->whole->units.data[0].code;
	char *path = file_absolute(v->file);
	buf_addf(out, "#define main muster_unit_main\n#include \"%s\"\n#undef main\n", path);
	free(path);
	for (uint32_t i = 0; i < c->function_count; i++)
		if (can_call(&c->functions[i]))
			add_call(v, &c->functions[i], out);
	buf_adds(out, "const struct { const char *name; unsigned long long (*call)(const unsigned long long *); } muster_diff_calls[] = {\n");
	for (size_t i = 0; i < v->calls.size; i++)
		buf_addf(out, "\t{\"%s\", muster_diff_call_%zu},\n", v->calls.data[i]->name, i);
	buf_adds(out, "\t{0, 0}};\nconst struct { const char *name; unsigned char *at; unsigned long size; } muster_diff_data[] = {\n");
	for (uint32_t i = 0; i < c->global_count; i++) {
		const struct code_global *g = &c->globals[i];
		if (g->constant || g->thread_local || g->optional || !g->bytes || g->bytes > 65536 || !is_name(g->name) || !c->global_variables[i].name)
			continue;
		buf_addf(out, "\t{\"%s\", (unsigned char *)&%s, sizeof %s},\n", g->name, g->name, g->name);
		vec_push(&v->globals, i);
	}
	buf_adds(out, "\t{0, 0, 0}};\n");
}

/* Names that the linker misses, from its words: stubs for them. */
static int write_stubs(const struct code *c, const char *words, struct buf *out)
{
	struct strmap done = {0};
	int some = 0;
	buf_adds(out, "extern int printf(const char *, ...);\n");
	for (const char *s = words; (s = strstr(s, "undefined reference to `")); ) {
		s += strlen("undefined reference to `");
		size_t n = strcspn(s, "'");
		char *name = strndup(s, n);
		if (strmap_set(&done, name, 1)) {
			uint32_t parameters = 0;
			for (uint32_t i = 0; i < c->function_count; i++)
				if (!strcmp(c->functions[i].name, name))
					parameters = c->functions[i].parameters < 6 ? c->functions[i].parameters : 6;
			buf_addf(out, "long muster_stub_%d(long a, long b, long c, long d, long e, long f) __asm__(\"%s\");\n", some, name);
			buf_addf(out, "long muster_stub_%d(long a, long b, long c, long d, long e, long f) { long v[6] = {a, b, c, d, e, f}; printf(\"call of %s\");"
				      " for (int i = 0; i < %u; i++) printf(\" %%x\", (unsigned)v[i]); printf(\"\\n\"); return 0; }\n",
				 some, name, parameters);
			some++;
		}
		free(name);
	}
	strmap_release(&done);
	return some;
}

static int compile(const char *const *words, struct buf *err)
{
	VEC(char *) argv = {0};
	struct proc_opts o = {.null_input = 1, .capture_out = 1, .capture_err = 1};
	struct proc_result r = {0};
	for (size_t i = 0; words[i]; i++)
		vec_push(&argv, (char *)words[i]);
	vec_push(&argv, NULL);
	int e = proc_run(argv.data, &o, &r);
	if (!e && r.status)
		e = error_set("clang-19 does not compile the program of the witnesses");
	if (err && r.err.size)
		buf_add(err, r.err.data, r.err.size);
	proc_release(&r);
	vec_release(&argv);
	return e;
}

static int build(struct version *v)
{
	struct buf unit = BUF_EMPTY, main_text = BUF_EMPTY, stubs = BUF_EMPTY, words = BUF_EMPTY;
	char *unit_c = file_temp("diff-unit.c"), *main_c = file_temp("diff-main.c"), *stubs_c = file_temp("diff-stubs.c");
	v->program = file_temp("diff-program");
	write_unit(v, &unit);
	buf_addf(&main_text, support, ARENA_BYTES, ARENA, ARENA + ARENA_BYTES, ARENA, ARENA_BYTES, ARENA);
	const char *argv[] = {"clang-19", "-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-o", v->program, unit_c, main_c, "-lm", NULL, NULL};
	int e = file_write_atomic(unit_c, unit.data, unit.size) || file_write_atomic(main_c, main_text.data, main_text.size) ? -1 : 0;
	if (!e)
		e = compile(argv, &words);
	if (e && write_stubs(v->whole->units.data[0].code, buf_str(&words), &stubs) && !file_write_atomic(stubs_c, stubs.data, stubs.size)) {
		argv[11] = stubs_c;
		e = compile(argv, NULL);
	}
	buf_release(&unit);
	buf_release(&main_text);
	buf_release(&stubs);
	buf_release(&words);
	free(unit_c);
	free(main_c);
	free(stubs_c);
	return e;
}

static struct launcher *launcher_of(struct version *v)
{
	if (!v->launcher && !v->failed) {
		struct launch_options o = LAUNCH_DEFAULTS;
		char *argv[] = {v->program, NULL};
		v->failed = !v->file || build(v);
		argv[0] = v->program;
		o.argv = argv;
		o.to = LAUNCH_STDIN;
		o.out = LAUNCH_CAPTURE;
		o.err = LAUNCH_NULL;
		launch_limit(&o, SECONDS);
		if (!v->failed)
			v->launcher = launcher_new(&o);
		v->failed = !v->launcher;
	}
	return v->launcher;
}

/* ------------------------------------------------------------ an input */

static uint64_t model_value(struct diff_pair *x, const struct solve_model *m, expr_t e)
{
	return (uint64_t)solve_model_eval(x->p, m, e);
}

static int call_number(const struct version *v, const struct code_function *f)
{
	for (size_t i = 0; i < v->calls.size; i++)
		if (v->calls.data[i] == f)
			return (int)i;
	return -1;
}

static int data_number(const struct version *v, const char *name)
{
	const struct code *c = v->whole->units.data[0].code;
	for (size_t i = 0; i < v->globals.size; i++)
		if (!strcmp(c->globals[v->globals.data[i]].name, name))
			return (int)i;
	return -1;
}

/* A byte of a variable that the model names; its name is that of the new version's code. */
static void set_global(struct diff_pair *x, struct version *v, int which, const char *object, uint64_t offset, uint8_t value, struct buf *out)
{
	struct vc *vc = x->side[which].vc;
	for (uint32_t i = 0; i < vc_objects(vc); i++) {
		uint32_t g = vc_object_global(vc, i);
		if (g == CODE_NONE || strcmp(vc_object_name(vc, i), object))
			continue;
		int number = data_number(v, x->side[which].f->code->globals[g].name);
		if (number >= 0)
			buf_addf(out, "G %d %llu %x\n", number, (unsigned long long)offset, value);
	}
}

static void set_byte(struct diff_pair *x, struct version *v, int which, const struct solve_model *m, const struct solve_byte *b, struct buf *out)
{
	struct vc *vc = x->side[which].vc;
	const char *array = expr_name(x->p, b->array);
	if (strcmp(array, "memory")) {
		set_global(x, v, which, array, b->offset, b->value, out);
		return;
	}
	if (b->offset >= ARENA && b->offset < ARENA + ARENA_BYTES) {
		buf_addf(out, "M %llx %x\n", (unsigned long long)b->offset, b->value);
		return;
	}
	for (uint32_t i = 0; i < vc_objects(vc) && x->flat_globals; i++) {
		uint64_t at = model_value(x, m, vc_address(vc, i));
		if (vc_object_global(vc, i) != CODE_NONE && b->offset >= at && b->offset < at + vc_object_bytes(vc, i))
			set_global(x, v, which, vc_object_name(vc, i), b->offset - at, b->value, out);
	}
}

static void write_input(struct diff_pair *x, struct version *v, int which, const struct solve_model *m, struct buf *out)
{
	buf_addf(out, "F %d\n", call_number(v, x->side[which].f));
	for (size_t i = 0; i < v->globals.size; i++) /* both start in the same state: variables with another initial value at 0 */
		if (differ_data_changed(x->d, which, v->whole->units.data[0].code, v->globals.data[i]))
			buf_addf(out, "Z %zu\n", i);
	for (uint32_t i = 0; i < x->side[which].f->parameters; i++) {
		const struct code_value *p = &x->side[which].f->values[i];
		uint64_t value = model_value(x, m, x->args[i]);
		if (!p->is_pointer && p->width < 64 && !(p->flags & CODE_UNSIGNED) && p->width > 1 && value >> (p->width - 1))
			value |= ~0ull << (p->width - 1);
		buf_addf(out, "A %u %llx\n", i, (unsigned long long)value);
	}
	for (size_t i = 0; i < m->values.size; i++) {
		if (m->values.data[i].op != EXPR_OP_NAMED)
			continue;
		const char *name = expr_name(x->p, m->values.data[i].source), *bracket = strrchr(name, '[');
		if (!bracket)
			continue;
		char *object = strndup(name, (size_t)(bracket - name));
		set_global(x, v, which, object, strtoull(bracket + 1, NULL, 10), (uint8_t)m->values.data[i].value, out);
		free(object);
	}
	for (size_t i = 0; i < m->bytes.size; i++)
		set_byte(x, v, which, m, &m->bytes.data[i], out);
	buf_adds(out, ".\n");
}

/* ------------------------------------------------------------ a run */

static void seen_release(struct seen *s)
{
	free(s->out);
	free(s->result);
	free(s->memory);
	free(s->end);
	*s = (struct seen){0};
}

static int run_once(struct version *v, struct buf *input, struct seen *out)
{
	struct launcher *l = launcher_of(v);
	struct launch_input in = {.data = input->data, .size = input->size, .present = 1};
	struct run_result r;
	char words[256];
	*out = (struct seen){0};
	if (!l || launcher_run(l, &in, &r) || r.end == RUN_FAILED || r.end == RUN_CUT || (r.end == RUN_EXIT && r.code == 99))
		return -1;
	char *text = buf_str(&r.out), *mark = strstr(text, "\n\1muster-diff\n");
	run_result_words(&r, words, sizeof words);
	out->timeout = run_was_stopped(r.end);
	if (mark) {
		char *result = mark + strlen("\n\1muster-diff\n"), *memory = strstr(result, "\2\n");
		*mark = 0;
		if (!memory)
			return -1;
		*memory = 0;
		out->result = strdup(result);
		out->memory = strdup(memory + 2);
	} else {
		out->end = strdup(words);
	}
	out->out = strdup(text);
	return 0;
}

static int same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int same_seen(const struct seen *a, const struct seen *b)
{
	return same_text(a->out, b->out) && same_text(a->result, b->result) && same_text(a->memory, b->memory) && same_text(a->end, b->end);
}

/* Twice; -1 if it cannot be run, or is not the same again. */
static int run_steadily(struct version *v, struct buf *input, struct seen *out)
{
	struct seen again = {0};
	if (run_once(v, input, out))
		return -1;
	if (out->timeout)
		return 0;
	int e = run_once(v, input, &again) || !same_seen(out, &again) ? -1 : 0;
	seen_release(&again);
	return e;
}

/* ------------------------------------------------------------ what differs */

/* Lines "NAME offset value" of variables that both versions have, or memory, with another value. 1: some differ, and the first is named. */
static int memory_differs(const char *a, const char *b, struct buf *name, struct buf *old, struct buf *new)
{
	char what[256], other[256], va[64], vb[64];
	unsigned long long at, bt;
	for (const char *s = a; *s; s = strchr(s, '\n') + 1) {
		const char *t = b;
		if (sscanf(s, "%255s %llx %63s", what, &at, va) != 3)
			return 0;
		for (; *t; t = strchr(t, '\n') + 1)
			if (sscanf(t, "%255s %llx %63s", other, &bt, vb) == 3 && at == bt && !strcmp(what, other))
				break;
		if (!*t && strcmp(what, "memory"))
			continue; /* only one version has it */
		if (*t && !strcmp(va, vb))
			continue;
		buf_addf(name, "%s%s%llx", what, strcmp(what, "memory") ? "+0x" : " at 0x", at);
		buf_adds(old, va);
		buf_adds(new, *t ? vb : "what it was");
		return 1;
	}
	return 0;
}

static void result_text(const struct diff_pair *x, int which, const char *line, struct buf *out)
{
	const struct code_function *f = x->side[which].f;
	unsigned long long value = 0;
	char word[64] = "";
	if (sscanf(line, "result 0 %63s", word) == 1 && !strcmp(word, "address")) {
		buf_adds(out, "an address");
		return;
	}
	value = strtoull(word, NULL, 16);
	if (!f->result_width || f->result_width >= 64)
		buf_addf(out, f->result_width ? "%lld" : "%#llx", (long long)value);
	else if (f->result_width == 1)
		buf_addf(out, "%llu", value & 1);
	else
		buf_addf(out, "%lld", (long long)value); /* C extended it as its type says */
}

/* Of the value only the bits of its type count: the other version may extend it in another manner. */
static int same_result(const struct diff_pair *x, const char *a, const char *b)
{
	unsigned width = x->side[OLD].f->result_width;
	char va[64] = "", vb[64] = "";
	if (!a || !b || sscanf(a, "result 0 %63s", va) != 1 || sscanf(b, "result 0 %63s", vb) != 1)
		return a == b;
	if (!width || width >= 64)
		return !strcmp(va, vb);
	return !((strtoull(va, NULL, 16) ^ strtoull(vb, NULL, 16)) & ((1ull << width) - 1));
}

static void end_text(const struct diff_pair *x, int which, const struct seen *s, struct buf *out)
{
	if (!s->result) {
		buf_adds(out, !s->timeout ? s->end : which == OLD ? "did not end" : "does not end");
		return;
	}
	buf_adds(out, which == OLD ? "returned" : "returns");
	if (returns(x->side[which].f)) {
		buf_addc(out, ' ');
		result_text(x, which, s->result, out);
	}
}

/* What the two runs did; 0: nothing that differs. */
static int describe(const struct diff_pair *x, const struct seen *a, const struct seen *b, struct diff_case *out)
{
	struct buf old = BUF_EMPTY, new = BUF_EMPTY, name = BUF_EMPTY, what = BUF_EMPTY;
	int differs = !same_result(x, a->result, b->result) || !same_text(a->end, b->end);
	if (out->termination ? a->timeout == b->timeout : a->timeout || b->timeout)
		differs = 0; /* too slow for a run is no difference: that it never ends was proved elsewhere */
	else if (differs) {
		end_text(x, OLD, a, &old);
		end_text(x, NEW, b, &new);
		buf_addf(&what, "%s, now %s", buf_str(&old), buf_str(&new));
	} else if (!same_text(a->out, b->out)) {
		buf_adds(&old, a->out);
		buf_adds(&new, b->out);
		buf_adds(&what, "prints something else");
		differs = 1;
	} else if (a->memory && b->memory && (memory_differs(a->memory, b->memory, &name, &old, &new) || memory_differs(b->memory, a->memory, &name, &new, &old))) {
		buf_addf(&what, "%s is 0x%s, now 0x%s", buf_str(&name), buf_str(&old), buf_str(&new));
		differs = 1;
	}
	out->old = buf_take(&old);
	out->new = buf_take(&new);
	out->what = buf_take(&what);
	buf_release(&name);
	return differs;
}

static void note_inputs(struct diff_pair *x, const struct solve_model *m, struct diff_case *out)
{
	for (size_t i = 0; i < x->inputs.size; i++) {
		const struct diff_word *in = &x->inputs.data[i];
		struct buf value = BUF_EMPTY;
		diff_text_constant(in, expr_width(x->p, in->term), solve_model_eval(x->p, m, in->term), &value);
		vec_push(&out->inputs, (struct diff_input){strdup(in->name), buf_take(&value)});
	}
}

/* ------------------------------------------------------------ interface */

/* The input again, with pointers that can be: null or in the memory that both programs have, and variables apart from it. */
static int fit_model(struct diff_pair *x, const struct solve_model *m, const expr_t *cube, unsigned count, struct solve_model *out)
{
	struct exprs *p = x->p;
	VEC(expr_t) all = {0};
	int pointers = 0;
	for (unsigned i = 0; i < count; i++)
		vec_push(&all, cube[i]);
	for (size_t i = 0; i < x->inputs.size; i++) {
		const struct diff_word *in = &x->inputs.data[i];
		if (!in->is_pointer || expr_width(p, in->term) != 64)
			continue;
		expr_t low = expr_binary(p, MUSTER_OP_ULE, expr_const(p, 64, ARENA + 4096), in->term);
		expr_t high = expr_binary(p, MUSTER_OP_ULT, in->term, expr_const(p, 64, ARENA + ARENA_BYTES - 4096));
		vec_push(&all, expr_or(p, expr_eq(p, in->term, expr_const(p, 64, 0)), expr_and(p, low, high)));
		pointers = 1;
	}
	for (size_t i = 0; i < x->addresses.size && pointers; i++)
		if (!expr_is_const(p, x->addresses.data[i], NULL))
			vec_push(&all, expr_binary(p, MUSTER_OP_ULT, expr_const(p, 64, 1ull << 40), x->addresses.data[i]));
	(void)m;
	enum verdict v = diff_pair_check(x, all.data, (unsigned)all.size, out);
	vec_release(&all);
	return v == VERDICT_SAT;
}

int diff_witness_run(struct diff_pair *x, const struct solve_model *m, const expr_t *region, unsigned count, struct diff_case *out)
{
	struct diff_witnesses *w = x->d->witnesses;
	struct seen seen[2] = {{0}};
	struct solve_model fitted = {0};
	int ok = 1, pointers = 0;
	for (size_t i = 0; i < x->inputs.size; i++)
		pointers |= x->inputs.data[i].is_pointer;
	if (pointers && !fit_model(x, m, region, count, &fitted))
		return 0;
	const struct solve_model *use = pointers ? &fitted : m;
	for (int k = 0; k < 2 && ok; k++) {
		struct buf input = BUF_EMPTY;
		ok = launcher_of(&w->v[k]) && call_number(&w->v[k], x->side[k].f) >= 0;
		if (ok) {
			write_input(x, &w->v[k], k, use, &input);
			ok = !run_steadily(&w->v[k], &input, &seen[k]);
		}
		buf_release(&input);
	}
	ok = ok && describe(x, &seen[OLD], &seen[NEW], out);
	if (ok)
		note_inputs(x, use, out);
	else {
		free(out->old);
		free(out->new);
		free(out->what);
		out->old = out->new = out->what = NULL;
	}
	for (int k = 0; k < 2; k++)
		seen_release(&seen[k]);
	solve_model_release(&fitted);
	return ok;
}

struct diff_witnesses *diff_witnesses_new(const struct differ *d)
{
	struct diff_witnesses *w = mem_zalloc(sizeof *w);
	w->d = d;
	for (int k = 0; k < 2; k++) {
		w->v[k].file = k == OLD ? d->o->old_file : d->o->new_file;
		w->v[k].whole = d->whole[k];
	}
	return w;
}

void diff_witnesses_free(struct diff_witnesses *w)
{
	if (!w)
		return;
	for (int k = 0; k < 2; k++) {
		launcher_free(w->v[k].launcher);
		free(w->v[k].program);
		vec_release(&w->v[k].calls);
		vec_release(&w->v[k].globals);
	}
	free(w);
}
