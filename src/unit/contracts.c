/* contracts.c: what functions require of their callers, from the calls that failed.
 *
 * When everything was searched and checked, the failing calls of each function are traced once more, for the conditions of their paths, and explained (contract/cause.h). A finding is then
 *
 *   a bug       of memory that the function owns (check/owner.h; a block that it gave back twice only if it was not passed for two); in the whole program; whose cause lies in scalar values alone; or of which some call has no cause in the language of clause.h, or is not proved to have it;
 *   a contract  otherwise: each call that showed it, of whichever function, breaks what that function's callers owe: pointers, lengths, what a structure's members say of each other, an assertion on scalars
 *               that fails for every call which breaks it.
 *
 * It is a bug of those functions alone that show it by calls which break nothing that is owed to them, and reported with such a call: where bad() passes null to get(), get() is not to blame.
 *
 * A function whose contract a person accepted owes nothing more: what fails for calls that keep it is a bug, and its cause is what it requires now.
 *
 * Scalar members of structures are the structure's invariant where memory of the caller's is left by them or callers have no name for them (hidden.h), and else values as any others. A finding that any rule leaves in doubt is a bug.
 */
#include "base/deadline.h"
#include "base/log.h"
#include "base/mem.h"
#include "check/located.h"
#include "check/owner.h"
#include "contract/convention.h"
#include "search/path.h"
#include "unit/carry.h"
#include "unit/hidden.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define FAILING 400 /* calls of a function that failed and are explained, some for each finding; others are judged by what explains these */
#define FAILING_LEAST 16 /* of them for each finding, however many there are */
#define CONDITIONS_MOST 4000 /* of a path that does not end: those that are looked at for what it waits for */
#define LAST_RESULTS 4 /* of the results of functions outside: a loop may call several, and look at one of them */
#define BEGINNING 400 /* conditions of a path that was cut off */
#define PASSING 200 /* calls of it that passed and are looked at; with more no cause is called necessary */

/* Some call that showed this finding is explained by this cause. */
struct reason {
	uint32_t bug, cause;
};

/* A function whose calls are explained. */
struct explained {
	uint32_t function;
	struct causes causes;
	VEC(uint32_t) call_of; /* by test: number of its call + 1; 0: it was not looked at */
	VEC(uint8_t) beyond;   /* by test: it failed like others, and there were too many to look at */
	VEC(struct reason) reasons;
	uint8_t *owed;	       /* of each cause: callers owe it */
	int whole;	       /* time sufficed for all calls */
};

struct explaining {
	struct test_session *s;
	struct solver *solver;
	struct sites sites;
	struct path path;
	VEC(uint32_t) numbers; /* of bugs, by serial: number + 1 */
	VEC(struct explained) functions;
	struct hidden hidden;
	double until; /* the function's share of the time ends; 0: there is no limit */
};

/* ------------------------------------------------------------------ tracing */

/* A branch that the source has: no check of the compiler's, and nothing about which object an address is in. */
static int is_written(const struct sites *sites, const struct path_step *step)
{
	const struct sites_decision *d = &sites->decisions.data[step->site];
	return (d->kind == SITES_COUNTED || d->kind == SITES_LIBRARY) && d->line;
}

/* Does the path look at one of the last results that functions without a body can have? After these all are 0, which a loop may wait for not to be for ever: no defect is shown by that. */
static int has_used_up(struct explaining *x, struct causes *c, struct import *im)
{
	uint32_t results = x->s->driven.harness->calls.data[c->number].results, end = results + DRIVE_RESULTS * DRIVE_RESULT;
	for (size_t i = 0; i < x->path.steps.size && i < CONDITIONS_MOST; i++) {
		uint32_t count;
		const expr_t *v = expr_vars(c->pool, path_constraint(&x->path.steps.data[i], im, &x->sites), &count);
		for (uint32_t k = 0; k < count; k++) {
			const struct expr_node *e = expr_get(c->pool, v[k]);
			if (e->op == MUSTER_OP_INPUT && e->k >= end - LAST_RESULTS * DRIVE_RESULT && e->k < end)
				return 1;
		}
	}
	return 0;
}

/* The conditions of the call's path, up to the first check that it broke. */
static void read_conditions(struct explaining *x, struct causes *c, struct cause_call *call, const struct trace *t, int hangs)
{
	struct import im;
	vec_clear(&call->conditions);
	vec_clear(&call->decided);
	vec_clear(&call->decided_in);
	call->failed_in = ENTRY_NONE;
	import_init(&im, t, c->pool, call->size);
	x->path.exact = 1;
	x->path.checks = x->s->o->checks;
	path_read(&x->path, t, &x->sites, NULL, 0);
	/* Of a call that failed the beginning of its path says enough: what is excluded by that is excluded. */
	int part = x->path.cut || hangs;
	call->traced = (!part || call->failed) && !x->path.assumed;
	for (size_t i = 0; i < x->path.steps.size && call->traced && (!part || i < BEGINNING); i++) {
		const struct path_step *step = &x->path.steps.data[i];
		int broke = path_broke(step) && !step->free;
		vec_push(&call->conditions, path_constraint(step, &im, &x->sites));
		if (step->kind == MUSTER_EV_BRANCH && is_written(&x->sites, step)) {
			vec_push(&call->decided, vec_last(&call->conditions));
			vec_push(&call->decided_in, x->sites.decisions.data[step->site].function);
		}
		if (broke && !call->failed) /* the san variant says otherwise */
			call->traced = 0;
		call->broke = broke;
		if (broke && step->kind == MUSTER_EV_BRANCH)
			call->failed_in = x->sites.decisions.data[step->site].function;
		if (broke)
			break;
	}
	call->starved = part && call->failed && has_used_up(x, c, &im);
	import_release(&im);
}

static int trace_call(struct explaining *x, struct causes *c, size_t number)
{
	struct cause_call *call = &c->calls.data[number];
	struct launch_input in = target_input(x->s->driven.argv, call->data, call->size, NULL);
	struct run_result r;
	struct trace t;
	if (launcher_run(x->s->check.tracer, &in, &r))
		return -1;
	int hangs = call->failed && r.end == RUN_TIME, killed = !hangs && r.end != RUN_EXIT && (r.end != RUN_SIGNAL || r.signal == SIGKILL);
	if (r.end == RUN_FAILED || r.end == RUN_CUT || r.counts.state == MUSTER_STATE_FAILED || killed || trace_open(&t, &x->s->check.trace.shm, 0))
		return 0;
	read_conditions(x, c, call, &t, hangs);
	trace_release(&t);
	return 0;
}

/* ------------------------------------------------------------------ causes */

static int late(void *ctx)
{
	const struct explaining *x = ctx;
	return test_late(x->s) || (x->until > 0 && test_clock() > x->until);
}

static const struct test_bug *bug_of(const struct explaining *x, uint32_t serial)
{
	return serial < x->numbers.size && x->numbers.data[serial] ? &x->s->bugs.data[x->numbers.data[serial] - 1] : NULL;
}

static int is_owned(const struct test_bug *b)
{
	return owner_of(b->finding.bug.kind, b->finding.bug.report) == OWNER_SELF;
}

static int is_shared(const struct test_bug *b)
{
	return owner_of(b->finding.bug.kind, b->finding.bug.report) == OWNER_SHARED;
}

/* Does it fail in a way that pointers to one object explain? */
static int is_of_shape(const struct test_bug *b)
{
	return is_shared(b) || !strcmp(b->finding.bug.kind, "timeout") || strstr(b->finding.bug.kind, "-param-overlap");
}

static int is_assertion(const struct test_bug *b)
{
	return !strcmp(b->finding.bug.kind, "assert");
}

static int is_of_null(const struct test_bug *b)
{
	const char *kind = b->finding.bug.kind;
	return !strcmp(kind, "null-pointer-use") || !strncmp(kind, "nullptr-", 8) || (!strcmp(kind, "pointer-pair") && b->finding.bug.summary && strstr(b->finding.bug.summary, "null pointer")) || !strcmp(kind, "invalid-null-argument");
}

/* Arithmetic does not fail since a pointer is null: that the call breaks such a clause, too, says nothing of it. */
static int is_arithmetic(const struct test_bug *b)
{
	const char *kind = b->finding.bug.kind;
	return !strcmp(kind, "float-cast-overflow") || !strcmp(kind, "integer-divide-by-zero") || !strcmp(kind, "float-divide-by-zero") || strstr(kind, "integer-overflow") || !strncmp(kind, "invalid-shift-", 14) || !strncmp(kind, "implicit-", 9);
}

/* Which failing tests are explained: where there are many, of each finding as many as of the others, from the first to the last of them. A function may fail for each of a thousand lengths. */
static void choose_failing(const struct test_function *f, const uint8_t *wanted, uint8_t *chosen)
{
	struct shown_count {
		uint32_t bug;
		size_t tests, seen;
	};
	VEC(struct shown_count) counts = {0};
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < f->shown.size; i++) {
			const struct test_shown *shown = &f->shown.data[i];
			size_t k = 0;
			if (!wanted[shown->test])
				continue;
			while (k < counts.size && counts.data[k].bug != shown->bug)
				k++;
			if (k == counts.size)
				vec_push(&counts, ((struct shown_count){shown->bug, 0, 0}));
			struct shown_count *c = &counts.data[k];
			size_t share = FAILING / counts.size > FAILING_LEAST ? FAILING / counts.size : FAILING_LEAST;
			c->tests += !pass;
			if (pass)
				chosen[shown->test] |= c->seen++ % ((c->tests + share - 1) / share) == 0;
		}
	vec_release(&counts);
}

/* Bytes before the start of an object of the caller's that the finding is about; 0: it is another. */
static uint64_t bytes_before(const struct test_bug *b)
{
	struct located l;
	if (owner_of(b->finding.bug.kind, b->finding.bug.report) != OWNER_CALLER || !located_read(b->finding.bug.report, &l) || l.where != LOCATED_BEFORE)
		return 0;
	return l.distance;
}

/* What the call failed by. */
static void describe_failure(struct cause_call *call, const struct test_bug *b)
{
	const struct result_bug *x = &b->finding.bug;
	call->null |= !is_owned(b) && is_of_null(b);
	call->pair |= !strcmp(x->kind, "pointer-pair");
	call->assertion |= !is_owned(b) && is_assertion(b);
	call->address |= !strcmp(x->kind, "pointer-overflow");
	call->arithmetic |= is_arithmetic(b);
	call->reads |= x->summary && strstr(x->summary, "a read ");
	call->before = bytes_before(b);
}

/* The calls: tests that passed, and those that failed in a way that may be a caller's fault. */
static void add_calls(struct explaining *x, struct explained *e)
{
	const struct test_function *f = &x->s->functions.data[e->function];
	uint8_t *wanted = mem_zalloc(f->tests.size + 1), *chosen = mem_zalloc(f->tests.size + 1);
	size_t passing = 0;
	int all = 1;
	for (size_t i = 0; i < f->shown.size; i++) {
		const struct test_bug *b = bug_of(x, f->shown.data[i].bug);
		if (b && b->finding.bug.confirmed && !is_owned(b))
			wanted[f->shown.data[i].test] |= (uint8_t)(1u << (f->shown.data[i].order ? CAUSE_BY_OTHERS : is_shared(b) ? CAUSE_BY_SHAPE : is_of_shape(b) ? CAUSE_BY_ALL : CAUSE_BY_OTHERS));
	}
	choose_failing(f, wanted, chosen);
	for (size_t i = 0; i < f->tests.size; i++) {
		const struct test_case *t = &f->tests.data[i];
		int failed = t->failed && wanted[i];
		vec_push(&e->call_of, 0);
		vec_push(&e->beyond, 0);
		if (t->flags & (TEST_ASSUMED | TEST_WAITS) || (t->flags & TEST_HANG && !failed) || t->hidden || (!failed && !t->passed))
			continue;
		if (failed && !chosen[i]) {
			vec_last(&e->beyond) = 1;
			continue;
		}
		if (!failed && passing++ >= PASSING) {
			all = 0;
			continue;
		}
		struct cause_call *call = causes_add(&e->causes, t->data, t->size, failed);
		call->by = wanted[i] >> CAUSE_BY_SHAPE & 1 ? CAUSE_BY_SHAPE : wanted[i] >> CAUSE_BY_ALL & 1 ? CAUSE_BY_ALL : CAUSE_BY_OTHERS;
		vec_last(&e->call_of) = (uint32_t)e->causes.calls.size;
	}
	for (size_t i = 0; i < f->shown.size; i++) {
		const struct test_bug *b = bug_of(x, f->shown.data[i].bug);
		uint32_t call = e->call_of.data[f->shown.data[i].test];
		if (call && b && b->finding.bug.confirmed)
			e->causes.calls.data[call - 1].uses_null |= !strcmp(b->finding.bug.kind, "null-pointer-use");
		if (call && b && b->finding.bug.confirmed && !f->shown.data[i].order)
			describe_failure(&e->causes.calls.data[call - 1], b);
	}
	e->causes.exhausted = all && f->result.ended && f->result.exhausted && !f->beyond && f->checked && !f->unchecked && !f->suspected && !f->suppressed && !f->harness->limits;
	free(chosen);
	free(wanted);
}

static int explain(struct explaining *x, uint32_t function)
{
	struct test_session *s = x->s;
	struct explained e = {.function = function};
	int r = 0;
	causes_init(&e.causes, s->driven.harness, s->functions.data[function].harness->number, x->solver);
	e.causes.late = late;
	e.causes.ctx = x;
	e.causes.stop = s->o->stop;
	add_calls(x, &e);
	for (size_t i = 0; i < e.causes.calls.size && !r && !late(x); i++) {
		r = trace_call(x, &e.causes, i);
		if (!r && !e.causes.calls.data[i].traced && e.causes.calls.data[i].failed) /* a busy machine may have been the reason */
			r = trace_call(x, &e.causes, i);
	}
	if (!r)
		causes_find(&e.causes);
	e.owed = mem_zalloc(e.causes.all.size + 1);
	e.whole = !late(x);
	vec_push(&x->functions, e);
	return r;
}

/* Has it a failing call without a cause, or with one that lies in scalars alone? */
static int is_open(struct explained *e)
{
	for (size_t i = 0; i < e->causes.calls.size; i++) {
		const struct cause_call *c = &e->causes.calls.data[i];
		if (c->failed && c->traced && (c->cause == ENTRY_NONE || cause_is_scalar(&e->causes, &e->causes.all.data[c->cause])))
			return 1;
	}
	return 0;
}

/* What other functions require of the same places may explain what is left. */
static void share_causes(struct explaining *x)
{
	double left = deadline_left();
	for (size_t i = 0; i < x->functions.size; i++) {
		struct explained *e = &x->functions.data[i];
		size_t offered = 0;
		for (size_t k = 0; k < x->functions.size && !late(x) && is_open(e); k++)
			for (size_t n = 0; n < x->functions.data[k].causes.all.size && k != i; n++)
				offered += (size_t)causes_offer(&e->causes, &x->functions.data[k].causes, &x->functions.data[k].causes.all.data[n]);
		if (!offered)
			continue;
		x->until = isinf(left) ? 0 : test_clock() + deadline_left() / 2;
		causes_again(&e->causes);
		free(e->owed);
		e->owed = mem_zalloc(e->causes.all.size + 1);
		e->whole &= !late(x);
	}
	x->until = 0;
}

struct turn {
	uint32_t function;
	size_t calls; /* that failed */
};

static int fewer_calls(const void *x, const void *y)
{
	const struct turn *a = x, *b = y;
	return a->calls != b->calls ? (a->calls < b->calls ? -1 : 1) : (a->function > b->function) - (a->function < b->function);
}

static int by_function(const void *x, const void *y)
{
	const struct explained *a = x, *b = y;
	return (a->function > b->function) - (a->function < b->function);
}

/* Those with few calls first, each with up to twice its even share of what is left: one with many calls takes no time from the others. */
static int explain_all(struct explaining *x)
{
	struct test_session *s = x->s;
	VEC(struct turn) turns = {0};
	int r = 0;
	for (uint32_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].bugs && s->functions.data[i].shown.size && s->functions.data[i].harness->number != UINT32_MAX && !carry_contracts(s, i))
			vec_push(&turns, ((struct turn){i, s->functions.data[i].shown.size}));
	if (turns.size)
		qsort(turns.data, turns.size, sizeof *turns.data, fewer_calls);
	for (size_t i = 0; i < turns.size && !r; i++) {
		double left = deadline_left();
		x->until = isinf(left) ? 0 : test_clock() + 2 * left / (double)(turns.size - i + 1);
		r = explain(x, turns.data[i].function);
	}
	if (!r)
		share_causes(x);
	if (x->functions.size)
		qsort(x->functions.data, x->functions.size, sizeof *x->functions.data, by_function);
	vec_release(&turns);
	return r;
}

/* ------------------------------------------------------------------- rules */

static int leaves_caller_memory(const struct test_bug *b)
{
	enum owner o = owner_of(b->finding.bug.kind, b->finding.bug.report);
	return o == OWNER_CALLER || (o == OWNER_NONE && !strcmp(b->finding.bug.kind, "SEGV"));
}

/* May this finding, explained by this cause, be the fault of callers? */
static int may_owe(struct explaining *x, const struct explained *e, const struct cause *c, const struct test_bug *b)
{
	const struct entry *entry = &e->causes.entries[0];
	if (is_owned(b) || test_is_program_level(b) || b->program)
		return 0;
	if (cause_is_shape(&e->causes, c) || is_shared(b))
		return cause_is_shape(&e->causes, c) && is_of_shape(b);
	if (is_arithmetic(b) && cause_is_pointer(&e->causes, c))
		return 0;
	if (!cause_is_scalar(&e->causes, c))
		return 1;
	if (is_assertion(b))
		return !c->contrary;
	if (hidden_keeps(&x->hidden, entry, &c->clause) || convention_keeps_count(entry, &c->clause))
		return 1;
	return leaves_caller_memory(b) && entry->places.data[c->clause.part[0].a].in_struct;
}

/* A scalar cause is owed if every finding that it explains may be. */
static void find_owed(struct explaining *x, struct explained *e)
{
	const struct test_function *f = &x->s->functions.data[e->function];
	for (size_t i = 0; i < e->causes.all.size; i++)
		e->owed[i] = 1;
	for (size_t i = 0; i < f->shown.size; i++) {
		uint32_t call = e->call_of.data[f->shown.data[i].test];
		const struct test_bug *b = bug_of(x, f->shown.data[i].bug);
		uint32_t cause = call ? e->causes.calls.data[call - 1].cause : ENTRY_NONE;
		if (b && cause != ENTRY_NONE && cause_is_scalar(&e->causes, &e->causes.all.data[cause]) && !may_owe(x, e, &e->causes.all.data[cause], b))
			e->owed[cause] = 0;
	}
	if (f->accepted)
		memset(e->owed, 0, e->causes.all.size);
}

static struct explained *explained_of(struct explaining *x, uint32_t function)
{
	for (size_t i = 0; i < x->functions.size; i++)
		if (x->functions.data[i].function == function)
			return &x->functions.data[i];
	return NULL;
}

/* Does the call break, by its values, something that callers owe? shape: about pointers that lead to one object. */
static int breaks_owed(struct explained *e, const struct cause_call *call, int shape, int arithmetic)
{
	for (uint32_t i = 0; i < e->causes.all.size; i++) {
		int breaks = 0;
		const struct cause *c = &e->causes.all.data[i];
		if (e->owed[i] && (!shape || cause_is_shape(&e->causes, c)) && !(arithmetic && cause_is_pointer(&e->causes, c)))
			causes_broken(&e->causes, call->data, call->size, i, &breaks);
		if (breaks)
			return 1;
	}
	return 0;
}

/* Which causes explain which findings, by proof, in the calls that were looked at. */
static void find_reasons(struct explained *e, const struct test_function *f)
{
	for (size_t i = 0; i < f->shown.size; i++) {
		const struct test_shown *shown = &f->shown.data[i];
		uint32_t call = e->call_of.data[shown->test], cause = call && !shown->order ? e->causes.calls.data[call - 1].cause : ENTRY_NONE;
		size_t k = 0;
		while (k < e->reasons.size && (e->reasons.data[k].bug != shown->bug || e->reasons.data[k].cause != cause))
			k++;
		if (cause != ENTRY_NONE && k == e->reasons.size)
			vec_push(&e->reasons, ((struct reason){shown->bug, cause}));
	}
}

/* Of a call that was not looked at, by its values: does it break what explains the same finding in others? */
static int breaks_reason(struct explaining *x, struct explained *e, const struct test_case *t, const struct test_bug *b)
{
	for (size_t i = 0; i < e->reasons.size; i++) {
		const struct reason *r = &e->reasons.data[i];
		int breaks = 0;
		if (r->bug == b->serial && e->owed[r->cause] && may_owe(x, e, &e->causes.all.data[r->cause], b))
			causes_broken(&e->causes, t->data, t->size, r->cause, &breaks);
		if (breaks)
			return 1;
	}
	return 0;
}

static int is_starved(const struct explained *e, const struct test_shown *shown, const struct test_bug *b)
{
	uint32_t call = e->call_of.data[shown->test];
	return call && !strcmp(b->finding.bug.kind, "timeout") && e->causes.calls.data[call - 1].starved;
}

static int is_owed(struct explaining *x, struct explained *e, const struct test_shown *shown, const struct test_bug *b)
{
	uint32_t call = e->call_of.data[shown->test], cause = call ? e->causes.calls.data[call - 1].cause : ENTRY_NONE;
	if (is_starved(e, shown, b))
		return 1;
	if (e->beyond.data[shown->test])
		return breaks_reason(x, e, &x->s->functions.data[e->function].tests.data[shown->test], b);
	if (cause != ENTRY_NONE && e->owed[cause] && may_owe(x, e, &e->causes.all.data[cause], b))
		return 1;
	/* The cause is of the call's first finding. */
	return shown->order && call && !is_owned(b) && !test_is_program_level(b) && !b->program && breaks_owed(e, &e->causes.calls.data[call - 1], is_shared(b), is_arithmetic(b));
}

/* Where " && " ends the clause that begins here. */
static const char *clause_end(const char *s)
{
	for (int depth = 0; *s; s++) {
		depth += (*s == '(') - (*s == ')');
		if (!depth && !strncmp(s, " && ", 4))
			break;
	}
	return s;
}

/* An accepted contract may say what C cannot state where the function begins, of all structures of a type (contract/every.h). Does the call break that? */
static int breaks_accepted(struct explained *e, const char *text, const struct test_case *t)
{
	int breaks = 0;
	for (const char *next; *text && !breaks; text = *next ? next + 4 : next) {
		next = clause_end(text);
		if (strncmp(text, "every(", 6) && strncmp(text, "apart(", 6))
			continue;
		char *one = mem_strndup(text, (size_t)(next - text));
		breaks = !causes_keeps_text(&e->causes, t->data, t->size, one);
		free(one);
	}
	return breaks;
}

static struct test_owing *owing_of(struct test_function *f, uint32_t serial)
{
	for (size_t i = 0; i < f->owing.size; i++)
		if (f->owing.data[i].bug == serial)
			return &f->owing.data[i];
	return NULL;
}

void test_owing_none(struct test_function *f, uint32_t serial)
{
	struct test_owing *o = owing_of(f, serial);
	if (o)
		o->owed = 0;
	else
		vec_push(&f->owing, ((struct test_owing){.bug = serial}));
}

/* Of each bug that the function's calls show: does every one of them break what its callers owe? */
static void find_owing(struct explaining *x, struct explained *e)
{
	struct test_function *f = &x->s->functions.data[e->function];
	find_reasons(e, f);
	for (size_t i = 0; i < f->shown.size; i++) {
		const struct test_bug *b = bug_of(x, f->shown.data[i].bug);
		struct test_owing *o = b ? owing_of(f, b->serial) : NULL;
		if (!b)
			continue;
		if (!o) {
			/* The smaller input that is reported, by its values. */
			int keeps = b->function == e->function && !is_starved(e, &f->shown.data[i], b) && causes_keeps(&e->causes, b->data.data, b->data.size, 1);
			vec_push(&f->owing, ((struct test_owing){b->serial, 1, keeps}));
			o = &vec_last(&f->owing);
		}
		/* accepted: the call keeps what its callers owe, as far as C says it */
		o->owed &= f->accepted ? breaks_accepted(e, f->accepted, &f->tests.data[f->shown.data[i].test]) && !is_owned(b) : is_owed(x, e, &f->shown.data[i], b);
	}
	f->explained = e->whole;
}

/* Is the bug the callers' fault, by what is known of this function's calls that show it, if any do? */
static int all_owed(struct test_session *s, uint32_t function, const struct test_bug *b)
{
	struct test_function *f = &s->functions.data[function];
	const struct test_owing *o = owing_of(f, b->serial);
	if (o)
		return o->owed;
	for (size_t i = 0; i < f->shown.size; i++)
		if (f->shown.data[i].bug == b->serial)
			return 0;
	return 1;
}

/* The cause of a call of the bug's own function, for people: what holds of all that showed it there, or NULL. */
static const char *single_cause(struct explaining *x, const struct test_bug *b)
{
	const struct test_function *f = &x->s->functions.data[b->function];
	const struct explained *e = explained_of(x, b->function);
	uint32_t cause = ENTRY_NONE;
	for (size_t i = 0; e && i < f->shown.size; i++) {
		uint32_t call = e->call_of.data[f->shown.data[i].test];
		if (f->shown.data[i].bug != b->serial)
			continue;
		uint32_t now = call ? e->causes.calls.data[call - 1].cause : ENTRY_NONE;
		if (now == ENTRY_NONE || (cause != ENTRY_NONE && now != cause))
			return NULL;
		cause = now;
	}
	return cause == ENTRY_NONE ? NULL : e->causes.all.data[cause].text;
}

static void judge_bug(struct explaining *x, struct test_bug *b)
{
	struct test_session *s = x->s;
	const char *cause = single_cause(x, b);
	const struct test_owing *own = owing_of(&s->functions.data[b->function], b->serial);
	if (cause)
		b->finding.bug.cause = finding_text(&b->finding, "%s", cause);
	for (uint32_t i = 0; i < s->functions.size; i++)
		if (!all_owed(s, i, b))
			vec_push(&b->blamed, i);
	if (b->finding.bug.confirmed && own && !own->keeps && !b->blamed.size)
		b->owed = 1;
	else if (!b->blamed.size)
		vec_push(&b->blamed, b->function);
}

int test_is_blamed(const struct test_bug *b, uint32_t function)
{
	for (size_t i = 0; i < b->blamed.size; i++)
		if (b->blamed.data[i] == function)
			return 1;
	return 0;
}

/* What callers owe that the call breaks, by its values. */
static unsigned count_broken(struct explaining *x, uint32_t function, const void *data, size_t size)
{
	struct explained *e = explained_of(x, function);
	return e ? causes_broken_of(&e->causes, data, size, e->owed) : 0;
}

/* The condition that names and types suggested (--requires "f: n <= len(p) && ..."): of a call that keeps it nothing is suggested. */
static void drop_kept_hint(struct explaining *x, struct test_bug *b)
{
	struct explained *e = explained_of(x, b->function);
	const char *text = e && b->finding.bug.hint ? strstr(b->finding.bug.hint, ": ") : NULL;
	int keeps = text != NULL;
	while (text && keeps) {
		const char *from = text + 2 + strspn(text + 2, "& "), *next = strstr(from, " && ");
		char *one = mem_strndup(from, next ? (size_t)(next - from) : strcspn(from, "\""));
		keeps = causes_keeps_text(&e->causes, b->data.data, b->data.size, one) > 0;
		free(one);
		text = next;
	}
	if (keeps)
		b->finding.bug.hint = NULL;
}

/* A call of a function that is to blame. */
struct blamed_call {
	uint32_t function;
	size_t test; /* SIZE_MAX: there is none */
	unsigned broken;
	size_t size;
};

static int is_better_call(const struct blamed_call *a, const struct blamed_call *b)
{
	return b->test == SIZE_MAX || a->broken < b->broken || (a->broken == b->broken && a->size < b->size);
}

/* The bug is reported by a call of a function that is to blame: of those that showed it, one that breaks as little as possible of what callers owe, then the shortest. */
static int choose_blamed(struct explaining *x, struct test_bug *b)
{
	struct test_session *s = x->s;
	struct blamed_call best = {.test = SIZE_MAX};
	if (b->owed || !b->finding.bug.confirmed)
		return 0;
	int known = test_is_blamed(b, b->function);
	drop_kept_hint(x, b);
	unsigned broken = known ? count_broken(x, b->function, b->data.data, b->data.size) : 0;
	if (known && !broken)
		return 0;
	for (size_t k = 0; k < b->blamed.size; k++) {
		const struct test_function *f = &s->functions.data[b->blamed.data[k]];
		for (size_t i = 0, looked = 0; i < f->shown.size && looked < FAILING; i++) {
			const struct test_case *t = &f->tests.data[f->shown.data[i].test];
			struct blamed_call now = {b->blamed.data[k], f->shown.data[i].test, 0, t->size};
			if (f->shown.data[i].bug != b->serial)
				continue;
			looked++;
			now.broken = count_broken(x, now.function, t->data, t->size);
			if (is_better_call(&now, &best))
				best = now;
		}
	}
	if (best.test != SIZE_MAX && (!known || best.broken < broken) && !test_late(s) && test_blame(s, b, best.function, best.test))
		return -1;
	drop_kept_hint(x, b);
	if (!test_is_blamed(b, b->function)) /* it was not confirmed: the one that is known stays */
		vec_push(&b->blamed, b->function);
	const char *cause = single_cause(x, b);
	b->finding.bug.cause = cause ? finding_text(&b->finding, "%s", cause) : NULL;
	return 0;
}

/* ----------------------------------------------------------------- results */

/* Lines that fail where this cause does not hold. */
static size_t count_places(struct explaining *x, const struct explained *e, uint32_t cause)
{
	const struct test_function *f = &x->s->functions.data[e->function];
	VEC(const struct test_bug *) seen = {0};
	for (size_t i = 0; i < f->shown.size; i++) {
		uint32_t call = e->call_of.data[f->shown.data[i].test];
		const struct test_bug *b = bug_of(x, f->shown.data[i].bug);
		size_t k = 0;
		if (!call || !b || e->causes.calls.data[call - 1].cause != cause || !may_owe(x, e, &e->causes.all.data[cause], b))
			continue;
		while (k < seen.size && (seen.data[k]->finding.bug.line != b->finding.bug.line || strcmp(seen.data[k]->finding.bug.file, b->finding.bug.file)))
			k++;
		if (k == seen.size)
			vec_push(&seen, b);
	}
	size_t n = seen.size;
	vec_release(&seen);
	return n;
}

/* The call to tell: one that breaks this cause and as few others as possible, then the smallest. */
struct shown_call {
	const uint8_t *data;
	size_t size;
	unsigned broken;
};

static void offer(struct explained *e, uint32_t cause, const void *data, size_t size, struct shown_call *best)
{
	int breaks = 0;
	unsigned broken = causes_broken(&e->causes, data, size, cause, &breaks);
	if (breaks && (!best->data || broken < best->broken || (broken == best->broken && size < best->size)))
		*best = (struct shown_call){data, size, broken};
}

static void find_call(struct explaining *x, struct explained *e, uint32_t cause, struct shown_call *best)
{
	struct test_session *s = x->s;
	for (size_t i = 0; i < s->bugs.size; i++)
		if (s->bugs.data[i].owed && s->bugs.data[i].function == e->function)
			offer(e, cause, s->bugs.data[i].data.data, s->bugs.data[i].data.size, best);
	for (size_t i = 0; i < e->causes.calls.size; i++)
		if (e->causes.calls.data[i].cause == cause)
			offer(e, cause, e->causes.calls.data[i].data, e->causes.calls.data[i].size, best);
}

void test_contract_add(struct test_session *s, const struct test_contract *c)
{
	size_t at = s->contracts.size;
	vec_push(&s->contracts, *c);
	for (; at > 0 && s->contracts.data[at - 1].function > c->function; at--) {
		s->contracts.data[at] = s->contracts.data[at - 1];
		s->contracts.data[at - 1] = *c;
	}
}

static void add_contracts(struct explaining *x, struct explained *e)
{
	struct test_session *s = x->s;
	for (uint32_t i = 0; i < e->causes.all.size; i++)
		e->owed[i] = e->owed[i] && count_places(x, e, i);
	causes_write(&e->causes, e->owed);
	for (uint32_t i = 0; i < e->causes.all.size; i++) {
		const struct cause *c = &e->causes.all.data[i];
		struct shown_call shown = {0};
		size_t places = e->owed[i] ? count_places(x, e, i) : 0;
		if (places)
			find_call(x, e, i, &shown);
		if (shown.data)
			test_contract_add(s, &(struct test_contract){.function = e->function, .requires = arena_strdup(&s->arena, c->text), .places = places, .necessary = c->necessary,
								     .data = shown.data, .size = shown.size});
		e->owed[i] = shown.data != NULL; /* what is not printed proves nothing either */
	}
}

/* A search that came to its end ran every path. Those that failed are of no call that keeps the contract, by proof: then the function is verified for all that do. What C can state is searched once more (given.c); this is for what it
 * cannot, `every` say. */
static void find_given(struct explaining *x, struct explained *e)
{
	struct test_function *f = &x->s->functions.data[e->function];
	int any = 0;
	for (size_t i = 0; i < e->causes.all.size; i++)
		any |= e->owed[i] && (!strncmp(e->causes.all.data[i].text, "every(", 6) || !strncmp(e->causes.all.data[i].text, "apart(", 6));
	if (!any || !test_is_whole(f) || f->accepted)
		return;
	for (size_t i = 0; i < f->tests.size; i++) {
		uint32_t call = e->call_of.data[i];
		if (!(f->tests.data[i].flags & TEST_ASSUMED) && !(f->tests.data[i].passed && !f->tests.data[i].failed) && !(call && e->causes.calls.data[call - 1].failed))
			return;
	}
	f->given = causes_cover(&e->causes, e->owed);
	f->small = f->given && x->s->o->small;
}

/* What a function shows only by calls that break its contract is no bug of it. */
static void count_bugs(struct test_session *s)
{
	for (size_t i = 0; i < s->bugs.size; i++) {
		const struct test_bug *b = &s->bugs.data[i];
		if (!b->finding.bug.confirmed)
			continue;
		for (size_t k = 0; k <= b->also.size; k++) {
			uint32_t function = k ? b->also.data[k - 1] : b->function;
			if (!b->owed && test_is_blamed(b, function))
				continue;
			s->functions.data[function].bugs--;
			s->functions.data[function].owed++;
		}
	}
}

int test_has_contracts(const struct test_options *o)
{
	return !o->report_all && !o->entry;
}

/* Bugs for whose causes no time was left: they may be what callers owe. */
static void count_unexplained(struct test_session *s)
{
	s->costs.unexplained = 0;
	for (size_t i = 0; i < s->bugs.size; i++) {
		const struct test_bug *b = &s->bugs.data[i];
		const struct test_function *f = &s->functions.data[b->function];
		s->costs.unexplained += (uint64_t)(b->finding.bug.confirmed && !b->owed && !f->explained && !is_owned(b) && !test_is_program_level(b) && f->harness->number != UINT32_MAX);
	}
}

static int find_contracts(struct test_session *s)
{
	struct explaining x = {.s = s, .hidden = {.program = s->driven.program}};
	struct solve_options so = {.conflicts = 2000, .no_cache = 1, .no_optimistic = 1};
	int r = 0;
	if (test_open_tracer(s))
		return -1;
	sites_init(&x.sites, &s->check.trace.sites);
	x.solver = solver_new(&so);
	for (uint32_t i = 0; i < s->bugs.size; i++) {
		while (x.numbers.size <= s->bugs.data[i].serial)
			vec_push(&x.numbers, 0);
		x.numbers.data[s->bugs.data[i].serial] = i + 1;
	}
	r = explain_all(&x);
	for (size_t i = 0; i < x.functions.size && !r; i++) {
		find_owed(&x, &x.functions.data[i]);
		find_owing(&x, &x.functions.data[i]);
	}
	for (size_t i = 0; i < s->bugs.size && !r; i++)
		judge_bug(&x, &s->bugs.data[i]);
	for (size_t i = 0; i < s->bugs.size && !r; i++)
		r = choose_blamed(&x, &s->bugs.data[i]);
	test_drop_repeated(s);
	for (size_t i = 0; i < x.functions.size && !r; i++)
		add_contracts(&x, &x.functions.data[i]), find_given(&x, &x.functions.data[i]);
	if (!r)
		count_bugs(s);
	for (size_t i = 0; i < x.functions.size; i++) {
		causes_release(&x.functions.data[i].causes);
		vec_release(&x.functions.data[i].call_of);
		vec_release(&x.functions.data[i].beyond);
		vec_release(&x.functions.data[i].reasons);
		free(x.functions.data[i].owed);
	}
	hidden_release(&x.hidden);
	vec_release(&x.functions);
	vec_release(&x.numbers);
	solver_free(x.solver);
	sites_release(&x.sites);
	path_release(&x.path);
	return r;
}

int test_contracts(struct test_session *s)
{
	if (!test_has_contracts(s->o) || !s->bugs.size)
		return 0;
	int r = test_late(s) ? 0 : find_contracts(s);
	count_unexplained(s);
	return r;
}
