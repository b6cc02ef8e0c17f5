/* value_leaves.c: the scalars of a value, by the names they have. */
#include "harness/value.h"

struct leaves {
	const struct value_image *im;
	struct buf path;
	int whole;
	value_each f;
	void *ctx;
};

static void each_leaf(struct leaves *l, uint32_t front, size_t off);

/* Numbers without gaps between them: equal values have equal bytes. */
static int is_solid(const struct harness *h, uint32_t front)
{
	const struct front_type *t = &h->front->types.data[front];
	uint64_t at = 0;

	switch (t->kind) {
	case FRONT_CHAR:
	case FRONT_INT:
		return 1;
	case FRONT_FLOAT:
		return t->size < 16;
	case FRONT_ARRAY:
		return t->size && is_solid(h, t->to);
	case FRONT_STRUCT:
		for (size_t i = 0; i < t->fields.size; i++) {
			const struct front_field *f = &t->fields.data[i];

			if (f->bits || !*f->name || f->bit_offset != 8 * at ||
			    !is_solid(h, f->type))
				return 0;
			at += h->front->types.data[f->type].size;
		}
		return at == t->size;
	case FRONT_UNION:
		for (size_t i = 0; i < t->fields.size; i++) {
			const struct front_field *f = &t->fields.data[i];

			if (f->bits || !is_solid(h, f->type))
				return 0;
			if (h->front->types.data[f->type].size > at)
				at = h->front->types.data[f->type].size;
		}
		return at == t->size;
	default:
		return 0;
	}
}

static void each_field(struct leaves *l, const struct front_field *f, size_t off)
{
	const struct front_type *t = value_type(l->im, f->type);
	size_t mark = l->path.size;
	struct value_leaf leaf = {NULL, f->type, off, t->size, f};

	if (!*f->name && (f->bits || t->kind != FRONT_STRUCT))
		return; /* padding; anonymous unions are left to the caller: they have no name */
	if (*f->name)
		buf_addf(&l->path, "%s%s", mark && l->path.data[mark - 1] == '>' ? "" : ".",
			 f->name);
	if (!f->bits) {
		each_leaf(l, f->type, off + f->bit_offset / 8);
	} else {
		leaf.path = buf_str(&l->path);
		l->f(l->ctx, &leaf);
	}
	l->path.size = mark;
}

static void each_leaf(struct leaves *l, uint32_t front, size_t off)
{
	const struct front_type *t = value_type(l->im, front);
	const struct front_type *e = t->kind == FRONT_ARRAY ? value_type(l->im, t->to) : NULL;
	struct value_leaf leaf = {NULL, front, off, t->size, NULL};
	size_t mark = l->path.size;

	if (t->kind == FRONT_STRUCT) {
		for (size_t i = 0; i < t->fields.size; i++)
			each_field(l, &t->fields.data[i], off);
		return;
	}
	if (!e || e->kind == FRONT_CHAR || !e->size || (l->whole && is_solid(l->im->w->h, front))) {
		leaf.path = buf_str(&l->path);
		if (t->size)
			l->f(l->ctx, &leaf);
		return;
	}
	for (size_t i = 0; i < t->size / e->size; i++) {
		buf_addf(&l->path, "[%zu]", i);
		each_leaf(l, t->to, off + i * e->size);
		l->path.size = mark;
	}
}

void value_leaves(const struct value_image *im, const char *path, int whole, value_each f,
		  void *ctx)
{
	struct leaves l = {im, {0}, whole, f, ctx};
	const struct harness *h = im->w->h;
	const struct drive_type *d = &h->types.data[im->type];
	uint32_t front = h->type_front.data[im->type];
	struct value_leaf leaf = {path, front, 0, d->size, NULL};

	if (d->kind == DRIVE_POINTER || d->kind == DRIVE_FUNCTION || d->kind == DRIVE_OPAQUE ||
	    !value_front(h, front, d->size)) {
		f(ctx, &leaf);
		return;
	}
	buf_adds(&l.path, path);
	each_leaf(&l, front, 0);
	buf_release(&l.path);
}
