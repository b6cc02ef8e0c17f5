/* expr.h: the one expression library: bit-vectors of 1 to 128 bits and arrays of bytes, hash-consed.
 *
 * A struct exprs is a pool of terms. A term is a 32-bit id (expr_t); 0 is "none".
 * Terms are made by smart constructors, which normalise and then hash-cons:
 * in one pool, equal id means equal normal form. Operands are older than the term,
 * so an array indexed by id and filled in ascending order evaluates everything.
 * Booleans are bit-vectors of width 1. There is no undefined value in a formula: where
 * an operator has none in C (division by zero, a shift not below the width, a read
 * outside its data) the term is total with SMT-LIB's meaning (x/0 = ones, x%0 = x,
 * signed division by the sign rules on top of these, shifts give 0 or the sign; a read that does not lie
 * in its table with all its bytes gives 0); whoever needs definedness asks for it as a constraint of its
 * own (expr_defined). Constructors do not fold such operations away, not even of constants.
 *
 * Leaves are variables: byte k of input source s, the length of source s, a
 * named value, or a named array. A variable's identity (kind, source, index) is stable between pools
 * and runs. Digests are, too: two terms in different pools with equal 128-bit digests
 * are taken as the same formula; the query cache in the store is keyed by them.
 *
 * A pool lives as long as one path, one function or one query, and is freed
 * whole. Not thread-safe; ids of different pools must not be mixed (expr_import copies).
 */
#ifndef MUSTER_EXPR_EXPR_H
#define MUSTER_EXPR_EXPR_H

#include "base/buf.h"
#include "base/hash.h"
#include "expr/op.h"

#include <stdint.h>

typedef uint32_t expr_t;
#define EXPR_NONE 0u

/* Operators are those of MUSTER_OPS. INPUT, LENGTH and the following are leaves. What the runtime has only
 * because of its tables never appears in a pool: NONE, BYTES (becomes CONCATs, or the wide variable's bytes),
 * and DATA, which is a leaf here that owns a table of byte terms. Of the comparisons only EQ, ULT, ULE, SLT, SLE
 * appear (NE is NOT of EQ: XOR with 1 on width 1), and only on widths above 1 (one-bit comparisons, sums and products
 * are AND, OR, XOR); ULE and SLE never with a constant; USUBO is ULT. SUB by a constant is ADD. A constant operand stands right (b)
 * where operands commute. Shifts, AND, UDIV, UREM, MUL by constants that only move bits are CONCAT, EXTRACT, ZEXT, SEXT. A CONCAT's
 * a is never a CONCAT or ZEXT, and never zero (that is a ZEXT): its list of parts goes right. */
enum {
	EXPR_OP_NAMED = MUSTER_OP_COUNT, /* a named variable; index k into the pool's names */
	EXPR_OP_APPLY,			 /* uninterpreted function k of operands a, b, c (0: absent; c may be a LIST of the others) */
	/* Arrays without a size, and what only belongs to other terms, have width 0 (array.c). */
	EXPR_OP_LIST,	/* operands of an APPLY beyond the second, or of a FILL */
	EXPR_OP_ARRAY,	/* a named array; index k into the pool's names */
	EXPR_OP_SELECT, /* byte of array a at offset b: width 8 */
	EXPR_OP_WRITE,	/* array a with byte c at offset b */
	EXPR_OP_FILL,	/* array a from offset b on: c is the LIST of a length and a byte */
	EXPR_OP_COUNT
};

struct expr_node {
	uint8_t op;
	uint8_t width;
	uint16_t height; /* of the DAG below, saturating */
	uint32_t a, b, c; /* operands; for INPUT and LENGTH a is the source; READ: a the offset, b the DATA */
	uint64_t k;	  /* CONST: low 64 bits; INPUT: offset; EXTRACT: low bit; DATA: number of table */
	uint64_t high;	  /* CONST: high 64 bits */
};

struct exprs;
struct exprs *exprs_new(void);
void exprs_free(struct exprs *p);
uint32_t exprs_count(const struct exprs *p); /* ids are 1 .. count-1 */
uint64_t exprs_bytes(const struct exprs *p); /* about what it uses */

const struct expr_node *expr_get(const struct exprs *p, expr_t e); /* valid until the next constructor */
static inline unsigned expr_width(const struct exprs *p, expr_t e)
{
	return expr_get(p, e)->width;
}
struct hash128 expr_digest(const struct exprs *p, expr_t e);

/* ------------------------------------------------------------ constructors */
expr_t expr_const(struct exprs *p, unsigned width, u128 value);
expr_t expr_true(struct exprs *p);
expr_t expr_false(struct exprs *p);
int expr_is_const(const struct exprs *p, expr_t e, u128 *value); /* value may be NULL */
expr_t expr_input(struct exprs *p, uint32_t source, uint64_t offset); /* width 8 */
expr_t expr_length(struct exprs *p, uint32_t source);		      /* width 64 */
expr_t expr_named(struct exprs *p, unsigned width, const char *name);
const char *expr_name(const struct exprs *p, expr_t e); /* of a NAMED, APPLY or ARRAY */

/* Any operator of shape OP_SAME or OP_TEST (NE, too). The operands have one width. */
expr_t expr_binary(struct exprs *p, enum muster_op op, expr_t a, expr_t b);
expr_t expr_unary(struct exprs *p, enum muster_op op, expr_t a); /* BSWAP, BITREVERSE, CTPOP, CTLZ, CTTZ */
expr_t expr_not(struct exprs *p, expr_t a);			 /* width 1 */
expr_t expr_and(struct exprs *p, expr_t a, expr_t b);		 /* width 1; AND otherwise is expr_binary */
expr_t expr_or(struct exprs *p, expr_t a, expr_t b);
expr_t expr_eq(struct exprs *p, expr_t a, expr_t b);
expr_t expr_extract(struct exprs *p, expr_t a, unsigned low, unsigned width);
expr_t expr_zext(struct exprs *p, expr_t a, unsigned width);
expr_t expr_sext(struct exprs *p, expr_t a, unsigned width);
expr_t expr_concat(struct exprs *p, expr_t high, expr_t low);
expr_t expr_ite(struct exprs *p, expr_t condition, expr_t a, expr_t b);

/* A table of bytes: count terms of width 8. Equal tables are one term of width 8 (which only expr_read takes). */
expr_t expr_data(struct exprs *p, const expr_t *bytes, uint64_t count);
expr_t expr_data_const(struct exprs *p, const uint8_t *bytes, uint64_t count);
uint64_t expr_data_count(const struct exprs *p, expr_t data);
expr_t expr_data_byte(const struct exprs *p, expr_t data, uint64_t i);
/* width/8 bytes, little endian, at byte offset `at` (64 bits wide) of the table. */
expr_t expr_read(struct exprs *p, expr_t data, expr_t at, unsigned width);
/* A function of any number of bit-vectors that nothing is known about. It is distinguished by its name, its width and those of its arguments. */
expr_t expr_apply(struct exprs *p, const char *function, unsigned width, const expr_t *args, unsigned count);
/* The arguments of an APPLY, at most `room` of them; returns how many it has. */
unsigned expr_arguments(const struct exprs *p, expr_t e, expr_t *out, unsigned room);

/* Arrays of bytes (array.c). One of constant size is a DATA: what is done to it gives another DATA, and nothing of the array is left in the terms that read it. One
 * without a size has a byte at each 64-bit offset; what was done to it stays in the term, and Z3 is asked. Both kinds go into the same functions;
 * a choice takes two of one kind (and one size). Bytes are numbered from the lowest offset, offsets wrap. What is written outside of a DATA is lost; what is read
 * there is 0, as of expr_read. There is no equality of arrays without a size: compare a byte at a named offset. */
expr_t expr_array(struct exprs *p, const char *name);
int expr_is_array(const struct exprs *p, expr_t e);
expr_t expr_array_select(struct exprs *p, expr_t array, expr_t at); /* one byte */
expr_t expr_array_read(struct exprs *p, expr_t array, expr_t at, unsigned width);
expr_t expr_array_write(struct exprs *p, expr_t array, expr_t at, expr_t value);
expr_t expr_array_fill(struct exprs *p, expr_t array, expr_t from, expr_t length, expr_t byte);
expr_t expr_array_ite(struct exprs *p, expr_t condition, expr_t a, expr_t b);
/* e with bytes of named arrays only: writes and choices of arrays become choices of bytes. */
expr_t expr_expand_arrays(struct exprs *p, expr_t e);

/* Operators that C leaves undefined somewhere are defined by their normal form: ask for the term that the constructor gave.
 * The condition (width 1) under which e itself (not its operands) has a value in C:
 * divisor not 0 and no INT_MIN / -1; shift amount below the width; read within its table. True for all others. */
expr_t expr_defined(struct exprs *p, expr_t e);

/* ----------------------------------------------------------------- walking */
int expr_commutes(unsigned op); /* of its two operands */

/* Operands of e in order; returns their number; out may be NULL. Those of a READ are its offset and its DATA; the
 * bytes of a DATA are not among the operands (expr_data_count, expr_data_byte). */
unsigned expr_operands(const struct exprs *p, expr_t e, expr_t out[3]);

/* The variables (INPUT, LENGTH, NAMED, ARRAY leaves) of e, each once, ascending ids. Cached in the pool as sorted sets that are
 * shared between terms, so that the cost over a whole path is near linear. The pointer lives as long as the pool. */
const expr_t *expr_vars(struct exprs *p, expr_t e, uint32_t *count);

/* e with variables replaced: map(ctx, variable) gives the replacement of the same width (of an array: another without a size), or EXPR_NONE to keep it.
 * Linear in the DAG below e. */
expr_t expr_substitute(struct exprs *p, expr_t e, expr_t (*map)(void *ctx, expr_t variable), void *ctx);
/* A copy of e, of pool `from`, in pool `to`. The memo (zeroed; release it) may be reused for calls with the same two pools. */
struct expr_import {
	uint32_t *memo;
	uint32_t size;
};
expr_t expr_import(struct exprs *to, const struct exprs *from, expr_t e, struct expr_import *memo);
void expr_import_release(struct expr_import *memo);

/* -------------------------------------------------------------- evaluation */
/* The value of e where variables have value(ctx, variable). Memoised within the call; for many calls use a tape. */
u128 expr_eval(const struct exprs *p, expr_t e, u128 (*value)(void *ctx, expr_t variable), void *ctx);

/* The same where arrays and functions have values, too. NULL for byte or apply: some array or function, always the same for a name. */
struct expr_values {
	u128 (*value)(void *ctx, expr_t variable);
	uint8_t (*byte)(void *ctx, expr_t array, uint64_t offset); /* of a named array */
	u128 (*apply)(void *ctx, expr_t application, const u128 *args, unsigned count);
	void *ctx;
};
u128 expr_evaluate(const struct exprs *p, expr_t e, const struct expr_values *values);

#endif
