/* loop_known.h: what is known about reaching an outcome in or after a loop (loop_known.c). */
#ifndef MUSTER_LOOPS_LOOP_KNOWN_H
#define MUSTER_LOOPS_LOOP_KNOWN_H

#include "absint/absint.h"
#include "ir/code.h"

/* An outcome of the decision that ends a block. */
struct loop_decision {
	uint32_t block, outcome;
};

/* Facts about a point, and the decisions that were certainly made on the way to it, with the values that it has. */
struct loop_facts {
	struct absint_reach reach; /* symbols: inputs of the analysis; values that the decisions are computed from; counters */
	VEC(struct loop_decision) decided;
};

struct loop_known {
	struct loop_facts here; /* the outcome itself is decided, too. No cases: it is not reached */
	/* Of each loop that was left before: the end of its last iteration but one, at which it went on. Holds where the counter is not 0, for
	 * values that are not those of `here`, except inputs; its only counter is the loop's, one less. */
	VEC(struct loop_before {
		uint32_t loop;
		struct loop_facts facts;
	}) before;
};

/* from: the loop that the analysis begins at, CODE_NONE: the function's entry. */
void loop_known_find(struct loop_known *k, struct absint *a, const struct code_function *f, uint32_t from, struct loop_decision outcome);
void loop_known_release(struct loop_known *k);

#endif
