/* thought.c: see thought.h. */
#include "search/thought.h"

#include "search/inside.h"

#define WORTH 0.5 /* seconds that one hit of a hint makes up for | by hand */

double thought_left(struct thought *t, const struct search *s, double start, double share)
{
	double now = search_thought(s);
	if (t->restarted != s->restarted)
		*t = (struct thought){.restarted = s->restarted, .began = t->began > 0 ? now : 0};
	double used = t->used + (t->began > 0 ? now - t->began : 0), found = 1 + (double)t->hits;
	return start + share * found / (found + used / WORTH) * search_since(s) - used;
}

void thought_begin(struct thought *t, const struct search *s)
{
	t->began = search_thought(s);
}

void thought_end(struct thought *t, const struct search *s)
{
	t->used += search_thought(s) - t->began;
	t->began = 0;
}

void thought_work(struct thought *t, const struct search *s, double work)
{
	t->used += s->o.repeatable ? work : 0;
}
