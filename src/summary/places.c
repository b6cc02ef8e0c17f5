/* places.c: places of the entry state of a driven call.
 *
 * The names and types come from the harness's own walk over values (value_leaves), so that summaries name things as inputs are printed. A leaf is a scalar; arrays of characters are
 * taken apart, what has no names of its own (unions) is its bytes. Each byte of the input that stands in a leaf is a term over the leaf's variable: the byte itself, combined with what a
 * global was before (the driver's exclusive or is its own inverse), one bit of a bool, bits of bit-fields with the rest of their byte under a name of no place.
 */
#include "summary/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- the bytes */

static void set_bytes(struct places *st, const struct places_leaf *l)
{
	struct exprs *p = st->pool;

	if (l->is_bool) {
		expr_t e = expr_zext(p, l->variable, 8);
		if (l->initial)
			e = expr_binary(p, MUSTER_OP_XOR, e, expr_const(p, 8, l->initial[0]));
		map_set(&st->bytes, l->at, e);
		return;
	}
	for (uint32_t i = 0; i < l->bytes; i++) {
		expr_t e = expr_extract(p, l->variable, 8 * i, 8);
		if (l->initial)
			e = expr_binary(p, MUSTER_OP_XOR, e, expr_const(p, 8, l->initial[i]));
		map_set(&st->bytes, l->at + i, e);
	}
}

/* The byte with these of its bits replaced by the leaf's. */
static void set_bits(struct places *st, const struct places_leaf *l)
{
	struct exprs *p = st->pool;

	for (uint32_t i = 0; i < l->bits;) {
		uint32_t at = l->bit + i, byte = at / 8, low = at % 8, n = 8 - low < l->bits - i ? 8 - low : l->bits - i;
		uint64_t known;
		char name[48];
		expr_t e, part = expr_extract(p, l->variable, i, n);

		if (!map_get(&st->bytes, l->at + byte, &known)) {
			snprintf(name, sizeof name, "padding%zu", l->at + byte);
			known = expr_named(p, 8, name);
		}
		if (l->initial)
			part = expr_binary(p, MUSTER_OP_XOR, part, expr_const(p, n, l->initial[byte] >> low));
		e = part;
		if (low)
			e = expr_concat(p, e, expr_extract(p, (expr_t)known, 0, low));
		if (low + n < 8)
			e = expr_concat(p, expr_extract(p, (expr_t)known, low + n, 8 - low - n), e);
		map_set(&st->bytes, l->at + byte, e);
		i += n;
	}
}

/* ------------------------------------------------------------- leaves */

static void add_leaf(struct places *st, const char *text, enum place_type type, unsigned width)
{
	struct places_leaf *l = &st->now;
	const struct places_object *o = l->object != WALK_NONE ? &st->objects.data[l->object] : NULL;
	int64_t off = (int64_t)l->off - (o ? (int64_t)o->element * st->walk.objects.data[o->walk].size : 0); /* from where the pointer points */
	char path[64];

	if (l->bits)
		snprintf(path, sizeof path, "%lld.%u:%u", (long long)off, l->bit, l->bits);
	else
		snprintf(path, sizeof path, "%lld", (long long)off);
	struct buf whole = BUF_EMPTY;
	buf_adds(&whole, st->now_path);
	if (l->object != WALK_NONE)
		buf_addf(&whole, "*%s", path);
	else if (off || l->bits)
		buf_addf(&whole, "+%s", path);
	l->path = arena_strdup(&st->arena, buf_str(&whole));
	l->text = arena_strdup(&st->arena, text);
	l->type = type;
	l->width = width;
	l->variable = place_variable(st->pool, width, type, l->size, 0, l->path, l->text);
	buf_release(&whole);
	if (type != PLACE_POINTER && l->bits)
		set_bits(st, l);
	else if (type != PLACE_POINTER && !l->is_end)
		set_bytes(st, l);
	else if (type != PLACE_POINTER)
		map_set(&st->bytes, l->at, l->variable);
	vec_push(&st->leaves, *l);
}

static void add_pointer(struct places *st, const char *text)
{
	struct places_leaf *l = &st->now;
	const struct harness *h = st->walk.h;
	const struct drive_type *t = &h->types.data[l->to.type];

	l->size = t->kind == DRIVE_POINTER ? h->types.data[t->a].size : 0;
	add_leaf(st, text, PLACE_POINTER, 64);
	struct places_leaf *added = &vec_last(&st->leaves);
	if (!st->follow(st->ctx, added))
		return;
	added->followed = 1;
	if (l->to.to.to != WALK_OBJECT || l->to.to.object == WALK_NONE)
		return;
	for (size_t i = 0; i < st->objects.size; i++)
		if (st->objects.data[i].walk == l->to.to.object)
			return;
	vec_push(&st->objects, (struct places_object){.walk = l->to.to.object, .pointer = (uint32_t)(st->leaves.size - 1), .element = l->to.to.element});
}

static void add_bytes(struct places *st, const char *text, uint32_t bytes)
{
	struct buf name = BUF_EMPTY;
	struct places_leaf start = st->now;

	for (uint32_t i = 0; i < bytes; i++) {
		st->now = start;
		st->now.off += i;
		st->now.at += i;
		st->now.bytes = 1;
		if (start.initial)
			st->now.initial = start.initial + i;
		buf_clear(&name);
		buf_addf(&name, "((unsigned char *)&%s)[%u]", text, i);
		add_leaf(st, buf_str(&name), PLACE_UNSIGNED, 8);
	}
	buf_release(&name);
}

static void add_scalar(struct places *st, const struct front_type *t, const char *text, uint32_t bytes)
{
	switch (t->kind) {
	case FRONT_BOOL:
		st->now.is_bool = 1;
		add_leaf(st, text, PLACE_UNSIGNED, 1);
		return;
	case FRONT_CHAR:
	case FRONT_INT:
		if (bytes <= 8) {
			add_leaf(st, text, t->is_signed ? PLACE_SIGNED : PLACE_UNSIGNED, bytes * 8);
			return;
		}
		break;
	case FRONT_FLOAT:
		if (bytes <= 8) {
			add_leaf(st, text, PLACE_FLOAT, bytes * 8);
			return;
		}
		break;
	default:
		break;
	}
	add_bytes(st, text, bytes);
}

static void take_leaf(void *ctx, const struct value_leaf *v)
{
	struct places *st = ctx;
	const struct harness *h = st->walk.h;
	struct places_leaf base = st->now;
	const struct front_type *t = v->front < h->front->types.size ? &h->front->types.data[h->front->types.data[v->front].plain] : NULL;
	struct places_leaf *l = &st->now;

	l->off += (uint32_t)v->off;
	l->at += v->off;
	l->bytes = (uint32_t)v->size;
	if (l->initial)
		l->initial += v->off;
	if (v->bits) {
		uint32_t first = (uint32_t)v->bits->bit_offset / 8; /* its own bytes only: the struct may be large */
		l->off += first;
		l->at += first;
		l->initial = l->initial ? l->initial + first : NULL;
		l->bit = (uint32_t)v->bits->bit_offset % 8;
		l->bits = v->bits->bits;
		l->bytes = (l->bit + l->bits + 7) / 8;
		if (l->bits <= 64 && t && t->kind == FRONT_BOOL)
			add_leaf(st, v->path, PLACE_UNSIGNED, l->bits);
		else if (l->bits <= 64 && t)
			add_leaf(st, v->path, t->is_signed ? PLACE_SIGNED : PLACE_UNSIGNED, l->bits);
	} else if (value_pointer_at(st->image, v->off, &l->to)) {
		l->bytes = l->bytes < 8 ? l->bytes : 8; /* of a union: what lies after it has no name */
		add_pointer(st, v->path);
	} else if (t && t->kind == FRONT_ARRAY && t->to < h->front->types.size && h->front->types.data[h->front->types.data[t->to].plain].kind == FRONT_CHAR) {
		const struct front_type *e = &h->front->types.data[h->front->types.data[t->to].plain];
		struct places_leaf start = *l;
		for (uint32_t i = 0; i < v->size; i++) {
			struct buf name = BUF_EMPTY;
			*l = start;
			l->off += i, l->at += i, l->bytes = 1;
			l->initial = start.initial ? start.initial + i : NULL;
			buf_addf(&name, "%s[%u]", v->path, i);
			add_scalar(st, e, buf_str(&name), 1);
			buf_release(&name);
		}
	} else if (t) {
		add_scalar(st, t, v->path, (uint32_t)v->size);
	} else {
		add_bytes(st, v->path, (uint32_t)v->size);
	}
	*l = base;
}

static void add_image(struct places *st, uint32_t type, size_t at, int global, const char *text, const char *path)
{
	uint32_t size = st->walk.h->types.data[type].size;
	uint8_t *bytes = arena_alloc(&st->arena, size + 1);
	struct value_image im = {&st->walk, type, bytes, at, global, 0};

	walk_copy(&st->walk, at, size, bytes);
	st->image = &im;
	st->now.at = at;
	st->now_path = path;
	value_leaves(&im, text, 0, take_leaf, st);
	st->image = NULL;
}

void places_add(struct places *st, uint32_t type, const char *text, const char *path)
{
	st->now = (struct places_leaf){.root = 0, .object = WALK_NONE};
	add_image(st, type, 0, 0, text, path);
}

/* ---------------------------------------------------------- roots, objects */

static void add_root(struct places *st, uint32_t i)
{
	const struct harness *h = st->walk.h;
	uint32_t number = st->walk.f->first_root + i;
	const struct drive_root *r = &h->roots.data[number];
	int global = !!(r->flags & DRIVE_GLOBAL);
	const uint8_t *initial = global && number < h->root_initial.size ? h->root_initial.data[number] : NULL;
	char path[24];
	struct buf name = BUF_EMPTY;

	snprintf(path, sizeof path, "%u", i);
	buf_addf(&name, "g%s", h->root_names.data[number]);
	st->now = (struct places_leaf){.root = i, .object = WALK_NONE, .initial = initial};
	if (global && !initial)
		st->unknown_initial = 1;
	else
		add_image(st, r->type, r->at, global, h->root_names.data[number], global ? arena_strdup(&st->arena, buf_str(&name)) : arena_strdup(&st->arena, path));
	buf_release(&name);
}

/* Element j of the object, counted from its pointer. */
static void element_text(struct places *st, const struct places_object *o, uint32_t j, const struct front_type *t, struct buf *out)
{
	const char *p = st->leaves.data[o->pointer].text;
	const char *open = *p == '*' || *p == '(' ? "(" : "", *close = *open ? ")" : "";
	int64_t i = (int64_t)j - o->element;

	if (!i && t && t->kind == FRONT_STRUCT)
		buf_addf(out, "%s%s%s->", open, p, close);
	else if (!i && !o->string)
		buf_addf(out, t && (t->kind == FRONT_ARRAY || t->kind == FRONT_UNION) ? "(*%s%s%s)" : "*%s%s%s", open, p, close);
	else
		buf_addf(out, "%s%s%s[%lld]", open, p, close, (long long)i);
}

static void add_object(struct places *st, size_t number)
{
	struct places_object o = st->objects.data[number];
	const struct walk_object *w = &st->walk.objects.data[o.walk];
	const struct harness *h = st->walk.h;
	uint32_t front = h->type_front.data[w->type];
	const struct front_type *t = front < h->front->types.size ? &h->front->types.data[h->front->types.data[front].plain] : NULL;
	const struct drive_type *pointer = &h->types.data[w->pointer];
	const struct places_leaf *named = &st->leaves.data[o.pointer];

	o.string = w->string;
	o.elements = w->elements + (uint32_t)w->string;
	o.header = w->at - DRIVE_HEADER;
	o.limit = pointer->fixed || pointer->limit < 2 ? 1 : drive_limit(h->types.data, w->pointer, st->walk.growth);
	o.length = place_variable(st->pool, 64, PLACE_LENGTH, 0, 0, named->path, named->text);
	o.memory = w->number - 1;
	for (uint32_t i = 0; i < w->pool; i++)
		o.memory += h->pools.data[st->walk.f->first_pool + i].objects;
	st->objects.data[number] = o;
	const char *path = named->path;
	for (uint32_t j = 0; j < o.elements; j++) {
		struct buf text = BUF_EMPTY;
		int end = o.string && j == w->elements;

		element_text(st, &o, j, t, &text);
		st->now = (struct places_leaf){.root = WALK_NONE, .object = (uint32_t)number, .off = j * w->size, .is_end = end};
		add_image(st, w->type, w->at + (size_t)j * w->size, 0, buf_str(&text), path);
		buf_release(&text);
	}
}

void places_open(struct places *st, struct exprs *pool, const struct harness *h, uint32_t number, const void *data, size_t size,
		int (*follow)(void *ctx, const struct places_leaf *pointer), void *ctx)
{
	memset(st, 0, sizeof *st);
	st->pool = pool;
	st->follow = follow;
	st->ctx = ctx;
	walk_open(&st->walk, h, number, data, size);
	for (uint32_t i = 0; i < st->walk.f->parameters + st->walk.f->globals; i++)
		add_root(st, i);
	for (size_t i = 0; i < st->objects.size; i++)
		add_object(st, i);
}

void places_release(struct places *st)
{
	walk_release(&st->walk);
	vec_release(&st->leaves);
	vec_release(&st->objects);
	map_release(&st->bytes);
	arena_release(&st->arena);
}

/* ----------------------------------------------------------------- values */

static u128 take(const struct places_leaf *l, const uint8_t *bytes)
{
	u128 v = 0;

	for (uint32_t i = l->bytes; i-- > 0;)
		v = v << 8 | bytes[i];
	if (l->bits)
		v = v >> l->bit;
	return l->width >= 128 ? v : v & (((u128)1 << l->width) - 1);
}

u128 places_take(const struct places_leaf *leaf, const uint8_t *memory)
{
	return take(leaf, memory + leaf->off);
}

u128 places_value(const struct places *st, const struct places_leaf *l)
{
	uint8_t bytes[32] = {0};

	if (l->is_end)
		return 0;
	for (uint32_t i = 0; i < l->bytes && i < sizeof bytes; i++)
		bytes[i] = walk_byte(&st->walk, l->at + i) ^ (l->initial ? l->initial[i] : 0);
	return take(l, bytes);
}

void places_put(const struct places *st, const struct places_leaf *l, u128 value, uint8_t *input)
{
	(void)st;
	for (uint32_t i = 0; i < l->width; i++) {
		uint32_t at = (l->bits ? l->bit : 0) + i;
		uint8_t bit = (uint8_t)(value >> i & 1), *byte = &input[l->at + at / 8];

		if (l->initial)
			bit ^= l->initial[at / 8] >> at % 8 & 1;
		*byte = (uint8_t)((*byte & ~(1u << at % 8)) | (unsigned)bit << at % 8);
	}
}

const struct places_leaf *places_find(const struct places *st, expr_t variable)
{
	for (size_t i = 0; i < st->leaves.size; i++)
		if (st->leaves.data[i].variable == variable)
			return &st->leaves.data[i];
	return NULL;
}
