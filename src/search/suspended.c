/* suspended.c: tests whose negation a slice ended in. s->now.suspended has them, the one that waits longest first, and no gaps. */
#include "search/suspended.h"

#include <string.h>

static void forget(struct search *s, size_t at)
{
	struct search_suspended **list = s->now.suspended;
	memmove(list + at, list + at + 1, (SEARCH_SUSPENDED - at - 1) * sizeof *list);
	list[SEARCH_SUSPENDED - 1] = NULL;
}

uint64_t suspended_bytes(const struct search_suspended *h)
{
	const struct expansion *x = &h->x;
	return exprs_bytes(x->pool) + solve_path_bytes(x->strict) + (x->relaxed ? solve_path_bytes(x->relaxed) : 0);
}

uint64_t suspended_total(const struct search *s)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < SEARCH_SUSPENDED && s->now.suspended[i]; i++)
		sum += suspended_bytes(s->now.suspended[i]);
	return sum;
}

void suspended_free(struct search_suspended *h)
{
	struct expansion *x = &h->x;
	if (x->pool) {
		uint64_t bytes = suspended_bytes(h);
		checks_close(x);
		solve_path_free(x->strict);
		if (x->relaxed)
			solve_path_free(x->relaxed);
		import_release(&x->import);
		exprs_free(x->pool);
		search_memory_freed(bytes);
	}
	if (!h->borrowed)
		trace_release(&x->trace);
	vec_release(&h->wanted);
	free(x->matters);
	free(x->marks);
	free(x->relaxed_marks);
	buf_release(&h->data);
	path_release(&h->path);
	compose_run_release(&h->calls);
	frames_release(&h->frames);
	free(h);
}

int suspended_drop_oldest(struct search *s)
{
	struct search_suspended *h = s->now.suspended[0];
	if (!h)
		return 0;
	forget(s, 0);
	suspended_free(h);
	return 1;
}

void search_drop_suspended(struct search *s)
{
	while (suspended_drop_oldest(s))
		continue;
}

/* Moves the path of s->now to `h`, or back. */
static void swap(struct search *s, struct search_suspended *h)
{
	struct path path = s->now.parent;
	struct compose_run calls = s->now.parent_calls;
	struct frames frames = s->now.frames;
	s->now.parent = h->path;
	s->now.parent_calls = h->calls;
	s->now.frames = h->frames;
	h->path = path;
	h->calls = calls;
	h->frames = frames;
}

void suspended_keep(struct search *s, struct search_suspended *h, uint64_t of)
{
	struct trace own;
	if (h->borrowed || !h->x.trace.own) { /* it has to outlive the next run */
		trace_copy(&own, &h->x.trace);
		if (!h->borrowed)
			trace_release(&h->x.trace);
		h->x.trace = own;
		h->borrowed = 0;
	}
	h->of = of;
	h->stage = h->x.test->stage;
	h->values = h->x.test->flags & TEST_VALUES;
	h->x.test = NULL;
	h->path = (struct path){.exact = s->now.parent.exact, .checks = s->now.parent.checks};
	swap(s, h);
	if (s->now.suspended[SEARCH_SUSPENDED - 1])
		suspended_drop_oldest(s);
	size_t at = 0;
	while (s->now.suspended[at])
		at++;
	s->now.suspended[at] = h;
}

struct search_suspended *suspended_take(struct search *s, struct search_test *t, uint64_t of)
{
	for (size_t i = 0; i < SEARCH_SUSPENDED && s->now.suspended[i]; i++) {
		struct search_suspended *h = s->now.suspended[i];
		if (h->test != t->id || h->stage != t->stage || h->values != (t->flags & TEST_VALUES) || h->of != of)
			continue;
		forget(s, i);
		swap(s, h);
		path_release(&h->path);
		compose_run_release(&h->calls);
		frames_release(&h->frames);
		h->x.test = t;
		return h;
	}
	return NULL;
}
