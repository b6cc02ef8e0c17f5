/* value.c: an input as C.
 *
 * Types come from the front (members, signs, enumerators), positions and pointers from the table:
 * the printer descends the front's type with an offset into the image, and asks the table whether a
 * pointer stands there. What the table calls bytes is never read as a pointer.
 *
 * For people and JSON, an object is printed where it is reached first; later pointers to it are
 * printed as the expression that reached it (q = p, .next = p->next). So every object is printed
 * once and cycles end.
 *
 * As an initialiser, it notes which bytes it has accounted for; what C cannot say in one (padding,
 * unions of which two members are needed, payloads of NaNs) is what remains, and the caller writes
 * it byte by byte.
 */
#include "harness/value.h"

#include "base/error.h"
#include "harness/text.h"

#include <string.h>

const struct front_type *value_front(const struct harness *h, uint32_t front, size_t size)
{
	const struct front_type *t =
	    front < h->front->types.size ? &h->front->types.data[front] : NULL;

	return t && t->size == size && t->kind != FRONT_VOID && t->kind != FRONT_FUNCTION &&
		       t->kind != FRONT_OTHER
		   ? t
		   : NULL;
}

static int zero(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return 0;
	return 1;
}

/* The leaf of the table at an offset of a type: pointers and bools; WALK_NONE: bytes. */
static uint32_t leaf_at(const struct harness *h, uint32_t type, size_t off)
{
	const struct drive_type *t = &h->types.data[type];

	switch (t->kind) {
	case DRIVE_STRUCT:
		for (uint32_t i = 0; i < t->count; i++) {
			const struct drive_member *m = &h->members.data[t->a + i];
			if (off >= m->offset && off < m->offset + h->types.data[m->type].size)
				return leaf_at(h, m->type, off - m->offset);
		}
		return WALK_NONE;
	case DRIVE_ARRAY:
		return leaf_at(h, t->a, off % h->types.data[t->a].size);
	case DRIVE_BYTES:
		return WALK_NONE;
	}
	return off ? WALK_NONE : type;
}

int value_pointer_at(const struct value_image *im, size_t off, struct value_pointer *out)
{
	uint32_t leaf = leaf_at(im->w->h, im->type, off);

	if (leaf == WALK_NONE || im->w->h->types.data[leaf].kind == DRIVE_BOOL)
		return 0;
	out->type = leaf;
	out->known = 1;
	if (im->seen)
		out->known = walk_seen(im->w, leaf, im->bytes + off, &out->to);
	else
		out->to = walk_pointer(im->w, leaf, im->at + off, im->global);
	return 1;
}

uint64_t value_bits(const uint8_t *bytes, const struct front_field *f, int is_signed)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < f->bits; i++)
		v |= (uint64_t)(bytes[(f->bit_offset + i) / 8] >> (f->bit_offset + i) % 8 & 1) << i;
	if (is_signed && f->bits < 64 && v >> (f->bits - 1) & 1)
		v |= ~(uint64_t)0 << f->bits;
	return v;
}

/* ----------------------------------------------------------------- scalars */

static int print_enum(struct buf *out, const struct front_type *t, const uint8_t *bytes,
		      enum value_form form)
{
	uint64_t v = 0;

	memcpy(&v, bytes, t->size < 8 ? t->size : 8);
	if (t->is_signed && t->size < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * t->size)) >> (64 - 8 * t->size));
	for (size_t i = 0; i < t->enumerators.size; i++) {
		const struct front_enumerator *e = &t->enumerators.data[i];
		if ((uint64_t)e->value != v)
			continue;
		if (form == VALUE_JSON)
			text_json_string(out, e->name, strlen(e->name));
		else
			buf_adds(out, e->name);
		return 1;
	}
	return 0;
}

/* A number for JSON: C's forms that JSON lacks become strings. */
static void json_number(struct buf *out, const char *text)
{
	size_t n = strlen(text);

	if (n && text[n - 1] == 'u' && strspn(text, "0123456789") == n - 1)
		n--; /* 18446744073709551615u */
	if (!strcmp(text, "(-9223372036854775807 - 1)"))
		buf_adds(out, "-9223372036854775808");
	else if (strspn(text, "-+.e0123456789") >= n)
		buf_add(out, text, n);
	else
		text_json_string(out, text, n);
}

static int scalar_text(struct buf *out, const struct front_type *t, const uint8_t *bytes,
		       enum value_form form)
{
	switch (t->kind) {
	case FRONT_BOOL:
		if (form == VALUE_SOURCE)
			buf_addc(out, bytes[0] ? '1' : '0');
		else
			buf_adds(out, bytes[0] ? "true" : "false");
		return 1;
	case FRONT_CHAR:
		if (form == VALUE_JSON)
			text_integer(out, bytes, t->size, t->is_signed);
		else
			text_char(out, bytes[0], t->is_signed);
		return 1;
	case FRONT_INT:
		text_integer(out, bytes, t->size, t->is_signed);
		return 1;
	case FRONT_FLOAT:
		return text_float(out, bytes, t->size, form != VALUE_SOURCE) >= 0;
	default:
		return 0;
	}
}

int value_scalar(struct buf *out, const struct front_type *t, const uint8_t *bytes,
		 enum value_form form)
{
	struct buf text = {0};
	int done;

	if (t->is_enum && t->kind == FRONT_INT && print_enum(out, t, bytes, form))
		return 1;
	done = scalar_text(&text, t, bytes, form);
	if (done && form == VALUE_JSON && t->kind != FRONT_BOOL)
		json_number(out, buf_str(&text));
	else if (done)
		buf_add(out, text.data, text.size);
	buf_release(&text);
	return done;
}

/* As bytes, of whatever type. */
static void print_bytes(struct value_printer *p, const uint8_t *bytes, size_t n)
{
	if (n == 1) {
		text_integer(p->out, bytes, 1, 0);
	} else if (p->form == VALUE_JSON) {
		buf_addc(p->out, '"');
		for (size_t i = 0; i < n; i++)
			buf_addf(p->out, "%02x", bytes[i]);
		buf_addc(p->out, '"');
	} else {
		for (size_t i = 0; i < n; i++)
			buf_addf(p->out, "%s%u", i ? ", " : "{", bytes[i]);
		buf_addc(p->out, '}');
	}
}

static void built(struct value_printer *p, const struct value_image *im, size_t off, size_t n)
{
	if (p->built)
		memcpy(p->built + off, im->bytes + off, n);
}

static void print_scalar(struct value_printer *p, const struct value_image *im,
			 const struct front_type *t, size_t off)
{
	int exact = 1;

	if (p->form == VALUE_SOURCE && t->kind == FRONT_FLOAT)
		exact = text_float(p->out, im->bytes + off, t->size, 0);
	else if (!value_scalar(p->out, t, im->bytes + off, p->form))
		exact = -1;
	if (exact > 0)
		built(p, im, off, t->kind == FRONT_FLOAT && t->size == 16 ? 10 : t->size);
	else if (p->built) /* whatever C makes of it, all of it is to be written again */
		for (size_t i = 0; i < t->size; i++)
			p->built[off + i] = ~im->bytes[off + i];
	if (exact < 0 && p->form == VALUE_SOURCE)
		buf_adds(p->out, "0");
	else if (exact < 0)
		print_bytes(p, im->bytes + off, t->size);
}

static void print_bits(struct value_printer *p, const struct value_image *im,
		       const struct front_field *f, size_t off)
{
	const struct front_type *t = value_type(im, f->type);
	uint64_t v = value_bits(im->bytes + off, f, t->is_signed);
	uint8_t bytes[16] = {0};

	memcpy(bytes, &v, sizeof v);
	value_scalar(p->out, t, bytes, p->form);
	for (uint32_t i = 0; p->built && i < f->bits; i++) {
		uint64_t bit = f->bit_offset + i;
		p->built[off + bit / 8] |= im->bytes[off + bit / 8] & 1 << bit % 8;
	}
}

/* --------------------------------------------------------------- aggregates */

/* Whether the front has a pointer at an offset of a type. */
static int front_pointer_at(const struct harness *h, uint32_t front, size_t off)
{
	const struct front_type *t = &h->front->types.data[front];
	uint64_t element;

	switch (t->kind) {
	case FRONT_POINTER:
		return !off;
	case FRONT_ARRAY:
		element = h->front->types.data[t->to].size;
		return element && front_pointer_at(h, t->to, off % element);
	case FRONT_STRUCT:
	case FRONT_UNION:
		for (size_t i = 0; i < t->fields.size; i++) {
			const struct front_field *f = &t->fields.data[i];
			uint64_t at = f->bit_offset / 8;
			if (!f->bits && off >= at &&
			    off < at + h->front->types.data[f->type].size &&
			    front_pointer_at(h, f->type, off - at))
				return 1;
		}
		return 0;
	default:
		return 0;
	}
}

/* The member of a union that says all there is in it; NULL: none does. */
static const struct front_field *union_member(const struct value_image *im,
					      const struct front_type *t, size_t off)
{
	const struct harness *h = im->w->h;

	for (size_t i = 0; i < t->fields.size; i++) {
		const struct front_field *f = &t->fields.data[i];
		size_t size = value_type(im, f->type)->size;
		struct value_pointer vp;
		int fits = !f->bits && zero(im->bytes + off + size, t->size - size);

		for (size_t at = 0; fits && at < size; at++)
			if (value_pointer_at(im, off + at, &vp) && im->bytes[off + at])
				fits = front_pointer_at(h, f->type, at);
		if (fits)
			return f;
	}
	return NULL;
}

static void print_key(struct value_printer *p, const char *name, int first)
{
	buf_adds(p->out, first ? "" : ", ");
	if (p->form == VALUE_JSON) {
		text_json_string(p->out, name, strlen(name));
		buf_adds(p->out, ": ");
	} else {
		buf_addf(p->out, ".%s = ", name);
	}
}

static void print_field(struct value_printer *p, const struct value_image *im,
			const struct front_field *f, size_t off, int *first);

/* The members of a struct or union, without braces: those of anonymous ones are members of their
 * parent. */
static void print_members(struct value_printer *p, const struct value_image *im,
			  const struct front_type *t, size_t off, int *first)
{
	if (t->kind == FRONT_UNION) {
		const struct front_field *f = union_member(im, t, off);
		if (f)
			print_field(p, im, f, off, first);
		else if (p->form == VALUE_JSON && (print_key(p, "bytes", *first), *first = 0, 1))
			print_bytes(p, im->bytes + off, t->size);
		return;
	}
	for (size_t i = 0; i < t->fields.size; i++)
		print_field(p, im, &t->fields.data[i], off, first);
}

static void print_field(struct value_printer *p, const struct value_image *im,
			const struct front_field *f, size_t off, int *first)
{
	const struct front_type *t = value_type(im, f->type);
	size_t at = off + f->bit_offset / 8, mark = p->path.size;
	int is_zero = f->bits ? !value_bits(im->bytes + off, f, 0) : zero(im->bytes + at, t->size);

	if (!*f->name) {
		if (!f->bits && (t->kind == FRONT_STRUCT || t->kind == FRONT_UNION))
			print_members(p, im, t, at, first);
		return;
	}
	if ((is_zero && p->form != VALUE_JSON) || (!f->bits && !t->size))
		return;
	if (p->form == VALUE_SOURCE && t->kind == FRONT_OTHER)
		return;
	print_key(p, f->name, *first);
	*first = 0;
	buf_adds(&p->path, p->path.size && p->path.data[p->path.size - 1] == '>' ? "" : ".");
	buf_adds(&p->path, f->name);
	if (f->bits)
		print_bits(p, im, f, off);
	else
		value_print(p, im, f->type, at);
	p->path.size = mark;
}

static void print_record(struct value_printer *p, const struct value_image *im,
			 const struct front_type *t, size_t off)
{
	int first = 1;

	if (t->kind == FRONT_UNION && p->form == VALUE_PEOPLE && !union_member(im, t, off)) {
		print_bytes(p, im->bytes + off, t->size);
		return;
	}
	buf_addc(p->out, '{');
	print_members(p, im, t, off, &first);
	buf_adds(p->out, !first || p->form == VALUE_JSON || !t->size ? "}" : "0}");
}

static int ascii(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] >= 128)
			return 0;
	return 1;
}

static void print_text(struct value_printer *p, const uint8_t *bytes, size_t n)
{
	if (p->form != VALUE_JSON) {
		text_string(p->out, bytes, n);
	} else if (ascii(bytes, n)) {
		text_json_string(p->out, (const char *)bytes, n);
	} else {
		buf_adds(p->out, "{\"hex\": \"");
		for (size_t i = 0; i < n; i++)
			buf_addf(p->out, "%02x", bytes[i]);
		buf_adds(p->out, "\"}");
	}
}

#define SPARSE 5 /* zeros in a row that a designator replaces */

/* The next element to print after i - 1: i, or one after many zeros. */
static size_t next_element(const uint8_t *bytes, size_t i, size_t count, size_t size)
{
	size_t k = i;

	while (k < count && zero(bytes + k * size, size))
		k++;
	return k - i < SPARSE ? i : k;
}

#define LONG 32 /* elements of an array that is written by its elements other than zero only, in JSON */

/* {"count": 65536, "elements": {"3": 7}} */
static void print_long(struct value_printer *p, const struct value_image *im, const struct front_type *t, size_t off)
{
	const struct front_type *e = value_type(im, t->to);
	size_t count = t->size / e->size, mark = p->path.size;
	int first = 1;

	buf_addf(p->out, "{\"count\": %zu, \"elements\": {", count);
	for (size_t i = 0; i < count; i++) {
		if (zero(im->bytes + off + i * e->size, e->size))
			continue;
		buf_addf(p->out, "%s\"%zu\": ", first ? "" : ", ", i);
		buf_addf(&p->path, "[%zu]", i);
		value_print(p, im, t->to, off + i * e->size);
		p->path.size = mark;
		first = 0;
	}
	buf_adds(p->out, "}}");
}

static void print_array(struct value_printer *p, const struct value_image *im,
			const struct front_type *t, size_t off)
{
	const struct front_type *e = value_type(im, t->to);
	size_t count = e->size ? t->size / e->size : 0, used = t->size, mark = p->path.size;

	if (e->kind == FRONT_CHAR) {
		while (used && !im->bytes[off + used - 1])
			used--;
		print_text(p, im->bytes + off, used);
		built(p, im, off, t->size);
		return;
	}
	if (p->form == VALUE_JSON && count > LONG) {
		print_long(p, im, t, off);
		return;
	}
	while (p->form != VALUE_JSON && count &&
	       zero(im->bytes + off + (count - 1) * e->size, e->size))
		count--;
	buf_addc(p->out, p->form == VALUE_JSON ? '[' : '{');
	for (size_t i = 0, next = 0; i < count; i = next) {
		size_t at =
		    p->form == VALUE_JSON ? i : next_element(im->bytes + off, i, count, e->size);
		buf_adds(p->out, i ? ", " : "");
		if (at > i)
			buf_addf(p->out, "[%zu] = ", at);
		buf_addf(&p->path, "[%zu]", at);
		value_print(p, im, t->to, off + at * e->size);
		p->path.size = mark;
		next = at + 1;
	}
	if (!count && p->form != VALUE_JSON)
		buf_addc(p->out, '0');
	buf_addc(p->out, p->form == VALUE_JSON ? ']' : '}');
}

/* ----------------------------------------------------------------- pointers */

/* One element of an object, at its place in the path. */
static void print_element(struct value_printer *p, const struct walk *w,
			  const struct walk_object *o, uint32_t i)
{
	struct value_image im;
	uint8_t *bytes = mem_alloc(o->size + 1);
	size_t mark = p->path.size;
	uint32_t kind = w->h->types.data[o->type].kind;

	value_load(&im, w, o->type, o->at + (size_t)i * o->size, 0, NULL, bytes);
	if (o->elements == 1 && (kind == DRIVE_STRUCT || kind == DRIVE_BYTES))
		buf_adds(&p->path, "->");
	else
		buf_addf(&p->path, "[%u]", i);
	value_print_image(p, &im);
	p->path.size = mark;
	free(bytes);
}

static int is_record(const struct walk *w, uint32_t type)
{
	const struct front_type *t =
	    value_front(w->h, w->h->type_front.data[type], w->h->types.data[type].size);

	return t && (t->kind == FRONT_STRUCT || t->kind == FRONT_UNION) &&
	       w->h->types.data[type].kind != DRIVE_POINTER;
}

static void print_object(struct value_printer *p, const struct walk *w, const struct walk_object *o)
{
	size_t bytes = (size_t)o->elements * o->size;
	uint8_t *copy = mem_alloc(bytes + 1);

	walk_copy(w, o->at, bytes, copy);
	if (o->string && o->size == 1) {
		print_text(p, copy, bytes);
	} else if (o->elements == 1 && is_record(w, o->type)) {
		print_element(p, w, o, 0);
	} else {
		buf_addc(p->out, p->form == VALUE_JSON ? '[' : '{');
		for (size_t i = 0, next = 0; i < o->elements; i = next) {
			/* The last one is always there: it says how many there are. */
			size_t at = p->form == VALUE_JSON || o->elements <= 16
					? i
					: next_element(copy, i, o->elements - 1, o->size);
			buf_adds(p->out, i ? ", " : "");
			if (at > i)
				buf_addf(p->out, "[%zu] = ", at);
			print_element(p, w, o, at);
			next = at + 1;
		}
		buf_addc(p->out, p->form == VALUE_JSON ? ']' : '}');
	}
	free(copy);
}

static void print_alias(struct value_printer *p, const char *path, uint32_t element)
{
	if (p->form != VALUE_JSON) {
		buf_adds(p->out, path);
		if (element)
			buf_addf(p->out, " + %u", element);
		return;
	}
	buf_adds(p->out, "{\"alias\": ");
	text_json_string(p->out, path, strlen(path));
	if (element)
		buf_addf(p->out, ", \"element\": %u", element);
	buf_addc(p->out, '}');
}

/* People and JSON: the object itself the first time, then how it was called. */
static void print_reached(struct value_printer *p, const struct walk *w,
			  const struct walk_pointer *to)
{
	if (p->paths[to->object]) {
		print_alias(p, p->paths[to->object], to->element);
		return;
	}
	p->paths[to->object] = to->element ? mem_printf("(%s - %u)", buf_str(&p->path), to->element)
					   : mem_strdup(buf_str(&p->path));
	if (to->element && p->form == VALUE_JSON)
		buf_adds(p->out, "{\"object\": ");
	print_object(p, w, &w->objects.data[to->object]);
	if (to->element && p->form == VALUE_JSON)
		buf_addf(p->out, ", \"element\": %u}", to->element);
	else if (to->element)
		buf_addf(p->out, " + %u", to->element);
}

static void print_function(struct value_printer *p, const char *name)
{
	if (p->form == VALUE_JSON) {
		buf_adds(p->out, "{\"function\": ");
		text_json_string(p->out, name, strlen(name));
		buf_addc(p->out, '}');
	} else {
		buf_adds(p->out, name);
	}
}

/* Whether the variable of an object (export.c declares it by the type that stands for its pool) can
 * stand for a pointer of this type without a cast. */
static int same_pointee(const struct harness *h, uint32_t front, const struct walk_object *o)
{
	uint32_t declared = h->type_front.data[o->pointer];
	const struct front_type *types = h->front->types.data, *a = &types[front],
				*b = &types[declared];

	if (a->kind == FRONT_POINTER && types[a->to].size && types[a->to].size != types[h->type_front.data[o->type]].size)
		return 0; /* the larger struct that it is cast to */
	if (front == declared)
		return 1;
	return (a->kind == FRONT_POINTER || a->kind == FRONT_ARRAY) &&
	       (b->kind == FRONT_POINTER || b->kind == FRONT_ARRAY) &&
	       types[a->to].plain == types[b->to].plain;
}

/* front: the type C has for it. */
static void print_pointer(struct value_printer *p, const struct value_image *im, uint32_t front,
			  size_t off)
{
	const struct harness *h = im->w->h;
	struct value_pointer vp;

	if (!value_pointer_at(im, off, &vp) || (vp.known && vp.to.to == WALK_NULL)) {
		buf_adds(p->out, p->form == VALUE_JSON ? "null" : "NULL");
		return;
	}
	if (p->pointers)
		p->pointers[off] = 1;
	if (!vp.known || vp.to.to == WALK_KEEP) {
		buf_adds(p->out, p->form == VALUE_JSON ? "{}" : "?");
	} else if (vp.to.to == WALK_TARGET) {
		if (p->form == VALUE_SOURCE && h->type_front.data[vp.type] != front)
			buf_adds(p->out, "(void *)");
		print_function(p, h->targets.data[vp.to.target]);
	} else if (p->form != VALUE_SOURCE) {
		print_reached(p, im->w, &vp.to);
	} else {
		const struct walk_object *o = &im->w->objects.data[vp.to.object];

		if (!same_pointee(h, front, o))
			buf_adds(p->out, "(void *)");
		if (vp.to.element)
			buf_addf(p->out, "&%s[%u]", p->names[vp.to.object], vp.to.element);
		else
			buf_adds(p->out, p->names[vp.to.object]);
	}
}

void value_print(struct value_printer *p, const struct value_image *im, uint32_t front, size_t off)
{
	const struct front_type *t = value_type(im, front);

	switch (t->kind) {
	case FRONT_STRUCT:
	case FRONT_UNION:
		print_record(p, im, t, off);
		return;
	case FRONT_ARRAY:
		print_array(p, im, t, off);
		return;
	case FRONT_POINTER:
		print_pointer(p, im, front, off);
		return;
	default:
		print_scalar(p, im, t, off);
	}
}

void value_print_leaf(struct value_printer *p, const struct value_image *im,
		      const struct value_leaf *leaf)
{
	if (leaf->bits)
		print_bits(p, im, leaf->bits, leaf->off);
	else
		value_print(p, im, leaf->front, leaf->off);
}

void value_print_image(struct value_printer *p, const struct value_image *im)
{
	const struct harness *h = im->w->h;
	const struct drive_type *d = &h->types.data[im->type];

	if (d->kind == DRIVE_POINTER || d->kind == DRIVE_FUNCTION || d->kind == DRIVE_OPAQUE)
		print_pointer(p, im, h->type_front.data[im->type], 0);
	else if (value_front(h, h->type_front.data[im->type], d->size))
		value_print(p, im, h->type_front.data[im->type], 0);
	else
		print_bytes(p, im->bytes, d->size);
}

/* ------------------------------------------------------------------- images */

struct load {
	const struct walk *w;
	uint8_t *bytes;
	size_t at;
	int global;
};

/* Pointers that mean nothing become zeros, so that a zero value has zero bytes. */
static void load_leaf(void *ctx, uint32_t type, size_t off)
{
	struct load *l = ctx;
	struct walk_pointer p;

	if (l->w->h->types.data[type].kind == DRIVE_BOOL) {
		l->bytes[off] &= 1;
		return;
	}
	p = walk_pointer(l->w, type, l->at + off, l->global);
	memset(l->bytes + off, 0, l->w->h->types.data[type].size);
	if (p.to == WALK_OBJECT || p.to == WALK_TARGET || (p.to == WALK_NULL && l->global))
		l->bytes[off] = walk_byte(l->w, l->at + off);
}

static void xor_initial(const struct value_image *im, const uint8_t *initial, uint8_t *bytes)
{
	size_t size = im->w->h->types.data[im->type].size;
	struct value_pointer vp;

	for (size_t i = 0; i < size; i++) {
		if (value_pointer_at(im, i, &vp))
			i += im->w->h->types.data[vp.type].size - 1;
		else
			bytes[i] ^= initial[i];
	}
}

void value_load(struct value_image *im, const struct walk *w, uint32_t type, size_t at, int global,
		const uint8_t *initial, uint8_t *bytes)
{
	struct load l = {w, bytes, at, global};

	*im = (struct value_image){w, type, bytes, at, global, 0};
	walk_copy(w, at, w->h->types.data[type].size, bytes);
	walk_leaves(w->h, type, 0, load_leaf, &l);
	if (initial)
		xor_initial(im, initial, bytes);
}
