/* compare.c: two traces of one run, decision by decision.
 *
 * Both variants run the same code over the same input, so their decisions with labels are the same sequence. What else an event
 * tells need not be. The runtime leaves out a constraint that it wrote already, which it knows by label, and labels are numbered
 * as each variant makes its nodes; a bound on an address has a form that depends on the address; what a function without a body
 * may read is found through whatever looks like a pointer, also in memory that nobody cleared. So concretisations and bounds are
 * not compared one by one: whether those of the user's trace imply its path is asked of every changed input (depend.c), for which
 * each event gets its place among the decisions here.
 */
#include "run/compare.h"

#include "base/mem.h"

#include <stdlib.h>

static int is_decision(const struct muster_event *e)
{
	return e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH;
}

static int is_passed(const struct muster_event *e)
{
	return (!e->label && is_decision(e)) || e->kind == MUSTER_EV_CONCRETE || e->kind == MUSTER_EV_BOUND;
}

static int same_event(const struct trace *x, const struct muster_event *a, const struct trace *y,
		      const struct muster_event *b)
{
	if (a->kind != b->kind || a->arg != b->arg || a->unit != b->unit || a->index != b->index ||
	    !a->label != !b->label)
		return 0;
	if (!a->label)
		return 1;
	const struct muster_node *m = &x->nodes[a->label], *n = &y->nodes[b->label];
	/* Addresses, which are 64 bits wide, are not the same in two variants. The optimiser may write one
	 * comparison in two ways, signed and unsigned, where it knows the operands' signs. */
	return (m->op == n->op || m->width == 1) && m->width == n->width &&
	       (m->width == 64 || trace_value(x, a->label) == trace_value(y, b->label));
}

/* A condition that is the same for every input may carry a label in one variant and none in the other, where the
 * optimiser saw that it is constant. The decision without a label, among those of `all` from `from` up to `to`, that is this
 * one; `to`: there is none. */
static uint64_t concrete_there(const struct muster_event *e, const struct trace *all, uint64_t from, uint64_t to)
{
	for (uint64_t k = from; k < to && e->kind == MUSTER_EV_BRANCH; k++) {
		const struct muster_event *b = &all->events[k];
		if (!b->label && b->kind == e->kind && b->arg == e->arg && b->unit == e->unit && b->index == e->index)
			return k;
	}
	return to;
}

/* Walks through `all` beside `some`: how many decisions lie before an event of `all`. */
struct counter {
	const struct trace *all;
	uint64_t event, decisions;
};

static uint64_t decisions_before(struct counter *c, uint64_t event)
{
	for (; c->event < event; c->event++)
		c->decisions += (uint64_t)is_decision(&c->all->events[c->event]);
	return c->decisions;
}

static int is_full(const struct trace *t, uint64_t event)
{
	return event < t->event_count && t->events[event].kind == MUSTER_EV_FULL;
}

void trace_compare(struct trace_places *p, const struct trace *some, const struct trace *all)
{
	struct counter counter = {.all = all};
	uint64_t i = 0, k = 0, behind = 0; /* behind: the event of `all` after the last that was found */

	*p = (struct trace_places){.position = mem_alloc((some->event_count + 1) * sizeof *p->position)};
	for (;; i++) {
		uint64_t found;
		/* A constraint stands at the earliest decision that it can be about: the one after the last that was found. */
		while (i < some->event_count && is_passed(&some->events[i]))
			p->position[i++] = decisions_before(&counter, behind);
		while (k < all->event_count && is_passed(&all->events[k]))
			k++;
		if (i == some->event_count || is_full(some, i) || is_full(all, k))
			break;
		if (k < all->event_count && same_event(some, &some->events[i], all, &all->events[k]))
			found = k++;
		else if ((found = concrete_there(&some->events[i], all, behind, k)) == k)
			break;
		p->position[i] = decisions_before(&counter, found);
		behind = found + 1;
	}
	p->placed = i;
	p->there = k;
	p->whole = i == some->event_count;
	p->apart = !p->whole && !is_full(some, i) && !is_full(all, k);
	p->decisions = decisions_before(&counter, behind);
}

void trace_places_release(struct trace_places *p)
{
	free(p->position);
}
