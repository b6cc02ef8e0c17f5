/* ic_context.c: when a summary's context holds a call's.
 *
 * A summary was explored for all values of its free inputs and for one value of each concrete one. A call is covered if each of its inputs takes no value
 * that the summary's did not: a concrete one must be equal (pointers that are not null are equal to each other, since an allocator may give other
 * addresses); for a free one of all its bytes anything will do; one whose upper bytes are zero covers values whose upper bytes are zero. An input that the summary
 * does not know is one that no path of it read. So the call is on a path that was not explored, unless the summary is partial: then a symbolic input is accepted.
 */
#include "search/ic_context.h"

#include <string.h>

void ic_context_release(struct ic_context *c)
{
	vec_release(&c->inputs);
	map_release(&c->by_key);
	memset(c, 0, sizeof *c);
}

const struct ic_input *ic_context_find(const struct ic_context *c, uint64_t key)
{
	uint64_t at;
	return map_get(&c->by_key, key, &at) ? &c->inputs.data[at] : NULL;
}

static int same_pointer(const struct ic_input *a, const struct ic_input *b)
{
	return (a->pointer || b->pointer) && a->value && b->value && a->width == 64 && b->width == 64;
}

static int same_kind(const struct ic_input *old, const struct ic_input *in)
{
	return old->kind == in->kind && old->width == in->width && old->lanes == in->lanes;
}

/* The length of the input is no variable of the document's: calls that differ in it alone are of one context. */
static int same_value(const struct ic_input *old, const struct ic_input *in)
{
	return in->kind == IC_FREE || old->value == in->value || same_pointer(old, in) || (old->length && in->length);
}

int ic_context_add(struct ic_context *c, const struct ic_input *in)
{
	uint64_t at;
	if (!map_get(&c->by_key, in->key, &at)) {
		map_set(&c->by_key, in->key, c->inputs.size);
		vec_push(&c->inputs, *in);
		return 0;
	}
	struct ic_input *old = &c->inputs.data[at];
	old->pointer |= in->pointer;
	old->length |= in->length;
	return same_kind(old, in) && same_value(old, in) ? 0 : -1;
}

int ic_context_differs(const struct ic_context *c, const ic_inputs *now)
{
	int differs = 0;
	for (size_t i = 0; i < now->size; i++) {
		const struct ic_input *old = ic_context_find(c, now->data[i].key);
		if (old && !same_kind(old, &now->data[i]))
			return 0;
		differs |= old && !same_value(old, &now->data[i]);
	}
	return differs;
}

int ic_context_has(const struct ic_context *c, enum ic_input_kind kind)
{
	for (size_t i = 0; i < c->inputs.size; i++)
		if (c->inputs.data[i].kind == kind)
			return 1;
	return 0;
}

int ic_context_has_pointer(const struct ic_context *c)
{
	for (size_t i = 0; i < c->inputs.size; i++)
		if (c->inputs.data[i].kind == IC_CONCRETE && c->inputs.data[i].pointer && c->inputs.data[i].value)
			return 1;
	return 0;
}

int ic_context_has_length(const struct ic_context *c)
{
	for (size_t i = 0; i < c->inputs.size; i++)
		if (c->inputs.data[i].length)
			return 1;
	return 0;
}

static uint8_t all_lanes(unsigned width)
{
	return width >= 64 ? 0xff : (uint8_t)((1u << width / 8) - 1);
}

/* Has this value zeros wherever the free input has them? */
static int within_lanes(uint64_t value, const struct ic_input *free_one)
{
	for (unsigned i = 0; i < free_one->width / 8u; i++)
		if (!(free_one->lanes >> i & 1) && (uint8_t)(value >> 8 * i))
			return 0;
	return 1;
}

static enum ic_match match_free(const struct ic_input *old, const struct ic_input *now)
{
	if (now->kind == IC_FREE && now->lanes == old->lanes)
		return IC_AS_SPECIFIC;
	if (old->lanes == all_lanes(old->width) && old->width % 8 == 0)
		return IC_MORE_SPECIFIC;
	if (now->kind == IC_CONCRETE)
		return within_lanes(now->value, old) ? IC_MORE_SPECIFIC : IC_MISMATCH;
	return now->lanes && !(now->lanes & ~old->lanes) ? IC_MORE_SPECIFIC : IC_MISMATCH;
}

static enum ic_match match_one(const struct ic_context *summary, const struct ic_input *now)
{
	const struct ic_input *old = ic_context_find(summary, now->key);
	if (!old)
		return summary->partial && now->kind != IC_CONCRETE ? IC_AS_SPECIFIC : IC_MISMATCH;
	if (old->width != now->width)
		return IC_MISMATCH;
	switch (old->kind) {
	case IC_CONCRETE:
		return now->kind == IC_CONCRETE && same_value(old, now) ? IC_AS_SPECIFIC : IC_MISMATCH;
	case IC_FREE:
		return match_free(old, now);
	default: /* held: explored for this value */
		return now->value == old->value ? IC_MORE_SPECIFIC : IC_MISMATCH;
	}
}

enum ic_match ic_context_match(const struct ic_context *summary, const ic_inputs *now)
{
	enum ic_match all = IC_AS_SPECIFIC;
	for (size_t i = 0; i < now->size; i++) {
		enum ic_match one = match_one(summary, &now->data[i]);
		if (one == IC_MISMATCH)
			return IC_MISMATCH;
		if (one == IC_MORE_SPECIFIC)
			all = IC_MORE_SPECIFIC;
	}
	return all;
}
