/* operands.h: what a traced run compared, put in place in its input: words and tokens that the mutation stage tries.
 *
 * A comparison in a loop of the program's own (its strcmp, its case-blind strncmp) says one character of the word it wants; to go on from there takes a
 * generation for each further character. The words of the program that begin so are few, and a run of the cov variant costs a thousandth of a trace. */
#ifndef MUSTER_SEARCH_OPERANDS_H
#define MUSTER_SEARCH_OPERANDS_H

#include "search/inside.h"

/* The run of this input, whose path is p, was traced for `test` or to make a child of it. */
void operands_offer(struct search *s, uint64_t test, const struct trace *t, const struct path *p, const uint8_t *data, size_t size);

#endif
