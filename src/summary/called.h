/* called.h: the summary of a function from one call of it in a traced run (summary mode: run/activations.h).
 *
 * An activation has leaves of its own for all that it read, shared with nothing, the conditions that held over them, and what it wrote. Each leaf becomes a place: a parameter, a variable, or what a pointer
 * among the leaves points to. So the summary says the same as one of a driven function (driven.h), of the state in which the function was called.
 *
 * What a caller has to know: P is about the pointers as they were (which are equal, which lead to variables by name); a state with others is in another summary. Places are named by the C types
 * of the unit; without them (front NULL), or where a pointer leads to no type, they are bytes.
 */
#ifndef MUSTER_SUMMARY_CALLED_H
#define MUSTER_SUMMARY_CALLED_H

#include "front/front.h"
#include "ir/segment.h"
#include "ir/site.h"
#include "run/activations.h"
#include "summary/summary.h"

struct called_run {
	const struct trace *t;
	const struct calls *calls;
	const struct activations *a;
	struct exprs *pool; /* of the activations' terms */
	const struct site_tables *sites;
	const void *data; /* the input */
	size_t size;
	/* The first event at which the run was wrong, and the kind of failure: activations that were open then fail there, later ones are not looked at. UINT64_MAX: it never was. */
	uint64_t broken;
	const char *failure;
	uint32_t failure_line;
};

struct called_function {
	const char *name;
	const struct front *front; /* of its unit, or NULL */
	const struct front_function *f; /* in it, or NULL */
	uint32_t line, end_line;
	/* For segments; NULL: none are asked for. */
	const struct code_function *code;
	const struct segment_cuts *cuts; /* of it */
	const uint32_t *position;	 /* of its instructions in normal order */
	const struct code_function *body; /* as `code`, whether it is cut or not; NULL: not known */
};

/* Adds the summary of activation `number` to the list. 1; 0: there is none to be made, and *reason (a constant) says why. */
int summary_called(struct summaries *l, const struct called_run *r, const struct called_function *f, uint32_t number, const char **reason);

/* The same of a part of it: from where activation `number` (a segment, or a call of a function that is not cut) begins to its first call of g, which is activation `call`; loop: on to the first loop of g, if that call comes to one (there are summaries of
 * segments then: g->cuts). terms: what activation_terms_make(number) was asked of last. Q names variables of g there, and memory that it does not name may be anything. */
int summary_across(struct summaries *l, const struct called_run *r, struct activation_terms *terms, const struct called_function *f, uint32_t number, const struct called_function *g, uint32_t call, int loop, const char **reason);

#endif
