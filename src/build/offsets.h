/* offsets.h: the hand-written offsetof, in preprocessed C. */
#ifndef MUSTER_BUILD_OFFSETS_H
#define MUSTER_BUILD_OFFSETS_H

#include "base/buf.h"

/* Writes the text with each (size_t)&((struct s *)0)->m as (size_t) of the compiler's own offset, in the same line. Gives the number of them. */
unsigned offsets_rewrite(const struct buf *text, struct buf *out);

#endif
