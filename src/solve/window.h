/* window.h: the SAT solver on a few variables of a large slice. */
#ifndef MUSTER_SOLVE_WINDOW_H
#define MUSTER_SOLVE_WINDOW_H

#include "solve/ladder.h"

/* SAT with the model filled in, or UNKNOWN. These variables are open; a cone of more than `most`
 * terms is given up. */
enum verdict window_solve(struct query *q, const expr_vec *open, size_t most, uint64_t conflicts);
/* The same for variables of the goal that are first met inside of the calls the question comes from (solve_path_within), the innermost call first. */
enum verdict window_within(struct query *q);

#endif
