/* callers.c: static functions owe nothing to strangers: their contexts are their callers.
 *
 * Where every caller of a static function is known (front/mentions.c), whatever calls it begins in some function that strangers may call: a *root* of it. Searching a root runs all it calls as a part of it. So
 *
 *   each root is verified, or verified given a contract that a person accepted: no call of the static function fails within the scope that is printed. Its findings are no bugs, and it is
 *               verified given its callers;
 *   else        findings that no root shows, and no function whose callers are not known, are listed apart: no caller was found. Nothing is verified by that. A finding about memory of the function's own stays a bug, unless it is a global and every caller was searched to its end.
 *
 * A root that is verified given a contract which nobody accepted proves nothing here: who calls it may break that. Nor does one that was not searched. Where functions are named on the command line, they are driven as strangers would.
 */
#include "base/mem.h"
#include "check/owner.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

struct contexts {
	struct test_session *s;
	const struct front *f;
	uint8_t *seen;	   /* by function of the front */
	int roots, proved, ended; /* there are such; each of them is; the search of each came to its end */
};

static const struct test_function *searched(const struct test_session *s, uint32_t front)
{
	for (size_t i = 0; i < s->functions.size; i++)
		if (s->functions.data[i].front == &s->driven.front->functions.data[front])
			return &s->functions.data[i];
	return NULL;
}

static int is_proved(const struct test_function *f)
{
	return f && (f->verdict == TEST_VERIFIED || (f->verdict == TEST_GIVEN && f->accepted && f->clean && !f->harness->limits));
}

static int calls(const struct front_function *f, uint32_t callee)
{
	for (size_t i = 0; i < f->calls.size; i++)
		if (f->calls.data[i] == callee)
			return 1;
	return 0;
}

/* All that may lead to the function, up to the roots. */
static void look_at_callers(struct contexts *c, uint32_t function)
{
	c->seen[function] = 1;
	for (uint32_t i = 0; i < c->f->functions.size; i++) {
		const struct front_function *g = &c->f->functions.data[i];
		if (!g->defined || c->seen[i] || !calls(g, function))
			continue;
		if (g->callers_known) {
			look_at_callers(c, i);
			continue;
		}
		c->seen[i] = 1;
		c->roots = 1;
		const struct test_function *root = searched(c->s, i);
		c->proved &= is_proved(root);
		c->ended &= root && root->searched && root->result.ended;
	}
}

/* 1: in no context does it fail; 0: that is not known. *ended: there are contexts, and each was searched to its end. */
static int find_contexts(struct test_session *s, const struct test_function *f, int *ended)
{
	struct contexts c = {.s = s, .f = s->driven.front, .proved = 1, .ended = 1};
	c.seen = mem_zalloc(c.f->functions.size + 1);
	look_at_callers(&c, (uint32_t)(f->front - c.f->functions.data));
	free(c.seen);
	*ended = c.roots && c.ended;
	return c.roots && c.proved;
}

/* Is the bug a matter of static functions with known callers alone? *clean: no context of theirs fails. *ended: all of their contexts were searched to the end. */
static int is_theirs(struct test_session *s, const struct test_bug *b, int *clean, int *ended)
{
	*clean = *ended = 1;
	for (size_t i = 0; i < b->blamed.size; i++) {
		const struct test_function *f = &s->functions.data[b->blamed.data[i]];
		if (!f->front->callers_known || f->accepted)
			return 0;
		int all;
		find_contexts(s, f, &all);
		*clean &= f->contexts;
		*ended &= all;
	}
	return b->blamed.size > 0;
}

static void set_apart(struct test_session *s, struct test_bug *b, int clean)
{
	for (size_t i = 0; i < b->blamed.size; i++) {
		struct test_function *f = &s->functions.data[b->blamed.data[i]];
		f->bugs -= f->bugs > 0;
		f->owed++;
		f->uncalled += (uint32_t)!clean;
	}
	b->owed = 1;
	b->uncalled = !clean;
}

/* A bug of a static function that one of its callers shows is told by the caller's call. 0, -1. */
static int tell_by_caller(struct test_session *s, struct test_bug *b)
{
	if (b->owed || !b->finding.bug.confirmed || !s->functions.data[b->function].front->callers_known)
		return 0;
	for (size_t k = 0; k < b->blamed.size; k++) {
		const struct test_function *f = &s->functions.data[b->blamed.data[k]];
		for (size_t i = 0; i < f->shown.size && !f->front->callers_known; i++)
			if (f->shown.data[i].bug == b->serial)
				return test_late(s) ? 0 : test_blame(s, b, b->blamed.data[k], f->shown.data[i].test);
	}
	return 0;
}

int test_callers(struct test_session *s)
{
	if (s->o->report_all || s->function || s->o->entry)
		return 0;
	for (size_t i = 0; i < s->functions.size; i++) {
		struct test_function *f = &s->functions.data[i];
		int ended;
		if (f->front->callers_known && (f->bugs || f->owed) && !f->suspected && !f->suppressed)
			f->contexts = find_contexts(s, f, &ended);
	}
	for (size_t i = 0; i < s->bugs.size; i++) {
		struct test_bug *b = &s->bugs.data[i];
		int clean, ended;
		if (b->owed || !b->finding.bug.confirmed || b->program || test_is_program_level(b) || !is_theirs(s, b, &clean, &ended))
			continue;
		enum owner o = owner_of(b->finding.bug.kind, b->finding.bug.report);
		/* A global is the unit's: which element of a table is read is for callers to say, as with their own memory. But what no input of a caller was seen to do is believed only where each was searched to its end. */
		int own = o == OWNER_SHARED || (o == OWNER_SELF && !(ended && !strncmp(b->finding.bug.kind, "global-buffer", 13)));
		if (clean || !own)
			set_apart(s, b, clean);
	}
	int e = 0;
	for (size_t i = 0; i < s->bugs.size && !e; i++)
		e = tell_by_caller(s, &s->bugs.data[i]);
	test_judge(s);
	return e;
}
