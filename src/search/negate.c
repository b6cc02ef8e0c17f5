/* negate.c: negating the paths of the tests in the frontier, the best test first.
 *
 * What covered something new is negated at once, within a share of the time; the rest of the frontier when its turn comes. A search that can
 * do nothing else needs no difference between the two: the frontier has the urgent ones first.
 */
#include "search/strategy.h"

#include "base/deadline.h"

#define TURN 10 /* rank that a long path loses, so that others go first now and then | by hand (weight) */
#define URGENT_SHARE 0.6 /* part of the time for tests that cannot wait, where they pay | by hand (share) */
#define URGENT_LEAST 0.2 /* the same where they do not pay | by hand (share) */
#define NEGATE_SHARE 0.1 /* least part of the time for the rest | by hand (share) */

/* 1: negated something or finished a test, or nothing urgent is left; 0: the frontier is empty. */
static int negate(struct search *s, int urgent_only)
{
	struct buf data = {0};
	struct search_test t = {0};
	int r = 1;
	do {
		buf_clear(&data);
		int got = s->h.take(s->h.ctx, &t, &data);
		if (got <= 0) {
			r = got;
			break;
		}
		s->next.urgent = t.rank >= SEARCH_URGENT;
		if (urgent_only && !s->next.urgent)
			break;
		t.data = (const uint8_t *)data.data;
		t.size = data.size;
		int expanded = search_expand(s, &t, &data);
		if (expanded < 0) {
			r = -1;
			break;
		}
		if (deadline_cut()) { /* runs may be missing: it stays in the frontier as it was */
			search_lose(s, LOSS_ENDED);
			break;
		}
		if (!(t.flags & TEST_COVERS) && t.stage >= STAGE_DONE && __atomic_load_n(s->next.pending, __ATOMIC_RELAXED))
			__atomic_fetch_sub(s->next.pending, 1, __ATOMIC_RELAXED);
		if (expanded == 0)
			t.rank = search_rank(s, &t);
		else if (t.stage == STAGE_ALL)
			t.rank -= TURN; /* a long path lets others go first now and then */
		if (s->h.update(s->h.ctx, &t)) {
			r = -1;
			break;
		}
	} while (!search_paused(s));
	buf_release(&data);
	return r;
}

static int negate_urgent(struct search *s)
{
	return negate(s, 1);
}

static int negate_rest(struct search *s)
{
	return negate(s, 0);
}

static int is_urgent(const struct search *s)
{
	return s->next.urgent && (!s->next.ic || s->o.ic_shares) && strategy_mutate.ready(s);
}

/* An empty frontier is seen by those who take from it. */
static int is_generational(const struct search *s)
{
	return !s->next.ic || s->o.ic_shares;
}

const struct strategy strategy_urgent = {
    .name = "urgent", .ready = is_urgent, .slice = negate_urgent, .plan = search_plan, .most = URGENT_SHARE, .poor = URGENT_LEAST};
const struct strategy strategy_negate = {.name = "negate", .ready = is_generational, .slice = negate_rest, .plan = search_plan, .least = NEGATE_SHARE};
