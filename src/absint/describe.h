/* describe.h: what holds at a point of a function, as C over the names of its source.
 *
 *	struct describe *d = describe_new(a, f);
 *	describe_point(d, point, line, &text);         "i <= n && s == old(s) + 2 * iterations(12)"
 *
 * Names are those that a person may write at the point: variables that are visible there and have a known value, memory that has a name
 * in C (globals, p->n), `old(x)` for what a parameter, a global or *p was when the function was called (only where x
 * itself may be something else by now), and `iterations(LINE)` for how often the loop of that line came back to its head since it was last entered
 * (`iterations(LINE, K)` for the K-th loop of a line), and for an inner loop `total(LINE)`: how often since the outermost loop around it was entered.
 * The text is right as C: see text.h. */
#ifndef MUSTER_ABSINT_DESCRIBE_H
#define MUSTER_ABSINT_DESCRIBE_H

#include "absint/absint.h"

struct describe;
/* Both must outlive it. all: everything that is known, see text.h. */
struct describe *describe_new(struct absint *a, const struct code_function *f, int all);
void describe_free(struct describe *d);
/* Appends the text; `line` is the point's, 0 if unknown: what is declared further down is not named. */
void describe_point(struct describe *d, struct absint_point p, uint32_t line, struct buf *out);

#endif
