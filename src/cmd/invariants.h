/* invariants.h: what the files of `muster invariants` share: the points of functions and what holds there. */
#ifndef MUSTER_CMD_INVARIANTS_H
#define MUSTER_CMD_INVARIANTS_H

#include "absint/absint.h"
#include "base/vec.h"

struct code;
struct code_function;

/* X(NAME, key): where in the control flow the point is. */
#define INVARIANT_PLACES(X)                                                           \
	X(HEAD, "head")	    /* whenever the loop's head is reached: before each test */ \
	X(EXIT, "exit")	    /* the loop is left by this outcome of this branch */        \
	X(INSIDE, "inside") /* an outcome of a branch in a loop */                       \
	X(AFTER, "after")   /* an outcome of a branch that comes after a loop */
enum invariant_place {
#define X(name, key) INVARIANT_##name,
	INVARIANT_PLACES(X)
#undef X
};
const char *invariant_place_key(enum invariant_place p);

struct invariant {
	uint32_t function; /* in the list of functions */
	enum invariant_place place;
	uint32_t line, column;	 /* of the loop statement, or of the condition */
	uint32_t loop, loop_end; /* line of the innermost loop around it (that is left, for an exit), and its last line; 0: none */
	char *outcome;		 /* "true", "false", "default", "case 7"; NULL at heads */
	char *text;		 /* in C */
	uint32_t rank;		 /* of equal places */
};

struct invariant_function {
	const char *name;
	uint32_t line, loops;
	enum domain_kind domain; /* the weakest that had to answer */
	int weakened;
	double seconds;
};

struct invariants {
	VEC(struct invariant) points; /* by function, then by line */
	VEC(struct invariant_function) functions;
};

/* Analyses a function, if it has a loop, and adds its points. everything: see text.h. */
void invariants_add(struct invariants *all, const struct code *c, const struct code_function *f, const struct absint_options *o, int everything);
void invariants_release(struct invariants *all);
/* The source's text with a comment for each point whose function is in it. */
void invariants_annotate(const struct invariants *all, const char *source, size_t size, struct buf *out);

#endif
