/* strategy.h: what the time of a search is spent on.
 *
 * A strategy is a small table of functions: a new one is a file of its own and a row in strategy.c. Slices of time go to that which pays;
 * what a strategy leaves out it counts as a loss (search_lose), or `exhaustive` would lie. */
#ifndef MUSTER_SEARCH_STRATEGY_H
#define MUSTER_SEARCH_STRATEGY_H

#include "search/inside.h"

struct strategy {
	const char *name;
	/* Has it anything to do now? */
	int (*ready)(const struct search *s);
	/* Works until search_paused. 1: there may be more; 0: there is nothing left for it; -1 with words. */
	int (*slice)(struct search *s);
	/* Which decisions of a traced path it negates (search_expand); NULL: it traces none. */
	void (*plan)(struct search *s, struct expansion *x, wanted_list *out);
	/* Shares of the cost: it goes before all others up to `most` while it earns at least half of what the best of them does, else up to
	 * `poor`; or it has `least` in any case, and what is left if it earns most. */
	double most, poor, least;
	int blind; /* it changes inputs without looking at paths: it never comes to an end, and is booked as mutation */
};

/* strategy.c: the one that is due, of those that are ready. */
const struct strategy *strategy_next(const struct search *s);
/* One that has work though the frontier is empty: IC-Cut beside generational search until it has explored all that it would, then one that never comes to an end; NULL: there is none. */
const struct strategy *strategy_further(const struct search *s);
/* What a slice cost, and the outcomes it found. */
void strategy_book(struct search *s, const struct strategy *t, double cost, uint64_t outcomes);

/* negate.c: paths of the tests in the frontier: what was found just now, and the rest. */
extern const struct strategy strategy_urgent, strategy_negate;
/* mutation.c: tests changed at random. */
extern const struct strategy strategy_mutate;

#endif
