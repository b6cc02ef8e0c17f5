/* whole_parts.h: what the files that make a struct whole share. Not for others. */
#ifndef MUSTER_IR_WHOLE_PARTS_H
#define MUSTER_IR_WHOLE_PARTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "ir/whole.h"

struct whole_targets {
	uint32_t first, count; /* in target_list */
};

/* Which functions of a unit may read a local without a value: found when it is first asked for. */
struct whole_unset {
	struct buf bitcode; /* of the unit; empty: it was joined with such values as values of their own */
	struct strmap names;
	int known; /* -1: it cannot be found out */
};

struct whole_inside {
	struct arena arena;
	struct strmap names;   /* of symbols that are not static -> number; hidden ones of libraries are not in it */
	struct strmap foreign; /* "image name" -> 1 */
	struct map signatures; /* -> targets */
	VEC(struct whole_targets) targets;
	VEC(uint32_t) target_list;
	struct map units; /* first half of a unit's digest -> its number + 1 */
	int joined;
	VEC(struct whole_unset) unset; /* by unit */
};

/* whole_link.c: symbols. */
void whole_link(struct whole *w);
/* whole_graph.c: calls, components, effects. */
void whole_calls(struct whole *w);
/* digest.c: keys, orders, digests. */
void whole_digests(struct whole *w);

#endif
