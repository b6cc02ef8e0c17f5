/* leaves.c: see leaves.h. A union's members share their bytes: which of them an image has is decided where there are pointers, and nothing else tells them apart. */
#include "contract/leaves.h"

#include <string.h>

struct leaves {
	const struct value_image *im;
	value_each f;
	void *ctx;
};

static const struct front_type *plain(const struct leaves *l, uint32_t front)
{
	const struct front *f = l->im->w->h->front;
	return front < f->types.size ? &f->types.data[f->types.data[front].plain] : NULL;
}

static int is_there(const struct leaves *l, const struct value_leaf *v, const struct front_type *t)
{
	struct value_pointer to;
	if (t->kind == FRONT_POINTER)
		return value_pointer_at(l->im, v->off, &to) && plain(l, l->im->w->h->type_front.data[to.type]) == t;
	for (size_t i = v->off < 7 ? 0 : v->off - 7; i < v->off + v->size; i++)
		if (value_pointer_at(l->im, i, &to))
			return 0;
	return 1;
}

static void take_members(struct leaves *l, const struct value_leaf *v, const struct front_type *t)
{
	for (size_t i = 0; i < t->fields.size; i++) {
		const struct front_field *f = &t->fields.data[i];
		const struct front_type *to = plain(l, f->type);
		struct buf path = BUF_EMPTY;
		size_t n = strlen(v->path);
		if (!to || f->bits || !f->name || !*f->name)
			continue;
		buf_addf(&path, "%s%s%s", v->path, n && v->path[n - 1] == '>' ? "" : ".", f->name);
		struct value_leaf x = {buf_str(&path), f->type, v->off + f->bit_offset / 8, to->size, NULL};
		if (to->kind == FRONT_STRUCT || to->kind == FRONT_UNION)
			take_members(l, &x, to);
		else if (is_there(l, &x, to))
			l->f(l->ctx, &x);
		buf_release(&path);
	}
}

static void take_leaf(void *ctx, const struct value_leaf *v)
{
	struct leaves *l = ctx;
	const struct front_type *t = plain(l, v->front);
	if (t && t->kind == FRONT_UNION && v->size == t->size)
		take_members(l, v, t);
	else
		l->f(l->ctx, v);
}

void contract_leaves(const struct value_image *im, const char *path, value_each f, void *ctx)
{
	struct leaves l = {im, f, ctx};
	value_leaves(im, path, 1, take_leaf, &l);
}
