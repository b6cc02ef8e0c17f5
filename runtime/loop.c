/* loop.c: a harness called many times in one process (cov variant).
 *
 * The driver's main calls __muster_loop, which returns 0 at once unless the engine
 * asked for a loop. Each input is copied so that it ends, up to alignment, where a page without
 * access begins: a harness that reads far past its input ends there and then. Bytes between are
 * zero, never what an earlier input left.
 *
 * Inputs come in batches, since a round trip to the engine costs more than a short run. After each the
 * counters are gone over once: groups of sixteen that are not zero are classified and compared with the classes seen so far, which the engine keeps in the
 * mapping and this process cannot write. If nothing is new, exactly these groups are cleared and the next input is taken; else the process
 * stops there, with the counters as they are. What was counted before the loop (constructors, LLVMFuzzerInitialize) is put back each
 * time, so that every run has it.
 *
 * What a harness leaves behind in its globals stays; the engine starts a fresh
 * process now and then, and knows from `resident_kib` when memory is being lost.
 */
#include "light.h"
#include "muster/cov.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ull
#define ALIGN 16ull
#define LOOK 64 /* runs between two looks at the memory */
#define GROUP MUSTER_COV_GROUP

struct start {
	uint8_t *at;
	muster_cov_group counters;
};

struct loop {
	struct muster_header *h;
	struct muster_loop *words;
	uint8_t **touched; /* groups that the last run left other than zero */
	uint64_t touched_count;
	struct start *start; /* groups that were so before the first */
	uint64_t start_count;
	uint8_t *room; /* for the input, to its end */
	uint64_t capacity;
};

static void say(struct muster_loop *l, uint32_t number)
{
	__atomic_store_n(&l->done, number, __ATOMIC_RELEASE);
	syscall(SYS_futex, &l->done, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static uint32_t hear(struct muster_loop *l, uint32_t last)
{
	uint32_t ask;

	while ((ask = __atomic_load_n(&l->ask, __ATOMIC_ACQUIRE)) == last)
		syscall(SYS_futex, &l->ask, FUTEX_WAIT, last, NULL, NULL, 0);
	return ask;
}

static const uint8_t *place(uint8_t *end, const uint8_t *from, uint64_t size)
{
	uint64_t room = (size + ALIGN - 1) & ~(ALIGN - 1);
	uint8_t *to = end - room;

	memcpy(to, from, size);
	memset(to + size, 0, room - size);
	return to;
}

static void look_at_memory(struct muster_loop *l)
{
	struct rusage u;

	if (!getrusage(RUSAGE_SELF, &u))
		l->resident_kib = (uint32_t)u.ru_maxrss;
}

static void look_at_time(struct muster_loop *l)
{
	struct timespec t;

	if (!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
		l->used_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ------------------------------------------------------------ counters */

static int any(muster_cov_group g)
{
	uint64_t half[2];

	memcpy(half, &g, sizeof half);
	return (half[0] | half[1]) != 0;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

/* One block: 1 if it has something new. Positions are in the signature, so that the same count elsewhere is another. */
static int look_at_block(struct loop *l, uint8_t *from, uint8_t *to, ptrdiff_t seen, uint64_t *signature)
{
	uint64_t sum = *signature;
	int news = 0;

	for (uint8_t *p = from; p < to; p += GROUP) {
		muster_cov_group n, had;
		uint64_t half[2];

		memcpy(&n, p, sizeof n);
		if (!any(n))
			continue;
		l->touched[l->touched_count++] = p;
		n = muster_cov_classes(n);
		memcpy(&had, p + seen, sizeof had);
		news |= any(n & ~had);
		memcpy(half, &n, sizeof half);
		sum = mix(sum ^ half[0]) + mix(half[1] + (uint64_t)(p - (uint8_t *)l->h));
	}
	*signature = sum;
	return news;
}

/* All of them, in a mapping that the harness may have written anything into: where a block cannot be one, the engine is to see it. */
static int look(struct loop *l, uint64_t *signature)
{
	struct muster_cov_block *table = (struct muster_cov_block *)((char *)l->h + l->h->node_offset);
	uint64_t end = l->h->node_count;
	ptrdiff_t seen = (ptrdiff_t)(l->words->seen_offset - l->h->node_offset);
	int news = 0;

	*signature = 1;
	l->touched_count = 0;
	if (end > l->h->node_capacity)
		return 1;
	for (uint64_t at = 1; at < end;) {
		uint64_t blocks = 1 + ((uint64_t)table[at].count + MUSTER_COV_GRAIN - 1) / MUSTER_COV_GRAIN;

		if (table[at].magic != MUSTER_COV_MAGIC || blocks > end - at)
			return 1;
		news |= look_at_block(l, (uint8_t *)(table + at + 1), (uint8_t *)(table + at + blocks), seen, signature);
		at += blocks;
	}
	*signature |= 1;
	return news;
}

static void clear(struct loop *l)
{
	for (uint64_t i = 0; i < l->touched_count; i++)
		memset(l->touched[i], 0, GROUP);
	for (uint64_t i = 0; i < l->start_count; i++)
		memcpy(l->start[i].at, &l->start[i].counters, GROUP);
	l->touched_count = 0;
}

static void *reserve(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int remember_start(struct loop *l)
{
	uint64_t unused;

	look(l, &unused);
	l->start_count = l->touched_count;
	if (!l->start_count)
		return 0;
	l->start = reserve(l->start_count * sizeof *l->start);
	if (!l->start)
		return -1;
	for (uint64_t i = 0; i < l->start_count; i++) {
		l->start[i].at = l->touched[i];
		memcpy(&l->start[i].counters, l->touched[i], GROUP);
	}
	return 0;
}

/* ---------------------------------------------------------------- loop */

static int prepare(struct loop *l)
{
	uint64_t table = l->h->node_capacity * MUSTER_COV_GRAIN;

	l->capacity = (l->words->capacity + PAGE - 1) & ~(PAGE - 1);
	l->room = reserve(l->capacity + PAGE);
	l->touched = reserve(table / GROUP * sizeof *l->touched);
	if (!l->room || !l->touched || mprotect(l->room + l->capacity, PAGE, PROT_NONE))
		return -1;
	/* A harness that writes there would hide from us what it does. */
	if (mprotect((char *)l->h + l->words->seen_offset, table, PROT_READ))
		return -1;
	return remember_start(l);
}

static void run_batch(struct loop *l, int (*harness)(const uint8_t *, size_t), uint32_t *runs)
{
	struct muster_loop *w = l->words;
	uint8_t *data = (uint8_t *)l->h + l->h->data_offset;
	struct muster_loop_input *list = (struct muster_loop_input *)data;

	for (uint32_t i = 0;; i++) {
		uint64_t size = list[i].size < l->capacity ? list[i].size : l->capacity;

		clear(l);
		w->at = i;
		w->taken = w->ask;
		l->h->object_used = 0;
		l->h->object_count = 0;
		errno = 0;
		harness(place(l->room + l->capacity, data + list[i].at, size), size);
		if (++*runs % LOOK == 0)
			look_at_memory(w);
		w->news = (uint32_t)look(l, &list[i].signature);
		if (w->want)
			w->news = list[i].signature == w->want;
		if (w->news || w->every || i + 1 >= w->count || __atomic_load_n(&w->stop, __ATOMIC_RELAXED))
			return;
	}
}

int __muster_loop(int (*harness)(const uint8_t *, size_t))
{
	struct loop l = {.h = light_header};
	uint32_t last = 0, runs = 0;

	if (!l.h || !(l.h->flags & MUSTER_FLAG_LOOP))
		return 0;
	l.words = (struct muster_loop *)((char *)l.h + l.h->event_offset);
	if (prepare(&l))
		return 0;
	look_at_memory(l.words);
	look_at_time(l.words);
	say(l.words, MUSTER_LOOP_READY);
	for (;;) {
		last = hear(l.words, last);
		run_batch(&l, harness, &runs);
		look_at_time(l.words);
		say(l.words, last);
	}
}
