/* ic_unit.c: IC-Cut: which function is explored, with which tests, and what becomes of it.
 *
 * Functions are taken by components of the call graph, so each comes after all its callees (ic_graph.c). A function that is found while another is explored goes first, and the other goes on where it was: what it
 * found is kept. So units are a stack, of which the last is explored.
 *
 * The document gives each function its whole time at once. Leaves then use it up on paths that cover nothing, while the code above them waits, and nobody uses that of a function that cannot be summarised. Here functions have their time in
 * rounds, a small part of it first: a unit that is over its part is put aside with its queue, its summary stands for calls meanwhile, and it goes on in the next round, with the tests that others found. And the time of a function that is inlined
 * goes to those who inline it, for they explore its code.
 */
#include "search/ic_inside.h"

#include <string.h>

#define SEEDS LIMIT(24, 1) /* tests that a function's exploration begins with | by hand (tries) */
#define ROUNDS LIMIT(3, 1) /* in which functions have their time | with ROUND_PART the first is a sixteenth of it */
#define ROUND_PART 4 /* of its time that a function has in a round: this part of what it has in the next | by hand (share) */
#define CONTEXTS LIMIT(4, 1) /* summaries of one function | by hand (tries) */

void ic_unit_release(struct ic_unit *u)
{
	for (size_t i = 0; i < u->queue.size; i++)
		ic_entry_release(&u->queue.data[i]);
	vec_release(&u->queue);
	map_release(&u->tests);
	map_release(&u->paths);
	map_release(&u->runs);
	vec_release(&u->others);
	vec_release(&u->reuses);
	ic_context_release(&u->context);
}

void ic_forget_summaries(struct ic_function *f)
{
	for (size_t i = 0; i < f->summaries.size; i++)
		ic_context_release(&f->summaries.data[i]);
	vec_release(&f->summaries);
}

int ic_has_summary(const struct ic_function *f)
{
	for (size_t i = 0; i < f->summaries.size; i++)
		if (!f->summaries.data[i].away)
			return 1;
	return 0;
}

struct ic_unit *ic_unit_now(struct ic *ic)
{
	return ic->units.size ? &vec_last(&ic->units) : NULL;
}

int ic_at_root(const struct search *s)
{
	const struct ic_unit *u = ic_unit_now(s->next.ic);
	return u && s->next.ic->functions.data[u->function].root;
}

void ic_unit_add(const struct search *s, struct ic_unit *u, uint32_t test, uint64_t bound, uint32_t stage)
{
	struct search_test t = s->next.ic->tests.data[test].t;
	t.stage = stage;
	if (map_set(&u->tests, test, 1))
		vec_push(&u->queue, (struct ic_entry){.test = test, .stage = stage, .bound = bound, .rank = search_rank(s, &t)});
}

/* -------------------------------------------------------------------- units */

static uint64_t all_losses(const struct search *s)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < LOSS_COUNT; i++)
		sum += s->losses.count[i];
	return sum;
}

/* Tests that it begins with, or that came while it was put aside: those that cover something, at most SEEDS, but all for what the program is called from; if there are none, any one. */
static void seed_unit(const struct search *s, struct ic_unit *u)
{
	const struct ic *ic = s->next.ic;
	size_t most = ic->functions.data[u->function].root ? ic->tests.size : SEEDS, before = u->queue.size;
	for (size_t i = 0; i < ic->tests.size && u->queue.size - before < most; i++)
		if (ic->tests.data[i].t.flags & TEST_COVERS && ic_calls(&ic->tests.data[i], u->function))
			ic_unit_add(s, u, (uint32_t)i, 0, STAGE_UNCOVERED);
	for (size_t i = 0; i < ic->tests.size && !u->tests.size; i++)
		if (ic_calls(&ic->tests.data[i], u->function))
			ic_unit_add(s, u, (uint32_t)i, 0, STAGE_UNCOVERED);
}

/* ------------------------------------------------------------------ reuses */

static void requeue(struct ic *ic, struct ic_unit *u, uint32_t test)
{
	for (size_t i = 0; i < u->queue.size; i++)
		if (u->queue.data[i].test == test) {
			ic_entry_release(&u->queue.data[i]);
			u->queue.data[i] = vec_last(&u->queue);
			u->queue.size--;
			break;
		}
	vec_push(&u->queue, (struct ic_entry){.test = test, .rank = ic->tests.data[test].t.rank});
}

/* Tests whose calls a summary of such a callee stood for are looked at again. */
static void drop_reuses(struct ic *ic, struct ic_unit *u)
{
	size_t kept = 0;
	for (size_t i = 0; i < u->reuses.size; i++)
		if (ic->functions.data[u->reuses.data[i].callee].invalid)
			requeue(ic, u, u->reuses.data[i].test);
		else
			u->reuses.data[kept++] = u->reuses.data[i];
	if (kept < u->reuses.size) {
		map_clear(&u->paths);
		map_clear(&u->runs);
	}
	u->reuses.size = kept;
}

/* ------------------------------------------------------------------ rounds */

/* Functions that it calls, directly or not, and that no summary stands for: its exploration is theirs. */
static unsigned inlined(const struct ic *ic, uint32_t function)
{
	uint8_t *met = mem_zalloc(ic->functions.size + 1);
	VEC(uint32_t) open = {0};
	unsigned count = 0;
	met[function] = 1;
	vec_push(&open, function);
	while (open.size) {
		const ic_numbers *callees = &ic->graph.callees.data[vec_pop(&open)];
		for (size_t i = 0; i < callees->size; i++) {
			const struct ic_function *f = &ic->functions.data[callees->data[i]];
			if (met[callees->data[i]] || ic_has_summary(f))
				continue;
			met[callees->data[i]] = 1;
			count += f->outcome != IC_OUTCOME_PLAIN;
			vec_push(&open, callees->data[i]);
		}
	}
	free(met);
	vec_release(&open);
	return count;
}

/* Is there a test in its queue with outcomes to ask for that no test covers? */
static int may_cover(const struct ic_unit *u)
{
	for (size_t i = 0; i < u->queue.size; i++)
		if (u->queue.data[i].stage == STAGE_UNCOVERED)
			return 1;
	return 0;
}

/* Has it had its time, up to this round, since it covered something last? The time of functions that are inlined is for what no test covers: the other paths of all that is inlined have no end. When all others
 * had theirs, what the program is called from has the rest. */
static int is_over(const struct search *s, const struct ic_unit *u)
{
	const struct ic *ic = s->next.ic;
	double limit = s->o.ic_seconds, idle = u->spent - u->gained;
	if (!ic->round && s->o.ic_summarise && u->queue.size && !may_cover(u)) /* first what may cover something, in all of them */
		return 1;
	for (unsigned r = ic->round + 1; r < ROUNDS; r++)
		limit /= ROUND_PART;
	if (idle < limit || (ic->functions.data[u->function].root && ic->round + 1 >= ROUNDS))
		return 0;
	return !may_cover(u) || idle >= limit * (1 + inlined(ic, u->function));
}

/* It goes on in the next round. */
static void put_aside(struct search *s, struct ic_unit *u)
{
	struct ic *ic = s->next.ic;
	u->losses = all_losses(s) - u->losses;
	u->subsumed = s->stats.subsumed - u->subsumed;
	vec_push(&ic->functions.data[u->function].later, *u);
	ic->units.size--;
}

/* A function that is inlined is explored where it is called. */
static void drop_units(struct ic_function *f)
{
	for (size_t i = 0; i < f->parked.size; i++)
		ic_unit_release(&f->parked.data[i]);
	for (size_t i = 0; i < f->later.size; i++)
		ic_unit_release(&f->later.data[i]);
	if (f->parked.size)
		f->done = 1;
	vec_clear(&f->parked);
	vec_clear(&f->later);
}

/* 1; 0: there was none. */
static int resume(struct search *s, uint32_t function)
{
	struct ic *ic = s->next.ic;
	struct ic_function *f = &ic->functions.data[function];
	if (!f->parked.size)
		return 0;
	struct ic_unit u = vec_pop(&f->parked);
	u.losses = all_losses(s) - u.losses;
	u.subsumed = s->stats.subsumed - u.subsumed;
	if (u.slot) {
		u.context = f->summaries.data[u.slot - 1];
		f->summaries.data[u.slot - 1] = (struct ic_context){.away = 1};
	}
	drop_reuses(ic, &u);
	seed_unit(s, &u);
	vec_push(&ic->units, u);
	return 1;
}

/* 1: there is another round; 0: all had their time. */
static int next_round(struct ic *ic)
{
	int any = 0;
	if (ic->round + 1 >= ROUNDS)
		return 0;
	ic->round++;
	for (size_t i = 0; i < ic->functions.size; i++) {
		struct ic_function *f = &ic->functions.data[i];
		vec_release(&f->parked);
		memcpy(&f->parked, &f->later, sizeof f->parked);
		memset(&f->later, 0, sizeof f->later);
		if (f->parked.size)
			f->done = 0, any = 1;
	}
	return any;
}

static void begin_unit(struct search *s, uint32_t function)
{
	struct ic *ic = s->next.ic;
	struct ic_unit u = {.function = function, .losses = all_losses(s), .subsumed = s->stats.subsumed};
	seed_unit(s, &u);
	vec_push(&ic->units, u);
}

/* ---------------------------------------------------------------- outcomes */

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

/* The context that it was explored in becomes a summary. */
static void summarise(struct search *s, struct ic_unit *u, struct ic_function *f, int exact)
{
	if (!u->slot && f->summaries.size >= CONTEXTS)
		return;
	if (!u->slot) {
		vec_push(&f->summaries, (struct ic_context){0});
		u->slot = (uint32_t)f->summaries.size;
	}
	u->context.partial = !exact;
	f->summaries.data[u->slot - 1] = u->context;
	memset(&u->context, 0, sizeof u->context);
	set_outcome(s, f, exact ? IC_OUTCOME_EXHAUSTED : IC_OUTCOME_SUMMARISED);
}

static void judge(struct search *s, struct ic_unit *u, int over)
{
	struct ic_function *f = &s->next.ic->functions.data[u->function];
	int exact = is_exact(s, u, f, over);
	if (ic_has_summary(f) && (u->constrained || !u->looked || !u->decisions))
		; /* another context has a summary */
	else if (!u->decisions)
		set_outcome(s, f, IC_OUTCOME_PLAIN);
	else if (u->constrained || !u->looked)
		set_outcome(s, f, IC_OUTCOME_CONSTRAINED);
	else if (f->invalid)
		set_outcome(s, f, IC_OUTCOME_OUTPUTS);
	else if (over && !s->o.ic_summarise)
		set_outcome(s, f, IC_OUTCOME_OUT_OF_TIME);
	else
		summarise(s, u, f, exact);
	if (!over) /* else it goes on, and its summary is partial meanwhile */
		f->rests |= !exact;
}

/* Has the exploration come to an end, or to its limit: what became of the function? */
static void end_unit(struct search *s, int over)
{
	struct ic *ic = s->next.ic;
	struct ic_unit *u = ic_unit_now(ic), more = {.function = u->function, .losses = all_losses(s), .subsumed = s->stats.subsumed};
	struct ic_function *f = &ic->functions.data[u->function];
	judge(s, u, over);
	int again = u->others.size && ++f->contexts < CONTEXTS && !f->invalid;
	for (size_t i = 0; i < u->others.size && again; i++)
		ic_unit_add(s, &more, u->others.data[i], 0, STAGE_UNCOVERED);
	vec_clear(&u->others);
	if (f->root || (over && !u->constrained && !f->invalid)) {
		put_aside(s, u);
	} else {
		ic_unit_release(u);
		ic->units.size--;
	}
	if (again) /* the same function once more, as it is called in another context */
		vec_push(&ic->units, more);
	f->done = !again && !f->parked.size;
}

void ic_unit_invalidate(struct search *s, uint32_t callee)
{
	struct ic *ic = s->next.ic;
	struct ic_function *f = &ic->functions.data[callee];
	struct ic_unit *u = ic_unit_now(ic);
	f->invalid = 1;
	ic_forget_summaries(f);
	drop_units(f);
	set_outcome(s, f, IC_OUTCOME_OUTPUTS);
	s->stats.ic_restarts++;
	u->restarts++;
	drop_reuses(ic, u);
}

/* ------------------------------------------------------------------- order */

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
			int over = is_over(s, u);
			if (u->queue.size && !over && !(u->constrained && !ic->functions.data[u->function].root))
				return 1;
			end_unit(s, over);
			continue;
		}
		if (next == CALLS_NONE && !next_round(ic))
			return 0;
		if (next != CALLS_NONE && !take_up(ic, next) && !resume(s, next))
			begin_unit(s, next);
	}
}
