/* sized.c: heap blocks whose size depends on the input.
 *
 * An access at a constant offset has no label, and another input may have made a block that ends before it. Each such block is
 * kept with its size's label, and what the program does there is watched: stores, because the block's pages are marked as
 * having labels; loads, because its first bytes that have none carry a *guard*, the label of a node that means nothing. The first access
 * after all that were seen before writes the bound: its end <= size. Once a bound is written, smaller ends follow from it.
 *
 * A memory function whose size has a label says nothing about the bytes: the block may be as small as that. So guards are
 * put back after it.
 *
 * Invariant: no label but those of nodes the program computed leaves memory: whoever reads cells takes guards away first.
 */
#include "node.h"

#define BLOCKS 32    /* that are watched at a time */
#define BOUNDS 64    /* for a block: a loop over it need not go on for ever */
#define GUARDED 1024 /* bytes whose loads are seen, */
#define WATCHED (64u << 10) /* and those whose stores are */

static struct block {
	uint64_t base, size, checked;
	label bytes;
	unsigned left;
} blocks[BLOCKS];
static unsigned count, oldest;
static uint64_t low = ~0ull, high; /* all blocks lie between */
static label guard;
static uint64_t open_end; /* where a function with a symbolic size is about to write */

static uint32_t *cells(uint64_t addr)
{
	return (uint32_t *)MUSTER_SHADOW(addr);
}

static struct block *find(uint64_t addr)
{
	if (addr < low || addr >= high)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		if (addr - blocks[i].base < blocks[i].size)
			return &blocks[i];
	return NULL;
}

static void drop(struct block *b)
{
	*b = blocks[--count];
	low = ~0ull, high = 0;
	for (unsigned i = 0; i < count; i++) {
		low = blocks[i].base < low ? blocks[i].base : low;
		high = blocks[i].base + blocks[i].size > high ? blocks[i].base + blocks[i].size : high;
	}
}

static void put_guards(const struct block *b, uint64_t from, uint64_t to)
{
	uint64_t last = b->base + (b->size < GUARDED ? b->size : GUARDED);

	from = from > b->base + b->checked ? from : b->base + b->checked;
	to = to < last ? to : last;
	for (uint64_t a = from; a < to; a++)
		if (!*cells(a))
			*cells(a) = guard;
}

void rt_sized_add(const void *p, uint64_t n, label bytes)
{
	struct rt_state *s = RT_STATE;
	uint64_t addr = (uint64_t)p;
	struct rt_object o;

	if (!bytes || !n || !rt_active() || s->driven || !rt_object_find(p, &o) || o.base != addr || o.size != n)
		return;
	if (!guard)
		guard = rt_append(s->header->node_count, rt_head(MUSTER_OP_CONST, 8, 0), 0, 0, 0);
	if (!guard)
		return;
	s->sized = 1;
	s->any_label = 1;
	if (count == BLOCKS)
		drop(&blocks[oldest++ % BLOCKS]);
	blocks[count++] = (struct block){addr, n, 0, bytes, BOUNDS};
	low = addr < low ? addr : low;
	high = addr + n > high ? addr + n : high;
	for (uint64_t page = addr >> 12, end = (addr + (n < WATCHED ? n : WATCHED) - 1) >> 12; page <= end; page++)
		*(uint8_t *)(MUSTER_DIRTY_BASE + page) = 1;
	put_guards(&blocks[count - 1], addr, addr + n);
}

void rt_sized_remove(uint64_t base)
{
	struct block *b = find(base);

	if (b && b->base == base)
		drop(b);
}

label rt_sized_bytes(uint64_t base)
{
	struct block *b = RT_STATE->sized ? find(base) : NULL;

	return b && b->base == base ? b->bytes : 0;
}

void rt_guards_away(uint64_t addr, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (cells(addr)[i] == guard)
			cells(addr)[i] = 0;
}

void rt_touched(uint64_t addr, uint64_t n, enum rt_use use, uint64_t site)
{
	struct block *b = find(addr);

	if (!b || addr - b->base + n <= b->checked || n > b->size - (addr - b->base) || !rt_active())
		return;
	b->checked = addr - b->base + n;
	rt_check_once(use == RT_MOVES ? MUSTER_CHECK_RANGE : MUSTER_CHECK_ARRAY_OVER,
		      rt_binary(MUSTER_OP_ULE, 64, 0, b->bytes, b->checked, b->size), site);
	if (!--b->left)
		drop(b);
}

void rt_sized_open(const void *p)
{
	open_end = (uint64_t)p;
}

void rt_sized_written(uint64_t addr, uint64_t n, uint64_t site)
{
	struct block *b = addr == open_end ? find(addr) : NULL;

	if (b)
		put_guards(b, addr, addr + n);
	else if (addr != open_end)
		rt_touched(addr, n, RT_MOVES, site);
	open_end = 0;
}

void rt_moved(const void *p, size_t n)
{
	if (RT_UNLIKELY(RT_STATE->sized) && rt_active())
		rt_sized_written((uint64_t)p, n, __muster_tls.site);
}
