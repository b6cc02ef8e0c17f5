/* loop_sum.h: sums in one form (loop_sum.c). */
#ifndef MUSTER_LOOPS_LOOP_SUM_H
#define MUSTER_LOOPS_LOOP_SUM_H

#include "expr/expr.h"

/* The same value, its sums collected: two that are equal as polynomials of first degree over other terms are one term, and what cancels is
 * gone. Width up to 64; others are returned as they are. */
expr_t loop_sum(struct exprs *p, expr_t e);

#endif
