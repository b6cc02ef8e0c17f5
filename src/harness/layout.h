/* layout.h: inputs of one driver as inputs of another version's. */
#ifndef MUSTER_HARNESS_LAYOUT_H
#define MUSTER_HARNESS_LAYOUT_H

#include "harness/harness.h"

/* Do two functions take the same parameters, globals and objects from the same bytes of an input? */
int layout_is_same(const struct harness *a, uint32_t number_a, const struct harness *b, uint32_t number_b);
/* The call of `a` as an input of `b`: 1; 0: they do not take the same. */
int layout_carry(const struct harness *a, uint32_t number_a, const void *data, size_t size, const struct harness *b, uint32_t number_b, struct buf *out);

#endif
