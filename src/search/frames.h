/* frames.h: which activation of which function each step of a path belongs to.
 *
 *	struct frames f = {0};
 *	if (frames_read(&f, &trace, &path)) ... error_text()
 *	f.of_step.data[i]        the frame that step i of the path was made in
 *	f.list.data[n]           function, caller, call site, range of steps
 *	frames_release(&f);
 *
 * A frame is one activation of a function. Frame 0 is what lies outside of all calls; every other one has a caller with a smaller number. The trace must
 * be of the calls variant, with MUSTER_FLAG_CALLS (search_kind_calls); labels of arguments and results are those of the trace.
 */
#ifndef MUSTER_SEARCH_FRAMES_H
#define MUSTER_SEARCH_FRAMES_H

#include "run/calls.h"
#include "search/path.h"

#define FRAME_NONE UINT32_MAX

struct frame {
	uint32_t caller;		/* frame; FRAME_NONE: of frame 0 */
	uint32_t depth;			/* frames around it, frame 0 not counted: 0 for the outermost call */
	uint32_t unit, index;		/* the function, as struct call has it (site_find_function); 0, 0: of frame 0 */
	uint32_t from_unit, from_index; /* the call instruction; 0, 0: none is known */
	uint32_t first, end;		/* steps of the path, those of its callees among them: [first, end) */
	uint32_t callees;		/* frames after this one that were called from it, directly or not: they are the next ones */
	int open;			/* it had not ended when the run did */
};

struct frames {
	struct calls calls;	/* call n is frame n + 1 */
	VEC(struct frame) list;
	VEC(uint32_t) of_step;	/* innermost frame, for each step */
};

/* What was there is forgotten. 0; -1 with words: the events of the trace are no stack. */
int frames_read(struct frames *f, const struct trace *t, const struct path *p);
void frames_release(struct frames *f);

/* Is the frame this one, or called from it, directly or not? */
static inline int frames_within(const struct frames *f, uint32_t frame, uint32_t outer)
{
	return frame >= outer && frame - outer <= f->list.data[outer].callees;
}

/* How many parts arguments and result have, and the label of one: a constant node where no input touches it, 0 for floating point. Not of frame 0. */
uint32_t frames_arguments(const struct frames *f, uint32_t frame);
uint32_t frames_argument(const struct frames *f, const struct trace *t, uint32_t frame, uint32_t part, uint32_t *parameter);
uint32_t frames_results(const struct frames *f, uint32_t frame); /* 0: none, or it did not return */
uint32_t frames_result(const struct frames *f, const struct trace *t, uint32_t frame, uint32_t part);

#endif
