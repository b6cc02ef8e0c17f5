/* op.c: operator semantics, for 64 and for 128 bits.
 *
 * Both widths come from one body (op_body.h), so the fast path cannot drift from
 * the slow one. Invariant: operands come masked to their width and results leave
 * masked to theirs; what C leaves undefined (and LLVM calls poison or immediate
 * undefined behaviour) is reported as OP_UNDEFINED, never computed.
 */
#include "expr/op.h"

#define SHAPE_NONE OP_LEAF
#define SHAPE_INPUT OP_LEAF
#define SHAPE_LENGTH OP_LEAF
#define SHAPE_CONST OP_LEAF
#define SHAPE_ADD OP_SAME
#define SHAPE_SUB OP_SAME
#define SHAPE_MUL OP_SAME
#define SHAPE_UDIV OP_SAME
#define SHAPE_SDIV OP_SAME
#define SHAPE_UREM OP_SAME
#define SHAPE_SREM OP_SAME
#define SHAPE_AND OP_SAME
#define SHAPE_OR OP_SAME
#define SHAPE_XOR OP_SAME
#define SHAPE_SHL OP_SAME
#define SHAPE_LSHR OP_SAME
#define SHAPE_ASHR OP_SAME
#define SHAPE_EQ OP_TEST
#define SHAPE_NE OP_TEST
#define SHAPE_ULT OP_TEST
#define SHAPE_ULE OP_TEST
#define SHAPE_SLT OP_TEST
#define SHAPE_SLE OP_TEST
#define SHAPE_SADDO OP_TEST
#define SHAPE_UADDO OP_TEST
#define SHAPE_SSUBO OP_TEST
#define SHAPE_USUBO OP_TEST
#define SHAPE_SMULO OP_TEST
#define SHAPE_UMULO OP_TEST
#define SHAPE_EXTRACT OP_RESIZE
#define SHAPE_ZEXT OP_RESIZE
#define SHAPE_SEXT OP_RESIZE
#define SHAPE_CONCAT OP_SPECIAL
#define SHAPE_BYTES OP_SPECIAL
#define SHAPE_ITE OP_SPECIAL
#define SHAPE_BSWAP OP_UNARY
#define SHAPE_BITREVERSE OP_UNARY
#define SHAPE_CTPOP OP_UNARY
#define SHAPE_CTLZ OP_UNARY
#define SHAPE_CTTZ OP_UNARY
#define SHAPE_READ OP_SPECIAL
#define SHAPE_DATA OP_LEAF
#define SHAPE_LEAF OP_SPECIAL

/* A new operator without a SHAPE_ line does not compile. */
const struct op_info op_table[MUSTER_OP_COUNT] = {
#define X(name, arity, text) {#name, text, arity, SHAPE_##name},
    MUSTER_OPS(X)
#undef X
};

#define OP_U uint64_t
#define OP_S int64_t
#define OP_BITS 64
#define OP_NAME(x) op64_##x
#include "expr/op_body.h"
#undef OP_U
#undef OP_S
#undef OP_BITS
#undef OP_NAME

#define OP_U u128
#define OP_S s128
#define OP_BITS 128
#define OP_NAME(x) op128_##x
#include "expr/op_body.h"

enum op_status op_apply(enum muster_op op, unsigned width, unsigned from, unsigned low, u128 a,
			u128 b, u128 c, u128 *out)
{
	return op128_apply(op, width, from, low, a, b, c, out);
}

enum op_status op_apply64(enum muster_op op, unsigned width, unsigned from, unsigned low,
			  uint64_t a, uint64_t b, uint64_t c, uint64_t *out)
{
	return op64_apply(op, width, from, low, a, b, c, out);
}
