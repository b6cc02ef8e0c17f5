/* compare.c: two traces of one run, decision by decision.
 *
 * Both variants run the same code over the same input, so their decisions with labels are the same sequence. What else an event
 * tells need not be. The runtime leaves out a constraint that it wrote already, which it knows by label, and labels are numbered
 * as each variant makes its nodes; a bound on an address has a form that depends on the address; what a function without a body
 * may read is found through whatever looks like a pointer, also in memory that was not cleared. So concretisations and bounds are
 * not compared one by one: whether those of the user's trace imply its path is asked of every changed input (depend.c), for which
 * each event gets its place among the decisions here.
 *
 * What was given up has no label any more, so where one of the runs gave up more than the other, later decisions may have a label
 * in one trace alone: there the comparison ends, and nothing is said about the rest. If both gave up the same, it is a difference.
 */
#include "run/compare.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

static int is_decision(const struct muster_event *e)
{
	return e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH;
}

/* Of one of the variants alone. */
static int is_call(const struct muster_event *e)
{
	return e->kind == MUSTER_EV_CALL || e->kind == MUSTER_EV_CALLER || e->kind == MUSTER_EV_ARGUMENT || e->kind == MUSTER_EV_RESULT ||
	       e->kind == MUSTER_EV_RETURN;
}

static int is_passed(const struct muster_event *e)
{
	return is_call(e) || (!e->label && is_decision(e)) || e->kind == MUSTER_EV_CONCRETE || e->kind == MUSTER_EV_BOUND;
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

/* ---------------------------------------------------------- what was given up */

#define PLACES (UINT64_C(1) << 40) /* constants from here on are addresses, which are others in another run */

static uint64_t constant(uint64_t k)
{
	return k < PLACES || k > UINT64_MAX - PLACES ? k : 0;
}

/* The expression of each node as a hash, without addresses. Operands are older than their node. */
static uint64_t node_hash(const struct trace *t, const uint64_t *known, uint32_t label)
{
	const struct muster_node *n = &t->nodes[label];
	unsigned arity = op_table[n->op].arity;
	uint64_t key[5] = {(uint64_t)n->op << 8 | n->width};

	if (n->op == MUSTER_OP_DATA)
		return n->k;
	if (n->op == MUSTER_OP_LEAF)
		return n->a ? known[n->a] : constant(muster_value(n));
	if (n->op == MUSTER_OP_BYTES) {
		for (uint32_t i = 0; i < n->width / 8u; i++) {
			key[1] = known[n->a + i];
			key[0] = hash64(key, 2 * sizeof *key, 0);
		}
		return key[0];
	}
	key[1] = n->op == MUSTER_OP_CONST ? constant(muster_value(n)) : arity ? known[n->a] : n->a;
	key[2] = arity > 1 ? known[n->b] : 0;
	key[3] = arity > 2 ? known[n->c] : 0;
	key[4] = arity && n->width > 64 ? 0 : constant(n->k); /* of a wide node k is a part of its value */
	return hash64(key, sizeof key, 0);
}

/* The expressions that the first `events` events fix. */
static void given_up(const struct trace *t, uint64_t events, struct map *out)
{
	uint64_t *known = mem_zalloc(((size_t)t->node_count + 1) * sizeof *known);

	for (uint32_t i = 1; i < t->node_count; i++)
		if (t->nodes[i].op == MUSTER_OP_DATA || trace_is_node(t, i))
			known[i] = node_hash(t, known, i);
	for (uint64_t i = 0; i < events; i++)
		if (t->events[i].kind == MUSTER_EV_CONCRETE)
			map_set(out, known[t->events[i].label], 1);
	free(known);
}

static int gave_up_the_same(const struct trace *x, uint64_t i, const struct trace *y, uint64_t k)
{
	struct map one = {0}, other = {0};
	int same;

	given_up(x, i, &one);
	given_up(y, k, &other);
	same = one.size == other.size;
	if (same) { /* as many, and none is new to the other */
		given_up(y, k, &one);
		same = one.size == other.size;
	}
	map_release(&one);
	map_release(&other);
	return same;
}

/* -------------------------------------------------------------- side by side */

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
	p->apart = !p->whole && !is_full(some, i) && !is_full(all, k) && gave_up_the_same(some, i, all, k);
	p->decisions = decisions_before(&counter, behind);
}

void trace_places_release(struct trace_places *p)
{
	free(p->position);
}
