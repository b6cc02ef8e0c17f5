/* merges.h: outcomes that need many decisions of a loop at once, asked for by terms of all its paths
 * (merges.c). */
#ifndef MUSTER_SEARCH_MERGES_H
#define MUSTER_SEARCH_MERGES_H

#include "loops/codes.h"
#include "search/inside.h"

struct merges;
struct merges *merges_new(struct codes *codes);
void merges_free(struct merges *m);
/* The next function: what was asked for is forgotten. */
void merges_restart(struct merges *m);

/* Asks for outcomes that no test covers, in functions with loops that the run on x->trace (its path:
 * s->now.parent) went through, and runs the answers. 0; 1: the slice ended; -1 with words. */
int merges_ask(struct merges *m, struct search *s, struct expansion *x);

#endif
