/* typed.c: down from a type to the scalar at an offset: members, elements. Bit-fields and unions have no scalar at a byte, nor has padding. */
#include "summary/typed.h"

#include <string.h>

static const struct front_type *plain(const struct front *f, uint32_t type)
{
	return type < f->types.size && f->types.data[type].plain < f->types.size ? &f->types.data[f->types.data[type].plain] : NULL;
}

uint32_t typed_target(const struct front *f, uint32_t type)
{
	const struct front_type *t = plain(f, type), *to;

	if (!t || (t->kind != FRONT_POINTER && t->kind != FRONT_ARRAY))
		return FRONT_NONE;
	to = plain(f, t->to);
	return to && to->size && to->kind != FRONT_VOID && to->kind != FRONT_FUNCTION ? t->to : FRONT_NONE;
}

static int scalar(const struct front *f, uint32_t type, const struct front_type *t, uint64_t off, struct typed_scalar *out)
{
	uint32_t to;

	*out = (struct typed_scalar){.off = off, .bytes = t->size, .width = (unsigned)t->size * 8, .front = type};
	if (t->size > 8)
		return 0;
	switch (t->kind) {
	case FRONT_BOOL:
		out->width = 1;
		out->type = PLACE_UNSIGNED;
		return 1;
	case FRONT_CHAR:
	case FRONT_INT:
		out->type = t->is_signed ? PLACE_SIGNED : PLACE_UNSIGNED;
		return 1;
	case FRONT_FLOAT:
		out->type = PLACE_FLOAT;
		return 1;
	case FRONT_POINTER:
		out->type = PLACE_POINTER;
		to = typed_target(f, type);
		out->size = to == FRONT_NONE ? 0 : f->types.data[to].size;
		return 1;
	default:
		return 0;
	}
}

static void member(struct buf *text, const char *name)
{
	const char *so_far = buf_str(text);
	size_t n = strlen(so_far);

	if (*name)
		buf_addf(text, n > 1 && !strcmp(so_far + n - 2, "->") ? "%s" : ".%s", name);
}

int typed_at(const struct front *f, uint32_t type, uint64_t at, struct buf *text, struct typed_scalar *out)
{
	uint64_t start = 0;

	for (;;) {
		const struct front_type *t = plain(f, type);
		const struct front_type *e;
		uint32_t inner = FRONT_NONE;

		if (!t || !t->size || at - start >= t->size)
			return 0;
		if (t->kind == FRONT_STRUCT) {
			for (size_t i = 0; i < t->fields.size && inner == FRONT_NONE; i++) {
				const struct front_field *m = &t->fields.data[i];
				const struct front_type *mt = plain(f, m->type);
				uint64_t first = start + m->bit_offset / 8;

				if (m->bits && at >= first && at <= start + (m->bit_offset + m->bits - 1) / 8)
					return 0;
				if (m->bits || !mt || at < first || at - first >= mt->size)
					continue;
				inner = m->type;
				start = first;
				member(text, m->name);
			}
			if (inner == FRONT_NONE)
				return 0;
			type = inner;
		} else if (t->kind == FRONT_ARRAY) {
			e = plain(f, t->to);
			if (!e || !e->size)
				return 0;
			buf_addf(text, "[%llu]", (unsigned long long)((at - start) / e->size));
			start += (at - start) / e->size * e->size;
			type = t->to;
		} else {
			return scalar(f, type, t, start, out);
		}
	}
}
