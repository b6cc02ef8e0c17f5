/* type.c: the types of places, by debug information: how objects are aligned, and which members a path leads through. */
#include "validate/inside.h"

#include <stdlib.h>
#include <string.h>

#define TYPES_DEEP 12 /* types inside types that are looked at */

/* What all objects of the type are aligned for: the widest of its scalars, unless it is packed. */
static uint64_t alignment(const struct code *c, uint32_t type, unsigned depth)
{
	const struct code_type *t = type != CODE_NONE ? &c->types[type] : NULL;
	uint64_t most = 1;
	if (!t || !depth || !t->bytes)
		return 1;
	switch ((enum code_type_kind)t->kind) {
	case CODE_TYPE_INT:
	case CODE_TYPE_POINTER:
	case CODE_TYPE_FLOAT:
		return t->bytes & (t->bytes - 1) ? 1 : t->bytes;
	case CODE_TYPE_ARRAY:
		return alignment(c, t->base, depth - 1);
	case CODE_TYPE_STRUCT:
	case CODE_TYPE_UNION:
		for (uint32_t i = 0; i < t->members; i++) {
			const struct code_member *m = &c->members[t->first_member + i];
			uint64_t a = alignment(c, m->type, depth - 1);
			if (!m->bits && m->offset % a)
				return 1;
			most = a > most ? a : most;
		}
		return t->bytes % most ? 1 : most;
	default:
		return 1;
	}
}

/* Where a bit-field lies depends on all of its structure. */
static void add_bits(const struct code *c, const struct code_type *t, struct buf *names)
{
	for (uint32_t i = 0; i < t->members; i++)
		if (c->members[t->first_member + i].bits)
			buf_addf(names, ",%s:%u", c->members[t->first_member + i].name, c->members[t->first_member + i].bits);
}

/* The type of what lies at an offset of a type: a scalar. names, or NULL: gets those of the members that lead there, and indices. */
static uint32_t type_inside(const struct code *c, uint32_t type, uint64_t offset, struct buf *names)
{
	for (unsigned depth = 0; type != CODE_NONE && depth < TYPES_DEEP; depth++) {
		const struct code_type *t = &c->types[type];
		uint32_t next = CODE_NONE;
		if (t->kind == CODE_TYPE_ARRAY) {
			if (t->base == CODE_NONE || !c->types[t->base].bytes)
				return CODE_NONE;
			if (names)
				buf_addf(names, "[%llu]", (unsigned long long)(offset / c->types[t->base].bytes));
			offset %= c->types[t->base].bytes;
			type = t->base;
			continue;
		}
		if (t->kind != CODE_TYPE_STRUCT)
			return offset ? CODE_NONE : type;
		for (uint32_t i = 0; i < t->members && next == CODE_NONE; i++) {
			const struct code_member *m = &c->members[t->first_member + i];
			if (m->type != CODE_NONE && offset >= m->offset && offset < m->offset + c->types[m->type].bytes) {
				next = m->type;
				offset -= m->offset;
				if (names)
					buf_addf(names, ".%s", m->name);
				if (names && m->bits)
					add_bits(c, t, names);
			}
		}
		type = next;
	}
	return CODE_NONE;
}

/* A variable of the function: lNAME, lNAME#N for the N-th of that name. */
static uint32_t local_type(const struct code_function *f, const char *path, const char *end)
{
	const char *number = memchr(path, '#', (size_t)(end - path));
	size_t size = (size_t)((number ? number : end) - path);
	unsigned nth = number ? (unsigned)strtoul(number + 1, NULL, 10) : 1;
	for (uint32_t i = 0; i < f->variable_count; i++)
		if (strlen(f->variables[i].name) == size && !memcmp(f->variables[i].name, path, size) && !--nth)
			return f->variables[i].type;
	return CODE_NONE;
}

static uint32_t root_type(const struct code_function *f, const char *path, const char *end)
{
	const struct code *c = f->code;
	if (*path == 'l')
		return local_type(f, path + 1, end);
	if (*path == 'g') {
		for (uint32_t g = 0; g < c->global_count; g++)
			if (strlen(c->globals[g].name) == (size_t)(end - path) - 1 && !memcmp(c->globals[g].name, path + 1, (size_t)(end - path) - 1))
				return c->globals[g].type;
		return CODE_NONE;
	}
	uint32_t number = *path >= '0' && *path <= '9' ? (uint32_t)strtoul(path, NULL, 10) : CODE_NONE;
	for (uint32_t i = 0; i < f->variable_count && number != CODE_NONE; i++)
		if (f->variables[i].parameter == number)
			return f->variables[i].type;
	return CODE_NONE;
}

/* A structure that is passed in registers is no parameter of the code's: by its name in the source, which the place's text begins with. */
static uint32_t type_by_name(const struct code_function *f, const char *text)
{
	size_t size = strcspn(text, ".[");
	for (uint32_t i = 0; i < f->variable_count && size; i++) {
		const struct code_variable *v = &f->variables[i];
		if (v->type != CODE_NONE && f->code->types[v->type].kind == CODE_TYPE_STRUCT && v->name && !strncmp(v->name, text, size) && !v->name[size])
			return v->type;
	}
	return CODE_NONE;
}

/* What a pointer of this type points to, at an offset of one of the elements. */
static uint32_t type_behind(const struct code *c, uint32_t type, uint64_t offset, struct buf *names)
{
	uint32_t base = c->types[type].kind == CODE_TYPE_POINTER ? c->types[type].base : CODE_NONE;
	if (base == CODE_NONE || !c->types[base].bytes)
		return CODE_NONE;
	if (names)
		buf_addf(names, "[%llu]", (unsigned long long)(offset / c->types[base].bytes));
	return type_inside(c, base, offset % c->types[base].bytes, names);
}

/* The type of a place, by debug information; CODE_NONE. */
static uint32_t type_of(const struct code_function *f, const struct place *pl, struct buf *names)
{
	const char *at = pl->path, *end = pl->path + pl->path_size;
	while (at < end && *at != '+' && *at != '*')
		at++;
	uint32_t type = root_type(f, pl->path, at);
	if (names && at < end && *at == '+' && *pl->path != 'g' && (type == CODE_NONE || f->code->types[type].kind != CODE_TYPE_STRUCT))
		type = type_by_name(f, pl->text);
	while (at < end && type != CODE_NONE) {
		char *rest;
		uint64_t offset = strtoull(at + 1, &rest, 10);
		if (*at == '.') /* bits of it */
			break;
		if (names && *at == '*')
			buf_addc(names, '*');
		type = *at == '+' ? type_inside(f->code, type, offset, names) : type_behind(f->code, type, offset, names);
		at = rest;
	}
	return type;
}

void bind_names(const struct code_function *f, const struct place *pl, struct buf *out)
{
	uint32_t type = type_of(f, pl, out);
	if (type != CODE_NONE)
		buf_addf(out, ":%u:%llu", (unsigned)f->code->types[type].kind, (unsigned long long)f->code->types[type].bytes);
}

uint32_t bind_type(const struct code_function *f, const struct place *pl)
{
	return type_of(f, pl, NULL);
}

uint64_t bind_alignment(const struct code *c, uint32_t type)
{
	return alignment(c, type, TYPES_DEEP);
}

uint64_t bind_alignment_of_size(const struct code *c, uint64_t bytes)
{
	uint64_t least = 0;
	for (uint32_t i = 0; i < c->type_count; i++) {
		if (c->types[i].bytes != bytes)
			continue;
		uint64_t a = bind_alignment(c, i);
		least = !least || a < least ? a : least;
	}
	return least ? least : 1;
}

const struct code_type *bind_scalar(const struct code *c, uint32_t type, uint64_t offset, int behind, struct buf *names)
{
	size_t before = names->size;
	if (type == CODE_NONE)
		return NULL;
	type = behind ? type_behind(c, type, offset, names) : type_inside(c, type, offset, names);
	const struct code_type *t = type == CODE_NONE ? NULL : &c->types[type];
	return t && !strchr(buf_str(names) + before, ',') && (t->kind == CODE_TYPE_INT || t->kind == CODE_TYPE_POINTER) ? t : NULL;
}

static int same_type(const struct code *a, uint32_t x, const struct code *b, uint32_t y, unsigned depth)
{
	if (x == CODE_NONE || y == CODE_NONE || !depth)
		return x == y;
	const struct code_type *t = &a->types[x], *u = &b->types[y];
	if (t->kind != u->kind || t->bytes != u->bytes || t->count != u->count || t->members != u->members || strcmp(t->name, u->name))
		return 0;
	if (t->kind == CODE_TYPE_ARRAY)
		return same_type(a, t->base, b, u->base, depth - 1);
	for (uint32_t i = 0; i < t->members; i++) {
		const struct code_member *m = &a->members[t->first_member + i], *n = &b->members[u->first_member + i];
		if (strcmp(m->name, n->name) || m->offset != n->offset || m->bits != n->bits || !same_type(a, m->type, b, n->type, depth - 1))
			return 0;
	}
	return 1;
}

int bind_same_layouts(const struct code *old, const struct code *new, uint64_t bytes)
{
	int some = 0;
	for (uint32_t i = 0; i < old->type_count; i++) {
		uint32_t k = 0;
		if (old->types[i].bytes != bytes || (old->types[i].kind != CODE_TYPE_STRUCT && old->types[i].kind != CODE_TYPE_UNION))
			continue;
		while (k < new->type_count && !same_type(old, i, new, k, TYPES_DEEP))
			k++;
		if (k == new->type_count)
			return 0;
		some = 1;
	}
	return some ? 1 : -1;
}
