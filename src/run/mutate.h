/* mutate.h: changed copies of an input, repeatable from a seed. */
#ifndef MUSTER_RUN_MUTATE_H
#define MUSTER_RUN_MUTATE_H

#include "base/buf.h"

#include <stdint.h>

/* Fills `to` with a copy of from[0..size) with one to four changes: a bit, a byte, an interesting
 * value of 1, 2 or 4 bytes, two bytes exchanged, a digit or letter for another, bytes cut off or
 * added at the end, bytes removed or doubled within. words says what changed. *state is the seed
 * and moves on. The first `used` bytes are changed most: what follows was not read. With `fixed` the
 * length stays and no byte becomes zero unless it was (arguments). */
void mutate(struct buf *to, const uint8_t *from, uint64_t size, uint64_t used, int fixed,
	    uint64_t *state, char *words, unsigned room);

#endif
