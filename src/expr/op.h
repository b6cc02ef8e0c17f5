/* op.h: what the operators of MUSTER_OPS mean, on values of up to 128 bits.
 *
 * This is the one definition of the operators outside the runtime: the trace's
 * evaluator and self-check and the printer's tests all come back to it.
 */
#ifndef MUSTER_EXPR_OP_H
#define MUSTER_EXPR_OP_H

#include "muster/abi.h"

#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

enum op_status {
	OP_OK,
	OP_UNDEFINED, /* division by zero, the least value by -1, a shift not below the width */
	OP_NO_VALUE,  /* a leaf, BYTES, READ, DATA or LEAF: needs the input or the table */
};

/* How an operator's operands and result relate. */
enum op_shape {
	OP_LEAF,    /* no operands */
	OP_SAME,    /* two operands of the result's width */
	OP_TEST,    /* two operands of one width, result of width 1 */
	OP_UNARY,   /* one operand of the result's width */
	OP_RESIZE,  /* one operand of another width: EXTRACT, ZEXT, SEXT */
	OP_SPECIAL, /* CONCAT, BYTES, ITE, READ, LEAF */
};

struct op_info {
	const char *name; /* as in MUSTER_OPS: "ADD" */
	const char *text; /* its sign: "+" */
	uint8_t arity;
	uint8_t shape; /* enum op_shape */
};

/* Indexed by enum muster_op. */
extern const struct op_info op_table[MUSTER_OP_COUNT];

/* The operator's value. width is the result's, from that of a (and of b, except for CONCAT and
 * ITE); low is k for EXTRACT and the width of b for CONCAT, else unused. Operands are masked to
 * their width and so is *out, which is set only with OP_OK. op_apply64 is the same
 * function for results and operands of at most 64 bits. */
enum op_status op_apply(enum muster_op op, unsigned width, unsigned from, unsigned low, u128 a,
			u128 b, u128 c, u128 *out);
enum op_status op_apply64(enum muster_op op, unsigned width, unsigned from, unsigned low,
			  uint64_t a, uint64_t b, uint64_t c, uint64_t *out);

static inline u128 op_mask(u128 x, unsigned width)
{
	return width >= 128 ? x : x & (((u128)1 << width) - 1);
}

/* The signed reading of a value of this width (1 to 128). */
static inline s128 op_signed(u128 x, unsigned width)
{
	return (s128)(x << (128 - width)) >> (128 - width);
}

#endif
