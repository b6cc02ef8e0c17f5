/* missing.h: placeholders for functions that are not instrumented yet. */
#ifndef MUSTER_INSTRUMENT_MISSING_H
#define MUSTER_INSTRUMENT_MISSING_H

#include "base/map.h"
#include "ir/unit.h"

/* What is made of a unit of which a part is enough. */
struct missing {
	const struct strmap *now;    /* functions that are made now ... */
	const struct strmap *before; /* ... and those whose code is in `from` */
	const char *from;	     /* directory with the objects that were kept before; NULL: there are none */
	const char *keep;	     /* directory for the objects of both */
	struct strmap always;	     /* out: functions that are never missing, whatever the lists say */
	int whole;		     /* out: the unit cannot be in parts, and all of it was made */
};

/* Gives every function that may be missing, and is not in m->now, a body that says so. Sites are numbered before: the unit's list of instructions has NULL for
 * what is gone. -1 with words. */
int missing_put(struct unit *u, struct missing *m);
int missing_is(LLVMValueRef function); /* has it such a body? */

#endif
