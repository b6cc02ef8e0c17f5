/* split.h: an instrumented module in parts that are compiled apart and joined to one object.
 *
 * Part 0 has all variables, constructors and what belongs to them; functions are dealt out. What was static and is used in another part
 * becomes a hidden symbol, which whoever joins the objects makes local again: the joined object has the symbols of the whole one.
 */
#ifndef MUSTER_INSTRUMENT_SPLIT_H
#define MUSTER_INSTRUMENT_SPLIT_H

#include "base/buf.h"
#include "base/map.h"
#include "ir/unit.h"

struct missing;

struct split {
	unsigned count;	   /* parts; 1: the module stays as it is */
	unsigned fast;	   /* the part of functions that are worth better code; 0: none is */
	int missing;	   /* only some of the functions are made */
	struct map home;   /* defined function -> its part + 1 */
	struct map copied; /* functions whose body every part has, since it has to be inlined */
	struct buf locals; /* names of symbols that are local in the joined object, one a line */
};

/* How to split a module into parts of about `size` instructions of the normal form, of which it has u->count. Functions with 1 in `fast` (NULL: none
 * has) are in a part of their own. Marks what the parts share. */
void split_plan(struct split *s, struct unit *u, uint32_t size, const struct strmap *fast);
/* The same for a unit of which some functions are made (missing.h): part 0 has placeholders and whatever is no code of functions, the others the functions that are made now;
 * those that were made before are in no part. All statics are shared, so that parts of several makings fit each other. -1: it cannot be split. */
int split_plan_missing(struct split *s, struct unit *u, uint32_t size, const struct missing *m);
/* Leaves one part of the module; u->instructions must not be used any more. -1 with words. */
int split_take(const struct split *s, struct unit *u, unsigned part);
void split_release(struct split *s);

#endif
