/* hint_budget.c: see hint_budget.h. */
#include "search/hint_budget.h"

#include "search/inside.h"

#define WORTH 0.5 /* seconds that one hit of a hint makes up for | by hand (share) */

double hint_budget_left(struct hint_budget *t, const struct search *s, double start, double share)
{
	double now = search_processor_time(s);
	if (t->restarted != s->budget.restarted)
		*t = (struct hint_budget){.restarted = s->budget.restarted, .began = t->began > 0 ? now : 0};
	double used = t->used + (t->began > 0 ? now - t->began : 0), found = 1 + (double)t->hits;
	return start + share * found / (found + used / WORTH) * search_since(s) - used;
}

void hint_budget_begin(struct hint_budget *t, const struct search *s)
{
	t->began = search_processor_time(s);
}

void hint_budget_end(struct hint_budget *t, const struct search *s)
{
	t->used += search_processor_time(s) - t->began;
	t->began = 0;
}

void hint_budget_work(struct hint_budget *t, const struct search *s, double work)
{
	t->used += s->o.repeatable ? work : 0;
}
