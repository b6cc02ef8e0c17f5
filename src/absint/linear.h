/* linear.h: a linear fact about integers: terms + constant == 0, >= 0, or == 0 modulo 2^bits.
 *
 * Variables are dimensions: small numbers whose meaning the owner knows (domain.h: dimensions of an
 * element; absint.h: indices of the symbols that were asked for). Terms are in order of their
 * dimension, without zeros. Numbers are kept so small (coefficients below 2^55, the constant below
 * 2^110, at most 64 terms) that a fact over values of machine words evaluates in 128 bits without
 * overflow; who makes facts drops those that do not fit, which only weakens what is known.
 */
#ifndef MUSTER_ABSINT_LINEAR_H
#define MUSTER_ABSINT_LINEAR_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdint.h>

typedef __int128 wide;

#define LINEAR_COEFFICIENT_MAX ((int64_t)1 << 55)
#define LINEAR_CONSTANT_MAX ((wide)1 << 110)
#define LINEAR_TERMS_MAX 64

enum linear_kind {
	LINEAR_EQ,    /* == 0 */
	LINEAR_GE,    /* >= 0 */
	LINEAR_MODULO /* == 0 modulo 2^bits */
};

struct linear_term {
	uint32_t dim;
	int64_t coef;
};

/* All zero is the fact 0 == 0; as an expression (where the kind does not matter) it is 0. */
struct linear {
	VEC(struct linear_term) terms;
	wide constant;
	enum linear_kind kind;
	unsigned bits;	   /* of LINEAR_MODULO */
	unsigned overflow; /* a number got too large: the fact or expression is not to be used */
};
typedef VEC(struct linear) linear_list;

void linear_release(struct linear *l);
void linear_list_release(linear_list *list); /* and what is in it */
struct linear linear_copy(const struct linear *l);
struct linear linear_constant(wide c);
struct linear linear_dim(uint32_t dim);
/* l += factor * dim; l += factor * other; l *= factor. They set overflow where numbers get too
 * large. */
void linear_add_dim(struct linear *l, uint32_t dim, wide factor);
void linear_add(struct linear *l, const struct linear *other, wide factor);
void linear_scale(struct linear *l, wide factor);
int64_t linear_coef(const struct linear *l, uint32_t dim); /* 0: not there */
int linear_is_constant(const struct linear *l);
int linear_equal(const struct linear *a, const struct linear *b); /* the kind too */
/* Puts another expression in the place of a dimension. */
void linear_substitute(struct linear *l, uint32_t dim, const struct linear *by);
/* Divides by what all coefficients share; integers let a >= be rounded towards more. An equation
 * without integer solutions becomes 0 >= 1. The first coefficient of an equation is made positive.
 */
void linear_normalise(struct linear *l);
/* The value of the left side, given one for each dimension; 1 if the fact holds. */
wide linear_value(const struct linear *l, const wide *values);
int linear_holds(const struct linear *l, const wide *values);
/* For people and tests: "x0 - 2*x1 + 3 >= 0", or with names given by a callback. */
void linear_print(struct buf *b, const struct linear *l, const char *(*name)(void *, uint32_t),
		  void *ctx);

#endif
