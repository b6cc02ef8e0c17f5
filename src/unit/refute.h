/* refute.h: summaries of an old version that a run of the new one refutes. */
#ifndef MUSTER_UNIT_REFUTE_H
#define MUSTER_UNIT_REFUTE_H

#include "ir/match.h"
#include "unit/revalidate.h"

struct refuter *refuter_new(struct recall *was, const struct driven *now, const struct match *m, const struct revalidate_options *o);
void refuter_free(struct refuter *r); /* NULL is fine */
/* Summaries of one function of the old version; rows: what is known of each so far. Those that are unknown and not partial are run, and become invalid where a run shows it. With an audit valid ones are run, too: a run that contradicts one
 * is noted as a violation, with words; of a partial one only its witness is run. 0, or -1 with words. */
int refuter_run(struct refuter *r, const struct recall_function *function, struct summaries *l, struct revalidate_row *rows);

#endif
