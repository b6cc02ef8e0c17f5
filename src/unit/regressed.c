/* regressed.c: findings of this version that some call shows which passes in another one, the base.
 *
 * A finding is known by kind and place, and one input stands for all that show it. Whether it is older than a change is a matter of each of them: where the base fails for a null pointer alone, an empty
 * buffer that fails in the same line now is new. So inputs that fail here are run in the san variants of both versions, one after the other: a finding *regressed* if a run shows it here and the same call
 * passes there, without any finding. It is reported by such a call, by one that breaks least of what the base required of callers. What is otherwise a contract is then a bug, for the base allowed that call: one such
 * finding of a function that has no other, since a check that is gone lets a dozen kinds of calls fail. A contract has grown stronger only if the call that shows it passes in the base.
 *
 * Inputs are compared where they mean the same in both versions (reuse.h). Nothing is said of time-outs, which a busy machine shows as well, nor of conversions, which count or do not by a trace. That a null pointer plus 0 fails
 * is what callers owe still, as a loop over pointers for one over indices has it (e = p + n): no compiler does harm there, and C2y defines it.
 */
#include "base/deadline.h"
#include "base/mem.h"
#include "check/batch.h"
#include "contract/cause.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 24 /* that show a finding and are tried; the smallest | most findings regress by each call or by none */

#define AGAIN 15	 /* times that a call which passes in the base is run there once more | of clocks and the like each other value fails, as a rule; with 4 such a function was still told in 1 of 11 searches */
#define HANGS 4	 /* calls that hang in one version, and no more are run | each takes ten times as long as a call may */

/* A call that shows a finding, or breaks a contract: of a function of the base, too. */
struct tried {
	size_t of;	   /* number of the bug; of contracts after all bugs */
	uint32_t function; /* here */
	size_t test;	   /* number in its tests; SIZE_MAX: the call that is reported */
	size_t size;
	const void *data;
	unsigned broken; /* clauses that the base requires, of a call that passes there */
};

struct regressions {
	struct test_session *s, *base;
	VEC(uint32_t) there; /* by function: its number in the base + 1; 0: none, or its inputs mean something else */
	VEC(struct tried) tried;
	VEC(struct batch_item) here, before; /* by tried */
};

static void match_functions(struct regressions *r)
{
	struct strmap names = {0};
	uint64_t at;
	for (size_t i = 0; i < r->base->functions.size; i++)
		strmap_set(&names, r->base->functions.data[i].name, i);
	for (size_t i = 0; i < r->s->functions.size; i++) {
		const struct test_reused *a = &r->s->functions.data[i].reuse, *b = NULL;
		if (strmap_get(&names, r->s->functions.data[i].name, &at))
			b = &r->base->functions.data[at].reuse;
		int same = b && a->keyed && b->keyed && a->inputs.a == b->inputs.a && a->inputs.b == b->inputs.b;
		vec_push(&r->there, same ? (uint32_t)at + 1 : 0);
	}
	strmap_release(&names);
}

static void try_call(struct regressions *r, struct tried t, const void *data)
{
	t.data = data;
	vec_push(&r->tried, t);
	vec_push(&r->here, ((struct batch_item){.data = data, .size = t.size}));
	vec_push(&r->before, ((struct batch_item){.data = data, .size = t.size}));
}

static int smaller(const void *x, const void *y)
{
	const struct tried *a = x, *b = y;
	return a->size != b->size ? (a->size > b->size) - (a->size < b->size) : (a->test > b->test) - (a->test < b->test);
}

static int is_asked(const struct test_bug *b)
{
	const char *kind = b->finding.bug.kind;
	return b->finding.bug.confirmed && !b->uncalled && strcmp(kind, "timeout") && strncmp(kind, "implicit-", 9) && !(b->owed && !strcmp(kind, "nullptr-with-offset"));
}

/* The call that is reported, then others of any function. */
static void try_bug(struct regressions *r, size_t number)
{
	const struct test_bug *b = &r->s->bugs.data[number];
	VEC(struct tried) others = {0};
	if (r->there.data[b->function])
		try_call(r, (struct tried){.of = number, .function = b->function, .test = SIZE_MAX, .size = b->data.size}, b->data.data);
	for (uint32_t i = 0; i < r->s->functions.size; i++) {
		const struct test_function *f = &r->s->functions.data[i];
		for (size_t k = 0; k < f->shown.size && r->there.data[i]; k++) {
			const struct test_case *t = &f->tests.data[f->shown.data[k].test];
			if (f->shown.data[k].bug == b->serial && !t->hidden && !(t->flags & (TEST_HANG | TEST_WAITS | TEST_LONG | TEST_ASSUMED)))
				vec_push(&others, ((struct tried){.of = number, .function = i, .test = f->shown.data[k].test, .size = t->size}));
		}
	}
	if (others.size)
		qsort(others.data, others.size, sizeof *others.data, smaller);
	for (size_t i = 0; i < others.size && i < CALLS; i++)
		try_call(r, others.data[i], r->s->functions.data[others.data[i].function].tests.data[others.data[i].test].data);
	vec_release(&others);
}

static int passes(const struct batch_item *x)
{
	return x->ran && !x->failed && !x->waits && !x->cut && WIFEXITED(x->status);
}

static int shows(const struct batch_item *x, const struct test_bug *b)
{
	const struct result_bug *f = &b->finding.bug;
	for (size_t i = 0; i < x->bug_count && x->failed && !x->cut; i++) {
		const struct result_bug *y = &x->bugs[i];
		if (!strcmp(y->kind, f->kind) && y->line == f->line && (!y->function || !f->function[0] || !strcmp(y->function, f->function)))
			return 1;
	}
	return 0;
}

/* Those that are left when the time is over, or hang, are not run. */
static int run_all(struct batch *b, struct batch_item *items, size_t count)
{
	unsigned hangs = 0;
	for (size_t i = 0; i < count && hangs < HANGS && !deadline_over(); i += CALLS) {
		size_t n = count - i < CALLS ? count - i : CALLS;
		if (batch_run(b, items + i, n))
			return -1;
		for (size_t k = i; k < i + n; k++)
			hangs += (unsigned)(items[k].timed || items[k].waits);
	}
	return 0;
}

/* Where a call passes in the base and fails there as well, by the clock or by what was in memory, no call of the function is said to pass: by chance one of many always does. */
static int run_again(struct regressions *r)
{
	VEC(struct batch_item) again = {0};
	VEC(size_t) of = {0};
	uint8_t *varies = mem_zalloc(r->s->functions.size + 1);
	for (size_t i = 0; i < r->tried.size; i++) {
		const struct tried *t = &r->tried.data[i];
		if (!passes(&r->before.data[i]) || (t->of < r->s->bugs.size && !shows(&r->here.data[i], &r->s->bugs.data[t->of])))
			continue;
		for (int k = 0; k < AGAIN; k++) {
			vec_push(&again, ((struct batch_item){.data = t->data, .size = t->size}));
			vec_push(&of, i);
		}
	}
	int e = run_all(r->base->check.batch, again.data, again.size);
	for (size_t i = 0; i < again.size; i++)
		varies[r->tried.data[of.data[i]].function] |= again.data[i].ran && !passes(&again.data[i]);
	for (size_t i = 0; i < r->tried.size; i++)
		if (varies[r->tried.data[i].function])
			r->before.data[i].failed = 1;
	batch_items_release(again.data, again.size);
	vec_release(&again);
	vec_release(&of);
	free(varies);
	return e;
}

static int run_both(struct regressions *r)
{
	if (!r->tried.size)
		return 0;
	if (test_open_checks(r->s) || test_open_checks(r->base))
		return test_late(r->s) ? 0 : -1;
	return run_all(r->s->check.batch, r->here.data, r->here.size) || run_all(r->base->check.batch, r->before.data, r->before.size) || run_again(r) ? -1 : 0;
}

/* It is reported by this call, and by none that the base fails for. */
static int report_by(struct regressions *r, const struct tried *t)
{
	struct test_bug *b = &r->s->bugs.data[t->of];
	struct test_function *f = &r->s->functions.data[t->function];
	if (t->test != SIZE_MAX) {
		struct buf before = BUF_EMPTY;
		buf_add(&before, b->data.data, b->data.size);
		const char *name = b->finding.bug.name, *file = b->finding.bug.input_file;
		int e = test_blame(r->s, b, t->function, t->test);
		if (file && *file && strcmp(name, b->finding.bug.name)) /* it is written under its new name */
			unlink(file);
		int same = before.size == b->data.size && !memcmp(before.data, b->data.data, before.size);
		buf_release(&before);
		if (e || same) /* it was not confirmed in a process of its own */
			return e ? -1 : 0;
	}
	b->regressed = 1;
	if (b->owed) {
		b->owed = 0;
		vec_push(&b->blamed, t->function);
		f->bugs++;
		f->owed -= f->owed > 0;
	}
	return 0;
}

/* How many clauses of the base's contract does the call break? */
static unsigned broken_before(struct regressions *r, const struct tried *t)
{
	uint32_t there = r->there.data[t->function] - 1;
	struct causes x;
	unsigned n = 0;
	causes_init(&x, r->base->driven.harness, r->base->functions.data[there].harness->number, NULL);
	for (size_t i = 0; i < r->base->contracts.size; i++)
		if (r->base->contracts.data[i].function == there)
			n += causes_keeps_text(&x, t->data, t->size, r->base->contracts.data[i].requires) <= 0;
	causes_release(&x);
	return n;
}

/* Is it the better call to tell? */
static int is_better(const struct tried *a, const struct tried *b)
{
	if (!b || a->broken != b->broken)
		return !b || a->broken < b->broken;
	if ((a->test == SIZE_MAX) != (b->test == SIZE_MAX)) /* that one is as small as it could be made */
		return a->test == SIZE_MAX;
	return a->size < b->size;
}

/* Findings that are bugs, each by its best call; of those that are contracts the best one of each function. */
static int report(struct regressions *r)
{
	struct test_session *s = r->s;
	const struct tried **of_bug = mem_zalloc((s->bugs.size + 1) * sizeof *of_bug), **of_function = mem_zalloc((s->functions.size + 1) * sizeof *of_function);
	int e = 0;
	for (size_t i = 0; i < r->tried.size; i++) {
		struct tried *t = &r->tried.data[i];
		if (t->of >= s->bugs.size || !passes(&r->before.data[i]) || !shows(&r->here.data[i], &s->bugs.data[t->of]))
			continue;
		t->broken = broken_before(r, t);
		const struct tried **best = s->bugs.data[t->of].owed ? &of_function[t->function] : &of_bug[t->of];
		if (is_better(t, *best))
			*best = t;
	}
	for (size_t i = 0; i < s->bugs.size && !e; i++)
		e = of_bug[i] ? report_by(r, of_bug[i]) : 0;
	for (size_t i = 0; i < s->bugs.size; i++)
		if (s->bugs.data[i].regressed)
			of_function[s->bugs.data[i].function] = NULL;
	for (size_t i = 0; i < s->functions.size && !e; i++)
		e = of_function[i] ? report_by(r, of_function[i]) : 0;
	free(of_bug);
	free(of_function);
	return e;
}

/* Contracts of which no call shows that they grew stronger did not. */
static void keep_stronger(struct regressions *r)
{
	struct test_session *s = r->s;
	uint8_t *stronger = mem_zalloc(s->contracts.size + 1);
	for (size_t i = 0; i < r->tried.size; i++)
		if (r->tried.data[i].of >= s->bugs.size && passes(&r->before.data[i]))
			stronger[r->tried.data[i].of - s->bugs.size] = 1;
	for (size_t i = 0; i < s->contracts.size; i++)
		if (!stronger[i])
			s->contracts.data[i].before = NULL;
	free(stronger);
}

int test_regressed(struct test_session *s, struct test_session *base)
{
	struct regressions r = {.s = s, .base = base};
	match_functions(&r);
	for (size_t i = 0; i < s->bugs.size; i++)
		if (is_asked(&s->bugs.data[i]))
			try_bug(&r, i);
	for (size_t i = 0; i < s->contracts.size; i++) {
		const struct test_contract *c = &s->contracts.data[i];
		if (c->before && r.there.data[c->function])
			try_call(&r, (struct tried){.of = s->bugs.size + i, .function = c->function, .test = SIZE_MAX, .size = c->size}, c->data);
	}
	int e = run_both(&r);
	keep_stronger(&r);
	if (!e)
		e = report(&r);
	batch_items_release(r.here.data, r.here.size);
	batch_items_release(r.before.data, r.before.size);
	vec_release(&r.here);
	vec_release(&r.before);
	vec_release(&r.tried);
	vec_release(&r.there);
	return e;
}
