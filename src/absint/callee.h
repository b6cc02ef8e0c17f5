/* callee.h: what a call returns and leaves in memory, from an analysis of the callee.
 *
 * The summary of a function is what holds between its integer parameters, its result, and memory that it names (globals, what parameters point
 * to) before and after, whenever it returns: the facts at its returns, each return's cases being cases of the summary. It is asked for before the caller's analysis starts (analyses cannot be nested: the budget of
 * the domains is one), and kept in a cache that analyses of one unit share. A function that may call itself has none.
 */
#ifndef MUSTER_ABSINT_CALLEE_H
#define MUSTER_ABSINT_CALLEE_H

#include "absint/absint.h"

struct state;

/* Summaries of the functions of one unit, which must outlive it. */
struct callees *callees_new(const struct code *code);
void callees_free(struct callees *c);

/* Makes the summaries of what the function calls; a->callees is set. */
void callee_prepare(struct absint *a);
/* Is there something to say about this call? */
int callee_known(const struct absint *a, uint32_t value);
/* Cells of the caller that the call's summary speaks of; returns how many, at most so many. */
size_t callee_cells(const struct absint *a, uint32_t value, uint32_t *cells, size_t most);
/* An expression that names the symbols a call's summary relates; 0: there is none. */
int callee_shape(struct absint *a, uint32_t value, struct linear *out);
/* Adds what decides between the cases of summaries to the case splits, up to so many in all. */
void callee_splits(struct absint *a, size_t most);
/* What a call with a summary does to the state: its own symbol, and all memory that it may write. */
void callee_define(struct absint *a, struct state *s, uint32_t value);

#endif
