/* memory.c: objects, what pointers point to, and accesses.
 *
 * A pointer is a sum with the base of an object in it, or a choice between such sums: its *cases*, each with the condition under which it is the
 * one. A case without an object (null, a number) is an access outside of objects; a term that is none of this (a pointer that was read from
 * unknown memory, or computed) ends the path as UNKNOWN. An access takes those cases out of the path in which it is not allowed; what is left is
 * read as a choice, and written to each object under the case's condition.
 *
 * A pointer that was stored is bytes in an array. Read again, its parts join to the term that it was (expr's normal form), also if a join of paths made
 * each byte a choice: lift() turns bytes that choose by the same condition into one choice.
 *
 * The flat memory is an object whose base is 0: what is in a pointer's term that has no other object is the offset in it. A term with an object's base somewhere
 * inside is never taken for such a pointer. Once the address of an alloca got out of what is followed, a pointer that came from there may lead to it: that is a case, by the address.
 *
 * Invariant: a struct vc_memory that others can see is never changed.
 */
#include "vc/inside.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define NESTING LIMIT(64, 2) /* sums and choices inside each other in a pointer | recursion depth; a choice for each iteration of a loop unrolled 64 times */
#define CASE_STEPS LIMIT(20000, 50) /* terms that are looked at for one pointer; beyond it is unknown | choices share their parts, and a walk of depth NESTING has no end; 0.2 ms */
#define LIFTED LIMIT(2000, 20) /* choices that one word is turned into; the rest stays bytes | as CASE_STEPS */
#define PARTS 16 /* parts of a word that are looked at together | its bytes, twice */
#define POINTERS LIMIT(128, 8) /* bytes of a table that a pointer is read from at an offset that is no constant | 16 pointers, each a case of every access */
#define ESCAPED LIMIT(6, 1) /* allocas whose address got out, and to which a pointer of unknown origin may lead | each is a case of every such access */
#define MOVED LIMIT(256, 1) /* bytes of a move that are written one by one | as TABLE: larger objects are arrays */
#define NULL_PAGE 4096 /* no limit: no object is mapped there */
#define FEW LIMIT(64, 1) /* bytes of a fill that are written one by one | a quarter of TABLE: a fill of a larger one is one array term */

/* ------------------------------------------------------------ objects */

expr_t vc_start_contents(struct vc *v, const char *name, uint64_t bytes)
{
	char text[320];
	if (!bytes || bytes > v->o.table)
		return expr_array(v->p, name);
	expr_t *list = mem_realloc(NULL, bytes, sizeof *list);
	for (uint64_t i = 0; i < bytes; i++) {
		snprintf(text, sizeof text, "%.256s[%llu]", name, (unsigned long long)i);
		list[i] = expr_named(v->p, 8, text);
	}
	expr_t r = expr_data(v->p, list, bytes);
	free(list);
	return r;
}

uint32_t vc_thing_new(struct vc *v, const char *name, expr_t size, uint64_t bytes)
{
	char text[320];
	uint32_t number = (uint32_t)v->things.size;
	struct vc_thing t = {.name = arena_strdup(&v->arena, name), .size = size, .bytes = bytes, .global = CODE_NONE, .function = CODE_NONE};
	snprintf(text, sizeof text, "&%.256s", name);
	t.base = expr_named(v->p, 64, text);
	if (!map_set(&v->by_base, t.base, number))
		BUG("two objects with the name %s", name);
	t.start = v->o.bare ? EXPR_NONE : vc_start_contents(v, name, bytes);
	vec_push(&v->things, t);
	return number;
}

uint32_t vc_object(struct vc *v, const char *name, uint64_t bytes)
{
	return vc_thing_new(v, name, expr_const(v->p, 64, bytes), bytes);
}

uint32_t vc_object_sized(struct vc *v, const char *name, expr_t size)
{
	u128 bytes;
	if (size != EXPR_NONE && expr_is_const(v->p, size, &bytes))
		return vc_object(v, name, (uint64_t)bytes);
	return vc_thing_new(v, name, size, 0);
}

uint32_t vc_object_named(struct vc *v, const char *name)
{
	char text[320];
	uint64_t object;
	snprintf(text, sizeof text, "&%.256s", name);
	return map_get(&v->by_base, expr_named(v->p, 64, text), &object) ? (uint32_t)object : vc_thing_new(v, name, EXPR_NONE, 0);
}

uint32_t vc_global(struct vc *v, uint32_t global)
{
	const struct code_global *g = &v->code->globals[global];
	uint64_t known;
	char name[320];
	if (map_get(&v->by_global, global, &known))
		return (uint32_t)known;
	snprintf(name, sizeof name, "%s@%.200s#%u", v->o.prefix, g->name, global); /* two statics may share a name */
	if (v->o.global_name) {
		struct buf text = BUF_EMPTY;
		v->o.global_name(v->o.ctx, global, &text);
		snprintf(name, sizeof name, "%.300s", buf_str(&text));
		buf_release(&text);
	}
	/* An array without a size, of another unit: how large it is, is a variable. */
	uint32_t object = g->bytes ? vc_object(v, name, g->bytes) : vc_object_sized(v, name, vc_fresh(v, 64, "size"));
	v->things.data[object].global = global;
	v->things.data[object].constant = g->constant;
	v->things.data[object].optional = g->optional;
	v->things.data[object].flat = v->o.flat_globals && !g->constant && g->escapes;
	if (g->initial && !v->o.bare)
		v->things.data[object].start = expr_data_const(v->p, g->initial, g->bytes);
	map_set(&v->by_global, global, object);
	return object;
}

uint32_t vc_function_object(struct vc *v, uint32_t function)
{
	uint64_t known;
	char name[320];
	if (map_get(&v->by_function, function, &known))
		return (uint32_t)known;
	snprintf(name, sizeof name, "%s()%.200s#%u", v->o.prefix, v->code->functions[function].name, function);
	uint32_t object = vc_object(v, name, 0);
	v->things.data[object].function = function;
	v->things.data[object].constant = 1;
	v->things.data[object].optional = v->code->functions[function].optional;
	map_set(&v->by_function, function, object);
	return object;
}

void vc_all_globals(struct vc *v)
{
	for (uint32_t g = 0; g < v->code->global_count; g++)
		vc_global(v, g);
}

uint32_t vc_flat(const struct vc *v)
{
	return v->flat;
}

int vc_flat_used(const struct vc *v)
{
	return v->flat_used;
}

int vc_object_lasts(const struct vc *v, uint32_t object)
{
	const struct vc_thing *t = &v->things.data[object];
	return !t->own && !t->constant && !t->flat;
}

uint32_t vc_object_global(const struct vc *v, uint32_t object)
{
	return v->things.data[object].global;
}

uint32_t vc_objects(const struct vc *v)
{
	return (uint32_t)v->things.size;
}

expr_t vc_address(const struct vc *v, uint32_t object)
{
	return v->things.data[object].base;
}

const char *vc_object_name(const struct vc *v, uint32_t object)
{
	return v->things.data[object].name;
}

uint64_t vc_object_bytes(const struct vc *v, uint32_t object)
{
	return v->things.data[object].bytes;
}

expr_t vc_object_start(const struct vc *v, uint32_t object)
{
	return v->things.data[object].start;
}

void vc_object_set(struct vc *v, uint32_t object, expr_t contents)
{
	expr_t old = v->things.data[object].start;
	int table = expr_get(v->p, old)->op == MUSTER_OP_DATA;
	if (!expr_is_array(v->p, contents) || (expr_get(v->p, contents)->op == MUSTER_OP_DATA) != table ||
	    (table && expr_data_count(v->p, contents) != expr_data_count(v->p, old)))
		BUG("contents of another kind for %s", v->things.data[object].name);
	v->things.data[object].start = contents;
}

/* Do two objects lie apart while both are looked at? Allocas of scopes and calls that are over may give their place to others, and equal constants
 * may be one. */
static int are_apart(const struct vc_thing *a, const struct vc_thing *b)
{
	return !(a->own && b->own) && !(a->constant && b->constant && (a->function == CODE_NONE || b->function == CODE_NONE)) && !a->optional && !b->optional;
}

/* Pairs of objects are apart, nothing is at null, and no object goes around the end of memory, nor does the address after it. */
expr_t vc_facts(struct vc *v)
{
	struct exprs *p = v->p;
	expr_t all = expr_true(p), zero = expr_const(p, 64, 0);
	for (size_t i = 0; i < v->things.size; i++) {
		struct vc_thing *a = &v->things.data[i];
		if (i == v->flat)
			continue;
		if (!a->optional)
			all = expr_and(p, all, expr_not(p, expr_eq(p, a->base, zero)));
		if (a->size == EXPR_NONE)
			continue;
		expr_t end = expr_binary(p, MUSTER_OP_ADD, a->base, a->size);
		all = expr_and(p, all, expr_binary(p, MUSTER_OP_ULE, a->base, end));
		for (size_t k = 0; k < i; k++) {
			struct vc_thing *b = &v->things.data[k];
			if (k == v->flat || b->size == EXPR_NONE || !are_apart(a, b))
				continue;
			expr_t other = expr_binary(p, MUSTER_OP_ADD, b->base, b->size);
			all = expr_and(p, all, expr_or(p, expr_binary(p, MUSTER_OP_ULE, end, b->base), expr_binary(p, MUSTER_OP_ULE, other, a->base)));
		}
	}
	return all;
}

/* ------------------------------------------------------------ contents */

struct vc_place vc_place_of(const struct vc *v, const struct vc_memory *m, uint32_t object)
{
	if (object < m->count)
		return m->places[object];
	return (struct vc_place){v->things.data[object].start, expr_true(v->p)};
}

void vc_put(struct vc *v, struct vc_state *s, uint32_t object, struct vc_place place)
{
	if (s->shared || object >= s->memory->count) {
		struct vc_memory *m = arena_alloc(&v->arena, sizeof *m);
		m->count = (uint32_t)v->things.size;
		m->places = arena_alloc(&v->arena, m->count * sizeof *m->places);
		for (uint32_t i = 0; i < m->count; i++)
			m->places[i] = vc_place_of(v, s->memory, i);
		s->memory = m;
		s->shared = 0;
	}
	s->memory->places[object] = place;
}

const struct vc_memory *vc_memory_ite(struct vc *v, expr_t c, const struct vc_memory *a, const struct vc_memory *b)
{
	if (a == b || c == expr_true(v->p))
		return a;
	if (c == expr_false(v->p))
		return b;
	struct vc_memory *m = arena_alloc(&v->arena, sizeof *m);
	m->count = a->count > b->count ? a->count : b->count;
	m->places = arena_alloc(&v->arena, (m->count + 1) * sizeof *m->places);
	for (uint32_t i = 0; i < m->count; i++) {
		struct vc_place x = vc_place_of(v, a, i), y = vc_place_of(v, b, i);
		m->places[i].contents = x.contents == y.contents ? x.contents : v->o.bare ? vc_words_ite(v, c, x.contents, y.contents) : expr_array_ite(v->p, c, x.contents, y.contents);
		m->places[i].live = expr_ite(v->p, c, x.live, y.live);
	}
	return m;
}

void vc_memory_havoc(struct vc *v, struct vc_state *s, uint32_t object)
{
	char name[64];
	const struct vc_thing *t = &v->things.data[object];
	struct vc_place place = vc_place_of(v, s->memory, object);
	if (t->constant)
		return;
	snprintf(name, sizeof name, "%s.any.%u", v->o.prefix, v->fresh++);
	place.contents = vc_start_contents(v, name, t->bytes);
	vc_put(v, s, object, place);
}

expr_t vc_contents(const struct vc *v, const struct vc_memory *m, uint32_t object)
{
	return vc_place_of(v, m, object).contents;
}

/* ------------------------------------------------------------ cases of a pointer */

struct pointer_case {
	expr_t guard;
	uint32_t object; /* VC_NO_OBJECT: null, or a number */
	expr_t offset;
};

struct pointer {
	struct vc *v;
	struct pointer_case list[VC_TARGETS];
	size_t count;
	expr_t unknown; /* where it is none of them */
	unsigned left;	/* steps, of CASE_STEPS */
};

static expr_t lift_within(struct exprs *p, expr_t e, unsigned depth, unsigned *left)
{
	expr_t part[PARTS], condition = EXPR_NONE, yes = EXPR_NONE, no = EXPR_NONE;
	unsigned count = 0, choices = 0;
	for (expr_t rest = e; count < PARTS; rest = expr_get(p, rest)->b) {
		const struct expr_node *n = expr_get(p, rest);
		part[count++] = n->op == MUSTER_OP_CONCAT ? n->a : rest;
		if (n->op != MUSTER_OP_CONCAT)
			break;
		if (count == PARTS)
			return e;
	}
	for (unsigned i = 0; i < count; i++) {
		const struct expr_node *n = expr_get(p, part[i]);
		if (n->op != MUSTER_OP_ITE)
			continue;
		if (!condition)
			condition = n->a;
		choices += n->a == condition;
	}
	if (choices < 2 || !depth || !*left)
		return e;
	--*left;
	for (unsigned i = count; i-- > 0;) {
		struct expr_node n = *expr_get(p, part[i]);
		int is = n.op == MUSTER_OP_ITE && n.a == condition;
		expr_t x = is ? n.b : part[i], y = is ? n.c : part[i];
		yes = yes ? expr_concat(p, x, yes) : x;
		no = no ? expr_concat(p, y, no) : y;
	}
	yes = lift_within(p, yes, depth - 1, left);
	return expr_ite(p, condition, yes, lift_within(p, no, depth - 1, left));
}

/* Parts that choose by one condition, as one choice. */
static expr_t lift(struct exprs *p, expr_t e, unsigned depth)
{
	unsigned left = LIFTED;
	return lift_within(p, e, depth, &left);
}

expr_t vc_read(struct vc *v, const struct vc_memory *m, uint32_t object, expr_t offset, unsigned width)
{
	expr_t e = expr_array_read(v->p, vc_contents(v, m, object), offset, width);
	return width == 64 ? lift(v->p, e, NESTING) : e;
}

/* One step of the walk: 0, there are none left. */
static int step(struct pointer *x)
{
	x->left -= x->left > 0;
	return x->left > 0;
}

static int has_base(struct pointer *x, expr_t e, unsigned depth)
{
	const struct vc *v = x->v;
	const struct expr_node *n = expr_get(v->p, e);
	if (!depth || !step(x))
		return 0;
	switch (n->op) {
	case EXPR_OP_NAMED:
		return map_get(&v->by_base, e, NULL);
	case MUSTER_OP_ADD:
		return has_base(x, n->a, depth - 1) || has_base(x, n->b, depth - 1);
	case MUSTER_OP_SUB:
		return has_base(x, n->a, depth - 1);
	case MUSTER_OP_ITE:
		return has_base(x, n->b, depth - 1) || has_base(x, n->c, depth - 1);
	case MUSTER_OP_READ: /* a table of pointers, if of anything that is looked at */
		return n->width == 64 && expr_data_count(v->p, n->b) <= POINTERS;
	default:
		return 0;
	}
}

static void add_case(struct pointer *x, expr_t guard, uint32_t object, expr_t offset)
{
	struct exprs *p = x->v->p;
	for (size_t i = 0; i < x->count; i++)
		if (x->list[i].object == object && x->list[i].offset == offset) {
			x->list[i].guard = vc_or(p, x->list[i].guard, guard);
			return;
		}
	if (x->count == VC_TARGETS)
		x->unknown = vc_or(p, x->unknown, guard);
	else
		x->list[x->count++] = (struct pointer_case){guard, object, offset};
}

static void find_cases(struct pointer *x, expr_t e, expr_t guard, expr_t plus, unsigned depth);

/* A pointer from a table: each word that the offset may be at. A read outside of the table is 0. */
static void table_cases(struct pointer *x, struct expr_node n, expr_t guard, expr_t plus, unsigned depth)
{
	struct exprs *p = x->v->p;
	uint64_t count = expr_data_count(p, n.b);
	expr_t outside = guard;
	for (uint64_t i = 0; i + 8 <= count; i++) {
		expr_t is = expr_eq(p, n.a, expr_const(p, 64, i));
		if (is == expr_false(p))
			continue;
		find_cases(x, lift(p, expr_read(p, n.b, expr_const(p, 64, i), 64), NESTING), expr_and(p, guard, is), plus, depth);
		outside = expr_and(p, outside, expr_not(p, is));
	}
	find_cases(x, expr_const(p, 64, 0), outside, plus, depth);
}

/* Has the term no object's base in it, but of those that lie in the flat memory? */
static int is_flat(struct vc *v, expr_t e)
{
	uint32_t count;
	uint64_t object;
	const expr_t *vars = expr_vars(v->p, e, &count);
	if (v->flat == VC_NO_OBJECT)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (map_get(&v->by_base, vars[i], &object) && !v->things.data[object].flat)
			return 0;
	return 1;
}

/* Was the number there before the evaluation began? Then it is no address of an alloca. What calls and loops left has a point in its name. */
static int was_there(struct vc *v, expr_t e, unsigned depth)
{
	struct expr_node n = *expr_get(v->p, e);
	expr_t operand[3];
	uint64_t known;
	if (n.op == MUSTER_OP_CONST)
		return 1;
	if (n.op == EXPR_OP_NAMED || n.op == EXPR_OP_ARRAY)
		return !strchr(expr_name(v->p, e), '.');
	if (n.op == EXPR_OP_APPLY || n.op == MUSTER_OP_DATA || !depth)
		return 0;
	if (map_get(&v->there, e, &known))
		return (int)known;
	int yes = 1;
	unsigned count = expr_operands(v->p, e, operand);
	for (unsigned i = 0; i < count && yes; i++)
		yes = was_there(v, operand[i], depth - 1);
	map_set(&v->there, e, (uint64_t)yes);
	return yes;
}

/* A pointer that nothing is known about leads to an alloca whose address got out, or into the flat memory. 0: it may be too many. */
static int flat_cases(struct pointer *x, expr_t e, expr_t guard, expr_t plus)
{
	struct vc *v = x->v;
	struct exprs *p = v->p;
	unsigned escaped = 0;
	for (size_t i = 0; i < v->things.size; i++)
		escaped += v->things.data[i].own && v->things.data[i].escaped;
	if (escaped && was_there(v, e, NESTING) && was_there(v, plus, NESTING))
		escaped = 0;
	if (escaped > ESCAPED)
		return 0;
	for (uint32_t i = 0; i < v->things.size && escaped; i++) {
		const struct vc_thing *t = &v->things.data[i];
		if (!t->own || !t->escaped)
			continue;
		escaped--;
		expr_t offset = expr_binary(p, MUSTER_OP_ADD, expr_binary(p, MUSTER_OP_SUB, e, t->base), plus);
		expr_t in = expr_binary(p, MUSTER_OP_ULT, offset, t->size);
		add_case(x, expr_and(p, guard, in), i, offset);
		guard = expr_and(p, guard, expr_not(p, in));
	}
	add_case(x, guard, v->flat, expr_binary(p, MUSTER_OP_ADD, e, plus));
	return 1;
}

/* e + plus */
static void find_cases(struct pointer *x, expr_t e, expr_t guard, expr_t plus, unsigned depth)
{
	struct exprs *p = x->v->p;
	struct expr_node n = *expr_get(p, e);
	uint64_t object;
	if (guard == expr_false(p) || !step(x))
		return;
	if (n.op == MUSTER_OP_CONST) {
		add_case(x, guard, VC_NO_OBJECT, expr_binary(p, MUSTER_OP_ADD, e, plus));
	} else if (n.op == EXPR_OP_NAMED && map_get(&x->v->by_base, e, &object)) {
		int flat = x->v->things.data[object].flat;
		add_case(x, guard, flat ? x->v->flat : (uint32_t)object, flat ? expr_binary(p, MUSTER_OP_ADD, e, plus) : plus);
	} else if (depth && n.op == MUSTER_OP_ADD && has_base(x, n.a, depth) != has_base(x, n.b, depth)) {
		int left = has_base(x, n.a, depth);
		find_cases(x, left ? n.a : n.b, guard, expr_binary(p, MUSTER_OP_ADD, left ? n.b : n.a, plus), depth - 1);
	} else if (depth && n.op == MUSTER_OP_SUB && has_base(x, n.a, depth) && !has_base(x, n.b, depth)) {
		find_cases(x, n.a, guard, expr_binary(p, MUSTER_OP_SUB, plus, n.b), depth - 1);
	} else if (depth && n.op == MUSTER_OP_ITE && vc_too_many(x->v)) {
		x->unknown = vc_or(p, x->unknown, guard); /* the evaluation ends anyway */
	} else if (depth && n.op == MUSTER_OP_ITE) {
		find_cases(x, n.b, expr_and(p, guard, n.a), plus, depth - 1);
		find_cases(x, n.c, expr_and(p, guard, expr_not(p, n.a)), plus, depth - 1);
	} else if (depth && n.op == MUSTER_OP_READ && n.width == 64 && expr_data_count(p, n.b) <= POINTERS) {
		table_cases(x, n, guard, plus, depth - 1);
	} else if (!is_flat(x->v, e) || !is_flat(x->v, plus) || !flat_cases(x, e, guard, plus)) {
		x->unknown = vc_or(p, x->unknown, guard);
	}
}

static void pointer_of(struct vc *v, expr_t address, struct pointer *x)
{
	x->v = v;
	x->count = 0;
	x->unknown = expr_false(v->p);
	x->left = CASE_STEPS;
	find_cases(x, address, expr_true(v->p), expr_const(v->p, 64, 0), NESTING);
	if (!x->left) { /* a part of it was not looked at: nothing is known */
		x->count = 0;
		x->unknown = expr_true(v->p);
	}
}

uint32_t vc_object_at(struct vc *v, expr_t address, expr_t *offset)
{
	struct pointer x;
	pointer_of(v, address, &x);
	if (x.unknown != expr_false(v->p) || !x.count)
		return VC_NO_OBJECT;
	*offset = x.list[x.count - 1].offset;
	for (size_t i = x.count - 1; i-- > 0;) {
		if (x.list[i].object != x.list[i + 1].object)
			return VC_NO_OBJECT;
		*offset = expr_ite(v->p, x.list[i].guard, x.list[i].offset, *offset);
	}
	return x.list[0].object;
}

size_t vc_targets(struct vc *v, expr_t address, uint32_t *out, size_t most, int *all)
{
	struct pointer x;
	pointer_of(v, address, &x);
	*all = x.unknown != expr_false(v->p) || x.count > most;
	for (size_t i = 0; i < x.count && i < most; i++)
		out[i] = x.list[i].object;
	return *all ? 0 : x.count;
}

const struct code_function *vc_function_at(struct vc *v, expr_t address)
{
	struct pointer x;
	u128 offset;
	pointer_of(v, address, &x);
	if (x.unknown != expr_false(v->p) || x.count != 1 || x.list[0].object == VC_NO_OBJECT || !expr_is_const(v->p, x.list[0].offset, &offset) || offset ||
	    v->things.data[x.list[0].object].function == CODE_NONE)
		return NULL;
	return &v->code->functions[v->things.data[x.list[0].object].function];
}

/* ------------------------------------------------------------ comparisons */

/* A variable or a constant, and constants added: all else is several objects, or at an offset that is none. */
static int may_be_fixed(const struct exprs *p, expr_t e)
{
	const struct expr_node *n = expr_get(p, e);
	while ((n->op == MUSTER_OP_ADD || n->op == MUSTER_OP_SUB) && expr_is_const(p, n->b, NULL))
		n = expr_get(p, n->a);
	return n->op == EXPR_OP_NAMED || n->op == MUSTER_OP_CONST;
}

/* One object, or null, with a constant offset in it, or right after it. */
static int is_fixed(struct vc *v, const struct pointer *x, uint64_t *offset, int *inside)
{
	u128 at;
	if (x->unknown != expr_false(v->p) || x->count != 1 || !expr_is_const(v->p, x->list[0].offset, &at))
		return 0;
	*offset = (uint64_t)at;
	*inside = 0;
	if (x->list[0].object == VC_NO_OBJECT)
		return !at;
	const struct vc_thing *t = &v->things.data[x->list[0].object];
	if (t->optional || (t->size != EXPR_NONE && !expr_is_const(v->p, t->size, NULL)))
		return 0;
	*inside = *offset < t->bytes || (!t->bytes && !at); /* a function, or an object without a limit: at its start */
	return *inside || *offset == t->bytes;
}

/* Addresses of different objects, and null, differ: that is said here where it is sure, since most comparisons are of this kind. For the rest the
 * bases are variables and vc_facts says what is known about them. */
expr_t vc_compare_pointers(struct vc *v, unsigned op, expr_t a, expr_t b)
{
	struct exprs *p = v->p;
	struct pointer x, y;
	uint64_t i, j;
	int in_x, in_y, looks = (op == CODE_EQ || op == CODE_NE) && may_be_fixed(p, a) && may_be_fixed(p, b);
	if (looks) {
		pointer_of(v, a, &x);
		pointer_of(v, b, &y);
	}
	if (looks && is_fixed(v, &x, &i, &in_x) && is_fixed(v, &y, &j, &in_y)) {
		uint32_t ox = x.list[0].object, oy = y.list[0].object;
		int decided = ox == oy || ox == VC_NO_OBJECT || oy == VC_NO_OBJECT ||
			      (in_x && in_y && are_apart(&v->things.data[ox], &v->things.data[oy])),
		    same = ox == oy && i == j;
		if (decided)
			return same == (op == CODE_EQ) ? expr_true(p) : expr_false(p);
	}
	return vc_combine(p, &(struct code_value){.op = op, .width = 1}, (expr_t[]){a, b});
}

/* ------------------------------------------------------------ accesses */

static expr_t bytes_term(struct vc *v, uint64_t bytes)
{
	return expr_const(v->p, 64, bytes);
}

/* Do `length` bytes from the offset on lie in the object? */
static expr_t in_bounds(struct vc *v, const struct vc_thing *t, expr_t offset, expr_t length)
{
	struct exprs *p = v->p;
	if (t->size == EXPR_NONE)
		return expr_true(p);
	return expr_and(p, expr_binary(p, MUSTER_OP_ULE, length, t->size),
			expr_binary(p, MUSTER_OP_ULE, offset, expr_binary(p, MUSTER_OP_SUB, t->size, length)));
}

/* The cases in which the access is allowed; in the others the path has ended. needed: under which there is an access at all. */
static void access_cases(struct vc *v, struct vc_state *s, struct vc_where w, expr_t address, expr_t length, int writes, struct pointer *x)
{
	struct exprs *p = v->p;
	expr_t needed = expr_not(p, expr_eq(p, length, expr_const(p, 64, 0)));
	size_t kept = 0;
	pointer_of(v, address, x);
	vc_end_here(v, s, VC_UNKNOWN, expr_and(p, needed, x->unknown), w.f, w.at, "a pointer whose object is not known");
	for (size_t i = 0; i < x->count; i++) {
		struct pointer_case c = x->list[i];
		expr_t when = expr_and(p, needed, c.guard);
		if (c.object == VC_NO_OBJECT) {
			vc_end_here(v, s, VC_UNDEFINED, when, w.f, w.at, "an access through a null pointer or a number");
			continue;
		}
		const struct vc_thing *t = &v->things.data[c.object];
		if (c.object == v->flat) {
			expr_t null = expr_binary(p, MUSTER_OP_ULT, c.offset, bytes_term(v, NULL_PAGE));
			vc_end_here(v, s, VC_UNDEFINED, expr_and(p, when, null), w.f, w.at, "an access through a null pointer or a number");
			v->flat_used = 1;
		}
		expr_t ok = in_bounds(v, t, c.offset, length), live = vc_place_of(v, s->memory, c.object).live;
		vc_end_here(v, s, VC_UNDEFINED, expr_and(p, when, expr_not(p, ok)), w.f, w.at, VC_OUTSIDE);
		vc_end_here(v, s, VC_UNDEFINED, expr_and(p, when, expr_not(p, live)), w.f, w.at, "an access to an object that is no longer there");
		if (writes && t->constant) {
			vc_end_here(v, s, VC_UNDEFINED, when, w.f, w.at, "a write to a constant");
			continue;
		}
		if (ok != expr_false(p))
			x->list[kept++] = c;
	}
	x->count = kept;
}

static expr_t read_cases(struct vc *v, const struct vc_memory *m, const struct pointer *x, unsigned bits)
{
	expr_t r = EXPR_NONE;
	for (size_t i = 0; i < x->count; i++) {
		expr_t now = vc_read(v, m, x->list[i].object, x->list[i].offset, bits);
		r = r ? expr_ite(v->p, x->list[i].guard, now, r) : now;
	}
	return r;
}

expr_t vc_load(struct vc *v, struct vc_state *s, struct vc_where w, expr_t address, unsigned width, uint64_t bytes)
{
	struct pointer x;
	access_cases(v, s, w, address, bytes_term(v, bytes), 0, &x);
	if (vc_dead(v, s) || !x.count)
		return EXPR_NONE;
	expr_t r = read_cases(v, s->memory, &x, (unsigned)bytes * 8);
	if (width == 64)
		r = lift(v->p, r, NESTING);
	return expr_extract(v->p, r, 0, width);
}

static void write_case(struct vc *v, struct vc_state *s, const struct pointer_case *c, expr_t contents)
{
	struct vc_place place = vc_place_of(v, s->memory, c->object);
	place.contents = expr_array_ite(v->p, c->guard, contents, place.contents);
	vc_put(v, s, c->object, place);
}

void vc_store(struct vc *v, struct vc_state *s, struct vc_where w, expr_t address, expr_t value)
{
	struct pointer x;
	unsigned width = expr_width(v->p, value), bytes = (width + 7) / 8;
	access_cases(v, s, w, address, bytes_term(v, bytes), 1, &x);
	value = expr_zext(v->p, value, bytes * 8);
	for (size_t i = 0; i < x.count && !vc_dead(v, s); i++)
		write_case(v, s, &x.list[i], expr_array_write(v->p, vc_contents(v, s->memory, x.list[i].object), x.list[i].offset, value));
}

static expr_t filled(struct vc *v, expr_t contents, expr_t offset, expr_t byte, expr_t length)
{
	u128 count;
	if (!expr_is_const(v->p, length, &count) || count > FEW)
		return expr_array_fill(v->p, contents, offset, length, byte);
	for (uint64_t i = 0; i < (uint64_t)count; i++)
		contents = expr_array_write(v->p, contents, expr_binary(v->p, MUSTER_OP_ADD, offset, bytes_term(v, i)), byte);
	return contents;
}

void vc_fill(struct vc *v, struct vc_state *s, struct vc_where w, expr_t address, expr_t byte, expr_t length)
{
	struct pointer x;
	access_cases(v, s, w, address, length, 1, &x);
	for (size_t i = 0; i < x.count && !vc_dead(v, s); i++)
		write_case(v, s, &x.list[i], filled(v, vc_contents(v, s->memory, x.list[i].object), x.list[i].offset, byte, length));
}

/* Byte number k of what is moved. */
static expr_t moved_byte(struct vc *v, const struct vc_memory *m, const struct pointer *from, expr_t k)
{
	struct pointer x = *from;
	for (size_t i = 0; i < x.count; i++)
		x.list[i].offset = expr_binary(v->p, MUSTER_OP_ADD, x.list[i].offset, k);
	return read_cases(v, m, &x, 8);
}

/* The object's bytes after the move, where the length is not a constant: byte i is number i - offset of what is moved, if that is below the length. */
static expr_t moved_table(struct vc *v, const struct vc_memory *before, const struct pointer *from, expr_t contents, expr_t offset, expr_t length)
{
	struct exprs *p = v->p;
	uint64_t count = expr_data_count(p, contents);
	expr_t *bytes = mem_realloc(NULL, count + 1, sizeof *bytes);
	for (uint64_t i = 0; i < count; i++) {
		expr_t k = expr_binary(p, MUSTER_OP_SUB, bytes_term(v, i), offset);
		bytes[i] = expr_ite(p, expr_binary(p, MUSTER_OP_ULT, k, length), moved_byte(v, before, from, k), expr_data_byte(p, contents, i));
	}
	contents = expr_data(p, bytes, count);
	free(bytes);
	return contents;
}

static expr_t moved_words(struct vc *v, const struct vc_memory *before, const struct pointer *from, expr_t contents, expr_t offset, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		expr_t byte = moved_byte(v, before, from, bytes_term(v, i));
		contents = expr_array_write(v->p, contents, expr_binary(v->p, MUSTER_OP_ADD, offset, bytes_term(v, i)), byte);
	}
	return contents;
}

/* Where the memory overlaps, but is not the same, the path ends. Different objects lie apart. */
static void end_of_overlap(struct vc *v, struct vc_state *s, struct vc_where w, const struct pointer *to, const struct pointer *from, expr_t length)
{
	struct exprs *p = v->p;
	for (size_t i = 0; i < to->count; i++)
		for (size_t k = 0; k < from->count; k++) {
			const struct pointer_case *x = &to->list[i], *y = &from->list[k];
			if (x->object != y->object)
				continue;
			expr_t up = expr_binary(p, MUSTER_OP_SUB, x->offset, y->offset), down = expr_binary(p, MUSTER_OP_SUB, y->offset, x->offset);
			expr_t near = expr_or(p, expr_binary(p, MUSTER_OP_ULT, up, length), expr_binary(p, MUSTER_OP_ULT, down, length));
			near = expr_and(p, near, expr_not(p, expr_eq(p, x->offset, y->offset)));
			vc_end_here(v, s, VC_UNDEFINED, expr_and(p, expr_and(p, x->guard, y->guard), near), w.f, w.at, VC_OVERLAPS);
		}
}

void vc_move(struct vc *v, struct vc_state *s, struct vc_where w, expr_t to, expr_t from, expr_t length)
{
	struct pointer x, y;
	u128 count = 0;
	int constant = expr_is_const(v->p, length, &count);
	if (constant && !count)
		return;
	access_cases(v, s, w, from, length, 0, &y);
	access_cases(v, s, w, to, length, 1, &x);
	if (v->o.apart && w.f->values[w.at].flags & CODE_APART)
		end_of_overlap(v, s, w, &x, &y, length);
	const struct vc_memory *before = s->memory;
	s->shared = 1;
	for (size_t i = 0; i < x.count && !vc_dead(v, s); i++) {
		struct pointer_case *c = &x.list[i];
		expr_t contents = vc_contents(v, s->memory, c->object), after;
		if (!y.count)
			return; /* nothing is moved: the length is 0 wherever the path goes on */
		if (constant && count <= MOVED)
			after = moved_words(v, before, &y, contents, c->offset, (uint64_t)count);
		else if (expr_get(v->p, contents)->op == MUSTER_OP_DATA)
			after = moved_table(v, before, &y, contents, c->offset, length);
		else {
			if (v->o.loose)
				continue;
			vc_end_here(v, s, VC_UNKNOWN, c->guard, w.f, w.at, "a move of many bytes");
			continue;
		}
		write_case(v, s, c, after);
	}
}
