/* quotient.h: comparisons with a quotient, said as products. */
#ifndef MUSTER_SOLVE_QUOTIENT_H
#define MUSTER_SOLVE_QUOTIENT_H

#include "expr/expr.h"

/* A term that is equal to the comparison e for all values and does without e's division; 0 if there
 * is none. Programs guard products by divisions (n > SIZE_MAX / size): then both are about the same
 * product, and no divider is built. */
expr_t quotient_free(struct exprs *p, expr_t e);

#endif
