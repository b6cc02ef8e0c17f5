/* every.c: conditions on all structures of a type that an input makes, as terms over its bytes (every.h).
 *
 * An object is there if some pointer of the input chooses it: one of a root, or of an element of another object. Whether that one is there itself is not asked, so more objects may count than a call makes; of such
 * ones a path says nothing, and a condition on them contradicts no path.
 */
#include "contract/every.h"

#include "base/mem.h"
#include "contract/leaves.h"

#include <stdlib.h>
#include <string.h>

#define EVERY_MOST 160 /* places of a function */
#define EVERY_ELEMENTS 64 /* of an object that are looked at */
#define EVERY_LEAVES 64 /* pointers and numbers of a structure */
#define EVERY_SLOTS 4000 /* pointers of an input that may lead to objects */

enum every_kind { EVERY_SET, EVERY_WITHIN, EVERY_ORDERED, EVERY_APART, EVERY_BEGINS };

/* Objects of a pool. */
struct every_pool {
	uint32_t objects, most, limit, fixed, size;
	size_t blocks[DRIVE_OBJECTS];
	const expr_t *present; /* of each object */
};

struct every {
	enum every_kind kind;
	const struct every_pool *in, *to; /* the structures; what the member points to, NULL: functions */
	uint32_t a, b; /* offsets of the members: of a pointer, then of another or of a number */
	uint32_t targets; /* of a pointer to functions: how many there are */
	uint32_t unit;	/* elements of the object that the member's type makes of one of the driver's */
	int interior;
	unsigned bits;
	int is_signed;
	expr_t term, slack, about;
};

struct every_leaf {
	char *name;
	uint32_t off, type, front; /* type: the driver's, of a pointer; UINT32_MAX: a number */
	unsigned bits;
	int is_signed, is_bool;
};

struct everying {
	struct entry *e;
	const struct harness *h;
	struct walk *w;
	struct every_pool *pools;
	const struct value_image *image;
	VEC(struct every_leaf) leaves;
	VEC(size_t) slots; /* of the pool that is looked for: bytes that choose one of its objects; with SHIFTED where 0 is what stood there */
	uint32_t pool;
	int shifted;
};
#define SHIFTED ((size_t)1 << 62)

static const struct front_type *plain(const struct harness *h, uint32_t front)
{
	return front < h->front->types.size ? &h->front->types.data[h->front->types.data[front].plain] : NULL;
}

static expr_t input(const struct entry *e, size_t at)
{
	return expr_input(e->pool, 0, at);
}

static expr_t is(const struct entry *e, expr_t byte, uint64_t value)
{
	return expr_eq(e->pool, byte, expr_const(e->pool, 8, value));
}

/* ------------------------------------------------------------------ objects */

static void take_slot(void *ctx, uint32_t type, size_t at)
{
	struct everying *y = ctx;
	if (y->h->types.data[type].kind == DRIVE_POINTER && y->slots.size < EVERY_SLOTS && walk_pool(y->w, type) == y->pool)
		vec_push(&y->slots, at | (y->shifted ? SHIFTED : 0));
}

/* Which of the pool's objects some pointer chooses. */
static const expr_t *find_present(struct everying *y, uint32_t pool)
{
	struct entry *e = y->e;
	const struct every_pool *p = &y->pools[pool];
	expr_t *present = arena_alloc(&e->arena, (p->objects + 1) * sizeof *present);
	vec_clear(&y->slots);
	y->pool = pool;
	for (uint32_t i = 0; i < y->w->f->parameters + y->w->f->globals; i++) {
		const struct drive_root *r = &y->h->roots.data[y->w->f->first_root + i];
		y->shifted = i >= y->w->f->parameters;
		walk_leaves(y->h, r->type, r->at, take_slot, y);
	}
	y->shifted = 0;
	for (uint32_t q = 0; q < y->w->f->pools; q++) {
		uint32_t type = y->h->types.data[y->h->pools.data[y->w->f->first_pool + q].pointer].a;
		for (uint32_t k = 0; k < y->pools[q].objects && walk_has_pointers(y->h, type); k++)
			for (uint32_t i = 0; i < y->pools[q].most; i++)
				walk_leaves(y->h, type, y->pools[q].blocks[k] + DRIVE_HEADER + (size_t)i * y->pools[q].size, take_slot, y);
	}
	for (uint32_t k = 0; k < p->objects; k++) {
		present[k] = expr_false(e->pool);
		for (size_t i = 0; i < y->slots.size; i++)
			present[k] = expr_or(e->pool, present[k], is(e, input(e, y->slots.data[i] & ~SHIFTED), k + 1 + (y->slots.data[i] & SHIFTED ? 1 : 0)));
	}
	return present;
}

static void find_pools(struct everying *y)
{
	uint32_t count = y->w->f->pools;
	y->pools = arena_alloc(&y->e->arena, (count + 1) * sizeof *y->pools);
	for (uint32_t i = 0; i < count; i++) {
		const struct drive_pool *d = &y->h->pools.data[y->w->f->first_pool + i];
		const struct drive_type *t = &y->h->types.data[d->pointer];
		struct every_pool *p = &y->pools[i];
		*p = (struct every_pool){.objects = d->objects, .fixed = t->fixed, .limit = drive_limit(y->h->types.data, d->pointer, y->w->growth), .size = y->h->types.data[t->a].size};
		p->most = p->fixed ? p->fixed : p->limit;
		p->most = p->most > EVERY_ELEMENTS ? EVERY_ELEMENTS : p->most;
		for (uint32_t k = 0; k < d->objects; k++)
			p->blocks[k] = walk_block(y->w, i, k + 1);
	}
}

/* Element i of object k is there. */
static expr_t element_there(const struct entry *e, const struct every_pool *p, uint32_t k, uint32_t i)
{
	struct exprs *x = e->pool;
	if (p->fixed || !i)
		return p->present[k];
	expr_t header = expr_binary(x, MUSTER_OP_AND, input(e, p->blocks[k]), expr_const(x, 8, p->limit - 1));
	return expr_and(x, p->present[k], expr_binary(x, MUSTER_OP_ULE, expr_const(x, 8, i), header));
}

static size_t member_at(const struct every *v, uint32_t k, uint32_t i, uint32_t off)
{
	return v->in->blocks[k] + DRIVE_HEADER + (size_t)i * v->in->size + off;
}

/* ------------------------------------------------------------------ members */

static expr_t is_set(const struct entry *e, const struct every *v, size_t at)
{
	struct exprs *p = e->pool;
	expr_t choice = input(e, at);
	return expr_and(p, expr_not(p, is(e, choice, 0)), expr_binary(p, MUSTER_OP_ULE, choice, expr_const(p, 8, v->to ? v->to->objects : v->targets)));
}

/* Elements from the pointer at this byte to the end of its object, 64 bits; 0 where it is null. */
static expr_t length_at(const struct entry *e, const struct every *v, size_t at)
{
	struct exprs *p = e->pool;
	const struct every_pool *to = v->to;
	expr_t length = expr_const(p, 64, 0);
	for (uint32_t k = to->objects; k > 0; k--) {
		expr_t header = expr_binary(p, MUSTER_OP_AND, input(e, to->blocks[k - 1]), expr_const(p, 8, to->limit - 1));
		expr_t n = to->fixed ? expr_const(p, 64, to->fixed) : expr_binary(p, MUSTER_OP_ADD, expr_zext(p, header, 64), expr_const(p, 64, 1));
		if (v->interior) {
			expr_t from = expr_zext(p, input(e, at + 1), 64);
			n = expr_ite(p, expr_binary(p, MUSTER_OP_ULE, from, n), expr_binary(p, MUSTER_OP_SUB, n, from), n);
		}
		if (v->unit > 1)
			n = expr_binary(p, MUSTER_OP_MUL, n, expr_const(p, 64, v->unit));
		length = expr_ite(p, is(e, input(e, at), k), n, length);
	}
	return length;
}

static expr_t number_at(const struct entry *e, const struct every *v, size_t at)
{
	struct exprs *p = e->pool;
	expr_t n = input(e, at);
	for (unsigned i = 1; i < v->bits / 8; i++)
		n = expr_concat(p, input(e, at + i), n);
	return v->bits == 64 ? n : v->is_signed ? expr_sext(p, n, 64) : expr_zext(p, n, 64);
}

/* What is said of one structure. */
static expr_t condition_at(const struct entry *e, const struct every *v, uint32_t k, uint32_t i, int slack)
{
	struct exprs *p = e->pool;
	size_t a = member_at(v, k, i, v->a), b = member_at(v, k, i, v->b);
	expr_t n, length, whole;
	switch (v->kind) {
	case EVERY_SET: return is_set(e, v, a);
	case EVERY_WITHIN:
		n = number_at(e, v, b);
		length = length_at(e, v, a);
		if (slack)
			length = expr_binary(p, MUSTER_OP_ADD, length, expr_const(p, 64, 1));
		whole = expr_binary(p, MUSTER_OP_ULE, n, length);
		return v->is_signed ? expr_or(p, whole, expr_binary(p, MUSTER_OP_SLE, n, expr_const(p, 64, 0))) : whole;
	case EVERY_ORDERED:
		whole = expr_and(p, expr_eq(p, input(e, a), input(e, b)), expr_binary(p, MUSTER_OP_ULE, length_at(e, v, b), length_at(e, v, a)));
		return expr_or(p, whole, expr_and(p, expr_not(p, is_set(e, v, a)), expr_not(p, is_set(e, v, b))));
	case EVERY_BEGINS: return expr_false(p); /* the driver's objects are no larger than their type */
	case EVERY_APART: break;
	}
	return expr_true(p);
}

/* No two of them have one object there. */
static expr_t apart_term(const struct entry *e, const struct every *v)
{
	struct exprs *p = e->pool;
	expr_t all = expr_true(p);
	uint32_t count = v->in->objects * v->in->most;
	for (uint32_t x = 0; x < count; x++)
		for (uint32_t y = 0; y < x; y++) {
			uint32_t most = v->in->most;
			size_t a = member_at(v, x / most, x % most, v->a), b = member_at(v, y / most, y % most, v->a);
			expr_t there = expr_and(p, element_there(e, v->in, x / most, x % most), element_there(e, v->in, y / most, y % most));
			expr_t same = expr_and(p, is_set(e, v, a), expr_eq(p, input(e, a), input(e, b)));
			all = expr_and(p, all, expr_not(p, expr_and(p, there, same)));
		}
	return all;
}

static struct every *of(const struct entry *e, const struct entry_place *x)
{
	return &e->everys.data[x->shape];
}

static expr_t make_term(const struct entry *e, struct every *v, int slack)
{
	struct exprs *p = e->pool;
	expr_t all = expr_true(p);
	if (v->kind == EVERY_APART)
		return apart_term(e, v);
	for (uint32_t k = 0; k < v->in->objects; k++)
		for (uint32_t i = 0; i < v->in->most; i++)
			all = expr_and(p, all, expr_or(p, expr_not(p, element_there(e, v->in, k, i)), condition_at(e, v, k, i, slack)));
	return all;
}

expr_t every_term(const struct entry *e, const struct entry_place *x)
{
	struct every *v = of(e, x);
	return v->term ? v->term : (v->term = make_term(e, v, 0));
}

expr_t every_slack_term(const struct entry *e, const struct entry_place *x)
{
	struct every *v = of(e, x);
	if (v->kind != EVERY_WITHIN)
		return EXPR_NONE;
	return v->slack ? v->slack : (v->slack = make_term(e, v, 1));
}

expr_t every_about(const struct entry *e, const struct entry_place *x)
{
	struct every *v = of(e, x);
	struct exprs *p = e->pool;
	if (v->about)
		return v->about;
	v->about = expr_const(p, 8, 0);
	for (uint32_t k = 0; v->kind == EVERY_BEGINS && k < v->in->objects; k++)
		v->about = expr_binary(p, MUSTER_OP_OR, v->about, input(e, v->in->blocks[k]));
	for (uint32_t k = 0; v->kind == EVERY_WITHIN && k < v->to->objects; k++)
		v->about = expr_binary(p, MUSTER_OP_OR, v->about, input(e, v->to->blocks[k]));
	for (uint32_t k = 0; v->kind != EVERY_WITHIN && v->kind != EVERY_BEGINS && k < v->in->objects; k++)
		for (uint32_t i = 0; i < v->in->most; i++) {
			v->about = expr_binary(p, MUSTER_OP_OR, v->about, input(e, member_at(v, k, i, v->a)));
			if (v->kind == EVERY_ORDERED) {
				v->about = expr_binary(p, MUSTER_OP_OR, v->about, input(e, member_at(v, k, i, v->a) + 1));
				v->about = expr_binary(p, MUSTER_OP_OR, v->about, input(e, member_at(v, k, i, v->b)));
				v->about = expr_binary(p, MUSTER_OP_OR, v->about, input(e, member_at(v, k, i, v->b) + 1));
			}
		}
	return v->about;
}

int every_is_begins(const struct entry *e, const struct entry_place *x)
{
	return of(e, x)->kind == EVERY_BEGINS;
}

int every_is_apart(const struct entry *e, const struct entry_place *x)
{
	return of(e, x)->kind == EVERY_APART;
}

unsigned every_choices(const struct entry *e, const struct entry_place *x, size_t at)
{
	const struct every *v = of(e, x);
	for (uint32_t k = 0; v->kind == EVERY_SET && k < v->in->objects; k++)
		for (uint32_t i = 0; i < v->in->most; i++)
			if (member_at(v, k, i, v->a) == at)
				return v->to ? v->to->objects : v->targets;
	return 0;
}

/* ------------------------------------------------------------------- places */

static void take_leaf(void *ctx, const struct value_leaf *l)
{
	struct everying *y = ctx;
	const struct front_type *t = plain(y->h, l->front);
	const char *path = *l->path == '.' ? l->path + 1 : l->path;
	struct value_pointer to;
	struct every_leaf x = {.off = (uint32_t)l->off, .type = UINT32_MAX, .front = l->front, .bits = 8 * (unsigned)l->size};
	if (!t || l->bits || strchr(path, '[') || y->leaves.size >= EVERY_LEAVES)
		return;
	if (value_pointer_at(y->image, l->off, &to))
		x.type = to.type;
	else if (t->kind != FRONT_INT || t->is_enum || l->size > 8 || l->size < 2)
		return;
	x.is_signed = t->is_signed;
	x.name = arena_strdup(&y->e->arena, path);
	vec_push(&y->leaves, x);
}

static void add_place(struct everying *y, const char *text, struct every v)
{
	struct entry_place x = {.text = arena_strdup(&y->e->arena, text), .kind = ENTRY_EVERY, .parent = ENTRY_NONE, .index = ENTRY_NONE, .is_global = 1, .there = expr_true(y->e->pool), .shape = (uint32_t)y->e->everys.size};
	if (y->e->everys.size >= EVERY_MOST)
		return;
	vec_push(&y->e->everys, v);
	vec_push(&y->e->places, x);
}

/* The same path up to the last name. */
static int are_beside(const char *a, const char *b)
{
	const char *x = strrchr(a, '.'), *y = strrchr(b, '.');
	size_t n = x ? (size_t)(x - a) : 0, m = y ? (size_t)(y - b) : 0;
	return n == m && !strncmp(a, b, n);
}

/* Of a pointer and what stands beside it. */
static void add_pointer(struct everying *y, const char *name, const struct every_pool *in, const struct every_leaf *l)
{
	const struct drive_type *t = &y->h->types.data[l->type];
	struct buf text = BUF_EMPTY;
	struct every v = {.kind = EVERY_SET, .in = in, .a = l->off, .targets = t->count};
	uint32_t pool = t->kind == DRIVE_POINTER ? walk_pool(y->w, l->type) : WALK_NONE;
	if (t->kind != DRIVE_FUNCTION && pool == WALK_NONE)
		return;
	v.to = pool == WALK_NONE ? NULL : &y->pools[pool];
	buf_addf(&text, "every(%s, %s != NULL)", name, l->name);
	add_place(y, buf_str(&text), v);
	const struct front_type *c = plain(y->h, l->front), *to = c && c->kind == FRONT_POINTER ? plain(y->h, c->to) : NULL;
	uint64_t size = !to ? 0 : to->kind == FRONT_VOID ? 1 : to->size;
	v.interior = !!(t->flags & DRIVE_INTERIOR);
	v.unit = size && v.to ? (uint32_t)(v.to->size / size) : 0;
	int counted = v.to && size && v.to->size % size == 0 && (!v.interior || v.to->size == size);
	for (size_t i = 0; i < y->leaves.size && counted; i++) {
		const struct every_leaf *o = &y->leaves.data[i];
		buf_clear(&text);
		v.b = o->off;
		if (o->type == UINT32_MAX) {
			v.kind = EVERY_WITHIN;
			v.bits = o->bits;
			v.is_signed = o->is_signed;
			buf_addf(&text, "every(%s, %s%s%s <= len(%s))", name, o->is_signed ? o->name : "", o->is_signed ? " <= 0 || " : "", o->name, l->name);
			add_place(y, buf_str(&text), v);
		} else if (o != l && y->h->types.data[o->type].kind == DRIVE_POINTER && v.interior && walk_pool(y->w, o->type) == pool && y->h->types.data[o->type].flags & DRIVE_INTERIOR && are_beside(o->name, l->name)) {
			v.kind = EVERY_ORDERED;
			buf_addf(&text, "every(%s, ordered(%s, %s))", name, l->name, o->name);
			add_place(y, buf_str(&text), v);
		}
	}
	if (v.to && !v.interior) {
		v.kind = EVERY_APART;
		buf_clear(&text);
		buf_addf(&text, "apart(%s, %s)", name, l->name);
		add_place(y, buf_str(&text), v);
	}
	buf_release(&text);
}

void every_add(struct entry *e, const struct harness *h, struct walk *w)
{
	struct everying y = {.e = e, .h = h, .w = w};
	int takes_larger = w->about && w->about->takes_larger;
	find_pools(&y);
	for (uint32_t i = 0; i < w->f->pools && e->everys.size < EVERY_MOST; i++) {
		uint32_t type = h->types.data[h->pools.data[w->f->first_pool + i].pointer].a;
		const struct front_type *t = plain(h, h->type_front.data[type]);
		if (!t || t->kind != FRONT_STRUCT || !t->name || strpbrk(t->name, "([") || !y.pools[i].objects || (h->types.data[type].kind != DRIVE_STRUCT && !t->begins))
			continue;
		uint8_t *bytes = arena_alloc(&e->arena, h->types.data[type].size + 1);
		struct value_image im = {w, type, bytes, 0, 0, 0};
		memset(bytes, 0, h->types.data[type].size + 1);
		y.image = &im;
		vec_clear(&y.leaves);
		contract_leaves(&im, "", take_leaf, &y);
		size_t before = e->everys.size;
		if (t->begins && !y.pools[i].fixed && takes_larger) {
			char *text = mem_printf("every(%s, begins a larger one)", t->name);
			add_place(&y, text, (struct every){.kind = EVERY_BEGINS, .in = &y.pools[i]});
			free(text);
		}
		for (size_t k = 0; k < y.leaves.size; k++)
			if (y.leaves.data[k].type != UINT32_MAX)
				add_pointer(&y, t->name, &y.pools[i], &y.leaves.data[k]);
		if (e->everys.size > before)
			y.pools[i].present = find_present(&y, i);
	}
	vec_release(&y.leaves);
	vec_release(&y.slots);
}
