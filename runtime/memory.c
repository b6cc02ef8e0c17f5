/* memory.c: labels of memory.
 *
 * Every byte of memory has a cell of four bytes at MUSTER_SHADOW(address): the
 * label of a node and which byte of its value stands there. Reading back what
 * was stored as one value therefore gives its label without a node; anything
 * else is put together from the longest runs of bytes that belong together.
 *
 * A label is believed only if memory holds the node's value: whoever writes
 * without a call of ours (the kernel, a library, another thread) makes the label
 * stale, and it is dropped with an event.
 *
 * MUSTER_DIRTY_BASE has a byte for each page that ever held a label, so that
 * clearing and copying ranges skips the rest.
 */
#include "activation.h"
#include "node.h"

#include <string.h>

static inline uint32_t *cells(uint64_t addr)
{
	return (uint32_t *)MUSTER_SHADOW(addr);
}

static inline uint8_t *dirty(uint64_t addr)
{
	return (uint8_t *)(MUSTER_DIRTY_BASE + (addr >> 12));
}

static inline void mark(uint64_t addr, uint64_t size)
{
	RT_STATE->any_label = 1;
	*dirty(addr) = 1;
	if ((addr & 4095) + size > 4096)
		*dirty(addr + size - 1) = 1;
}

/* Is the address one whose shadow is mapped? Wild pointers reach rt_clear through
 * wrappers of functions that are about to fail. */
static int covered(uint64_t addr, uint64_t size)
{
	uint64_t end = addr + size;
	if (end < addr)
		return 0;
	return end <= 0x10000000000ull || (addr >= 0x7e0000000000ull && end <= 0x800000000000ull) ||
	       (addr >= 0x550000000000ull && end <= 0x570000000000ull);
}

static rt_wide memory_value(uint64_t addr, unsigned size)
{
	rt_wide v = 0;
	memcpy(&v, (const void *)addr, size);
	return v;
}

/* Longest run from cell i on that is one node's consecutive bytes. */
static unsigned run_length(const uint32_t *c, unsigned n)
{
	unsigned i = 1;
	if (c[0] == 0) {
		while (i < n && c[i] == 0)
			i++;
		return i;
	}
	while (i < n && c[i] == c[i - 1] + (1u << MUSTER_LABEL_BITS) && MUSTER_CELL_BYTE(c[i]) != 0)
		i++;
	return i;
}

static int consecutive_bytes(const uint32_t *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (c[i] != c[0] + i || MUSTER_CELL_BYTE(c[i]) != 0 || rt_node(c[i])->width != 8)
			return 0;
	return 1;
}

static label piece(const uint32_t *c, unsigned n, uint64_t addr)
{
	if (c[0] == 0) {
		rt_wide v = memory_value(addr, n);
		return rt_const(n * 8, (uint64_t)v, (uint64_t)(v >> 64));
	}
	return rt_extract(MUSTER_CELL_LABEL(c[0]), MUSTER_CELL_BYTE(c[0]) * 8, n * 8);
}

static label assemble(const uint32_t *c, unsigned size, uint64_t addr)
{
	label whole = 0;
	for (unsigned i = 0, n; i < size; i += n) {
		n = 1;
		while (i + n < size && c[i] && consecutive_bytes(c + i, n + 1))
			n++;
		label part;
		if (n > 1) {
			rt_wide v = 0;
			for (unsigned j = 0; j < n; j++)
				v |= (rt_wide)rt_node(c[i + j])->low << (8 * j);
			part = rt_make(MUSTER_OP_BYTES, n * 8, c[i], 0, (uint64_t)v, n > 8 ? (uint64_t)(v >> 64) : 0);
		} else {
			n = run_length(c + i, size - i);
			part = piece(c + i, n, addr + i);
		}
		if (!part)
			return 0;
		whole = i ? rt_concat(part, whole) : part;
		if (!whole)
			return 0;
	}
	return whole;
}

typedef uint64_t two_cells __attribute__((aligned(4), may_alias));

/* Two cells at a time for the sizes that nearly all accesses have: the compiler makes vectors of a loop, which take longer to begin than these to end. */
static inline int any_cell(const uint32_t *c, uint32_t n)
{
	const two_cells *w = (const two_cells *)c;
	uint32_t seen = 0;
	switch (n) {
	case 1:
		return c[0] != 0;
	case 2:
		return w[0] != 0;
	case 4:
		return (w[0] | w[1]) != 0;
	case 8:
		return (w[0] | w[1] | w[2] | w[3]) != 0;
	default:
		for (uint32_t i = 0; i < n; i++)
			seen |= c[i];
		return seen != 0;
	}
}

label rt_load_cells(uint64_t addr, unsigned size, uint64_t site)
{
	if (RT_UNLIKELY(!RT_ON()))
		return 0;
	if (RT_UNLIKELY(RT_STATE->sized))
		rt_guards_away(addr, size);
	const uint32_t *c = cells(addr);
	label l = 0;
	if (MUSTER_CELL_BYTE(c[0]) == 0 && c[0] && rt_node(c[0])->width == size * 8 && run_length(c, size) == size)
		l = c[0];
	else if (any_cell(c, size))
		l = assemble(c, size, addr);
	if (!l)
		return 0;
	if (RT_UNLIKELY(rt_wide_value(l) != memory_value(addr, size))) {
		rt_stale(l, site, 0);
		/* Drop only what is stale: the other bytes may be good. */
		for (unsigned i = 0; i < size; i++) {
			uint32_t cell = cells(addr)[i];
			if (!cell)
				continue;
			uint8_t want = (uint8_t)(rt_wide_value(MUSTER_CELL_LABEL(cell)) >> (8 * MUSTER_CELL_BYTE(cell)));
			if (want != ((const uint8_t *)addr)[i])
				cells(addr)[i] = 0;
		}
		if (!rt_any((const void *)addr, size))
			return 0;
		l = assemble(cells(addr), size, addr);
	}
	return rt_unless_constant(l);
}

label rt_load(const void *p, unsigned size)
{
	ACTIVATION_READ(p, size, 0, __muster_tls.site);
	if (!RT_ON() || !covered((uint64_t)p, size) || !rt_any(p, size))
		return 0;
	return rt_load_cells((uint64_t)p, size, __muster_tls.site);
}

static void store_cells(void *p, unsigned size, label a)
{
	uint64_t addr = (uint64_t)p;
	uint32_t *c = cells(addr);
	if (!RT_ON())
		a = 0;
	if (!a) {
		for (unsigned i = 0; i < size; i++)
			if (c[i])
				c[i] = 0;
		return;
	}
	mark(addr, size);
	struct muster_node *n = rt_node(a);
	if (n->op == MUSTER_OP_BYTES) { /* so that single bytes read back as the input bytes they are */
		for (unsigned i = 0; i < size; i++)
			c[i] = n->a + i;
		return;
	}
	for (unsigned i = 0; i < size; i++)
		c[i] = MUSTER_CELL(a, i);
}

void rt_store(void *p, unsigned size, label a)
{
	ACTIVATION_WROTE(p, size);
	store_cells(p, size, a);
}

int rt_any(const void *p, size_t n)
{
	uint64_t addr = (uint64_t)p, end = addr + n;
	if (!RT_STATE->any_label || !covered(addr, n))
		return 0;
	while (addr < end) {
		uint64_t page = (addr | 4095) + 1, stop = page < end ? page : end;
		if (*dirty(addr))
			for (const uint32_t *c = cells(addr), *e = c + (stop - addr); c < e; c++)
				if (*c)
					return 1;
		addr = stop;
	}
	return 0;
}

#ifdef RT_ACTIVATIONS
void rt_clear(const void *p, size_t n)
{
	ACTIVATION_WROTE(p, n);
	rt_forget(p, n);
}

void rt_before_move(const void *p, size_t n)
{
	ACTIVATION_DO(activation_moves(p, n));
}

void rt_gone(const void *p, size_t n)
{
	ACTIVATION_DO(activation_died((uint64_t)p, n));
}

void rt_forget(const void *p, size_t n)
#else
void rt_forget(const void *p, size_t n) __attribute__((alias("rt_clear")));

void rt_before_move(const void *p, size_t n)
{
	(void)p, (void)n;
}

void rt_gone(const void *p, size_t n)
{
	(void)p, (void)n;
}

void rt_clear(const void *p, size_t n)
#endif
{
	uint64_t addr = (uint64_t)p, end = addr + n;
	if (!RT_STATE->any_label || !covered(addr, n))
		return;
	while (addr < end) {
		uint64_t page = (addr | 4095) + 1, stop = page < end ? page : end;
		if (*dirty(addr)) {
			memset(cells(addr), 0, (stop - addr) * 4);
			if (stop - addr == 4096 && !RT_STATE->sized)
				*dirty(addr) = 0;
		}
		addr = stop;
	}
}

void rt_copy(void *to, const void *from, size_t n)
{
	if (n == 0 || !covered((uint64_t)to, n))
		return;
	ACTIVATION_DO(activation_copied(from, n, __muster_tls.site));
	ACTIVATION_WROTE(to, n);
	if (!rt_any(from, n)) {
		rt_clear(to, n);
		return;
	}
	RT_STATE->any_label = 1;
	for (uint64_t a = (uint64_t)to & ~4095ull; a < (uint64_t)to + n; a += 4096)
		*dirty(a) = 1;
	memmove(cells((uint64_t)to), cells((uint64_t)from), n * 4);
	if (RT_UNLIKELY(RT_STATE->sized))
		rt_guards_away((uint64_t)to, n);
}

void rt_label_input(void *p, unsigned source, uint64_t offset, size_t n)
{
	uint64_t addr = (uint64_t)p;
	if (!RT_ON() || !covered(addr, n) || source >= RT_STATE->header->source_count) {
		rt_clear(p, n);
		return;
	}
	struct muster_source *src = &RT_STATE->header->sources[source];
	RT_STATE->any_label = 1;
	ACTIVATION_WROTE(p, n);
	ACTIVATION_DO(activation_wrote_bytes(n));
	for (size_t i = 0; i < n; i++) {
		label l = rt_input(source, offset + i);
		uint8_t byte = ((uint8_t *)p)[i];
		if (!l) {
			rt_clear((uint8_t *)p + i, n - i);
			return;
		}
		struct muster_node *node = rt_node(l);
		if (node->flags & MUSTER_NODE_UNREAD) {
			node->low = byte;
			node->flags &= (uint8_t)~MUSTER_NODE_UNREAD;
			label wide = node->c;
			if (wide && wide < RT_STATE->header->node_count) {
				rt_node(wide)->low = byte;
				rt_node(wide)->flags &= (uint8_t)~MUSTER_NODE_UNREAD;
			}
		}
		cells(addr)[i] = node->low == byte ? l : rt_stale(l, __muster_tls.site, 0);
		if (i == 0 || ((addr + i) & 4095) == 0)
			*dirty(addr + i) = 1;
	}
	if (src->used < offset + n)
		src->used = offset + n;
}

void rt_concrete_range(const void *p, size_t n, enum muster_reason why)
{
	if (!RT_ON() || !rt_any(p, n))
		return;
	uint32_t *c = cells((uint64_t)p);
	label last = 0;
	for (size_t i = 0; i < n; i++) {
		label l = MUSTER_CELL_LABEL(c[i]);
		if (l && l != last)
			rt_concrete(l, why);
		last = l;
		c[i] = 0;
	}
}

void rt_each_label(const void *p, size_t n, void (*f)(void *ctx, label l), void *ctx)
{
	if (!RT_ON() || !rt_any(p, n))
		return;
	const uint32_t *c = cells((uint64_t)p);
	label last = 0;
	for (size_t i = 0; i < n; i++) {
		label l = MUSTER_CELL_LABEL(c[i]);
		if (l && l != last)
			f(ctx, l);
		last = l;
	}
}

/* ----------------------------------------------------------------- hooks */

static RT_COLD void watched(uint64_t addr, uint64_t n, uint64_t site)
{
	rt_guards_away(addr, n);
	rt_touched(addr, n, RT_READS, site);
}

static inline __attribute__((always_inline)) label load(const void *p, label address, uint32_t size, uint64_t site)
{
	ACTIVATION_READ(p, size, address, site);
	address = ACTIVATION_ADDRESS(address, p);
	if (RT_UNLIKELY(address != 0))
		return rt_load_at(p, address, size, site);
	if (RT_UNLIKELY(RT_STATE->sized) && RT_ON())
		watched((uint64_t)p, size, site);
	if (size == 1) { /* most loads of input, and most of them plain input bytes */
		uint32_t c = *cells((uint64_t)p);
		if (!c || RT_UNLIKELY(!RT_ON()))
			return 0;
		if (c <= MUSTER_LABEL_MASK && rt_node(c)->width == 8 && rt_node(c)->low == *(const uint8_t *)p)
			return c;
	}
	return any_cell(cells((uint64_t)p), size) ? rt_load_cells((uint64_t)p, size, site) : 0;
}

label __muster_load(const void *p, label address, uint32_t size, uint64_t site)
{
	return load(p, address, size, site);
}

/* The label of the address p. */
static label address_of(const void *p, label base, uint32_t spot)
{
	int64_t offset = RT_SPOT_OFFSET(spot);
	if (!base || !offset)
		return base;
	return __muster_binary(RT_OPW(MUSTER_OP_ADD, 64), base, 0, (uint64_t)p - (uint64_t)offset, (uint64_t)offset);
}

static RT_COLD label load_through(const void *p, label base, uint32_t spot, uint64_t site)
{
	return __muster_load(p, address_of(p, base, spot), RT_SPOT_SIZE(spot), site);
}

label __muster_load_spot(const void *p, label base, uint32_t spot, uint64_t site)
{
	base = ACTIVATION_PRESENT(base);
	return RT_UNLIKELY(base) ? load_through(p, base, spot, site) : load(p, 0, RT_SPOT_SIZE(spot), site);
}

static RT_COLD void fix_address(const void *p, label base, uint32_t spot, uint64_t site)
{
	__muster_access(address_of(p, base, spot), p, RT_SPOT_SIZE(spot), MUSTER_REASON_STORE, site);
}

void __muster_store_spot(void *p, label base, uint32_t spot, label a, uint64_t site)
{
	base = ACTIVATION_PRESENT(base);
	if (RT_UNLIKELY(base))
		fix_address(p, base, spot, site);
	__muster_store(p, RT_SPOT_SIZE(spot), a, site);
}

void __muster_wipe_spot(void *p, label base, uint32_t spot, uint64_t site)
{
	uint64_t addr = (uint64_t)p;
	base = ACTIVATION_PRESENT(base);
	if (RT_UNLIKELY(base))
		fix_address(p, base, spot, site);
	if (RT_STATE->any_label && (*dirty(addr) | *dirty(addr + RT_SPOT_SIZE(spot) - 1)))
		__muster_wipe(p, RT_SPOT_SIZE(spot), site);
}

uint64_t __muster_any(const void *p, uint64_t size)
{
	return (uint64_t)rt_any(p, size);
}

void __muster_store(void *p, uint32_t size, label a, uint64_t site)
{
	if (RT_UNLIKELY(RT_STATE->sized) && RT_ON())
		watched((uint64_t)p, size, site);
	ACTIVATION_WROTE(p, size);
	if (a || any_cell(cells((uint64_t)p), size))
		store_cells(p, size, a);
}

void __muster_concrete(label a, uint32_t reason, uint64_t site)
{
	if (RT_UNLIKELY(reason == MUSTER_REASON_ALLOCATION)) /* an array on the stack */
		rt_check_stack_size(a, site);
	rt_concrete_at(a, reason, site);
}

void __muster_span(label a, label size, const void *p, uint64_t n, uint64_t site)
{
	rt_span_at(a, size, p, n, site);
}

void __muster_member(label size, const void *p, uint64_t n, uint64_t room, uint64_t site)
{
	if (size)
		rt_check_member(size, (uint64_t)p, n, room, site);
}

void __muster_access(label a, const void *p, uint64_t size, uint32_t reason, uint64_t site)
{
	if (reason == MUSTER_REASON_ADDRESS)
		ACTIVATION_READ(p, size, a, site);
	else
		ACTIVATION_DO(__muster_tls.place = a);
	rt_access_at(a, p, size, reason, site);
}

void __muster_concrete_memory(const void *p, uint64_t size, uint32_t reason, uint64_t site)
{
	ACTIVATION_READ(p, size, 0, site);
	if (!RT_ON() || !rt_any(p, size))
		return;
	uint64_t kept = __muster_tls.site;
	__muster_tls.site = site;
	const uint32_t *c = (const uint32_t *)MUSTER_SHADOW(p);
	for (uint64_t i = 0; i < size; i++)
		rt_concrete(MUSTER_CELL_LABEL(c[i]), reason);
	__muster_tls.site = kept;
}

void __muster_copy(void *to, const void *from, uint64_t n, uint64_t site)
{
	rt_copy(to, from, n);
	if (RT_UNLIKELY(RT_STATE->sized) && RT_ON()) {
		rt_touched((uint64_t)from, n, RT_MOVES, site);
		rt_sized_written((uint64_t)to, n, site);
	}
}

void __muster_wipe(void *p, uint64_t n, uint64_t site)
{
	if (RT_UNLIKELY(RT_STATE->sized) && RT_ON())
		rt_touched((uint64_t)p, n, RT_WRITES, site);
	rt_clear(p, n);
}

void __muster_fill(void *to, label byte, uint64_t n, uint64_t site)
{
	if (!byte || !RT_ON()) {
		rt_clear(to, n);
		if (RT_UNLIKELY(RT_STATE->sized) && RT_ON())
			rt_sized_written((uint64_t)to, n, site);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		rt_store((char *)to + i, 1, byte);
}

void __muster_clear(const void *p, uint64_t n)
{
	rt_clear(p, n);
}
