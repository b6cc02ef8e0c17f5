/* choosing.c: what the learning phase of a search says about callees.
 *
 * Of the longest path so far: how many of its decisions are inside of callees for which summaries could stand, since they were searched to their end and nothing was lost, and how many would be left.
 * Summaries are worth it where the former are many, for each of them may double the paths, and the latter are few. A search that ends within LEARN inputs has no need of them.
 */
#include "unit/choosing.h"

#include "base/limit.h"
#include "base/mem.h"
#include "unit/composing.h"

#include <stdlib.h>
#include <string.h>

#define LEARN LIMIT(64, 4) /* inputs of the learning phase | what a function with some ten branches takes in all */
#define AGAIN 4 /* times as many inputs until paths are looked at again | few looks, and long paths may come late */
#define INSIDE LIMIT(16, 2) /* decisions inside of callees that make summaries worth it | 2^16 paths are beyond every budget */
#define PART 4 /* decisions inside for each that is left, at least | by hand */

struct choosing {
	struct test_session *s;
	uint32_t function;
	uint64_t next; /* inputs after which paths are looked at */
	struct map of_site; /* function of the search's sites to the session's + 1; 0: another one */
	uint32_t *counts, *longest; /* decisions by function of the session, and in others: of the path at hand, of the longest */
	uint64_t length; /* of the latter */
};

struct choosing *choosing_new(struct test_session *s)
{
	struct choosing *c = mem_zalloc(sizeof *c);
	c->s = s;
	c->counts = mem_zalloc((s->functions.size + 1) * sizeof *c->counts);
	c->longest = mem_zalloc((s->functions.size + 1) * sizeof *c->longest);
	return c;
}

void choosing_free(struct choosing *c)
{
	if (!c)
		return;
	map_release(&c->of_site);
	free(c->counts);
	free(c->longest);
	free(c);
}

void choosing_begin(struct choosing *c, uint32_t function)
{
	c->function = function;
	c->next = LEARN;
	c->length = 0;
}

/* The session's number of the function that a decision is in, or the count of its functions. */
static uint32_t function_of(struct choosing *c, const struct sites *sites, const struct sites_decision *d)
{
	struct site_function f;
	uint64_t n = c->s->functions.size;
	if (map_get(&c->of_site, d->function, &n))
		return (uint32_t)n;
	if (site_find_function(sites->tables, d->unit, d->index, &f))
		n = composing_function(c->s, &f);
	map_set(&c->of_site, d->function, n);
	return (uint32_t)n;
}

void choosing_path(struct choosing *c, const struct path *p, const struct sites *sites)
{
	uint32_t last = c->function; /* bodies of libraries belong to whoever decided last */
	uint64_t length = 0;
	memset(c->counts, 0, (c->s->functions.size + 1) * sizeof *c->counts);
	for (size_t i = 0; i < p->steps.size; i++) {
		const struct sites_decision *d = &sites->decisions.data[p->steps.data[i].site];
		if (!path_decides(&p->steps.data[i]))
			continue;
		if (d->kind == SITES_COUNTED)
			last = function_of(c, sites, d);
		c->counts[last]++;
		length++;
	}
	if (length <= c->length)
		return;
	uint32_t *swap = c->longest;
	c->longest = c->counts;
	c->counts = swap;
	c->length = length;
}

/* May summaries stand for calls of it, and are they known to be all there are? */
static int is_complete(const struct choosing *c, uint32_t function)
{
	return function < TEST_COMPLETE && c->s->round.shared->complete[function] && composing_may_replace(c->s, c->function, function);
}

int choosing_wants(struct choosing *c, uint64_t inputs, struct test_learned *out)
{
	uint32_t most = 0;
	if (inputs < c->next)
		return 0;
	c->next *= AGAIN;
	*out = (struct test_learned){.decisions = (uint32_t)c->length};
	if (c->length < INSIDE)
		return 0;
	for (uint32_t i = 0; i < c->s->functions.size; i++) {
		if (!c->longest[i] || i == c->function || !is_complete(c, i))
			continue;
		out->inside += c->longest[i];
		if (c->longest[i] > most) {
			most = c->longest[i];
			out->callee = i;
		}
	}
	return out->inside >= INSIDE && (c->length - out->inside) * PART <= out->inside;
}
