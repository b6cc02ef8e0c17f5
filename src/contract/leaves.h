/* leaves.h: the scalars of an image by their names, those of unions among them. */
#ifndef MUSTER_CONTRACT_LEAVES_H
#define MUSTER_CONTRACT_LEAVES_H

#include "harness/value.h"

/* As value_leaves, but that a union does not come whole: of its members those that the image has, a pointer where it has the member's pointer, a number where it has none. */
void contract_leaves(const struct value_image *im, const char *path, value_each f, void *ctx);

#endif
