/* loop_goal.h: what an analysis says about reaching a point, as a term over the labels of a run (loop_goal.c). */
#ifndef MUSTER_SEARCH_LOOP_GOAL_H
#define MUSTER_SEARCH_LOOP_GOAL_H

#include "absint/absint.h"
#include "expr/expr.h"

struct loop_goal {
	struct exprs *pool;
	const struct absint_reach *reach;
	VEC(expr_t) terms; /* of each symbol: what came in, or a variable of its own */
	VEC(uint8_t) bound; /* of each symbol: it came in, and depends on the input */
	size_t counters;    /* symbols from here on are counters */
};

/* term(ctx, symbol): what the symbol had when the loop was entered, or EXPR_NONE if it is not known. */
void loop_goal_init(struct loop_goal *g, struct exprs *pool, const struct absint_reach *r,
		    expr_t (*term)(void *ctx, const struct absint_symbol *symbol), void *ctx);
void loop_goal_release(struct loop_goal *g);

/* One of the cases holds. */
expr_t loop_goal_facts(struct loop_goal *g);
/* All counters together are at least (most) this. */
expr_t loop_goal_sum(struct loop_goal *g, uint64_t least, uint64_t most);
/* Each counter, and with `inputs` each value that depends on the input, is at least this; values too narrow for it are left alone. */
expr_t loop_goal_large(struct loop_goal *g, uint64_t least, int inputs);
/* The least sum of all counters, as far as it is known for any case. */
uint64_t loop_goal_least(const struct loop_goal *g);

#endif
