/* frontier.h: tests of a search in memory, and which comes next.
 *
 * For searches that need no store. frontier_add, _take and _update are hooks with the frontier as their ctx; the rest is the
 * caller's. Every test that was added stays until frontier_clear: tests[i] has the id i + 1.
 */
#ifndef MUSTER_SEARCH_FRONTIER_H
#define MUSTER_SEARCH_FRONTIER_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "search/search.h"

struct frontier {
	VEC(struct search_test) tests; /* data is the frontier's own */
	VEC(uint32_t) heap;	       /* numbers of tests that are not done, best first */
	struct map contents;	       /* hash of the bytes to number + 1 */
	struct arena bytes;
};

void frontier_init(struct frontier *f);
void frontier_release(struct frontier *f);
/* No tests; for search_restart. */
void frontier_clear(struct frontier *f);
/* The tests stay, but none is taken any more. */
void frontier_drop(struct frontier *f);
/* The same, and tests that it has may be added again, as new ones. */
void frontier_reopen(struct frontier *f);
/* Hooks (search.h); callers with a ctx of their own call these from theirs. */
int frontier_add(void *f, struct search_test *t, const struct search_cover *cover, size_t count);
int frontier_take(void *f, struct search_test *t, struct buf *data);
int frontier_update(void *f, const struct search_test *t);

#endif
