/* ic_context.h: calling contexts of IC-Cut: what a function's inputs are where it is called.
 *
 * An input is a value that the function reads and tests: in a branch or switch, in what a checker looks at, as an address, an index or a size. It is *concrete*,
 * or *free*: a bijection of bytes of the input that no other input of this call uses and that nothing constrained before the call; or *tied*: symbolic, and not free.
 * A summary is the context for which a function was explored: it has no tied inputs, or, where they are held, these have one value like concrete ones. It may stand for a call whose
 * context is as specific or more specific.
 */
#ifndef MUSTER_SEARCH_IC_CONTEXT_H
#define MUSTER_SEARCH_IC_CONTEXT_H

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

enum ic_input_kind {
	IC_CONCRETE,
	IC_FREE,
	IC_TIED,
};

struct ic_input {
	uint64_t key; /* which parameter, or which memory relative to the others: the same in every call */
	enum ic_input_kind kind;
	uint8_t width; /* bits */
	uint8_t lanes; /* of a value that is made of whole bytes: those that come from the input, a bit for each; the others are zero. 0: it is not */
	uint8_t pointer; /* an address that was accessed was made from it; with a value it is not null */
	uint8_t held;	 /* of a call that is reused: tied in the summary, so decisions over it are left to the caller */
	uint8_t length;	 /* it depends on the length of the input, which is taken for concrete */
	uint64_t value;	 /* in this run */
};
typedef VEC(struct ic_input) ic_inputs;

struct ic_context {
	ic_inputs inputs; /* each key once */
	struct map by_key;
	int partial; /* not all its paths were explored: it may have inputs that are not known */
	int away;    /* of a summary: its function is explored further, or it turned out to be none */
};

void ic_context_release(struct ic_context *c);
/* One more input of a path. 0; -1: another path says something else of it, so that it is no context of one call. */
int ic_context_add(struct ic_context *c, const struct ic_input *in);
/* Is this the context of another call: are there values that differ, though everything is of the same kind? Where a kind differs, it is the same context
 * with a path that shows more of it: f(a, a) looks free while it tests only one of its parameters. */
int ic_context_differs(const struct ic_context *c, const ic_inputs *now);
/* What the summary says of an input, or NULL. */
const struct ic_input *ic_context_find(const struct ic_context *c, uint64_t key);
/* Has it an input of this kind? */
int ic_context_has(const struct ic_context *c, enum ic_input_kind kind);
/* Has it a concrete pointer that is not null, or the input's length? */
int ic_context_has_pointer(const struct ic_context *c);
int ic_context_has_length(const struct ic_context *c);

enum ic_match {
	IC_MISMATCH,
	IC_MORE_SPECIFIC,
	IC_AS_SPECIFIC,
};
/* A new call's inputs, as far as its run met them, against a summary. */
enum ic_match ic_context_match(const struct ic_context *summary, const ic_inputs *now);

#endif
