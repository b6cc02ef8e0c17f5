/* cov.c: the runtime of the cov variant: where the counters live.
 *
 * Each unit's constructor names its counters. If the run is watched they get a
 * block in the shared mapping (include/muster/cov.h), so a count is safe in the
 * engine's hands the moment it is made, however the target ends; no work is left
 * for the end of a run. Blocks are handed out by one atomic addition, since
 * libraries may be loaded by several threads. When there is no room the unit goes
 * on counting in memory of its own, and `dropped` says that it did.
 *
 * Threads and forked children count too, without locks: a count may be lost, a
 * counter never falls back to zero.
 */
#include "light.h"
#include "muster/cov.h"

#include <string.h>

/* The driver's reference to the loop is weak, which brings no member of an archive: this one does. */
__attribute__((used)) static int (*const loop)(int (*)(const uint8_t *, size_t)) = __muster_loop;

void light_begin(struct muster_header *h)
{
	(void)h;
}

RT_EXPORT void __muster_cov_unit(uint32_t unit, uint32_t count, uint8_t *own, uint8_t **at)
{
	struct muster_header *h = light_header;
	uint64_t need = 1 + ((uint64_t)count + MUSTER_COV_GRAIN - 1) / MUSTER_COV_GRAIN, place;
	struct muster_cov_block *block;

	if (!h)
		return;
	place = __atomic_fetch_add(&h->node_count, need, __ATOMIC_RELAXED);
	if (place + need > h->node_capacity || place + need < place) {
		__atomic_fetch_sub(&h->node_count, need, __ATOMIC_RELAXED);
		__atomic_fetch_add(&h->dropped, 1, __ATOMIC_RELAXED);
		return;
	}
	block = (struct muster_cov_block *)((char *)h + h->node_offset) + place;
	/* What an earlier run left there must go; what code that ran before this
	 * constructor counted must not. */
	memcpy(block + 1, own, count);
	memset((uint8_t *)(block + 1) + count, 0, (need - 1) * MUSTER_COV_GRAIN - count);
	block->unit = unit;
	block->count = count;
	block->magic = MUSTER_COV_MAGIC;
	*at = (uint8_t *)(block + 1);
}
