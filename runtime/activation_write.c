/* activation_write.c: what activations wrote: events when they end, cells as their caller sees them, outputs.
 *
 * Writes to an allocated block are reported, those to the activation's own frame are not. An activation that calls another one writes what that writes: when the
 * callee ends, its writes are handed to the caller's log. What it wrote keeps its label, put together from the caller's (rebind.c); what it only read has the
 * caller's cell again. Where the engine asked for outputs, a written value becomes a leaf in the caller.
 *
 * Invariant: after activation_hand_over no cell of the grain holds a label that only the activation sees.
 */
#include "activation_inside.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifdef RT_ACTIVATIONS

static void first_write(struct grain *g, uint64_t addr)
{
	uint64_t base = activation_object(addr);

	g->born = base ? activation_born_in(base) : 0;
	activation_open[g->open].writes += g->born < g->open;
}

/* The part of a write from `addr` to `end` that lies in the grain at `at`. 0: there is no room. */
static int log_write(uint64_t addr, uint64_t end, uint64_t at, label place)
{
	unsigned from = addr > at ? (unsigned)(addr - at) : 0, to = end - at < 8 ? (unsigned)(end - at) : 8;
	uint8_t bits = (uint8_t)((1u << to) - (1u << from));
	struct grain *g = activation_grain(at, rt_now);

	if (!g)
		return 0;
	if (!g->written)
		first_write(g, at + from);
	if (place || g->wrote != addr) { /* a store may pass here twice */
		g->place = place;
		g->wrote = addr;
	}
	for (unsigned fresh = bits & ~(g->read | g->written), i; fresh; fresh &= fresh - 1) {
		i = (unsigned)__builtin_ctz(fresh);
		g->saved[i] = cells(at)[i];
	}
	g->written |= bits;
	g->starts = (uint8_t)((g->starts & ~bits) | (addr >= at ? 1u << from : 0) | (to < 8 ? 1u << to : 0));
	return 1;
}

void activation_wrote(const void *p, uint64_t n)
{
	uint64_t addr = (uint64_t)p;
	label place = __muster_tls.place;

	__muster_tls.place = 0;
	if (activation_moving.at && n > activation_moving.size)
		n = activation_moving.size; /* what lies after it belonged to nothing */
	if (activation_busy || !n || !RT_ON() || !covered(addr, n) || on_own_stack(addr, rt_now))
		return;
	if (RT_UNLIKELY(activation_is_large(&activation_open[rt_now]))) {
		activation_settle();
		if (!rt_now || on_own_stack(addr, rt_now))
			return;
	}
	if (n > ACTIVATION_BULK) {
		activation_mark(MUSTER_MARK_ROOM);
		return;
	}
	if (place && muster_value(rt_node(place)) != addr)
		place = 0;
	activation_busy = 1;
	for (uint64_t at = addr & ~7ull; at < addr + n && log_write(addr, addr + n, at, place); at += 8)
		;
	activation_busy = 0;
}

void activation_wrote_bytes(uint64_t n)
{
	if (n <= ACTIVATION_BULK && rt_now)
		activation_open[rt_now].writes += (uint32_t)(n - n / 8); /* the grains were counted */
}

/* Can the grain's memory still be read? It may have been unmapped. Pages that were there are, until something is given back. */
static int is_there(uint64_t at)
{
	static struct {
		uint64_t page, frees;
	} there[64];
	unsigned char in;
	uint64_t page = at & ~4095ull;

	if (at >= (uint64_t)__builtin_frame_address(0) && at < 0x800000000000ull)
		return 1;
	unsigned i = (unsigned)(page >> 12) % 64;
	if (there[i].page == page && there[i].frees == activation_frees)
		return 1;
	int kept = errno, is = mincore((void *)page, 4096, &in) == 0;
	errno = kept;
	if (is)
		there[i].page = page, there[i].frees = activation_frees;
	return is;
}

/* Bytes from i on that were written together and belong to one value. */
static unsigned together(const struct grain *g, unsigned i)
{
	const uint32_t *c = cells(g->at);
	unsigned n = 1;

	while (i + n < 8 && g->written >> (i + n) & 1 && !(g->starts >> (i + n) & 1) &&
	       (c[i] ? c[i + n] == c[i + n - 1] + (1u << MUSTER_LABEL_BITS) && MUSTER_CELL_BYTE(c[i + n]) : !c[i + n]))
		n++;
	return n;
}

static void put_writes(const struct grain *g)
{
	for (unsigned i = 0, n; i < 8; i += n) {
		uint64_t v = 0, at = g->at + i;
		n = 1;
		if (!(g->written >> i & 1))
			continue;
		n = together(g, i);
		memcpy(&v, (const void *)at, n);
		label l = rt_any((const void *)at, n) ? rt_load_cells(at, n, __muster_tls.site) : 0;
		if (!l)
			l = rt_const(n * 8, v, 0);
		rt_event_whole(MUSTER_EV_WRITE, n, 0, at, l);
		if (g->place)
			rt_event_whole(MUSTER_EV_PLACE, 0, 0, 0, rt_binary(MUSTER_OP_ADD, 64, g->place, 0, g->wrote, at - g->wrote));
	}
}

/* What was read and not written is to hold what it held. */
static void look_for_changes(const struct grain *g)
{
	for (unsigned i = 0; i < 8; i++) {
		uint32_t cell = cells(g->at)[i];
		if (!((g->read & ~g->written) >> i & 1) || !cell)
			continue;
		if ((uint8_t)(rt_wide_value(MUSTER_CELL_LABEL(cell)) >> (8 * MUSTER_CELL_BYTE(cell))) != ((const uint8_t *)g->at)[i])
			activation_mark_some(MUSTER_MARK_UNRECORDED, 0);
	}
}

void activation_writes(void)
{
	if (!rt_now || !RT_ON())
		return;
	activation_busy = 1;
	for (uint32_t i = activation_open[rt_now].grains; i && RT_ON(); i = activation_grains[i].next) {
		struct grain *g = &activation_grains[i];
		if (!(g->read | g->written))
			continue;
		if (!is_there(g->at)) {
			activation_mark_some(MUSTER_MARK_FREED, 0);
			g->read = g->written = 0;
			continue;
		}
		look_for_changes(g);
		put_writes(g);
	}
	activation_busy = 0;
}

label activation_outside(label a)
{
	return rt_now && a ? rt_rebind(a, activation_open[rt_now].number, activation_open[rt_now].first, activation_is_outer) : a;
}

/* Cells as the caller sees them. */
static void restore(const struct grain *g)
{
	uint32_t *c = cells(g->at);
	label last = 0, last_is = 0;
	for (unsigned i = 0; i < 8; i++) {
		if (g->written >> i & 1) {
			label l = MUSTER_CELL_LABEL(c[i]);
			if (!l)
				continue;
			if (l != last) {
				last = l;
				last_is = activation_outside(l);
			}
			c[i] = last_is ? MUSTER_CELL(last_is, MUSTER_CELL_BYTE(c[i])) : 0;
		} else if (g->read >> i & 1) {
			c[i] = g->saved[i];
		}
	}
}

/* A pointer to an object stays what it is: its caller will use it as an address. */
static int is_pointer(unsigned width, uint64_t value)
{
	struct rt_object o;

	return width == 64 && value > 4095 && covered(value, 1) && (rt_object_find((const void *)value, &o) || rt_object_find((const void *)(value - 1), &o));
}

static int outputs_asked(void)
{
	return RT_ON() && RT_STATE->header->flags & MUSTER_FLAG_OUTPUTS;
}

/* An output as its caller sees it: a leaf that is bound to what it would be without. */
static label new_output(unsigned width, label bound, unsigned kind, uint64_t value, uint64_t k)
{
	if (activation_composes() && is_pointer(width, value))
		return 0;
	if (bound && (rt_node(bound)->width != width || rt_value(bound) != rt_mask(value, width)))
		bound = 0;
	label l = rt_append(RT_STATE->header->node_count, rt_head(MUSTER_OP_LEAF, width, bound), rt_tail(0, activation_open[rt_now].number),
			    rt_mask(value, width), k);
	if (l)
		rt_node(l)->aux = (uint8_t)kind;
	if (l && activation_composes())
		rt_event_whole(MUSTER_EV_OUTPUT, 0, 0, __muster_tls.site, l);
	return l;
}

label activation_output(label bound, unsigned width, uint64_t value, unsigned part)
{
	label l = outputs_asked() && width && width <= 64 ? new_output(width, bound, 3, value, part) : 0;

	return l ? l : bound;
}

/* Values that were written become outputs; the cells are the caller's already. */
static void make_outputs(const struct grain *g)
{
	for (unsigned i = 0, n; i < 8 && RT_ON(); i += n) {
		uint64_t v = 0, at = g->at + i;
		n = 1;
		if (!(g->written >> i & 1))
			continue;
		n = together(g, i);
		memcpy(&v, (const void *)at, n);
		label l = new_output(n * 8, rt_any((const void *)at, n) ? rt_load_cells(at, n, __muster_tls.site) : 0, 2, v, at);
		if (!l)
			continue;
		mark_page(at);
		for (unsigned j = 0; j < n; j++)
			cells(at)[j] = MUSTER_CELL(l, j);
	}
}

/* The same of what was not written, but could have been: n bytes from i on. */
static void kept_output(const struct grain *g, unsigned i, unsigned n)
{
	uint64_t value = 0, at = g->at + i;

	memcpy(&value, (const void *)at, n);
	label l = rt_any((const void *)at, n) ? rt_load_cells(at, n, __muster_tls.site) : 0;
	label out = new_output(n * 8, l, 2, value, at);
	if (!out)
		return;
	mark_page(at);
	for (unsigned k = 0; k < n; k++)
		cells(at)[k] = MUSTER_CELL(out, k);
}

static void kept_outputs(const struct grain *g)
{
	uint8_t kept = (uint8_t)(g->ahead & g->read & ~g->written);
	uint64_t whole;

	memcpy(&whole, (const void *)g->at, 8);
	if (!kept || is_pointer(64, whole))
		return;
	for (unsigned half = 0; half < 8; half += 4) {
		if ((kept >> half & 15) == 15)
			kept_output(g, half, 4);
		for (unsigned i = half; i < half + 4 && (kept >> half & 15) != 15; i++)
			if (kept >> i & 1)
				kept_output(g, i, 1);
	}
}

/* What was written was written by the caller as well. */
static void log_for_caller(const struct grain *g)
{
	uint32_t caller = rt_now - 1;

	if (!g->written || !caller || on_own_stack(g->at, caller))
		return;
	struct grain *h = activation_grain(g->at, caller);
	if (!h)
		return;
	if (!h->written) {
		h->born = g->born < caller ? g->born : caller;
		activation_open[caller].writes += h->born < caller;
	}
	for (unsigned i = 0; i < 8; i++)
		if (g->written >> i & 1) {
			if (!((h->read | h->written) >> i & 1))
				h->saved[i] = g->saved[i];
			h->written |= (uint8_t)(1u << i);
		}
	h->starts = (uint8_t)((h->starts & ~g->written) | (g->starts & g->written) | (g->starts & h->written));
	h->place = activation_outside(g->place);
	h->wrote = g->wrote;
}

void activation_hand_over(struct grain *g)
{
	if (g->read | g->written)
		restore(g);
	if (g->written && outputs_asked() && (!activation_composes() || is_there(g->at)))
		make_outputs(g);
	if (g->ahead && activation_composes() && is_there(g->at))
		kept_outputs(g);
	log_for_caller(g);
}

#endif
