/* summaries.h: must summaries in the store, and those of a whole program's functions (muster fuzz --summaries). */
#ifndef MUSTER_CAMPAIGN_SUMMARIES_H
#define MUSTER_CAMPAIGN_SUMMARIES_H

#include "store/store.h"
#include "summary/summary.h"

/* A row for the summary, which gets its key. 0, -1. */
int summaries_put(struct store *store, uint64_t symbol, uint64_t end, const struct summaries *l, struct summary *x);

struct fuzz;
struct campaign_summarised {
	uint64_t tests;	   /* that were run */
	uint64_t failing;  /* of them: the san variant or the trace found a failure, so nothing was made of them */
	uint64_t functions, summaries, partial;
};
/* When the search is over: runs the campaign's tests in summary mode, and stores summaries of the functions that they call. The time is that of the deadline. -1 with words. */
int campaign_summarise(struct fuzz *f, struct campaign_summarised *out);

#endif
