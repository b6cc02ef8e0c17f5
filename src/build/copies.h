/* copies.h: which copies of functions a trace variant has.
 *
 * A function traced in full is its slow copy; a fast copy beside it runs code without labels at almost native speed
 * (instrument/trace_fast.c), and takes ten times as long to compile. Both states of a variant write the same events at the same sites.
 */
#ifndef MUSTER_COPIES_H
#define MUSTER_COPIES_H

#include "build/image.h"
#include "build/variant.h"

/* "both" or "slow": the state of all trace variants, whatever they cost. */
#define COPIES_VARIABLE "MUSTER_COPIES"

/* The state in which a variant is made; COPIES_BOTH for kinds that have no copies. -1 with words: the environment names
 * neither. */
int copies_choose(const struct program *p, enum variant_kind kind, enum copies *out);
/* Does the environment decide? */
int copies_forced(void);
const char *copies_name(enum copies c);

#endif
