/* taken.c: which objects an input has already.
 *
 * A pointer that shall not be null may point to an object that is there, or to another one. The solver has no
 * preference and takes the smallest choice, which is an object that is there: lists then come out as circles, and
 * calls as hangs. Asking for another one first finds chains; the circles are the negations of what pins say later.
 */
#include "harness/walk.h"

struct looking {
	const struct walk *w;
	size_t at;
	int global;
	uint32_t taken; /* a bit for each choice */
};

static void look(void *ctx, uint32_t type, size_t at)
{
	struct looking *l = ctx;
	if (at != l->at || l->w->h->types.data[type].kind != DRIVE_POINTER)
		return;
	uint32_t pool = walk_pool(l->w, type);
	for (size_t i = 0; i < l->w->objects.size; i++)
		if (l->w->objects.data[i].pool == pool)
			l->taken |= 1u << (l->w->objects.data[i].number + (uint32_t)l->global);
}

uint32_t harness_taken(const struct harness *h, uint32_t number, const void *data, size_t size, size_t at)
{
	struct walk w;
	const struct drive_function *f = &h->calls.data[number];
	if (!f->pools)
		return 0;
	walk_open(&w, h, number, data, size);
	struct looking l = {.w = &w, .at = at};
	for (uint32_t i = 0; i < f->parameters + f->globals; i++) {
		const struct drive_root *root = &h->roots.data[f->first_root + i];
		if (at < root->at || at >= root->at + h->types.data[root->type].size)
			continue;
		l.global = i >= f->parameters;
		walk_leaves(h, root->type, root->at, look, &l);
	}
	l.global = 0;
	for (size_t i = 0; i < w.objects.size; i++) {
		const struct walk_object *o = &w.objects.data[i];
		for (uint32_t k = 0; o->size && k < o->elements; k++)
			if (at >= o->at + (size_t)k * o->size && at < o->at + (size_t)(k + 1) * o->size)
				walk_leaves(h, o->type, o->at + (size_t)k * o->size, look, &l);
	}
	walk_release(&w);
	return l.taken;
}
