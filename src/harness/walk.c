/* walk.c: an input read by the table.
 *
 * Reachability is a work list: the pointers of parameters and globals, then those of results that
 * stubs may give, ask for objects; each object that is new adds the pointers of its elements. So
 * every object is looked at once, and the order of finding is a function of what the input means
 * alone, not of the numbers its objects happen to have.
 *
 * The type of a result is known to the running program only. Where the function may call stubs of
 * several types, every reading of a slot counts as reaching (too many objects are harmless, one too
 * few would lose bytes).
 */
#include "harness/walk.h"

#include "base/error.h"

#include <string.h>

void walk_copy(const struct walk *w, size_t at, size_t n, void *out)
{
	size_t have = at < w->size ? w->size - at : 0;

	if (have > n)
		have = n;
	memset(out, 0, n);
	if (have)
		memcpy(out, w->data + at, have);
}

int walk_zero(const struct walk *w, size_t at, size_t n)
{
	for (size_t i = at; i < at + n && i < w->size; i++)
		if (w->data[i])
			return 0;
	return 1;
}

const struct harness_function *walk_about(const struct harness *h, uint32_t number)
{
	/* Numbers are given in order, and some functions have none: it is here or a little further.
	 */
	for (size_t i = number; i < h->functions.size; i++)
		if (h->functions.data[i].number == number)
			return &h->functions.data[i];
	for (size_t i = 0; i < h->functions.size && i < number; i++)
		if (h->functions.data[i].number == number)
			return &h->functions.data[i];
	return NULL;
}

void walk_leaves(const struct harness *h, uint32_t type, size_t at, walk_leaf f, void *ctx)
{
	const struct drive_type *t = &h->types.data[type];

	switch (t->kind) {
	case DRIVE_BYTES:
		return;
	case DRIVE_BOOL:
	case DRIVE_POINTER:
	case DRIVE_FUNCTION:
	case DRIVE_OPAQUE:
		f(ctx, type, at);
		return;
	case DRIVE_STRUCT:
		for (uint32_t i = 0; i < t->count; i++) {
			const struct drive_member *m = &h->members.data[t->a + i];
			walk_leaves(h, m->type, at + m->offset, f, ctx);
		}
		return;
	case DRIVE_ARRAY:
		if (h->types.data[t->a].kind == DRIVE_BYTES)
			return;
		for (uint32_t i = 0; i < t->count; i++)
			walk_leaves(h, t->a, at + (size_t)i * h->types.data[t->a].size, f, ctx);
		return;
	}
	BUG("a type of kind %u", t->kind);
}

int walk_has_pointers(const struct harness *h, uint32_t type)
{
	const struct drive_type *t = &h->types.data[type];

	if (t->kind == DRIVE_ARRAY)
		return t->count && walk_has_pointers(h, t->a);
	if (t->kind != DRIVE_STRUCT)
		return t->kind == DRIVE_POINTER || t->kind == DRIVE_FUNCTION ||
		       t->kind == DRIVE_OPAQUE;
	for (uint32_t i = 0; i < t->count; i++)
		if (walk_has_pointers(h, h->members.data[t->a + i].type))
			return 1;
	return 0;
}

uint32_t walk_pool(const struct walk *w, uint32_t type)
{
	uint32_t key = w->h->pool_keys.data[type];

	for (uint32_t i = 0; i < w->f->pools; i++)
		if (w->h->pool_keys.data[w->h->pools.data[w->f->first_pool + i].pointer] == key)
			return i;
	return WALK_NONE;
}

uint32_t walk_block(const struct walk *w, uint32_t pool, uint32_t number)
{
	return drive_block(w->f, w->h->types.data, vec_from(&w->h->pools, w->f->first_pool), pool, number, w->growth);
}

/* How many elements object `number` of a pool has, without a string's 0. */
static uint32_t elements_of(const struct walk *w, uint32_t pool, uint32_t number)
{
	uint32_t pointer = w->h->pools.data[w->f->first_pool + pool].pointer;
	const struct drive_type *t = &w->h->types.data[pointer];
	uint32_t header = walk_byte(w, walk_block(w, pool, number)) & (drive_limit(w->h->types.data, pointer, w->growth) - 1);

	if (t->fixed)
		return t->fixed;
	return t->flags & DRIVE_STRING ? header : header + 1;
}

static struct walk_pointer to_object(const struct walk *w, uint32_t pool, uint32_t number)
{
	struct walk_pointer p = {WALK_OBJECT, WALK_NONE, pool, number, 0, 0};
	uint32_t i = w->index.data[pool * DRIVE_OBJECTS + number - 1];

	if (i)
		p.object = i - 1;
	return p;
}

struct walk_pointer walk_pointer(const struct walk *w, uint32_t type, size_t at, int global)
{
	const struct drive_type *t = &w->h->types.data[type];
	struct walk_pointer p = {global ? WALK_KEEP : WALK_NULL, WALK_NONE, 0, 0, 0, 0};
	uint32_t choice = walk_byte(w, at), pool;

	if (!choice || t->kind == DRIVE_OPAQUE)
		return p;
	p.to = WALK_NULL;
	choice -= !!global;
	if (t->kind == DRIVE_FUNCTION) {
		if (choice && choice <= t->count) {
			p.to = WALK_TARGET;
			p.target = t->a + choice - 1;
		}
		return p;
	}
	pool = walk_pool(w, type);
	if (!choice || pool == WALK_NONE ||
	    choice > w->h->pools.data[w->f->first_pool + pool].objects)
		return p;
	p = to_object(w, pool, choice);
	if (t->flags & DRIVE_INTERIOR) { /* up to one past the end */
		int string = !t->fixed && (t->flags & DRIVE_STRING);

		p.element = walk_byte(w, at + 1);
		if (p.element > elements_of(w, pool, choice) + string)
			p.element = 0;
	}
	return p;
}

int walk_seen(const struct walk *w, uint32_t type, const uint8_t image[8], struct walk_pointer *out)
{
	const struct drive_type *t = &w->h->types.data[type];
	uint32_t pool;

	*out = (struct walk_pointer){WALK_NULL, WALK_NONE, 0, 0, 0, 0};
	if (!image[7])
		return !image[0];
	if (image[7] != 1 || !image[0])
		return 0;
	if (t->kind == DRIVE_FUNCTION) {
		out->to = WALK_TARGET;
		out->target = t->a + image[0] - 1;
		return image[0] <= t->count;
	}
	if (t->kind != DRIVE_POINTER)
		return 0;
	pool = walk_pool(w, type);
	if (pool == WALK_NONE || image[0] > w->h->pools.data[w->f->first_pool + pool].objects)
		return 0;
	*out = to_object(w, pool, image[0]);
	out->element = image[1];
	return 1;
}

/* ------------------------------------------------------------------ reaching */

struct reach {
	struct walk *w;
	int global;
};

static void reach_leaf(void *ctx, uint32_t type, size_t at)
{
	struct reach *r = ctx;
	struct walk_pointer p;
	uint32_t slot;

	if (r->w->h->types.data[type].kind != DRIVE_POINTER)
		return;
	p = walk_pointer(r->w, type, at, r->global);
	if (p.to != WALK_OBJECT)
		return;
	slot = p.pool * DRIVE_OBJECTS + p.number - 1;
	if (r->w->index.data[slot])
		return;
	r->w->index.data[slot] = 1;
	vec_push(&r->w->found, slot);
}

static struct walk_object object_of(const struct walk *w, uint32_t slot)
{
	struct walk_object o = {.pool = slot / DRIVE_OBJECTS, .number = slot % DRIVE_OBJECTS + 1};
	const struct drive_pool *p = &w->h->pools.data[w->f->first_pool + o.pool];

	o.pointer = p->pointer;
	o.type = w->h->types.data[p->pointer].a;
	o.size = w->h->types.data[o.type].size;
	o.elements = elements_of(w, o.pool, o.number);
	o.string = !w->h->types.data[p->pointer].fixed &&
		   (w->h->types.data[p->pointer].flags & DRIVE_STRING);
	o.at = walk_block(w, o.pool, o.number) + DRIVE_HEADER;
	return o;
}

/* The types that results may have, and what they reach. Larger ones than a slot get none: they are
 * zeros. */
static void reach_results(struct walk *w, struct reach *r)
{
	int pointers = 0;
	uint32_t end = w->f->results + DRIVE_RESULTS * DRIVE_RESULT;

	for (uint32_t i = 0; w->about && i < w->about->stub_count; i++) {
		uint32_t type = w->h->stub_types.data[w->about->stubs[i]];
		size_t k = 0;

		while (k < w->result_types.size && w->result_types.data[k] != type)
			k++;
		if (type == WALK_NONE || k < w->result_types.size ||
		    w->h->types.data[type].size > DRIVE_RESULT)
			continue;
		vec_push(&w->result_types, type);
		pointers |= walk_has_pointers(w->h, type);
	}
	if (!pointers || walk_zero(w, w->f->results, end - w->f->results))
		return;
	w->ambiguous = w->result_types.size > 1;
	for (size_t k = 0; k < w->result_types.size; k++)
		for (uint32_t at = w->f->results; at < end; at += DRIVE_RESULT)
			walk_leaves(w->h, w->result_types.data[k], at, reach_leaf, r);
}

static void reach_all(struct walk *w)
{
	struct reach r = {w, 0};
	uint32_t roots = w->f->parameters + w->f->globals;

	for (uint32_t i = 0; i < roots; i++) {
		const struct drive_root *root = &w->h->roots.data[w->f->first_root + i];
		r.global = !!(root->flags & DRIVE_GLOBAL);
		walk_leaves(w->h, root->type, root->at, reach_leaf, &r);
	}
	r.global = 0;
	reach_results(w, &r);
	for (size_t i = 0; i < w->found.size; i++) {
		struct walk_object o = object_of(w, w->found.data[i]);
		for (uint32_t e = 0; e < o.elements && !o.string; e++)
			walk_leaves(w->h, o.type, o.at + (size_t)e * o.size, reach_leaf, &r);
	}
}

void walk_open(struct walk *w, const struct harness *h, uint32_t number, const void *data,
	       size_t size)
{
	memset(w, 0, sizeof *w);
	w->h = h;
	w->f = &h->calls.data[number];
	w->about = walk_about(h, number);
	w->data = data;
	w->size = size;
	w->growth = drive_growth(walk_byte(w, DRIVE_GROWTH));
	vec_reserve(&w->index, (size_t)w->f->pools * DRIVE_OBJECTS);
	w->index.size = (size_t)w->f->pools * DRIVE_OBJECTS;
	if (w->index.size)
		memset(w->index.data, 0, w->index.size * sizeof *w->index.data);
	reach_all(w);
	for (size_t slot = 0; slot < w->index.size; slot++) {
		if (!w->index.data[slot])
			continue;
		vec_push(&w->objects, object_of(w, slot));
		w->index.data[slot] = w->objects.size;
	}
}

void walk_release(struct walk *w)
{
	vec_release(&w->objects);
	vec_release(&w->found);
	vec_release(&w->index);
	vec_release(&w->result_types);
}
