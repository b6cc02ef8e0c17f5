/* check.c: functions of tests/vc/generate beside their terms, on all inputs.
 *
 *	check-vc FILE.bc FILE.so COUNT STEP [TABLE [UNROLL]]
 *
 * For each function f0 .. f(COUNT-1): the terms of how its paths end, of its result and of all memory that is visible afterwards, by src/vc; then the compiled
 * function is called with every STEP-th pair of its two bytes, and all terms are evaluated with these bytes, the memory's contents before and the true addresses.
 * Exactly one end must have a true guard; it must be the one that happened (a return, a signal, a call of stop()); after a return
 * result and memory must agree. With TABLE, larger objects than so many bytes are arrays without a size; their terms cannot be run on a tape, so
 * they are evaluated one by one, which takes long. Prints what it counted; status 1 with the first difference of a function, or if more than a quarter of the runs (with TABLE: half, since moves of
 * an unknown length are not modelled there) ended in something that is not modelled. UNROLL: iterations of a loop that become terms.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "expr/tape.h"
#include "vc/vc.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P_BYTES 16
#define Q_BYTES 16
#define MOST_OBJECTS 16

typedef uint64_t function_t(uint8_t a, uint8_t b, uint8_t *p, int32_t *q, uint8_t *r);

struct watched { /* memory that is compared afterwards */
	char name[32];
	uint8_t *at;
	uint64_t bytes;
	uint8_t start[64];
	uint32_t object;
};

static struct watched watched[MOST_OBJECTS];
static unsigned watched_count;
static uint8_t p_bytes[P_BYTES] __attribute__((aligned(16))), q_bytes[Q_BYTES] __attribute__((aligned(16)));
static sigjmp_buf back;
static uint64_t seed = 0x9e3779b97f4a7c15ull;

struct totals {
	uint64_t runs, ends[VC_END_COUNT];
	unsigned functions, wrong;
};

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

void stop(void);
void stop(void)
{
	siglongjmp(back, 2);
}

static void on_signal(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* How the function ends: 0 it returns, 1 a signal, 2 stop(). */
static int native(function_t *f, unsigned a, unsigned b, uint64_t *result)
{
	for (unsigned i = 0; i < watched_count; i++)
		memcpy(watched[i].at, watched[i].start, watched[i].bytes);
	int how = sigsetjmp(back, 1);
	if (!how)
		*result = f((uint8_t)a, (uint8_t)b, p_bytes, (int32_t *)(void *)q_bytes, p_bytes + 4);
	return how;
}

static void watch(const char *name, uint8_t *at, uint64_t bytes, uint32_t object)
{
	struct watched *w = &watched[watched_count++];
	snprintf(w->name, sizeof w->name, "%s", name);
	w->at = at;
	w->bytes = bytes;
	w->object = object;
	for (uint64_t i = 0; i < bytes; i++)
		w->start[i] = next_random() % 3 ? (uint8_t)next_random() : (uint8_t)(next_random() % 4);
}

/* ------------------------------------------------------------ the terms */
struct terms {
	struct exprs *p;
	struct vc *v;
	const struct vc_end *ends;
	size_t end_count;
	VEC(expr_t) roots; /* guards of ends; the result; bytes of memory */
	uint64_t table; /* 0: all terms run on the tape */
	unsigned unroll;
	struct tape tape;
	u128 *slots;
	int slot_a, slot_b;
	unsigned a, b; /* the input, where there is no tape */
	u128 *out;
};

static void make_terms(struct terms *t, const struct code *c, void *library, const struct code_function *f)
{
	expr_t args[5];
	struct vc_outcome o;
	t->p = exprs_new();
	t->v = vc_new(t->p, c, &(struct vc_options){.table = t->table, .unroll = t->unroll});
	watched_count = 0;
	uint32_t p = vc_object(t->v, "P", P_BYTES), q = vc_object(t->v, "Q", Q_BYTES);
	watch("P", p_bytes, P_BYTES, p);
	watch("Q", q_bytes, Q_BYTES, q);
	for (uint32_t g = 0; g < c->global_count; g++) {
		void *at = dlsym(library, c->globals[g].name);
		if (at && c->globals[g].bytes <= 64 && watched_count < MOST_OBJECTS)
			watch(c->globals[g].name, at, c->globals[g].bytes, vc_global(t->v, g));
	}
	args[0] = expr_named(t->p, 8, "a");
	args[1] = expr_named(t->p, 8, "b");
	args[2] = vc_address(t->v, p);
	args[3] = vc_address(t->v, q);
	args[4] = expr_binary(t->p, MUSTER_OP_ADD, args[2], expr_const(t->p, 64, 4));
	vc_run(t->v, f, args, &o);
	t->ends = vc_ends(t->v, &t->end_count);
	for (size_t i = 0; i < t->end_count; i++)
		vec_push(&t->roots, t->ends[i].guard);
	vec_push(&t->roots, o.value != EXPR_NONE ? o.value : expr_const(t->p, 64, 0));
	for (unsigned i = 0; i < watched_count; i++)
		for (uint64_t k = 0; k < watched[i].bytes; k++)
			vec_push(&t->roots, vc_read(t->v, o.memory, watched[i].object, expr_const(t->p, 64, k), 8));
	if (!t->table)
		tape_init(&t->tape, t->p, t->roots.data, (uint32_t)t->roots.size);
	t->slots = mem_zalloc((t->tape.var_count + 1) * sizeof *t->slots);
	t->out = mem_zalloc((t->roots.size + 1) * sizeof *t->out);
}

static void free_terms(struct terms *t)
{
	if (!t->table)
		tape_release(&t->tape);
	vec_release(&t->roots);
	free(t->slots);
	free(t->out);
	vc_free(t->v);
	exprs_free(t->p);
}

/* The value of a variable that does not change from run to run: a byte of memory before, an address. */
static u128 fixed_value(struct terms *t, expr_t e)
{
	for (unsigned i = 0; i < watched_count; i++) {
		expr_t start = vc_object_start(t->v, watched[i].object);
		if (vc_address(t->v, watched[i].object) == e)
			return (uint64_t)(uintptr_t)watched[i].at;
		for (uint64_t k = 0; expr_get(t->p, start)->op == MUSTER_OP_DATA && k < watched[i].bytes; k++)
			if (expr_data_byte(t->p, start, k) == e)
				return watched[i].start[k];
	}
	for (uint32_t i = 0; i < vc_objects(t->v); i++) /* locals: anywhere, apart from each other */
		if (vc_address(t->v, i) == e)
			return 0x7e0000000000ull + i * 0x1000ull;
	return next_random(); /* what nothing may depend on */
}

static u128 value_of(void *ctx, expr_t e)
{
	struct terms *t = ctx;
	const char *name = expr_name(t->p, e);
	return !strcmp(name, "a") ? t->a : !strcmp(name, "b") ? t->b : fixed_value(t, e);
}

static uint8_t byte_of(void *ctx, expr_t array, uint64_t offset)
{
	struct terms *t = ctx;
	for (unsigned i = 0; i < watched_count; i++)
		if (vc_object_start(t->v, watched[i].object) == array && offset < watched[i].bytes)
			return watched[i].start[offset];
	return (uint8_t)next_random(); /* a local before it is written */
}

static void evaluate(struct terms *t, unsigned input)
{
	struct expr_values values = {.value = value_of, .byte = byte_of, .ctx = t};
	t->a = input & 255;
	t->b = input >> 8;
	for (size_t i = 0; i < t->roots.size; i++)
		t->out[i] = expr_evaluate(t->p, t->roots.data[i], &values);
}

static void fill_slots(struct terms *t)
{
	t->slot_a = t->slot_b = -1;
	for (uint32_t i = 0; i < t->tape.var_count; i++) {
		const char *name = expr_name(t->p, t->tape.vars[i]);
		if (!strcmp(name, "a"))
			t->slot_a = (int)i;
		else if (!strcmp(name, "b"))
			t->slot_b = (int)i;
		else
			t->slots[i] = fixed_value(t, t->tape.vars[i]);
	}
}

/* ------------------------------------------------------------ one run */

/* NULL: the terms say what happened. */
static const char *compare(struct terms *t, int how, uint64_t result, struct totals *all)
{
	static char words[200];
	size_t end = 0, holds = 0;
	for (size_t i = 0; i < t->end_count; i++)
		if (t->out[i]) {
			end = i;
			holds++;
		}
	if (holds != 1) {
		snprintf(words, sizeof words, "%zu ends at once", holds);
		return words;
	}
	enum vc_end_kind kind = t->ends[end].kind;
	all->ends[kind]++;
	if (kind == VC_UNKNOWN || kind == VC_BOUND)
		return NULL;
	if ((kind == VC_RETURN) != (how == 0) || (kind == VC_EXIT) != (how == 2) || kind == VC_UNREACHABLE || kind == VC_CUT) {
		snprintf(words, sizeof words, "it ends by %s (%s), says vc; the program %s", vc_end_words(kind), t->ends[end].why ? t->ends[end].why : "",
			 how == 0 ? "returned" : how == 1 ? "had a signal" : "called stop()");
		return words;
	}
	if (how)
		return NULL;
	if ((uint64_t)t->out[t->end_count] != result) {
		snprintf(words, sizeof words, "the result is %llx, says vc, and was %llx", (unsigned long long)t->out[t->end_count], (unsigned long long)result);
		return words;
	}
	size_t at = t->end_count + 1;
	for (unsigned i = 0; i < watched_count; i++)
		for (uint64_t k = 0; k < watched[i].bytes; k++, at++)
			if (t->out[at] != watched[i].at[k]) {
				snprintf(words, sizeof words, "%s[%u] is %02x, says vc, and was %02x", watched[i].name, (unsigned)k, (unsigned)t->out[at], watched[i].at[k]);
				return words;
			}
	return NULL;
}

/* TAPE_LANES pairs of bytes; step: between them. */
static int run_some(struct terms *t, function_t *f, const char *name, unsigned from, unsigned step, uint64_t *lanes, uint64_t *outs, struct totals *all)
{
	int batch;
	for (uint32_t i = 0; i < t->tape.var_count; i++)
		for (unsigned l = 0; l < TAPE_LANES; l++) {
			unsigned input = (from + l * step) & 0xffff;
			lanes[i * TAPE_LANES + l] = (int)i == t->slot_a ? input & 255 : (int)i == t->slot_b ? input >> 8 : (uint64_t)t->slots[i];
		}
	batch = !t->table && tape_run_batch(&t->tape, lanes, outs);
	for (unsigned l = 0; l < TAPE_LANES && from + l * step < 0x10000; l++) {
		unsigned input = from + l * step;
		uint64_t result = 0;
		if (t->table) {
			evaluate(t, input);
		} else if (!batch) {
			if (t->slot_a >= 0)
				t->slots[t->slot_a] = input & 255;
			if (t->slot_b >= 0)
				t->slots[t->slot_b] = input >> 8;
			tape_run(&t->tape, t->slots, t->out);
		}
		for (size_t i = 0; batch && i < t->roots.size; i++)
			t->out[i] = outs[i * TAPE_LANES + l];
		int how = native(f, input & 255, input >> 8, &result);
		all->runs++;
		const char *wrong = compare(t, how, result, all);
		if (wrong) {
			printf("%s(%u, %u): %s\n", name, input & 255, input >> 8, wrong);
			return -1;
		}
	}
	return 0;
}

static void check(const struct code *c, void *library, const char *name, unsigned step, struct terms t, struct totals *all)
{
	const struct code_function *f = code_find(c, name);
	function_t *compiled;
	*(void **)&compiled = dlsym(library, name);
	if (!f || !compiled) {
		printf("%s: no such function\n", name);
		all->wrong++;
		return;
	}
	make_terms(&t, c, library, f);
	fill_slots(&t);
	uint64_t *lanes = mem_zalloc((t.tape.var_count + 1) * TAPE_LANES * sizeof *lanes), *outs = mem_zalloc(t.roots.size * TAPE_LANES * sizeof *outs);
	if (getenv("CHECK_VC_VERBOSE")) {
		printf("%s: %u terms\n", name, exprs_count(t.p));
		for (size_t i = 0; i < t.end_count; i++)
			printf("  %s line %u: %s\n", vc_end_words(t.ends[i].kind), t.ends[i].at != CODE_NONE ? t.ends[i].f->values[t.ends[i].at].line : 0,
			       t.ends[i].why ? t.ends[i].why : "");
	}
	for (unsigned from = 0; from < 0x10000; from += step * TAPE_LANES)
		if (run_some(&t, compiled, name, from, step, lanes, outs, all)) {
			all->wrong++;
			break;
		}
	all->functions++;
	free(lanes);
	free(outs);
	free_terms(&t);
}

int main(int argc, char **argv)
{
	static const int signals[] = {SIGILL, SIGFPE, SIGSEGV, SIGTRAP, SIGBUS};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
	struct buf bitcode = {0};
	struct totals all = {0};
	if (argc < 5 || argc > 7)
		return 2;
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	if (file_read(argv[1], &bitcode)) {
		printf("%s\n", error_text());
		return 2;
	}
	struct code *c = code_load(bitcode.data, bitcode.size, 1);
	void *library = dlopen(argv[2], RTLD_NOW);
	if (!c || !library) {
		printf("%s\n", c ? dlerror() : error_text());
		return 2;
	}
	struct terms start = {.table = argc > 5 ? (uint64_t)atoi(argv[5]) : 0, .unroll = argc > 6 ? (unsigned)atoi(argv[6]) : 0};
	for (int i = 0; i < atoi(argv[3]); i++) {
		char name[24];
		snprintf(name, sizeof name, "f%d", i);
		check(c, library, name, (unsigned)atoi(argv[4]), start, &all);
	}
	printf("%u functions, %llu runs, %u wrong;", all.functions, (unsigned long long)all.runs, all.wrong);
	for (unsigned i = 0; i < VC_END_COUNT; i++)
		printf(" %s %llu%s", vc_end_words(i), (unsigned long long)all.ends[i], i + 1 < VC_END_COUNT ? "," : "\n");
	code_free(c);
	buf_release(&bitcode);
	return all.wrong || (start.table ? 2 : 4) * (all.ends[VC_UNKNOWN] + all.ends[VC_BOUND]) > all.runs;
}
