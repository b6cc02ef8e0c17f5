/* symbolic.c: input that does not come from a file: objects that the program
 * marks, harness calls for single values, arguments and environment.
 *
 * An object takes its bytes from the source that the engine named for objects, in
 * the order of the calls. Where that source has no more bytes, what stands in
 * memory is the seed value: the program then does what it would have done.
 */
#include "node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int object_source(void)
{
	struct muster_header *h = RT_STATE->header;
	return RT_ON() && h->object_source < h->source_count ? (int)h->object_source : -1;
}

/* Bytes of the source that the engine put into the mapping. */
static const uint8_t *source_bytes(int source)
{
	struct muster_header *h = RT_STATE->header;
	return h->data_size ? (const uint8_t *)h + h->data_offset : NULL;
	(void)source;
}

static void symbolic(void *p, size_t size, const char *name)
{
	int source = object_source();
	if (source < 0)
		return;
	struct muster_header *h = RT_STATE->header;
	uint64_t at = h->object_used, have = h->sources[source].size;
	const uint8_t *bytes = source_bytes(source);
	if (have > h->data_size)
		have = h->data_size;
	if (bytes && at < have)
		memcpy(p, bytes + at, have - at < size ? have - at : size);
	rt_label_input(p, (unsigned)source, at, size);
	h->object_used = at + size;
	if (h->object_count < MUSTER_MAX_OBJECTS) {
		struct muster_object *o = &h->objects[h->object_count++];
		o->source = (uint32_t)source;
		o->offset = at;
		o->size = size;
		strncpy(o->name, name ? name : "", sizeof o->name - 1);
	}
}

RT_EXPORT void __wrap_muster_symbolic(void *p, unsigned long size, const char *name)
{
	label a[3];
	rt_enter(__wrap_muster_symbolic, a, 3);
	rt_concrete(a[0], MUSTER_REASON_STORE);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	symbolic(p, size, name);
}

RT_EXPORT void __wrap_klee_make_symbolic(void *p, size_t size, const char *name)
{
	label a[3];
	rt_enter(__wrap_klee_make_symbolic, a, 3);
	rt_concrete(a[0], MUSTER_REASON_STORE);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	symbolic(p, size, name);
}

/* A path that breaks an assumption is none of the program's: it ends here. */
static void assume(int holds)
{
	if (!holds && RT_ON()) {
		rt_event(MUSTER_EV_END, MUSTER_END_ASSUME, 0);
		RT_STATE->active = 0;
		_Exit(0);
	}
}

RT_EXPORT void __wrap_klee_assume(uintptr_t condition)
{
	label a[1];
	rt_enter(__wrap_klee_assume, a, 1);
	rt_given(rt_binary(MUSTER_OP_NE, 64, a[0], 0, condition, 0));
	assume(condition != 0);
}

RT_EXPORT void __wrap_muster_assume(int condition)
{
	label a[1];
	rt_enter(__wrap_muster_assume, a, 1);
	rt_given(rt_binary(MUSTER_OP_NE, 32, a[0], 0, (uint32_t)condition, 0));
	assume(condition != 0);
}

RT_EXPORT void __wrap___VERIFIER_assume(int condition)
{
	label a[1];
	rt_enter(__wrap___VERIFIER_assume, a, 1);
	rt_given(rt_binary(MUSTER_OP_NE, 32, a[0], 0, (uint32_t)condition, 0));
	assume(condition != 0);
}

/* What must hold, whatever the input; where it does not, the program ends here, in every variant. */
static void must_hold(enum muster_checker checker, label l, int holds, const char *what, const char *text, const char *file, int line)
{
	rt_check(checker, rt_binary(MUSTER_OP_NE, 32, l, 0, (uint32_t)holds, 0));
	if (!holds) {
		dprintf(2, "muster: %s: %s at %s:%d\n", what, text, file, line);
		abort();
	}
}

RT_EXPORT void __wrap_muster_assert_holds(int holds, const char *text, const char *file, int line)
{
	label a[1];
	rt_enter(__wrap_muster_assert_holds, a, 1);
	must_hold(MUSTER_CHECK_ASSERT, a[0], holds, "assertion violated", text, file, line);
}

RT_EXPORT void __wrap_muster_refine_holds(int holds, const char *text, const char *file, int line)
{
	label a[1];
	rt_enter(__wrap_muster_refine_holds, a, 1);
	must_hold(MUSTER_CHECK_REFINE, a[0], holds, "refinement violated", text, file, line);
}

RT_EXPORT void __wrap_muster_contract_holds(int holds, const char *text, const char *file, int line)
{
	label a[1];
	rt_enter(__wrap_muster_contract_holds, a, 1);
	must_hold(MUSTER_CHECK_REFINE, a[0], holds, "contract broken", text, file, line);
}

RT_EXPORT void __wrap___VERIFIER_assert(int condition)
{
	label a[1];
	rt_enter(__wrap___VERIFIER_assert, a, 1);
	rt_check(MUSTER_CHECK_ASSERT, rt_binary(MUSTER_OP_NE, 32, a[0], 0, (uint32_t)condition, 0));
	if (!condition) {
		dprintf(2, "muster: assertion violated: the condition of __VERIFIER_assert\n");
		abort();
	}
}

#define X(name)                                                                                    \
	RT_EXPORT void __wrap_##name(void)                                                         \
	{                                                                                          \
		dprintf(2, "muster: assertion violated: %s() is not called\n", #name);             \
		abort();                                                                           \
	}
MUSTER_ERROR_FUNCTIONS(X)
#undef X

#define NONDET(name, type)                                                                         \
	RT_EXPORT type __wrap___VERIFIER_nondet_##name(void)                                       \
	{                                                                                          \
		type v = 0;                                                                        \
		symbolic(&v, sizeof v, #name);                                                     \
		rt_return(__wrap___VERIFIER_nondet_##name, rt_load(&v, sizeof v));                 \
		return v;                                                                          \
	}
NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(size_t, size_t)
NONDET(unsigned, unsigned)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(u64, uint64_t)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(pointer, void *)

RT_EXPORT _Bool __wrap___VERIFIER_nondet_bool(void)
{
	unsigned char v = 0;
	symbolic(&v, 1, "bool");
	label byte = rt_load(&v, 1);
	rt_return(__wrap___VERIFIER_nondet_bool, rt_binary(MUSTER_OP_NE, 8, byte, 0, v, 0));
	return v != 0;
}

/* Floating point has no labels: the bytes are input, their use is concretised. */
#define NONDET_FLOAT(name, type)                                                                   \
	RT_EXPORT type __wrap___VERIFIER_nondet_##name(void)                                       \
	{                                                                                          \
		type v = 0;                                                                        \
		symbolic(&v, sizeof v, #name);                                                     \
		rt_concrete_range(&v, sizeof v, MUSTER_REASON_FLOAT);                              \
		return v;                                                                          \
	}
NONDET_FLOAT(float, float)
NONDET_FLOAT(double, double)

/* ------------------------------------------------ arguments, environment */

static void label_text(char *text, unsigned source)
{
	rt_label_input(text, source, 0, strlen(text));
}

void rt_label_args(int argc, char **argv, char **envp)
{
	struct muster_header *h = RT_STATE->header;
	for (uint32_t i = 0; i < h->source_count && i < MUSTER_MAX_SOURCES; i++) {
		struct muster_source *s = &h->sources[i];
		if (s->kind == MUSTER_SOURCE_ARG && s->dev < (uint64_t)argc)
			label_text(argv[s->dev], i);
		if (s->kind != MUSTER_SOURCE_ENV)
			continue;
		const char *name = strncmp(s->name, "env.", 4) == 0 ? s->name + 4 : s->name;
		size_t n = strlen(name);
		for (char **e = envp; *e; e++)
			if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
				label_text(*e + n + 1, i);
	}
}
