/* repair.h: a candidate that was refused, with its fields made true again.
 *
 *	struct repair *r = repair_new(&trace);           // the trace variant, launcher's options as they are
 *	repair_learn(r, data, size);                     // an input that does what matters
 *	... bytes are removed: next ...
 *	if (repair_input(r, &next, try, ctx) > 0) ...    // try took one
 *
 * Removing bytes breaks what an input says about itself: a length, a count, a checksum. The solver is asked for the fields that lead the
 * candidate where the accepted input went. That is a proposal, no more: whether the result does what matters is `try`'s to say.
 * The same inputs and answers give the same proposals: no clock is looked at.
 */
#ifndef MUSTER_SEARCH_REPAIR_H
#define MUSTER_SEARCH_REPAIR_H

#include "base/buf.h"
#include "run/target.h"

struct repair;
/* trace: the trace variant; it outlives the repair. NULL with words. */
struct repair *repair_new(const struct target *trace);
void repair_free(struct repair *r); /* NULL is fine */
/* The outcomes that this input takes are wanted from now on, and no others. 1; 0: its run left no trace that helps; -1 with words. */
int repair_learn(struct repair *r, const void *data, size_t size);
/* data, which repair_learn was given last, had [from, to) removed and is *next: numbers that say how many bytes there are become smaller by as many (fields.h). Returns how many there were. */
unsigned repair_lengths(const struct repair *r, const struct buf *data, size_t from, size_t to, struct buf *next);
/* Gives proposals to `try`, in *next, of the size it has: 1: it took one; 0: there is no further one; -1: it said stop, or with words. Afterwards *next is what try left. */
int repair_input(struct repair *r, struct buf *next, int (*try)(void *ctx), void *ctx);
uint64_t repair_traces(const struct repair *r); /* runs of the trace variant so far */
void repair_limit(struct repair *r, uint64_t traces); /* no more than these in all; `try` may change it. Without it there is none */

#endif
