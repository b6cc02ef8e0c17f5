/* loops.h: invariants that lead the search (loops.c). */
#ifndef MUSTER_SEARCH_LOOPS_H
#define MUSTER_SEARCH_LOOPS_H

#include "search/inside.h"

struct loops;
/* program: the file with the records that the variants were made from. Nothing is read before a traced run enters a loop. */
struct loops *loops_new(const char *program);
void loops_free(struct loops *l);
/* The next function: what was asked for is forgotten, what was analysed is not. */
void loops_restart(struct loops *l);

/* Asks for outcomes that no test covers, in or after loops that the run on x->trace (its path: s->now.parent) entered, and runs the answers.
 * 0; 1: the slice ended; -1 with words. */
int loops_ask(struct search *s, struct expansion *x);

/* s->now.input, an answer that only its run shows the worth of, is run for what it covers, and kept. iterations: of loops that it is asked to
 * make; a long run has more time. 0, -1. */
int loops_run(struct search *s, const struct expansion *x, uint64_t iterations);

#endif
