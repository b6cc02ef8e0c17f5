/* plan.c: which bytes of an input mean what, for every function of a unit.
 *
 * The roots of a function are its parameters and the globals that it may reach and that may have
 * other values than their first. From the roots, and from what stubs it may reach can return, a
 * walk over types (breadth first) finds the pools. The layout follows: roots, results, then the
 * first object of every pool, then the second of every pool, and so on, so that an input with few
 * objects is short.
 *
 * An input has at most INPUT_MAX bytes: rounds of objects are dropped until it fits, then the pools
 * that are farthest from the roots have no object at all.
 *
 * What a verdict cannot speak of is computed over everything that the function may reach, and errs
 * on the careful side.
 */
#include "harness/plan.h"

#include "base/error.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX (256u * 1024)
#define NO_TYPE UINT32_MAX

const char *harness_limit_words(enum harness_limit l)
{
	static const char *const words[] = {
#define X(name, given, words) words,
	    HARNESS_LIMITS(X)
#undef X
	};

	return words[l];
}

const struct harness_function *harness_find(const struct harness *h, const char *name)
{
	for (size_t i = 0; i < h->functions.size; i++)
		if (!strcmp(h->front->functions.data[h->functions.data[i].front].name, name))
			return &h->functions.data[i];
	return NULL;
}

/* The plan of one function. */
struct one {
	struct planner *p;
	struct harness_function *hf;
	const struct front_function *fn;
	struct drive_function call;
	struct front_reach reach;
	VEC(uint32_t) queue;  /* types to look at */
	struct map seen;      /* types that were in the queue */
	struct map pooled;    /* keys that have a pool */
	struct map voids;     /* keys that some pointer to void has */
	struct map writable;  /* keys that some pointer to what is not const has */
	struct map undefined; /* stubs: numbers in h->stubs */
	VEC(uint32_t) stubs;
	VEC(uint32_t) hooks; /* types of globals that are hooks */
	int in_hooks;	     /* these are looked at now */
	int calls_pointer;   /* it, or what it calls, calls through pointers */
	int takes_functions; /* the input says which function a pointer points to, and it is no hook's */
};

static uint32_t align8(uint32_t n)
{
	return (n + 7) & ~7u;
}

/* ----------------------------------------------------------------- roots */

static const char *parameter_name(struct planner *p, const struct front_function *fn, uint32_t i)
{
	char unnamed[24];

	if (*fn->parameters.data[i].name)
		return fn->parameters.data[i].name;
	snprintf(unnamed, sizeof unnamed, "arg%u", i + 1);
	return arena_strdup(&p->h->arena, unnamed);
}

static void add_root(struct one *o, uint32_t type, uint32_t flags, const char *name, uint32_t front)
{
	struct harness *h = o->p->h;
	struct drive_root r = {.type = type, .flags = flags, .at = o->call.size};

	o->call.size = align8(o->call.size + h->types.data[type].size);
	vec_push(&h->roots, r);
	vec_push(&h->root_names, name);
	vec_push(&h->root_front, front);
}

static int is_ours(const struct harness *h, uint32_t global)
{
	for (size_t i = 0; i < h->extern_globals.size; i++)
		if (h->extern_globals.data[i] == global)
			return 1;
	return 0;
}

/* Can it have another value than its first when the function is called? */
static int may_vary(const struct harness *h, uint32_t global)
{
	const struct front_global *g = &h->front->globals.data[global];

	if (g->is_const || (!g->defined && !is_ours(h, global)))
		return 0;
	return !g->is_static || g->written;
}

/* The standard streams are what they are in every program. */
static int is_stream(const char *name)
{
	return !strcmp(name, "stdin") || !strcmp(name, "stdout") || !strcmp(name, "stderr");
}

static void add_weak(struct one *o, const char *name)
{
	o->hf->limits |= 1u << HARNESS_WEAK;
	if (!o->hf->weak)
		o->hf->weak = name;
}

static void look_at_global(struct one *o, uint32_t number)
{
	const struct front_global *g = &o->p->f->globals.data[number];

	if (!g->defined && (g->is_const || !is_ours(o->p->h, number)) && !is_stream(g->name))
		o->hf->limits |= 1u << HARNESS_FOREIGN_GLOBALS;
	if (g->has_unnamed)
		o->hf->limits |= 1u << HARNESS_UNNAMED;
	if (o->p->f->types.data[g->type].is_volatile)
		o->hf->limits |= 1u << HARNESS_VOLATILE;
	if (g->is_weak && (o->p->o->globals_initial || !may_vary(o->p->h, number)))
		add_weak(o, g->name);
}

/* Pointers to functions that manage memory, and nothing else. */
static int manages_memory(const struct planner *p, uint32_t type)
{
	const struct front_type *t = &p->f->types.data[p->f->types.data[type].plain];

	if (t->kind == FRONT_POINTER)
		return p->f->types.data[t->to].kind == FRONT_FUNCTION && plan_memory((struct planner *)p, t->to | HARNESS_STUB_POINTER);
	for (size_t i = 0; i < t->fields.size; i++)
		if (!manages_memory(p, t->fields.data[i].type))
			return 0;
	return t->kind == FRONT_STRUCT && t->fields.size > 0;
}

/* A hook: only the unit can write it, and it has functions from the start that manage memory as libc's do. Whoever puts others there promises the same. */
static int is_hook(const struct planner *p, const struct front_global *g)
{
	return g->is_static && g->functions && manages_memory(p, g->type);
}

static void add_globals(struct one *o)
{
	struct planner *p = o->p;
	struct harness *h = p->h;

	for (size_t i = 0; i < o->reach.globals.size; i++)
		look_at_global(o, o->reach.globals.data[i]);
	for (size_t i = 0; i < o->reach.globals.size && !p->o->globals_initial; i++) {
		uint32_t number = o->reach.globals.data[i];
		const struct front_global *g = &p->f->globals.data[number];
		uint64_t size = p->f->types.data[g->type].size;

		if (!may_vary(h, number))
			continue;
		if (!size || size > p->o->global_limit || g->is_thread) {
			o->hf->limits |= 1u << HARNESS_LARGE_GLOBALS | (uint32_t)!g->defined << HARNESS_FOREIGN_GLOBALS; /* another unit has its first value */
			continue;
		}
		uint32_t type = plan_type(p, g->type, (struct plan_place){0});
		add_root(o, type, DRIVE_GLOBAL, g->name, number);
		if (is_hook(p, g)) {
			h->has_hooks = 1;
			vec_push(&o->hooks, type);
		} else {
			vec_push(&o->queue, type);
		}
		o->call.globals++;
	}
}

/* ----------------------------------------------------------------- stubs */

static void add_stub(struct one *o, uint32_t entry)
{
	uint32_t n = plan_stub(o->p, entry);

	if (!map_set(&o->undefined, n, 1))
		return;
	vec_push(&o->stubs, n);
	if (o->p->h->stub_types.data[n] != NO_TYPE)
		vec_push(&o->queue, o->p->h->stub_types.data[n]);
}

#define VOLATILE_DEPTH 4

/* Does the type lead to memory that other code may write? */
static int leads_to_volatile(const struct front *f, uint32_t type, unsigned depth)
{
	const struct front_type *t = &f->types.data[type];

	if (t->is_volatile)
		return 1;
	if (!depth)
		return 0;
	if (t->kind == FRONT_POINTER || t->kind == FRONT_ARRAY)
		return leads_to_volatile(f, t->to, depth - 1);
	for (size_t i = 0; i < t->fields.size; i++)
		if (leads_to_volatile(f, t->fields.data[i].type, depth - 1))
			return 1;
	return 0;
}

static int takes_volatile(const struct front *f, const struct front_function *fn)
{
	for (size_t i = 0; i < fn->parameters.size; i++)
		if (leads_to_volatile(f, fn->parameters.data[i].type, VOLATILE_DEPTH))
			return 1;
	return 0;
}

static void look_at_builtins(const struct front_function *fn, uint32_t *limits)
{
	for (size_t i = 0; i < fn->builtins.size; i++)
		if (!plan_is_pure(fn->builtins.data[i]))
			*limits |= 1u << HARNESS_MACHINE;
		else if (plan_is_unseen(fn->builtins.data[i]))
			*limits |= 1u << HARNESS_UNSEEN;
}

/* A body is what it is, but what it calls (or looks for) may be another in the program. */
static void look_for_weak(struct one *o, const struct front_function *fn)
{
	const struct front_function *all = o->p->f->functions.data;

	for (size_t i = 0; i < fn->calls.size; i++)
		if (all[fn->calls.data[i]].is_weak)
			add_weak(o, all[fn->calls.data[i]].name);
	for (size_t i = 0; i < fn->takes.size; i++)
		if (all[fn->takes.data[i]].is_weak)
			add_weak(o, all[fn->takes.data[i]].name);
}

static int from_system(const struct front_function *fn)
{
	return fn->in_header && fn->file &&
	       (!strncmp(fn->file, "/usr/", 5) || !strncmp(fn->file, "/lib/", 5));
}

/* Headers of the system give old names new symbols (__isoc99_sscanf); the list has the names. */
static const char *linked_name(const struct front_function *fn)
{
	return fn->symbol && !from_system(fn) ? fn->symbol : fn->name;
}

static void look_at_callees(struct one *o)
{
	struct planner *p = o->p;
	uint32_t *limits = &o->hf->limits;

	for (size_t i = 0; i < o->reach.functions.size; i++) {
		uint32_t number = o->reach.functions.data[i];
		const struct front_function *fn = &p->f->functions.data[number];

		if (fn->defined) {
			if (takes_volatile(p->f, fn))
				*limits |= 1u << HARNESS_VOLATILE;
			if (fn->has_hidden_refined)
				*limits |= 1u << HARNESS_REFINED;
			if (fn->has_address_numbers || (fn->has_parameter_numbers && fn->has_changed_parameter))
				*limits |= 1u << HARNESS_ADDRESSES;
			look_at_builtins(fn, limits);
			if (fn->has_unchecked)
				*limits |= 1u << HARNESS_UNCHECKED;
			if (fn->has_asm || fn->has_register)
				*limits |= 1u << HARNESS_MACHINE;
			if (fn->has_assume)
				*limits |= 1u << HARNESS_ASSUMED;
			if (fn->has_setjmp)
				*limits |= 1u << HARNESS_JUMPS;
			if (fn->has_static_locals)
				*limits |= 1u << HARNESS_STATICS;
			look_for_weak(o, fn);
			o->calls_pointer |= fn->calls_pointer;
		} else if (fn->is_other_name) {
			continue; /* what it stands for is among them */
		} else if (strmap_get(&p->stub_names, fn->name, NULL)) {
			*limits |= 1u << (plan_memory(p, number) ? HARNESS_MEMORY : HARNESS_STUBS);
			add_stub(o, number);
		} else if (!plan_is_pure(linked_name(fn))) {
			*limits |= 1u << HARNESS_WORLD;
		} else if (plan_is_unseen(linked_name(fn))) {
			*limits |= 1u << HARNESS_UNSEEN;
		}
	}
	if (o->fn->variadic)
		*limits |= 1u << HARNESS_VARIADIC;
}

/* ----------------------------------------------------------------- pools */

static void add_pool(struct one *o, uint32_t pointer)
{
	struct harness *h = o->p->h;
	uint32_t key = h->pool_keys.data[pointer];

	if (!map_set(&o->pooled, key, 1))
		return;
	vec_push(&h->pools, (struct drive_pool){.pointer = key, .objects = o->p->o->objects});
	o->call.pools++;
}

/* Does the pointer point to more than its type says? */
static int is_larger(const struct planner *p, uint32_t pointer)
{
	const struct front_type *t = &p->f->types.data[p->h->type_front.data[pointer]];
	const struct front_type *to = t->to < p->f->types.size ? &p->f->types.data[t->to] : NULL;

	return to && to->kind == FRONT_STRUCT && to->size && p->h->types.data[p->h->types.data[pointer].a].size > to->size;
}

static int points_to_const(const struct planner *p, uint32_t pointer)
{
	const struct front_type *t = &p->f->types.data[p->h->type_front.data[pointer]];

	for (t = &p->f->types.data[t->to]; t->kind == FRONT_ARRAY && !t->is_const; t = &p->f->types.data[t->to])
		;
	return t->is_const;
}

/* And the unit takes it for nothing else. */
static int points_to_void(const struct planner *p, uint32_t pointer)
{
	const struct front_type *t = &p->f->types.data[p->h->type_front.data[pointer]];

	return p->f->types.data[t->to].kind == FRONT_VOID && p->h->types.data[pointer].a == p->byte;
}

/* Objects of two pools are never the same, so it must not matter: none of them is written, freed or compared. */
static void look_at_pools(struct one *o)
{
	const struct drive_pool *pools = vec_from(&o->p->h->pools, o->call.first_pool);
	int matters = 0, compared_voids = 0, behind_void = 0;

	for (size_t i = 0; i < o->reach.functions.size; i++) {
		const struct front_function *fn = &o->p->f->functions.data[o->reach.functions.data[i]];

		matters |= fn->compares_pointers || fn->drops_const;
		compared_voids |= fn->compares_voids;
		behind_void |= fn->looks_behind_void;
	}
	for (uint32_t i = 0; i < o->call.pools; i++)
		for (uint32_t j = 0; j < i; j++) {
			uint32_t a = pools[i].pointer, b = pools[j].pointer;

			if (!matters && !map_get(&o->writable, a, NULL) && !map_get(&o->writable, b, NULL))
				continue;
			if (plan_same_elements(o->p, a, b))
				o->hf->limits |= 1u << HARNESS_ARRAYS;
			if ((compared_voids || behind_void) && map_get(&o->voids, a, NULL) != map_get(&o->voids, b, NULL))
				o->hf->limits |= 1u << HARNESS_VOIDS;
		}
}

/* May it matter that this pointer is always null? Not where nothing that may run reads one: then it stands in a structure, and whatever it were would stay there. */
static int looks_at_opaque(const struct one *o, uint32_t type)
{
	const struct front *f = o->p->f;
	const struct front_type *t = &f->types.data[o->p->h->type_front.data[type]];

	if (t->kind != FRONT_POINTER || f->types.data[t->to].kind != FRONT_STRUCT)
		return 1;
	for (size_t i = 0; i < o->reach.functions.size; i++) {
		const struct front_function *fn = &f->functions.data[o->reach.functions.data[i]];

		if (fn->looks_at_opaque || fn->has_asm)
			return 1;
	}
	return 0;
}

/* Is there a pointer in its values that is always null? */
static int holds_opaque(const struct harness *h, uint32_t type)
{
	const struct drive_type *t = &h->types.data[type];

	if (t->kind == DRIVE_ARRAY)
		return holds_opaque(h, t->a);
	for (uint32_t i = 0; i < t->count && t->kind == DRIVE_STRUCT; i++)
		if (holds_opaque(h, h->members.data[t->a + i].type))
			return 1;
	return t->kind == DRIVE_OPAQUE;
}

static void look_at_type(struct one *o, uint32_t type)
{
	struct harness *h = o->p->h;
	const struct drive_type t = h->types.data[type];

	if (!map_set(&o->seen, type, 1))
		return;
	switch (t.kind) {
	case DRIVE_POINTER:
		if (is_larger(o->p, type))
			o->hf->limits |= 1u << HARNESS_LARGER;
		add_pool(o, type);
		if (!points_to_const(o->p, type))
			map_set(&o->writable, h->pool_keys.data[type], 1);
		if (points_to_void(o->p, type))
			map_set(&o->voids, h->pool_keys.data[type], 1);
		vec_push(&o->queue, t.a);
		break;
	case DRIVE_OPAQUE:
		if (looks_at_opaque(o, type))
			o->hf->limits |= 1u << HARNESS_OPAQUE;
		break;
	case DRIVE_STRUCT:
		if (t.flags & DRIVE_UNION_FIRST)
			o->hf->limits |= 1u << HARNESS_UNION | (uint32_t)holds_opaque(h, type) << HARNESS_OPAQUE; /* null is what its other members are, too */
		for (uint32_t i = 0; i < t.count; i++)
			vec_push(&o->queue, h->members.data[t.a + i].type);
		break;
	case DRIVE_ARRAY:
		vec_push(&o->queue, t.a);
		break;
	case DRIVE_FUNCTION: {
		o->takes_functions |= !o->in_hooks;
		const char *last = h->targets.data[t.a + t.count - 1];

		if (!strncmp(last, "muster_stub_", 12))
			add_stub(o, (uint32_t)strtoul(last + 12, NULL, 10) | HARNESS_STUB_POINTER);
		break;
	}
	default:
		break;
	}
}

/* Last, since what else has such a type was looked at before. */
static void look_at_hooks(struct one *o)
{
	size_t from = o->queue.size;

	o->in_hooks = 1;
	for (size_t i = 0; i < o->hooks.size; i++)
		look_at_type(o, o->hooks.data[i]);
	for (size_t i = from; i < o->queue.size; i++)
		look_at_type(o, o->queue.data[i]);
}

static uint32_t block_size(const struct harness *h, const struct drive_pool *pool)
{
	const struct drive_type *t = &h->types.data[pool->pointer];
	uint64_t n = t->fixed > t->limit ? t->fixed : t->limit;

	n = n * h->types.data[t->a].size + DRIVE_HEADER;
	return n > INPUT_MAX ? INPUT_MAX + 8 : align8((uint32_t)n);
}

/* Bytes of all blocks with this many rounds. */
static uint64_t blocks_size(const struct one *o, uint32_t rounds)
{
	const struct drive_pool *pools = vec_from(&o->p->h->pools, o->call.first_pool);
	uint64_t n = 0;

	for (uint32_t i = 0; i < o->call.pools; i++)
		n += (uint64_t)(pools[i].objects < rounds ? pools[i].objects : rounds) *
		     block_size(o->p->h, &pools[i]);
	return n;
}

static void place_blocks(struct one *o, uint32_t room)
{
	struct harness *h = o->p->h;
	struct drive_pool *pools = vec_from(&h->pools, o->call.first_pool);
	uint32_t rounds = o->p->o->objects;

	while (rounds > 1 && blocks_size(o, rounds) > room)
		rounds--;
	for (uint32_t i = o->call.pools; i-- && blocks_size(o, rounds) > room;) {
		pools[i].objects = 0;
		o->hf->limits |= 1u << HARNESS_OPAQUE;
	}
	for (uint32_t i = 0; i < o->call.pools; i++)
		if (pools[i].objects > rounds)
			pools[i].objects = rounds;
	for (uint32_t k = 0; k < rounds; k++) {
		for (uint32_t i = 0; i < o->call.pools; i++) {
			if (k >= pools[i].objects)
				continue;
			pools[i].at[k] = o->call.size;
			o->call.size += block_size(h, &pools[i]);
		}
	}
}

/* Results come first if there may be any, else last: nothing asks for them, but they overlap
 * nothing. */
static void lay_out(struct one *o)
{
	uint32_t slots = DRIVE_RESULTS * DRIVE_RESULT, fixed = o->call.size + slots;

	if (o->stubs.size) {
		o->call.results = o->call.size;
		o->call.size += slots;
	}
	place_blocks(o, fixed < INPUT_MAX ? INPUT_MAX - fixed : 0);
	if (!o->stubs.size) {
		o->call.results = o->call.size;
		o->call.size += slots;
	}
}

/* ------------------------------------------------------------- functions */

/* Why it cannot be called; NULL: it can. */
static const char *why_not(struct planner *p, const struct front_function *fn)
{
	struct arena *a = &p->h->arena;

	for (size_t i = 0; i < fn->parameters.size; i++) {
		const struct front_parameter *m = &fn->parameters.data[i];
		struct buf b = BUF_EMPTY;
		const char *why;

		if (plan_is_va_list(p->f, m->type))
			buf_addf(&b, "its parameter '%s' is a va_list",
				 parameter_name(p, fn, (uint32_t)i));
		else if (!plan_nameable(p->f, m->type))
			buf_addf(&b, "its parameter '%s' has a type without a name",
				 parameter_name(p, fn, (uint32_t)i));
		else if (!p->f->types.data[m->type].size &&
			 p->f->types.data[m->type].kind != FRONT_ARRAY)
			buf_addf(&b, "its parameter '%s' has a type without a size",
				 parameter_name(p, fn, (uint32_t)i));
		why = b.size ? arena_strdup(a, buf_str(&b)) : NULL;
		buf_release(&b);
		if (why)
			return why;
	}
	/* The linker looked for it, so its body was not made here. */
	if (strmap_get(&p->stub_names, fn->name, NULL))
		return "only its inline copy is in the file";
	return NULL;
}

static uint32_t unique_id(struct planner *p, const char *name, struct map *ids)
{
	uint32_t id = drive_id(name);

	(void)p;
	while (!map_set(ids, id, 1))
		id++;
	return id;
}

static void keep_stubs(struct one *o)
{
	if (!o->stubs.size)
		return;
	o->hf->stubs =
	    arena_copy(&o->p->h->arena, o->stubs.data, o->stubs.size * sizeof *o->stubs.data);
	o->hf->stub_count = (uint32_t)o->stubs.size;
}

static void look_at_precondition(void *ctx, const char *text)
{
	struct harness_function *hf = ctx;
	if (plan_requires_before(text))
		hf->limits |= 1u << HARNESS_BEFORE;
}

/* It can meet no structure that is a part of a larger one, unless a stub hands it one: then all have one kind of objects. */
static int is_plain(const struct one *o)
{
	const struct front *f = o->p->f;

	for (size_t i = 0; i < o->reach.functions.size; i++) {
		const struct front_function *fn = &f->functions.data[o->reach.functions.data[i]];

		if (fn->takes_larger || fn->has_asm || (!fn->defined && strmap_get(&o->p->stub_names, fn->name, NULL)))
			return 0;
	}
	return 1;
}

/* Does some function of the unit? */
static int has_larger(const struct front *f)
{
	for (size_t i = 0; i < f->functions.size; i++)
		if (f->functions.data[i].takes_larger)
			return 1;
	return 0;
}

static void plan_function(struct planner *p, struct harness_function *hf, struct map *ids)
{
	struct harness *h = p->h;
	const struct front_function *fn = &p->f->functions.data[hf->front];
	struct one o = {.p = p, .hf = hf, .fn = fn};
	const struct front_type *result = &p->f->types.data[fn->result];

	hf->number = UINT32_MAX;
	hf->why = why_not(p, fn);
	front_reach(p->f, hf->front, &o.reach);
	p->plain = p->has_larger && is_plain(&o);
	for (size_t i = 0; i < o.reach.functions.size; i++)
		hf->takes_larger |= p->f->functions.data[o.reach.functions.data[i]].takes_larger;
	o.call = (struct drive_function){.name = fn->name,
					 .first_root = (uint32_t)h->roots.size,
					 .parameters = (uint32_t)fn->parameters.size,
					 .first_pool = (uint32_t)h->pools.size,
					 .size = DRIVE_PREFIX};
	if (!hf->why) {
		hf->number = (uint32_t)h->calls.size;
		o.call.id = unique_id(p, fn->name, ids);
		for (uint32_t i = 0; i < o.call.parameters; i++)
		{
			uint32_t type = plan_parameter(p, fn, i);
			add_root(&o, type, 0, parameter_name(p, fn, i), i);
			vec_push(&o.queue, type);
		}
		add_globals(&o);
		if (result->kind != FRONT_VOID && result->size) {
			o.call.result_type = plan_type(p, fn->result, (struct plan_place){0});
			o.call.result_size = (uint32_t)result->size;
		}
		look_at_callees(&o);
		plan_requires(h, fn, look_at_precondition, hf);
		for (size_t i = 0; i < o.queue.size; i++)
			look_at_type(&o, o.queue.data[i]);
		look_at_hooks(&o);
		if (o.calls_pointer && o.takes_functions)
			hf->limits |= 1u << HARNESS_POINTER_CALLS;
		look_at_pools(&o);
		lay_out(&o);
		keep_stubs(&o);
		vec_push(&h->calls, o.call);
	}
	vec_release(&o.reach.functions);
	vec_release(&o.reach.globals);
	vec_release(&o.queue);
	vec_release(&o.stubs);
	vec_release(&o.hooks);
	map_release(&o.seen);
	map_release(&o.pooled);
	map_release(&o.writable);
	map_release(&o.voids);
	map_release(&o.undefined);
}

static void note_stub_names(struct planner *p, const char *const *stubs)
{
	for (; stubs && *stubs; stubs++) {
		strmap_set(&p->stub_names, *stubs, 1);
		for (size_t i = 0; i < p->f->globals.size; i++)
			if (!p->f->globals.data[i].defined &&
			    !strcmp(p->f->globals.data[i].name, *stubs))
				vec_push(&p->h->extern_globals, (uint32_t)i);
	}
	/* All of them, called by a function that is planned or not: the program needs their
	 * definitions. */
	for (size_t i = 0; i < p->f->functions.size; i++)
		if (!p->f->functions.data[i].defined &&
		    strmap_get(&p->stub_names, p->f->functions.data[i].name, NULL))
			plan_stub(p, (uint32_t)i);
}

static void fill_table(struct harness *h)
{
	h->table = (struct drive_table){.version = DRIVE_VERSION,
					.types_count = (uint32_t)h->types.size,
					.functions_count = (uint32_t)h->calls.size,
					.types = h->types.data,
					.members = h->members.data,
					.roots = h->roots.data,
					.pools = h->pools.data,
					.functions = h->calls.data,
					.type_pool_keys = h->pool_keys.data};
}

static struct harness_options with_defaults(const struct harness_options *o)
{
	struct harness_options d = o ? *o : (struct harness_options){0};

	d.elements = d.elements ? d.elements : 8;
	d.characters = d.characters ? d.characters : 16;
	d.objects = d.objects ? d.objects : 3;
	d.objects = d.objects > DRIVE_OBJECTS ? DRIVE_OBJECTS : d.objects;
	/* The header has one byte for it. */
	d.elements = d.elements > 128 ? 128 : d.elements;
	d.characters = d.characters > 256 ? 256 : d.characters;
	d.global_limit = d.global_limit ? d.global_limit : 256;
	return d;
}

int harness_plan(struct harness **out, const struct front *f, const struct harness_options *o,
		 const char *const *stubs)
{
	struct harness *h = mem_zalloc(sizeof *h);
	struct planner p = {.h = h, .f = f, .o = &h->options, .byte = NO_TYPE};
	struct map ids = {0};
	int e;

	h->front = f;
	h->options = with_defaults(o);
	e = plan_requires_check(f, h->options.requires);
	if (!e) {
		plan_memory_hints(&p);
		note_stub_names(&p, stubs);
		for (size_t i = 0; i < f->functions.size; i++)
			if (f->functions.data[i].defined && !from_system(&f->functions.data[i]))
				vec_push(&h->functions,
					 (struct harness_function){.front = (uint32_t)i});
		p.has_larger = has_larger(f);
		for (size_t i = 0; i < h->functions.size; i++)
			plan_function(&p, &h->functions.data[i], &ids);
		fill_table(h);
	}
	map_release(&ids);
	map_release(&p.types);
	map_release(&p.keys);
	map_release(&p.targets);
	map_release(&p.hashes);
	map_release(&p.memory);
	strmap_release(&p.stub_names);
	if (e) {
		harness_free(h);
		h = NULL;
	}
	*out = h;
	return e;
}

void harness_free(struct harness *h)
{
	if (!h)
		return;
	vec_release(&h->functions);
	vec_release(&h->types);
	vec_release(&h->type_front);
	vec_release(&h->members);
	vec_release(&h->roots);
	vec_release(&h->root_names);
	vec_release(&h->root_front);
	vec_release(&h->pools);
	vec_release(&h->calls);
	vec_release(&h->targets);
	vec_release(&h->pool_keys);
	vec_release(&h->stubs);
	vec_release(&h->stub_types);
	vec_release(&h->stub_memory);
	vec_release(&h->extern_globals);
	vec_release(&h->root_initial);
	arena_release(&h->arena);
	free(h);
}
