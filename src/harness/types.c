/* types.c: from the unit's types to those of an input.
 *
 * Only what is no plain bytes needs a description: pointers, bools, and what has such inside. A
 * struct keeps only those members; without any it is bytes. A type is made once for each place that
 * changes its meaning (array parameters, pointers that may point into their object), and memoised
 * before what it points to is looked at, so that recursive types end.
 *
 * Two pointers share their objects if their pointees are the same type, const or not, under
 * whatever name: types are compared by a hash that leaves qualifiers out at every level. Pointers to
 * void have those of pointers to unsigned char, unless the unit takes them for something else.
 */
#include "harness/plan.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NO_TYPE UINT32_MAX
#define STRUCT_ELEMENTS 4u /* of an array of structs, at most */
#define STRUCT_BYTES 4096u /* that such an array may have */
#define TARGETS_MAX 32

/* ------------------------------------------------------------- structure */

static uint64_t mix(uint64_t h, uint64_t v)
{
	return hash_mix(h ^ (v + 0x9e3779b97f4a7c15u + (h << 6)));
}

/* strict: const counts where it is part of a function's type. */
static uint64_t type_hash(const struct front *f, uint32_t type, int strict, int depth)
{
	const struct front_type *t = &f->types.data[type];
	uint64_t h = mix(t->kind, t->size);

	if (depth > 8)
		return h;
	switch (t->kind) {
	case FRONT_POINTER:
		if (strict)
			h = mix(h, f->types.data[t->to].is_const != 0);
		return mix(h, type_hash(f, t->to, strict, depth + 1));
	case FRONT_ARRAY:
		return mix(mix(h, t->count), type_hash(f, t->to, strict, depth + 1));
	case FRONT_FUNCTION:
		h = mix(h, type_hash(f, t->to, strict, depth + 1));
		for (size_t i = 0; i < t->parameters.size; i++)
			h = mix(h, type_hash(f, t->parameters.data[i], strict, depth + 1));
		return mix(h, (t->variadic != 0) + 2 * t->parameters.size);
	default:
		return mix(h, t->plain);
	}
}

/* An array parameter is a pointer to the function's caller. */
static uint64_t parameter_hash(const struct front *f, uint32_t type)
{
	const struct front_type *t = &f->types.data[type];

	if (t->kind != FRONT_ARRAY)
		return type_hash(f, type, 1, 1);
	return mix(mix(mix(FRONT_POINTER, 8), f->types.data[t->to].is_const != 0),
		   type_hash(f, t->to, 1, 2));
}

/* As type_hash of the function's type, strict. */
static uint64_t function_hash(const struct front *f, const struct front_function *fn)
{
	uint64_t h = mix(mix(FRONT_FUNCTION, 0), type_hash(f, fn->result, 1, 1));

	for (size_t i = 0; i < fn->parameters.size; i++)
		h = mix(h, parameter_hash(f, fn->parameters.data[i].type));
	return mix(h, (fn->variadic != 0) + 2 * fn->parameters.size);
}

uint64_t plan_function_hash(const struct front *f, uint32_t type)
{
	return type_hash(f, type, 1, 0);
}

/* The hash without const, computed once. */
static uint64_t plain_hash(struct planner *p, uint32_t type)
{
	uint64_t h;

	if (!map_get(&p->hashes, type, &h)) {
		h = type_hash(p->f, type, 0, 0);
		map_set(&p->hashes, type, h);
	}
	return h;
}

static int same_pointee(struct planner *p, uint32_t a, uint32_t b)
{
	uint32_t x = p->f->types.data[a].to, y = p->f->types.data[b].to;

	return x == y || plain_hash(p, x) == plain_hash(p, y);
}

int plan_same_elements(struct planner *p, uint32_t pointer, uint32_t other)
{
	const struct harness *h = p->h;
	uint32_t x = h->type_front.data[h->types.data[pointer].a], y = h->type_front.data[h->types.data[other].a];

	return x == y || plain_hash(p, x) == plain_hash(p, y);
}

/* ----------------------------------------------------------------- names */

int plan_nameable(const struct front *f, uint32_t type)
{
	const struct front_type *t = &f->types.data[type];

	return t->name != NULL || (t->kind == FRONT_ARRAY && plan_nameable(f, t->to));
}

int plan_is_va_list(const struct front *f, uint32_t type)
{
	const struct front_type *t = &f->types.data[type];

	return t->is_va_list || ((t->kind == FRONT_POINTER || t->kind == FRONT_ARRAY) &&
				 f->types.data[t->to].is_va_list);
}

static int is_scalar(const struct front_type *t)
{
	return t->kind == FRONT_CHAR || t->kind == FRONT_INT || t->kind == FRONT_FLOAT ||
	       t->kind == FRONT_BOOL;
}

static int ends_in(const char *name, const char *const *list)
{
	size_t n = strlen(name);

	for (; *list; list++) {
		size_t k = strlen(*list);

		if (n == k && !strcmp(name, *list))
			return 1;
		/* my_end and myEnd, but not send */
		if (n > k && !strncasecmp(name + n - k, *list, k) &&
		    (name[n - k - 1] == '_' || (name[n - k] >= 'A' && name[n - k] <= 'Z')))
			return 1;
	}
	return 0;
}

/* A pointer into an object that another pointer has the start of. */
static int sounds_inner(const char *name)
{
	static const char *const inner[] = {"end",   "last", "limit",	"lim", "stop", "tail",
					    "cur",   "curr", "current", "pos", "ptr",  "pointer",
					    "bound", "next", "e",	"hi",  "high", "right",
					    "top",   "here", "mark",	NULL};

	return ends_in(name, inner);
}

static int sounds_outer(const char *name)
{
	static const char *const outer[] = {"start",  "begin", "base", "first", "buf",
					    "buffer", "data",  "lo",   "left",	NULL};

	return ends_in(name, outer);
}

/* Structures that point to their like are nodes of lists and trees: what points to one points to its start, whatever its name (`next`). */
static int is_linked(const struct front *f, const struct front_type *s)
{
	for (size_t i = 0; i < f->types.data[s->plain].fields.size; i++) {
		const struct front_type *t = &f->types.data[f->types.data[s->plain].fields.data[i].type];

		if (t->kind == FRONT_POINTER && f->types.data[t->to].plain == s->plain)
			return 1;
	}
	return 0;
}

/* Does a pointer of this name and type, with a partner of the same type beside it, point into an
 * object? Strings share structs and parameter lists for many reasons, so there (and for parameters)
 * the name must say so. */
static int is_inner(const struct front *f, uint32_t type, const char *name, int partner,
		    int in_struct)
{
	const struct front_type *t = &f->types.data[type], *to;

	if (!partner || (t->kind != FRONT_POINTER))
		return 0;
	to = &f->types.data[t->to];
	if (sounds_inner(name))
		return is_scalar(to) || (to->kind == FRONT_STRUCT && !is_linked(f, to));
	return in_struct && is_scalar(to) && to->kind != FRONT_CHAR && !sounds_outer(name);
}

static int field_inner(struct planner *p, const struct front_type *s, size_t index)
{
	const struct front *f = p->f;
	const struct front_field *m = &s->fields.data[index];
	int partner = 0;

	if (f->types.data[m->type].kind != FRONT_POINTER)
		return 0;
	for (size_t i = 0; i < s->fields.size && !partner; i++)
		partner = i != index &&
			  f->types.data[s->fields.data[i].type].kind == FRONT_POINTER &&
			  same_pointee(p, s->fields.data[i].type, m->type);
	return is_inner(f, m->type, m->name, partner, 1);
}

/* ---------------------------------------------------------------- making */

static uint32_t add_type(struct planner *p, uint32_t front, struct drive_type t)
{
	uint32_t n = (uint32_t)p->h->types.size;

	vec_push(&p->h->types, t);
	vec_push(&p->h->type_front, front);
	vec_push(&p->h->pool_keys, n);
	return n;
}

static uint32_t power_of_two(uint32_t n)
{
	uint32_t p = 1;

	while (p < n && p < 0x80000000u)
		p *= 2;
	return p;
}

/* Pointees that only their library can make. */
static int is_opaque(const struct front *f, const struct front_type *to)
{
	const char *name = f->types.data[to->plain].name;

	if (to->kind == FRONT_VOID)
		return 0;
	return !to->size || to->is_va_list ||
	       (to->kind == FRONT_STRUCT && name && strstr(name, "_IO_FILE"));
}

/* How many elements an object may have. */
static uint32_t limit_of(const struct planner *p, const struct front_type *to)
{
	uint32_t n = STRUCT_ELEMENTS;

	if (to->kind == FRONT_VOID || to->kind == FRONT_CHAR || (to->kind == FRONT_INT && to->size == 1))
		return power_of_two(p->o->characters);
	if (is_scalar(to) || to->kind == FRONT_POINTER)
		return power_of_two(p->o->elements);
	if (n > power_of_two(p->o->elements))
		n = power_of_two(p->o->elements);
	while (n > 1 && n * to->size > STRUCT_BYTES)
		n /= 2;
	return n;
}

/* What void * points to: bytes, of the type that C has for them if the unit knows it. */
static uint32_t byte_type(struct planner *p, uint32_t front_void)
{
	uint32_t front = front_void;

	if (p->byte != NO_TYPE)
		return p->byte;
	for (size_t i = 0; i < p->f->types.size; i++) {
		const struct front_type *t = &p->f->types.data[i];

		if (t->kind == FRONT_INT && t->size == 1 && !t->is_signed && !t->is_enum &&
		    !t->is_const && t->name) {
			front = (uint32_t)i;
			break;
		}
	}
	p->byte = add_type(p, front, (struct drive_type){.kind = DRIVE_BYTES, .size = 1});
	return p->byte;
}

/* The pointer type that stands for all with these objects. */
static uint32_t pool_key(struct planner *p, uint32_t pointer, uint32_t to)
{
	const struct drive_type *t;
	uint64_t key, found;

	if (p->f->types.data[to].kind == FRONT_VOID) { /* bytes are bytes */
		uint32_t byte = byte_type(p, to); /* it may add a type, which moves them */
		to = p->h->type_front.data[byte];
	}
	key = plain_hash(p, to);

	t = &p->h->types.data[pointer];
	key = mix(mix(mix(key, t->limit), t->fixed), (t->flags & DRIVE_STRING) + ((uint64_t)p->plain << 32));
	if (map_get(&p->keys, key, &found))
		return (uint32_t)found;
	map_set(&p->keys, key, pointer);
	return pointer;
}

/* What a pointer points to: where its type does not say, what the unit takes it for. */
static uint32_t pointee_of(const struct planner *p, uint32_t front, struct plan_place where)
{
	uint32_t to = p->f->types.data[front].to, as = to;
	const struct front_type *t = &p->f->types.data[to];

	if (t->kind != FRONT_VOID && t->kind != FRONT_STRUCT && t->size)
		return to;
	if (where.as && p->f->types.data[where.as - 1].kind == FRONT_POINTER)
		as = p->f->types.data[where.as - 1].to;
	else if (t->kind == FRONT_STRUCT && !t->size && p->f->types.data[t->plain].as != FRONT_NONE)
		as = p->f->types.data[t->plain].as;
	if (t->size && (p->plain || p->f->types.data[as].size <= t->size))
		return to;
	t = &p->f->types.data[as];
	return t->size && t->kind != FRONT_FUNCTION ? as : to;
}

static uint32_t align_flag(const struct front_type *pointee)
{
	uint32_t log = 0;

	while (log < 12 && 2u << log <= pointee->align)
		log++;
	return log << DRIVE_ALIGN_SHIFT;
}

static uint32_t pointer_type(struct planner *p, uint32_t front, struct plan_place where,
			     uint64_t memo)
{
	uint32_t to = pointee_of(p, front, where), n, element;
	const struct front_type *pointee = &p->f->types.data[to];
	struct drive_type t = {.kind = DRIVE_POINTER, .size = 8};

	if (is_opaque(p->f, pointee)) {
		t.kind = DRIVE_OPAQUE;
	} else {
		t.limit = limit_of(p, pointee);
		if (where.fixed) {
			t.fixed = where.fixed;
			t.limit = power_of_two(where.fixed);
		} else if (pointee->kind == FRONT_CHAR && !where.counted) {
			t.flags |= DRIVE_STRING;
		}
		if (where.interior)
			t.flags |= DRIVE_INTERIOR;
		t.flags |= align_flag(pointee);
	}
	n = add_type(p, front, t);
	map_set(&p->types, memo, n);
	if (t.kind == DRIVE_OPAQUE)
		return n;
	p->h->pool_keys.data[n] = pool_key(p, n, to);
	element = pointee->kind == FRONT_VOID ? byte_type(p, to)
					      : plan_type(p, to, (struct plan_place){0});
	p->h->types.data[n].a = element;
	return n;
}

uint32_t plan_stub(struct planner *p, uint32_t entry)
{
	struct harness *h = p->h;
	uint32_t result, n = (uint32_t)h->stubs.size;

	for (uint32_t i = 0; i < n; i++)
		if (h->stubs.data[i] == entry)
			return i;
	result = entry & HARNESS_STUB_POINTER ? p->f->types.data[entry & ~HARNESS_STUB_POINTER].to
					      : p->f->functions.data[entry].result;
	vec_push(&h->stubs, entry);
	vec_push(&h->stub_types, NO_TYPE);
	vec_push(&h->stub_memory, (uint8_t)plan_memory(p, entry));
	if (h->stub_memory.data[n]) {
		/* Whether it fails. */
		if (p->f->types.data[result].kind == FRONT_POINTER) {
			uint32_t byte = byte_type(p, p->f->types.data[result].to);

			h->stub_types.data[n] = byte;
		}
		return n;
	}
	if (p->f->types.data[result].kind != FRONT_VOID && p->f->types.data[result].size) {
		uint32_t as = entry & HARNESS_STUB_POINTER ? FRONT_NONE : p->f->functions.data[entry].result_as;
		int plain = p->plain; /* of the function that happens to be planned: the stub is everyone's */
		p->plain = 0;
		uint32_t type = plan_type(p, result, (struct plan_place){.as = as + 1});
		p->plain = plain;

		h->stub_types.data[n] = type;
	}
	return n;
}

static int stub_nameable(const struct front *f, const struct front_type *t)
{
	if (!plan_nameable(f, t->to))
		return 0;
	for (size_t i = 0; i < t->parameters.size; i++)
		if (!plan_nameable(f, t->parameters.data[i]))
			return 0;
	return 1;
}

/* Functions with a body, and those of libc that do what their arguments say. */
static int can_be_target(const struct planner *p, const struct front_function *fn)
{
	return fn->defined ||
	       (!strmap_get(&p->stub_names, fn->name, NULL) && plan_is_pure(fn->name));
}

/* A pointer to functions: those whose address the unit takes, then a stub. */
static uint32_t function_type(struct planner *p, uint32_t front, uint64_t memo)
{
	uint32_t to = p->f->types.data[front].to, n;
	const struct front_type *ft = &p->f->types.data[to];
	uint64_t hash = plan_function_hash(p->f, to), found;
	int memory = plan_memory(p, to | HARNESS_STUB_POINTER), real = 0;
	struct drive_type t = {.kind = DRIVE_FUNCTION, .size = 8};

	if (map_get(&p->targets, hash, &found)) {
		t = p->h->types.data[found];
		n = add_type(p, front, t);
		map_set(&p->types, memo, n);
		return n;
	}
	t.a = (uint32_t)p->h->targets.size;
	for (size_t i = 0; i < p->f->functions.size && t.count < TARGETS_MAX; i++) {
		const struct front_function *fn = &p->f->functions.data[i];

		if (!fn->address_taken || !can_be_target(p, fn) || function_hash(p->f, fn) != hash)
			continue;
		real |= !fn->defined;
		vec_push(&p->h->targets, fn->name);
		t.count++;
	}
	/* Where libc's own is there, a stub that does the same is none. */
	if (stub_nameable(p->f, ft) && !(memory && real)) {
		char name[40];

		snprintf(name, sizeof name, "muster_stub_%u", to);
		vec_push(&p->h->targets, arena_strdup(&p->h->arena, name));
		t.count++;
	}
	if (!t.count)
		t = (struct drive_type){.kind = DRIVE_OPAQUE, .size = 8};
	n = add_type(p, front, t);
	map_set(&p->types, memo, n);
	map_set(&p->targets, hash, n);
	if (t.count && !strncmp(p->h->targets.data[t.a + t.count - 1], "muster_stub_", 12))
		plan_stub(p, to | HARNESS_STUB_POINTER);
	return n;
}

struct member_list {
	struct drive_member *data;
	size_t size, cap;
};

static int overlaps(const struct planner *p, const struct member_list *l,
		    const struct drive_member *m)
{
	uint32_t end = m->offset + p->h->types.data[m->type].size;

	for (size_t i = 0; i < l->size; i++) {
		const struct drive_member *o = &l->data[i];

		if (m->offset < o->offset + p->h->types.data[o->type].size && o->offset < end)
			return 1;
	}
	return 0;
}

/* Pointers of a union's member, each by itself, where no other member had one before. Bools stay
 * bytes there: a byte with one bit would be too little for whatever else stands at its place. */
static int overlay(struct planner *p, struct member_list *l, uint32_t type, uint32_t offset)
{
	const struct drive_type t = p->h->types.data[type];
	struct drive_member m = {offset, type};
	int found = 0;

	switch (t.kind) {
	case DRIVE_POINTER:
	case DRIVE_FUNCTION:
	case DRIVE_OPAQUE:
		if (!overlaps(p, l, &m))
			vec_push(l, m);
		return 1;
	case DRIVE_STRUCT:
		for (uint32_t i = 0; i < t.count; i++) {
			struct drive_member inner = p->h->members.data[t.a + i];

			found |= overlay(p, l, inner.type, offset + inner.offset);
		}
		return found;
	case DRIVE_ARRAY:
		for (uint32_t i = 0; i < t.count && i < 256; i++)
			found |= overlay(p, l, t.a, offset + i * p->h->types.data[t.a].size);
		return found;
	default:
		return 0;
	}
}

static uint32_t record_type(struct planner *p, uint32_t front, uint64_t memo)
{
	const struct front_type *ft = &p->f->types.data[front];
	struct drive_type t = {.kind = DRIVE_STRUCT, .size = (uint32_t)ft->size};
	struct member_list members = {0};
	uint64_t found;
	uint32_t n;

	for (size_t i = 0; i < ft->fields.size; i++) {
		const struct front_field *m = &ft->fields.data[i];
		struct plan_place where = {.interior = field_inner(p, ft, i), .as = m->as + 1};
		uint32_t type;

		if (m->bits || !p->f->types.data[m->type].size)
			continue;
		type = plan_type(p, m->type, where);
		if (ft->kind == FRONT_UNION &&
		    overlay(p, &members, type, (uint32_t)(m->bit_offset / 8)))
			t.flags |= DRIVE_UNION_FIRST;
		else if (ft->kind == FRONT_STRUCT && p->h->types.data[type].kind != DRIVE_BYTES)
			vec_push(&members,
				 (struct drive_member){(uint32_t)(m->bit_offset / 8), type});
	}
	/* A pointer inside may have led back here. */
	if (map_get(&p->types, memo, &found)) {
		vec_release(&members);
		return (uint32_t)found;
	}
	if (!members.size)
		t = (struct drive_type){.kind = DRIVE_BYTES, .size = (uint32_t)ft->size};
	t.a = members.size ? (uint32_t)p->h->members.size : 0;
	t.count = (uint32_t)members.size;
	for (size_t i = 0; i < members.size; i++)
		vec_push(&p->h->members, members.data[i]);
	vec_release(&members);
	n = add_type(p, front, t);
	map_set(&p->types, memo, n);
	return n;
}

static uint32_t array_type(struct planner *p, uint32_t front, uint64_t memo)
{
	const struct front_type *ft = &p->f->types.data[front];
	struct drive_type t = {
	    .kind = DRIVE_ARRAY, .size = (uint32_t)ft->size, .count = (uint32_t)ft->count};
	uint64_t found;
	uint32_t n;

	t.a = plan_type(p, ft->to, (struct plan_place){0});
	if (map_get(&p->types, memo, &found))
		return (uint32_t)found;
	if (p->h->types.data[t.a].kind == DRIVE_BYTES)
		t = (struct drive_type){.kind = DRIVE_BYTES, .size = (uint32_t)ft->size};
	n = add_type(p, front, t);
	map_set(&p->types, memo, n);
	return n;
}

uint32_t plan_type(struct planner *p, uint32_t front, struct plan_place where)
{
	const struct front_type *t = &p->f->types.data[front];
	uint64_t memo = mix(mix(front + 1, where.as), (uint64_t)(where.interior != 0) + 2 * (uint64_t)(where.counted != 0) + 4 * (uint64_t)p->plain), found;
	uint32_t n;

	if (map_get(&p->types, memo, &found))
		return (uint32_t)found;
	switch (t->kind) {
	case FRONT_POINTER:
		if (p->f->types.data[t->to].kind == FRONT_FUNCTION)
			return function_type(p, front, memo);
		return pointer_type(p, front, where, memo);
	case FRONT_STRUCT:
	case FRONT_UNION:
		return record_type(p, front, memo);
	case FRONT_ARRAY:
		return array_type(p, front, memo);
	default:
		n = add_type(
		    p, front,
		    (struct drive_type){.kind = t->kind == FRONT_BOOL ? DRIVE_BOOL : DRIVE_BYTES,
					.size = (uint32_t)t->size});
		map_set(&p->types, memo, n);
		return n;
	}
}

/* Is an array parameter one of the objects that other parameters may point to? Then it takes part in their pool, and the thunk says how many elements
 * it has at least. Not if it has more than these, and not among strings: those end in 0, an array of characters need not. */
static int shares_objects(struct planner *p, const struct front_function *fn, uint32_t index)
{
	uint32_t type = fn->parameters.data[index].type;
	const struct front_type *t = &p->f->types.data[type], *to = &p->f->types.data[t->to];
	int partner = 0;

	if (to->kind == FRONT_CHAR || !to->size || t->count > limit_of(p, to))
		return 0;
	for (size_t i = 0; i < fn->parameters.size; i++) {
		const struct front_type *other = &p->f->types.data[fn->parameters.data[i].type];

		if (i != index && (other->kind == FRONT_POINTER || (other->kind == FRONT_ARRAY && other->count != t->count)))
			partner |= same_pointee(p, fn->parameters.data[i].type, type);
	}
	return partner;
}

static int points_to_char(const struct planner *p, uint32_t type)
{
	const struct front_type *t = &p->f->types.data[type];

	return (t->kind == FRONT_POINTER || (t->kind == FRONT_ARRAY && !t->count)) && p->f->types.data[t->to].kind == FRONT_CHAR;
}

static int has_length(const struct planner *p, const struct front_function *fn, size_t index)
{
	return front_length_of(p->f, fn, index) < fn->parameters.size;
}

/* Characters of which another parameter seems to say how many there are (buf, len): no 0 has to follow them, and where one always did, a read past their end would go unseen. They are objects of a pool of
 * their own, so strings that could be the same object must not be written through either pointer. */
static int is_counted(const struct planner *p, const struct front_function *fn, size_t index)
{
	const struct front_parameter *m = fn->parameters.data;
	int is_const = points_to_char(p, m[index].type) && p->f->types.data[p->f->types.data[m[index].type].to].is_const;

	if (!points_to_char(p, m[index].type) || !has_length(p, fn, index))
		return 0;
	for (size_t i = 0; i < fn->parameters.size; i++)
		if (i != index && points_to_char(p, m[i].type) && !has_length(p, fn, i) && !(is_const && p->f->types.data[p->f->types.data[m[i].type].to].is_const))
			return 0;
	return 1;
}

uint32_t plan_parameter(struct planner *p, const struct front_function *fn, uint32_t index)
{
	const struct front_parameter *m = &fn->parameters.data[index];
	const struct front_type *t = &p->f->types.data[m->type];
	struct plan_place where = {.as = m->as + 1, .counted = is_counted(p, fn, index)};
	int partner = 0;

	if (t->kind == FRONT_ARRAY) {
		int shared = shares_objects(p, fn, index);
		uint64_t memo = mix(mix(m->type + 1, t->count), 2 + (uint64_t)shared + 2 * (uint64_t)(where.counted != 0) + ((uint64_t)p->plain << 32)), found;

		where.fixed = shared ? 0 : (uint32_t)t->count;
		if (map_get(&p->types, memo, &found))
			return (uint32_t)found;
		return pointer_type(p, m->type, where, memo);
	}
	for (size_t i = 0; t->kind == FRONT_POINTER && i < fn->parameters.size; i++)
		partner |= i != index &&
			   p->f->types.data[fn->parameters.data[i].type].kind == FRONT_POINTER &&
			   same_pointee(p, fn->parameters.data[i].type, m->type);
	where.interior = is_inner(p->f, m->type, m->name, partner, 0);
	return plan_type(p, m->type, where);
}
