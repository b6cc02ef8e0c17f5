/* compare.c: two traces of one run, event by event.
 *
 * Both variants run the same code over the same input, so their events with labels are the same sequence; what differs without
 * meaning is passed over: decisions without a label, addresses, and events that a trace tells again.
 */
#include "run/compare.h"

#include "base/hash.h"
#include "base/map.h"

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

/* Two variants keep their nodes at other places, so a node may be made twice in one and once in the
 * other; a value that is concretised again adds nothing to the first time. */
static int told_before(const struct trace *t, const struct muster_event *e, struct map *told)
{
	if (e->kind != MUSTER_EV_CONCRETE || !e->label)
		return 0;
	const struct muster_node *n = &t->nodes[e->label];
	u128 v = trace_value(t, e->label);
	uint64_t key[3] = {(uint64_t)v, (uint64_t)(v >> 64), (uint64_t)n->op << 8 | n->width};
	return !map_set(told, hash64(key, sizeof key, 0), 1);
}

/* Is it a decision without a label, or a concretisation that was told before? */
static int is_passed(const struct trace *t, const struct muster_event *e, struct map *told)
{
	return (!e->label && (e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH)) || told_before(t, e, told);
}

/* A condition that is the same for every input may carry a label in one variant and none in the other, where the
 * optimiser saw that it is constant. Position behind the decision without a label, among those
 * of `all` from `from` up to `to`, that is this one; 0: there is none. */
static uint64_t concrete_there(const struct muster_event *e, const struct trace *all, uint64_t from, uint64_t to)
{
	if (e->kind != MUSTER_EV_BRANCH)
		return 0;
	for (uint64_t k = from; k < to; k++) {
		const struct muster_event *b = &all->events[k];
		if (!b->label && b->kind == e->kind && b->arg == e->arg && b->unit == e->unit && b->index == e->index)
			return k + 1;
	}
	return 0;
}

uint64_t trace_compare(const struct trace *some, const struct trace *all)
{
	struct map told = {0}, told_all = {0};
	uint64_t i = 0, k = 0, behind = 0; /* behind: the last event of `all` that was told */

	for (;; i++) {
		uint64_t there;
		while (i < some->event_count && is_passed(some, &some->events[i], &told))
			i++;
		while (k < all->event_count && is_passed(all, &all->events[k], &told_all))
			k++;
		if (i == some->event_count)
			break;
		if (k < all->event_count && same_event(some, &some->events[i], all, &all->events[k]))
			behind = ++k;
		else if ((there = concrete_there(&some->events[i], all, behind, k)))
			behind = there;
		else
			break;
	}
	map_release(&told);
	map_release(&told_all);
	return i;
}
