/* loop_guess.h: relations between a loop's variables, guessed from runs and proved in bit-vectors
 * (loop_guess.c, loop_prove.c). */
#ifndef MUSTER_LOOPS_LOOP_GUESS_H
#define MUSTER_LOOPS_LOOP_GUESS_H

#include "expr/expr.h"
#include "loops/loop_run.h"
#include "solve/solve.h"

#define GUESS_TERMS 7 /* terms of a guessed relation | three variables, twice, and a constant */

/* At every visit of the loop's header: low <= sum of coef * symbol (* by) <= low + range, all modulo
 * 2^width, the symbols cut or extended to it. With a period: only where the counter modulo 2 is
 * phase. */
struct loop_guess {
	uint8_t count, width;
	uint8_t is_signed;     /* symbols are extended with their sign */
	uint8_t period, phase; /* period 0: always; 2 */
	uint8_t proved;	       /* inductive, together with the others that are */
	uint8_t candidate;     /* about to be proved */
	struct {
		uint32_t symbol;
		uint32_t by; /* another symbol: a product; CODE_NONE: none */
		int64_t coef;
	} terms[GUESS_TERMS];
	uint64_t low, range;
};
typedef VEC(struct loop_guess) loop_guess_list;

/* Does the row have it? */
int loop_guess_holds(const struct loop_rows *r, size_t row, const struct loop_guess *g);
/* Guesses that all rows have, as candidates; none of a loop with few rows. */
void loop_guess_from(const struct loop_rows *r, loop_guess_list *out);
/* Adds, for intervals that are not proved, the same in more bits: what fails since a sum may wrap.
 * Returns how many. */
size_t loop_guess_widen(const struct loop_rows *r, loop_guess_list *list);
/* The guess as a term: symbol(ctx, s) has the width of s. */
expr_t loop_guess_term(struct exprs *p, const struct loop_rows *r, const struct loop_guess *g,
		       expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx);
/* Only the sum. */
expr_t loop_guess_sum(struct exprs *p, const struct loop_rows *r, const struct loop_guess *g,
		      expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx);
/* For people and tests: "v7 - 2*v9 in [0, 1] mod 2^32"; c3 is the counter of loop 3, t5 how often
 * edge 5 was taken. */
void loop_guess_print(struct buf *out, const struct loop_rows *r, const struct loop_guess *g);

/* A loop and what was guessed about it. */
struct loop_guessed {
	const struct loop_rows *rows; /* symbols and loop */
	loop_guess_list list;
};

/* Marks those of the candidates as proved that hold when the loop is entered and that a round
 * through the loop keeps, for all values of what comes in, of memory and of results. None is a
 * candidate afterwards. inner: loops inside this one whose guesses are done. Whatever is not
 * decided within the limits of the solver, or before
 * the clock (clock_processor) says so (0: it is not looked at), is not proved. */
void loop_prove(const struct code_function *f, struct loop_guessed *g,
		const struct loop_guessed *inner, size_t count, struct solver *solver,
		double until);

/* How the latest visit of the header came about: by an edge from outside, or by a round from a
 * visit that had what is proved, too. symbol(ctx, s): what it is now, and values from outside. True
 * if the loop is too large for it. */
expr_t loop_last_round(struct exprs *p, const struct code_function *f, const struct loop_guessed *g,
		       const struct loop_guessed *inner, size_t count,
		       expr_t (*symbol)(void *ctx, const struct loop_symbol *s), void *ctx);

/* Everything at once, for a loop and those inside it. */
struct loop_guesses {
	struct loop_runs runs;
	VEC(struct loop_guessed) loops;
};
struct loop_guess_options {
	struct loop_run_options run;
	double seconds; /* 0: no clock is looked at, only steps count */
};
void loop_guesses_make(struct loop_guesses *g, const struct code_function *f, uint32_t loop,
		       const struct loop_guess_options *o);
void loop_guesses_release(struct loop_guesses *g);

#endif
