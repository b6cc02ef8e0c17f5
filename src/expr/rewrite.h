/* rewrite.h: comparisons in normal form (rewrite_compare.c); for the files of this folder. Operands
 * have one width above 1, are not both constant, and for equality a constant stands right. */
#ifndef MUSTER_EXPR_REWRITE_H
#define MUSTER_EXPR_REWRITE_H

#include "expr/expr.h"

expr_t expr_rewrite_eq(struct exprs *p, expr_t a, expr_t b);
expr_t expr_rewrite_less(struct exprs *p, enum muster_op op, expr_t a, expr_t b);
expr_t expr_rewrite_not(struct exprs *p, expr_t a); /* of width 1, no constant */

#endif
