/* ic_cut.c: IC-Cut: which function is explored, with which tests, and which of their decisions are open.
 *
 * Algorithm 1 of the document, with these differences. Functions are taken by components of the call graph, so each comes after all its callees (ic_graph.c). A function
 * that is found while another is explored goes first, and the other goes on where it was: what it found is kept. A test is explored for one function with bound 0;
 * that a negation was made before is known to the whole search (policy.c), so nothing is asked twice. Two tests that differ only inside reused
 * calls are one: the decisions that are open have the same digest. Constraints inside reused calls stay on the path; where they make the answer no, the question is asked again
 * without them (expand.c, relaxed).
 *
 * What is left out is a loss, once for the whole search: a search by IC-Cut is never exhaustive.
 */
#include "search/ic_cut.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "search/ic_graph.h"
#include "search/ic_probe.h"

#include <string.h>

#define SEEDS LIMIT(24, 1) /* tests that a function's exploration begins with | by hand */
#define CONTEXTS LIMIT(4, 1) /* summaries of one function | by hand */
#define TESTS LIMIT(200000, 64) /* that are kept in memory; more are dropped | some hundred megabytes */
#define RESTARTS LIMIT(16, 1) /* late mismatches after which a function's callees are all inlined | by hand */

struct ic_test {
	struct search_test t; /* its bytes are the arena's */
	ic_numbers functions; /* that it calls, ascending */
	int traced;
};

/* A test in the queue of a function. */
struct ic_entry {
	uint32_t test, stage;
	uint64_t bound;
	double rank;
	uint8_t *closed; /* of each step of its path: CLOSED, REUSED; NULL: not looked at */
	size_t steps;
};
enum {
	CLOSED = 1,
	REUSED = SEARCH_APART,
};

struct ic_unit {
	uint32_t function;
	VEC(struct ic_entry) queue;
	struct map tests; /* that are or were in the queue */
	struct map paths; /* digests of open decisions */
	struct map runs;  /* digests of all decisions inside the call, of tests whose interface was looked at */
	struct ic_context context;
	double spent;
	uint64_t losses, subsumed;
	VEC(uint32_t) others; /* tests that call it in another context */
	int looked;	 /* at an activation of it */
	int constrained; /* an input is tied, or paths do not agree */
	int inexact;
	int decisions; /* open ones were seen */
	unsigned restarts;
};

struct ic_function {
	enum ic_outcome outcome;
	int done, invalid;
	int root; /* nobody calls it */
	unsigned contexts; /* that were explored */
	unsigned outputs; /* that callers tested: 1 a result, 2 memory */
	VEC(struct ic_context) summaries;
	int rests; /* it reused what has an output or a pointer, or was not explored to the end */
};

struct ic {
	struct arena bytes;
	struct ic_graph graph;
	VEC(struct ic_function) functions;
	VEC(struct ic_test) tests;
	VEC(struct ic_unit) units; /* the last is explored; the others wait for it */
	ic_numbers order, saw;
	size_t ordered; /* edges when `order` was made */
	int learned;
	/* Of the expansion that is done now: */
	struct ic_entry *entry;
	const struct calls *calls;
	uint32_t unit_call;
	int duplicate;
};

/* ---------------------------------------------------------------- life time */

struct ic *ic_new(void)
{
	return mem_zalloc(sizeof(struct ic));
}

static void entry_release(struct ic_entry *e)
{
	free(e->closed);
	e->closed = NULL;
}

static void unit_release(struct ic_unit *u)
{
	for (size_t i = 0; i < u->queue.size; i++)
		entry_release(&u->queue.data[i]);
	vec_release(&u->queue);
	map_release(&u->tests);
	map_release(&u->paths);
	map_release(&u->runs);
	vec_release(&u->others);
	ic_context_release(&u->context);
}

static void forget_summaries(struct ic_function *f)
{
	for (size_t i = 0; i < f->summaries.size; i++)
		ic_context_release(&f->summaries.data[i]);
	vec_release(&f->summaries);
}

void ic_free(struct ic *ic)
{
	if (!ic)
		return;
	for (size_t i = 0; i < ic->units.size; i++)
		unit_release(&ic->units.data[i]);
	for (size_t i = 0; i < ic->functions.size; i++)
		forget_summaries(&ic->functions.data[i]);
	for (size_t i = 0; i < ic->tests.size; i++)
		vec_release(&ic->tests.data[i].functions);
	vec_release(&ic->units);
	vec_release(&ic->functions);
	vec_release(&ic->tests);
	vec_release(&ic->order);
	vec_release(&ic->saw);
	ic_graph_release(&ic->graph);
	arena_release(&ic->bytes);
	free(ic);
}

/* ----------------------------------------------------------------- learning */

static int is_own(const struct search *s, uint32_t unit)
{
	uint32_t count;
	const struct exec_unit *units = exec_units(s->t.exec, &count);
	for (uint32_t i = 0; i < count; i++)
		if (units[i].unit == unit)
			return 1;
	return 0;
}

static uint32_t function_of(struct ic *ic, uint32_t unit, uint32_t index)
{
	uint32_t n = ic_graph_function(&ic->graph, (uint64_t)unit << 32 | index);
	while (ic->functions.size <= n)
		vec_push(&ic->functions, (struct ic_function){.outcome = IC_OUTCOME_OPEN});
	return n;
}

static void note_number(ic_numbers *list, uint32_t n)
{
	for (size_t i = 0; i < list->size; i++)
		if (list->data[i] == n)
			return;
	vec_push(list, n);
}

/* Functions and calls of a run; bodies of libc belong to who calls them. */
static void learn_calls(struct search *s, const struct calls *c, ic_numbers *met)
{
	struct ic *ic = s->next.ic;
	VEC(uint32_t) number = {0};
	for (size_t i = 0; i < c->list.size; i++) {
		const struct call *x = &c->list.data[i];
		uint32_t n = is_own(s, x->unit) ? function_of(ic, x->unit, x->index) : CALLS_NONE;
		uint32_t caller = x->parent == CALLS_NONE || !number.size ? CALLS_NONE : number.data[x->parent];
		if (n != CALLS_NONE && caller == CALLS_NONE)
			ic->functions.data[n].root = 1;
		if (n == CALLS_NONE)
			n = caller;
		else if (caller != CALLS_NONE)
			ic_graph_call(&ic->graph, caller, n);
		if (n != CALLS_NONE)
			note_number(met, n);
		vec_push(&number, n);
	}
	vec_release(&number);
}

void ic_saw(struct search *s, const struct trace *t)
{
	struct calls c = {0};
	vec_clear(&s->next.ic->saw);
	if (!calls_read(&c, t))
		learn_calls(s, &c, &s->next.ic->saw);
	calls_release(&c);
}

static struct ic_unit *now_unit(struct ic *ic)
{
	return ic->units.size ? &vec_last(&ic->units) : NULL;
}

static int calls_function(const struct ic_test *t, uint32_t function)
{
	for (size_t i = 0; i < t->functions.size; i++)
		if (t->functions.data[i] == function)
			return 1;
	return 0;
}

static void enqueue(struct ic *ic, struct ic_unit *u, uint32_t test, uint64_t bound, uint32_t stage)
{
	if (map_set(&u->tests, test, 1))
		vec_push(&u->queue, (struct ic_entry){.test = test, .stage = stage, .bound = bound, .rank = ic->tests.data[test].t.rank});
}

void ic_kept(struct search *s, const struct search_test *t)
{
	struct ic *ic = s->next.ic;
	struct ic_test x = {.t = *t};
	if (ic->tests.size >= TESTS) {
		search_lose(s, LOSS_DROPPED);
		return;
	}
	uint8_t *copy = arena_alloc(&ic->bytes, t->size + 1);
	if (t->size)
		memcpy(copy, t->data, t->size);
	x.t.data = copy;
	if (t->origin == ORIGIN_SOLVED && ic->saw.size) {
		for (size_t i = 0; i < ic->saw.size; i++)
			vec_push(&x.functions, ic->saw.data[i]);
		x.traced = 1;
	}
	vec_push(&ic->tests, x);
	struct ic_unit *u = now_unit(ic);
	if (u && x.traced && calls_function(&vec_last(&ic->tests), u->function))
		enqueue(ic, u, (uint32_t)ic->tests.size - 1, t->bound, t->stage < STAGE_DONE ? t->stage : STAGE_UNCOVERED);
}

/* Which functions a test calls. 0, -1. */
static int trace_test(struct search *s, struct ic_test *x)
{
	struct run_result run;
	struct trace t;
	x->traced = 1;
	int r = search_trace(s, s->t.parent, s->t.parent_shm, x->t.data, x->t.size, &run, &t);
	if (r)
		return r < 0 ? -1 : 0;
	ic_saw(s, &t);
	trace_release(&t);
	for (size_t i = 0; i < s->next.ic->saw.size; i++)
		vec_push(&x->functions, s->next.ic->saw.data[i]);
	return 0;
}

/* 0; 1: the slice ended before; -1. */
static int learn(struct search *s)
{
	struct ic *ic = s->next.ic;
	for (size_t i = 0; i < ic->tests.size; i++) {
		if (ic->tests.data[i].traced)
			continue;
		if (trace_test(s, &ic->tests.data[i]))
			return -1;
		if (search_paused(s))
			return 1;
	}
	if (!ic->learned)
		search_lose(s, LOSS_SKIPPED);
	ic->learned = 1;
	return 0;
}

/* -------------------------------------------------------------------- units */

static uint64_t all_losses(const struct search *s)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < LOSS_COUNT; i++)
		sum += s->losses.count[i];
	return sum;
}

/* The tests that it begins with: those that cover something first, at most SEEDS. */
static void seed_unit(struct ic *ic, struct ic_unit *u)
{
	unsigned count = 0;
	for (int covers = 1; covers >= 0; covers--)
		for (size_t i = 0; i < ic->tests.size && count < SEEDS; i++) {
			const struct ic_test *x = &ic->tests.data[i];
			if ((x->t.flags & TEST_COVERS ? 1 : 0) != covers || (!covers && count) || !calls_function(x, u->function))
				continue;
			count++;
			enqueue(ic, u, (uint32_t)i, 0, STAGE_UNCOVERED);
		}
}

static void begin_unit(struct search *s, uint32_t function)
{
	struct ic *ic = s->next.ic;
	struct ic_unit u = {.function = function, .losses = all_losses(s), .subsumed = s->stats.subsumed};
	seed_unit(ic, &u);
	vec_push(&ic->units, u);
}

static void count_outcome(struct search *s, enum ic_outcome o, int by)
{
	uint64_t *const figures[IC_OUTCOME_COUNT] = {[IC_OUTCOME_EXHAUSTED] = &s->stats.ic_exhausted,
						     [IC_OUTCOME_SUMMARISED] = &s->stats.ic_summarised,
						     [IC_OUTCOME_OUTPUTS] = &s->stats.ic_outputs,
						     [IC_OUTCOME_CONSTRAINED] = &s->stats.ic_constrained,
						     [IC_OUTCOME_OUT_OF_TIME] = &s->stats.ic_out_of_time,
						     [IC_OUTCOME_PLAIN] = &s->stats.ic_plain};
	if (figures[o])
		*figures[o] += (uint64_t)(int64_t)by;
}

static void set_outcome(struct search *s, struct ic_function *f, enum ic_outcome o)
{
	count_outcome(s, f->outcome, -1);
	count_outcome(s, o, 1);
	f->outcome = o;
}

/* Is its exploration complete and without a loss, and does it rest on nothing that is not? */
static int is_exact(const struct search *s, const struct ic_unit *u, const struct ic_function *f, int over)
{
	return !over && !u->inexact && !f->rests && u->losses == all_losses(s) && u->subsumed == s->stats.subsumed &&
	       !ic_context_has_length(&u->context);
}

/* Has the exploration come to an end, or to its limit: what became of the function? */
static void end_unit(struct search *s, int over)
{
	struct ic *ic = s->next.ic;
	struct ic_unit *u = now_unit(ic);
	struct ic_function *f = &ic->functions.data[u->function];
	int exact = is_exact(s, u, f, over);
	f->done = 1;
	if (f->summaries.size && (u->constrained || !u->looked || !u->decisions)) {
		; /* another context has a summary */
	} else if (!u->decisions) {
		set_outcome(s, f, IC_OUTCOME_PLAIN);
	} else if (u->constrained || !u->looked) {
		set_outcome(s, f, IC_OUTCOME_CONSTRAINED);
	} else if (f->invalid) {
		set_outcome(s, f, IC_OUTCOME_OUTPUTS);
	} else if (over && !s->o.ic_summarise) {
		set_outcome(s, f, IC_OUTCOME_OUT_OF_TIME);
	} else if (f->summaries.size < CONTEXTS) {
		u->context.partial = !exact;
		vec_push(&f->summaries, u->context);
		memset(&u->context, 0, sizeof u->context);
		set_outcome(s, f, exact ? IC_OUTCOME_EXHAUSTED : IC_OUTCOME_SUMMARISED);
	}
	f->rests |= !exact;
	struct ic_unit more = {.function = u->function, .losses = all_losses(s), .subsumed = s->stats.subsumed};
	int again = u->others.size && ++f->contexts < CONTEXTS && !f->invalid;
	for (size_t i = 0; i < u->others.size && again; i++)
		enqueue(ic, &more, u->others.data[i], 0, STAGE_UNCOVERED);
	unit_release(u);
	ic->units.size--;
	if (again) { /* the same function once more, as it is called in another context */
		f->done = 0;
		vec_push(&ic->units, more);
	}
}

/* Callers tested more than one of its outputs: it is inlined from here on, and the function that is explored begins again, with what it found. */
static void invalidate(struct search *s, uint32_t callee)
{
	struct ic *ic = s->next.ic;
	struct ic_function *f = &ic->functions.data[callee];
	struct ic_unit *u = now_unit(ic);
	f->invalid = 1;
	forget_summaries(f);
	set_outcome(s, f, IC_OUTCOME_OUTPUTS);
	s->stats.ic_restarts++;
	u->restarts++;
	ic_context_release(&u->context);
	map_clear(&u->paths);
	map_clear(&u->runs);
	uint64_t test, value;
	size_t at = 0;
	struct map tests = u->tests;
	u->tests = (struct map){0};
	for (size_t i = 0; i < u->queue.size; i++)
		entry_release(&u->queue.data[i]);
	vec_clear(&u->queue);
	while (map_next(&tests, &at, &test, &value))
		enqueue(ic, u, (uint32_t)test, 0, STAGE_UNCOVERED);
	map_release(&tests);
}

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
	if (c->begin < unit->begin || c->end > unit->end || c->end == CALLS_OPEN || now_unit(ic)->restarts > RESTARTS)
		return 0;
	if (!map_get(&ic->graph.numbers, (uint64_t)c->unit << 32 | c->index, &n) || n == now_unit(ic)->function)
		return 0;
	const struct ic_function *f = &ic->functions.data[n];
	for (size_t i = 0; i < f->summaries.size; i++)
		if (ic_context_match(&f->summaries.data[i], &call->inputs) != IC_MISMATCH) {
			/* A summary without pointers and outputs that was explored to the end leaves nothing out (Theorem 2). */
			if (f->rests || ic_context_has_pointer(&f->summaries.data[i]) || call->outputs.size || f->summaries.data[i].partial)
				ic->functions.data[now_unit(ic)->function].rests = 1;
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
	add_function(s, ic->graph.functions.data[now_unit(ic)->function], list, &count);
	for (size_t i = 0; i < ic->functions.size; i++)
		if (ic->functions.data[i].summaries.size && i != now_unit(ic)->function)
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

/* The number of a callee with more than one output; CALLS_NONE: there is none. */
static uint32_t note_outputs(struct ic *ic, const struct calls *c, const struct ic_call *call)
{
	const struct call *x = &c->list.data[call->call];
	uint64_t n;
	if (!map_get(&ic->graph.numbers, (uint64_t)x->unit << 32 | x->index, &n))
		return CALLS_NONE;
	struct ic_function *f = &ic->functions.data[n];
	for (size_t i = 0; i < call->outputs.size; i++)
		f->outputs |= call->outputs.data[i] < MUSTER_MAX_SOURCES ? 1u : 2u;
	return call->outputs.size > 1 || f->outputs == 3 ? (uint32_t)n : CALLS_NONE;
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
	int is_root = s->next.ic->functions.data[now_unit(s->next.ic)->function].root;
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
	struct ic_unit *u = now_unit(ic);
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
			late = note_outputs(ic, &c, &p.list.data[i]);
			close_frame(s, e, p.list.data[i].call + 1);
		}
		close_fresh(s, x, &p, e);
	}
	ic_probe_release(&p);
	calls_release(&c);
	ic->calls = NULL;
	if (late != CALLS_NONE) {
		ic->duplicate = 1; /* the queue was made anew, with this test in it */
		invalidate(s, late);
	}
}

/* ------------------------------------------------------------ open decisions */

/* The first call of the unit's function on the path; 0: there is none. */
static uint32_t unit_frame(const struct search *s, uint32_t function)
{
	const struct frames *f = &s->now.frames;
	uint64_t key = s->next.ic->graph.functions.data[function];
	for (uint32_t i = 1; i < f->list.size; i++)
		if (((uint64_t)f->list.data[i].unit << 32 | f->list.data[i].index) == key)
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

/* Which steps of the test's path are open. 0, -1. */
static int look(struct search *s, struct expansion *x, struct ic_entry *e)
{
	struct ic *ic = s->next.ic;
	struct ic_unit *u = now_unit(ic);
	uint32_t frame = unit_frame(s, u->function);
	int any = 0;
	e->steps = s->now.parent.steps.size;
	e->closed = mem_alloc(e->steps + 1);
	memset(e->closed, CLOSED, e->steps + 1);
	if (!frame)
		return 0;
	const struct frame *f = &s->now.frames.list.data[frame];
	for (uint32_t i = f->first; i < f->end && i < e->steps; i++) {
		e->closed[i] = 0;
		any |= path_decides(&s->now.parent.steps.data[i]);
	}
	if (!any)
		return 0;
	u->decisions = 1;
	if (!map_set(&u->runs, open_digest(s, e), 1)) { /* the same path through it: all else would be the same */
		ic->duplicate = 1;
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
	if (!ic->duplicate && !map_set(&u->paths, open_digest(s, e), 1))
		ic->duplicate = 1;
	return 0;
}

static void plan(struct search *s, struct expansion *x, wanted_list *out)
{
	struct ic *ic = s->next.ic;
	struct ic_entry *e = ic->entry;
	if (e->closed && e->steps != s->now.parent.steps.size)
		entry_release(e);
	if (!e->closed && look(s, x, e))
		return;
	if (ic->duplicate)
		return;
	x->apart = e->closed;
	search_plan(s, x, out);
	size_t kept = 0;
	for (size_t i = 0; i < out->size; i++)
		if (!(e->closed[out->data[i].step] & CLOSED))
			out->data[kept++] = out->data[i];
	out->size = kept;
}

/* ------------------------------------------------------------------- slices */

static size_t best_entry(const struct ic_unit *u)
{
	size_t best = 0;
	for (size_t i = 1; i < u->queue.size; i++) {
		const struct ic_entry *a = &u->queue.data[i], *b = &u->queue.data[best];
		if (a->stage < b->stage || (a->stage == b->stage && a->rank > b->rank))
			best = i;
	}
	return best;
}

/* Explores one test further. 0, -1. */
static int explore(struct search *s)
{
	struct ic *ic = s->next.ic;
	struct ic_unit *u = now_unit(ic);
	size_t at = best_entry(u);
	struct ic_entry e = u->queue.data[at];
	struct search_test t = ic->tests.data[e.test].t;
	struct buf data = {0};
	double before = search_cost(s);
	u->queue.data[at] = vec_last(&u->queue);
	u->queue.size--;
	t.stage = e.stage;
	t.bound = e.bound;
	buf_add(&data, t.data, t.size);
	ic->entry = &e;
	ic->duplicate = 0;
	int r = search_expand(s, &t, &data);
	ic->entry = NULL;
	buf_release(&data);
	u = now_unit(ic);
	u->spent += search_cost(s) - before;
	e.stage = t.stage;
	if (r >= 0 && !ic->duplicate && e.stage < STAGE_DONE) {
		e.rank = search_rank(s, &t);
		vec_push(&u->queue, e);
	} else {
		entry_release(&e);
	}
	return r < 0 ? -1 : 0;
}

/* The function to be explored now: the first in the order that is not done. CALLS_NONE: all are. */
static uint32_t next_function(struct ic *ic)
{
	size_t edges = ic->graph.edges.size + ic->graph.functions.size;
	if (edges != ic->ordered) {
		ic_graph_order(&ic->graph, &ic->order);
		ic->ordered = edges;
	}
	for (size_t i = 0; i < ic->order.size; i++)
		if (!ic->functions.data[ic->order.data[i]].done)
			return ic->order.data[i];
	return CALLS_NONE;
}

/* A unit that waits below the last one (a cycle that was found late) changes places with it. 1; 0: there is none of this function. */
static int take_up(struct ic *ic, uint32_t function)
{
	struct ic_unit *all = ic->units.data;
	for (size_t i = 0; all && i + 1 < ic->units.size; i++)
		if (all[i].function == function) {
			struct ic_unit found = all[i];
			all[i] = all[ic->units.size - 1];
			all[ic->units.size - 1] = found;
			return 1;
		}
	return 0;
}

/* Ends, begins or takes up units. 1: there is one to explore; 0: all is done. */
static int settle(struct search *s)
{
	struct ic *ic = s->next.ic;
	for (;;) {
		struct ic_unit *u = now_unit(ic);
		uint32_t next = next_function(ic);
		if (u && next == u->function) { /* else something below it is new */
			int over = u->spent >= s->o.ic_seconds;
			if (u->queue.size && !over && !(u->constrained && !ic->functions.data[u->function].root))
				return 1;
			end_unit(s, over);
			continue;
		}
		if (next == CALLS_NONE)
			return 0;
		if (!take_up(ic, next))
			begin_unit(s, next);
	}
}

static int slice(struct search *s)
{
	int r = learn(s);
	if (r > 0)
		return 1;
	while (!r) {
		if (!settle(s))
			return 0;
		r = explore(s);
		if (!r && search_paused(s))
			return 1;
	}
	return -1;
}

static int is_ic(const struct search *s)
{
	return s->next.ic != NULL;
}

const struct strategy strategy_ic = {.name = "ic-cut", .ready = is_ic, .slice = slice, .plan = plan, .least = 0.5};
