/* compose.h: calls on a path, with the summaries of their functions in their place (compositional search).
 *
 *	struct compose *c = compose_new(solver);
 *	compose_add(c, first, end, summaries);     for each function whose calls may be replaced; first, end: its instructions
 *	compose_functions(c, &count);		   for shm_set_functions: the trace has leaves for them
 *	...
 *	compose_read(c, &run, &trace);		   which calls of a run a summary fits: these are *replaced*
 *	path.skip = compose_skips, path.skip_ctx = &run: what they decided is no part of the path any more
 *	compose_bind(c, &run, &import);		   their results and writes become terms over the program's input: a choice between summaries
 *	compose_call_holds(...), compose_call_fails(...), compose_call_escapes(...)
 *
 * The trace is of the calls variant with MUSTER_FLAG_SUMMARIES, _OUTPUTS and _COMPOSE. A call that no summary fits, or that says not everything (activations.h: marks), stays as it
 * is: its own decisions are those of the path. So nothing is lost where summaries are missing.
 *
 * Summaries must be true (must summaries, not partial); whether they are all there is known for each call: compose_call_whole.
 */
#ifndef MUSTER_SEARCH_COMPOSE_H
#define MUSTER_SEARCH_COMPOSE_H

#include "base/map.h"
#include "run/import.h"
#include "run/trace.h"
#include "solve/solve.h"

#define COMPOSE_NONE UINT32_MAX

struct compose;
struct summaries; /* summary/summary.h */
struct compose *compose_new(struct solver *s);
void compose_free(struct compose *c);
void compose_clear(struct compose *c); /* no function any more */
/* The summaries are borrowed until compose_clear; no more are added to the list meanwhile. 1: calls of the function may be replaced; 0: none of its summaries can stand for a call. */
int compose_add(struct compose *c, uint64_t first, uint64_t end, struct summaries *l);
/* compose_own.c: a function that may call itself. Its calls are replaced by what single calls of the runs so far did by themselves, with what the calls inside left put in: unfolded as deep as the run goes. */
void compose_add_recursive(struct compose *c, uint64_t first, uint64_t end);
/* compose_image.c: where all global variables of a program are, by its file. 0; -1 with words. */
int compose_image(struct compose *c, const char *program);
/* Where a global variable is in the program; 0: nobody knows. */
void compose_global(struct compose *c, const char *name, uint64_t address);
/* The functions, by their instructions. The pointer is the compose's. */
const struct muster_function *compose_functions(const struct compose *c, size_t *count);

/* A value that a call read first, or left behind. */
struct compose_value {
	uint32_t label; /* a LEAF */
	uint32_t next;	/* of the same call; COMPOSE_NONE */
};

/* An activation of a function in the list. */
struct compose_call {
	uint64_t begin, end;	/* events: CALL and RETURN */
	uint32_t number;	/* of the activation */
	uint32_t callee;	/* in the list */
	uint32_t caller;	/* call around it, or COMPOSE_NONE */
	uint32_t inputs, outputs; /* first of each in values */
	uint32_t config;	/* what its pointers are */
	uint32_t fits;		/* the summary that holds; COMPOSE_NONE: none, it is not replaced */
	uint32_t inner, next;	/* calls of listed functions inside: the first; the next one of its caller */
	int ended, marked;	/* it returned; it does not say everything */
	/* compose_bind: */
	expr_t holds;		/* one of the summaries that return does; EXPR_NONE: nothing has to be said */
	expr_t fails, escapes;	/* one that fails does; none does; EXPR_NONE: that cannot be */
	uint32_t failing, failing_end; /* each of the former by itself: [in the run's list) */
	expr_t reached;		/* of a call inside of one that is unfolded: that is made; EXPR_NONE: always */
	uint32_t height;	/* calls inside each other that are unfolded, with it */
	size_t forms;		/* compose_bind: that its function had */
	int unfolded;		/* what it did by itself stands for it, and other calls for what is inside */
	int exact;		/* what the caller sees is what the summaries say, for all of them */
};

/* Memory that a leaf lies in or points to. */
struct compose_object {
	uint64_t base, size;
};

struct compose_run {
	const struct trace *trace;
	VEC(struct compose_call) calls; /* as they began */
	VEC(struct compose_value) values;
	VEC(struct compose_object) objects;
	VEC(uint32_t) replaced; /* calls, as they began */
	VEC(uint32_t) outermost; /* of them: those that are not inside of another */
	VEC(expr_t) failing;	/* compose_bind: that a summary which fails holds, for calls and summaries */
	uint32_t *newest;	/* for each node, the largest number of an activation whose leaf is in it */
	uint64_t known;		/* of what stands for unfolded calls: how many forms there are, and of what order the levels; 0: none is unfolded */
	size_t at;		/* of compose_skips: in outermost */
};

void compose_read(struct compose *c, struct compose_run *r, const struct trace *t);
void compose_run_release(struct compose_run *r);
/* Is this event a condition of a replaced call, over what that call read? Events are asked about in ascending order, or from the first again. */
int compose_skips(void *run, uint64_t event);
/* compose_own.c: are there more forms of the call's function than when it was bound? */
int compose_knows_more(const struct compose *c, const struct compose_call *k);
/* Gives every output of a replaced call its term, and fills in what stands in the calls for it. im: nothing was imported yet. */
void compose_bind(struct compose *c, struct compose_run *r, struct import *im);

#endif
