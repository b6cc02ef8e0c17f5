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

/* What a unit was read from. */
struct whole_read {
	struct whole_source source; /* its name and its bitcode are ours */
	struct buf bitcode;
	struct strmap relied; /* unit.h */
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
	VEC(struct whole_read) sources; /* by unit */
	struct whole *unset; /* the same with values of their own for locals without a value: made when it is first asked for */
	int no_unset;	     /* it cannot be made */
};

/* whole_source.c: a unit, read: 0; -1 with words. */
int whole_read_unit(struct whole *w, const struct whole_source *s, struct whole_unit *out);
/* Those whose calls name their place to functions that another file defines are read again. */
int whole_read_again(struct whole *w);
void whole_forget_sources(struct whole *w);
/* whole_link.c: symbols. */
void whole_link(struct whole *w);
/* whole_graph.c: calls, components, effects. */
void whole_calls(struct whole *w);
/* digest.c: keys, orders, digests. */
void whole_digests(struct whole *w);

#endif
