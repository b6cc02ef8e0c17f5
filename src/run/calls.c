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
	map_set(&r->c->events, at + 1, r->c->list.size);
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
	} else {
		uint32_t *n = e->kind == MUSTER_EV_ARGUMENT ? &top->arguments : &top->results;
		uint64_t *first = e->kind == MUSTER_EV_ARGUMENT ? &top->first_argument : &top->first_result;
		if (*n && *first + *n != at)
			return bad(at, "values of a call that do not follow each other");
		if (!(*n)++)
			*first = at;
	}
	return 0;
}

static int end_call(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct call *top = r->open.size ? &r->c->list.data[vec_last(&r->open)] : NULL;

	if (!top || top->unit != e->unit || top->index != e->index)
		return bad(at, "the end of a call that is not the innermost");
	map_set(&r->c->events, at + 1, vec_last(&r->open));
	top->end = at;
	top->left = e->arg;
	r->c->lost |= e->arg == MUSTER_LEFT_LOST;
	r->open.size--;
	return 0;
}

int calls_read(struct calls *c, const struct trace *t)
{
	struct reader r = {.c = c, .t = t};
	int e = 0, last = 0;

	memset(c, 0, sizeof *c);
	for (uint64_t i = 0; i < t->event_count && !e; i++) {
		last = i + 1 == t->event_count;
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
	}
	vec_release(&r.open);
	if (e && !last)
		calls_release(c);
	return last ? 0 : e;
}

void calls_release(struct calls *c)
{
	vec_release(&c->list);
	map_release(&c->events);
	memset(c, 0, sizeof *c);
}

const struct call *calls_at(const struct calls *c, uint64_t event)
{
	uint64_t at;

	return map_get(&c->events, event + 1, &at) ? &c->list.data[at] : NULL;
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
