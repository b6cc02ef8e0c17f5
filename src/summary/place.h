/* place.h: what summaries speak of: places of a function's entry state, and the same after it.
 *
 * A place is a parameter, a global, or what a pointer at a place points to, at an offset. In terms it is a variable (EXPR_OP_NAMED) whose name says
 * everything, so that formulas stay what they are in the store, in another pool and on another machine:
 *
 *	TYPE[SIZE]:[>]PATH|TEXT
 *
 * TYPE is a letter of PLACE_TYPES, SIZE of a pointer the bytes of what it points to. `>` marks the place after the call. PATH is the identity:
 * a number for a parameter, gNAME+OFFSET for a global, r+OFFSET for the result, then *OFFSET for each pointer that is followed; offsets are in bytes;
 * .BIT:BITS at the end is a bit-field. &gNAME is the address of a global, fNAME that of a function: constants of the program. TEXT is the place as C writes it: `p->next->v`.
 * Of a summary that ends in another function, cNAME (cNAME#N) is a variable of that one, `in(function, name)`.
 * A path is walked by the pointers of the entry state, also after the call: after(p->next->v) is what the object holds that p->next pointed to at entry.
 */
#ifndef MUSTER_SUMMARY_PLACE_H
#define MUSTER_SUMMARY_PLACE_H

#include "expr/expr.h"

/* X(NAME, letter): the C type of a place, as far as printing depends on it. */
#define PLACE_TYPES(X)                                                                              \
	X(UNSIGNED, 'u')                                                                            \
	X(SIGNED, 'i')                                                                              \
	X(POINTER, 'p')                                                                             \
	X(FLOAT, 'f')  /* its bits */                                                               \
	X(LENGTH, 'n') /* elements from a pointer to the end of the object that it points into; TEXT is the pointer's */ \
	X(FAILURE, 'x') /* of one bit: the path ends so; TEXT is the kind of failure */

enum place_type {
#define X(name, letter) PLACE_##name = letter,
	PLACE_TYPES(X)
#undef X
};

struct place {
	enum place_type type;
	uint64_t size;	   /* of what a pointer points to */
	int after;
	const char *path, *text; /* in the name that was parsed; path ends at '|' */
	size_t path_size;
};

/* The variable of a place. */
expr_t place_variable(struct exprs *p, unsigned width, enum place_type type, uint64_t size, int after, const char *path, const char *text);
/* Takes a name apart: 1; 0: it is none of a place. */
int place_parse(const char *name, struct place *out);
/* The place of a variable: 1; 0: it is none. */
int place_of(const struct exprs *p, expr_t variable, struct place *out);
/* As C writes it: "after(p->v)", "len(p)". */
void place_text(const struct place *pl, struct buf *out);

/* Predicates over pointers, as functions (EXPR_OP_APPLY) of one bit. */
#define PLACE_APART "apart" /* the objects that they point to do not overlap each other, nor any global variable */
#define PLACE_FREED "freed" /* after the call, of one: it was given back */

#endif
