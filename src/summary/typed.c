/* typed.c: down from a type to the scalar at an offset: members, elements. Bit-fields and unions have no scalar at a byte, nor has padding. The same walk over types of the author's and of debug info. */
#include "summary/typed.h"

#include <string.h>

static const struct front_type *plain(const struct front *f, uint32_t type)
{
	return type < f->types.size && f->types.data[type].plain < f->types.size ? &f->types.data[f->types.data[type].plain] : NULL;
}

static uint32_t front_target(const struct front *f, uint32_t type)
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

	*out = (struct typed_scalar){.off = off, .bytes = t->size, .width = (unsigned)t->size * 8, .of = type};
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
		to = front_target(f, type);
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

static int front_at(const struct front *f, uint32_t type, uint64_t at, struct buf *text, struct typed_scalar *out)
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

/* ---------------------------------------------------------------- debug info */

static uint32_t code_target(const struct code *c, const struct code_type *t)
{
	if ((t->kind != CODE_TYPE_POINTER && t->kind != CODE_TYPE_ARRAY) || t->base == CODE_NONE || !c->types[t->base].bytes)
		return TYPED_NONE;
	return TYPED_CODE | t->base;
}

static int code_scalar(const struct code *c, uint32_t type, uint64_t off, struct typed_scalar *out)
{
	const struct code_type *t = &c->types[type];
	uint32_t to;

	*out = (struct typed_scalar){.off = off, .bytes = t->bytes, .width = t->is_bool ? 1 : (unsigned)t->bytes * 8, .of = TYPED_CODE | type};
	if (!t->bytes || t->bytes > 8)
		return 0;
	switch (t->kind) {
	case CODE_TYPE_INT:
		out->type = t->is_unsigned || t->is_bool ? PLACE_UNSIGNED : PLACE_SIGNED;
		return 1;
	case CODE_TYPE_FLOAT:
		out->type = PLACE_FLOAT;
		return 1;
	case CODE_TYPE_POINTER:
		out->type = PLACE_POINTER;
		to = code_target(c, t);
		out->size = to == TYPED_NONE ? 0 : c->types[t->base].bytes;
		return 1;
	default:
		return 0;
	}
}

/* The member that has the byte, from *start on; NULL: none has it alone. */
static const struct code_member *code_member_at(const struct code *c, const struct code_type *t, uint64_t *start, uint64_t at)
{
	for (uint32_t i = 0; i < t->members; i++) {
		const struct code_member *m = &c->members[t->first_member + i];
		uint64_t size = m->type == CODE_NONE ? 0 : c->types[m->type].bytes, first = *start + m->offset;

		if (at < first || at - first >= size)
			continue;
		*start = first;
		return m->bits ? NULL : m;
	}
	return NULL;
}

static int has_bits(const struct code *c, const struct code_type *t)
{
	for (uint32_t i = 0; i < t->members; i++)
		if (c->members[t->first_member + i].bits)
			return 1;
	return 0;
}

static int code_at(const struct code *c, uint32_t type, uint64_t at, struct buf *text, struct typed_scalar *out)
{
	uint64_t start = 0;

	for (;;) {
		const struct code_type *t = type == CODE_NONE ? NULL : &c->types[type];

		if (!t || !t->bytes || at - start >= t->bytes)
			return 0;
		if (t->kind == CODE_TYPE_STRUCT) {
			const struct code_member *m = has_bits(c, t) ? NULL : code_member_at(c, t, &start, at);
			if (!m)
				return 0;
			type = m->type;
			member(text, m->name);
		} else if (t->kind == CODE_TYPE_ARRAY) {
			uint64_t size = t->base == CODE_NONE ? 0 : c->types[t->base].bytes;
			if (!size)
				return 0;
			buf_addf(text, "[%llu]", (unsigned long long)((at - start) / size));
			start += (at - start) / size * size;
			type = t->base;
		} else {
			return code_scalar(c, type, start, out);
		}
	}
}

/* ---------------------------------------------------------------- both */

static const struct code_type *code_type_of(const struct typed *t, uint32_t type)
{
	return type != TYPED_NONE && type & TYPED_CODE && t->code && (type & ~TYPED_CODE) < t->code->type_count ? &t->code->types[type & ~TYPED_CODE] : NULL;
}

static enum typed_kind front_kind_of(enum front_kind kind)
{
	switch (kind) {
	case FRONT_CHAR:
		return TYPED_CHAR;
	case FRONT_BOOL:
	case FRONT_INT:
	case FRONT_FLOAT:
		return TYPED_NUMBER;
	case FRONT_POINTER:
		return TYPED_POINTER;
	case FRONT_ARRAY:
		return TYPED_ARRAY;
	case FRONT_STRUCT:
		return TYPED_STRUCT;
	default:
		return TYPED_OTHER;
	}
}

struct typed_form typed_form(const struct typed *t, uint32_t type)
{
	static const enum typed_kind kinds[] = {[CODE_TYPE_INT] = TYPED_NUMBER,	    [CODE_TYPE_POINTER] = TYPED_POINTER, [CODE_TYPE_ARRAY] = TYPED_ARRAY,
						[CODE_TYPE_STRUCT] = TYPED_STRUCT, [CODE_TYPE_UNION] = TYPED_OTHER,	 [CODE_TYPE_FLOAT] = TYPED_NUMBER};
	const struct code_type *c = code_type_of(t, type);
	const struct front_type *f = !c && t->front && type != TYPED_NONE && !(type & TYPED_CODE) ? plain(t->front, type) : NULL;

	if (c)
		return (struct typed_form){c->kind == CODE_TYPE_INT && c->bytes == 1 && !c->is_bool ? TYPED_CHAR : kinds[c->kind], c->bytes, 1};
	if (f)
		return (struct typed_form){front_kind_of(f->kind), f->size, f->align};
	return (struct typed_form){TYPED_OTHER, 0, 1};
}

int typed_at(const struct typed *t, uint32_t type, uint64_t off, struct buf *text, struct typed_scalar *out)
{
	if (code_type_of(t, type))
		return code_at(t->code, type & ~TYPED_CODE, off, text, out);
	return t->front && type != TYPED_NONE && !(type & TYPED_CODE) ? front_at(t->front, type, off, text, out) : 0;
}

uint32_t typed_target(const struct typed *t, uint32_t type)
{
	const struct code_type *c = code_type_of(t, type);

	if (c)
		return code_target(t->code, c);
	return t->front && type != TYPED_NONE && !(type & TYPED_CODE) ? front_target(t->front, type) : TYPED_NONE;
}

uint32_t typed_from_code(uint32_t type)
{
	return type == CODE_NONE ? TYPED_NONE : TYPED_CODE | type;
}
