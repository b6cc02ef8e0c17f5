/* given.c: `verified given C`: a search of the calls that keep a contract, and of no others.
 *
 * A contract is inferred from the calls that failed (contracts.c). Here the functions that have one and no bug are searched once more, from nothing, by a harness that states the contract as --requires would: C is
 * compiled with the unit, so what is assumed is what is printed. A function that this search verifies is verified given C: every path of every call that keeps C was run and passed, nothing was lost, and
 * callees ran as a part of it. Some call passed, so C can be kept.
 *
 * What the search finds besides speaks of calls that keep C. A finding whose every call has a further cause that callers owe makes the contract stronger, and there is another round; any other is a bug of the function, also where the first search
 * had taken it for the callers' fault.
 *
 * Where time is limited, functions that the first search exhausted come first, by themselves: they are the ones that can be verified in what is left.
 *
 * A search that did not come to its end, of all calls or of those that keep the contract, may do so where objects have few elements (DRIVE_SMALL): that is tried last, and the verdict says so.
 *
 * The second session has no store: its tests are not kept, and nothing of an earlier run is taken for them.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "contract/cause.h"
#include "unit/carry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 4 /* searches with a contract that became stronger: tree(p, next), then tree(p, next, child), and one that finds nothing more */

/* Which calls are searched: those that keep the contract; at first only of functions whose first search came to its end, where time is limited: what took more time than there was then takes it from the others. Last, those of them
 * whose objects are small. */
enum calls { ALL_CALLS, ENDED_CALLS, SMALL_CALLS };

/* What the function requires, joined; "" for nothing. */
void test_contract_text(const struct test_session *s, uint32_t function, struct buf *out)
{
	size_t count = 0;
	if (test_is_given(&s->functions.data[function])) {
		buf_adds(out, s->functions.data[function].accepted);
		return;
	}
	for (size_t i = 0; i < s->contracts.size; i++)
		count += s->contracts.data[i].function == function;
	for (size_t i = 0, first = 1; i < s->contracts.size; i++) {
		const char *text = s->contracts.data[i].requires;
		int either = count > 1 && strstr(text, "||") && strncmp(text, "every(", 6);
		if (s->contracts.data[i].function != function)
			continue;
		buf_addf(out, "%s%s%s%s", first ? "" : " && ", either ? "(" : "", text, either ? ")" : "");
		first = 0;
	}
}

/* Can C say what it requires? */
static int can_be_stated(const struct test_session *s, uint32_t function)
{
	for (size_t i = 0; i < s->contracts.size; i++) {
		const char *text = s->contracts.data[i].requires;
		if (s->contracts.data[i].function != function)
			continue;
		if (strstr(text, "before(")) /* no call of the driver's keeps it but with null */
			return 0;
		if (strstr(text, "every(") || strstr(text, "apart("))
			return 0;
	}
	return 1;
}

static size_t count_contracts(const struct test_session *s, uint32_t function)
{
	size_t n = 0;
	for (size_t i = 0; i < s->contracts.size; i++)
		n += s->contracts.data[i].function == function;
	return n;
}

static int has_contract(const struct test_session *s, uint32_t function)
{
	return count_contracts(s, function) > 0;
}

/* May a search of fewer calls end well? */
static int may_be_given(const struct test_session *s, uint32_t function)
{
	const struct test_function *f = &s->functions.data[function];
	return f->searched && !f->given && !f->bugs && !f->suspected && !f->suppressed && !f->lost && f->harness->number != UINT32_MAX && !(f->harness->limits & ~HARNESS_LIMITS_GIVEN);
}

/* Could it be verified if its callers kept the contract? */
static int is_worth_it(const struct test_session *s, uint32_t function, enum calls calls)
{
	const struct test_function *f = &s->functions.data[function];
	if (!may_be_given(s, function))
		return 0;
	if (calls == SMALL_CALLS)
		return !f->small_tried && f->result.ran && f->harness->number != UINT32_MAX && (f->owed ? has_contract(s, function) : !f->result.exhausted);
	return !f->given_tried && f->owed && has_contract(s, function) && can_be_stated(s, function) && (calls == ALL_CALLS || f->result.exhausted);
}

/* ----------------------------------------------------------------- merging */

static uint32_t function_of(const struct test_session *s, const char *name)
{
	for (uint32_t i = 0; i < s->functions.size; i++)
		if (!strcmp(s->functions.data[i].name, name))
			return i;
	return UINT32_MAX;
}

static struct test_bug *same_bug(struct test_session *s, const struct test_bug *b)
{
	for (size_t i = 0; i < s->bugs.size; i++) {
		const struct result_bug *x = &s->bugs.data[i].finding.bug, *y = &b->finding.bug;
		if (x->confirmed && !strcmp(x->kind, y->kind) && x->line == y->line && !strcmp(x->function, y->function) && !strcmp(x->file, y->file))
			return &s->bugs.data[i];
	}
	return NULL;
}

/* It is a bug after all: with the input that keeps the contract. */
static void blame(struct test_session *s, struct test_bug *known, struct test_bug *b, uint32_t function)
{
	int was_owed = known->owed;
	if (test_is_blamed(known, function))
		return;
	known->owed = 0;
	vec_push(&known->blamed, function);
	test_owing_none(&s->functions.data[function], known->serial);
	s->functions.data[function].bugs++;
	s->functions.data[function].owed -= s->functions.data[function].owed > 0;
	if (!was_owed)
		return;
	for (size_t i = 0; i < known->also.size && known->function != function; i++)
		if (known->also.data[i] == function) {
			known->also.data[i] = known->function;
			known->function = function;
		}
	if (known->function != function)
		return;
	struct buf data = known->data;
	known->data = b->data;
	b->data = data;
	if (b->finding.bug.summary)
		known->finding.bug.summary = finding_text(&known->finding, "%s", b->finding.bug.summary);
}

static void adopt(struct test_session *s, struct test_bug *b, uint32_t function)
{
	struct test_bug x = *b;
	b->finding = FINDING_NONE;
	buf_init(&b->data);
	x.function = x.first = function;
	x.test = 0;
	x.program = 0;
	x.serial = (uint32_t)s->bugs.size;
	x.also.data = NULL;
	x.also.size = x.also.cap = 0;
	x.blamed.data = NULL;
	x.blamed.size = x.blamed.cap = 0;
	vec_push(&x.blamed, function);
	x.finding.bug.name = finding_text(&x.finding, "%s-given", x.finding.bug.name);
	s->functions.data[function].bugs++;
	vec_push(&s->bugs, x);
}

static void take_bugs(struct test_session *s, struct test_session *given)
{
	for (size_t i = 0; i < given->bugs.size; i++) {
		struct test_bug *b = &given->bugs.data[i];
		uint32_t function = function_of(s, given->functions.data[b->function].name);
		if (b->owed || !b->finding.bug.confirmed || function == UINT32_MAX || !can_be_stated(s, function)) /* then calls that break its contract were made as well */
			continue;
		struct test_bug *known = same_bug(s, b);
		if (known)
			blame(s, known, b, function);
		else
			adopt(s, b, function);
	}
}

/* What the new one says as well. */
static void drop_implied(struct test_session *s, const struct test_contract *c)
{
	size_t n = 0;
	for (size_t i = 0; i < s->contracts.size; i++)
		if (s->contracts.data[i].function != c->function || !contract_implies(c->requires, s->contracts.data[i].requires))
			s->contracts.data[n++] = s->contracts.data[i];
	s->contracts.size = n;
}

/* Are there such? */
static int take_contracts(struct test_session *s, const struct test_session *given)
{
	int found = 0;
	for (size_t i = 0; i < given->contracts.size; i++) {
		struct test_contract c = given->contracts.data[i];
		c.function = function_of(s, given->functions.data[c.function].name);
		if (c.function == UINT32_MAX || !can_be_stated(s, c.function))
			continue;
		c.requires = arena_strdup(&s->arena, c.requires);
		c.data = arena_copy(&s->arena, c.data, c.size);
		c.necessary = 0; /* of calls that keep the rest */
		drop_implied(s, &c);
		test_contract_add(s, &c);
		s->functions.data[c.function].given_tried = s->functions.data[c.function].small_tried = 0;
		found = 1;
	}
	return found;
}

/* A contract that only calls keep for which it says nothing (behind a null pointer) is none that anybody can use: of each clause some call that passed must have had all that it speaks of. */
static int is_kept_in_earnest(const struct test_session *s, uint32_t function, const struct test_session *given, uint32_t g)
{
	const struct test_function *f = &given->functions.data[g];
	struct causes x;
	int all = 1;
	causes_init(&x, given->driven.harness, f->harness->number, NULL);
	for (size_t i = 0; i < s->contracts.size && all; i++) {
		if (s->contracts.data[i].function != function)
			continue;
		all = 0;
		for (size_t k = 0; k < f->tests.size && !all; k++)
			all = f->tests.data[k].passed && !(f->tests.data[k].flags & TEST_ASSUMED) && causes_meets_text(&x, f->tests.data[k].data, f->tests.data[k].size, s->contracts.data[i].requires);
	}
	causes_release(&x);
	return all;
}

/* A contract that C cannot state was not assumed: the same one must have been found. */
static int has_same_contract(const struct test_session *s, uint32_t function, const struct test_session *given, uint32_t g)
{
	size_t same = 0;
	for (size_t i = 0; i < s->contracts.size; i++)
		for (size_t k = 0; k < given->contracts.size && s->contracts.data[i].function == function; k++)
			same += given->contracts.data[k].function == g && !strcmp(given->contracts.data[k].requires, s->contracts.data[i].requires);
	return same == count_contracts(s, function) && same == count_contracts(given, g);
}

static void take_verdicts(struct test_session *s, const struct test_session *given)
{
	for (size_t i = 0; i < given->functions.size; i++) {
		const struct test_function *g = &given->functions.data[i];
		uint32_t function = function_of(s, g->name);
		uint64_t passed = 0;
		for (size_t k = 0; k < g->tests.size; k++)
			passed += (uint64_t)(g->tests.data[k].passed && !(g->tests.data[k].flags & TEST_ASSUMED));
		if (function == UINT32_MAX)
			continue;
		struct test_function *f = &s->functions.data[function];
		int tried = g->searched && !g->result.stopped && !g->lost;
		f->given = (g->clean || (g->given && !g->bugs)) && passed && !g->result.composed &&
			   (can_be_stated(s, function) ? is_kept_in_earnest(s, function, given, (uint32_t)i) : has_same_contract(s, function, given, (uint32_t)i));
		f->small = f->given && given->o->small;
		*(given->o->small ? &f->small_tried : &f->given_tried) = tried;
	}
}

static void take_costs(struct test_session *s, const struct test_session *given)
{
	search_stats_add(&s->costs.search, &given->costs.search);
	solve_stats_add(&s->costs.solve, &given->costs.solve);
	s->costs.checks += given->costs.checks;
	s->costs.batch_seconds += given->costs.batch_seconds;
	s->costs.shrink_seconds += given->costs.shrink_seconds;
	s->costs.confirm_seconds += given->costs.confirm_seconds;
}

/* ------------------------------------------------------------------- rounds */

/* The options of the search: the user's preconditions, and the contracts. */
static void add_requires(const struct test_session *s, struct test_options *o, enum calls calls)
{
	VEC(const char *) all = {0};
	for (int i = 0; i < s->o->requires.size; i++)
		vec_push(&all, mem_strdup(s->o->requires.data[i]));
	for (uint32_t i = 0; i < s->functions.size; i++) {
		struct buf text = BUF_EMPTY;
		if (is_worth_it(s, i, calls) && has_contract(s, i) && can_be_stated(s, i)) {
			test_contract_text(s, i, &text);
			vec_push(&all, mem_printf("%s: %s", s->functions.data[i].name, buf_str(&text)));
		}
		buf_release(&text);
	}
	o->requires.size = (int)all.size;
	vec_push(&all, NULL);
	o->requires.data = all.data;
}

/* The time that is left is the second session's whole time, from now on: by the first one's clock its search would be over before it began. */
static void take_time(struct test_session *s, struct test_options *o)
{
	double left = deadline_left();
	s->round.shared->started = test_clock();
	if (!isinf(left))
		o->seconds = left;
}

/* Larger objects are for branches that no call has taken: here they were, by calls that break the contract. */
static int needs_growth(struct test_session *s, enum calls calls)
{
	test_find_covered(s);
	for (uint32_t i = 0; i < s->functions.size; i++)
		if (is_worth_it(s, i, calls) && s->functions.data[i].covered < s->functions.data[i].outcomes)
			return 1;
	return 0;
}

/* 1: there were such functions, and something came of them; 0; -1. */
static int search_once(struct test_session *s, enum calls calls)
{
	struct test_options o = *s->o;
	struct test_session *given = mem_zalloc(sizeof *given);
	struct buf names = BUF_EMPTY;
	double started = s->round.shared->started;
	int r = 0;
	for (uint32_t i = 0; i < s->functions.size; i++)
		if (is_worth_it(s, i, calls))
			buf_addf(&names, "%s%s", names.size ? "," : "", s->functions.data[i].name);
	if (names.size && !test_late(s)) {
		add_requires(s, &o, calls);
		o.summaries = 0;
		o.unstored = 1;
		o.small = calls == SMALL_CALLS;
		o.no_grow |= o.small || !needs_growth(s, calls);
		o.kind = KIND_GENERATIONAL; /* callees run: no summary of theirs stands for a call */
		given->o = &o;
		given->file = s->file;
		given->function = buf_str(&names);
		given->round.shared = s->round.shared;
		s->round.shared->next = 0;
		memset(s->round.shared->workers, 0, sizeof s->round.shared->workers);
		take_time(s, &o);
		if (test_session_again(given)) {
			log_info("%s: nothing is verified given a contract: %s", s->file, error_text());
		} else {
			take_bugs(s, given);
			take_verdicts(s, given);
			r = take_contracts(s, given);
		}
		s->round.shared->started = started;
		take_costs(s, given);
		test_session_release(given);
		for (int i = 0; i < o.requires.size; i++)
			free((char *)o.requires.data[i]);
		free(o.requires.data);
	}
	free(given);
	buf_release(&names);
	return r;
}

static int search_rounds(struct test_session *s, enum calls calls)
{
	int more = 1;
	for (int i = 0; i < ROUNDS && more > 0; i++)
		more = search_once(s, calls);
	return more < 0 ? -1 : 0;
}

int test_given(struct test_session *s)
{
	int limited = !isinf(deadline_left());
	if (!test_has_contracts(s->o) || search_kind_composes(s->o->kind) || !file_is_c(s->file))
		return 0;
	carry_given(s);
	if ((limited && search_rounds(s, ENDED_CALLS)) || search_rounds(s, ALL_CALLS))
		return -1;
	return search_rounds(s, SMALL_CALLS);
}
