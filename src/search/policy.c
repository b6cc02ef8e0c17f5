/* policy.c: which decisions of a path are negated, and when.
 *
 * A test passes three stages. First only outcomes that no run ever took: few, and
 * they pay. Then outcomes that were never taken at such a place of a path (after that
 * decision, in that many-th pass): they lead to states that coverage does not see.
 * Last, all others, so that a search that ends has negated everything.
 *
 * Bodies of library functions have no counters; there, a place on the path takes the
 * part of the counter, with the program's last decision as the place of the call.
 *
 * Checks (of the compiler's, and bounds with a checker) have no counters either. In the second stage each is asked about once at each
 * place, whatever the answer; in the last stage, all. In a whole program those of tests that cover something new are asked about in the first stage,
 * others a few times there; all of them stay within their share of the time: what they do not get is a loss, so that nothing is claimed. A place after a check that was broken is another one.
 * Bounds without a checker come in the last stage; for a function alone, in the second like checks.
 *
 * Whether an address is that of an object which was there before (a pin) is asked in the last stage: objects of their own
 * come first, since lists that are circles end in no time.
 *
 * An assumption that did not hold is asked to hold before anything else.
 *
 * A negation is identified by the digest of the decisions before it and its
 * outcome: no two tests negate the same.
 */
#include "base/hash.h"
#include "base/limit.h"
#include "search/ic_cut.h"
#include "search/inside.h"

#define LIBRARY_PASSES LIMIT(32, 2) /* passes of a library's loop that count one by one | a library's loop is like any other after some passes */
#define LIBRARY_PATHS LIMIT(16, 1) /* paths that ask for one outcome of a library at one place, in a function alone | by hand (tries) */
#define CHECK_PASSES LIMIT(4, 2) /* passes in which a check counts by itself: a sum overflows in the second | by hand (tries) */
#define NEAR_MOST LIMIT(300, 1) /* paths that are tried first for one outcome that is not covered | by hand (tries) */
#define SAME_SITE LIMIT(24, 1) /* negations of one outcome that is not covered, for each path | by hand (tries) */
#define EARLY_CHECKS LIMIT(2, 1) /* times that a check is asked about in the first stage of tests | by hand (tries) */
#define CHECK_SHARE 0.2 /* part of the time for negating that checks get | by hand (share) */
#define CHECK_START 1.0 /* seconds that they have in any case | by hand (share) */

/* Outcomes that a decision can have. A switch whose cases no table knows has none that could be
 * asked for. */
static uint32_t outcomes_of(const struct search *s, const struct path_step *step)
{
	const struct sites_decision *d = &s->sites.decisions.data[step->site];
	return step->kind != MUSTER_EV_SWITCH ? 2 : d->values ? d->outcomes : 0;
}

/* Walks a path and gives each decision its place: what the program decided last, and how often the
 * site was passed, in powers of two. */
struct place {
	struct map passes; /* by site */
	uint64_t last;	   /* the program's last decision */
	uint64_t before;   /* the last one outside the line of that, and the line */
	uint64_t line;
};

/* What was decided before this decision. Macros and long conditions make dozens of decisions in a line, of which each comes after the same
 * one: what distinguishes two paths to it is what was decided before the line. */
static uint64_t decided_before(const struct place *w, const struct search *s, const struct sites_decision *d)
{
	return s->o.unit && d->line && w->line == ((uint64_t)d->function << 32 | d->line) ? w->before : w->last;
}

static void note_decision(struct place *w, const struct sites_decision *d, const struct path_step *step)
{
	uint64_t line = (uint64_t)d->function << 32 | d->line;
	if (line != w->line)
		w->before = w->last;
	w->line = line;
	w->last = (uint64_t)step->site << 32 | step->outcome;
}

/* In a library's body every pass counts, to begin with: the digits of a number are passes of one
 * loop, and the program's own branch shows only after the last. */
static uint64_t pass_class(uint64_t passes, int own)
{
	if (!own && passes < LIBRARY_PASSES)
		return passes;
	return LIBRARY_PASSES + 64 - (unsigned)__builtin_clzll(passes | 1);
}

static uint64_t place_of(struct place *w, const struct search *s, const struct path_step *step)
{
	uint64_t passes = 0;
	map_get(&w->passes, step->site, &passes);
	map_set(&w->passes, step->site, passes + 1);
	const struct sites_decision *d = &s->sites.decisions.data[step->site];
	uint32_t kind = d->kind;
	int own = kind == SITES_COUNTED && path_decides(step);
	uint64_t class = kind == SITES_CHECK && passes < CHECK_PASSES
			     ? passes
			     : pass_class(passes, kind != SITES_LIBRARY && step->kind != PATH_READ);
	uint64_t place = hash_mix(decided_before(w, s, d) ^ (uint64_t)step->site << 8 ^ class);
	if (own)
		note_decision(w, d, step);
	return place;
}

static uint64_t at_place(uint64_t place, uint32_t outcome)
{
	return hash_mix(place + outcome + 1);
}

unsigned search_note(struct search *s, const struct path *p)
{
	struct place w = {0};
	unsigned fresh = 0;
	for (size_t i = 0; i < p->steps.size; i++) {
		const struct path_step *step = &p->steps.data[i];
		if (!path_decides(step))
			continue;
		uint64_t key = at_place(place_of(&w, s, step), step->outcome);
		memory_add(&s->known.contexts, key);
		if (s->sites.decisions.data[step->site].kind == SITES_LIBRARY)
			fresh += (unsigned)memory_add(&s->known.progress, key);
	}
	map_release(&w.passes);
	return fresh;
}

static int uncovered(const struct search *s, const struct sites_decision *d, uint32_t outcome)
{
	return d->counter != SITES_NOWHERE && !cover_has(&s->cover, d->counter + outcome);
}

int search_near(const struct search *s, const struct path *p, uint64_t bound)
{
	for (size_t i = 0; i < p->steps.size; i++) {
		const struct path_step *step = &p->steps.data[i];
		if (!path_decides(step) || step->ordinal < bound)
			continue;
		const struct sites_decision *d = &s->sites.decisions.data[step->site];
		uint32_t outcomes = outcomes_of(s, step);
		for (uint32_t o = 0; o < outcomes; o++) {
			uint64_t asked = 0;
			if (o == step->outcome || !uncovered(s, d, o))
				continue;
			map_get(&s->known.asked, (uint64_t)step->site << 32 | o, &asked);
			if (asked < NEAR_MOST)
				return 1;
		}
	}
	return 0;
}

/* Counts how often an outcome that is not covered was asked for. */
static void count_asked(struct search *s, const struct path_step *step, uint32_t outcome)
{
	uint64_t key = (uint64_t)step->site << 32 | outcome, n = 0;
	map_get(&s->known.asked, key, &n);
	map_set(&s->known.asked, key, n + 1);
}

static int limited(struct search *s, const struct sites_decision *d)
{
	if ((s->o.flip_limit && d->flips >= s->o.flip_limit) ||
	    (s->o.function_limit > 0 &&
	     s->sites.function_cost.data[d->function] > s->o.function_limit)) {
		s->stats.skipped++;
		search_lose(s, LOSS_SKIPPED);
		return 1;
	}
	return 0;
}

static uint64_t flip_key(const struct path_step *step, uint32_t outcome)
{
	return hash_mix(step->prefix ^ step->reads ^ hash_mix((uint64_t)step->site << 32 | outcome));
}

/* Where IC-Cut and generational search explore the same tests: the other one asked, and nothing of the path need be built for it. */
static int was_asked(const struct search *s, const struct path_step *step, uint32_t outcome)
{
	return s->o.ic_shares && memory_has(&s->known.flipped, flip_key(step, outcome));
}

int search_still_wanted(struct search *s, const struct search_test *t, const struct path_step *step,
			uint32_t outcome)
{
	const struct sites_decision *d = &s->sites.decisions.data[step->site];
	if (step->kind == MUSTER_EV_CONCRETE)
		return values_wanted(s, step);
	if (!path_decides(step))
		return memory_add(&s->known.flipped,
				  hash_mix(step->prefix ^ hash_mix(step->reads ^ step->self)));
	if (t->stage == STAGE_UNCOVERED && d->counter != SITES_NOWHERE && !uncovered(s, d, outcome))
		return 0;
	if (limited(s, d))
		return 0;
	if (!memory_add(&s->known.flipped, flip_key(step, outcome)))
		return 0;
	if (uncovered(s, d, outcome))
		count_asked(s, step, outcome);
	return 1;
}

/* An outcome inside a library, which may be out of reach for the rest of this path (the length of a string that is compared) and not for
 * others: in a function alone several paths ask for it. */
static int wants_library(struct search *s, uint64_t place, uint32_t outcome)
{
	uint64_t key = at_place(place, outcome), n = 0;
	if (!memory_has(&s->known.contexts, key))
		return 1;
	if (!s->o.unit)
		return 0;
	map_get(&s->known.asked, ~key, &n);
	map_set(&s->known.asked, ~key, n + 1);
	return n < LIBRARY_PATHS;
}

/* Is this outcome of the decision one for the test's stage? */
static int wants(struct search *s, const struct search_test *t, const struct sites_decision *d,
		 uint64_t place, uint32_t outcome, struct map *tries, uint32_t site)
{
	uint64_t n = 0, key = (uint64_t)site << 32 | outcome;
	if (t->stage == STAGE_ALL)
		return 1;
	if (d->kind == SITES_PIN)
		return 0;
	if (d->kind == SITES_CHECK)
		return t->stage == STAGE_CONTEXT && memory_add(&s->known.contexts, at_place(place, outcome));
	if (d->kind == SITES_LIBRARY)
		return wants_library(s, place, outcome);
	if (t->stage == STAGE_CONTEXT)
		return !memory_has(&s->known.contexts, at_place(place, outcome));
	if (!uncovered(s, d, outcome))
		return 0;
	map_get(tries, key, &n);
	map_set(tries, key, n + 1);
	return n < SAME_SITE;
}

/* A check that failed may look for other defects beside the one that this run has. */
static int fails_otherwise(const struct search_test *t, const struct sites_decision *d, uint32_t outcome)
{
	return d->kind == SITES_CHECK && d->fails == outcome && t->stage >= STAGE_CONTEXT;
}

/* Was this the assumption that ended the run? */
static int unmet(const struct search *s, const struct path_step *step)
{
	return s->now.parent.assumed && !step->outcome &&
	       step == &s->now.parent.steps.data[s->now.parent.steps.size - 1];
}

/* Bounds come last. Other ends of the input: one for each place of a path, then all. */
static int wants_bound(struct search *s, const struct search_test *t, struct place *w,
		       const struct path_step *step)
{
	if (step->kind == MUSTER_EV_GIVEN)
		return unmet(s, step);
	if ((step->checker && step->fails == SITE_NO_OUTCOME) || step->free)
		return 0; /* a check that is off, or that says nothing */
	if ((step->kind == MUSTER_EV_BOUND || step->kind == PATH_CHECK) && !s->o.unit)
		return t->stage == STAGE_ALL;
	if (step->kind == MUSTER_EV_CONCRETE)
		return 0; /* a turn of its own: plan_values */
	if (t->stage == STAGE_UNCOVERED)
		return step->kind == MUSTER_EV_BOUND && unmet(s, step);
	return t->stage == STAGE_ALL ||
	       memory_add(&s->known.contexts, at_place(place_of(w, s, step), !step->outcome));
}

int search_checks_allowed(const struct search *s)
{
	return s->o.unit || s->o.one_generation || s->checks.cost < CHECK_START + CHECK_SHARE * (s->budget.symbolic_cost + search_cost(s) - s->budget.slice_began);
}

/* Is this check, which the run passed, one for the test's stage? behind: the last check that the run broke. */
static int wants_check(struct search *s, const struct search_test *t, uint64_t place, const struct path_step *step, uint64_t behind)
{
	uint64_t key = at_place(place, step->fails), site = (uint64_t)step->site << 32 | step->checker, n = 0;
	if (s->o.unit)
		return t->stage == STAGE_ALL || (t->stage == STAGE_CONTEXT && memory_add(&s->known.contexts, key));
	key = hash_mix(key ^ behind ^ step->checker);
	if (t->stage == STAGE_ALL)
		return 1;
	if (t->stage == STAGE_UNCOVERED && (t->flags & TEST_COVERS || !t->parent))
		return memory_add(&s->known.contexts, key), 1;
	if (t->stage == STAGE_CONTEXT)
		return memory_add(&s->known.contexts, key);
	map_get(&s->checks.checked, site, &n);
	if (n >= EARLY_CHECKS || !memory_add(&s->known.contexts, key))
		return 0;
	map_set(&s->checks.checked, site, n + 1);
	return 1;
}

/* Conversions count only if the result does later, so a test looks at those of its parent's part of the path as well. */
static int in_question(struct search *s, struct expansion *x, size_t at)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	if (step->checker != MUSTER_CHECK_CONVERT_LOW && step->checker != MUSTER_CHECK_CONVERT_HIGH)
		return step->ordinal >= x->test->bound;
	if (!x->matters)
		x->matters = matter_of(&s->now.parent, &x->trace, &s->sites);
	return matter_later(x->matters, &x->trace, step->label, at);
}

static void plan_check(struct search *s, struct expansion *x, uint64_t place, size_t at, uint64_t behind, int allowed, wanted_list *out)
{
	const struct path_step *step = &s->now.parent.steps.data[at];
	const struct search_test *t = x->test;
	if (!in_question(s, x, at))
		return;
	if (!allowed && t->stage == STAGE_ALL)
		search_lose(s, LOSS_UNCHECKED);
	if (allowed && wants_check(s, t, place, step, behind))
		vec_push(out, (struct wanted){(uint32_t)at, step->fails});
}

/* Hundreds of values may be all alike: they come when nothing else is left to ask for. */
static void plan_values(const struct search *s, const struct search_test *t, wanted_list *out)
{
	for (size_t i = 0; i < s->now.parent.steps.size; i++) {
		const struct path_step *step = &s->now.parent.steps.data[i];
		if (step->kind == MUSTER_EV_CONCRETE && step->ordinal >= t->bound)
			vec_push(out, (struct wanted){(uint32_t)i, !step->outcome});
	}
}

void search_plan(struct search *s, struct expansion *x, wanted_list *out)
{
	const struct search_test *t = x->test;
	if (t->flags & TEST_VALUES) {
		plan_values(s, t, out);
		return;
	}
	struct place w = {0};
	struct map tries = {0};
	int allowed = search_checks_allowed(s) && !(ic_is_on(s) && t->stage == STAGE_UNCOVERED);
	uint64_t behind = 0;
	for (size_t i = 0; i < s->now.parent.steps.size; i++) {
		const struct path_step *step = &s->now.parent.steps.data[i];
		if (path_broke(step) && !step->free)
			behind = hash_mix((uint64_t)step->site << 8 | step->checker);
		if (x->apart && x->apart[i] & SEARCH_CLOSED) { /* nor is it noted that it was asked for */
			if (path_decides(step) || path_passed(step))
				place_of(&w, s, step);
			continue;
		}
		if (allowed && checks_want_closer(s, step))
			vec_push(out, (struct wanted){(uint32_t)i, step->outcome});
		if (path_passed(step)) {
			plan_check(s, x, place_of(&w, s, step), i, behind, allowed, out);
			continue;
		}
		if (!path_decides(step)) {
			if (step->ordinal >= t->bound && wants_bound(s, t, &w, step))
				vec_push(out, (struct wanted){(uint32_t)i, !step->outcome});
			continue;
		}
		const struct sites_decision *d = &s->sites.decisions.data[step->site];
		uint64_t place = place_of(&w, s, step);
		uint32_t outcomes = outcomes_of(s, step);
		if (step->ordinal < t->bound || (step->checker && step->fails == SITE_NO_OUTCOME))
			continue;
		if (!outcomes)
			search_lose(s, LOSS_CASES);
		for (uint32_t o = 0; o < outcomes; o++)
			if ((o == step->outcome ? fails_otherwise(t, d, o) : wants(s, t, d, place, o, &tries, step->site)) && !was_asked(s, step, o))
				vec_push(out, (struct wanted){(uint32_t)i, o});
	}
	map_release(&w.passes);
	map_release(&tries);
}
