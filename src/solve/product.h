/* product.h: multiplication and division of words (word.h), and sums of many bits. */
#ifndef MUSTER_SOLVE_PRODUCT_H
#define MUSTER_SOLVE_PRODUCT_H

#include "solve/word.h"

/* Bits to be summed, by weight: column k holds literals that count 2^k. */
struct columns {
	unsigned width;
	unsigned high; /* bit 128 of the constant part */
	u128 low;      /* the constant part */
	VEC(lit_t) bits[WORD_MAX + 1];
};
void columns_init(struct columns *c, unsigned width); /* at most WORD_MAX + 1 */
void columns_add(struct columns *c, unsigned column, lit_t x);
/* The sum modulo 2^width. The carries of weight 2^width, whose number times 2^width is what is
 * lost, are ORed into *overflow, if that is not NULL. */
void columns_sum(struct gates *g, struct columns *c, lit_t *out, lit_t *overflow);
void columns_release(struct columns *c);

void product_word(struct gates *g, unsigned width, const lit_t *a, const lit_t *b, lit_t *out);
lit_t product_overflow(struct gates *g, unsigned width, const lit_t *a, const lit_t *b);
lit_t product_signed_overflow(struct gates *g, unsigned width, const lit_t *a, const lit_t *b);

#endif
