/* activations_check.h: is what a trace says of activations true of the run, and of the whole program? */
#ifndef MUSTER_RUN_ACTIVATIONS_CHECK_H
#define MUSTER_RUN_ACTIVATIONS_CHECK_H

#include "run/activations.h"
#include "run/eval.h"

struct activations_check {
	uint64_t terms;	     /* conditions, values written, results and bindings that were computed again */
	uint64_t wrong;	     /* of them: another value than in the run */
	unsigned changed;    /* changed inputs for which both traces were evaluated */
	unsigned different;  /* of them: another constraint is the first that does not hold */
	char first[200];     /* words for the first that is wrong or different */
};

/* Each term of an activation where its leaves have the values that they had; and each binding of a leaf where the caller's have theirs. */
void activations_values(const struct activations *a, const struct trace *t, struct exprs *pool, const struct eval_input *inputs,
			struct activations_check *out);

/* The constraints of the whole program: those of the summary trace with the bindings put in are those of an ordinary trace of the same run. Evaluates
 * both for `count` changed inputs (the bytes of source 0) and compares where the first constraint is that does not hold. inputs: of the run, the same
 * sources in both. */
void activations_compare(const struct trace *ordinary, const struct trace *summary, const struct eval_input *inputs, unsigned count, uint64_t seed,
			 struct activations_check *out);

#endif
