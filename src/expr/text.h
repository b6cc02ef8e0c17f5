/* text.h: terms as text: C, SMT-LIB, and the serial form. */
#ifndef MUSTER_EXPR_TEXT_H
#define MUSTER_EXPR_TEXT_H

#include "expr/expr.h"

/* C. Sub-terms that are used often become definitions ("uint32_t t1 = ...;" lines) in *lets when it is not NULL.
 * The text compiles after cx_prologue (cexpr.h) and gives the term's value for every input. name(ctx, variable, out) writes
 * how a variable is called; NULL gives in[3], in2[3], len(in), or the NAMED name. */
void expr_c(struct exprs *p, expr_t e, struct buf *text, struct buf *lets,
	    void (*name)(void *ctx, expr_t variable, struct buf *out), void *ctx);

/* SMT-LIB: a whole query, (set-logic QF_BV) ... (check-sat), linear in the DAG (lets or define-funs). */
void expr_smtlib(struct exprs *p, const expr_t *assertions, unsigned count, struct buf *out);

/* The serial form: a version, then the DAG of the roots; docs/expr-format.md. Reading checks everything:
 * -1 with words for what is damaged. Constructors normalise again when it is read. */
#define EXPR_SERIAL_VERSION 1
void expr_write(const struct exprs *p, const expr_t *roots, unsigned count, struct buf *out);
int expr_read_serial(struct exprs *p, const void *data, size_t size, expr_t *roots, unsigned room, unsigned *count);

#endif
