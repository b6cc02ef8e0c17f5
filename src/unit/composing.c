/* composing.c: summaries of callees for compositional search.
 *
 * For the function that is searched next, every function that it may reach is asked for, but for those that may reach it themselves: recursion is followed as it is. Their tests come from the worker
 * that searched them, which is this one or another; functions are given out callees first, so one that is still at work will be done before long, and is waited for. Each
 * test is traced again, with the memory of its call, and becomes a summary (summarise.c). Nothing is claimed of these by themselves: whether a test passes in the san variant nobody knows yet. A function that was
 * searched with summaries is verified only if all that it reaches are (verdict.c).
 */
#include "unit/composing.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "loops/codes.h"
#include "summary/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TESTS 100		/* of a callee, of which summaries are made */
#define WAIT_NS 2000000		/* until a callee of another worker is looked for again */

enum state { UNKNOWN, NONE, MADE };

struct callee {
	enum state state;
	struct summaries l;
};

struct composing {
	struct test_session *s;
	struct solver *solver;
	struct compose *compose;
	struct callee *of; /* by function of the session */
	struct codes *codes;
};

/* The name of another one for the linker, perhaps: such a variable is at no known place. */
static void forget_renamed(struct composing *c)
{
	for (size_t i = 0; i < c->s->driven.front->globals.size; i++)
		if (c->s->driven.front->globals.data[i].symbol)
			compose_global(c->compose, c->s->driven.front->globals.data[i].name, 0);
}

/* ---------------------------------------------------------------- life */

struct composing *composing_new(struct test_session *s, const char *program)
{
	struct composing *c = mem_zalloc(sizeof *c);
	struct solve_options o = {.conflicts = 2000, .no_cache = 1};
	c->s = s;
	c->solver = solver_new(&o);
	c->compose = compose_new(c->solver);
	c->codes = codes_new(s->driven.program);
	c->of = mem_zalloc((s->functions.size + 1) * sizeof *c->of);
	if (compose_image(c->compose, program)) {
		composing_free(c);
		return NULL;
	}
	forget_renamed(c);
	return c;
}

void composing_free(struct composing *c)
{
	if (!c)
		return;
	compose_free(c->compose);
	for (size_t i = 0; i < c->s->functions.size; i++)
		if (c->of[i].state == MADE)
			summaries_release(&c->of[i].l);
	free(c->of);
	codes_free(c->codes);
	solver_free(c->solver);
	free(c);
}

struct compose *composing_compose(struct composing *c)
{
	return c->compose;
}

/* ---------------------------------------------------------------- tests */

static char *file_of(const struct test_session *s, uint32_t function)
{
	return mem_printf("%s/%u", s->driven.shared_tests, function);
}

int composing_publish(const struct test_session *s, uint32_t function)
{
	const struct test_function *f = &s->functions.data[function];
	struct buf b = {0};
	size_t sent = 0;

	for (size_t i = 0; i < f->tests.size && sent < TESTS; i++) {
		const struct test_case *t = &f->tests.data[i];
		uint32_t size = (uint32_t)t->size;
		if (t->flags & (TEST_ASSUMED | TEST_HANG | TEST_WAITS | TEST_LONG) || (t->size > DRIVE_GROWTH && t->data[DRIVE_GROWTH]))
			continue;
		buf_add(&b, &size, sizeof size);
		buf_add(&b, t->data, t->size);
		sent++;
	}
	char *path = file_of(s, function);
	int r = file_write_atomic(path, b.data ? b.data : "", b.size);
	free(path);
	buf_release(&b);
	return r;
}

static int at_work(const struct composing *c, uint32_t function)
{
	const struct test_shared *shared = c->s->round.shared;
	for (unsigned i = 0; i < TEST_WORKERS; i++)
		if (shared->workers[i].busy && shared->workers[i].function == function)
			return 1;
	return 0;
}

/* 1: *b has its tests; 0: there are none. */
static int wait_for_tests(const struct composing *c, uint32_t function, struct buf *b)
{
	struct timespec pause = {.tv_nsec = WAIT_NS};
	char *path = file_of(c->s, function);
	int there;
	while (!(there = file_exists(path)) && at_work(c, function) && !deadline_over() && !c->s->round.shared->stop)
		nanosleep(&pause, NULL);
	there = (there || file_exists(path)) && !file_read(path, b);
	free(path);
	return there;
}

static int make(struct composing *c, uint32_t function)
{
	struct callee *k = &c->of[function];
	struct buf b = {0};
	VEC(struct test_case) tests = {0};

	k->state = NONE;
	if (c->s->functions.data[function].harness->number == UINT32_MAX || !wait_for_tests(c, function, &b)) {
		buf_release(&b);
		return 0;
	}
	for (size_t at = 0; at + 4 <= b.size;) {
		uint32_t size;
		memcpy(&size, b.data + at, sizeof size);
		at += sizeof size;
		if (size > b.size - at)
			break;
		/* Whether it passes in the san variant is not known: the trace says how it ended. */
		vec_push(&tests, (struct test_case){.id = tests.size + 1, .data = (const uint8_t *)b.data + at, .size = size, .passed = 1, .failed = 1});
		at += size;
	}
	summaries_init(&k->l);
	k->state = MADE;
	int r = test_summarise(c->s, &c->s->functions.data[function], tests.data, tests.size, &k->l);
	vec_release(&tests);
	buf_release(&b);
	return r;
}

/* ---------------------------------------------------------------- callees */

static int reaches(const struct front *front, uint32_t from, uint32_t to)
{
	struct front_reach reach = {0};
	int found = 0;
	front_reach(front, from, &reach);
	for (size_t i = 0; i < reach.functions.size; i++)
		found |= reach.functions.data[i] == to;
	vec_release(&reach.functions);
	vec_release(&reach.globals);
	return found;
}

/* By calls of its own; what may come back by pointers has summaries like others. */
static int is_recursive(const struct front *front, uint32_t function)
{
	const struct front_function *f = &front->functions.data[function];

	for (size_t i = 0; i < f->calls.size; i++)
		if (reaches(front, f->calls.data[i], function))
			return 1;
	return 0;
}

static int is_code_of(const struct test_function *f, const struct site_function *at)
{
	return !strcmp(at->name, f->name) && (!at->line || !f->front->line || at->line == f->front->line);
}

static int find_instructions(const struct test_function *f, const struct site_tables *sites, struct site_function *out)
{
	for (size_t t = 0; t < sites->count; t++)
		for (uint32_t i = 0; i < sites->tables[t].functions; i++)
			if (site_table_function(&sites->tables[t], i, out) && is_code_of(f, out))
				return 1;
	return 0;
}

uint32_t composing_function(const struct test_session *s, const struct site_function *at)
{
	uint32_t i = 0;
	while (i < s->functions.size && !is_code_of(&s->functions.data[i], at))
		i++;
	return i;
}

/* Numbers and pointers are passed one by one, so that parameters have the same numbers in C and in the machine's code. */
static int is_plain(const struct front *front, uint32_t type, int result)
{
	enum front_kind k = front->types.data[front->types.data[type].plain].kind;
	return k == FRONT_BOOL || k == FRONT_CHAR || k == FRONT_POINTER || (k == FRONT_INT && front->types.data[type].size <= 8) || (result ? k == FRONT_VOID : k == FRONT_ARRAY);
}

static int has_plain_interface(const struct front *front, const struct front_function *f)
{
	for (size_t i = 0; i < f->parameters.size; i++)
		if (!is_plain(front, f->parameters.data[i].type, 0))
			return 0;
	return is_plain(front, f->result, 1) && !f->variadic && !f->noreturn && !f->is_weak;
}

static uint32_t front_of(const struct test_session *s, uint32_t function)
{
	return (uint32_t)(s->functions.data[function].front - s->driven.front->functions.data);
}

int composing_may_replace(const struct test_session *s, uint32_t function, uint32_t callee)
{
	const struct front *front = s->driven.front;
	uint32_t own = front_of(s, function), other = front_of(s, callee);
	return has_plain_interface(front, s->functions.data[callee].front) && reaches(front, own, other) && !reaches(front, other, own);
}

/* Has it a value that nobody gave? A result that is not returned is one: using it is a defect of the caller's, which no summary of the callee has. */
static int has_undefined(struct composing *c, const struct site_function *at)
{
	const struct code *code = codes_find(c->codes, at->unit);
	uint32_t value;
	const struct code_function *f = code ? code_find_ordinal(code, at->first, &value) : NULL;

	for (uint32_t i = 0; f && i < f->value_count; i++)
		if (f->values[i].kind == CODE_UNDEF)
			return 1;
	return !f;
}

/* A function that may call itself has a summary for each depth: it is unfolded in the runs of its callers instead (search/compose_own.c). 1; 0: it cannot be. */
static int add_recursive(struct composing *c, uint32_t function, const struct site_tables *sites)
{
	struct site_function at;

	if (!find_instructions(&c->s->functions.data[function], sites, &at) || has_undefined(c, &at))
		return 0;
	uint64_t first = (uint64_t)at.unit << 32 | at.first;
	compose_add_recursive(c->compose, first, first + at.count);
	return 1;
}

static int add_callee(struct composing *c, uint32_t function, const struct site_tables *sites)
{
	struct callee *k = &c->of[function];
	struct site_function at;

	if (k->state == UNKNOWN && (!has_plain_interface(c->s->driven.front, c->s->functions.data[function].front) ||
				    !find_instructions(&c->s->functions.data[function], sites, &at) || has_undefined(c, &at)))
		k->state = NONE;

	if (k->state == UNKNOWN && make(c, function))
		return -1;
	if (k->state != MADE || !find_instructions(&c->s->functions.data[function], sites, &at))
		return 0;
	uint64_t first = (uint64_t)at.unit << 32 | at.first;
	return compose_add(c->compose, first, first + at.count, &k->l);
}

int composing_prepare(struct composing *c, uint32_t function, const struct site_tables *sites)
{
	const struct test_session *s = c->s;
	uint32_t own = front_of(s, function);
	struct front_reach reach = {0};
	int added = 0, r = 0;

	compose_clear(c->compose);
	front_reach(s->driven.front, own, &reach);
	for (uint32_t i = 0; i < s->functions.size && r >= 0; i++) {
		uint32_t front = front_of(s, i);
		int called = 0;
		for (size_t k = 0; k < reach.functions.size && !called; k++)
			called = reach.functions.data[k] == front;
		if (!called || front == own || reaches(s->driven.front, front, own))
			continue;
		r = is_recursive(s->driven.front, front) ? add_recursive(c, i, sites) : add_callee(c, i, sites);
		added += r > 0;
	}
	vec_release(&reach.functions);
	vec_release(&reach.globals);
	return r < 0 ? -1 : added;
}
