/* ic_cut.c: IC-Cut: which decisions of a test's path are open, and the strategy itself.
 *
 * Algorithm 1 of the document, with these differences. Functions are taken in another order, and what an exploration found is kept when another goes first (ic_unit.c). A test is explored for one function with bound 0;
 * that a negation was made before is known to the whole search (policy.c), so nothing is asked twice. Two tests that differ only inside reused
 * calls are one: the decisions that are open have the same digest. Constraints inside reused calls stay on the path; where they make the answer no, the question is asked again
 * without them (expand.c, relaxed).
 *
 * What is left out is a loss, once for the whole search: a search by IC-Cut is never exhaustive.
 */
#include "search/ic_cut.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/log.h"
#include "search/ic_inside.h"
#include "search/ic_probe.h"
#include "search/ic_tied.h"

#include <inttypes.h>
#include <string.h>

#define TURN 10 /* rank that a long path loses, so that others go first now and then | as in negate.c */
#define ANSWERS LIMIT(4, 1) /* values of an output that is an answer; with more it is data | success, failure and kinds of it */
#define RESTARTS LIMIT(16, 1) /* late mismatches after which a function's callees are all inlined | by hand (tries) */

/* ---------------------------------------------------------------- interfaces */

/* Decisions over what was tied there are this caller's. */
static void hold_inputs(const struct ic_context *summary, ic_inputs *now)
{
	for (size_t i = 0; i < now->size; i++) {
		const struct ic_input *old = ic_context_find(summary, now->data[i].key);
		now->data[i].held = old && old->kind == IC_TIED;
	}
}

static int decide(void *ctx, struct ic_call *call)
{
	struct search *s = ctx;
	struct ic *ic = s->next.ic;
	const struct call *c = &ic->calls->list.data[call->call], *unit = &ic->calls->list.data[ic->unit_call];
	uint64_t n;
	if (c->begin < unit->begin || c->end > unit->end || c->end == CALLS_OPEN || ic_unit_now(ic)->restarts > RESTARTS)
		return 0;
	if (!map_get(&ic->graph.numbers, (uint64_t)c->unit << 32 | c->index, &n) || n == ic_unit_now(ic)->function)
		return 0;
	const struct ic_function *f = &ic->functions.data[n];
	for (size_t i = 0; i < f->summaries.size; i++)
		if (!f->summaries.data[i].away && ic_context_match(&f->summaries.data[i], &call->inputs) != IC_MISMATCH) {
			/* A summary without pointers and outputs that was explored to the end leaves nothing out (Theorem 2). */
			if (f->rests || ic_context_has_pointer(&f->summaries.data[i]) || call->outputs.size || f->summaries.data[i].partial)
				ic->functions.data[ic_unit_now(ic)->function].rests = 1;
			hold_inputs(&f->summaries.data[i], &call->inputs);
			return 1;
		}
	return 0;
}

static void add_function(const struct search *s, uint64_t function, struct muster_function *list, size_t *count)
{
	struct site_function f;
	if (*count < SHM_FUNCTIONS && site_find_function(s->t.sites, (uint32_t)(function >> 32), (uint32_t)function, &f)) {
		uint64_t first = (uint64_t)f.unit << 32 | f.first;
		list[(*count)++] = (struct muster_function){first, first + f.count};
	}
}

/* The unit and whatever has a summary. */
static int name_functions(struct search *s)
{
	struct ic *ic = s->next.ic;
	struct muster_function *list = mem_alloc(SHM_FUNCTIONS * sizeof *list);
	size_t count = 0;
	add_function(s, ic->graph.functions.data[ic_unit_now(ic)->function], list, &count);
	for (size_t i = 0; i < ic->functions.size; i++)
		if (ic_has_summary(&ic->functions.data[i]) && i != ic_unit_now(ic)->function)
			add_function(s, ic->graph.functions.data[i], list, &count);
	int e = shm_set_functions(s->t.child_shm, list, count);
	free(list);
	return e;
}

/* The run once more, in summary mode. 0; 1: there is no trace; -1. */
static int run_probe(struct search *s, const struct expansion *x, struct trace *t)
{
	struct run_result run;
	struct shm *shm = s->t.child_shm;
	uint32_t flags = shm->options.flags;
	if (name_functions(s))
		return -1;
	shm->options.flags |= MUSTER_FLAG_SUMMARIES | MUSTER_FLAG_OUTPUTS;
	int r = search_trace(s, s->t.child, shm, x->data, x->size, &run, t);
	shm->options.flags = flags;
	return r;
}

/* Both runs made the same calls. */
static int same_calls(const struct calls *a, const struct calls *b)
{
	if (a->list.size != b->list.size)
		return 0;
	for (size_t i = 0; i < a->list.size; i++)
		if (a->list.data[i].unit != b->list.data[i].unit || a->list.data[i].index != b->list.data[i].index)
			return 0;
	return 1;
}

static void close_frame(const struct search *s, struct ic_entry *e, uint32_t frame)
{
	const struct frame *f = &s->now.frames.list.data[frame];
	for (uint32_t i = f->first; i < f->end && i < e->steps; i++)
		e->closed[i] |= CLOSED | REUSED;
	e->reused = 1;
}

/* Is it inside another call that is reused? */
static int is_inner(const struct ic_probe *p, const struct calls *c, const struct ic_call *call)
{
	for (size_t i = 0; i < p->list.size; i++) {
		const struct ic_call *o = &p->list.data[i];
		if (o != call && o->reused && c->list.data[o->call].begin < c->list.data[call->call].begin &&
		    c->list.data[o->call].end > c->list.data[call->call].end)
			return 1;
	}
	return 0;
}

/* The number of a callee with more than one output, or with one that is no answer like yes, no or an error but data: what is decided over it could be decided nowhere else. CALLS_NONE: there is none. */
static uint32_t note_reuse(struct ic *ic, const struct calls *c, const struct ic_call *call)
{
	const struct call *x = &c->list.data[call->call];
	uint64_t n;
	if (!map_get(&ic->graph.numbers, (uint64_t)x->unit << 32 | x->index, &n))
		return CALLS_NONE;
	vec_push(&ic_unit_now(ic)->reuses, (struct ic_reuse){ic->entry->test, (uint32_t)n});
	struct ic_function *f = &ic->functions.data[n];
	for (size_t i = 0; i < call->outputs.size; i++) {
		f->outputs |= call->outputs.data[i] < MUSTER_MAX_SOURCES ? 1u : 2u;
		map_set(&f->values, call->values.data[i], 1);
	}
	return call->outputs.size > 1 || f->outputs == 3 || f->values.size > ANSWERS ? (uint32_t)n : CALLS_NONE;
}

/* 0: the call is of another context. */
static int take_interface(struct ic_unit *u, const struct ic_call *own, int hold)
{
	if (ic_context_differs(&u->context, &own->inputs))
		return 0;
	u->looked = 1;
	u->inexact |= own->marked;
	if (own->lost)
		u->constrained = 1;
	for (size_t i = 0; i < own->inputs.size; i++) {
		int tied = own->inputs.data[i].kind == IC_TIED;
		u->inexact |= tied;
		if ((tied && !hold) || ic_context_add(&u->context, &own->inputs.data[i]))
			u->constrained = 1;
	}
	return 1;
}

/* Decisions over outputs alone are never negated; those over inputs that are held are the caller's. The two runs have the same decisions; where they do not, nothing is known of the rest. */
static void close_fresh(const struct search *s, const struct expansion *x, const struct ic_probe *p, struct ic_entry *e)
{
	size_t k = 0, step = 0;
	int is_root = s->next.ic->functions.data[ic_unit_now(s->next.ic)->function].root;
	const struct path *path = &s->now.parent;
	for (uint64_t i = 0; i < x->trace.event_count && k < p->decisions.size; i++) {
		const struct muster_event *v = &x->trace.events[i];
		if ((v->kind != MUSTER_EV_BRANCH && v->kind != MUSTER_EV_SWITCH) || !v->label)
			continue;
		if (v->unit != p->decisions.data[k].unit || v->index != p->decisions.data[k].index)
			return;
		while (step < path->steps.size && path->steps.data[step].event < i)
			step++;
		const struct ic_decision *d = &p->decisions.data[k];
		if (step < e->steps && path->steps.data[step].event == i) {
			if (e->closed[step] & REUSED && d->held)
				e->closed[step] = 0;
			if (d->fresh || (s->o.ic_hold && d->tied && !is_root))
				e->closed[step] |= CLOSED;
		}
		k++;
	}
}

static void use_probe(struct search *s, const struct expansion *x, const struct trace *t, struct ic_entry *e, uint32_t frame)
{
	struct ic *ic = s->next.ic;
	struct ic_unit *u = ic_unit_now(ic);
	struct calls c = {0};
	struct ic_probe p = {0};
	uint32_t late = CALLS_NONE;
	if (calls_read(&c, t) || !same_calls(&c, &s->now.frames.calls)) {
		u->inexact = u->constrained = 1;
		calls_release(&c);
		return;
	}
	ic->calls = &c;
	ic->unit_call = frame - 1;
	if (ic_probe_read(&p, t, &c, ic->unit_call, decide, s)) {
		u->inexact = u->constrained = 1;
	} else {
		const struct ic_call *own = ic_probe_call(&p, ic->unit_call);
		int root = ic->functions.data[u->function].root;
		if (own && !take_interface(u, own, s->o.ic_hold) && !root) {
			vec_push(&u->others, ic->entry->test);
			ic->duplicate = 1;
		}
		for (size_t i = 0; i < p.list.size && late == CALLS_NONE && !ic->duplicate; i++) {
			if (!p.list.data[i].reused || is_inner(&p, &c, &p.list.data[i]))
				continue;
			s->stats.ic_reused++;
			late = note_reuse(ic, &c, &p.list.data[i]);
			close_frame(s, e, p.list.data[i].call + 1);
		}
		close_fresh(s, x, &p, e);
	}
	ic_probe_release(&p);
	calls_release(&c);
	ic->calls = NULL;
	if (late != CALLS_NONE) {
		ic->duplicate = 1; /* it is in the queue again */
		ic_unit_invalidate(s, late);
	}
}
/* ------------------------------------------------------------ open decisions */

static int decides_in(const struct search *s, const struct frame *f)
{
	for (uint32_t i = f->first; i < f->end && i < s->now.parent.steps.size; i++)
		if (path_decides(&s->now.parent.steps.data[i]))
			return 1;
	return 0;
}

/* The first call of the unit's function on the path in which something is decided; 0: there is none. */
static uint32_t unit_frame(const struct search *s, uint32_t function)
{
	const struct frames *f = &s->now.frames;
	uint64_t key = s->next.ic->graph.functions.data[function];
	for (uint32_t i = 1; i < f->list.size; i++)
		if (((uint64_t)f->list.data[i].unit << 32 | f->list.data[i].index) == key && decides_in(s, &f->list.data[i]))
			return i;
	return 0;
}

static uint64_t open_digest(const struct search *s, const struct ic_entry *e)
{
	uint64_t h = 1;
	for (size_t i = 0; i < e->steps; i++) {
		const struct path_step *step = &s->now.parent.steps.data[i];
		if (!(e->closed[i] & CLOSED) && path_decides(step))
			h = hash_mix(h ^ ((uint64_t)step->site << 32 | step->outcome));
	}
	return h;
}

/* A run in summary mode costs many times an ordinary one. Nobody asks for the interface of what the program is called from, so there it is for calls that summaries may stand for. */
static int needs_probe(const struct search *s, const struct ic_unit *u, uint32_t frame)
{
	const struct ic *ic = s->next.ic;
	const struct frames *f = &s->now.frames;
	uint64_t n;
	if (!ic->functions.data[u->function].root)
		return 1;
	for (uint32_t i = frame + 1; i < f->list.size && frames_within(f, i, frame) && u->restarts <= RESTARTS; i++)
		if (map_get(&ic->graph.numbers, (uint64_t)f->list.data[i].unit << 32 | f->list.data[i].index, &n) && ic_has_summary(&ic->functions.data[n]))
			return 1;
	return 0;
}

/* Which steps of the test's path are open. 0, -1. */
static int look(struct search *s, struct expansion *x, struct ic_entry *e)
{
	struct ic *ic = s->next.ic;
	struct ic_unit *u = ic_unit_now(ic);
	uint32_t frame = unit_frame(s, u->function);
	e->steps = s->now.parent.steps.size;
	e->closed = mem_alloc(e->steps + 1);
	memset(e->closed, CLOSED, e->steps + 1);
	if (!frame)
		return 0;
	const struct frame *f = &s->now.frames.list.data[frame];
	for (uint32_t i = f->first; i < f->end && i < e->steps; i++)
		e->closed[i] = 0;
	u->decisions = 1;
	if (!map_set(&u->runs, open_digest(s, e), 1)) { /* the same path through it: all else would be the same */
		ic->duplicate = 1;
		return 0;
	}
	if (!s->o.ic_hold && !ic_at_root(s) && ic_tied(&x->trace, &s->now.parent, f->first, f->end)) {
		u->constrained = ic->duplicate = 1;
		return 0;
	}
	if (!needs_probe(s, u, frame)) {
		u->looked = u->inexact = 1;
		return 0;
	}
	struct trace t;
	int r = run_probe(s, x, &t);
	if (r) {
		u->inexact = u->constrained = 1;
		return r < 0 ? -1 : 0;
	}
	use_probe(s, x, &t, e, frame);
	trace_release(&t);
	if (u->constrained && !ic_at_root(s))
		ic->duplicate = 1; /* its caller explores it */
	if (!ic->duplicate && !map_set(&u->paths, open_digest(s, e), 1))
		ic->duplicate = 1;
	return 0;
}

static void plan(struct search *s, struct expansion *x, wanted_list *out)
{
	struct ic *ic = s->next.ic;
	struct ic_entry *e = ic->entry;
	if (e->closed && e->steps != s->now.parent.steps.size)
		ic_entry_release(e);
	if (!e->closed && look(s, x, e))
		return;
	if (ic->duplicate)
		return;
	x->apart = e->closed;
	x->reused = e->reused;
	search_plan(s, x, out);
	size_t kept = 0;
	for (size_t i = 0; i < out->size; i++)
		if (!(e->closed[out->data[i].step] & CLOSED))
			out->data[kept++] = out->data[i];
	out->size = kept;
}
/* ------------------------------------------------------------------- slices */

/* As in generational search: the rank knows the stage. */
static size_t best_entry(const struct ic_unit *u)
{
	size_t best = 0;
	for (size_t i = 1; i < u->queue.size; i++) {
		if (u->queue.data[i].rank > u->queue.data[best].rank)
			best = i;
	}
	return best;
}

/* Explores one test further. 0, -1. */
static int explore(struct search *s)
{
	struct ic *ic = s->next.ic;
	struct ic_unit *u = ic_unit_now(ic);
	size_t at = best_entry(u);
	struct ic_entry e = u->queue.data[at];
	struct search_test t = ic->tests.data[e.test].t;
	struct buf data = {0};
	uint32_t function = u->function;
	double before = search_used(s);
	uint64_t covered = s->cover.covered;
	u->queue.data[at] = vec_last(&u->queue);
	u->queue.size--;
	t.stage = e.stage;
	t.bound = e.bound;
	buf_add(&data, t.data, t.size);
	if (!e.number || !e.closed) /* new, or its interface is looked at again */
		e.number = ++ic->entries;
	ic->entry = &e;
	ic->duplicate = 0;
	int r = search_expand(s, &t, &data);
	ic->entry = NULL;
	buf_release(&data);
	u = ic_unit_now(ic);
	u->spent += search_used(s) - before;
	ic->functions.data[function].spent += search_used(s) - before;
	ic->functions.data[function].found += s->cover.covered - covered;
	if (s->cover.covered > covered)
		u->gained = u->spent;
	e.stage = t.stage;
	if (r >= 0 && !ic->duplicate && e.stage < STAGE_DONE) {
		e.rank = r == 0 ? search_rank(s, &t) : e.stage == STAGE_ALL ? e.rank - TURN : e.rank;
		vec_push(&u->queue, e);
	} else {
		ic_entry_release(&e);
	}
	return r < 0 ? -1 : 0;
}

static int slice(struct search *s)
{
	int r = ic_learn(s);
	if (r > 0)
		return 1;
	while (!r && !s->next.ic->over) {
		if (!ic_unit_settle(s))
			return 0;
		r = explore(s);
		if (!r && search_paused(s))
			return 1;
	}
	return r ? -1 : 0;
}

int ic_is_on(const struct search *s)
{
	return s->next.ic && s->next.strategy && s->next.strategy->plan == plan;
}

uint64_t ic_entry_number(const struct search *s)
{
	return ic_is_on(s) ? s->next.ic->entry->number : 0;
}

int ic_shares(const struct search *s)
{
	return s->o.ic_shares && ic_is_on(s);
}

int search_cut_is_over(const struct search *s)
{
	return !s->next.ic || s->next.ic->over;
}

static int is_ic(const struct search *s)
{
	return s->next.ic && !s->o.ic_shares;
}

static int is_part(const struct search *s)
{
	return s->next.ic && s->o.ic_shares && !s->next.ic->over;
}

/* The end of it is not that of the search. */
static int slice_part(struct search *s)
{
	uint64_t covered = s->cover.covered;
	int r = slice(s);
	s->stats.ic_found += s->cover.covered - covered;
	if (r == 0 && !s->next.ic->over) {
		s->next.ic->over = 1;
		log_info("strategy: IC-Cut has explored all that it would, with %" PRIu64 " new outcomes: generational search goes on", s->stats.ic_found);
	}
	return r < 0 ? -1 : 1;
}

/* As much as mutation leaves to generational search, since either may be the better one. */
const struct strategy strategy_ic_part = {.name = "ic-cut", .ready = is_part, .slice = slice_part, .plan = plan, .least = 0.1};
const struct strategy strategy_ic = {.name = "ic-cut", .ready = is_ic, .slice = slice, .plan = plan, .least = 0.5};
