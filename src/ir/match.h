/* match.h: two versions of a program, matched, and what was modified between them.
 *
 *	struct match *m = match_new(old, new);
 *	uint32_t g = m->to_new[f];                  the symbol's counterpart in the new version, or CODE_NONE
 *	uint32_t v2 = match_value(m, f, v);         the instruction's, or CODE_NONE
 *	if (match_modified(m, f, v)) ...            is the old instruction modified?
 *	match_free(m);
 *
 * Finding counterparts is guesswork that can only be better or worse; whether an instruction is modified is then checked from the definition, so that a bad guess
 * makes more of a program modified, never less.
 *
 * An old instruction is *modified* unless it has a counterpart that
 *  - is the same but for its operands (content.h: shape);
 *  - has the same operands: counterparts of its values, the same constants, counterparts of the symbols it names, and data among these has the same initial value, and so has the data that
 *    this one leads to; a pointer that it calls through may reach the counterparts of the same functions;
 *  - has the counterparts of its successors as successors, in the same order. Successors are instructions: the next one in the block, or the first one that is no phi in each
 *    block that the last one leads to.
 * The entry of a function is modified if its first instruction is another one, or its head (type, attributes) is another one. A phi is a copy on each edge into its block: it is modified for an edge if
 * it has no counterpart, the edge has none, or the value on it is not the counterpart. Only instructions that can be reached from the entry count.
 *
 * Of functions, as seed 000 counts them: M has a modified instruction or entry (or was deleted); IM is not M and calls, over any number of calls, one that is M; U calls what
 * is not in the program, or through a pointer that nothing fits, or has inline assembly; IU is not U and calls, over any number of calls, one that is U.
 */
#ifndef MUSTER_IR_MATCH_H
#define MUSTER_IR_MATCH_H

#include "ir/whole.h"

/* Why an instruction is modified. */
#define MATCH_DELETED 1u    /* it has no counterpart */
#define MATCH_CHANGED 2u    /* shape or operands */
#define MATCH_SUCCESSORS 4u
#define MATCH_NAMES 8u	    /* something that it names changed: initial values, targets of a pointer */
#define MATCH_EDGE 16u	    /* a phi, on some edge */

/* X(NAME, text): by what a symbol's counterpart was found */
#define MATCH_BY(X)                                                       \
	X(NONE, "nothing")                                                \
	X(NAME, "name")           /* and type */                          \
	X(DIGEST, "content")                                              \
	X(CONTEXT, "use")         /* by the instructions that name it */  \
	X(BODY, "similar body")
enum match_by {
#define X(name, text) MATCH_BY_##name,
	MATCH_BY(X)
#undef X
};
const char *match_by_text(enum match_by by);

/* Classes of functions. */
#define MATCH_M 1u
#define MATCH_IM 2u
#define MATCH_U 4u
#define MATCH_IU 8u

/* One pair of functions with bodies. */
struct match_function {
	uint32_t *to_new; /* by value of the old function (parameters, instructions): value of the new one, or CODE_NONE */
	uint32_t *to_old;
	uint8_t *modified; /* by instruction of the old one: why, 0 if it is not, or cannot be reached */
	uint8_t *edges;	   /* by edge of the old one: a phi is modified for it */
	uint8_t entry;	   /* modified */
	uint8_t same;	   /* digests are equal */
	uint32_t count;	   /* modified instructions, the entry too */
};

struct match {
	const struct whole *old, *new;
	uint32_t *to_new, *to_old; /* symbols */
	uint8_t *by;		   /* by old symbol: enum match_by */
	uint8_t *changed;	   /* by old symbol: data whose initial value, or that of data it leads to, is another */
	uint8_t *classes;	   /* by old symbol: MATCH_M ...; 0 for what is no function with a body */
	struct match_function **functions; /* by old symbol; NULL: no body, or no counterpart with one */
	struct match_inside *inside;
};

struct match *match_new(const struct whole *old, const struct whole *new);
void match_free(struct match *m);

/* Of a value of an old function: CODE_NONE if there is none. */
uint32_t match_value(const struct match *m, uint32_t symbol, uint32_t value);
/* Why an instruction of an old function is modified; 0: it is not. */
unsigned match_modified(const struct match *m, uint32_t symbol, uint32_t value);

struct match_counts {
	uint32_t functions, m, im, u, iu; /* of the old version */
	uint32_t added, deleted, renamed; /* functions with bodies */
	uint32_t instructions, modified;  /* those that can be reached */
};
void match_count(const struct match *m, struct match_counts *out);

#endif
