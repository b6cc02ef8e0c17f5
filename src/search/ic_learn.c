/* ic_learn.c: IC-Cut: tests, the functions that they call, and who calls whom.
 *
 * Every run of the calls variant tells calls, and in which of them something is decided: only for functions of these a test is worth exploring. A test that came from elsewhere (a seed, another worker) is traced when its turn comes; one that was solved for was traced as a child.
 */
#include "search/ic_inside.h"

#include "base/log.h"

#include <string.h>

#define TESTS LIMIT(200000, 64) /* that are kept in memory; more are dropped | some hundred megabytes */

void ic_entry_release(struct ic_entry *e)
{
	free(e->closed);
	e->closed = NULL;
}

/* ---------------------------------------------------------------- life time */

struct ic *ic_new(int over)
{
	struct ic *ic = mem_zalloc(sizeof *ic);
	ic->over = over;
	return ic;
}

void ic_free(struct ic *ic)
{
	if (!ic)
		return;
	for (size_t i = 0; i < ic->units.size; i++)
		ic_unit_release(&ic->units.data[i]);
	for (size_t i = 0; i < ic->functions.size; i++) {
		struct ic_function *f = &ic->functions.data[i];
		ic_forget_summaries(f);
		for (size_t k = 0; k < f->parked.size; k++)
			ic_unit_release(&f->parked.data[k]);
		for (size_t k = 0; k < f->later.size; k++)
			ic_unit_release(&f->later.data[k]);
		vec_release(&f->parked);
		vec_release(&f->later);
		map_release(&f->values);
	}
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

/* The number of each call's function: bodies of libc belong to who calls them. */
static void learn_calls(struct search *s, const struct calls *c, ic_numbers *number)
{
	struct ic *ic = s->next.ic;
	for (size_t i = 0; i < c->list.size; i++) {
		const struct call *x = &c->list.data[i];
		uint32_t n = is_own(s, x->unit) ? function_of(ic, x->unit, x->index) : CALLS_NONE;
		uint32_t caller = x->parent == CALLS_NONE || !number->size ? CALLS_NONE : number->data[x->parent];
		if (n != CALLS_NONE && caller == CALLS_NONE)
			ic->functions.data[n].root = 1;
		if (n == CALLS_NONE)
			n = caller;
		else if (caller != CALLS_NONE)
			ic_graph_call(&ic->graph, caller, n);
		vec_push(number, n);
	}
}

/* Functions in whose calls something is decided. One that was thought to be plain is to be explored. */
static void learn_decisions(struct ic *ic, const struct frames *f, const struct path *p, const ic_numbers *number)
{
	uint8_t *met = mem_zalloc(f->list.size + 1);
	for (size_t i = 0; i < p->steps.size; i++)
		for (uint32_t k = path_decides(&p->steps.data[i]) ? f->of_step.data[i] : 0; k && !met[k]; k = f->list.data[k].caller) {
			uint32_t n = number->data[k - 1];
			met[k] = 1;
			if (n == CALLS_NONE)
				continue;
			note_number(&ic->saw, n);
			if (ic->functions.data[n].outcome == IC_OUTCOME_PLAIN)
				ic->functions.data[n].done = 0;
		}
	free(met);
}

void ic_saw(struct search *s, const struct trace *t)
{
	struct ic *ic = s->next.ic;
	struct frames f = {0};
	ic_numbers number = {0};
	vec_clear(&ic->saw);
	if (ic->over)
		return;
	if (!frames_read(&f, t, &s->now.child)) {
		learn_calls(s, &f.calls, &number);
		learn_decisions(ic, &f, &s->now.child, &number);
	}
	vec_release(&number);
	frames_release(&f);
}

int ic_calls(const struct ic_test *t, uint32_t function)
{
	for (size_t i = 0; i < t->functions.size; i++)
		if (t->functions.data[i] == function)
			return 1;
	return 0;
}

/* The test that was kept last joins the unit that is explored. Those that wait for it get it, too, if it covers something: else what is found while a function that turns out to be inlined is explored would be lost for its callers. */
static void queue_test(struct search *s, const struct search_test *t)
{
	struct ic *ic = s->next.ic;
	uint32_t number = (uint32_t)ic->tests.size - 1;
	for (size_t i = 0; i < ic->units.size; i++) {
		struct ic_unit *u = &ic->units.data[i];
		int now = u == ic_unit_now(ic);
		if (!ic_calls(&ic->tests.data[number], u->function) || (!now && !(t->flags & TEST_COVERS)))
			continue;
		ic_unit_add(s, u, number, now ? t->bound : 0, t->stage < STAGE_DONE && now ? t->stage : STAGE_UNCOVERED);
	}
}

void ic_kept(struct search *s, const struct search_test *t)
{
	struct ic *ic = s->next.ic;
	struct ic_test x = {.t = *t};
	if (ic->over)
		return;
	if (ic->tests.size >= TESTS) {
		if (!s->o.ic_shares)
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
	if (x.traced)
		queue_test(s, t);
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
	search_read_path(s, &s->now.child, &s->now.child_calls, &t);
	ic_saw(s, &t);
	trace_release(&t);
	for (size_t i = 0; i < s->next.ic->saw.size; i++)
		vec_push(&x->functions, s->next.ic->saw.data[i]);
	return 0;
}

/* A byte for each function: is something decided in its calls? */
static uint8_t *deciding(const struct ic *ic)
{
	uint8_t *decides = mem_zalloc(ic->functions.size + 1);
	for (size_t i = 0; i < ic->tests.size; i++)
		for (size_t k = 0; k < ic->tests.data[i].functions.size; k++)
			decides[ic->tests.data[i].functions.data[k]] = 1;
	return decides;
}

/* Functions that are called and decide something, or call such a one: without them there is nothing to decompose. */
static unsigned count_callees(const struct ic *ic)
{
	uint8_t *decides = deciding(ic);
	unsigned count = 0;
	for (size_t i = 0; i < ic->functions.size; i++)
		count += decides[i] && !ic->functions.data[i].root;
	free(decides);
	return count;
}

void search_cut_each(const struct search *s, void (*each)(void *ctx, const struct search_cut_function *f), void *ctx)
{
	static const struct {
		const char *taken, *why;
	} words[] = {
#define X(name, key, taken, words) {taken, words},
	    IC_OUTCOMES(X)
#undef X
	};
	const struct ic *ic = s->next.ic;
	if (!ic || !s->stats.ic_callees) /* nothing was there to choose */
		return;
	uint8_t *decides = deciding(ic);
	for (size_t i = 0; i < ic->functions.size; i++) {
		const struct ic_function *f = &ic->functions.data[i];
		uint64_t key = ic->graph.functions.data[i];
		struct site_function site;
		if (!decides[i] || !site_find_function(s->t.sites, (uint32_t)(key >> 32), (uint32_t)key, &site))
			continue;
		struct search_cut_function x = {site.name, words[f->outcome].taken, words[f->outcome].why, f->spent, f->found};
		if (f->root)
			x.taken = "both", x.why = "the program is called from it";
		each(ctx, &x);
	}
	free(decides);
}

/* What auto does, from what the learning phase saw; IC-Cut alone leaves things out in any case. */
static void note_learned(struct search *s)
{
	struct ic *ic = s->next.ic;
	unsigned callees = count_callees(ic);
	s->stats.ic_learned = ic->tests.size;
	s->stats.ic_callees = callees;
	if (!s->o.ic_shares) {
		search_lose(s, LOSS_SKIPPED);
		return;
	}
	ic->over = !callees;
	if (callees)
		log_info("strategy: %u functions that are called decide something on the paths of %zu tests: IC-Cut, callees first, and generational search share the time, by what they find", callees, ic->tests.size);
	else
		log_info("strategy: no function that is called decides anything on the paths of %zu tests: generational search", ic->tests.size);
}

/* 0; 1: the slice ended before; -1. */
int ic_learn(struct search *s)
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
		note_learned(s);
	ic->learned = 1;
	return 0;
}
