/* text.h: terms as text: C, SMT-LIB, and the serial form. */
#ifndef MUSTER_EXPR_TEXT_H
#define MUSTER_EXPR_TEXT_H

#include "expr/expr.h"

/* C. Sub-terms that are large or used often become definitions ("uint32_t t1 = ...;" lines, also of tables) in *lets; where lets is
 * NULL and some are needed, the text is a statement expression with them. The text compiles after cx_prologue (cexpr.h) and
 * gives the term's value, as an unsigned number, for every input: operations that C leaves undefined are calls of the
 * prologue's functions unless their operands' ranges exclude it. name(ctx, variable, out) writes how a variable is
 * called; its C type must be the smallest of uint8_t, uint16_t, uint32_t, uint64_t, uint128_t that holds it.
 * NULL gives in[3], in2[3], len(in), or the NAMED name, and words of bytes as u32le(in, 4). An APPLY is a
 * call of its name, which returns such a type, too; a byte of a named array is an element of it, NAME[offset]. Linear in the DAG, but for
 * what was written to arrays, which costs its length for each byte that is read. */
void expr_c(struct exprs *p, expr_t e, struct buf *text, struct buf *lets,
	    void (*name)(void *ctx, expr_t variable, struct buf *out), void *ctx);

/* The same without cx_prologue's functions: choices stand for them. Types of 128 bits are its own all the same. name is not NULL. */
void expr_c_alone(struct exprs *p, expr_t e, struct buf *text, void (*name)(void *ctx, expr_t variable, struct buf *out), void *ctx);

/* SMT-LIB: a whole query, (set-logic QF_BV) (with A, UF as needed) ... (check-sat), linear in the DAG (lets or define-funs). */
void expr_smtlib(struct exprs *p, const expr_t *assertions, unsigned count, struct buf *out);

/* The serial form: a version, then the DAG of the roots; docs/expr-format.md. Reading checks everything:
 * -1 with words for what is damaged. Constructors normalise again when it is read. */
#define EXPR_SERIAL_VERSION 1
void expr_write(const struct exprs *p, const expr_t *roots, unsigned count, struct buf *out);
int expr_read_serial(struct exprs *p, const void *data, size_t size, expr_t *roots, unsigned room, unsigned *count);

#endif
