/* loop.c: a harness called many times in one process (cov variant).
 *
 * The driver's main calls __muster_loop, which returns 0 at once unless the engine
 * asked for a loop. Each input is copied so that it ends, up to alignment, where a page without
 * access begins: a harness that reads far past its input ends there and then. Bytes between are
 * zero, never what an earlier input left.
 *
 * Counters are the engine's business: it reads and clears them while this process waits.
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
#include <unistd.h>

#define PAGE 4096ull
#define ALIGN 16ull
#define LOOK 64 /* runs between two looks at the memory */

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

int __muster_loop(int (*harness)(const uint8_t *, size_t))
{
	struct muster_header *h = light_header;
	struct muster_loop *l;
	uint64_t capacity;
	const uint8_t *data;
	uint32_t last = 0;
	uint8_t *room;

	if (!h || !(h->flags & MUSTER_FLAG_LOOP))
		return 0;
	l = (struct muster_loop *)((char *)h + h->event_offset);
	data = (const uint8_t *)h + h->data_offset;
	capacity = (l->capacity + PAGE - 1) & ~(PAGE - 1);
	room = mmap(NULL, capacity + PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED || mprotect(room + capacity, PAGE, PROT_NONE))
		return 0;
	look_at_memory(l);
	say(l, MUSTER_LOOP_READY);
	for (uint32_t runs = 1;; runs++) {
		uint64_t size;

		last = hear(l, last);
		l->taken = last;
		size = l->size < capacity ? l->size : capacity;
		h->object_used = 0;
		h->object_count = 0;
		errno = 0;
		harness(place(room + capacity, data, size), size);
		if (runs % LOOK == 0)
			look_at_memory(l);
		say(l, last);
	}
}
