/* guesses.h: what was guessed about the loops of functions, for points after them (guesses.c). */
#ifndef MUSTER_LOOPS_GUESSES_H
#define MUSTER_LOOPS_GUESSES_H

#include "loops/loop_guess.h"

struct guesses;
struct guesses *guesses_new(void);
void guesses_free(struct guesses *g);

/* Guesses about those loops of the function that may have run before the block is reached, if
 * there is none for yet, and proves them. Takes about so many seconds at most; loops that are left then
 * have their turn at the next call; 0: no clock is looked at. Returns how many are proved. */
size_t guesses_make(struct guesses *g, const struct code_function *f, uint32_t block,
		    const struct loop_run_options *run, double seconds);
/* How many are proved, or: are not. */
size_t guesses_count(const struct guesses *g, const struct code_function *f, uint32_t block,
		     int unproved);

/* What is proved of these, or all, at the block. symbol(ctx, s): its value there. */
expr_t guesses_at(struct guesses *g, struct exprs *p, const struct code_function *f, uint32_t block,
		  int unproved, expr_t (*symbol)(void *ctx, const struct loop_symbol *s),
		  void *ctx);

#endif
