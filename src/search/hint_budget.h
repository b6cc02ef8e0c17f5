/* hint_budget.h: the time budget of hints: questions of a search that may come to nothing. There is some time to begin with, then a part of the search's time that
 * falls with what was used and rises with what was found. Seconds of this thread on the processor or, in repeatable mode, work. */
#ifndef MUSTER_SEARCH_HINT_BUDGET_H
#define MUSTER_SEARCH_HINT_BUDGET_H

#include <stdint.h>

struct search;

struct hint_budget {
	double used;
	double began;	  /* while its time runs; else 0 */
	double restarted; /* the search that this is of */
	uint64_t hits;	  /* counted by the owner */
};

/* What it still has, of this start and this share. */
double hint_budget_left(struct hint_budget *t, const struct search *s, double start, double share);
void hint_budget_begin(struct hint_budget *t, const struct search *s);
void hint_budget_end(struct hint_budget *t, const struct search *s);
/* What takes time without runs and queries: counted in repeatable mode, where nothing else shows it. */
void hint_budget_work(struct hint_budget *t, const struct search *s, double work);

#endif
