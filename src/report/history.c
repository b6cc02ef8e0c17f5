/* history.c: how a search went, from the store: one walk over its tests, without their inputs. */
#include "report/history.h"

#include "base/map.h"
#include "report/bug.h"
#include "solve/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int history_keep(struct store *s, uint64_t campaign, const struct solve_stats *solve, int clocks)
{
	struct buf lines = {0};

	for (unsigned i = 0; i < SOLVE_RUNG_COUNT; i++)
		if (solve->answered[i])
			buf_addf(&lines, "%s %" PRIu64 " %.6f\n", solve_rung_key(i), solve->answered[i], clocks ? solve->seconds[i] : 0);
	int e = store_value_set(s, campaign, HISTORY_RUNGS, lines.data ? lines.data : "", lines.size);
	buf_release(&lines);
	return e;
}

struct load {
	struct history *h;
	struct map bugs;  /* test to the number of bugs that it showed first */
	struct map cover; /* test to the number of outcomes that it covered first, in the program as it is now */
	VEC(struct history_point) all;
	uint64_t campaign, tests, version;
	struct store *store;
};

static void count(struct map *m, uint64_t test)
{
	uint64_t n = 0;

	map_get(m, test, &n);
	map_set(m, test, n + 1);
}

static int see_outcome(void *ctx, uint32_t unit, uint32_t outcome, uint8_t mask, uint64_t test)
{
	struct load *l = ctx;

	(void)unit, (void)outcome, (void)mask;
	count(&l->cover, test);
	return 0;
}

static int see_bug(void *ctx, const struct result_bug *b)
{
	struct load *l = ctx;

	if (b->confirmed)
		count(&l->bugs, b->test);
	return 0;
}

static int see_test(void *ctx, const struct store_test *t)
{
	struct load *l = ctx;
	struct history_point p = l->all.size ? vec_last(&l->all) : (struct history_point){0};
	uint64_t bugs = 0, outcomes = 0;

	l->tests++;
	map_get(&l->bugs, t->id, &bugs);
	map_get(&l->cover, t->id, &outcomes);
	p.outcomes += outcomes;
	p.bugs += bugs;
	if (l->h->by_tests)
		p.at = (double)l->tests;
	else if (t->found > p.at)
		p.at = t->found;
	vec_push(&l->all, p);
	return 0;
}

/* Steps of a curve: those that matter, evenly chosen where there are too many. */
static void choose(struct load *l)
{
	size_t n = l->all.size, step = n / HISTORY_POINTS + 1;

	for (size_t i = 0; i < n; i++)
		if (i % step == 0 || i + 1 == n)
			vec_push(&l->h->points, l->all.data[i]);
}

static int see_result(void *ctx, const struct store_result *r)
{
	struct load *l = ctx;

	if (r->campaign == l->campaign)
		vec_push(&l->h->runs, (struct history_run){arena_strdup(&l->h->strings, r->command), arena_strdup(&l->h->strings, r->status), r->time, r->seconds, l->version, r->covered, r->total, r->tests,
							    r->bugs});
	return 0;
}

static int see_version(void *ctx, const struct store_version *v)
{
	struct load *l = ctx;

	l->version = v->id;
	return store_result_each(l->store, v->id, see_result, l);
}

static int earlier(const void *a, const void *b)
{
	const struct history_run *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Campaigns with the same output directory: another version of a program has one of its own. */
static int see_campaign(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct load *l = ctx;
	struct buf mine = {0}, other = {0};
	uint64_t own = l->campaign;
	int r = 0;

	(void)key, (void)program, (void)command;
	if (id == own || (store_value_get(l->store, own, "output", &mine) > 0 && store_value_get(l->store, id, "output", &other) > 0 && !strcmp(buf_str(&mine), buf_str(&other)))) {
		l->campaign = id;
		r = store_version_each(l->store, see_version, l);
		l->campaign = own;
	}
	buf_release(&mine);
	buf_release(&other);
	return r;
}

static void values(struct load *l)
{
	struct history *h = l->h;
	struct buf b = {0};

	h->rungs = store_value_get(l->store, l->campaign, HISTORY_RUNGS, &b) > 0 ? arena_strdup(&h->strings, buf_str(&b)) : "";
	buf_clear(&b);
	h->reuse_known = store_value_get(l->store, l->campaign, HISTORY_REUSED, &b) > 0 && sscanf(buf_str(&b), "%" SCNu64 " %" SCNu64, &h->reused_functions, &h->reused_tests) == 2;
	buf_clear(&b);
	h->by_tests = store_value_get(l->store, l->campaign, "kind", &b) > 0;
	buf_release(&b);
}

int history_load(struct history *h, struct store *s, uint64_t campaign)
{
	struct load l = {.h = h, .campaign = campaign, .store = s};
	struct bug_counts bugs;

	*h = (struct history){0};
	values(&l);
	int e = bug_each(s, campaign, &bugs, see_bug, &l) || store_cover_each(s, campaign, see_outcome, &l) || store_test_each(s, campaign, 0, 0, see_test, &l) || store_campaign_each(s, see_campaign, &l) ? -1 : 0;
	choose(&l);
	if (h->runs.size)
		qsort(h->runs.data, h->runs.size, sizeof *h->runs.data, earlier);
	map_release(&l.bugs);
	map_release(&l.cover);
	vec_release(&l.all);
	return e;
}

void history_release(struct history *h)
{
	vec_release(&h->points);
	vec_release(&h->runs);
	arena_release(&h->strings);
	*h = (struct history){0};
}
