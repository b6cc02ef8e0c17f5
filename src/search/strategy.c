/* strategy.c: which strategy has the next slice of a search's time.
 *
 * Each has a decaying sum of the outcomes found and of what that cost. What cannot wait goes first, within a share of the time that depends on
 * whether it pays. The next slice goes to whoever has fallen behind its least share, since a strategy that never runs cannot show that it
 * would pay now; else to that with the best rate. Of two that negate paths the better one is the one with more for its cost in the longer run: they find the same code, so where one
 * is ahead the other finds little, and both have long stretches without any, in which to change between them would halve the time of the one that comes to its end. The one that is behind has a tenth of its least share.
 */
#include "search/strategy.h"

#include "search/ic_cut.h"

#define DECAY 0.9 /* what is left of earned and spent at each slice | half-life of 7 slices */
#define LONG_DECAY 0.98 /* the same in the longer run | half-life of 34 slices */
#define BEHIND_PART 0.1 /* of its least share, for the one that negates and is behind in the longer run | with all of it two decoders needed 28 s for what IC-Cut alone has in 20, with a tenth 20 */

/* Where two are equal, the first. */
static const struct strategy *const strategies[SEARCH_STRATEGIES] = {&strategy_urgent, &strategy_mutate, &strategy_ic_part, &strategy_negate, &strategy_ic};

static double rate(const struct search *s, unsigned i)
{
	const struct search_shares *h = &s->next.shares;
	return (h->earned[i] + 0.1) / (h->spent[i] + 1e-3);
}

static int is_ready(const struct search *s, unsigned i)
{
	return strategies[i]->ready(s);
}

static double long_rate(const struct search *s, unsigned i)
{
	const struct search_shares *h = &s->next.shares;
	return (h->long_earned[i] + 0.1) / (h->long_spent[i] + 1e-3);
}

/* Of those that have a least share, and negate paths or are blind: -1 if none is ready. */
static int best_of(const struct search *s, int blind, double (*by)(const struct search *, unsigned))
{
	int found = -1;
	for (unsigned i = 0; i < SEARCH_STRATEGIES; i++)
		if (strategies[i]->least > 0 && strategies[i]->blind == blind && is_ready(s, i) && (found < 0 || by(s, i) > by(s, (unsigned)found)))
			found = (int)i;
	return found;
}

static int best(const struct search *s)
{
	int blind = best_of(s, 1, rate), negates = best_of(s, 0, long_rate);
	if (blind < 0 || negates < 0)
		return blind < 0 ? negates : blind;
	return rate(s, (unsigned)negates) > rate(s, (unsigned)blind) ? negates : blind;
}

/* The rate of the strategy that never ends, which what is urgent is measured by. */
static double blind_rate(const struct search *s)
{
	for (unsigned i = 0; i < SEARCH_STRATEGIES; i++)
		if (strategies[i]->blind)
			return rate(s, i);
	return 0;
}

/* A strategy that negates has its least share to show what it is worth. What it would find the other one finds, too, so while that finds more, every slice that it has is lost to it. */
static double least_of(const struct search *s, unsigned i)
{
	int ahead = strategies[i]->blind ? -1 : best_of(s, 0, long_rate);
	return ahead >= 0 && long_rate(s, (unsigned)ahead) > long_rate(s, i) ? BEHIND_PART * strategies[i]->least : strategies[i]->least;
}

const struct strategy *strategy_next(const struct search *s)
{
	const struct search_shares *h = &s->next.shares;
	double all = 0;
	for (unsigned i = 0; i < SEARCH_STRATEGIES; i++)
		all += h->total[i];
	for (unsigned i = 0; i < SEARCH_STRATEGIES; i++) {
		const struct strategy *t = strategies[i];
		double share = rate(s, i) >= blind_rate(s) / 2 ? t->most : t->poor;
		if (t->most > 0 && is_ready(s, i) && h->total[i] <= share * all)
			return t;
	}
	for (unsigned i = 0; i < SEARCH_STRATEGIES; i++)
		if (strategies[i]->least > 0 && is_ready(s, i) && h->total[i] < least_of(s, i) * all)
			return strategies[i];
	int i = best(s);
	return i < 0 ? &strategy_negate : strategies[i];
}

const struct strategy *strategy_further(const struct search *s)
{
	if (strategy_ic_part.ready(s))
		return &strategy_ic_part;
	for (unsigned i = 0; i < SEARCH_STRATEGIES; i++)
		if (strategies[i]->blind && is_ready(s, i))
			return strategies[i];
	return NULL;
}

void strategy_book(struct search *s, const struct strategy *t, double cost, uint64_t outcomes)
{
	struct search_shares *h = &s->next.shares;
	for (unsigned i = 0; i < SEARCH_STRATEGIES; i++) {
		h->earned[i] *= DECAY;
		h->spent[i] *= DECAY;
		h->long_earned[i] *= LONG_DECAY;
		h->long_spent[i] *= LONG_DECAY;
		if (strategies[i] != t)
			continue;
		h->earned[i] += (double)outcomes;
		h->spent[i] += cost;
		h->long_earned[i] += (double)outcomes;
		h->long_spent[i] += cost;
		h->total[i] += cost;
	}
}
