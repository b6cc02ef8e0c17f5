/* entry.c: what functions and loops are entered with, reported to the engine.
 *
 * An entry is as many calls as it has values, one after the other, the first of them with position 0. If one of the values has a label,
 * all are reported: those without as constants, so that the engine knows them, too. The first ENTRIES of a site in a run are, no
 * others: what a loop inside a loop is entered with differs in every round, and the engine would not look at more.
 */
#include "hooks.h"
#include "node.h"

#define ENTRIES 4
#define COUNTERS (1u << 12)

static uint8_t counts[COUNTERS]; /* by a hash of the site: two that share one are reported less often */
static uint64_t telling;	 /* site of the entry that is being reported */

void __muster_entry(label any, label a, uint64_t value, uint32_t what, uint64_t site)
{
	uint32_t position = what & 0xff, width = what >> 8;

	if (!any || !RT_ON() || !(RT_STATE->header->flags & MUSTER_FLAG_ENTRIES))
		return;
	if (position == 0) {
		uint8_t *n = &counts[(site * 0x9e3779b97f4a7c15ull) >> 52];
		telling = *n < ENTRIES ? site : 0;
		*n += *n < ENTRIES;
	}
	if (telling != site)
		return;
	if (!a)
		a = rt_const(width, width < 64 ? value & ((1ull << width) - 1) : value, 0);
	if (a)
		rt_event_at(MUSTER_EV_ENTRY, position, site, a);
}
