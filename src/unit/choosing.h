/* choosing.h: --strategy auto, in a worker of `muster test`: is a function searched by all decisions of its paths, or with summaries in the place of calls?
 *
 * Every search begins by all decisions: that is the learning phase. If its paths turn out to lie in callees that were searched to their end, the function is put aside, and
 * searched with summaries when all others had their turn (session.c). Where that does not come to an end either, it has its whole budget without them: nothing is lost but the time.
 */
#ifndef MUSTER_UNIT_CHOOSING_H
#define MUSTER_UNIT_CHOOSING_H

#include "unit/unit.h"

struct choosing;
struct choosing *choosing_new(struct test_session *s);
void choosing_free(struct choosing *c);

/* The search of a function begins. */
void choosing_begin(struct choosing *c, uint32_t function);
/* A path of it. */
void choosing_path(struct choosing *c, const struct path *p, const struct sites *sites);
/* After so many inputs: do summaries promise more? *out: what was seen. */
int choosing_wants(struct choosing *c, uint64_t inputs, struct test_learned *out);

#endif
