/* ic_unit.c: IC-Cut: which function is explored, with which tests, and what becomes of it.
 *
 * Functions are taken by components of the call graph, so each comes after all its callees (ic_graph.c). A function that is found while another is explored goes first, and the other goes on where it was: what it
 * found is kept. So units are a stack, of which the last is explored.
 */
#include "search/ic_inside.h"

#include <string.h>

#define SEEDS LIMIT(24, 1) /* tests that a function's exploration begins with | by hand */
#define CONTEXTS LIMIT(4, 1) /* summaries of one function | by hand */

void ic_unit_release(struct ic_unit *u)
{
	for (size_t i = 0; i < u->queue.size; i++)
		ic_entry_release(&u->queue.data[i]);
	vec_release(&u->queue);
	map_release(&u->tests);
	map_release(&u->paths);
	map_release(&u->runs);
	vec_release(&u->others);
	ic_context_release(&u->context);
}

void ic_forget_summaries(struct ic_function *f)
{
	for (size_t i = 0; i < f->summaries.size; i++)
		ic_context_release(&f->summaries.data[i]);
	vec_release(&f->summaries);
}

struct ic_unit *ic_unit_now(struct ic *ic)
{
	return ic->units.size ? &vec_last(&ic->units) : NULL;
}

void ic_unit_add(struct ic *ic, struct ic_unit *u, uint32_t test, uint64_t bound, uint32_t stage)
{
	if (map_set(&u->tests, test, 1))
		vec_push(&u->queue, (struct ic_entry){.test = test, .stage = stage, .bound = bound, .rank = ic->tests.data[test].t.rank});
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
			if ((x->t.flags & TEST_COVERS ? 1 : 0) != covers || (!covers && count) || !ic_calls(x, u->function))
				continue;
			count++;
			ic_unit_add(ic, u, (uint32_t)i, 0, STAGE_UNCOVERED);
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
	struct ic_unit *u = ic_unit_now(ic);
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
		ic_unit_add(ic, &more, u->others.data[i], 0, STAGE_UNCOVERED);
	ic_unit_release(u);
	ic->units.size--;
	if (again) { /* the same function once more, as it is called in another context */
		f->done = 0;
		vec_push(&ic->units, more);
	}
}

/* Callers tested more than one of its outputs: it is inlined from here on, and the function that is explored begins again, with what it found. */
void ic_unit_invalidate(struct search *s, uint32_t callee)
{
	struct ic *ic = s->next.ic;
	struct ic_function *f = &ic->functions.data[callee];
	struct ic_unit *u = ic_unit_now(ic);
	f->invalid = 1;
	ic_forget_summaries(f);
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
		ic_entry_release(&u->queue.data[i]);
	vec_clear(&u->queue);
	while (map_next(&tests, &at, &test, &value))
		ic_unit_add(ic, u, (uint32_t)test, 0, STAGE_UNCOVERED);
	map_release(&tests);
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
int ic_unit_settle(struct search *s)
{
	struct ic *ic = s->next.ic;
	for (;;) {
		struct ic_unit *u = ic_unit_now(ic);
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
