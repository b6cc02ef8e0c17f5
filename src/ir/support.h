/* support.h: all that a function rests on, as one digest.
 *
 * What a run of a function can do depends on its body, on those of all functions that it may call or hand on, on the initial values of the data that any of these names, and on nothing
 * else of the program. Two functions with equal support digests behave the same on equal inputs, whatever else changed around them: what was found out about the one holds for the other.
 * Functions outside of the program count by name.
 */
#ifndef MUSTER_IR_SUPPORT_H
#define MUSTER_IR_SUPPORT_H

#include "ir/whole.h"

/* One digest for each symbol of the program, in an array that the caller frees. Symbols that nobody defines count by name; so do, if opaque is not NULL, the data of that name and
 * the functions that name it. */
struct hash128 *support_digests(const struct whole *w, const char *opaque);

#endif
