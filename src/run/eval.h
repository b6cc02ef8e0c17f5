/* eval.h: the value of every node of a trace, for any input.
 *
 * One pass over the table in order; operands are older, so each is ready when it
 * is needed. Costs 8 bytes a node, 8 more for pages that hold nodes wider than 64 bits.
 */
#ifndef MUSTER_RUN_EVAL_H
#define MUSTER_RUN_EVAL_H

#include "run/trace.h"

/* What a source holds. Byte k of an object that its source has no byte for (k not below the
 * source's size in the run) keeps the value it had: a mark in the program adds bytes that no input
 * supplies. */
struct eval_input {
	const uint8_t *bytes;
	uint64_t size;
};

struct eval {
	const struct trace *trace;
	uint64_t *low;	     /* by label */
	uint64_t *high;	     /* by label; NULL if no node is wide */
	uint64_t *undefined; /* bit by label: has no value for this input */
	int any_undefined;
};

void eval_init(struct eval *e, const struct trace *t);
void eval_release(struct eval *e);

/* Evaluates all nodes for these bytes: inputs[i] is source i, one for each source of the trace. A
 * node is undefined where it divides by zero, shifts or reads out of range, takes a byte past the
 * input's end, or depends on such a node. */
void eval_run(struct eval *e, const struct eval_input *inputs);

static inline int eval_defined(const struct eval *e, uint32_t label)
{
	return !e->any_undefined || !(e->undefined[label / 64] >> label % 64 & 1);
}

static inline u128 eval_value(const struct eval *e, uint32_t label)
{
	return e->high ? (u128)e->high[label] << 64 | e->low[label] : e->low[label];
}

/* The node whose recorded value is not what its operator gives. */
struct eval_mismatch {
	uint32_t label;
	u128 recorded, computed;
};

struct eval_check {
	uint64_t nodes;	    /* compared */
	uint64_t undefined; /* not compared: the operator has no defined value for these operands */
	uint64_t mismatches;
};

/* Compares every node with its operator applied to the recorded values of its operands, and leaves
 * with the input. By induction over the table no mismatch means that evaluation from the input
 * gives every recorded value; and a mismatch is reported where it arises, not in all that depends
 * on it. The first `room` mismatches are kept. */
struct eval_check eval_self_check(const struct trace *t, const struct eval_input *inputs,
				  struct eval_mismatch *first, unsigned room);

#endif
