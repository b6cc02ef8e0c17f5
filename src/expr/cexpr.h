/* cexpr.h: bit-vector operations as C text that computes the same.
 *
 * A struct cx is a piece of C for a value of some width w, together with what C
 * makes of it: its type after promotion and the range its value can have. The
 * rule that everything keeps: the C value is congruent to the bit-vector's value
 * modulo 2^w. Casts are written only where a range says that they are needed:
 * `in[0] + in[1] < 300` has none, `(uint32_t)in[0] << 24` has one.
 *
 * Two readings matter: U-form (the C value is the unsigned value, below 2^w) and S-form
 * (it is the signed value). Division, right shifts and comparisons ask for one
 * of them; addition, multiplication and bitwise operators take anything congruent.
 *
 * Text lives in the arena of the caller.
 */
#ifndef MUSTER_EXPR_CEXPR_H
#define MUSTER_EXPR_CEXPR_H

#include "base/arena.h"
#include "base/buf.h"
#include "expr/op.h"

struct cx {
	const char *text; /* NULL for a constant, which is written where its use is known */
	uint32_t size;	  /* of the text */
	uint8_t prec;	  /* of the outermost operator, as enum cx_prec */
	uint8_t bits;	  /* of the C type: 32, 64 or 128 */
	uint8_t is_signed;
	uint8_t is_char; /* a byte of input or text: compare it with 'a', not 97 */
	u128 neg, pos;	 /* -neg <= C value <= pos */
	u128 value;	 /* of a constant, masked */
};

enum cx_prec {
	CX_TERNARY = 3,
	CX_OROR,
	CX_ANDAND,
	CX_OR,
	CX_XOR,
	CX_AND,
	CX_EQUAL,
	CX_LESS,
	CX_SHIFT,
	CX_SUM,
	CX_PRODUCT,
	CX_UNARY,
	CX_PRIMARY,
};

/* Leaves. cx_text is an expression of the named C type whose value lies in U-form of `width`. */
struct cx cx_const(u128 value, unsigned width);
struct cx cx_text(struct arena *a, unsigned width, enum cx_prec prec, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The same value in U-form or S-form of this width, with text. */
struct cx cx_unsigned(struct arena *a, struct cx x, unsigned width);
struct cx cx_sign(struct arena *a, struct cx x, unsigned width);

/* Any operator of shape OP_SAME or OP_TEST on operands of this width. */
struct cx cx_binary(struct arena *a, enum muster_op op, unsigned width, struct cx x, struct cx y);
/* A comparison, or with `negate` its opposite, written with the opposite operator. */
struct cx cx_compare(struct arena *a, enum muster_op op, int negate, unsigned width, struct cx x,
		     struct cx y);
struct cx cx_unary(struct arena *a, enum muster_op op, unsigned width, struct cx x);
struct cx cx_extract(struct arena *a, unsigned from, unsigned low, unsigned width,
		     struct cx x); /* x is `from` bits wide */
struct cx cx_concat(struct arena *a, unsigned high_width, unsigned low_width, struct cx high,
		    struct cx low);
struct cx cx_ite(struct arena *a, unsigned width, struct cx condition, struct cx x, struct cx y);
struct cx cx_not(struct arena *a, struct cx x); /* x has width 1 */

/* A name for x, of x's C type; *definition is "TYPE NAME = TEXT;". */
struct cx cx_bind(struct arena *a, struct cx x, unsigned width, const char *name,
		  const char **definition);

/* 'a', or 97 where no character can be read into it. */
void cx_char(struct buf *out, unsigned value);

/* Definitions that the text relies on: fixed-width types, u32le and its kind, overflow tests. */
extern const char cx_prologue[];

#endif
