/* gather.h: summaries of functions as they are called, over many runs.
 *
 *	struct gather c;
 *	gather_open(&c, program, argv, &options)       the variant with hooks at calls
 *	gather_name(&c, wanted, ctx)                   whose activations are looked at
 *	gather_run(&c, data, size, test)               once for each test
 *	c.functions.data[i].list.all                    what came of it, each once
 *	gather_release(&c)
 */
#ifndef MUSTER_SUMMARY_GATHER_H
#define MUSTER_SUMMARY_GATHER_H

#include "run/target.h"
#include "summary/called.h"

/* The graph of consecutive segments, as the paths that it is made of: a position on the path of a call. Those of one call stand one behind the other. */
#define GATHER_NONE UINT32_MAX
#define GATHER_TERMS (64ull << 20) /* bytes of terms of one run that are kept at once */
struct gather_step {
	uint64_t test;
	uint32_t call;	  /* which of the function's in that test, from 0 */
	uint32_t summary; /* number in the list of segments; GATHER_NONE: none was made of it */
};

struct gather_function {
	struct called_function f;
	uint32_t unit, first, end; /* sites */
	struct summaries list;
	struct map seen; /* digests of what they say */
	uint64_t calls;	 /* activations that were looked at */
	uint64_t without; /* of them: no summary was made */
	const char *reason; /* of the last of these */
	int full;	 /* it has as many as it may have */
	int only_segments; /* of whole calls none are wanted */
	struct summaries segments; /* if they were asked for */
	struct map segment_numbers; /* digests of what they say, to number + 1 */
	VEC(struct gather_step) steps;
	uint32_t across; /* of the segments: those that end in another function */
};

struct gather {
	struct target target;
	struct launcher *launcher;
	VEC(struct gather_function) functions; /* by unit, then first */
	char *const *argv;
	/* Set by the caller: is the function wanted, and what are its names? 1; 2: its segments alone; 0: no. */
	int (*wanted)(void *ctx, const struct site_function *site, struct called_function *out);
	/* Set by the caller: how the run ended: broken, failure and failure_line. 0: nothing can be said of it. NULL: a run that did not end by itself says nothing. */
	int (*judge)(void *ctx, const struct trace *t, struct called_run *r);
	void *ctx;
	int segments; /* set by the caller before gather_open: activations are cut into segments, too (the segments variant) */
	uint64_t runs, lost; /* lost: runs without a trace */
};

/* 0; -1 with words. run_seconds: of one run. */
int gather_open(struct gather *c, const char *program, char *const *argv, const struct target_options *options);
/* Asks `wanted` for every function that has a body. Those whose list is full are left out. 0, -1. */
int gather_name(struct gather *c);
/* Runs a test, and makes summaries of all activations. data stays the caller's. 0; -1: the program cannot be run. */
int gather_run(struct gather *c, const void *data, size_t size, uint64_t test);
/* Runs it, and shows its activations; nothing is made of them. r->pool is the look's to fill in (activation_terms_make). 0; -1: the program cannot be run. */
struct run_result;
typedef void gather_look(void *ctx, struct called_run *r, struct activation_terms *terms, const struct run_result *ended);
int gather_show(struct gather *c, const void *data, size_t size, gather_look *look, void *ctx);
/* Of which function is the activation? NULL: of none of the list. */
struct gather_function *gather_function_of(struct gather *c, const struct activation *a);
void gather_release(struct gather *c);

#endif
