/* callees.c: compositional search of a program: which functions have summaries that stand for their calls.
 *
 * Tests of the campaign run once more in summary mode, and each call of a function gives a summary (summary/gather.h). What is not partial, and short, stands for calls from then on (search/compose.h). That is done
 * when there are twice as many tests as the last time, and when nothing is left to explore; then every test goes back to the frontier, for its path has other calls replaced now, and decisions of callers are asked
 * about again, over all that their callees are known to return. What summaries leave open is asked for by the search (composed.c), so callees are explored further on demand.
 *
 * Where that shows nothing new, or half of the budget is over, no summary stands for a call any more and all tests are explored once more: generational search has the rest. Nothing is claimed
 * by summaries: each answer is run, and a search in which one stood for a call is not exhaustive (the loss `composed`).
 */
#include "campaign/callees.h"

#include "base/deadline.h"
#include "base/limit.h"
#include "base/log.h"
#include "base/mem.h"
#include "campaign/campaign.h"
#include "campaign/gathering.h"
#include "search/compose.h"
#include "summary/summary.h"

#include <stdlib.h>

#define FIRST LIMIT(4, 2) /* tests before the first look | the seeds of a small search, and some children */
#define LOOKED LIMIT(256, 4) /* tests of one look | a run in summary mode takes some ten times an ordinary one */
#define CONJUNCTS LIMIT(48, 2) /* of P, and of Q, of a summary that stands for a call | terms of callers grow with it, and one query for each to simplify it */
#define TRIED LIMIT(16, 2) /* calls without one such summary, after which the function is not looked at any more | main and its like, whose traces cost most */
#define SIMPLIFY_SECONDS 1.0 /* for the summaries of one function */

struct fuzz_callees {
	struct gathering g;
	struct solver *solver;
	struct compose *compose;
	struct summaries *lists; /* what stands for calls, by function of the gathering */
	size_t count;
	uint64_t last;	     /* test that was looked at */
	uint64_t next;	     /* tests that this worker found before the next look */
	uint64_t left;	     /* that this look may take */
	uint64_t summaries;  /* of all functions, when they were taken last */
	int empty;	     /* nothing was left to explore */
	int inlined;	     /* no summary stands for a call any more */
};

int fuzz_callees_open(struct fuzz *f)
{
	struct solve_options so = {.conflicts = 2000, .no_cache = 1};

	if (!search_kind_composes(f->o->search.kind))
		return 0;
	struct fuzz_callees *c = f->callees = mem_zalloc(sizeof *c);
	c->solver = solver_new(&so);
	c->compose = compose_new(c->solver);
	c->next = FIRST;
	return gathering_open(&c->g, f) || compose_image(c->compose, f->run.trace.variant.path) ? -1 : 0;
}

struct compose *fuzz_callees_compose(const struct fuzz *f)
{
	return f->callees ? f->callees->compose : NULL;
}

static void drop(struct fuzz_callees *c)
{
	compose_clear(c->compose);
	for (size_t i = 0; i < c->count; i++)
		summaries_release(&c->lists[i]);
	free(c->lists);
	c->lists = NULL;
	c->count = 0;
}

void fuzz_callees_close(struct fuzz *f)
{
	struct fuzz_callees *c = f->callees;

	if (!c)
		return;
	drop(c);
	compose_free(c->compose);
	solver_free(c->solver);
	gathering_close(&c->g);
	free(c);
	f->callees = NULL;
}

/* ------------------------------------------------------------------- tests */

static int look_at(void *ctx, const struct store_test *t)
{
	struct fuzz *f = ctx;
	struct fuzz_callees *c = f->callees;

	if (!c->left || fuzz_leaving(f))
		return 1;
	c->last = t->id;
	if (t->flags & (TEST_CRASH | TEST_HANG | TEST_WAITS | TEST_ASSUMED | TEST_LONG))
		return 0;
	c->left--;
	return gather_name(&c->g.calls) || gather_run(&c->g.calls, t->size ? t->data : "", t->size, t->id) ? -1 : 0;
}

static int is_short(const struct summary *s)
{
	return !s->why && s->pre.size <= CONJUNCTS && s->post.size <= CONJUNCTS;
}

/* How many summaries can stand for calls. Functions that only have others cost much and give nothing. */
static uint64_t count_short(struct fuzz_callees *c)
{
	uint64_t all = 0;

	for (size_t i = 0; i < c->g.calls.functions.size; i++) {
		struct gather_function *g = &c->g.calls.functions.data[i];
		uint64_t n = 0;
		for (size_t k = 0; k < g->list.all.size; k++)
			n += (uint64_t)is_short(&g->list.all.data[k]);
		if (!n && g->calls >= TRIED)
			g->full = 1;
		all += n;
	}
	return all;
}

/* ------------------------------------------------------------------- calls */

/* Numbers and pointers, one by one, so that parameters have the same numbers in C and in the machine's code. */
static int has_plain_interface(const struct code_function *f)
{
	for (uint32_t i = 0; i < f->parameters; i++)
		if (!f->values[i].is_pointer && (!f->values[i].width || f->values[i].width > 64))
			return 0;
	return !f->variadic && !f->noreturn && !f->replaceable && !f->returns_twice;
}

/* Does it decide anything? */
static int has_condition(const struct summaries *l)
{
	for (size_t i = 0; i < l->all.size; i++)
		if (l->all.data[i].pre.size)
			return 1;
	return 0;
}

static void take_function(struct fuzz *f, size_t number, size_t *added)
{
	struct fuzz_callees *c = f->callees;
	const struct gather_function *g = &c->g.calls.functions.data[number];
	struct summaries *l = &c->lists[number];

	summaries_init(l);
	if (!has_plain_interface(g->f.code))
		return;
	l->until = f->o->search.repeatable ? 0 : deadline_clock() + SIMPLIFY_SECONDS;
	for (size_t i = 0; i < g->list.all.size; i++)
		if (is_short(&g->list.all.data[i])) {
			summary_copy(l, &g->list, &g->list.all.data[i]);
			summary_simplify(l, &vec_last(&l->all), c->solver);
		}
	summaries_join(l, c->solver, NULL);
	if (has_condition(l) && compose_add(c->compose, (uint64_t)g->unit << 32 | g->first, (uint64_t)g->unit << 32 | g->end, l) > 0) {
		log_info("%s: %zu summaries stand for its calls", g->f.name, l->all.size);
		++*added;
	}
}

/* The traced runs have leaves for them, and every test is explored again. 1, -1. */
static int use(struct fuzz *f)
{
	size_t count;
	const struct muster_function *list = compose_functions(f->callees->compose, &count);

	if (shm_set_functions(&f->run.trace.shm, list, count) || shm_set_functions(&f->run.trace_child.shm, list, count) || fuzz_explore_again(f))
		return -1;
	return 1;
}

static int take_all(struct fuzz *f)
{
	struct fuzz_callees *c = f->callees;
	size_t added = 0;

	drop(c);
	c->count = c->g.calls.functions.size;
	c->lists = mem_zalloc((c->count + 1) * sizeof *c->lists);
	for (size_t i = 0; i < c->count; i++)
		take_function(f, i, &added);
	return added ? use(f) : 0;
}

/* Generational search has the rest. */
static int inline_all(struct fuzz *f)
{
	struct fuzz_callees *c = f->callees;
	int had = c->lists != NULL;

	c->inlined = 1;
	drop(c);
	log_info("summaries lead nowhere else: all decisions of callees are explored");
	return had ? use(f) : 0;
}

/* -------------------------------------------------------------------- turns */

static int half_is_over(const struct fuzz *f)
{
	if (f->o->seconds > 0 && fuzz_clock() - f->shared->started > f->o->seconds / 2)
		return 1;
	return f->o->runs && search_stats(f->search)->runs > f->o->runs / f->o->workers / 2;
}

int fuzz_callees_due(const struct fuzz *f)
{
	const struct fuzz_callees *c = f->callees;

	return c && !c->inlined && !f->stopped && (f->figures->tests >= c->next || c->empty || half_is_over(f));
}

void fuzz_callees_empty(struct fuzz *f)
{
	if (f->callees)
		f->callees->empty = 1;
}

int fuzz_callees_turn(struct fuzz *f)
{
	struct fuzz_callees *c = f->callees;

	if (!fuzz_callees_due(f))
		return 0;
	int empty = c->empty;
	c->empty = 0;
	if (half_is_over(f))
		return inline_all(f);
	c->next = (f->figures->tests + 1) * 2;
	c->left = LOOKED;
	if (store_test_each(f->records.store, f->records.campaign, c->last, 1, look_at, f) < 0)
		return -1;
	uint64_t summaries = count_short(c);
	if (summaries == c->summaries)
		return empty ? inline_all(f) : 0;
	c->summaries = summaries;
	int r = take_all(f);
	return r || !empty ? r : inline_all(f);
}
