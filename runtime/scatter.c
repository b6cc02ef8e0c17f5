/* scatter.c: stores through a symbolic address, in programs that the driver runs.
 *
 * A store at a symbolic index in a small object can go to any of its elements. Each of them becomes
 *	index == i ? what is stored : what was there
 * under the bound that the index stays inside, and nothing is fixed. In larger objects, or where
 *the index is not known to be that of a whole element, the offset is concretised, as in other
 *programs.
 *
 * Invariant: memory holds the value of each node that is written, once the store has happened.
 */
#include "activation.h"
#include "node.h"

#include <string.h>

#define LARGEST 64 /* bytes of an object that is written so */

static uint64_t memory_word(uint64_t at, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, (const void *)at, size);
	return v;
}

static void scatter(const struct rt_object *o, label offset, unsigned size, label a, uint64_t v,
		    uint64_t site)
{
	uint64_t now = rt_value(offset);

	for (uint64_t i = 0; i + size <= o->size; i += size) {
		char *to = (char *)o->base + i;
		uint64_t old = memory_word((uint64_t)to, size);
		ACTIVATION_READ(to, size, 0, site);
		label was = rt_any(to, size) ? rt_load_cells((uint64_t)to, size, site) : 0;
		label here = rt_binary(MUSTER_OP_EQ, 64, offset, 0, now, i);

		if (!a && !was && v == old)
			continue; /* the same either way */
		rt_store(to, size, rt_ite(here, a, was, size * 8, v, old, now == i));
	}
}

void __muster_store_at(void *p, uint32_t size, label a, label address, uint64_t v, uint64_t site)
{
	struct rt_object o;
	label offset = 0;
	enum rt_place place = RT_ELSEWHERE;

	address = ACTIVATION_ADDRESS(address, p);
	if (!address || !RT_ON() || !RT_STATE->driven) {
		rt_access_at(address, p, size, MUSTER_REASON_STORE, site);
		__muster_store(p, size, a, site);
		return;
	}
	v = rt_mask(v, size * 8);
	if (a && muster_value(rt_node(a)) != v)
		a = rt_stale(a, site, 1);
	if (muster_value(rt_node(address)) == (uint64_t)p) {
		rt_pin_use = RT_WRITES;
		place = rt_pin(address, (uint64_t)p, size, site, &o, &offset);
		rt_pin_use = RT_READS;
	}
	if (place == RT_MOVING && o.size <= LARGEST && (uint64_t)p - o.base + size <= o.size &&
	    rt_is_multiple(offset, size - 1, 4)) {
		if (!rt_was_judged(offset, o.size, size))
			rt_check_once(MUSTER_CHECK_NONE,
				      rt_binary(MUSTER_OP_ULE, 64, offset, 0, rt_value(offset), o.size - size), site);
		scatter(&o, offset, size, a, v, site);
		return;
	}
	if (place != RT_FIXED)
		rt_access_at(address, p, size, MUSTER_REASON_STORE, site);
	__muster_store(p, size, a, site);
}
