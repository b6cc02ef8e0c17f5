/* prefix.h: summaries of segments one after another: what must hold at the entry of a function for the first to begin there, each to follow, and P to hold where the last one ends (seed 000, section 7). */
#ifndef MUSTER_SUMMARY_PREFIX_H
#define MUSTER_SUMMARY_PREFIX_H

#include "ir/code.h"
#include "summary/summary.h"

/* The conjuncts, over places of the entry, behind those in out->pre. before: numbers of summaries of the list, in the order in which they are passed, the first from the entry. 1; 0: they cannot be put together (a postcondition that is no equation, a place behind a pointer that
 * was computed ...): then nothing is said. */
int summary_prefix(struct summaries *l, const struct code_function *f, const uint32_t *before, size_t count, const struct summary *last, struct summary *out);

#endif
