/* word.h: circuits on words of up to 128 bits, as arrays of literals, lowest bit first.
 *
 * Results may be written over operands only where it says so. Every circuit is total, with
 * the meaning that expr.h gives the operators. */
#ifndef MUSTER_SOLVE_WORD_H
#define MUSTER_SOLVE_WORD_H

#include "expr/op.h"
#include "solve/gate.h"

#define WORD_MAX 128 /* bits of the widest term | the operators' */

/* out = a + b + carry; returns the carry out of the highest bit. out may be a or b. */
lit_t word_add(struct gates *g, unsigned width, const lit_t *a, const lit_t *b, lit_t carry,
	       lit_t *out);
/* out = a - b; out may be a or b. */
void word_sub(struct gates *g, unsigned width, const lit_t *a, const lit_t *b, lit_t *out);
/* out = condition ? -a : a; out may be a. */
void word_negate_if(struct gates *g, unsigned width, lit_t condition, const lit_t *a, lit_t *out);
void word_ite(struct gates *g, unsigned width, lit_t condition, const lit_t *a, const lit_t *b,
	      lit_t *out);

/* Any operator of shape OP_SAME except the four divisions. */
void word_binary(struct gates *g, enum muster_op op, unsigned width, const lit_t *a, const lit_t *b,
		 lit_t *out);
/* Any operator of shape OP_TEST, operands of this width. */
lit_t word_test(struct gates *g, enum muster_op op, unsigned width, const lit_t *a, const lit_t *b);
/* Any operator of shape OP_UNARY. */
void word_unary(struct gates *g, enum muster_op op, unsigned width, const lit_t *a, lit_t *out);
/* Quotient and remainder of both divisions at once. */
void word_divide(struct gates *g, int is_signed, unsigned width, const lit_t *a, const lit_t *b,
		 lit_t *quotient, lit_t *remainder);

lit_t word_or_all(struct gates *g, unsigned count, const lit_t *a);
/* Is the word a constant? */
int word_const(unsigned width, const lit_t *a, u128 *value);

/* Out of the 2^n words of `width` literals (entry v begins at table[v * width]) the one that index
 * chooses; index bits are distinct gates. The table is overwritten. */
void word_select(struct gates *g, unsigned n, const lit_t *index, unsigned width, lit_t *table,
		 lit_t *out);

#endif
