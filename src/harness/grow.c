/* grow.c: inputs whose objects may be larger.
 *
 * How many elements objects have at most is a part of an input's prefix (muster/drive.h), so that a search can go on with larger
 * ones without another build, and small inputs stay small. An input is moved to the next layout object by object: roots and results stand where
 * they stood, and the call is the same. Or nearly so: a loop that left its object at the last element, forty steps before the branch
 * that no test has covered, is most likely to get there if the object has more of the same.
 */
#include "harness/walk.h"

#include <string.h>

#define INPUT_MOST (1u << 20)

static int can_grow(const struct walk *w, uint32_t pointer)
{
	const struct drive_type *types = w->h->types.data;

	return w->growth < DRIVE_GROWTHS && drive_limit(types, pointer, w->growth + 1) > drive_limit(types, pointer, w->growth);
}

int harness_full(const struct harness *h, uint32_t number, const void *data, size_t size)
{
	struct walk w;
	int full = 0;

	walk_open(&w, h, number, data, size);
	for (size_t i = 0; i < w.objects.size && !full; i++) {
		const struct walk_object *o = &w.objects.data[i];

		full = can_grow(&w, o->pointer) &&
		       o->elements + (uint32_t)o->string == drive_limit(h->types.data, o->pointer, w.growth);
	}
	walk_release(&w);
	return full;
}

/* The object whose block was copied to `block`, of `had` elements at most, gets as many as there can be now. */
static void stretch_block(const struct walk *w, uint32_t pointer, uint32_t had, uint8_t *block)
{
	const struct drive_type *types = w->h->types.data, *t = &types[pointer];
	uint32_t limit = drive_limit(types, pointer, w->growth + 1), string = (t->flags & DRIVE_STRING) != 0, size = types[t->a].size;
	uint8_t *first = block + DRIVE_HEADER;

	if (types[t->a].kind != DRIVE_BYTES || block[0] != had - 1 || had < 1 + string)
		return;
	for (uint32_t i = had - string; i < limit - string; i++)
		memcpy(first + (size_t)i * size, first + (size_t)(had - string - 1) * size, size);
	block[0] = (uint8_t)(limit - 1);
}

int harness_grow(const struct harness *h, uint32_t number, const void *data, size_t size, int stretch, struct buf *out)
{
	struct walk w;
	const struct drive_function *f;
	uint32_t whole, grown = 0, from;
	uint8_t *to;

	walk_open(&w, h, number, data, size);
	f = w.f;
	for (uint32_t i = 0; i < f->pools; i++)
		grown |= (uint32_t)can_grow(&w, h->pools.data[f->first_pool + i].pointer);
	whole = drive_block(f, h->types.data, h->pools.data + f->first_pool, f->pools, 0, w.growth + 1);
	if (!grown || whole > INPUT_MOST) {
		walk_release(&w);
		return 0;
	}
	to = mem_zalloc(whole);
	walk_copy(&w, 0, f->size, to); /* with the blocks that have not grown; others belong to no block there */
	for (uint32_t i = 0; i < f->pools; i++) {
		uint32_t pointer = h->pools.data[f->first_pool + i].pointer;
		size_t bytes = (size_t)drive_limit(h->types.data, pointer, w.growth) * h->types.data[h->types.data[pointer].a].size;

		for (uint32_t k = 1; k <= h->pools.data[f->first_pool + i].objects && can_grow(&w, pointer); k++) {
			uint32_t at = drive_block(f, h->types.data, h->pools.data + f->first_pool, i, k, w.growth + 1);

			from = walk_block(&w, i, k);
			walk_copy(&w, from, DRIVE_HEADER + bytes, to + at);
			to[at] &= (uint8_t)(drive_limit(h->types.data, pointer, w.growth) - 1); /* the same size */
			if (stretch)
				stretch_block(&w, pointer, drive_limit(h->types.data, pointer, w.growth), to + at);
			if (!w.growth)
				memset(to + from, 0, DRIVE_HEADER + bytes);
		}
	}
	to[DRIVE_GROWTH] = (uint8_t)(w.growth + 1);
	while (whole > DRIVE_PREFIX && !to[whole - 1])
		whole--;
	buf_add(out, to, whole);
	free(to);
	walk_release(&w);
	return 1;
}

/* Of the bound that was asked for: the table has the next power of two. */
static uint32_t most(uint32_t bound, uint32_t growth)
{
	struct drive_type types[2] = {{.limit = 1, .a = 1}, {.size = 1}};

	while (types[0].limit < bound)
		types[0].limit *= 2;
	return growth ? drive_limit(types, 0, growth) : bound;
}

uint32_t harness_most_elements(const struct harness *h, uint32_t growth)
{
	return most(h->options.elements, growth);
}

uint32_t harness_most_characters(const struct harness *h, uint32_t growth)
{
	return most(h->options.characters, growth);
}
