/* figures.h: the statistics of searches and solvers as figures of a result: the keys that JSON has, whichever command searched. */
#ifndef MUSTER_REPORT_FIGURES_H
#define MUSTER_REPORT_FIGURES_H

#include "result/result.h"
#include "search/search.h"

/* What every search counts. */
void figures_add(struct result *r, const struct search_stats *s, const struct solve_stats *v);
/* What its checks did: the checkers of the set, and how they were combined. */
void figures_add_checks(struct result *r, const struct search_stats *s, const struct solve_stats *v, checker_set set, int combine);

#endif
