/* import.h: labels of a trace as terms.
 *
 * Only what is asked for is imported, each label once. Sources that hold the same
 * bytes in every run (standard input and the objects marked in the program, where
 * both take the test's bytes) are one source in the terms. */
#ifndef MUSTER_RUN_IMPORT_H
#define MUSTER_RUN_IMPORT_H

#include "base/map.h"
#include "base/vec.h"
#include "expr/expr.h"
#include "run/trace.h"

struct import {
	const struct trace *trace;
	struct exprs *pool;
	expr_t *memo;	   /* by label */
	struct map beyond; /* bytes of objects that the input did not reach: offset to the value
			      they had */
	uint64_t input_size;
	/* A term for a LEAF of an activation; EXPR_NONE, or no function: what it is bound to in its caller. */
	expr_t (*leaf)(void *ctx, uint32_t label);
	void *ctx;
	uint32_t *stack; /* of the walk */
	size_t stack_size, stack_cap;
	VEC(uint32_t) known; /* labels with a term */
};

/* input_size: bytes of the test that was run. */
void import_init(struct import *im, const struct trace *t, struct exprs *pool, uint64_t input_size);
void import_release(struct import *im);
/* label must be a value (trace_is_node). */
expr_t import_label(struct import *im, uint32_t label);
/* Forgets what was imported, for other leaves. */
void import_forget(struct import *im);

#endif
