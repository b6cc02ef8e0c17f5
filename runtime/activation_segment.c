/* activation_segment.c: segments of activations (summary mode, segments variant).
 *
 * A function that the engine named is an activation; cut at the headers of its loops, it is also a row of segments, each an activation inside of it with leaves of its own: for the values that are there at the
 * header, and for memory that the segment reads first. The function's own frame is not the segment's: what lies there was there when it began. Everything else is as for a call (activation.c): when the
 * segment is over, memory and values have the labels that the function sees, with the bindings put in.
 *
 * A segment can begin in a state that the engine has chosen: memory and values are set before it has leaves, and the run ends with it, for nothing behind it is a state of the program's own.
 *
 * Invariant: while a segment is open it is the innermost activation of its call; those above it are of calls that it made.
 */
#include "activation_segment.h"

#include "activation_inside.h"
#include "node.h"

#include <stdlib.h>

#ifdef RT_ACTIVATIONS

static label known(label a, unsigned width, uint64_t value)
{
	return a ? a : rt_const(width, rt_mask(value, width), 0);
}

/* ---------------------------------------------------------------- states of the engine's */

static int is_set(uint32_t number)
{
	return RT_STATE->header->set_activation && RT_STATE->header->set_activation == number;
}

static const struct muster_set *set_list(uint32_t *count)
{
	const struct muster_header *h = RT_STATE->header;

	*count = h->set_count < MUSTER_SETS ? h->set_count : MUSTER_SETS;
	return (const struct muster_set *)((const char *)h + h->set_offset);
}

static void set_memory(void)
{
	uint32_t count;
	const struct muster_set *list = set_list(&count);

	for (uint32_t i = 0; i < count; i++)
		if (list[i].address && list[i].bytes <= sizeof list[i].value) {
			__builtin_memcpy((void *)list[i].address, &list[i].value, list[i].bytes);
			rt_clear((const void *)list[i].address, list[i].bytes);
		}
}

/* Value i of the cut; the one leaf of parameter i. */
static void set_value(uint32_t i, uint32_t number, uint64_t *values, label *labels)
{
	uint32_t count;
	const struct muster_set *list = set_list(&count);

	for (uint32_t k = 0; k < count; k++)
		if (!list[k].address && list[k].number == number) {
			values[i] = list[k].value;
			labels[i] = 0;
		}
}

static uint32_t begin(uint64_t site)
{
	uint32_t number = activation_push((uint64_t)__builtin_frame_address(0));

	if (number)
		rt_event_whole(MUSTER_EV_SEGMENT, MUSTER_CUT_BEGINS, 0, site, 0);
	return number;
}

static void end(enum muster_cut how, uint64_t site)
{
	int last = is_set(activation_open[rt_now].number);

	rt_event_whole(MUSTER_EV_SEGMENT, how, 0, site, 0);
	activation_end();
	if (last) {
		RT_STATE->active = 0;
		_Exit(0);
	}
}

static int has_one_leaf(const struct rt_function *f, uint32_t i)
{
	return !(i && f->leaves[2 * i - 1] == f->leaves[2 * i + 1]) && !(i + 1 < f->arguments && f->leaves[2 * i + 3] == f->leaves[2 * i + 1]);
}

uint32_t segment_enter(const struct rt_function *f, uint64_t *values, label *labels)
{
	if (RT_ON() && is_set(activation_next())) {
		set_memory();
		for (uint32_t i = 0; i < f->arguments; i++)
			if (has_one_leaf(f, i))
				set_value(i, f->leaves[2 * i + 1], values, labels);
	}
	uint32_t number = RT_ON() ? begin(f->site) : 0;
	unsigned part = 0;

	if (!number)
		return 0;
	for (uint32_t i = 0; i < f->arguments && RT_ON(); i++) {
		unsigned width = f->leaves[2 * i], parameter = f->leaves[2 * i + 1];
		part = i && f->leaves[2 * i - 1] == parameter ? part + 1 : 0;
		if (!width || width > 64)
			activation_mark_some(MUSTER_MARK_PARAMETER, 1);
		else
			labels[i] = activation_leaf(rt_now, width, labels[i], 0, 0, values[i], parameter | (uint64_t)part << 32, f->site);
	}
	if (f->flags & RT_FUNCTION_MORE)
		activation_mark_some(MUSTER_MARK_PARAMETER, 1);
	return number;
}

uint32_t segment_begin(const struct rt_cut *c, uint64_t *values, label *labels)
{
	if (RT_ON() && is_set(activation_next())) {
		set_memory();
		for (uint32_t i = 0; i < c->count; i++)
			if (c->bits[i])
				set_value(i, i, values, labels);
	}
	uint32_t number = RT_ON() ? begin(c->site) : 0;

	for (uint32_t i = 0; i < c->count && number && RT_ON(); i++)
		if (c->bits[i])
			labels[i] = activation_leaf(rt_now, c->bits[i], labels[i], 0, 0, values[i], i, c->site);
		else
			rt_event_whole(MUSTER_EV_LIVE, 1, i, c->site, rt_const(64, values[i], 0));
	if (number && c->more)
		activation_mark_some(MUSTER_MARK_PARAMETER, 1);
	return number;
}

void segment_next(const struct rt_cut *c, const uint64_t *values, label *labels)
{
	activation_writes();
	for (uint32_t i = 0; i < c->count; i++)
		if (c->bits[i]) {
			rt_event_whole(MUSTER_EV_LIVE, 0, i, c->site, known(labels[i], c->bits[i], values[i]));
			labels[i] = activation_outside(labels[i]);
		} else {
			rt_event_whole(MUSTER_EV_LIVE, 2, i, c->site, rt_const(64, values[i], 0));
		}
	end(MUSTER_CUT_NEXT, c->site);
}

void segment_return(const struct rt_function *f, const uint64_t *values, label *labels)
{
	const uint8_t *leaves = f->leaves + 2 * f->arguments;

	activation_writes();
	for (uint32_t i = 0; i < f->results; i++) {
		unsigned width = leaves[2 * i] > 64 ? 64 : leaves[2 * i];
		rt_event_whole(MUSTER_EV_LIVE, 0, i, f->site, width ? known(labels[i], width, values[i]) : 0);
		labels[i] = activation_outside(labels[i]);
	}
	end(MUSTER_CUT_RETURN, f->site);
}

void segment_lost(uint64_t site)
{
	activation_writes();
	end(MUSTER_CUT_LOST, site);
}

#endif
