/* layout.c: two versions' drivers compared, and inputs carried from one to the other.
 *
 * The layout of an input is made of the function's roots, pools and types. If those of two versions are the same, an input of one is an input of the other, but for the function's id and for globals: the driver combines their bytes with
 * what the variable holds at first, which may be something else now. Pointers in globals have no such bytes.
 */
#include "harness/layout.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST 24 /* types inside types */

static int same_type(const struct harness *a, uint32_t x, const struct harness *b, uint32_t y, unsigned depth)
{
	const struct drive_type *s = &a->types.data[x], *t = &b->types.data[y];
	if (s->kind != t->kind || s->flags != t->flags || s->size != t->size || s->count != t->count || s->limit != t->limit || s->fixed != t->fixed)
		return 0;
	if (!depth) /* the same as far as that; a list leads back to itself */
		return 1;
	switch (s->kind) {
	case DRIVE_POINTER:
	case DRIVE_ARRAY:
		return same_type(a, s->a, b, t->a, depth - 1);
	case DRIVE_FUNCTION:
		for (uint32_t i = 0; i < s->count; i++)
			if (strcmp(a->targets.data[s->a + i], b->targets.data[t->a + i]))
				return 0;
		return 1;
	case DRIVE_STRUCT:
		for (uint32_t i = 0; i < s->count; i++) {
			const struct drive_member *m = &a->members.data[s->a + i], *n = &b->members.data[t->a + i];
			if (m->offset != n->offset || !same_type(a, m->type, b, n->type, depth / 2))
				return 0;
		}
		return 1;
	default:
		return 1;
	}
}

static int same_root(const struct harness *a, uint32_t x, const struct harness *b, uint32_t y)
{
	const struct drive_root *r = &a->roots.data[x], *s = &b->roots.data[y];
	if (r->at != s->at || r->flags != s->flags || ((r->flags & DRIVE_GLOBAL) && strcmp(a->root_names.data[x], b->root_names.data[y])))
		return 0;
	return same_type(a, r->type, b, s->type, DEEPEST);
}

int layout_is_same(const struct harness *a, uint32_t number_a, const struct harness *b, uint32_t number_b)
{
	const struct drive_function *f = &a->calls.data[number_a], *g = &b->calls.data[number_b];
	if (f->parameters != g->parameters || f->globals != g->globals || f->pools != g->pools || f->results != g->results || f->size != g->size || f->result_size != g->result_size)
		return 0;
	for (uint32_t i = 0; i < f->parameters + f->globals; i++)
		if (!same_root(a, f->first_root + i, b, g->first_root + i))
			return 0;
	for (uint32_t i = 0; i < f->pools; i++) {
		const struct drive_pool *p = &a->pools.data[f->first_pool + i], *q = &b->pools.data[g->first_pool + i];
		if (p->objects != q->objects || memcmp(p->at, q->at, p->objects * sizeof *p->at) || !same_type(a, p->pointer, b, q->pointer, DEEPEST))
			return 0;
	}
	return 1;
}

/* Bytes of the type that are no part of a pointer. */
static void mark(const struct harness *h, uint32_t type, uint32_t at, uint8_t *plain, unsigned depth)
{
	const struct drive_type *t = &h->types.data[type];
	switch (depth ? t->kind : DRIVE_OPAQUE) {
	case DRIVE_BYTES:
	case DRIVE_BOOL:
		memset(plain + at, 1, t->size);
		break;
	case DRIVE_ARRAY:
		for (uint32_t i = 0; i < t->count; i++)
			mark(h, t->a, at + i * h->types.data[t->a].size, plain, depth - 1);
		break;
	case DRIVE_STRUCT:
		for (uint32_t i = 0; i < t->count; i++)
			mark(h, h->members.data[t->a + i].type, at + h->members.data[t->a + i].offset, plain, depth - 1);
		break;
	default:
		break;
	}
}

/* What the driver combines a global's bytes with is another in b. */
static int carry_global(const struct harness *a, uint32_t x, const struct harness *b, uint32_t y, struct buf *out)
{
	const struct drive_root *r = &a->roots.data[x];
	const uint8_t *was = x < a->root_initial.size ? a->root_initial.data[x] : NULL, *is = y < b->root_initial.size ? b->root_initial.data[y] : NULL;
	uint32_t size = a->types.data[r->type].size;
	if (!was || !is)
		return 0;
	uint8_t *plain = mem_zalloc(size + 1);
	mark(a, r->type, 0, plain, DEEPEST);
	for (uint32_t i = 0; i < size; i++) {
		if (!plain[i] || was[i] == is[i])
			continue;
		while (out->size <= r->at + i)
			buf_addc(out, 0);
		out->data[r->at + i] = (char)(out->data[r->at + i] ^ was[i] ^ is[i]);
	}
	free(plain);
	return 1;
}

int layout_carry(const struct harness *a, uint32_t number_a, const void *data, size_t size, const struct harness *b, uint32_t number_b, struct buf *out)
{
	const struct drive_function *f = &a->calls.data[number_a], *g = &b->calls.data[number_b];
	if (!layout_is_same(a, number_a, b, number_b) || size < DRIVE_PREFIX)
		return 0;
	buf_clear(out);
	buf_add(out, data, size);
	for (unsigned i = 0; i < 4; i++)
		out->data[i] = (char)(g->id >> 8 * i);
	for (uint32_t i = 0; i < f->globals; i++)
		if (!carry_global(a, f->first_root + f->parameters + i, b, g->first_root + f->parameters + i, out))
			return 0;
	return 1;
}
