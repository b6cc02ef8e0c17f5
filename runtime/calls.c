/* calls.c: the stack of calls, as events, where the engine asks for them.
 *
 * Functions of the calls variant come here when they are entered and left. The stack that is kept here says which calls are open; each
 * change of it is an event, so a reader of the events has the same stack at every moment. Invariant: every CALL that was written
 * is open in `stack`, or has its RETURN. Three things can end a call without its own return:
 *
 *   - longjmp. Who called setjmp comes here with its token when control lands there: what lies above it in the stack is over.
 *   - a frame that is gone (an exception, a longjmp of code without instrumentation). It is noticed at the next call, whose frame lies
 *     where the gone one lay or above it: a callee's frame is below its caller's.
 *   - a change of stacks. Nothing is known from there on: all open calls are lost, which their RETURN says, and tokens
 *     that were given out before mean nothing any more (they have the number of the generation).
 *
 * A signal handler may run on a stack of its own, wherever that is: while it does, nothing below `floor` is unwound.
 */
#include "activation.h"
#include "activation_segment.h"
#include "node.h"

#define CALLS (1u << 18) /* open at once: more than fit a stack of 8 MiB */
#define GENERATIONS 14	 /* bits of a token above those of the place in the stack */
#define NO_CALL (CALLS - 1)
#define SEGMENTS 64	 /* of one call that are told */

struct call {
	const struct rt_function *f;
	uint64_t frame;
	uint32_t activation; /* with leaves: its number; 0: it has none */
	uint32_t segment;    /* of it, that is open: likewise */
	uint32_t segments;   /* that were begun */
	uint32_t depth;	     /* calls that were told and are open around it */
	int quiet;	     /* it has no events */
};

static struct call stack[CALLS];
static uint32_t open_calls, floor_calls, generation;

static int asked(void)
{
	return RT_ON() && RT_STATE->header->flags & MUSTER_FLAG_CALLS;
}

#ifdef RT_ACTIVATIONS
static int cuts_asked(void)
{
	return RT_ON() && RT_STATE->header->flags & MUSTER_FLAG_SEGMENTS;
}
#endif

static unsigned depth_of(uint32_t call)
{
	return stack[call].depth < 0xffff ? stack[call].depth : 0xffff;
}

#ifdef RT_ACTIVATIONS
/* The activation or segment is over: is it open still? Asked once. */
static int ends(uint32_t *number)
{
	uint32_t was = *number;

	*number = 0;
	if (was && !activation_is_open(was))
		activation_gone();
	return was && activation_is_open(was);
}
#endif

static void pop(enum muster_left how)
{
	uint32_t top = --open_calls;
#ifdef RT_ACTIVATIONS
	if (ends(&stack[top].segment))
		segment_lost(stack[top].f->site);
	if (ends(&stack[top].activation)) {
		if (how != MUSTER_LEFT_RETURNED)
			activation_writes();
		activation_end();
	}
#endif
	if (!stack[top].quiet)
		rt_event_whole(MUSTER_EV_RETURN, how, depth_of(top), stack[top].f->site, 0);
	if (floor_calls > open_calls)
		floor_calls = open_calls;
}

static void unwind_to(uint32_t calls)
{
	while (open_calls > calls)
		pop(MUSTER_LEFT_UNWOUND);
}

static void lose_all(void)
{
	floor_calls = 0;
	while (open_calls)
		pop(MUSTER_LEFT_LOST);
	generation = (generation + 1) & ((1u << GENERATIONS) - 1);
}

/* The place of a call whose token it is, or NO_CALL. */
static uint32_t call_of(const struct rt_function *f, uint32_t token)
{
	uint32_t at = token % CALLS;
	if (at == NO_CALL)
		return NO_CALL;
	if (token / CALLS != generation)
		return NO_CALL; /* it was lost, and said to be */
	if (at < open_calls && stack[at].f == f)
		return at;
	lose_all(); /* who returns is not open: other code changed stacks unseen */
	return NO_CALL;
}

static label value_label(label a, unsigned width, uint64_t value)
{
	if (a || !width)
		return a;
	if (width > 64)
		width = 64;
	return rt_const(width, rt_mask(value, width), 0);
}

static void tell_arguments(const struct rt_function *f, const uint64_t *values, const label *labels)
{
	for (uint32_t i = 0; i < f->arguments; i++)
		rt_event_whole(MUSTER_EV_ARGUMENT, i, f->leaves[2 * i + 1], f->site, value_label(labels[i], f->leaves[2 * i], values[i]));
}

static void tell_results(const struct rt_function *f, const uint64_t *values, const label *labels)
{
	const uint8_t *leaves = f->leaves + 2 * f->arguments;
	for (uint32_t i = 0; i < f->results; i++)
		rt_event_whole(MUSTER_EV_RESULT, i, 0, f->site, value_label(labels[i], leaves[2 * i], values[i]));
}

uint32_t __muster_enter(const struct rt_function *f, const void *self, const void *frame, uint64_t *values, label *labels)
{
	uint64_t site = __muster_tls.call_to == (uint64_t)self ? __muster_tls.call_site : 0;
	__muster_tls.call_to = 0;
	if (!asked())
		return NO_CALL;
	while (open_calls > floor_calls && stack[open_calls - 1].frame < (uint64_t)frame)
		pop(MUSTER_LEFT_UNWOUND);
	if (open_calls == NO_CALL)
		lose_all();
	uint32_t at = open_calls++;
	stack[at] = (struct call){.f = f, .frame = (uint64_t)frame, .depth = at ? stack[at - 1].depth + !stack[at - 1].quiet : 0};
#ifdef RT_ACTIVATIONS
	int few = activation_few(), wanted = activation_is_wanted(f);
	if (few && !wanted && !rt_now) {
		stack[at].quiet = 1;
		return generation * CALLS + at;
	}
#else
	const int few = 0;
#endif
	rt_event_whole(MUSTER_EV_CALL, few ? 0 : f->arguments, depth_of(at), f->site, 0);
	if (site && !few)
		rt_event_whole(MUSTER_EV_CALLER, 0, 0, site, 0);
	if (!few)
		tell_arguments(f, values, labels);
#ifdef RT_ACTIVATIONS
	stack[at].activation = wanted ? activation_begin(f, (uint64_t)frame, values, labels) : 0;
	if (stack[at].activation && f->flags & RT_FUNCTION_CUTS && cuts_asked())
		stack[at].segment = segment_enter(f, values, labels), stack[at].segments = 1;
#endif
	return generation * CALLS + at;
}

void __muster_leave(const struct rt_function *f, uint32_t token, const uint64_t *values, label *labels)
{
	uint32_t at;
	if (!asked() || (at = call_of(f, token)) == NO_CALL)
		return;
	unwind_to(at + 1);
#ifdef RT_ACTIVATIONS
	if (ends(&stack[at].segment))
		segment_return(f, values, labels);
	int is_open = activation_is_open(stack[at].activation);
	if (is_open)
		activation_writes();
	if (is_open || !activation_few())
#endif
		tell_results(f, values, labels);
#ifdef RT_ACTIVATIONS
	for (uint32_t i = 0; i < f->results && is_open; i++)
		labels[i] = activation_output(activation_outside(labels[i]), f->leaves[2 * f->arguments + 2 * i], values[i], i);
#endif
	pop(MUSTER_LEFT_RETURNED);
}

void __muster_cut(const struct rt_function *f, uint32_t token, const struct rt_cut *c, uint64_t *values, label *labels)
{
#ifdef RT_ACTIVATIONS
	uint32_t at;

	if (!asked() || !cuts_asked() || (at = call_of(f, token)) == NO_CALL || !stack[at].activation)
		return;
	unwind_to(at + 1);
	if (ends(&stack[at].segment))
		segment_next(c, values, labels);
	activation_settle();
	if (stack[at].segments < SEGMENTS && activation_is_open(stack[at].activation))
		stack[at].segment = segment_begin(c, values, labels);
	stack[at].segments++;
#else
	(void)f, (void)token, (void)c, (void)values, (void)labels;
#endif
}

void __muster_leave_tail(const struct rt_function *f, uint32_t token)
{
	uint32_t at;
	if (!asked() || (at = call_of(f, token)) == NO_CALL)
		return;
	unwind_to(at + 1);
	pop(MUSTER_LEFT_TAIL);
}

void __muster_landed(const struct rt_function *f, uint32_t token)
{
	uint32_t at;
	if (asked() && (at = call_of(f, token)) != NO_CALL) {
		unwind_to(at + 1);
#ifdef RT_ACTIVATIONS
		activation_mark(MUSTER_MARK_EXTERN); /* what setjmp has written is not recorded */
#endif
	}
}

void __muster_other_stack(void)
{
	if (asked() && open_calls)
		lose_all();
}

uint32_t rt_calls_interrupted(void)
{
	uint32_t before = floor_calls;
	if (asked())
		floor_calls = open_calls;
	return before;
}

void rt_calls_resumed(uint32_t floor)
{
	if (!asked())
		return;
	if (open_calls > floor_calls)
		unwind_to(floor_calls);
	floor_calls = floor < open_calls ? floor : open_calls;
}
