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

#define SECONDS (4 * CALLER_FILLS * CALLER_MILLISECONDS / 1000.0 + 0.5) /* of a run, which is all calls on an input */
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

/* ------------------------------------------------------------ the object */

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
	struct expose_request request = {.function = function, .overflow = w->d->o->overflow};
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

/* Both versions, on an input for each. -1: they cannot be run, or one does not do the same each time. all: also if the first calls leave the same. */
static int run_calls(struct diff_witnesses *w, struct loaded *const l[2], const struct buf *input, int all, struct diff_seen out[2])
{
	char *argv[] = {w->caller, l[OLD]->path, l[NEW]->path, NULL, NULL};
	if (all)
		memcpy(argv + 1, (char *[]){"-a", l[OLD]->path, l[NEW]->path}, 3 * sizeof *argv);
	struct launch_input in = {.data = input->data, .size = input->size, .present = 1, .argv = argv};
	struct run_result r;
	if (launcher_run(w->launcher, &in, &r) || r.end == RUN_FAILED || r.end == RUN_CUT || (r.end == RUN_EXIT && r.code))
		return -1;
	char *text = buf_str(&r.out);
	for (int k = 0; k < 2; k++)
		if (diff_seen_read(&text, &out[k]))
			return -1;
	return 0;
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

/* What addresses of objects of the type are multiples of; 1: not known, or of bytes. */
static uint64_t type_alignment(const struct code *c, uint32_t type)
{
	const struct code_type *t = type == CODE_NONE ? NULL : &c->types[type];
	uint64_t most = 1;
	if (!t || !t->bytes)
		return 1;
	if (t->kind == CODE_TYPE_ARRAY)
		return type_alignment(c, t->base);
	if (t->kind == CODE_TYPE_INT || t->kind == CODE_TYPE_POINTER || t->kind == CODE_TYPE_FLOAT)
		return t->bytes & (t->bytes - 1) || t->bytes > 16 ? 1 : t->bytes;
	for (uint32_t i = 0; i < t->members; i++) {
		const struct code_member *m = &c->members[t->first_member + i];
		uint64_t a = m->bits ? 1 : type_alignment(c, m->type);
		if (m->offset % a) /* packed */
			return 1;
		most = a > most ? a : most;
	}
	return t->bytes % most ? 1 : most;
}

static uint64_t alignment_of(const struct diff_pair *x, const struct diff_word *in)
{
	const struct code *c = x->side[NEW].f->code;
	return is_pointer_word(x, in) && in->type != CODE_NONE && c->types[in->type].kind == CODE_TYPE_POINTER ? type_alignment(c, c->types[in->type].base) : 1;
}

/* C has no pointer to an object that is not where its type wants it. */
static int pointers_are_aligned(struct diff_pair *x, const struct solve_model *m)
{
	for (size_t i = 0; i < x->inputs.size; i++) {
		uint64_t most = alignment_of(x, &x->inputs.data[i]);
		if (most > 1 && (uint64_t)solve_model_eval(x->p, m, x->inputs.data[i].term) % most)
			return 0;
	}
	return 1;
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
			expr_t e = x->inputs.data[i].term, low = expr_const(p, 64, alignment_of(x, &x->inputs.data[i]) - 1);
			vec_push(&all, pointer_can_be(x, e));
			vec_push(&all, expr_eq(p, expr_binary(p, MUSTER_OP_AND, e, low), expr_const(p, 64, 0)));
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

static void log_seen(const struct diff_pair *x, int ok, const struct diff_seen seen[2], const struct buf *input)
{
	for (int k = 0; k < 2; k++)
		log_info("witness of %s: %s version: %s%s%s%s", x->side[k].f->name, k == OLD ? "old" : "new", seen[k].result ? seen[k].result : "", seen[k].end ? seen[k].end : "", seen[k].memory ? seen[k].memory : "",
			 seen[k].out ? seen[k].out : "");
	log_info("%s on:\n%s", ok ? "steady" : "cannot be run, or not the same each time", buf_str((struct buf *)input));
}

/* -1: they cannot be run, with words, or do not do the same each time; of two that differ in nothing that is known only if all of it is asked for. */
static int run_both(struct diff_pair *x, const char *text, int all, struct diff_seen seen[2])
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
	if (!e && (!l[OLD] || !l[NEW] || run_calls(w, l, &input, all, seen)))
		e = error_set("it cannot be run, has memory overlap that may not, or does not do the same each time");
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
static void settle_kind(struct diff_pair *x, const struct solve_model *m, const struct diff_seen seen[2], struct diff_case *out)
{
	if (x->stubs)
		out->undefined = seen[OLD].crashed != seen[NEW].crashed && !seen[OLD].wild && !seen[NEW].wild && pointers_can_be(x, m);
}

int diff_witness_run_text(struct diff_pair *x, const struct solve_model *m, const char *text, struct diff_case *out)
{
	struct diff_seen seen[2] = {{0}};
	int ok = pointers_are_aligned(x, m) && !run_both(x, text, 0, seen);
	settle_kind(x, m, seen, out);
	ok = ok && diff_seen_differ(x, m, &seen[OLD], &seen[NEW], out) && (!out->undefined || seen[OLD].crashed || seen[NEW].crashed);
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
		diff_seen_release(&seen[k]);
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
	struct diff_seen seen[2] = {{0}};
	int e = run_both(x, text, 1, seen), differs = 0;
	if (!e) {
		out->termination = seen[OLD].timeout != seen[NEW].timeout;
		out->undefined = seen[OLD].crashed != seen[NEW].crashed;
		differs = diff_seen_differ(x, NULL, &seen[OLD], &seen[NEW], out);
		if (!differs) {
			struct buf what = BUF_EMPTY;
			diff_seen_end_text(x, NEW, &seen[NEW], &what);
			free(out->what);
			out->what = buf_take(&what);
		}
	}
	for (int k = 0; k < 2; k++)
		diff_seen_release(&seen[k]);
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
