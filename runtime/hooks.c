/* hooks.c: the slow side of instrumented code.
 *
 * Each hook runs with at least one label that is not zero. A label that comes
 * from a register is believed only if the register holds its node's value:
 * after longjmp the two may have parted, and then the label is dropped with an
 * event, like a stale label of memory.
 */
#include "hooks.h"
#include "node.h"

static inline label believed(label a, uint64_t value, uint64_t site)
{
	if (RT_UNLIKELY(a && rt_node(a)->value != value))
		return rt_stale(a, site, 1);
	return a;
}

label __muster_binary(uint32_t opw, label a, label b, uint64_t va, uint64_t vb)
{
	if (RT_UNLIKELY(!RT_ON()))
		return 0;
	a = believed(a, va, 0);
	b = believed(b, vb, 0);
	return rt_binary(opw & 0xff, opw >> 8, a, b, va, vb);
}

/* Division traps and oversized shifts are not defined: where another input could
 * get there, the condition that this one does not is part of the path. */
static int guard_division(unsigned op, unsigned width, label a, label b, rt_wide va, rt_wide vb, uint64_t site)
{
	rt_wide ones = width >= 128 ? ~(rt_wide)0 : ((rt_wide)1 << width) - 1;
	rt_wide lowest = (rt_wide)1 << (width - 1);
	int is_signed = op == MUSTER_OP_SDIV || op == MUSTER_OP_SREM;
	if (vb == 0 || (is_signed && va == lowest && vb == ones))
		return -1; /* it is about to trap */
	if (b)
		rt_bound_at(rt_wide_binary(MUSTER_OP_NE, width, b, 0, vb, 0), site);
	if (is_signed && a && vb == ones)
		rt_bound_at(rt_wide_binary(MUSTER_OP_NE, width, a, 0, va, lowest), site);
	if (is_signed && b && va == lowest)
		rt_bound_at(rt_wide_binary(MUSTER_OP_NE, width, b, 0, vb, ones), site);
	return 0;
}

static label guarded(unsigned op, unsigned width, label a, label b, rt_wide va, rt_wide vb, uint64_t site)
{
	if (op >= MUSTER_OP_SHL && op <= MUSTER_OP_ASHR) {
		if (vb >= width) {
			rt_concrete_at(a, MUSTER_REASON_SHIFT, site);
			rt_concrete_at(b, MUSTER_REASON_SHIFT, site);
			return 0;
		}
		if (b)
			rt_bound_at(rt_wide_binary(MUSTER_OP_ULT, width, b, 0, vb, width), site);
	} else if (op >= MUSTER_OP_UDIV && op <= MUSTER_OP_SREM) {
		if (guard_division(op, width, a, b, va, vb, site) != 0)
			return 0;
	}
	return rt_wide_binary(op, width, a, b, va, vb);
}

label __muster_guarded(uint32_t opw, label a, label b, uint64_t va, uint64_t vb, uint64_t site)
{
	if (!RT_ON())
		return 0;
	return guarded(opw & 0xff, opw >> 8, believed(a, va, site), believed(b, vb, site), va, vb, site);
}

label __muster_wide(uint32_t opw, label a, label b, uint64_t alow, uint64_t ahigh, uint64_t blow, uint64_t bhigh, uint64_t site)
{
	if (!RT_ON())
		return 0;
	rt_wide va = (rt_wide)ahigh << 64 | alow, vb = (rt_wide)bhigh << 64 | blow;
	a = believed(a, alow, site);
	b = believed(b, blow, site);
	return guarded(opw & 0xff, opw >> 8, a, b, va, vb, site);
}

label __muster_extract(label a, uint32_t low, uint32_t width)
{
	return rt_extract(a, low, width);
}

label __muster_zext(label a, uint32_t width)
{
	return rt_zext(a, width);
}

label __muster_sext(label a, uint32_t width)
{
	return rt_sext(a, width);
}

label __muster_concat(label high, label low, uint32_t high_width, uint32_t low_width, uint64_t vhigh, uint64_t vlow)
{
	if (!RT_ON())
		return 0;
	if (!high)
		high = rt_const(high_width, vhigh, 0);
	if (!low)
		low = rt_const(low_width, vlow, 0);
	return rt_concat(high, low);
}

label __muster_unary(uint32_t opw, label a)
{
	return rt_unary(opw & 0xff, opw >> 8, a);
}

label __muster_ite(label cond, label a, label b, uint32_t width, uint64_t va, uint64_t vb, uint32_t truth)
{
	return rt_ite(cond, a, b, width, va, vb, (int)truth);
}

void __muster_branch(label a, uint32_t taken, uint64_t site)
{
	if (RT_UNLIKELY(!RT_ON()))
		return;
	if ((a = believed(a, taken, site)))
		rt_event_at(MUSTER_EV_BRANCH, taken, site, a);
}

void __muster_branch_all(label a, uint32_t taken, uint64_t site)
{
	if (RT_ON())
		rt_event_at(MUSTER_EV_BRANCH, taken, site, believed(a, taken, site));
}

void __muster_bound(label a, uint64_t site)
{
	rt_bound_at(a, site);
}

void __muster_switch(label a, uint64_t value, uint64_t site)
{
	if (RT_ON() && (a = believed(a, value, site)))
		rt_event_at(MUSTER_EV_SWITCH, 0, site, a);
}

void __muster_switch_all(label a, uint64_t value, uint64_t site)
{
	if (RT_ON())
		rt_event_at(MUSTER_EV_SWITCH, 0, site, believed(a, value, site));
}

label __muster_load(const void *p, uint32_t size, uint64_t site)
{
	return rt_load_cells((uint64_t)p, size, site);
}

void __muster_store(void *p, uint32_t size, label a)
{
	rt_store(p, size, a);
}

void __muster_concrete(label a, uint32_t reason, uint64_t site)
{
	rt_concrete_at(a, reason, site);
}

void __muster_concrete_memory(const void *p, uint64_t size, uint32_t reason, uint64_t site)
{
	if (!RT_ON() || !rt_any(p, size))
		return;
	uint64_t kept = __muster_tls.site;
	__muster_tls.site = site;
	const uint32_t *c = (const uint32_t *)MUSTER_SHADOW(p);
	for (uint64_t i = 0; i < size; i++)
		rt_concrete(MUSTER_CELL_LABEL(c[i]), reason);
	__muster_tls.site = kept;
}

void __muster_copy(void *to, const void *from, uint64_t n)
{
	rt_copy(to, from, n);
}

void __muster_fill(void *to, label byte, uint64_t n)
{
	if (!byte || !RT_ON()) {
		rt_clear(to, n);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		rt_store((char *)to + i, 1, byte);
}

void __muster_clear(const void *p, uint64_t n)
{
	rt_clear(p, n);
}

label __muster_result(const void *fn, uint32_t index)
{
	struct rt_tls *t = &__muster_tls;
	label a = t->ret[index];
	t->ret[index] = 0;
	return t->ret_owner == (uint64_t)fn && RT_ON() ? a : 0;
}

void __muster_object(const void *p, uint64_t size)
{
	rt_object_add(p, size);
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

void __muster_va_struct(uint32_t offset, const void *p, uint64_t size)
{
	for (uint64_t i = 0; i < size; i += 8) {
		unsigned n = size - i < 8 ? (unsigned)(size - i) : 8;
		label a = rt_load((const char *)p + i, n);
		if (a)
			__muster_va_put(offset + (uint32_t)i, n, a);
	}
}

void __muster_va_enter(struct rt_va_save *save)
{
	struct rt_tls *t = &__muster_tls;
	save->count = RT_ON() ? t->extra_count : 0;
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
	uint32_t top = 0;
	for (uint32_t i = 0; i < save->count; i++)
		if (save->extra[i].offset + save->extra[i].size > top)
			top = save->extra[i].offset + save->extra[i].size;
	rt_clear(va, sizeof *va);
	rt_clear(va->registers, REGISTER_AREA);
	/* The overflow area's length is not known to the callee: what is labelled there
	 * is set, the first part beyond is cleared. */
	rt_clear(va->overflow, top > REGISTER_AREA + 256 ? top - REGISTER_AREA : 256);
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

void __muster_byval_put(uint32_t offset, const void *p, uint64_t size, uint64_t site)
{
	if (offset + size > sizeof byval_cells / sizeof *byval_cells) {
		__muster_concrete_memory(p, size, MUSTER_REASON_ARGUMENT, site);
		return;
	}
	for (uint64_t i = 0; i < size; i++)
		byval_cells[offset + i] = RT_ON() ? ((const uint32_t *)MUSTER_SHADOW(p))[i] : 0;
}

void __muster_byval_get(uint32_t offset, const void *p, uint64_t size, uint32_t own)
{
	rt_clear(p, size);
	if (!own || !RT_ON() || offset + size > sizeof byval_cells / sizeof *byval_cells)
		return;
	for (uint64_t i = 0; i < size; i++)
		if (byval_cells[offset + i]) {
			*(uint8_t *)(MUSTER_DIRTY_BASE + (((uint64_t)p + i) >> 12)) = 1;
			((uint32_t *)MUSTER_SHADOW(p))[i] = byval_cells[offset + i];
		}
}
