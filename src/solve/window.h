/* window.h: the SAT solver on a few variables of a large slice. */
#ifndef MUSTER_SOLVE_WINDOW_H
#define MUSTER_SOLVE_WINDOW_H

#include "solve/ladder.h"

/* SAT with the model filled in, or UNKNOWN. These variables are open; a cone of more than `most`
 * terms is given up. */
enum verdict window_solve(struct query *q, const expr_vec *open, size_t most, uint64_t conflicts);

#endif
