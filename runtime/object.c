/* object.c: which object does an address belong to?
 *
 * Heap and stack objects start on 16-byte granules; MUSTER_OBJECT_BASE has four
 * bytes for each granule that hold the size of the object that starts there, so
 * registering costs one store. Finding the object of an inner pointer walks back
 * granule by granule; objects larger than the walk's reach are in a small list
 * besides. Globals come from each unit's table, sorted when first asked for.
 * Bounds only make answers more precise: every read through them takes its bytes
 * from memory as it is.
 */
#include "activation.h"
#include "node.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/mman.h>

#define REACH 4096 /* granules walked back: objects up to 64 KiB */
#define LARGE_MAX 4096

static struct {
	uint64_t base, size;
} large[LARGE_MAX];
static uint32_t large_count;

/* What was found last, and where nothing was: walking back through a buffer of 64 KiB at each of its bytes, or below a number that is no address, takes more time than all else. Nothing of it is on a stack,
 * where code registers objects without asking anybody here; all others come and go through rt_object_add and rt_object_remove, which forget it. */
#define MISSES 4
#define STACK_ROOM (64ull << 20) /* below this frame: whatever lies nearer may be stack */
static struct {
	uint32_t changes; /* of the objects, when this was remembered */
	struct rt_object found;
	uint64_t missed[MISSES];
} newest; /* the first thread's alone */
static uint32_t changes; /* by any thread */

static void forget_newest(void)
{
	__atomic_fetch_add(&changes, 1, __ATOMIC_RELAXED);
}

/* Of the objects as they are now. */
static void refresh_newest(void)
{
	uint32_t now = __atomic_load_n(&changes, __ATOMIC_RELAXED);
	if (newest.changes == now)
		return;
	newest.changes = now;
	newest.found.size = 0;
	for (unsigned i = 0; i < MISSES; i++)
		newest.missed[i] = 0;
}

static inline uint32_t *granule(uint64_t addr)
{
	return (uint32_t *)(MUSTER_OBJECT_BASE + (addr >> 4) * 4);
}

static int has_granule(uint64_t addr)
{
	return addr < 0x10000000000ull || (addr >= 0x7e0000000000ull && addr < 0x800000000000ull) ||
	       (addr >= 0x550000000000ull && addr < 0x570000000000ull);
}

void rt_object_add(const void *p, size_t size)
{
	uint64_t addr = (uint64_t)p;
	if (!has_granule(addr) || (addr & 15))
		return;
	*granule(addr) = size > 0xffffffffu ? 0xffffffffu : (uint32_t)size;
	forget_newest();
	ACTIVATION_DO(activation_born(addr, size));
	if (size > REACH * 16ull && rt_first_thread && large_count < LARGE_MAX) {
		large[large_count].base = addr;
		large[large_count++].size = size;
	}
}

uint64_t rt_object_remove(const void *p)
{
	uint64_t addr = (uint64_t)p;
	if (!has_granule(addr) || (addr & 15))
		return 0;
	uint64_t size = *granule(addr);
	forget_newest();
	ACTIVATION_DO(activation_died(addr, size));
	if (RT_UNLIKELY(RT_STATE->sized) && rt_first_thread)
		rt_sized_remove(addr);
	if (*granule(addr) > REACH * 16u && rt_first_thread)
		for (uint32_t i = 0; i < large_count; i++)
			if (large[i].base == addr) {
				large[i] = large[--large_count];
				break;
			}
	*granule(addr) = 0;
	return size;
}

void __muster_leave_dynamic(const void *low, const void *high)
{
	for (uint64_t a = (uint64_t)low & ~15ull; a < (uint64_t)high; a += 16)
		if (*granule(a))
			*granule(a) = 0;
}

/* ---------------------------------------------------------------- globals */

struct entry {
	uint64_t base, size;
};

static struct rt_unit *units;
static struct entry *sorted;
static size_t sorted_count, sorted_bytes;
static int sorted_stale = 1;

void __muster_unit(struct rt_unit *u)
{
	u->next = units;
	units = u;
	sorted_stale = 1;
}

static int by_base(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	return a->base < b->base ? -1 : a->base > b->base;
}

#define CONSTANT (1ull << 63)

/* glibc's character tables, which the macros of ctype.h index from -128 to 255. */
static size_t ctype_tables(struct entry *e)
{
	e[0] = (struct entry){(uint64_t)(*__ctype_b_loc() - 128), 384 * sizeof(unsigned short) | CONSTANT};
	e[1] = (struct entry){(uint64_t)(*__ctype_tolower_loc() - 128), 384 * sizeof(int) | CONSTANT};
	e[2] = (struct entry){(uint64_t)(*__ctype_toupper_loc() - 128), 384 * sizeof(int) | CONSTANT};
	return 3;
}

/* In-place heap sort: libc's qsort may allocate, and we must not. */
static void sift(struct entry *e, size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && by_base(&e[child], &e[child + 1]) < 0)
			child++;
		if (by_base(&e[root], &e[child]) >= 0)
			return;
		struct entry t = e[root];
		e[root] = e[child];
		e[child] = t;
	}
}

static void sort_entries(struct entry *e, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(e, i, n);
	for (size_t i = n; i-- > 1;) {
		struct entry t = e[0];
		e[0] = e[i];
		e[i] = t;
		sift(e, 0, i);
	}
}

static void sort_globals(void)
{
	size_t n = 3;
	for (struct rt_unit *u = units; u; u = u->next)
		n += u->count;
	if (sorted)
		munmap(sorted, sorted_bytes);
	sorted_bytes = n * sizeof *sorted;
	sorted = mmap(NULL, sorted_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sorted_stale = 0;
	sorted_count = 0;
	if (sorted == MAP_FAILED) {
		sorted = NULL;
		return;
	}
	sorted_count = ctype_tables(sorted);
	for (struct rt_unit *u = units; u; u = u->next)
		for (uint64_t i = 0; i < u->count; i++)
			sorted[sorted_count++] = (struct entry){(uint64_t)u->globals[i].base, u->globals[i].size};
	sort_entries(sorted, sorted_count);
}

/* Globals that begin at the address or before it. Most look-ups are between the same two as the one before. */
static size_t globals_up_to(uint64_t addr)
{
	static size_t newest_up_to;
	size_t low = __atomic_load_n(&newest_up_to, __ATOMIC_RELAXED), high = sorted_count;
	if (low <= high && (!low || sorted[low - 1].base <= addr) && (low == high || addr < sorted[low].base))
		return low;
	low = 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (sorted[mid].base <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	__atomic_store_n(&newest_up_to, low, __ATOMIC_RELAXED);
	return low;
}

static int find_global(uint64_t addr, struct rt_object *o)
{
	if (sorted_stale)
		sort_globals();
	size_t low = globals_up_to(addr);
	if (low == 0)
		return 0;
	const struct entry *e = &sorted[low - 1];
	if (addr - e->base >= (e->size & ~CONSTANT))
		return 0;
	*o = (struct rt_object){e->base, e->size & ~CONSTANT, (e->size & CONSTANT) != 0};
	return 1;
}

#ifdef RT_ACTIVATIONS
const struct rt_global *rt_global_at(uint64_t base)
{
	for (struct rt_unit *u = units; u; u = u->next)
		for (uint64_t i = 0; i < u->count; i++)
			if ((uint64_t)u->globals[i].base == base)
				return &u->globals[i];
	return NULL;
}
#endif

/* Is this no part of a stack? Stacks of other threads and contexts are in memory that somebody asked for: only the first thread remembers, and only what is far below its frame. */
static int may_remember(uint64_t end)
{
	return end < (uint64_t)__builtin_frame_address(0) - STACK_ROOM;
}

static int search_object(uint64_t addr, struct rt_object *o)
{
	uint64_t at = addr & ~15ull;
	for (unsigned i = 0; i < REACH && at >= 16; i++, at -= 16) {
		uint32_t size = *granule(at);
		if (!size)
			continue;
		if (addr - at >= size)
			break;
		*o = (struct rt_object){at, size, 0};
		return 1;
	}
	for (uint32_t i = 0; i < large_count; i++)
		if (addr - large[i].base < large[i].size) {
			*o = (struct rt_object){large[i].base, large[i].size, 0};
			return 1;
		}
	return 0;
}

int rt_object_find(const void *p, struct rt_object *o)
{
	uint64_t addr = (uint64_t)p;
	if (!has_granule(addr))
		return 0;
	if (RT_STATE->driven && rt_pin_object(addr, o))
		return 1;
	if (find_global(addr, o))
		return 1;
	if (!rt_first_thread)
		return search_object(addr, o);
	refresh_newest();
	if (addr - newest.found.base < newest.found.size && may_remember(newest.found.base + newest.found.size)) {
		*o = newest.found;
		return 1;
	}
	if (addr == newest.missed[addr % MISSES] && may_remember(addr))
		return 0;
	if (!search_object(addr, o)) {
		newest.missed[addr % MISSES] = addr;
		return 0;
	}
	newest.found = *o;
	return 1;
}
