/* calls.c: from events of calls and returns to a tree.
 *
 * The runtime writes a RETURN for every CALL that ends, in whichever way, innermost first (runtime/calls.c). So one pass with a stack gives the tree,
 * and a RETURN that does not belong to the innermost open call means that the target wrote over the table.
 */
#include "run/calls.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static int bad(uint64_t event, const char *what)
{
	return error_set("event %" PRIu64 ": %s: the target wrote over the trace", event, what);
}

struct reader {
	struct calls *c;
	const struct trace *t;
	VEC(uint32_t) open;
};

static int begin_call(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct call n = {.parent = r->open.size ? vec_last(&r->open) : CALLS_NONE, .depth = (uint32_t)r->open.size, .unit = e->unit,
			 .index = e->index, .begin = at, .end = CALLS_OPEN};

	if (e->more != (n.depth < UINT16_MAX ? n.depth : UINT16_MAX))
		return bad(at, "a call at another depth than the stack has");
	vec_push(&r->open, (uint32_t)r->c->list.size);
	vec_push(&r->c->list, n);
	return 0;
}

/* What follows a CALL, or stands before a RETURN. */
static int add_part(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct call *top = r->open.size ? &r->c->list.data[vec_last(&r->open)] : NULL;

	if (!top)
		return bad(at, "a part of a call, and none is open");
	if (e->kind == MUSTER_EV_CALLER) {
		top->from_unit = e->unit;
		top->from_index = e->index;
	} else if (e->unit != top->unit || e->index != top->index) {
		return bad(at, "a part of a call that is not the innermost");
	} else if (e->kind == MUSTER_EV_ARGUMENT) {
		if (!top->arguments++)
			top->first_argument = at;
		else if (top->first_argument + top->arguments - 1 != at)
			return bad(at, "arguments of a call that do not follow each other");
	} else {
		if (!top->results++)
			top->first_result = at;
		else if (top->first_result + top->results - 1 != at)
			return bad(at, "results of a call that do not follow each other");
	}
	return 0;
}

static int end_call(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct call *top = r->open.size ? &r->c->list.data[vec_last(&r->open)] : NULL;

	if (!top || top->unit != e->unit || top->index != e->index)
		return bad(at, "the end of a call that is not the innermost");
	top->end = at;
	top->left = e->arg;
	r->c->lost |= e->arg == MUSTER_LEFT_LOST;
	r->open.size--;
	return 0;
}

int calls_read(struct calls *c, const struct trace *t)
{
	struct reader r = {.c = c, .t = t};
	int e = 0;

	memset(c, 0, sizeof *c);
	for (uint64_t i = 0; i < t->event_count && !e; i++)
		switch (t->events[i].kind) {
		case MUSTER_EV_CALL:
			e = begin_call(&r, i);
			break;
		case MUSTER_EV_CALLER:
		case MUSTER_EV_ARGUMENT:
		case MUSTER_EV_RESULT:
			e = add_part(&r, i);
			break;
		case MUSTER_EV_RETURN:
			e = end_call(&r, i);
			break;
		default:
			break;
		}
	vec_release(&r.open);
	if (e)
		calls_release(c);
	return e;
}

void calls_release(struct calls *c)
{
	vec_release(&c->list);
	memset(c, 0, sizeof *c);
}

const struct call *calls_at(const struct calls *c, const struct trace *t, uint64_t event)
{
	size_t low = 0, high = c->list.size;

	while (low < high) { /* the first that begins behind the event */
		size_t middle = low + (high - low) / 2;
		if (c->list.data[middle].begin <= event)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || (t->events[event].kind != MUSTER_EV_CALL && t->events[event].kind != MUSTER_EV_RETURN))
		return NULL;
	/* The last that began before a RETURN is its own, or lies inside it. */
	for (uint32_t i = (uint32_t)low - 1; i != CALLS_NONE; i = c->list.data[i].parent)
		if (c->list.data[i].begin == event || c->list.data[i].end == event)
			return &c->list.data[i];
	return NULL;
}

const char *calls_left_key(unsigned left)
{
	static const char *const keys[] = {
#define X(name, key, words) key,
	    MUSTER_LEFT(X)
#undef X
	};
	return left < MUSTER_LEFT_COUNT ? keys[left] : "unknown";
}

const char *calls_left_words(unsigned left)
{
	static const char *const words[] = {
#define X(name, key, words) words,
	    MUSTER_LEFT(X)
#undef X
	};
	return left < MUSTER_LEFT_COUNT ? words[left] : "unknown";
}
