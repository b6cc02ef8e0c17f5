/* modular.h: relations that hold modulo 2^width whatever wraps. */
#ifndef MUSTER_ABSINT_MODULAR_H
#define MUSTER_ABSINT_MODULAR_H

#include "absint/absint.h"

/* The fact (LINEAR_MODULO) that puts wanted[i] (a value or a cell) at the point in terms of the other
 * wanted symbols, at least one of which is a loop counter; 0: none was found. The caller releases
 * it. */
int modular_fact(struct absint *a, struct absint_point p, const struct absint_symbol *wanted,
		 size_t n, size_t i, struct linear *out);

#endif
