/* places.c: the heap of the fill variant, whose blocks stand where MUSTER_FILL says, and what the program does with their places.
 *
 * Where a block stands is no input and in no constraint, but hangs on the sizes of all blocks before it. If one of them depends on the input (the engine says so with
 * MUSTER_PLACES=1), another input of the same path has its blocks elsewhere, and a program that looks at addresses may do something else. So tests are run
 * with three layouts: 0 gives a block that was freed again as soon as it can, whatever its size; 1 never does, from low to high addresses with gaps between blocks; 2
 * never does, from high to low. In layout 1 an address names one block for ever, so what the program does with it can be judged (instrument/places.c
 * has the calls): an address as a number, as text or as bytes, pointers to different blocks that are ordered, one to a freed block (or right after a block) that is compared with
 * one to another. Each ends the run with a status that no other layout gives: the engine sees a difference.
 *
 * Without MUSTER_PLACES all layouts are one, that of a plain allocator, and nothing is judged: there the contents of blocks are all that differs.
 *
 * Definitions are weak: a program with an allocator of its own keeps it. All of this is one region at a fixed address, so that layouts are the same in every run.
 */
#include "muster/abi.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define WEAK __attribute__((visibility("default"), weak))

#define REGION 0x4ec100000000ull /* an address that numbers of programs hardly ever are */
#define ROOM (1ull << 36)	  /* bytes of address space */
#define NEVER_AGAIN (128ull << 20) /* bytes of blocks after which layout 1 says that it knows no more, and 2 gives blocks again */
#define BLOCKS (1u << 20)	  /* that layout 1 remembers */
#define LARGE (64ull << 10)	  /* layout 0: blocks up to this are of one class */
#define LARGE_ALL (64ull << 20)	  /* as long as all of them have at most so many bytes */
#define FILLED (1ull << 20)	  /* bytes of a block that get a pattern */
#define CLASSES 48
#define OTHER_PLACES 113 /* the status */

struct head { /* right before a block */
	uint64_t size;	/* of a free block in a list: the next one's head */
	uint32_t shift; /* of the block after the start of its memory, the head's 16 bytes apart */
	uint8_t class;	/* its memory has 1 << class bytes after the first head */
	uint8_t freed;
	uint16_t unused;
};
_Static_assert(sizeof(struct head) == 16, "blocks stay aligned");

EXPORT void __muster_fill(void *p, uint64_t n);
EXPORT void __muster_place_number(uint64_t address);
EXPORT void __muster_place_same(uint64_t a, uint64_t b);
EXPORT void __muster_place_pair(uint64_t a, uint64_t b);
EXPORT void __muster_place_bytes(const void *p, uint64_t n);

static int layout = -1; /* -1: not known yet, 3: plain */
static char lock;
static uint64_t low, high; /* what is free of the region */
static uint64_t used;	   /* bytes of blocks that were given */
static struct head *lists[CLASSES];
static uint64_t *blocks; /* layout 1: the heads, as they were given */
static unsigned block_count;
static uint32_t gap = 12345;

extern char **environ;

static const char *setting(const char *name)
{
	size_t n = strlen(name);

	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, name, n))
			return *e + n;
	return NULL;
}

static void begin(void)
{
	const char *fill = setting("MUSTER_FILL="), *places = setting("MUSTER_PLACES=");

	if (!low) {
		void *p = mmap((void *)REGION, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

		if (p != (void *)REGION)
			_exit(OTHER_PLACES);
		low = REGION;
		high = REGION + ROOM;
	}
	if (environ) /* the loader allocates before there is one */
		layout = places && fill && fill[0] >= '0' && fill[0] <= '2' ? fill[0] - '0' : 3;
}

static void take(void)
{
	while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
		;
	if (layout < 0)
		begin();
}

static void leave(void)
{
	__atomic_clear(&lock, __ATOMIC_RELEASE);
}

static void end_run(void)
{
	_exit(OTHER_PLACES);
}

/* ------------------------------------------------------------------- blocks */

static unsigned class_of(uint64_t n)
{
	unsigned c = 5;

	if (layout == 0 && n <= LARGE && used < LARGE_ALL)
		n = LARGE;
	while (1ull << c < n)
		c++;
	return c;
}

static uint64_t next_gap(void)
{
	gap = gap * 1664525u + 1013904223u;
	return layout == 1 || layout == 2 ? 16ull * (gap >> 26) : 0;
}

static int gives_again(void)
{
	return (layout != 1 && layout != 2) || used > NEVER_AGAIN;
}

static struct head *from_list(unsigned class)
{
	struct head *h = gives_again() ? lists[class] : NULL;

	if (h)
		lists[class] = (struct head *)h->size;
	return h;
}

static struct head *from_region(unsigned class)
{
	uint64_t bytes = (1ull << class) + sizeof(struct head), between = next_gap(), at;

	if (bytes + between > high - low)
		return NULL;
	if (layout == 2) {
		high -= bytes + between;
		at = high;
	} else {
		at = low + between;
		low += bytes + between;
	}
	return (struct head *)at;
}

static void remember(const struct head *h)
{
	if (layout != 1)
		return;
	if (!blocks) {
		void *p = mmap(NULL, BLOCKS * sizeof *blocks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		blocks = p == MAP_FAILED ? NULL : p;
	}
	if (!blocks || block_count == BLOCKS || used > NEVER_AGAIN)
		end_run();
	blocks[block_count++] = (uint64_t)h;
}

/* As much as glibc's blocks have room for: some programs ask. */
static uint64_t room_of(uint64_t n)
{
	return n <= 24 ? 24 : ((n + 8 + 15) & ~15ull) - 8;
}

static void *give(uint64_t n, uint64_t align)
{
	uint64_t need = room_of(n) + (align > 16 ? align : 0), shift = 0;
	struct head *h;
	unsigned class;
	char *p;

	if (n > PTRDIFF_MAX - (1u << 20) || align > 1ull << 30 || need > ROOM)
		return errno = ENOMEM, NULL;
	take();
	class = class_of(need);
	h = from_list(class);
	if (!h)
		h = from_region(class);
	if (!h) {
		leave();
		return errno = ENOMEM, NULL;
	}
	used += need;
	p = (char *)(h + 1);
	if (align > 16) {
		shift = -(uint64_t)p & (align - 1);
		p += shift;
		h = (struct head *)p - 1;
	}
	*h = (struct head){.size = n, .shift = (uint32_t)shift, .class = (uint8_t)class};
	remember(h);
	leave();
	return p;
}

static void fill(void *p, uint64_t n)
{
	__muster_fill(p, n < FILLED ? n : FILLED);
}

static void give_back(void *p)
{
	struct head *h = (struct head *)p - 1, *first = (struct head *)((char *)p - h->shift) - 1;

	if ((uint64_t)p - REGION >= ROOM)
		end_run(); /* not one of ours */
	take();
	h->freed = 1;
	if (gives_again()) {
		uint8_t class = h->class;

		first->class = class;
		first->size = (uint64_t)lists[class];
		lists[class] = first;
	}
	leave();
}

WEAK void *malloc(size_t n)
{
	void *p = give(n, 16);

	if (p)
		fill(p, n);
	return p;
}

WEAK void *calloc(size_t n, size_t m)
{
	size_t bytes;
	void *p = __builtin_mul_overflow(n, m, &bytes) ? (errno = ENOMEM, NULL) : give(bytes, 16);

	return p ? memset(p, 0, bytes) : NULL;
}

WEAK void free(void *p)
{
	int kept = errno;

	if (p)
		give_back(p);
	errno = kept;
}

WEAK void *realloc(void *old, size_t n)
{
	struct head *h = (struct head *)old - 1;
	void *p;

	if (!old)
		return malloc(n);
	if (!n) {
		free(old);
		return NULL;
	}
	if (gives_again() && room_of(n) <= (1ull << h->class) - h->shift) {
		if (n > h->size)
			fill((char *)old + h->size, n - h->size);
		h->size = n;
		return old;
	}
	p = malloc(n);
	if (p) {
		memcpy(p, old, h->size < n ? h->size : n);
		free(old);
	}
	return p;
}

WEAK void *reallocarray(void *old, size_t n, size_t m)
{
	size_t bytes;

	return __builtin_mul_overflow(n, m, &bytes) ? (errno = ENOMEM, NULL) : realloc(old, bytes);
}

WEAK void *memalign(size_t align, size_t n)
{
	size_t power = 16;
	void *p;

	while (power < align && power < 1u << 31)
		power *= 2;
	p = give(n, power);
	if (p)
		fill(p, n);
	return p;
}

WEAK void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

WEAK void *valloc(size_t n)
{
	return memalign(4096, n);
}

WEAK void *pvalloc(size_t n)
{
	return memalign(4096, (n + 4095) & ~4095ul);
}

WEAK int posix_memalign(void **p, size_t align, size_t n)
{
	int kept = errno;
	void *got;

	if (!align || align % sizeof(void *) || align & (align - 1))
		return EINVAL;
	got = memalign(align, n);
	errno = kept;
	if (!got)
		return ENOMEM;
	*p = got;
	return 0;
}

WEAK size_t malloc_usable_size(void *p)
{
	return p ? room_of(((struct head *)p - 1)->size) : 0;
}

/* ------------------------------------------------------------------- places */

/* The block that an address is in, or right after. Heads are in the order of their addresses. */
static const struct head *block_of(uint64_t address)
{
	unsigned from = 0, to = block_count;
	const struct head *h;

	if (layout != 1 || address - REGION >= ROOM)
		return NULL;
	while (from < to) {
		unsigned middle = from + (to - from) / 2;

		if (blocks[middle] < address)
			from = middle + 1;
		else
			to = middle;
	}
	h = from ? (const struct head *)blocks[from - 1] : NULL;
	return h && address - (uint64_t)(h + 1) <= h->size ? h : NULL;
}

static int is_end(uint64_t address, const struct head *h)
{
	return h && address == (uint64_t)(h + 1) + h->size;
}

void __muster_place_number(uint64_t address)
{
	if (block_of(address))
		end_run();
}

void __muster_place_same(uint64_t a, uint64_t b)
{
	const struct head *x = block_of(a), *y = block_of(b);

	if (!a || !b || x == y)
		return;
	if ((x && x->freed) || (y && y->freed) || (x && y && (is_end(a, x) || is_end(b, y))))
		end_run();
}

void __muster_place_pair(uint64_t a, uint64_t b)
{
	if (a && b && block_of(a) != block_of(b))
		end_run();
}

/* Any eight bytes that have one of these in them, wherever they begin, as far as there is certainly memory. */
void __muster_place_bytes(const void *p, uint64_t n)
{
	uint64_t from = (uint64_t)p, page = from & ~4095ull, to = from + n, end = (to + 4095) & ~4095ull;

	if (layout != 1 || !n)
		return;
	from = from - page < 7 ? page : from - 7;
	for (; from < to && from + 8 <= end; from++) {
		uint64_t word;

		memcpy(&word, (const void *)from, sizeof word);
		if (block_of(word))
			end_run();
	}
}
