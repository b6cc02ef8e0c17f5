/* cov.c: walking the blocks of counters.
 *
 * The target can write anything anywhere, so a block is believed only if its magic
 * is right and it ends inside the table as far as the run used it.
 */
#include "run/cov.h"

#include "base/error.h"
#include "muster/cov.h"

#include <string.h>

int cov_each(const struct shm *s,
	     int (*f)(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count), void *ctx)
{
	const unsigned char *base = s->base + s->node_offset;
	uint64_t end = s->header->node_count;

	if (end > s->node_capacity)
		return error_set("the target wrote over its counters: their number is %llu",
				 (unsigned long long)end);
	for (uint64_t at = 1; at < end;) {
		struct muster_cov_block block;
		uint64_t blocks;
		int result;

		memcpy(&block, base + at * MUSTER_COV_GRAIN, sizeof block);
		blocks = 1 + ((uint64_t)block.count + MUSTER_COV_GRAIN - 1) / MUSTER_COV_GRAIN;
		if (block.magic != MUSTER_COV_MAGIC || blocks > end - at)
			return error_set("the target wrote over its counters, in block %llu",
					 (unsigned long long)at);
		result = f(ctx, block.unit, base + (at + 1) * MUSTER_COV_GRAIN, block.count);
		if (result)
			return result;
		at += blocks;
	}
	return 0;
}

struct totals {
	uint64_t covered, total;
};

static int add_up(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count)
{
	struct totals *t = ctx;

	(void)unit;
	for (uint32_t i = 0; i < count; i++)
		t->covered += counters[i] != 0;
	t->total += count;
	return 0;
}

int cov_totals(const struct shm *s, uint64_t *covered, uint64_t *total)
{
	struct totals t = {0, 0};

	if (cov_each(s, add_up, &t))
		return -1;
	*covered = t.covered;
	*total = t.total;
	return 0;
}
