/* activation_log.c: which activation has read or written what; which objects there are, and since when.
 *
 * The log has a grain for eight bytes: which of them were read first, which were written, and the caller's cells. Grains of one address are a
 * chain, innermost first; those of one activation are a list. Blocks that were allocated since the outermost activation began are a list with the activation that each belongs to: it
 * is the activation's own, then its caller's.
 *
 * Invariant: a slot that is in use stays until nothing is open, so that a search may pass over it.
 */
#include "activation_inside.h"

#include <string.h>

#ifdef RT_ACTIVATIONS

#define BORN (1u << 16) /* blocks allocated since the outermost began */

uint32_t rt_now, rt_closed;
struct activation activation_open[ACTIVATION_OPEN + 1];
struct grain activation_grains[ACTIVATION_GRAINS];
static uint32_t grain_count = 1, grain_free;
struct slot activation_slots[ACTIVATION_SLOTS];
static uint32_t slots_used;
static struct {
	uint64_t base;
	uint32_t open;
} born[BORN];
uint32_t activation_born_count;
static uint32_t born_slots[2 * BORN]; /* by address: 1 + the newest in the list that begins there, or that begins elsewhere and is found on the same search */
uint32_t activation_busy;
uint64_t activation_frees;

/* ------------------------------------------------------------------- log */

static uint32_t *slot_of(uint64_t at)
{
	uint64_t i = place_of(at);

	if (!activation_slots[i].at) {
		activation_slots[i].at = at;
		slots_used++;
	}
	return &activation_slots[i].top;
}

struct grain *activation_grain(uint64_t at, uint32_t open)
{
	struct grain *g = find(at, open);
	uint32_t made = grain_free ? grain_free : grain_count;

	if (g)
		return g;
	if (made >= ACTIVATION_GRAINS || slots_used > ACTIVATION_SLOTS - ACTIVATION_SLOTS / 8) {
		activation_mark(MUSTER_MARK_ROOM);
		return NULL;
	}
	if (grain_free)
		grain_free = activation_grains[made].next;
	else
		grain_count++;
	uint32_t *link = slot_of(at);
	while (*link && activation_grains[*link].open > open)
		link = &activation_grains[*link].outer;
	activation_grains[made] = (struct grain){.at = at, .open = open, .outer = *link, .next = activation_open[open].grains};
	*link = made;
	activation_open[open].grains = made;
	return &activation_grains[made];
}

void activation_grain_free(uint32_t grain)
{
	struct grain *g = &activation_grains[grain];
	uint32_t *link = slot_of(g->at);

	while (*link && *link != grain)
		link = &activation_grains[*link].outer;
	*link = g->outer;
	g->next = grain_free;
	grain_free = grain;
}

/* -------------------------------------------------------------- what is whose */

static uint32_t *born_slot(uint64_t base)
{
	uint64_t i = (base >> 4) * 0x9e3779b97f4a7c15ull >> 47;

	while (born_slots[i % (2 * BORN)] && born[born_slots[i % (2 * BORN)] - 1].base != base)
		i++;
	return &born_slots[i % (2 * BORN)];
}

/* Every slot in use lies in a row that begins where one of these does. */
void activation_forget(void)
{
	while (activation_born_count > 0)
		for (uint64_t i = (born[--activation_born_count].base >> 4) * 0x9e3779b97f4a7c15ull >> 47; born_slots[i % (2 * BORN)]; i++)
			born_slots[i % (2 * BORN)] = 0;
	if (slots_used > ACTIVATION_SLOTS / 4)
		memset(activation_slots, 0, sizeof activation_slots), slots_used = 0;
}

uint32_t activation_born_in(uint64_t base)
{
	uint32_t at = *born_slot(base);

	return at ? born[at - 1].open : 0;
}

void activation_born_end(void)
{
	for (uint32_t i = activation_open[rt_now].born; i < activation_born_count; i++)
		if (born[i].open >= rt_now)
			born[i].open = rt_now - 1;
}

static void put_name(uint64_t base)
{
	const struct rt_global *g = rt_global_at(base);
	uint32_t was = activation_busy;

	if (!g || !*g->name)
		return;
	activation_busy = 1;
	label name = rt_snapshot(&(struct rt_object){(uint64_t)g->name, strlen(g->name), 1});
	activation_busy = was;
	if (name)
		rt_event_whole(MUSTER_EV_NAME, g->unit & 1, 0, g->unit & ~1ull, name);
}

/* An object's event comes before the first that lies in it. what: bit 0: constant, bit 1: it was allocated just now. */
static void put_object(uint64_t base, uint64_t size, unsigned what)
{
	static struct {
		uint64_t base, size;
	} known[1024];
	unsigned slot = (unsigned)(base >> 4) % 1024;

	if (!(what & 2) && known[slot].base == base && known[slot].size == size)
		return;
	known[slot].base = base;
	known[slot].size = size;
	rt_event_whole(MUSTER_EV_OBJECT, what, 0, base, rt_const(64, size, 0));
	if (!(what & 2))
		put_name(base);
}

void activation_born(uint64_t base, uint64_t size)
{
	activation_moving.at = activation_moving.end = 0;
	if (!activation_busy && RT_ON())
		put_object(base, size, 2);
	if (activation_busy || !RT_ON())
		return;
	if (activation_born_count == BORN) {
		activation_mark(MUSTER_MARK_ROOM);
		return;
	}
	uint32_t *slot = born_slot(base);
	born[activation_born_count].base = base;
	born[activation_born_count++].open = rt_now;
	*slot = activation_born_count;
}

void activation_died(uint64_t base, uint64_t size)
{
	activation_frees++;
	if (activation_busy || !RT_ON() || !size)
		return;
	uint32_t in = activation_born_in(base);
	if (in)
		born[*born_slot(base) - 1].open = 0; /* whoever is given it next has an event for it */
	if (in < rt_now)
		activation_mark_some(MUSTER_MARK_FREED, rt_now - in);
	/* Nothing can read any more what was written there. */
	for (uint64_t at = base & ~7ull; at < base + size && size <= ACTIVATION_BULK; at += 8)
		for (uint32_t i = 1; i <= rt_now; i++) {
			struct grain *g = find(at, i);
			if (g)
				g->read = g->written = 0;
		}
}

void activation_put_object(const struct rt_object *o)
{
	put_object(o->base, o->size, o->constant ? 1 : 0);
}

uint64_t activation_object(uint64_t addr)
{
	struct rt_object o;

	if (!covered(addr, 1) || !rt_object_find((const void *)addr, &o))
		return 0;
	activation_put_object(&o);
	return o.base;
}

#endif
