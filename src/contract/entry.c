/* entry.c: places of the entry state as terms.
 *
 * Bytes of a parameter stand at fixed offsets. A byte behind a pointer is `choice == 1 ? byte of object 1 : choice == 2 ? ...`: as the driver builds it. The number of elements is in an
 * object's header, so len() is a choice between headers. A pointer that may point into its object (DRIVE_INTERIOR) has a length, and nothing is named behind it.
 */
#include "contract/entry.h"

#include "base/mem.h"
#include "contract/every.h"
#include "contract/leaves.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_MOST 160 /* of one function, as zlib's deflate_state has 60: those that no failing call looked at take part in no literal (cause.c) */
#define DEPTH_MOST 2   /* pointers that are followed */
#define INDEXED_MOST 8 /* pointers with a parameter that may be an index of them */
#define INDEXED_PLACES 12 /* that each may add */
#define ELEMENTS_MOST 64 /* among which an index chooses: beyond that nothing is said */
#define SHAPES_MOST 64 /* of one function: a structure that points to its like by three members has seven for each pointer to it */

struct builder {
	struct entry *e;
	struct exprs *p;
	const struct harness *h;
	struct walk walk; /* of an input that has nothing but a prefix */
	/* What is taken apart now: */
	uint32_t parent, index;
	size_t most;	  /* places that there may be */
	size_t at;	  /* of a root's image */
	const struct value_image *image;
	int is_struct;
	const char *hidden; /* the structure's name, where callers have none for it: it lies behind a cast */
	/* Of a global, whose bytes are combined with its first ones, and whose pointers have a choice more: the first value. */
	const struct front_global *global;
	const uint8_t *initial;
};

/* What the pointers of a place choose from. */
struct objects {
	uint32_t pool, count, limit, fixed, size, type;
	int string, interior;
};

static int objects_of(const struct builder *b, uint32_t pointer, struct objects *o)
{
	const struct drive_type *t = &b->h->types.data[pointer];
	if (t->kind != DRIVE_POINTER)
		return 0;
	o->pool = walk_pool(&b->walk, pointer);
	if (o->pool == WALK_NONE)
		return 0;
	o->count = b->h->pools.data[b->walk.f->first_pool + o->pool].objects;
	o->limit = drive_limit(b->h->types.data, b->h->pools.data[b->walk.f->first_pool + o->pool].pointer, b->walk.growth);
	o->fixed = t->fixed;
	o->type = t->a;
	o->size = b->h->types.data[t->a].size;
	o->string = !t->fixed && t->flags & DRIVE_STRING;
	o->interior = !!(t->flags & DRIVE_INTERIOR);
	return 1;
}

/* The drive type of each pointer place, and its choice: what children need. */
struct link {
	uint32_t type, front; /* front: as C has it */
	expr_t choice, element; /* element: 8 bits, byte 1 of the image */
	uint32_t shift;		/* of a global's pointer 1: what its choices are more by */
};
typedef VEC(struct link) links;

static expr_t input(const struct builder *b, size_t at)
{
	return expr_input(b->p, 0, at);
}

static expr_t is(const struct builder *b, expr_t byte, uint32_t value)
{
	return expr_eq(b->p, byte, expr_const(b->p, 8, value));
}

/* Byte `off` of an element of object k: of the first, or of the one that the index names. */
static expr_t element_byte(const struct builder *b, const struct objects *o, size_t block, uint32_t off)
{
	expr_t byte = input(b, block + DRIVE_HEADER + off);
	uint32_t most = o->fixed ? o->fixed : o->limit;
	for (uint32_t i = 1; b->index != ENTRY_NONE && i < most; i++)
		byte = expr_ite(b->p, expr_eq(b->p, b->e->places.data[b->index].value, expr_const(b->p, 64, i)), input(b, block + DRIVE_HEADER + (size_t)i * o->size + off), byte);
	return byte;
}

/* Byte `off` of an element of what the pointer points to. */
static expr_t byte_behind(const struct builder *b, const struct link *l, uint32_t off)
{
	struct objects o;
	expr_t e = expr_const(b->p, 8, 0);
	if (!objects_of(b, l->type, &o))
		return e;
	for (uint32_t k = o.count; k > 0; k--) {
		size_t block = walk_block(&b->walk, o.pool, k);
		expr_t byte = element_byte(b, &o, block, off);
		if (o.string) { /* the first character of a string of none is its 0 */
			expr_t header = expr_binary(b->p, MUSTER_OP_AND, input(b, block), expr_const(b->p, 8, o.limit - 1));
			byte = expr_ite(b->p, is(b, header, 0), expr_const(b->p, 8, 0), byte);
		}
		e = expr_ite(b->p, is(b, l->choice, k + l->shift), byte, e);
	}
	return e;
}

/* The byte in all elements but the first, of all objects, as one term. */
static expr_t bytes_beyond(const struct builder *b, const struct link *l, uint32_t off)
{
	struct objects o;
	expr_t e = EXPR_NONE;
	if (!objects_of(b, l->type, &o))
		return e;
	for (uint32_t k = 1; k <= o.count; k++)
		for (uint32_t i = 1; i < (o.fixed ? o.fixed : o.limit); i++) {
			expr_t byte = input(b, walk_block(&b->walk, o.pool, k) + DRIVE_HEADER + (size_t)i * o.size + off);
			e = e ? expr_binary(b->p, MUSTER_OP_OR, e, byte) : byte;
		}
	return e;
}

/* Elements from the pointer on, of c_size bytes each as C counts them; EXPR_NONE: objects are no multiple of it. */
static expr_t length_of(const struct builder *b, const struct link *l, const struct objects *o, uint64_t c_size)
{
	struct exprs *p = b->p;
	expr_t e = expr_const(p, 64, 0);
	if (!c_size || o->size % c_size || (o->interior && o->size != c_size))
		return EXPR_NONE;
	for (uint32_t k = o->count; k > 0; k--) {
		expr_t header = expr_binary(p, MUSTER_OP_AND, input(b, walk_block(&b->walk, o->pool, k)), expr_const(p, 8, o->limit - 1));
		expr_t n = o->fixed ? expr_const(p, 64, o->fixed) : expr_binary(p, MUSTER_OP_ADD, expr_zext(p, header, 64), expr_const(p, 64, 1));
		if (o->interior) { /* one past the end at most, else the start */
			expr_t at = expr_zext(p, l->element, 64);
			n = expr_ite(p, expr_binary(p, MUSTER_OP_ULE, at, n), expr_binary(p, MUSTER_OP_SUB, n, at), n);
		}
		if (o->size != c_size)
			n = expr_binary(p, MUSTER_OP_MUL, n, expr_const(p, 64, o->size / c_size));
		e = expr_ite(p, is(b, l->choice, k + l->shift), n, e);
	}
	return e;
}

/* Elements in front of the pointer. */
static expr_t before_of(const struct builder *b, const struct objects *o, expr_t length, expr_t at)
{
	expr_t n = expr_zext(b->p, at, 64);
	return o->interior ? expr_ite(b->p, expr_binary(b->p, MUSTER_OP_ULE, n, length), n, expr_const(b->p, 64, 0)) : expr_const(b->p, 64, 0);
}

/* Is one of the bytes from the pointer on 0? */
static expr_t ended_of(const struct builder *b, const struct link *l, const struct objects *o)
{
	struct exprs *p = b->p;
	expr_t ended = expr_false(p);
	uint32_t most = o->fixed ? o->fixed : o->limit;
	for (uint32_t k = 1; k <= o->count; k++) {
		size_t block = walk_block(&b->walk, o->pool, k);
		expr_t header = expr_binary(p, MUSTER_OP_AND, input(b, block), expr_const(p, 8, o->limit - 1));
		expr_t n = o->fixed ? expr_const(p, 64, o->fixed) : expr_binary(p, MUSTER_OP_ADD, expr_zext(p, header, 64), expr_const(p, 64, 1));
		expr_t from = before_of(b, o, n, l->element), one = expr_false(p);
		for (uint32_t i = 0; i < most; i++) {
			expr_t at = expr_const(p, 64, i), there = expr_and(p, expr_binary(p, MUSTER_OP_ULT, at, n), expr_binary(p, MUSTER_OP_ULE, from, at));
			one = expr_or(p, one, expr_and(p, there, is(b, input(b, block + DRIVE_HEADER + i), 0)));
		}
		ended = expr_or(p, ended, expr_and(p, is(b, l->choice, k + l->shift), one));
	}
	return ended;
}

/* Of each object: its characters, as one term. */
static const expr_t *characters_of(const struct builder *b, const struct objects *o)
{
	expr_t *of = arena_alloc(&b->e->arena, (o->count + 1) * sizeof *of);
	of[0] = expr_const(b->p, 8, 0);
	for (uint32_t k = 1; k <= o->count; k++) {
		size_t block = walk_block(&b->walk, o->pool, k);
		of[k] = of[0];
		for (uint32_t i = 0; i < o->limit; i++)
			of[k] = expr_binary(b->p, MUSTER_OP_OR, of[k], input(b, block + DRIVE_HEADER + i));
	}
	return of;
}

static const struct front_type *plain(const struct harness *h, uint32_t front)
{
	return front < h->front->types.size ? &h->front->types.data[h->front->types.data[front].plain] : NULL;
}

/* ------------------------------------------------------------------ leaves */

struct making {
	struct builder b;
	links links; /* of places, by number; type UINT32_MAX: it is no pointer */
};

/* As the input has it: of a global before it is combined with what was there. */
static expr_t raw_byte(const struct making *m, size_t off)
{
	return m->b.parent == ENTRY_NONE ? input(&m->b, m->b.at + off) : byte_behind(&m->b, &m->links.data[m->b.parent], (uint32_t)off);
}

static expr_t byte_of(const struct making *m, size_t off)
{
	expr_t e = raw_byte(m, off);
	return m->b.initial ? expr_binary(m->b.p, MUSTER_OP_XOR, e, expr_const(m->b.p, 8, m->b.initial[off])) : e;
}

/* The first value of a global's pointer: 0 null, 1 not null, -1 not known. What the loader fills in is not in the file. */
static int first_of(const struct making *m, const struct drive_type *t)
{
	const struct front_global *g = m->b.global;
	if (!g->initialised)
		return 0;
	return t->kind == DRIVE_FUNCTION && g->functions && m->b.h->types.data[m->b.image->type].size == 8 * g->functions ? 1 : -1;
}

/* sizeof *p, as GNU C has it; 0: it has none. */
static uint64_t pointee_size(const struct harness *h, const struct front_type *t)
{
	const struct front_type *to = t && (t->kind == FRONT_POINTER || t->kind == FRONT_ARRAY) ? plain(h, t->to) : NULL;
	return !to ? 0 : to->kind == FRONT_VOID ? 1 : to->size;
}

static uint32_t unit_of(const struct objects *o, uint64_t c_size)
{
	return c_size && o->size % c_size == 0 ? (uint32_t)(o->size / c_size) : 1;
}

static void add_pointer(struct making *m, struct entry_place *x, const struct value_leaf *v, uint32_t type)
{
	struct exprs *p = m->b.p;
	const struct drive_type *t = &m->b.h->types.data[type];
	struct objects o;
	struct link l = {type, v->front, raw_byte(m, v->off), raw_byte(m, v->off + 1), m->b.global != NULL};
	uint32_t count;
	int first = m->b.global ? first_of(m, t) : 0;
	if (first < 0)
		return;
	x->kind = t->kind == DRIVE_FUNCTION ? ENTRY_FUNCTION : ENTRY_POINTER;
	if (t->kind == DRIVE_FUNCTION)
		count = t->count;
	else if (objects_of(&m->b, type, &o))
		count = o.count;
	else
		return; /* it is always null */
	x->set = expr_and(p, expr_binary(p, MUSTER_OP_ULT, expr_const(p, 8, l.shift), l.choice), expr_binary(p, MUSTER_OP_ULE, l.choice, expr_const(p, 8, count + l.shift)));
	if (first)
		x->set = expr_or(p, x->set, is(&m->b, l.choice, 0));
	if (t->kind == DRIVE_POINTER) {
		x->object = l.shift ? expr_binary(p, MUSTER_OP_SUB, l.choice, expr_const(p, 8, l.shift)) : l.choice;
		x->pool = o.pool;
		x->interior = o.interior;
		x->unit = unit_of(&o, pointee_size(m->b.h, plain(m->b.h, v->front)));
		x->length = length_of(&m->b, &l, &o, pointee_size(m->b.h, plain(m->b.h, v->front)));
		x->most = (uint64_t)(o.fixed ? o.fixed : o.limit) * x->unit;
		x->characters = o.size == 1 ? characters_of(&m->b, &o) : NULL;
		x->ended = o.size == 1 && !o.string && x->length ? ended_of(&m->b, &l, &o) : EXPR_NONE;
	}
	vec_push(&m->b.e->places, *x);
	vec_push(&m->links, l);
}

static void add_number(struct making *m, struct entry_place *x, const struct value_leaf *v, const struct front_type *t)
{
	struct exprs *p = m->b.p;
	if (m->b.global && !m->b.initial)
		return;
	if (!t || (t->kind != FRONT_INT && t->kind != FRONT_CHAR && t->kind != FRONT_BOOL) || !v->size || v->size > 8)
		return;
	expr_t e = byte_of(m, v->off);
	for (size_t i = 1; i < v->size; i++)
		e = expr_concat(p, byte_of(m, v->off + i), e);
	if (t->kind == FRONT_BOOL)
		e = expr_zext(p, expr_extract(p, e, 0, 1), 8 * (unsigned)v->size);
	x->kind = ENTRY_NUMBER;
	x->is_bool = t->kind == FRONT_BOOL;
	x->is_signed = t->is_signed && !x->is_bool;
	x->bits = 8 * (unsigned)v->size;
	x->counts = !x->is_bool && !t->is_enum && !(x->depth && !x->in_struct && x->bits == 8);
	for (size_t i = 0; i < v->size && m->b.initial; i++)
		x->first |= (uint64_t)m->b.initial[v->off + i] << 8 * i;
	x->value = x->bits == 64 ? e : x->is_signed ? expr_sext(p, e, 64) : expr_zext(p, e, 64);
	vec_push(&m->b.e->places, *x);
	vec_push(&m->links, (struct link){.type = UINT32_MAX});
}

static uint32_t inside_of(const struct making *m)
{
	uint32_t front = m->b.h->type_front.data[m->b.image->type];
	return front < m->b.h->front->types.size ? m->b.h->front->types.data[front].plain : front;
}

static void take_leaf(void *ctx, const struct value_leaf *v)
{
	struct making *m = ctx;
	struct exprs *p = m->b.p;
	const struct entry_place *parent = m->b.parent == ENTRY_NONE ? NULL : &m->b.e->places.data[m->b.parent];
	struct value_pointer to;
	if (m->b.e->places.size >= m->b.most || v->bits || strchr(m->b.index == ENTRY_NONE ? v->path : strstr(v->path, "]."), '['))
		return;
	struct entry_place x = {.text = arena_strdup(&m->b.e->arena, v->path), .parent = m->b.parent, .index = m->b.index, .depth = parent ? parent->depth + 1 : 0, .in_struct = m->b.is_struct, .inside = inside_of(m), .type = m->b.hidden, .offset = v->off, .is_global = m->b.global || (parent && parent->is_global)};
	x.there = parent ? expr_and(p, parent->there, parent->set) : expr_true(p);
	if (m->b.index != ENTRY_NONE)
		x.others = bytes_beyond(&m->b, &m->links.data[m->b.parent], (uint32_t)v->off);
	if (m->b.index != ENTRY_NONE)
		x.there = expr_and(p, x.there, expr_binary(p, MUSTER_OP_ULT, m->b.e->places.data[m->b.index].value, parent->length));
	if (value_pointer_at(m->b.image, v->off, &to))
		add_pointer(m, &x, v, to.type);
	else
		add_number(m, &x, v, plain(m->b.h, v->front));
}

static void add_image(struct making *m, uint32_t type, const char *text)
{
	uint32_t size = m->b.h->types.data[type].size;
	uint8_t *bytes = arena_alloc(&m->b.e->arena, size + 1);
	struct value_image im = {&m->b.walk, type, bytes, m->b.at, 0, 0};
	memset(bytes, 0, size + 1);
	m->b.image = &im;
	contract_leaves(&im, text, take_leaf, m);
	m->b.image = NULL;
}

/* How C names the element that a pointer of type c leads to, where the driver puts objects of type t there: by a cast, if the unit casts the pointer to it (void *, or a struct that a larger one begins with).
 * 0: C has no name for it. */
static int write_behind(const struct harness *h, const struct entry_place *x, const struct front_type *t, const struct front_type *c, struct buf *out)
{
	int same = plain(h, c->to) == t, is_struct = t->kind == FRONT_STRUCT;
	if (t->kind == FRONT_UNION || t->kind == FRONT_ARRAY || t->kind == FRONT_VOID)
		return 0;
	if (!same && (!t->name || strpbrk(t->name, "([") || !(is_struct || t->kind == FRONT_POINTER)))
		return 0;
	int open = *x->text == '*' || (*x->text == '(' && x->text[1] != '(');
	buf_adds(out, is_struct ? "" : "*");
	if (same)
		buf_addf(out, "%s%s%s", open ? "(" : "", x->text, open ? ")" : "");
	else
		buf_addf(out, "((%s *)%s)", t->name, x->text);
	buf_adds(out, is_struct ? "->" : "");
	return 1;
}

/* What the pointer points to, by its first element. */
static void add_behind(struct making *m, uint32_t number)
{
	struct entry_place x = m->b.e->places.data[number];
	struct objects o;
	struct buf text = BUF_EMPTY;
	if (x.kind != ENTRY_POINTER || x.depth >= DEPTH_MOST || !objects_of(&m->b, m->links.data[number].type, &o) || o.interior)
		return;
	const struct front_type *t = plain(m->b.h, m->b.h->type_front.data[o.type]), *c = plain(m->b.h, m->links.data[number].front);
	m->b.is_struct = t && t->kind == FRONT_STRUCT;
	m->b.hidden = m->b.is_struct && t->name && c && plain(m->b.h, c->to) != t ? strncmp(t->name, "struct ", 7) ? t->name : t->name + 7 : NULL;
	m->b.parent = number;
	m->b.at = 0;
	if (t && c && (c->kind == FRONT_POINTER || c->kind == FRONT_ARRAY) && write_behind(m->b.h, &x, t, c, &text))
		add_image(m, o.type, buf_str(&text));
	m->b.hidden = NULL;
	buf_release(&text);
}

/* Structures behind the pointer, by the element that an integer parameter names. */
static void add_indexed(struct making *m, uint32_t number, uint32_t index)
{
	const struct harness *h = m->b.h;
	const struct entry_place *x = &m->b.e->places.data[number], *i = &m->b.e->places.data[index];
	struct objects o;
	if (x->kind != ENTRY_POINTER || x->depth >= DEPTH_MOST || !x->length || i->kind != ENTRY_NUMBER || i->depth || i->in_struct || i->is_global || i->is_bool || i->bits < 32 ||
	    !objects_of(&m->b, m->links.data[number].type, &o) || o.interior || (o.fixed ? o.fixed : o.limit) > ELEMENTS_MOST || (o.fixed ? o.fixed : o.limit) < 2)
		return;
	const struct front_type *t = plain(h, h->type_front.data[o.type]), *c = plain(h, m->links.data[number].front);
	if (!t || !c || (c->kind != FRONT_POINTER && c->kind != FRONT_ARRAY) || plain(h, c->to) != t || t->kind != FRONT_STRUCT || *x->text == '*')
		return;
	struct buf text = BUF_EMPTY;
	buf_addf(&text, "%s[%s]", x->text, i->text);
	m->b.is_struct = 1;
	m->b.parent = number;
	m->b.index = index;
	m->b.most = m->b.e->places.size + INDEXED_PLACES;
	m->b.at = 0;
	add_image(m, o.type, buf_str(&text));
	m->b.index = ENTRY_NONE;
	buf_release(&text);
}

static void add_all_indexed(struct making *m)
{
	uint32_t all = (uint32_t)m->b.e->places.size, pairs = 0;
	for (uint32_t k = 0; k < all; k++)
		for (uint32_t i = 0; i < all && pairs < INDEXED_MOST; i++) {
			size_t before = m->b.e->places.size;
			add_indexed(m, k, i);
			pairs += m->b.e->places.size > before;
		}
}

/* ------------------------------------------------------------------- shapes */

/* The name of a direct member of the structure at this offset; NULL: there is none that C can name alone. */
static const char *member_name(const struct front_type *t, uint32_t offset)
{
	for (size_t i = 0; i < t->fields.size; i++)
		if (t->fields.data[i].bit_offset == 8 * (uint64_t)offset && !t->fields.data[i].bits && t->fields.data[i].name && *t->fields.data[i].name)
			return t->fields.data[i].name;
	return NULL;
}

/* The shape of some of these members. */
static void add_shape(struct making *m, const struct shape *all, const char *const *names, unsigned which)
{
	struct shape s = *all;
	struct entry_place x = m->b.e->places.data[all->start];
	struct buf text = BUF_EMPTY;
	s.members = 0;
	buf_addf(&text, "tree(%s", x.text);
	for (unsigned i = 0; i < all->members; i++) {
		if (!(which >> i & 1))
			continue;
		s.offset[s.members++] = all->offset[i];
		buf_addf(&text, ", %s", names[i]);
	}
	buf_adds(&text, ")");
	x = (struct entry_place){.text = arena_strdup(&m->b.e->arena, buf_str(&text)), .kind = ENTRY_SHAPE, .parent = x.parent, .index = x.index, .depth = x.depth, .is_global = x.is_global, .there = x.there, .shape = (uint32_t)m->b.e->shapes.size};
	vec_push(&m->b.e->shapes, s);
	vec_push(&m->b.e->places, x);
	vec_push(&m->links, (struct link){.type = UINT32_MAX});
	buf_release(&text);
}

/* Structures behind the pointer that point to their like: each choice of the members that do. */
static void add_shapes(struct making *m, uint32_t number)
{
	const struct harness *h = m->b.h;
	const struct entry_place *x = &m->b.e->places.data[number];
	const struct link *l = &m->links.data[number];
	const char *names[SHAPE_MEMBERS];
	struct objects o;
	if (x->kind != ENTRY_POINTER || x->depth > 1 || !objects_of(&m->b, l->type, &o) || o.interior || h->types.data[o.type].kind != DRIVE_STRUCT)
		return;
	const struct front_type *t = plain(h, h->type_front.data[o.type]), *c = plain(h, l->front);
	if (!t || !c || c->kind != FRONT_POINTER || plain(h, c->to) != t || t->kind != FRONT_STRUCT)
		return;
	struct shape s = {.start = number, .objects = o.count, .choice = l->choice, .shift = l->shift};
	for (uint32_t k = 0; k < o.count; k++)
		s.blocks[k] = walk_block(&m->b.walk, o.pool, k + 1);
	for (uint32_t i = 0; i < h->types.data[o.type].count; i++) {
		const struct drive_member *member = &h->members.data[h->types.data[o.type].a + i];
		struct objects to;
		const char *name = member_name(t, member->offset);
		if (!name || s.members == SHAPE_MEMBERS || !objects_of(&m->b, member->type, &to) || to.pool != o.pool || to.interior)
			continue;
		names[s.members] = name;
		s.offset[s.members++] = member->offset;
	}
	for (unsigned which = 1; which < 1u << s.members && m->b.e->shapes.size < SHAPES_MOST; which++)
		add_shape(m, &s, names, which);
}

/* Has the function a parameter of this name, which C would take for it? */
static int is_hidden(const struct making *m, const char *name)
{
	for (uint32_t i = 0; i < m->b.walk.f->parameters; i++) {
		const char *other = m->b.h->root_names.data[m->b.walk.f->first_root + i];
		if (other && !strcmp(other, name))
			return 1;
	}
	return 0;
}

static void add_global(struct making *m, uint32_t root)
{
	const struct harness *h = m->b.h;
	const char *name = h->root_names.data[root];
	if (!name || !*name || is_hidden(m, name) || h->root_front.data[root] >= h->front->globals.size)
		return;
	m->b.at = h->roots.data[root].at;
	m->b.is_struct = 0;
	m->b.global = &h->front->globals.data[h->root_front.data[root]];
	m->b.initial = root < h->root_initial.size ? h->root_initial.data[root] : NULL;
	if (m->b.global->is_static && !m->b.global->is_thread && m->b.global->defined) {
		char *hidden = mem_printf("@%s", name);
		m->b.hidden = arena_strdup(&m->b.e->arena, hidden);
		free(hidden);
	}
	add_image(m, h->roots.data[root].type, name);
	m->b.hidden = NULL;
	m->b.global = NULL;
	m->b.initial = NULL;
}

void entry_open(struct entry *e, struct exprs *pool, const struct harness *h, uint32_t number, uint32_t growth)
{
	const uint8_t prefix[DRIVE_PREFIX] = {[DRIVE_GROWTH] = (uint8_t)growth};
	struct making m = {.b = {.e = e, .p = pool, .h = h, .parent = ENTRY_NONE, .index = ENTRY_NONE, .most = PLACES_MOST}};
	memset(e, 0, sizeof *e);
	e->pool = pool;
	walk_open(&m.b.walk, h, number, prefix, DRIVE_PREFIX);
	for (uint32_t i = 0; i < m.b.walk.f->parameters; i++) {
		const struct drive_root *r = &h->roots.data[m.b.walk.f->first_root + i];
		const char *name = h->root_names.data[m.b.walk.f->first_root + i];
		m.b.at = r->at;
		m.b.is_struct = 0;
		if (name && *name)
			add_image(&m, r->type, name);
	}
	for (uint32_t i = 0; i < m.b.walk.f->globals; i++)
		add_global(&m, m.b.walk.f->first_root + m.b.walk.f->parameters + i);
	for (uint32_t i = 0; i < e->places.size; i++)
		add_behind(&m, i);
	add_all_indexed(&m);
	for (uint32_t i = 0, n = (uint32_t)e->places.size; i < n; i++)
		add_shapes(&m, i);
	every_add(e, h, &m.b.walk);
	walk_release(&m.b.walk);
	vec_release(&m.links);
}

void entry_release(struct entry *e)
{
	vec_release(&e->places);
	vec_release(&e->shapes);
	vec_release(&e->everys);
	arena_release(&e->arena);
}
