/* again.c: what looks new is run again before it counts.
 *
 * In the loop of a harness an input may owe its coverage to those that ran before it, and a program that asks for the time or for
 * random numbers takes other branches each time. So an input with a new outcome is run once more in a process of its own. If the two
 * runs took the same outcomes as often, all is well. If they did not, the loop may be the reason: two runs in processes of their own show it.
 * If these differ as well, the program is unstable: that is counted and reported, and only outcomes that both took are the
 * input's, so that its file in queue/ has a chance to show them again.
 *
 * An input with no new outcome, but one that was taken more or less often than before, is run again in the loop only.
 */
#include "search/inside.h"

static void remember(struct search *s, const struct exec_result *r)
{
	buf_clear(&s->now.first);
	buf_add(&s->now.first, r->counters, r->count);
}

static uint8_t remembered(const struct search *s, uint32_t i)
{
	return i < s->now.first.size ? (uint8_t)s->now.first.data[i] : 0;
}

/* Does the run count otherwise than the one that is remembered? */
static int differs(const struct search *s, const struct exec_result *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (remembered(s, i) != r->counters[i])
			return 1;
	return 0;
}

static void keep_common(const struct search *s, struct exec_result *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (!remembered(s, i))
			r->counters[i] = 0;
}

static int fresh(struct search *s, const struct search_test *t, struct exec_result *r)
{
	s->stats.runs++;
	return exec_fresh(s->t.exec, t->data, t->size, r);
}

int search_again(struct search *s, const struct search_test *t, const struct exec_result *r,
		 struct exec_result *again)
{
	int looped = r->looped;
	struct cover_news news;

	if (r->end != RUN_EXIT || (!looped && s->o.unit))
		return 0;
	news = cover_look(&s->cover, r, 0, NULL, NULL);
	if (!news.outcomes && (!news.classes || !looped))
		return 0;
	if (!news.outcomes) {
		s->stats.runs++;
		return exec_run(s->t.exec, t->data, t->size, again) ? -1 : 1;
	}
	s->stats.rerun++;
	remember(s, r);
	if (fresh(s, t, again))
		return -1;
	if (!differs(s, again))
		return 1;
	if (looped) {
		remember(s, again);
		if (fresh(s, t, again))
			return -1;
		if (!differs(s, again))
			return 1;
	}
	s->stats.unstable++;
	search_lose(s, LOSS_UNSTABLE);
	keep_common(s, again);
	return 1;
}
