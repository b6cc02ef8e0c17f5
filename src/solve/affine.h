/* affine.h: literals that are XORs of bits, as linear equations over two elements.
 *
 * For what CDCL is bad at: several checksums over the same bytes. */
#ifndef MUSTER_SOLVE_AFFINE_H
#define MUSTER_SOLVE_AFFINE_H

#include "solve/backend.h"
#include "solve/gate.h"

/* Can all of these literals hold? UNSAT: equations in them contradict each other. SAT: model has a
 * byte for each gate of the graph, whose values for free gates make all literals true. UNKNOWN:
 * neither was seen, there are no equations, or it would cost too much. */
enum verdict affine_check(const struct gates *g, const lit_t *roots, size_t count, uint8_t *model);

#endif
