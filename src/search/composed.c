/* composed.c: compositional search: paths on which summaries stand for calls.
 *
 * The path of a run is read without what replaced calls decided (compose.h), so neither its digest nor its negations know how a callee came to its result. Two inputs that differ inside of callees
 * only have one path. A decision of the caller is negated over terms in which a call's result is a choice between summaries: the solver picks another one for any call on
 * the way. The answer is run, and has to come where it was sent, like any other.
 *
 * What summaries leave open is asked for in the last stage of a test: a state of the call in which none of the known ones holds, and one for each summary that fails. The first is
 * the demand for more summaries: its run has a call that none fits, whose own decisions are then on the path and are negated in the calling context. Whoever asks less than that, or sees something that the summaries
 * do not say, notes a loss, so that nothing is claimed of all paths.
 */
#include "base/hash.h"
#include "base/limit.h"
#include "search/inside.h"

#define LEVELS_ASKED LIMIT(64, 1) /* the same of a function that calls itself: another level, or another way through one | 50 levels one by one */
#define OF_A_TEST LIMIT(2, 1) /* of them, from one test | each level lacks the same way: what the first answer shows is known to all levels of the next test */
#define ESCAPES LIMIT(16, 1) /* inputs that leave the known summaries of a function, in one search | as many as an ordinary callee has paths */

enum { ESCAPING, FAILING }; /* what is asked for; from FAILING on, by summary */

void search_read_path(struct search *s, struct path *p, struct compose_run *calls, const struct trace *t)
{
	p->skip = NULL;
	if (s->t.compose) {
		compose_read(s->t.compose, calls, t);
		if (calls->replaced.size && !s->o.unit) /* summaries are those of some runs: nothing says that they are all */
			search_lose(s, LOSS_COMPOSED);
		p->skip = compose_skips;
		p->skip_ctx = calls;
		p->unfolded = calls->known;
	}
	path_read(p, t, &s->sites, s->t.exec, s->o.path_limit);
}

int composed_any(const struct search *s)
{
	return s->t.compose && s->now.parent_calls.replaced.size;
}

/* An input with the goal is run as a test by itself; it goes where it goes. 1: there was one, 0: none, -1. */
static int ask_for(struct search *s, struct expansion *x, expr_t goal)
{
	struct solve_model m = {0};
	int r = 0;

	if (search_foreign(x, goal)) {
		search_lose(s, LOSS_FOREIGN);
		return 0;
	}
	enum verdict v = solve_path_query(x->strict, goal, &m);
	if (v == VERDICT_UNKNOWN)
		search_lose(s, LOSS_UNKNOWN);
	if (v == VERDICT_SAT && !search_build_input(s, x, &m))
		search_lose(s, LOSS_LARGE);
	else if (v == VERDICT_SAT)
		r = memory_add(&s->known.inputs, hash128(s->now.input.data, s->now.input.size).a) &&
			    search_offer(s, s->now.input.data, s->now.input.size, ORIGIN_SOLVED, 1) < 0
			? -1
			: 1;
	solve_model_release(&m);
	return r;
}

/* Asks at this place of the path once; and no more than a number of times for a call instruction. */
static int ask_open(struct search *s, struct expansion *x, const struct compose_call *k, expr_t goal, uint64_t prefix, unsigned what)
{
	uint64_t site = hash_join(k->callee, what) | 1ull << 63, made = 0;

	map_get(&s->known.asked, site, &made);
	uint64_t here = hash_join(site, x->test->id), answered = 0;
	if (k->unfolded && (compose_knows_more(s->t.compose, k) || (map_get(&s->known.asked, here, &answered) && answered >= OF_A_TEST))) {
		search_lose(s, LOSS_COMPOSED); /* the tests that were found ask on */
		return 0;
	}
	if (made >= (k->unfolded ? LEVELS_ASKED : ESCAPES)) {
		search_lose(s, LOSS_COMPOSED);
		return 0;
	}
	if (!memory_add(&s->known.flipped, hash_mix(prefix ^ s->now.parent_calls.known ^ hash_join(site, k->number))))
		return 0;
	int r = ask_for(s, x, goal);
	if (r > 0) {
		map_set(&s->known.asked, site, made + 1);
		if (k->unfolded)
			map_set(&s->known.asked, here, answered + 1);
		search_lose(s, LOSS_COMPOSED); /* there is more than the summaries say */
	}
	return r < 0 ? -1 : 0;
}

static int call_step(struct search *s, struct expansion *x, const struct compose_call *k, uint64_t prefix)
{
	int r = 0;

	if (!k->exact && x->test->stage == STAGE_ALL)
		search_lose(s, LOSS_COMPOSED);
	/* Each by itself: one defect of the callee does not hide another from its callers. */
	for (uint32_t i = k->failing; i < k->failing_end && !r && x->test->stage == STAGE_ALL && k->fails != EXPR_NONE; i++)
		r = ask_open(s, x, k, s->now.parent_calls.failing.data[i], prefix, FAILING + (i - k->failing));
	if (!r && x->test->stage == STAGE_ALL && k->escapes != EXPR_NONE)
		r = ask_open(s, x, k, k->escapes, prefix, ESCAPING);
	if (!r && k->holds != EXPR_NONE && solve_path_add(x->strict, k->holds) < 0)
		r = CHECKS_DISAGREE;
	return r ? r : search_paused(s);
}

int composed_step(struct search *s, struct expansion *x, size_t at, size_t *next)
{
	const struct compose_run *c = &s->now.parent_calls;
	const struct path *p = &s->now.parent;

	if (!composed_any(s))
		return 0;
	for (; *next < c->replaced.size; ++*next) {
		const struct compose_call *k = &c->calls.data[c->replaced.data[*next]];
		if (at < p->steps.size && k->begin > p->steps.data[at].event)
			return 0;
		if (k->exact && k->fails == EXPR_NONE && k->escapes == EXPR_NONE)
			continue;
		int r = call_step(s, x, k, at < p->steps.size ? p->steps.data[at].prefix : p->digest);
		if (r)
			return r;
	}
	return 0;
}
