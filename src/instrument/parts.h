/* parts.h: code generation of a large unit, in parts and on all processors. */
#ifndef MUSTER_INSTRUMENT_PARTS_H
#define MUSTER_INSTRUMENT_PARTS_H

#include "instrument/instrument.h"
#include "ir/unit.h"

struct buf;

/* From an edited module to its object: what remains to be done for a part as for a whole unit. -1 with words. */
typedef int parts_finish(struct unit *u, enum instrument_kind kind, const struct instrument_options *options, struct buf *object);

/* Finishes the unit, in parts if options says so and it is large. The module may be gone afterwards. PARTS_NONE: some of its functions were
 * to be made (options->missing), and it cannot be in parts. */
#define PARTS_NONE 1
int parts_emit(struct unit *u, enum instrument_kind kind, const struct instrument_options *options, parts_finish *finish, struct buf *object);

#endif
