/* hooks.c: the slow side of calls: results, variable arguments, structures by
 * value. The operators' hooks are in node.c, those of memory in memory.c.
 */
#include "hooks.h"
#include "node.h"

/* Whose result is it? A function that is instrumented leaves a label, or 0, whenever it returns, and so does the one that a tail call
 * put in its place. What lies there after another function is another's. */
static int is_result(const struct rt_tls *t, const void *fn)
{
	return t->ret_owner == (uint64_t)fn || (t->tails && ((const uint64_t *)fn)[-1] == MUSTER_FUNCTION_MAGIC);
}

label __muster_result(const void *fn, uint32_t index)
{
	struct rt_tls *t = &__muster_tls;
	label a = t->ret[index];
	t->ret[index] = 0;
	return a && is_result(t, fn) && RT_ON() ? a : 0;
}

void __muster_object(const void *p, uint64_t size)
{
	rt_object_add(p, size);
}

/* As inline.c has it. */
static void set_object(void *p, uint64_t size)
{
	*(uint32_t *)(MUSTER_OBJECT_BASE + ((uint64_t)p >> 4) * 4) = (uint32_t)size;
}

void __muster_local(void *p, uint64_t size)
{
	__muster_clear(p, size);
	set_object(p, size);
}

void __muster_left(void *p)
{
	set_object(p, 0);
}

/* ---------------------------------------------------- varargs, structures */

void __muster_va_put(uint32_t offset, uint32_t size, label a)
{
	struct rt_tls *t = &__muster_tls;
	if (!RT_ON())
		return;
	if (t->extra_count >= sizeof t->extra / sizeof *t->extra) {
		rt_concrete(a, MUSTER_REASON_VARARG);
		return;
	}
	t->extra[t->extra_count++] = (struct rt_extra){offset, size, a};
}

/* Whether a byte of it has a label. */
uint32_t __muster_va_struct(uint32_t offset, const void *p, uint64_t size)
{
	uint32_t any = 0;
	for (uint64_t i = 0; i < size; i += 8) {
		unsigned n = size - i < 8 ? (unsigned)(size - i) : 8;
		label a = rt_load((const char *)p + i, n);
		if (a)
			__muster_va_put(offset + (uint32_t)i, n, a);
		any |= a;
	}
	return any;
}

void __muster_va_enter(struct rt_va_save *save)
{
	struct rt_tls *t = &__muster_tls;
	save->count = RT_ON() ? t->extra_count : 0;
	save->size = t->extra_size;
	for (uint32_t i = 0; i < save->count; i++)
		save->extra[i] = t->extra[i];
}

#define REGISTER_AREA 176 /* six integer and eight vector registers, by the psABI */

void __muster_va_start(void *list, const struct rt_va_save *save)
{
	struct va {
		uint32_t gp, fp;
		char *overflow, *registers;
	} *va = list;
	rt_clear(va, sizeof *va);
	rt_clear(va->registers, REGISTER_AREA);
	/* Only the caller knows how long the overflow area is; what lies beyond is its own. */
	rt_clear(va->overflow, save->size);
	for (uint32_t i = 0; i < save->count; i++) {
		const struct rt_extra *e = &save->extra[i];
		char *at = e->offset < REGISTER_AREA ? va->registers + e->offset : va->overflow + (e->offset - REGISTER_AREA);
		label a = e->label;
		if (rt_width(a) < e->size * 8)
			a = rt_zext(a, e->size * 8);
		rt_store(at, e->size, a);
	}
}

/* Structures passed by value travel as memory: the caller's cells wait here for
 * the callee to put them over its own copy. */
static __thread uint32_t byval_cells[4096] __attribute__((tls_model("initial-exec")));

uint32_t __muster_byval_put(uint32_t offset, const void *p, uint64_t size, uint64_t site)
{
	uint32_t any = 0;
	if (offset + size > sizeof byval_cells / sizeof *byval_cells) {
		__muster_concrete_memory(p, size, MUSTER_REASON_ARGUMENT, site);
		return 0;
	}
	for (uint64_t i = 0; i < size; i++)
		any |= byval_cells[offset + i] = RT_ON() ? ((const uint32_t *)MUSTER_SHADOW(p))[i] : 0;
	return any;
}

void __muster_byval_get(uint32_t offset, const void *p, uint64_t size, uint32_t own)
{
	rt_clear(p, size);
	if (!own || !RT_ON() || offset + size > sizeof byval_cells / sizeof *byval_cells)
		return;
	for (uint64_t i = 0; i < size; i++)
		if (byval_cells[offset + i]) {
			RT_STATE->any_label = 1;
			*(uint8_t *)(MUSTER_DIRTY_BASE + (((uint64_t)p + i) >> 12)) = 1;
			((uint32_t *)MUSTER_SHADOW(p))[i] = byval_cells[offset + i];
		}
}
