/* witness.c: runs of both versions on one input: what is called a difference was seen.
 *
 * Each version becomes a shared object, once, or of a large program once for each function: its bitcode with tables of functions and variables (instrument/expose.h), with arithmetic that wraps and without optimisation. The
 * program muster-caller loads one, sets up the input and calls the function. Pointers lead into a piece of memory that has one address in all runs, so that addresses can be compared. Functions without a definition are stubs that say how
 * they were called, and return what the input says, or 0 (stubs.c). One run of muster-caller is all calls of both versions on one input.
 *
 * What is compared: the result, variables and memory afterwards, what was written to standard output, how it ended. Addresses of the program's own (variables, functions, the stack) are different in two
 * programs and count as one value. Each version is called three times, with different bytes where nobody has written, and with its variables and stack at other addresses: what is not the same each time is no observation, and what differs is run once more, since the clock may have gone on between the two. So a difference is the code's doing, and the model that predicted it need not be right
 * for what is printed to be true.
 */
#include "diff/inside.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "diff/caller.h"
#include "instrument/expose.h"
#include "run/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS (2 * CALLER_FILLS * CALLER_MILLISECONDS / 1000.0 + 0.5) /* of a run, which is all calls on an input */
#define LARGE 20000 /* instructions of a version from which on only what a function reaches is compiled */

struct loaded { /* a shared object with tables (instrument/expose.h) */
	char *function; /* that it was made for; NULL: all */
	char *path;
	VEC(char *) calls, data; /* names by number in the tables */
	struct buf names;	 /* the tables again, with blocks (expose.h) */
	int failed;
	struct loaded *next;
};

struct version {
	int large;
	struct loaded *loaded; /* the last one made first */
	unsigned count;
};

struct diff_witnesses {
	const struct differ *d;
	struct version v[2];
	char *caller;
	struct launcher *launcher; /* of both */
	int failed;
};

struct seen { /* of a run */
	char *out, *result, *memory, *end; /* result NULL: it did not return */
	int timeout, crashed;
	int wild; /* crashed, but not at null: memory that a run does not have */
};

/* ------------------------------------------------------------ the object */

static int returns(const struct code_function *f)
{
	for (uint32_t i = f->first_instruction; i < f->first_instruction + f->instructions; i++)
		if (f->values[i].op == CODE_RETURN)
			return f->values[i].operands != 0;
	return 0;
}

/* A shared object of the linker's, from one of ours. script: additions to the linker's own, or NULL. */
static int link_object(const char *object, const char *shared, const char *script)
{
	char *argv[] = {"ld", "-shared", "-o", (char *)shared, (char *)object, script ? "-T" : NULL, (char *)script, NULL};
	struct proc_opts o = {.null_input = 1, .capture_out = 1, .merge_err = 1};
	struct proc_result r = {0};
	int e = proc_run(argv, &o, &r);
	if (!e && r.status)
		e = error_set("ld: %s", buf_str(&r.out));
	proc_release(&r);
	return e;
}

static char *moved_path(const char *shared)
{
	struct buf path = BUF_EMPTY;
	buf_addf(&path, "%s" CALLER_MOVED, shared);
	return buf_take(&path);
}

/* The same code with its functions, constants and variables at other places of a page, and apart from each other, so that what lies beyond one is something else: for the last call (caller.h). */
static int link_moved(const char *object, const char *shared)
{
	static const char script[] = "SECTIONS { .muster.constants : SUBALIGN(1024) { QUAD(0) *(.rodata.v*) } } INSERT AFTER .rodata;\n"
				     "SECTIONS { .muster.variables : SUBALIGN(1024) { QUAD(0) *(.data.v*) } } INSERT BEFORE .data;\n"
				     "SECTIONS { .muster.text : { QUAD(0) . = . + 1160; *(.text .text.*) } } INSERT AFTER .text;\n"
				     "SECTIONS { .muster.rodata : { QUAD(0) . = . + 1160; *(.rodata .rodata.*) } } INSERT AFTER .rodata;\n"
				     "SECTIONS { .muster.relro : { QUAD(0) . = . + 1160; *(.data.rel.ro .data.rel.ro.*) } } INSERT AFTER .data.rel.ro;\n"
				     "SECTIONS { .muster.data : { QUAD(0) . = . + 1160; } } INSERT BEFORE .data;\n"
				     "SECTIONS { .muster.bss : { . = . + 1168; } } INSERT BEFORE .bss;\n";
	char *path = file_temp("diff.ld"), *moved = moved_path(shared);
	int e = file_write_atomic(path, script, sizeof script - 1) || link_object(object, moved, path) || chmod(moved, 0755);
	unlink(path);
	free(path);
	free(moved);
	return e;
}

/* The tables as they stand in the object: names only. */
static void read_names(const struct buf *names, struct loaded *l)
{
	for (size_t at = 0; at < names->size; at += strlen(names->data + at) + 1) {
		if (names->data[at] == 'B')
			continue;
		char *name = strdup(names->data + at + 1);
		if (names->data[at] == 'F')
			vec_push(&l->calls, name);
		else
			vec_push(&l->data, name);
	}
}

static struct launcher *launcher_of(struct diff_witnesses *w)
{
	if (!w->launcher && !w->failed) {
		struct launch_options o = LAUNCH_DEFAULTS;
		w->caller = file_part("muster-caller");
		char *argv[] = {w->caller, "-", NULL};
		o.argv = argv;
		o.to = LAUNCH_STDIN;
		o.out = LAUNCH_CAPTURE;
		o.err = LAUNCH_NULL;
		launch_limit(&o, SECONDS);
		o.idle_seconds = CALLER_MILLISECONDS / 1000.0;
		if (w->caller)
			w->launcher = launcher_new(&o);
		w->failed = !w->launcher;
	}
	return w->launcher;
}

static struct loaded *load(struct diff_witnesses *w, int which, const char *function)
{
	struct loaded *l = mem_zalloc(sizeof *l);
	struct expose_request request = {.function = function};
	struct buf object = BUF_EMPTY, names = BUF_EMPTY;
	char *path = file_temp("diff.o");
	char name[48];
	snprintf(name, sizeof name, "%s-%u.so", which == OLD ? "old" : "new", w->v[which].count++);
	l->function = function ? strdup(function) : NULL;
	l->path = file_join(launcher_base(w->launcher), name); /* where runs can read */
	l->failed = expose_unit(w->d->o->bitcode[which].data, w->d->o->bitcode[which].size, &request, &object, &names) || file_write_atomic(path, object.data, object.size) || link_object(path, l->path, NULL) || chmod(l->path, 0755) || link_moved(path, l->path);
	read_names(&names, l);
	if (l->failed)
		log_info("witness: %s", error_text());
	buf_release(&object);
	l->names = names;
	unlink(path);
	free(path);
	l->next = w->v[which].loaded;
	w->v[which].loaded = l;
	return l;
}

/* Small units as a whole, once; of a large one what the function reaches. NULL: it cannot be run. */
static struct loaded *loaded_of(struct diff_witnesses *w, int which, const struct code_function *f)
{
	struct version *v = &w->v[which];
	const char *function = v->large ? f->name : NULL;
	struct loaded *found = NULL;
	if (!w->d->o->bitcode[which].size || !launcher_of(w))
		return NULL;
	for (struct loaded *l = v->loaded; l && !found; l = l->next)
		if (!function || !strcmp(l->function, function))
			found = l;
	if (!found)
		found = load(w, which, function);
	return found->failed ? NULL : found;
}

/* ------------------------------------------------------------ its tables */

static int find_name(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -1;
}

static int call_number(const struct loaded *l, const struct code_function *f)
{
	return find_name(l->calls.data, l->calls.size, f->name);
}

static int data_number(const struct loaded *l, const char *name)
{
	return find_name(l->data.data, l->data.size, name);
}

struct version_table { /* of the object that is loaded, for input.c */
	struct diff_caller caller;
	const struct loaded *loaded;
};

static int table_data(const struct diff_caller *c, const char *name)
{
	const struct version_table *t = (const struct version_table *)c;
	return data_number(t->loaded, name);
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

/* What undefined behaviour looks like from outside. */
static int is_crash(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP;
}

static int same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* What two versions said of their calls. One may pass a text that is a constant, which is seen, and the other one that is not: an address, of who knows what. */
static int same_said(const char *a, const char *b)
{
	static const char address[] = "address";
	size_t size = sizeof address - 1;
	if (!a || !b)
		return a == b;
	for (; *a && *a == *b; a++, b++)
		;
	if (*a == 'a' && *b == '"') {
		const char *other = a;
		a = b, b = other;
	}
	if (*a != '"' || strncmp(b, address, size))
		return *a == *b;
	for (const char *end = a + 1; *end && *end != '\n'; end++) /* quotes may be a part of it */
		if (*end == '"' && (end[1] == ' ' || end[1] == '\n') && same_said(end + 1, b + size))
			return 1;
	return 0;
}

static int same_seen(const struct seen *a, const struct seen *b)
{
	return same_text(a->out, b->out) && same_text(a->result, b->result) && same_text(a->memory, b->memory) && same_text(a->end, b->end);
}

/* One call, from what was written during it: the text up to CALLER_END. -1: it says nothing. */
static int read_call(char *text, const char *status, struct seen *out)
{
	int code = atoi(status);
	struct run_result r = {.end = WIFSIGNALED(code) ? RUN_SIGNAL : RUN_EXIT, .code = WEXITSTATUS(code), .signal = WTERMSIG(code)};
	char *mark = strstr(text, CALLER_MARK), words[256];
	if (r.end == RUN_SIGNAL && r.signal == SIGPROF)
		r.end = RUN_TIME;
	if (!mark && r.end == RUN_EXIT && r.code == CALLER_FAILED)
		return -1;
	if (!mark && r.end == RUN_EXIT && r.code == CALLER_WILD) {
		r = (struct run_result){.end = RUN_SIGNAL, .signal = SIGSEGV};
		out->wild = 1;
	}
	int trapped = !mark && r.end == RUN_EXIT && r.code == CALLER_TRAPPED;
	if (trapped)
		r = (struct run_result){.end = RUN_SIGNAL, .signal = SIGILL};
	run_result_words(&r, words, sizeof words);
	out->timeout = run_was_stopped(r.end);
	out->crashed = !trapped && r.end == RUN_SIGNAL && is_crash(r.signal);
	if (mark) {
		char *result = mark + strlen(CALLER_MARK), *memory = strstr(result, "\2\n");
		if (!memory || r.end != RUN_EXIT || r.code)
			return -1;
		*mark = *memory = 0;
		out->result = strdup(result);
		out->memory = strdup(memory + 2);
	} else {
		out->end = strdup(words);
	}
	out->out = strdup(text);
	return 0;
}

/* All calls of a version: what the first did, and -1 if another one did something else. */
static int read_calls(char **text, struct seen *out)
{
	for (int i = 0; i < CALLER_FILLS; i++) {
		char *end = strstr(*text, CALLER_END), *status = end ? end + strlen(CALLER_END) : NULL, *next = status ? strchr(status, '\n') : NULL;
		struct seen again = {0};
		if (!next)
			return -1;
		*end = 0;
		int e = read_call(*text, status, i ? &again : out);
		*text = next + 1;
		if (!e && i && !same_seen(out, &again))
			e = -1;
		seen_release(&again);
		if (e || out->timeout) /* it is not repeated */
			return e;
	}
	return 0;
}

/* Both versions, on an input for each. -1: they cannot be run, or one does not do the same each time. */
static int run_calls(struct diff_witnesses *w, struct loaded *const l[2], const struct buf *input, struct seen out[2])
{
	char *argv[] = {w->caller, l[OLD]->path, l[NEW]->path, NULL};
	struct launch_input in = {.data = input->data, .size = input->size, .present = 1, .argv = argv};
	struct run_result r;
	if (launcher_run(w->launcher, &in, &r) || r.end == RUN_FAILED || r.end == RUN_CUT || (r.end == RUN_EXIT && r.code))
		return -1;
	char *text = buf_str(&r.out);
	for (int k = 0; k < 2; k++)
		if (read_calls(&text, &out[k]))
			return -1;
	return 0;
}

/* ------------------------------------------------------------ what differs */

/* A word of memory that the versions leave with other values; b NULL: one did not write to it. The first byte that differs, by the pointer that leads there. */
static void name_byte(const struct diff_pair *x, const struct solve_model *m, uint64_t at, const char *a, const char *b, struct buf *name, struct buf *old, struct buf *new)
{
	uint64_t va = strtoull(a, NULL, 16), vb = b ? strtoull(b, NULL, 16) : 0;
	unsigned k = 0;
	for (unsigned i = 0; i < 8 && !b; i++) {
		uint8_t before;
		diff_place_byte(x, m, at + i, &before);
		vb |= (uint64_t)before << 8 * i;
	}
	while (k < 7 && (uint8_t)(va >> 8 * k) == (uint8_t)(vb >> 8 * k))
		k++;
	diff_place_name(x, m, at + k, name);
	buf_addf(old, "0x%x", (unsigned)(uint8_t)(va >> 8 * k));
	buf_addf(new, "0x%x%s", (unsigned)(uint8_t)(vb >> 8 * k), b ? "" : " as before");
}

/* Lines "NAME offset value": where each stands in the text, by name and offset. */
static void index_lines(const char *text, struct strmap *out)
{
	struct buf key = BUF_EMPTY;
	for (const char *s = text, *end; *s && (end = strchr(s, '\n')); s = end + 1) {
		const char *value = memrchr(s, ' ', (size_t)(end - s));
		buf_clear(&key);
		buf_add(&key, s, value ? (size_t)(value - s) : 0);
		strmap_set(out, buf_str(&key), (uint64_t)((value ? value + 1 : end) - text));
	}
	buf_release(&key);
}

static int same_value(const char *a, const char *b)
{
	size_t n = strcspn(a, "\n");
	return n == strcspn(b, "\n") && !strncmp(a, b, n);
}

/* A place with another value; b NULL: only one version wrote to this memory. */
static void say_place(const struct diff_pair *x, const struct solve_model *m, const char *place, const char *a, const char *b, struct buf *name, struct buf *old, struct buf *new)
{
	const char *offset = strrchr(place, ' ') + 1;
	int length = (int)(offset - place) - 1, memory = !strncmp(place, "memory ", 7);
	char va[64], vb[64];
	snprintf(va, sizeof va, "%.*s", (int)strcspn(a, "\n"), a);
	snprintf(vb, sizeof vb, "%.*s", b ? (int)strcspn(b, "\n") : 0, b ? b : "");
	if (m && memory) {
		name_byte(x, m, strtoull(offset, NULL, 16), va, b ? vb : NULL, name, old, new);
		return;
	}
	buf_addf(name, "%.*s%s%s", length, place, memory ? " at 0x" : "+0x", offset);
	buf_addf(old, "0x%s", va);
	buf_addf(new, "%s%s", b ? "0x" : "", b ? vb : "what it was");
}

/* Is it memory, or a variable that both versions have with one size? */
static int is_comparable(const struct diff_pair *x, const char *place)
{
	const struct code *code = x->side[OLD].f->code;
	size_t length = (size_t)(strrchr(place, ' ') - place);
	struct buf name = BUF_EMPTY;
	int yes = !strncmp(place, "memory ", 7);
	for (uint32_t g = 0; g < code->global_count && !yes; g++)
		yes = !strncmp(code->globals[g].name, place, length) && !code->globals[g].name[length] && differ_data_name(x->d, OLD, code, g, &name);
	buf_release(&name);
	return yes;
}

/* Variables that both versions have, or memory, with another value. 1: some differ, and the first is named; m: the input, if it is known. */
static int memory_differs(const struct diff_pair *x, const struct solve_model *m, const char *a, const char *b, struct buf *name, struct buf *old, struct buf *new)
{
	struct strmap others = {0};
	struct buf place = BUF_EMPTY;
	int differs = 0;
	index_lines(b, &others);
	for (const char *s = a, *end; *s && !differs && (end = strchr(s, '\n')); s = end + 1) {
		const char *value = memrchr(s, ' ', (size_t)(end - s));
		uint64_t at;
		if (!value++)
			continue;
		buf_clear(&place);
		buf_add(&place, s, (size_t)(value - 1 - s));
		int there = strmap_get(&others, buf_str(&place), &at);
		if (there ? same_value(value, b + at) : strncmp(s, "memory ", 7) != 0) /* a variable that only one version has */
			continue;
		if (!is_comparable(x, buf_str(&place)))
			continue;
		say_place(x, m, buf_str(&place), value, there ? b + at : NULL, name, old, new);
		differs = 1;
	}
	buf_release(&place);
	strmap_release(&others);
	return differs;
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
		buf_addf(out, !f->result_width ? "%#llx" : f->result_unsigned ? "%llu" : "%lld", (long long)value);
	else if (f->result_width == 1)
		buf_addf(out, "%llu", value & 1);
	else if (f->result_unsigned)
		buf_addf(out, "%llu", value);
	else
		buf_addf(out, "%lld", (long long)(value << (64 - f->result_width)) >> (64 - f->result_width));
}

/* Of the value only the bits of its type count: the other version may extend it in another manner. The highest one is a sign in one version only, if their types say so. */
static int same_result(const struct diff_pair *x, const char *a, const char *b)
{
	unsigned width = x->side[OLD].f->result_width;
	char va[64] = "", vb[64] = "";
	if (!a || !b || sscanf(a, "result 0 %63s", va) != 1 || sscanf(b, "result 0 %63s", vb) != 1)
		return a == b;
	if (!diff_pair_same_sign(x->side[OLD].f, x->side[NEW].f) && strtoull(va, NULL, 16) >> (width - 1) & 1)
		return 0;
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

/* What the two runs did, on the input of the model if it is known; 0: nothing that differs. */
static int describe(const struct diff_pair *x, const struct solve_model *m, const struct seen *a, const struct seen *b, struct diff_case *out)
{
	struct buf old = BUF_EMPTY, new = BUF_EMPTY, name = BUF_EMPTY, what = BUF_EMPTY;
	int differs = !same_result(x, a->result, b->result) || !same_text(a->end, b->end);
	if (out->termination ? a->timeout == b->timeout : a->timeout || b->timeout)
		differs = 0; /* too slow for a run is no difference: that it never ends was proved elsewhere */
	else if ((a->crashed || b->crashed) && (!out->undefined || a->crashed == b->crashed))
		differs = 0; /* memory that a run does not have is none, either: that only one of them is undefined is for the terms to say */
	else if (differs) {
		end_text(x, OLD, a, &old);
		end_text(x, NEW, b, &new);
		buf_addf(&what, "%s, now %s", buf_str(&old), buf_str(&new));
	} else if (!same_said(a->out, b->out)) {
		buf_adds(&old, a->out);
		buf_adds(&new, b->out);
		buf_adds(&what, "prints something else");
		differs = 1;
	} else if (a->memory && b->memory && (memory_differs(x, m, a->memory, b->memory, &name, &old, &new) || memory_differs(x, m, b->memory, a->memory, &name, &new, &old))) {
		buf_addf(&what, "%s is %s, now %s", buf_str(&name), buf_str(&old), buf_str(&new));
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
		u128 number = solve_model_eval(x->p, m, in->term);
		diff_text_constant(in, expr_width(x->p, in->term), number, &value);
		if (in->is_pointer)
			diff_place_bytes(x, m, (uint64_t)number, &value);
		vec_push(&out->inputs, (struct diff_input){strdup(in->name), buf_take(&value)});
	}
}

/* ------------------------------------------------------------ interface */

#define OBJECT 4096ull /* bytes from one object of a witness to the next */
typedef VEC(expr_t) terms;

static int is_pointer_word(const struct diff_pair *x, const struct diff_word *in)
{
	return in->is_pointer && expr_width(x->p, in->term) == 64;
}

/* A pointer that can be: null, or in the memory that both programs have, or a function, where it is called. */
static expr_t pointer_can_be(struct diff_pair *x, expr_t at)
{
	struct exprs *p = x->p;
	expr_t low = expr_binary(p, MUSTER_OP_ULE, expr_const(p, 64, CALLER_ARENA + OBJECT), at);
	expr_t high = expr_binary(p, MUSTER_OP_ULT, at, expr_const(p, 64, CALLER_ARENA + CALLER_ARENA_BYTES - OBJECT));
	expr_t can = expr_or(p, expr_eq(p, at, expr_const(p, 64, 0)), expr_and(p, low, high));
	for (size_t k = 0; k < x->callees.size; k++)
		if (x->callees.data[k].address == at)
			can = expr_or(p, can, expr_binary(p, MUSTER_OP_ULT, expr_binary(p, MUSTER_OP_SUB, at, expr_const(p, 64, CALLER_CODE)), expr_const(p, 64, CALLER_POINTERS * CALLER_CODE_BYTES)));
	return can;
}

/* Each pointer null, or an object of its own: what a reader of the witness expects. */
static enum verdict fit_objects(struct diff_pair *x, const terms *all, struct solve_model *out)
{
	struct exprs *p = x->p;
	terms apart = {0};
	uint64_t at = CALLER_ARENA;
	for (size_t i = 0; i < all->size; i++)
		vec_push(&apart, all->data[i]);
	for (size_t i = 0; i < x->inputs.size && at + 2 * OBJECT < CALLER_ARENA + CALLER_ARENA_BYTES; i++)
		if (is_pointer_word(x, &x->inputs.data[i])) {
			expr_t e = x->inputs.data[i].term;
			at += OBJECT;
			vec_push(&apart, expr_or(p, expr_eq(p, e, expr_const(p, 64, 0)), expr_eq(p, e, expr_const(p, 64, at))));
		}
	enum verdict v = diff_pair_check(x, apart.data, (unsigned)apart.size, out);
	vec_release(&apart);
	return v;
}

/* The input again, with pointers that can be, and variables apart from what they lead to; each pointer with an object of its own, if there is such an input. */
static int fit_model(struct diff_pair *x, const expr_t *cube, unsigned count, struct solve_model *out)
{
	struct exprs *p = x->p;
	terms all = {0};
	int pointers = 0;
	for (unsigned i = 0; i < count; i++)
		vec_push(&all, cube[i]);
	vec_push(&all, diff_stubs_fit(x));
	for (size_t i = 0; i < x->inputs.size; i++)
		if (is_pointer_word(x, &x->inputs.data[i])) {
			vec_push(&all, pointer_can_be(x, x->inputs.data[i].term));
			pointers = 1;
		}
	for (size_t i = 0; i < x->addresses.size && pointers; i++)
		if (!expr_is_const(p, x->addresses.data[i], NULL))
			vec_push(&all, expr_binary(p, MUSTER_OP_ULT, expr_const(p, 64, 1ull << 40), x->addresses.data[i]));
	enum verdict v = pointers && !x->callees.size ? fit_objects(x, &all, out) : VERDICT_UNKNOWN;
	if (v != VERDICT_SAT) {
		solve_model_release(out);
		v = diff_pair_check(x, all.data, (unsigned)all.size, out);
	}
	vec_release(&all);
	return v == VERDICT_SAT;
}

static void log_seen(const struct diff_pair *x, int ok, const struct seen seen[2], const struct buf *input)
{
	for (int k = 0; k < 2; k++)
		log_info("witness of %s: %s version: %s%s%s%s", x->side[k].f->name, k == OLD ? "old" : "new", seen[k].result ? seen[k].result : "", seen[k].end ? seen[k].end : "", seen[k].memory ? seen[k].memory : "",
			 seen[k].out ? seen[k].out : "");
	log_info("%s on:\n%s", ok ? "steady" : "cannot be run, or not the same each time", buf_str((struct buf *)input));
}

/* -1: they cannot be run, with words, or do not do the same each time. */
static int run_both(struct diff_pair *x, const char *text, struct seen seen[2])
{
	struct diff_witnesses *w = x->d->witnesses;
	struct loaded *l[2] = {NULL};
	struct buf input = BUF_EMPTY;
	int e = 0;
	for (int k = 0; k < 2 && !e; k++) {
		const struct code_function *f = x->side[k].f;
		l[k] = loaded_of(w, k, f);
		int call = l[k] ? call_number(l[k], f) : -1;
		struct version_table t = {{.f = f, .which = k, .call = call, .data = table_data}, l[k]};
		e = call < 0 ? error_set("%s cannot be called", f->name) : diff_input_read(x->d, text, &t.caller, &input);
	}
	if (!e && (!l[OLD] || !l[NEW] || run_calls(w, l, &input, seen)))
		e = error_set("it cannot be run, or does not do the same each time");
	log_seen(x, !e, seen, &input);
	buf_release(&input);
	return e;
}

/* ------------------------------------------------------------ many inputs */

int diff_witness_blocks(struct diff_pair *x, int which, diff_witness_block *block, void *ctx)
{
	struct loaded *l = loaded_of(x->d->witnesses, which, x->side[which].f);
	uint32_t number = 0;
	for (size_t at = 0; l && at < l->names.size; at += strlen(l->names.data + at) + 1)
		if (l->names.data[at] == 'B')
			block(ctx, which, number++, l->names.data + at + 1);
	return l && call_number(l, x->side[which].f) >= 0;
}

/* Variables that both versions have, by their rows. */
static void write_pairs(const struct diff_pair *x, struct loaded *const l[2], struct buf *out)
{
	const struct code *code = x->side[OLD].f->code;
	for (uint32_t g = 0; g < code->global_count; g++) {
		struct buf name = BUF_EMPTY;
		int old = data_number(l[OLD], code->globals[g].name), new = old >= 0 && differ_data_name(x->d, OLD, code, g, &name) ? data_number(l[NEW], buf_str(&name)) : -1;
		if (new >= 0)
			buf_addf(out, "D %d %d\n", old, new);
		buf_release(&name);
	}
}

int diff_witness_batch(struct diff_pair *x, const struct buf *settings, char *const *inputs, size_t count, struct buf *reply)
{
	struct diff_witnesses *w = x->d->witnesses;
	struct loaded *l[2] = {NULL};
	struct buf text = BUF_EMPTY;
	struct run_result r = {0};
	for (int k = 0; k < 2; k++)
		if (!(l[k] = loaded_of(w, k, x->side[k].f)))
			return -1;
	buf_add(&text, settings->data, settings->size);
	write_pairs(x, l, &text);
	buf_adds(&text, "I\n");
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < 2; k++) {
			const struct code_function *f = x->side[k].f;
			struct version_table t = {{.f = f, .which = k, .call = call_number(l[k], f), .data = table_data}, l[k]};
			if (diff_input_read(x->d, inputs[i], &t.caller, &text))
				BUG("an input of ours that cannot be read: %s", inputs[i]);
		}
	char *argv[] = {w->caller, "-s", l[OLD]->path, l[NEW]->path, NULL};
	struct launch_input in = {.data = text.data, .size = text.size, .present = 1, .argv = argv};
	int e = launcher_run(w->launcher, &in, &r) || r.end != RUN_EXIT || r.code;
	if (e)
		log_info("a batch of inputs cannot be run: %s", run_end_key(r.end));
	buf_clear(reply);
	if (!e)
		buf_add(reply, r.out.data, r.out.size);
	buf_release(&text);
	return e ? -1 : 0;
}

/* Is each pointer one that a program may have? From a number that is none, an offset leads anywhere, also to null. */
static int pointers_can_be(struct diff_pair *x, const struct solve_model *m)
{
	for (size_t i = 0; i < x->inputs.size; i++) {
		uint64_t at = is_pointer_word(x, &x->inputs.data[i]) ? (uint64_t)solve_model_eval(x->p, m, x->inputs.data[i].term) : 0;
		if (at && at - CALLER_ARENA >= CALLER_ARENA_BYTES && at - CALLER_CODE >= CALLER_POINTERS * CALLER_CODE_BYTES)
			return 0;
	}
	return 1;
}

/* Of an input that is only a proposal (stubs.c) the run alone says what it shows: one version follows a null pointer, or divides by zero, and the other does not; or neither does. */
static void settle_kind(struct diff_pair *x, const struct solve_model *m, const struct seen seen[2], struct diff_case *out)
{
	if (x->stubs)
		out->undefined = seen[OLD].crashed != seen[NEW].crashed && !seen[OLD].wild && !seen[NEW].wild && pointers_can_be(x, m);
}

/* Does it all happen once more? What differs by the clock alone does not. */
static int happens_again(struct diff_pair *x, const char *text, const struct seen seen[2])
{
	struct seen again[2] = {{0}};
	int same = !run_both(x, text, again);
	for (int k = 0; k < 2; k++) {
		same = same && same_seen(&seen[k], &again[k]);
		seen_release(&again[k]);
	}
	return same;
}

int diff_witness_run_text(struct diff_pair *x, const struct solve_model *m, const char *text, struct diff_case *out)
{
	struct seen seen[2] = {{0}};
	int ok = !run_both(x, text, seen);
	settle_kind(x, m, seen, out);
	ok = ok && describe(x, m, &seen[OLD], &seen[NEW], out) && (!out->undefined || seen[OLD].crashed || seen[NEW].crashed);
	ok = ok && (out->termination || happens_again(x, text, seen));
	if (ok) {
		note_inputs(x, m, out);
		out->run = strdup(text);
	} else {
		free(out->old);
		free(out->new);
		free(out->what);
		out->old = out->new = out->what = NULL;
	}
	for (int k = 0; k < 2; k++)
		seen_release(&seen[k]);
	return ok;
}

int diff_witness_run_as_is(struct diff_pair *x, const struct solve_model *m, struct diff_case *out)
{
	struct buf text = BUF_EMPTY;
	diff_input_write(x, m, &text);
	int ok = diff_witness_run_text(x, m, buf_str(&text), out);
	buf_release(&text);
	return ok;
}

int diff_witness_run(struct diff_pair *x, const struct solve_model *m, const expr_t *region, unsigned count, struct diff_case *out)
{
	struct solve_model fitted = {0};
	int pointers = x->callees.size != 0;
	for (size_t i = 0; i < x->inputs.size; i++)
		pointers |= x->inputs.data[i].is_pointer;
	if (pointers && !fit_model(x, region, count, &fitted)) {
		log_info("witness of %s: its pointers cannot be addresses in the memory of runs", x->side[NEW].f->name);
		return 0;
	}
	int ok = diff_witness_run_as_is(x, pointers ? &fitted : m, out);
	solve_model_release(&fitted);
	return ok;
}

int diff_witness_replay(struct diff_pair *x, const char *text, struct diff_case *out)
{
	struct seen seen[2] = {{0}};
	int e = run_both(x, text, seen), differs = 0;
	if (!e) {
		out->termination = seen[OLD].timeout != seen[NEW].timeout;
		out->undefined = seen[OLD].crashed != seen[NEW].crashed;
		differs = describe(x, NULL, &seen[OLD], &seen[NEW], out);
		if (!differs) {
			struct buf what = BUF_EMPTY;
			end_text(x, NEW, &seen[NEW], &what);
			free(out->what);
			out->what = buf_take(&what);
		}
	}
	for (int k = 0; k < 2; k++)
		seen_release(&seen[k]);
	return e ? -1 : differs;
}

struct diff_witnesses *diff_witnesses_new(const struct differ *d)
{
	struct diff_witnesses *w = mem_zalloc(sizeof *w);
	w->d = d;
	for (int k = 0; k < 2; k++) {
		uint64_t instructions = 0;
		for (size_t i = 0; i < d->whole[k]->units.size; i++)
			for (uint32_t f = 0; f < d->whole[k]->units.data[i].code->function_count; f++)
				instructions += d->whole[k]->units.data[i].code->functions[f].instructions;
		w->v[k].large = instructions > LARGE;
	}
	return w;
}

static void loaded_free(struct loaded *l)
{
	for (size_t i = 0; i < l->calls.size; i++)
		free(l->calls.data[i]);
	for (size_t i = 0; i < l->data.size; i++)
		free(l->data.data[i]);
	vec_release(&l->calls);
	vec_release(&l->data);
	buf_release(&l->names);
	char *moved = moved_path(l->path);
	unlink(moved);
	unlink(l->path);
	free(moved);
	free(l->path);
	free(l->function);
	free(l);
}

void diff_witnesses_free(struct diff_witnesses *w)
{
	if (!w)
		return;
	for (int k = 0; k < 2; k++) {
		for (struct loaded *l = w->v[k].loaded, *next; l; l = next) {
			next = l->next;
			loaded_free(l);
		}
	}
	launcher_free(w->launcher);
	free(w->caller);
	free(w);
}
