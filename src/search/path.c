/* path.c: the path of a traced run as the search reads it.
 *
 * The digest of a prefix is a chain: each decision mixes its site and outcome into the
 * digest of what was before it. Two runs agree up to decision n exactly if the chains
 * agree there (a collision of 64 bits would hide a divergence, never make a wrong claim
 * about code reached: coverage comes from counters).
 */
#include "search/path.h"

#include "base/hash.h"
#include "base/limit.h"

#include <string.h>

static uint64_t self_of(uint64_t unit, uint64_t index, uint64_t outcome)
{
	return hash_mix((unit << 32 | index) + outcome * 0x9e3779b97f4a7c15ull);
}

#define LENGTH_DEPTH LIMIT(5, 1) /* operators between the position of a read and the length | what the runtime builds */

static int of_length(const struct trace *t, uint32_t label, unsigned depth)
{
	const struct muster_node *n = &t->nodes[label];
	if (!label || n->op == MUSTER_OP_LENGTH)
		return label != 0;
	if (!depth || (n->op != MUSTER_OP_ADD && n->op != MUSTER_OP_SUB))
		return 0;
	return of_length(t, n->a, depth - 1) || of_length(t, n->b, depth - 1);
}

/* Is the bound what a read found? Those that libc's bodies record compare the length, or a place
 * that follows it, with what was asked for. Upper bounds by constants are the limits of blocks and
 * buffers instead. */
static int is_read(const struct trace *t, const struct muster_event *e, const struct sites *sites)
{
	const struct muster_node *n = &t->nodes[e->label];
	struct site site;
	if (MUSTER_BOUND_CHECKER(e->arg))
		return 0;
	if (n->op != MUSTER_OP_ULT && n->op != MUSTER_OP_EQ && (n->op != MUSTER_OP_ULE || !n->b))
		return 0;
	if (!of_length(t, n->a, LENGTH_DEPTH) && !of_length(t, n->b, LENGTH_DEPTH))
		return 0;
	return !site_find(sites->tables, e->unit, e->index, &site) || site.kind == SITE_CALL;
}

void path_release(struct path *p)
{
	vec_release(&p->steps);
	vec_release(&p->entries);
}

/* Does a program go on by its rules after a check that it breaks, and do its terms say how? */
static int goes_on(uint32_t checker)
{
	switch (checker) {
	case MUSTER_CHECK_SUB_OBJECT:
	case MUSTER_CHECK_UINT_UNDER:
	case MUSTER_CHECK_UINT_OVER:
	case MUSTER_CHECK_CONVERT_LOW:
	case MUSTER_CHECK_CONVERT_HIGH:
	case MUSTER_CHECK_ALLOC:
		return 1;
	default:
		return 0;
	}
}

/* What a bound or check is to the search. 0: nothing at all, for no checker looks for it and the program goes on if it is broken. One that
 * no checker looks for and that is undefined behaviour constrains the path: it is taken to hold. */
static int read_check(const struct path *p, struct path_step *s, const struct sites *sites)
{
	s->fails = SITE_NO_OUTCOME;
	if (s->kind != MUSTER_EV_BRANCH && s->kind != MUSTER_EV_BOUND)
		return 1;
	const struct sites_decision *d = &sites->decisions.data[s->site];
	if (s->kind == MUSTER_EV_BRANCH && d->kind == SITES_CHECK && d->fails != SITE_NO_OUTCOME)
		s->checker = (uint16_t)(d->checker ? d->checker : MUSTER_CHECK_OTHER);
	if (!s->checker)
		return 1;
	s->free = goes_on(s->checker) && (!p->exact || s->kind == MUSTER_EV_BRANCH);
	if (s->kind == MUSTER_EV_BRANCH && (!p->exact || s->free))
		s->kind = PATH_CHECK;
	if (checker_pair(s->checker) & p->checks)
		s->fails = s->kind == MUSTER_EV_BOUND ? 0 : d->fails;
	else if (s->kind != MUSTER_EV_BRANCH && goes_on(s->checker))
		return 0;
	return 1;
}

static void add_step(struct path *p, const struct trace *t, const struct muster_event *e,
		     struct sites *sites, const struct exec *exec)
{
	struct path_step s = {.label = e->label,
			      .kind = e->kind,
			      .outcome = e->arg,
			      .ordinal = p->decisions,
			      .event = (uint64_t)(e - t->events),
			      .prefix = p->digest,
			      .reads = p->reads};
	if (e->kind == MUSTER_EV_BOUND) {
		s.outcome = MUSTER_BOUND_HELD(e->arg);
		s.checker = (uint16_t)MUSTER_BOUND_CHECKER(e->arg);
		if (is_read(t, e, sites))
			s.kind = PATH_READ;
	}
	if (s.kind != MUSTER_EV_CONCRETE || p->exact)
		s.site = sites_find(sites, e->unit, e->index, exec);
	if (!read_check(p, &s, sites))
		return;
	if (s.kind == MUSTER_EV_SWITCH)
		s.outcome = sites_switch(&sites->decisions.data[s.site],
					 (uint64_t)trace_value(t, e->label));
	s.self = self_of(e->unit, e->index, s.outcome);
	if (s.kind == PATH_READ) { /* it is the condition that says what was found */
		const struct muster_node *n = &t->nodes[e->label];
		s.self = hash_mix(s.self ^ n->k ^ (uint64_t)n->op << 56);
		p->reads = hash_mix(p->reads ^ p->digest ^ s.self);
	}
	if (s.kind == MUSTER_EV_BOUND || s.kind == PATH_CHECK) {
		s.nth = ++p->bounds;
		s.self = hash_mix(s.self + s.nth);
		if (!p->exact && !s.free && path_broke(&s))
			p->reads = hash_mix(p->reads ^ p->digest ^ s.self);
		if (p->exact && !s.free) { /* the size of the object that was there in this run is part of it */
			const struct muster_node *n = &t->nodes[e->label];
			s.self = hash_mix(s.self ^ n->k ^ (uint64_t)n->op << 56);
			p->reads = hash_mix(p->reads ^ p->digest ^ s.self);
		}
	}
	if (s.kind == MUSTER_EV_CONCRETE && p->exact) {
		s.self = hash_mix(s.self + ++p->bounds);
		p->reads = hash_mix(p->reads ^ p->digest ^
				    hash_mix(s.self ^ (uint64_t)trace_value(t, e->label)));
	}
	if (path_decides(&s)) {
		p->digest = hash_mix(p->digest ^ s.self);
		p->decisions++;
		p->bounds = 0;
	}
	p->pins += !s.free && (e->kind == MUSTER_EV_CONCRETE || e->kind == MUSTER_EV_BOUND || s.kind == PATH_CHECK);
	vec_push(&p->steps, s);
}

static int is_condition(const struct muster_event *e)
{
	return e->label && (e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH || e->kind == MUSTER_EV_CONCRETE || e->kind == MUSTER_EV_BOUND || e->kind == MUSTER_EV_GIVEN);
}

void path_read(struct path *p, const struct trace *t, struct sites *sites, const struct exec *exec,
	       uint64_t limit)
{
	vec_clear(&p->steps);
	vec_clear(&p->entries);
	p->decisions = p->bounds = 0;
	p->digest = p->reads = p->concretisations = p->stale = p->orders = p->threads = p->unseen = p->pins = 0;
	p->cut = p->assumed = p->sized = 0;
	p->reads = p->skip ? p->unfolded : 0;
	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		if (is_condition(e) && p->skip && p->skip(p->skip_ctx, i))
			continue;
		switch (e->kind) {
		case MUSTER_EV_CAP:
		case MUSTER_EV_FULL:
			p->cut = 1;
			break;
		case MUSTER_EV_THREAD: /* runs concretely: what it does with the input no trace says */
		case MUSTER_EV_FORK:
			p->threads++;
			break;
		case MUSTER_EV_LOST:
			p->unseen++;
			break;
		case MUSTER_EV_STALE:
			p->stale++;
			break;
		case MUSTER_EV_ALLOC:
			p->sized = 1;
			break;
		case MUSTER_EV_ENTRY:
			if (!e->arg)
				vec_push(&p->entries, (struct path_entry){i, (uint32_t)p->steps.size});
			break;
		case MUSTER_EV_END:
			p->assumed = e->arg == MUSTER_END_ASSUME;
			p->threads += e->arg == MUSTER_END_EXEC;
			break;
		case MUSTER_EV_CONCRETE:
			if (e->arg == MUSTER_REASON_ORDER) { /* it fixes nothing */
				p->orders++;
				break;
			}
			p->concretisations++; /* fall through */
		case MUSTER_EV_BOUND:
		case MUSTER_EV_GIVEN:
		case MUSTER_EV_BRANCH:
		case MUSTER_EV_SWITCH:
			if (e->label)
				add_step(p, t, e, sites, exec);
			break;
		default:
			break;
		}
		if (limit && p->steps.size >= limit) {
			p->cut = 1;
			return;
		}
	}
}

uint64_t path_key(const struct path *p)
{
	uint64_t key = p->digest ^ p->reads;
	if (p->assumed) /* which of several assumptions it was */
		key = hash_mix(key + 1 +
			       (p->steps.size ? p->steps.data[p->steps.size - 1].self : 0));
	return key + !key;
}

/* The value switched on leads to this outcome: one of the cases, or none of them. */
static expr_t switch_goal(const struct sites_decision *d, expr_t value, uint32_t outcome,
			  struct exprs *p)
{
	unsigned width = expr_width(p, value);
	if (outcome)
		return expr_eq(p, value, expr_const(p, width, d->values[outcome]));
	expr_t e = expr_true(p);
	for (uint32_t i = 1; i < d->outcomes; i++)
		e = expr_and(p, e,
			     expr_not(p, expr_eq(p, value, expr_const(p, width, d->values[i]))));
	return e;
}

expr_t path_goal(const struct path_step *s, uint32_t outcome, struct import *im,
		 const struct sites *sites)
{
	expr_t e = import_label(im, s->label);
	if (s->kind == MUSTER_EV_CONCRETE)
		return expr_eq(im->pool, e,
			       expr_const(im->pool, expr_width(im->pool, e),
					  trace_value(im->trace, s->label)));
	if (s->kind != MUSTER_EV_SWITCH)
		return outcome ? e : expr_not(im->pool, e);
	const struct sites_decision *d = &sites->decisions.data[s->site];
	if (d->values)
		return switch_goal(d, e, outcome, im->pool);
	return expr_eq(
	    im->pool, e,
	    expr_const(im->pool, expr_width(im->pool, e), trace_value(im->trace, s->label)));
}

expr_t path_constraint(const struct path_step *s, struct import *im, const struct sites *sites)
{
	if (s->free)
		return expr_true(im->pool);
	return path_goal(s, s->outcome, im, sites);
}

enum path_match path_compare(const struct path_step *s, uint32_t outcome, const struct path *child,
			     uint32_t *child_at)
{
	const struct path_step *at = NULL;
	size_t low = 0, high = child->steps.size;
	while (low <
	       high) { /* ordinals ascend; of several steps with one, the decision is the last */
		size_t mid = low + (high - low) / 2;
		if (child->steps.data[mid].ordinal <= s->ordinal)
			low = mid + 1;
		else
			high = mid;
	}
	if (low)
		at = &child->steps.data[low - 1];
	if (child_at)
		*child_at = low ? (uint32_t)(low - 1) : 0;
	if (!path_decides(s)) { /* it need only come there: what it found is not compared */
		int there = at && at->ordinal == s->ordinal ? at->prefix == s->prefix
							    : child->digest == s->prefix;
		return there && child->decisions >= s->ordinal ? PATH_REACHED : PATH_EARLIER;
	}
	if (!at || at->ordinal < s->ordinal || !path_decides(at))
		return child->decisions <= s->ordinal && child->digest == s->prefix ? PATH_SHORT
										    : PATH_EARLIER;
	if (at->prefix != s->prefix || at->site != s->site)
		return PATH_EARLIER;
	return at->outcome == outcome ? PATH_REACHED : PATH_OTHER;
}
