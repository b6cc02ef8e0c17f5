/* loop_goal.h: what an analysis says about reaching a point, as a term over the labels of a run (loop_goal.c). */
#ifndef MUSTER_LOOPS_LOOP_GOAL_H
#define MUSTER_LOOPS_LOOP_GOAL_H

#include "expr/expr.h"
#include "loops/guesses.h"
#include "loops/loop_known.h"

struct loop_goal {
	struct exprs *pool;
	const struct code_function *f;
	const struct absint_reach *reach;
	uint32_t before; /* it speaks of the last iteration but one of this loop, or CODE_NONE */
	VEC(expr_t) terms; /* of each symbol: what came in, or a variable of its own */
	VEC(uint8_t) bound; /* of each symbol: it came in, and depends on the input */
	size_t counters;    /* symbols from here on are counters */
	expr_t also;	    /* what holds besides in every case: decisions, and what the iteration before says */
};

/* term(ctx, symbol): what the symbol had when the loop was entered, or EXPR_NONE if it is not known. */
void loop_goal_init(struct loop_goal *g, struct exprs *pool, const struct code_function *f, const struct absint_reach *r,
		    expr_t (*term)(void *ctx, const struct absint_symbol *symbol), void *ctx);
void loop_goal_release(struct loop_goal *g);

/* The decision that ends the block had this outcome: exact, over the values that are symbols and whatever others it is computed from (variables of
 * their own). Holds in every case from now on. */
void loop_goal_decide(struct loop_goal *g, uint32_t block, uint32_t outcome);
/* So does this: the loop had no iteration, or went on once more. */
void loop_goal_before(struct loop_goal *g, const struct loop_before *b);

/* And this: what was guessed about loops, at the block: what is proved, or all. */
void loop_goal_guessed(struct loop_goal *g, struct guesses *guesses, uint32_t block, int unproved);

/* One of the cases holds. */
expr_t loop_goal_facts(struct loop_goal *g);
/* The same of one case, and its inequalities that relate several symbols, as equations: a loop mostly ends as soon as it may. */
expr_t loop_goal_case(struct loop_goal *g, size_t number);
size_t loop_goal_edges(struct loop_goal *g, size_t number, expr_t *out, size_t most);
/* All counters together are at least (most) this. */
expr_t loop_goal_sum(struct loop_goal *g, uint64_t least, uint64_t most);
/* Each counter, or each value that depends on the input, or both, are at least this and not much more; values too narrow for it are
 * left alone. */
#define LARGE_COUNTS 1u /* no limit: a flag */
#define LARGE_INPUTS 2u /* no limit: a flag */
expr_t loop_goal_large(struct loop_goal *g, uint64_t least, unsigned what);
/* How often a nest of two loops has to run its inner one, at least: the larger of the two trip counts cannot be below the root of it. 0: not
 * known. */
uint64_t loop_goal_root(const struct loop_goal *g);
/* The least sum of all counters, as far as it is known for any case. */
uint64_t loop_goal_least(const struct loop_goal *g);

#endif
