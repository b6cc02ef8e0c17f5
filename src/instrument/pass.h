/* pass.h: what instrument.c and the passes say to each other.
 *
 * A pass edits u->module in place. It finds debug info stripped and undefined
 * values settled (settle.h), and it walks u's own list of instructions, so that
 * what it inserts is not visited and ordinals are those of the site table.
 */
#ifndef MUSTER_INSTRUMENT_PASS_H
#define MUSTER_INSTRUMENT_PASS_H

#include "instrument/instrument.h"
#include "ir/unit.h"

int instrument_wants_fast(const struct instrument_options *options, LLVMValueRef function);
int trace_instrument(struct unit *u, const struct instrument_options *options);
void trace_describe_hooks(struct unit *u); /* last, for the optimiser */
int trace_mark(struct unit *u, const struct instrument_options *options);
int cov_instrument(struct unit *u, const struct instrument_options *options);
int path_instrument(struct unit *u, const struct instrument_options *options);

#endif
