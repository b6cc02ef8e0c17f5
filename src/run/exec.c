/* exec.c: many runs of the cov variant.
 *
 * The counters of a run stand in blocks of the shared mapping, one for each unit that
 * registered, in the order of registration. Callers want one array in which an outcome has the
 * same index for ever: a unit gets its place there when it is first seen. Since
 * units nearly always register in the same order, the place of block k is
 * remembered and checked against the block's unit; a map is asked only where it differs.
 *
 * Invariant: dense[0 .. count) has a place for each unit seen, and nothing else; what the
 * target may have written over a block's head is never believed beyond the mapping.
 */
#include "run/exec.h"

#include "base/error.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "run/cov.h"

#include <stdlib.h>
#include <string.h>

#define COUNTER_GRAINS (1u << 21) /* room for 64 MiB of counters, sparse */
#define PADDING 64		  /* behind dense, for readers that take whole vectors */
#define FAILURES 20		  /* runs that fail in a row: it cannot be run any more */

struct exec {
	struct shm shm;
	struct launch_options options;
	struct launcher *launcher;
	VEC(struct exec_unit) units;
	struct map by_unit;  /* id to index in units */
	VEC(uint32_t) order; /* index in units of the block registered k-th in the last run */
	uint8_t *dense;
	uint32_t count, cap;
	unsigned failures;
	int ran; /* at least one run was a run */
};

/* ----------------------------------------------------------- counters */

static uint32_t add_unit(struct exec *e, uint32_t unit, uint32_t count)
{
	struct exec_unit u = {unit, e->count, count};
	uint32_t index = (uint32_t)e->units.size;

	if (count > UINT32_MAX - PADDING - e->count)
		return UINT32_MAX;
	if (e->count + count > e->cap) {
		uint32_t cap = e->count + count + e->cap / 2;

		e->dense = mem_realloc(e->dense, (size_t)cap + PADDING, 1);
		memset(e->dense + e->count, 0, (size_t)cap + PADDING - e->count);
		e->cap = cap;
	}
	e->count += count;
	vec_push(&e->units, u);
	map_set(&e->by_unit, unit, index);
	return index;
}

static uint32_t find_unit(struct exec *e, size_t block, uint32_t unit, uint32_t count)
{
	uint64_t index;

	if (block < e->order.size && e->units.data[e->order.data[block]].unit == unit)
		return e->order.data[block];
	if (!map_get(&e->by_unit, unit, &index)) {
		index = add_unit(e, unit, count);
		if (index == UINT32_MAX)
			return UINT32_MAX;
	}
	if (block < e->order.size)
		e->order.data[block] = (uint32_t)index;
	else
		vec_push(&e->order, (uint32_t)index);
	return (uint32_t)index;
}

static void add_saturating(uint8_t *to, const uint8_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		unsigned sum = to[i] + from[i];

		to[i] = sum > 255 ? 255 : (uint8_t)sum;
	}
}

struct gather {
	struct exec *e;
	size_t block;
};

static int gather_block(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count)
{
	struct gather *g = ctx;
	struct exec *e = g->e;
	uint32_t index = find_unit(e, g->block, unit, count);
	const struct exec_unit *u;

	if (index == UINT32_MAX)
		return 1;
	g->block++;
	u = &e->units.data[index];
	add_saturating(e->dense + u->first, counters, count < u->count ? count : u->count);
	return 0;
}

/* A target that wrote over its counters loses those behind that place. */
static void gather(struct exec *e)
{
	struct gather g = {e, 0};

	if (e->count)
		memset(e->dense, 0, e->count);
	(void)cov_each(&e->shm, gather_block, &g);
}

/* --------------------------------------------------------------- runs */

static int run_process(struct exec *e, const void *data, size_t size, struct exec_result *r)
{
	struct launch_input in = {.data = data, .size = size, .present = 1};
	struct run_result result;

	if (launcher_run(e->launcher, &in, &result))
		return -1;
	r->end = result.end;
	r->signal = result.signal;
	r->code = result.code;
	r->seconds = result.wall_seconds;
	if (result.end != RUN_FAILED) {
		e->failures = 0;
		e->ran = 1;
		return 0;
	}
	if (!e->ran || ++e->failures >= FAILURES)
		return error_set("%s", result.message);
	return 0;
}

int exec_run(struct exec *e, const void *data, size_t size, struct exec_result *r)
{
	memset(r, 0, sizeof *r);
	if (run_process(e, data, size, r))
		return -1;
	gather(e);
	r->counters = e->dense;
	r->count = e->count;
	return 0;
}

int exec_open(struct exec **out, const struct launch_options *options, int no_loop)
{
	struct shm_options tables = {.nodes = COUNTER_GRAINS, .events = 1};
	struct exec *e = mem_zalloc(sizeof *e);

	(void)no_loop;
	e->options = *options;
	e->options.server = 1;
	e->options.shm = &e->shm;
	e->shm.fd = -1;
	if (!shm_init(&e->shm, &tables) && (e->launcher = launcher_new(&e->options))) {
		*out = e;
		return 0;
	}
	exec_close(e);
	return -1;
}

void exec_close(struct exec *e)
{
	if (!e)
		return;
	launcher_free(e->launcher);
	shm_release(&e->shm);
	vec_release(&e->units);
	vec_release(&e->order);
	map_release(&e->by_unit);
	free(e->dense);
	free(e);
}

const struct exec_unit *exec_units(const struct exec *e, uint32_t *count)
{
	*count = (uint32_t)e->units.size;
	return e->units.data;
}
