/* keep.c: what becomes of an input that was run.
 *
 * An input is kept for what its run covered, or because the search needs it: a step on the
 * path through a library function, or a path that no test took before, which the frontier
 * holds until its turn (a bounded number of those; more are dropped and counted).
 */
#include "base/hash.h"
#include "search/ic_cut.h"
#include "search/inside.h"
#include "search/mutation.h"
#include "search/numbers.h"

#include <math.h>

struct changes {
	struct search *s;
	const struct exec_unit *units;
	uint32_t count;
	uint32_t at; /* unit of the last change: they come in ascending order */
};

static void changed(void *ctx, uint32_t index, uint8_t mask)
{
	struct changes *c = ctx;
	while (c->at < c->count && index >= c->units[c->at].first + c->units[c->at].count)
		c->at++;
	if (c->at < c->count)
		vec_push(&c->s->now.changed,
			 (struct search_cover){c->units[c->at].unit, index - c->units[c->at].first,
					       mask});
}

/* What a failing run is known by: how it ended, and the outcomes it took. */
static uint64_t signature(const struct exec_result *r)
{
	uint64_t h = (uint64_t)r->end << 8 | (unsigned)r->signal;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->counters[i])
			h = hash_mix(h ^ i);
	return h;
}

/* A run that ended by a signal or at a limit: 1 if no such run was seen before. */
static int failed_anew(struct search *s, struct search_test *t, const struct exec_result *r)
{
	if (r->end == RUN_WAITING) {
		t->flags |= TEST_WAITS;
		s->stats.waiting++;
		search_lose(s, LOSS_KILLED);
	}
	if (r->end == RUN_STOPPED) {
		t->flags |= TEST_WAITS;
		s->stats.stopped++;
		search_lose(s, LOSS_KILLED);
	}
	if (r->scribbled) {
		s->stats.scribbled++;
		search_lose(s, LOSS_UNTRACED);
	}
	if (r->end != RUN_SIGNAL && r->end != RUN_TIME && r->end != RUN_MEMORY)
		return 0;
	t->flags |= r->end == RUN_SIGNAL ? TEST_CRASH : TEST_HANG;
	return memory_add(&s->known.failures, signature(r) ^ t->place);
}

/* Greater is sooner. First what covered an outcome, and steps through a library, for outcomes that
 * no test has: these are urgent. Then paths that pass an outcome that no test has; what only took an
 * outcome more often; the remaining negations of tests that cover; paths without coverage, nearest
 * to coverage first; of a whole program, answers of loops that missed. */
double search_rank(const struct search *s, const struct search_test *t)
{
	static const double covers[] = {1e6, 1e4, 955}, classes[] = {2e5, 5e3, 950},
			    near[] = {2.2e5, 2000, 1500}, later[] = {0, 300, 500}, hangs[] = {2.1e5, 1100, 20};
	double small = 10 - log2((double)t->size + 1) / 4;
	double distance = (t->flags & TEST_DISTANCE) >> 8;
	if (t->stage >= STAGE_DONE)
		return 0;
	if (t->flags & (TEST_HANG | TEST_WAITS)) /* costs more than a hundred others, and passes the same places again and again */
		return hangs[t->stage] + small;
	if (t->flags & TEST_VALUES)
		return 0.001 / (1 + distance / 20);
	if (s->o.unit && t->stage == STAGE_ALL) /* of a function alone: after everything that may lead to another state */
		return (t->flags & TEST_COVERS ? 95 : t->flags & TEST_NEAR ? 90 : 80) / (1 + distance / 20) + small / 100;
	if (t->flags & TEST_COVERS) {
		double base = t->news.outcomes || t->origin == ORIGIN_SEED ? covers[t->stage]
									   : classes[t->stage];
		return base + (t->stage < STAGE_ALL ? 20.0 * t->news.outcomes + small : 0);
	}
	if (t->flags & TEST_HINT && !s->o.unit) /* it missed: explored when little else is left */
		return 1 / (1 + distance / 20) + small / 100;
	if (t->flags & TEST_ASSUMED && t->stage == STAGE_UNCOVERED)
		return 6e5 + small;
	if (t->flags & TEST_PROGRESS && t->stage == STAGE_UNCOVERED)
		return 5e5 + small;
	if (t->flags & TEST_NEAR)
		return near[t->stage] / (1 + distance / 20) + small / 100;
	return (1000 - later[t->stage]) / (1 + distance / 20) + small / 100;
}

int search_keep(struct search *s, struct search_test *t, const struct exec_result *r, int keep)
{
	struct changes c = {.s = s};
	struct exec_result again;
	int second = search_again(s, t, r, &again), failed;
	if (second < 0)
		return -1;
	if (second)
		r = &again;
	if (r->end == RUN_CUT) { /* nothing is known of it */
		search_lose(s, LOSS_ENDED);
		return 0;
	}
	failed = failed_anew(s, t, r);
	keep |= failed;
	c.units = exec_units(s->t.exec, &c.count);
	vec_clear(&s->now.changed);
	t->news = cover_look(&s->cover, r, 1, changed, &c);
	if (t->news.outcomes || t->news.classes) {
		t->flags |= TEST_COVERS;
		t->stage = STAGE_UNCOVERED;
	}
	int covers = (t->flags & (TEST_COVERS | TEST_PROGRESS)) != 0;
	int fresh = t->path && (!(covers || keep) || s->o.unit) && memory_add(&s->known.paths, t->path);
	if (!covers && !keep) {
		if (!fresh)
			return 0;
		if (__atomic_load_n(s->next.pending, __ATOMIC_RELAXED) >= s->o.pending_limit) {
			s->stats.dropped++;
			search_lose(s, LOSS_DROPPED);
			return 0;
		}
	}
	if (s->o.one_generation && t->origin == ORIGIN_SOLVED) {
		t->stage = STAGE_DONE;
		search_lose(s, LOSS_DROPPED);
	}
	if (t->flags & TEST_LONG) {
		t->stage = STAGE_DONE;
		search_lose(s, LOSS_CUT);
	}
	t->rank = search_rank(s, t);
	int added = s->h.add(s->h.ctx, t, s->now.changed.data, s->now.changed.size);
	if (added > 0 && s->next.ic)
		ic_kept(s, t);
	if (added > 0) {
		s->next.urgent |= t->rank >= SEARCH_URGENT;
		if (!(t->flags & TEST_COVERS) && t->stage < STAGE_DONE && (!s->next.ic || s->o.ic_shares)) /* IC-Cut has a queue of its own */
			__atomic_fetch_add(s->next.pending, 1, __ATOMIC_RELAXED);
		/* A program without a branch has nothing to cover, but may fail all the same. */
		if ((t->flags & TEST_COVERS || !mutation_count(s->next.mutation)) && !(t->flags & TEST_LONG) && s->next.mutation)
			mutation_add(s->next.mutation, t, r);
		numbers_note(s, t);
	}
	if (failed && added >= 0 && s->h.failed(s->h.ctx, t, r))
		return -1;
	return added;
}
