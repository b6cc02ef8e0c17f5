/* frames.c: which activation of which function each step of a path belongs to.
 *
 * Steps and calls both stand in the order of events, so one sweep suffices: before a step is given its frame, the calls that began before it are pushed, and those that ended
 * before it are popped. Calls are a stack (calls_read saw to it), so what is called from a frame, directly or not, is the run of frames after it: that makes frames_within two comparisons.
 */
#include "search/frames.h"

#include <string.h>

struct sweep {
	struct frames *f;
	VEC(uint32_t) open; /* frames, frame 0 first */
	size_t next;	    /* call that has not begun */
};

static uint64_t end_of(const struct frames *f, uint32_t frame)
{
	return frame ? f->calls.list.data[frame - 1].end : CALLS_OPEN;
}

static void close_frame(struct sweep *s, uint32_t step)
{
	struct frame *x = &s->f->list.data[vec_pop(&s->open)];
	x->end = step;
	x->callees = (uint32_t)(s->f->list.size - 1 - (size_t)(x - s->f->list.data));
}

static void open_frame(struct sweep *s, uint32_t step)
{
	const struct call *c = &s->f->calls.list.data[s->next++];
	struct frame x = {.caller = vec_last(&s->open), .depth = (uint32_t)s->open.size - 1, .unit = c->unit, .index = c->index, .from_unit = c->from_unit,
			  .from_index = c->from_index, .first = step, .open = c->end == CALLS_OPEN};
	vec_push(&s->open, (uint32_t)s->f->list.size);
	vec_push(&s->f->list, x);
}

/* Calls begin and end, in the order in which they did, up to the event. */
static void advance(struct sweep *s, uint64_t event, uint32_t step)
{
	for (;;) {
		uint64_t ends = end_of(s->f, vec_last(&s->open));
		uint64_t begins = s->next < s->f->calls.list.size ? s->f->calls.list.data[s->next].begin : CALLS_OPEN;
		if (ends < event && ends < begins)
			close_frame(s, step);
		else if (begins < event)
			open_frame(s, step);
		else
			return;
	}
}

int frames_read(struct frames *f, const struct trace *t, const struct path *p)
{
	struct sweep s = {.f = f};
	frames_release(f);
	if (calls_read(&f->calls, t))
		return -1;
	vec_push(&f->list, (struct frame){.caller = FRAME_NONE, .open = 1});
	vec_push(&s.open, 0);
	for (uint32_t i = 0; i < p->steps.size; i++) {
		advance(&s, p->steps.data[i].event, i);
		vec_push(&f->of_step, vec_last(&s.open));
	}
	advance(&s, CALLS_OPEN, (uint32_t)p->steps.size);
	while (s.open.size)
		close_frame(&s, (uint32_t)p->steps.size);
	vec_release(&s.open);
	return 0;
}

void frames_release(struct frames *f)
{
	calls_release(&f->calls);
	vec_release(&f->list);
	vec_release(&f->of_step);
	memset(f, 0, sizeof *f);
}

static const struct call *call_of(const struct frames *f, uint32_t frame)
{
	return &f->calls.list.data[frame - 1];
}

uint32_t frames_arguments(const struct frames *f, uint32_t frame)
{
	return call_of(f, frame)->arguments;
}

uint32_t frames_argument(const struct frames *f, const struct trace *t, uint32_t frame, uint32_t part, uint32_t *parameter)
{
	const struct muster_event *e = &t->events[call_of(f, frame)->first_argument + part];
	if (parameter)
		*parameter = e->more;
	return e->label;
}

uint32_t frames_results(const struct frames *f, uint32_t frame)
{
	return call_of(f, frame)->end == CALLS_OPEN ? 0 : call_of(f, frame)->results;
}

uint32_t frames_result(const struct frames *f, const struct trace *t, uint32_t frame, uint32_t part)
{
	return t->events[call_of(f, frame)->first_result + part].label;
}
