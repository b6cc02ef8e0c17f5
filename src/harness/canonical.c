/* canonical.c: one form for all inputs that call a function in the same way.
 *
 * The form is written anew into zeros: what is not read is simply never copied. Numbers go as they
 * are (padding too: memcmp may look at it), bools as one bit, pointers as their choice and element.
 * Objects of a pool are interchangeable, so the one that is reached first gets number 1, the next
 * 2; the order of reaching depends on what the input means only (walk.c), hence the form of a form
 * is itself.
 *
 * Where a result slot can be read in several ways (walk.ambiguous), its bytes cannot be changed for
 * one reading without changing another: then slots stay as they are, and so do the numbers.
 */
#include "harness/walk.h"

#include <string.h>

struct form {
	struct walk w;
	uint8_t *out;
	uint32_t *renumbered; /* for each pool and number: the number it gets */
	int global;
};

static void copy_leaf(void *ctx, uint32_t type, size_t at)
{
	struct form *f = ctx;
	struct walk_pointer p;

	if (f->w.h->types.data[type].kind == DRIVE_BOOL) {
		f->out[at] = walk_byte(&f->w, at) & 1;
		return;
	}
	memset(f->out + at, 0, f->w.h->types.data[type].size);
	p = walk_pointer(&f->w, type, at, f->global);
	if (p.to == WALK_KEEP)
		return;
	f->out[at] = f->global;
	if (p.to == WALK_TARGET)
		f->out[at] += p.target - f->w.h->types.data[type].a + 1;
	if (p.to == WALK_OBJECT) {
		f->out[at] += f->renumbered[p.pool * DRIVE_OBJECTS + p.number - 1];
		f->out[at + 1] = p.element;
	}
}

static void copy_image(struct form *f, uint32_t type, size_t at)
{
	walk_copy(&f->w, at, f->w.h->types.data[type].size, f->out + at);
	walk_leaves(f->w.h, type, at, copy_leaf, f);
}

static void copy_results(struct form *f)
{
	const struct walk *w = &f->w;

	if (w->result_types.size == 1) {
		for (uint32_t i = 0; i < DRIVE_RESULTS; i++)
			copy_image(f, w->result_types.data[0], w->f->results + i * DRIVE_RESULT);
	} else if (w->result_types.size) {
		walk_copy(w, w->f->results, DRIVE_RESULTS * DRIVE_RESULT, f->out + w->f->results);
	}
}

/* Its elements where they stand; copy_object moves them. */
static void copy_object(struct form *f, const struct walk_object *o, uint8_t *scratch)
{
	const struct drive_type *t = &f->w.h->types.data[o->pointer];
	uint32_t to = walk_block(&f->w, o->pool, f->renumbered[o->pool * DRIVE_OBJECTS + o->number - 1]);
	size_t size = (size_t)o->elements * o->size;
	uint8_t *out = f->out;

	f->out = scratch;
	for (uint32_t e = 0; e < o->elements; e++)
		copy_image(f, o->type, o->at + (size_t)e * o->size);
	f->out = out;
	out[to] = t->fixed ? 0 : o->string ? o->elements : o->elements - 1;
	memcpy(out + to + DRIVE_HEADER, scratch + o->at, size);
}

static void renumber(struct form *f)
{
	uint32_t *count = mem_zalloc((f->w.f->pools + 1) * sizeof *count);

	for (size_t i = 0; i < f->w.found.size; i++) {
		uint32_t slot = f->w.found.data[i], pool = slot / DRIVE_OBJECTS;
		f->renumbered[slot] = f->w.ambiguous ? slot % DRIVE_OBJECTS + 1 : ++count[pool];
	}
	free(count);
}

void harness_canonical(const struct harness *h, uint32_t number, struct buf *data)
{
	struct form f = {0};
	const struct drive_function *call = &h->calls.data[number];
	uint8_t *scratch;
	size_t size;

	walk_open(&f.w, h, number, data->data, data->size);
	size = walk_block(&f.w, call->pools, 0);
	f.out = mem_zalloc(size);
	scratch = mem_zalloc(size);
	f.renumbered = mem_zalloc((f.w.index.size + 1) * sizeof *f.renumbered);
	renumber(&f);
	memcpy(f.out, &call->id, sizeof call->id);
	f.out[DRIVE_GROWTH] = (uint8_t)f.w.growth;
	for (uint32_t i = 0; i < call->parameters + call->globals; i++) {
		const struct drive_root *root = &h->roots.data[call->first_root + i];
		f.global = !!(root->flags & DRIVE_GLOBAL);
		copy_image(&f, root->type, root->at);
	}
	f.global = 0;
	copy_results(&f);
	for (size_t i = 0; i < f.w.objects.size; i++)
		copy_object(&f, &f.w.objects.data[i], scratch);
	while (size && !f.out[size - 1])
		size--;
	walk_release(&f.w);
	buf_clear(data);
	buf_add(data, f.out, size);
	free(f.renumbered);
	free(scratch);
	free(f.out);
}
