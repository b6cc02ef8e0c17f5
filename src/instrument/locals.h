/* locals.h: local variables filled with a pattern, to see whether a program looks at memory that it never wrote. */
#ifndef MUSTER_INSTRUMENT_LOCALS_H
#define MUSTER_INSTRUMENT_LOCALS_H

#include "base/buf.h"

/* The unit's bitcode as the front end left it, with calls of __muster_fill (runtime/fill.c). 0, -1 with words. */
int locals_fill(const void *bitcode, size_t size, struct buf *out);

#endif
