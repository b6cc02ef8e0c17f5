/* ic_tied.h: does an ordinary trace show that an input of a call is constrained before it? */
#ifndef MUSTER_SEARCH_IC_TIED_H
#define MUSTER_SEARCH_IC_TIED_H

#include "search/path.h"

/* Steps [first, end) of the path are those of the call. 1: it is; 0: that is not known. */
int ic_tied(const struct trace *t, const struct path *p, uint32_t first, uint32_t end);

#endif
