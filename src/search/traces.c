/* traces.c: short traces of tests in the frontier, kept for the next stages.
 *
 * A test is traced when it is run as a child, and then again for each of its stages. For a function of a few lines
 * the runs are most of the cost, and its traces have a few kilobytes; those are copied instead.
 */
#include "search/inside.h"

#include "base/budget.h"
#include "base/limit.h"

#define LARGEST LIMIT(32768, 16) /* nodes and events of a trace that is kept | bounds memory */

static size_t size_of(const struct trace *t)
{
	return t->node_count * sizeof *t->nodes + t->event_count * sizeof *t->events + 1024;
}

void traces_keep(struct traces *c, uint64_t test, const struct trace *t, int whole, int counted)
{
	struct kept_trace k = {.whole = whole, .counted = counted};
	uint32_t at;

	if (t->node_count + t->event_count > LARGEST || c->bytes + size_of(t) > budget_share(BUDGET_TRACES) ||
	    map_get(&c->by_test, test, NULL))
		return;
	trace_copy(&k.trace, t);
	c->bytes += size_of(t);
	if (c->free.size) {
		at = vec_pop(&c->free);
		c->kept.data[at] = k;
	} else {
		at = (uint32_t)c->kept.size;
		vec_push(&c->kept, k);
	}
	map_set(&c->by_test, test, at + 1);
}

struct kept_trace *traces_find(struct traces *c, uint64_t test)
{
	uint64_t at = 0;

	return map_get(&c->by_test, test, &at) && at ? &c->kept.data[at - 1] : NULL;
}

/* The map keeps the key, with nothing after it: a test that is done does not come back. */
void traces_drop(struct traces *c, uint64_t test)
{
	uint64_t at = 0;

	if (!map_get(&c->by_test, test, &at) || !at)
		return;
	c->bytes -= size_of(&c->kept.data[at - 1].trace);
	trace_release(&c->kept.data[at - 1].trace);
	vec_push(&c->free, (uint32_t)at - 1);
	map_set(&c->by_test, test, 0);
}

void traces_release(struct traces *c)
{
	for (size_t i = 0; i < c->kept.size; i++)
		trace_release(&c->kept.data[i].trace); /* those that are free are empty */
	vec_release(&c->kept);
	vec_release(&c->free);
	map_release(&c->by_test);
	c->bytes = 0;
}
