/* suspended.h: tests whose negation a slice ended in, so that they go on where they were.
 *
 * What a path has cost until then is much: thousands of steps are imported and blasted before the first question. Strategies take turns, so there are several: each keeps its place while another has
 * the slice. It is a cache: one that is dropped is begun again, and what was asked for is not asked for twice. */
#ifndef MUSTER_SEARCH_SUSPENDED_H
#define MUSTER_SEARCH_SUSPENDED_H

#include "search/inside.h"

/* A test whose path is being negated: one that was begun, and the place on it that comes next. Its address does not change: the solver's paths have it. */
struct search_suspended {
	struct expansion x;
	struct buf data; /* x.data */
	wanted_list wanted;
	size_t step, next, call; /* of the path, of wanted, of the calls that summaries stand for */
	uint64_t test, of; /* of: whose exploration it is (suspended_take) */
	uint32_t stage, values; /* of the test when it was suspended */
	int borrowed;		/* the trace is that of s->next.traces */
	/* While it is suspended: s->now's. */
	struct path path;
	struct compose_run calls;
	struct frames frames;
};

/* Bytes of its terms. */
uint64_t suspended_bytes(const struct search_suspended *h);
/* Of all. */
uint64_t suspended_total(const struct search *s);
void suspended_free(struct search_suspended *h);
/* It is the search's now, with the path of s->now. of: 0, or the number of an exploration that asks for a part of the path only. */
void suspended_keep(struct search *s, struct search_suspended *h, uint64_t of);
/* What is suspended of this test at this stage and of this exploration, and its path is s->now's; NULL: nothing is. */
struct search_suspended *suspended_take(struct search *s, struct search_test *t, uint64_t of);
/* Drops the one that waits longest. 0: there was none. */
int suspended_drop_oldest(struct search *s);

#endif
