/* sample.c: random states of a summary's P, and Q against what a run left.
 *
 * A state begins as random bytes all over the driver's input: every place that is not mentioned then has some value, free pointers point anywhere, also to the same objects. Over that go the
 * pointers that P names, as in the witnessing test, and values for the places in P: a model of the solver with a few of them held at random values. The state counts only if P evaluates to
 * true on it, read back from the input; so nothing here has to be right for what is run to be a state of P.
 *
 * An address is a number here: that of the object, from 1, in the upper half, and the offset in the lower. Objects are apart by construction.
 */
#include "summary/sample.h"

#include "solve/solve.h"
#include "summary/driven.h"

#include <stdlib.h>
#include <string.h>

#define TRIES 6	  /* to find a state */
#define HELD 3	  /* places that get a random value before the solver is asked for the others */
#define SEEN_NONE UINT64_MAX /* a pointer of an observation that cannot be named */

static uint64_t next_random(struct sampler *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random;
}

/* Small numbers, powers of two and their neighbours are where programs differ. */
u128 sample_random(struct sampler *s, unsigned width)
{
	uint64_t r = next_random(s), v;

	switch (r & 3) {
	case 0:
		v = r >> 8 & 7;
		break;
	case 1:
		v = ((uint64_t)1 << (r >> 8) % (width > 64 ? 64 : width)) + (r >> 16) % 3 - 1;
		break;
	case 2:
		v = -(r >> 8 & 7);
		break;
	default:
		v = next_random(s);
	}
	return width >= 64 ? v : v & (((uint64_t)1 << width) - 1);
}

/* ----------------------------------------------------------------- values */

/* A state as values of variables. */
struct reading {
	struct sampler *s;
	const struct summary *x;
	struct places st, result;
	int wrong; /* something is named that is no place at all */
	u128 filler; /* the value of elements that the object does not have in this state: nothing may depend on it */
	/* What the call left; NULL: not yet. */
	const uint8_t *seen;
	size_t seen_size;
	/* An observation says of a pointer which object of its type it points to, or that it is null. Of one that is neither: */
	int blind;		  /* there was one, */
	uint32_t blind_type;	  /* of this type; */
	u128 instead;		  /* and this was taken for its value */
	/* For sample_says; NULL: other places are none. */
	int (*other)(void *ctx, const struct place *pl, unsigned width, u128 *value);
	void *ctx;
};

static uint64_t address(const struct walk_pointer *p, const struct walk *w)
{
	if (p->to == WALK_TARGET)
		return (uint64_t)(0x80000000u + p->target) << 32;
	if (p->to != WALK_OBJECT || p->object == WALK_NONE)
		return p->to == WALK_KEEP ? SEEN_NONE : 0;
	return (uint64_t)(p->object + 1) << 32 | (uint64_t)p->element * w->objects.data[p->object].size;
}

static const struct places_leaf *by_path(const struct places *st, const struct place *pl)
{
	for (size_t i = 0; i < st->leaves.size; i++) {
		const struct places_leaf *l = &st->leaves.data[i];
		if (strlen(l->path) == pl->path_size && !memcmp(l->path, pl->path, pl->path_size))
			return l;
	}
	return NULL;
}

/* The bytes of a root's or object's memory in an observation; NULL: it was freed, or is not there. */
static const uint8_t *seen_memory(const struct reading *r, const struct places_leaf *l)
{
	const struct walk *w = &r->st.walk;
	const struct harness *h = r->s->h;
	size_t at = w->f->result_size;

	if (!r->seen)
		return NULL;
	for (uint32_t i = w->f->parameters; i < w->f->parameters + w->f->globals; i++) {
		if (l->object == WALK_NONE && l->root == i)
			return at < r->seen_size ? r->seen + at : NULL;
		at += h->types.data[h->roots.data[w->f->first_root + i].type].size;
	}
	if (l->object == WALK_NONE)
		return NULL;
	const struct walk_object *o = &w->objects.data[r->st.objects.data[l->object].walk];
	while (at + sizeof(struct drive_seen) <= r->seen_size) {
		struct drive_seen d;
		uint32_t type;

		memcpy(&d, r->seen + at, sizeof d);
		at += sizeof d;
		if (d.pool >= w->f->pools)
			return NULL;
		type = h->types.data[h->pools.data[w->f->first_pool + d.pool].pointer].a;
		if (d.pool == o->pool && d.number == o->number)
			return d.freed || at + (size_t)d.elements * h->types.data[type].size > r->seen_size ? NULL : r->seen + at;
		at += d.freed ? 0 : (size_t)d.elements * h->types.data[type].size;
	}
	return NULL;
}

static u128 seen_pointer(struct reading *r, const struct places_leaf *l, const uint8_t *image)
{
	struct walk_pointer p;

	if (walk_seen(&r->st.walk, l->to.type, image, &p))
		return address(&p, &r->st.walk);
	r->blind = 1;
	r->blind_type = l->to.type;
	return r->instead;
}

static u128 before_value(const struct reading *r, const struct places_leaf *l)
{
	return l->type == PLACE_POINTER ? address(&l->to.to, &r->st.walk) : places_value(&r->st, l);
}

static u128 after_value(struct reading *r, const struct places_leaf *l, const uint8_t *memory)
{
	return l->type == PLACE_POINTER ? seen_pointer(r, l, memory + l->off) : places_take(l, memory);
}

/* An element that the object does not have in this state: its pointer is a place, and leads somewhere. */
static int is_behind_end(const struct reading *r, const struct place *pl)
{
	struct place pointer = *pl;
	const struct places_leaf *l;

	while (pointer.path_size && pointer.path[pointer.path_size - 1] != '*')
		pointer.path_size--;
	if (!pointer.path_size--)
		return 0;
	l = by_path(&r->st, &pointer);
	return l && l->type == PLACE_POINTER && l->followed && l->to.to.to == WALK_OBJECT;
}

static u128 value_of(void *ctx, expr_t v)
{
	struct reading *r = ctx;
	struct place pl;
	const struct places_leaf *l;

	if (!place_of(r->s->l->pool, v, &pl)) {
		r->wrong = 1;
		return 0;
	}
	if (pl.type == PLACE_LENGTH) {
		for (size_t i = 0; i < r->st.objects.size; i++)
			if (r->st.objects.data[i].length == v)
				return r->st.objects.data[i].elements - r->st.objects.data[i].element;
		r->wrong = 1;
		return 0;
	}
	if (pl.type == PLACE_POINTER && pl.path[0] == 'f') /* a function */
		for (size_t i = 0; i < r->s->h->targets.size; i++)
			if (!strcmp(r->s->h->targets.data[i], pl.text))
				return (u128)(0x80000000u + i) << 32;
	if (pl.after && pl.path[0] == 'r') {
		l = by_path(&r->result, &pl);
		return l && r->seen ? after_value(r, l, r->seen) : (r->wrong = 1, 0);
	}
	l = by_path(&r->st, &pl);
	u128 known;
	if (!l && r->other)
		return r->other(r->ctx, &pl, expr_width(r->s->l->pool, v), &known) ? known : (r->wrong = 1, 0);
	if (r->other && l->type == PLACE_POINTER && before_value(r, l) == SEEN_NONE)
		return r->wrong = 1, 0;
	if (!pl.after && !l && !is_behind_end(r, &pl))
		return r->wrong = 1, 0;
	if (!pl.after)
		return l ? before_value(r, l) : r->filler & (((u128)1 << expr_width(r->s->l->pool, v)) - 1);
	const uint8_t *memory = l ? seen_memory(r, l) : NULL;
	return memory ? after_value(r, l, memory) : (r->wrong = 1, 0);
}

/* apart: the upper halves of addresses are the objects. */
static u128 predicate(void *ctx, expr_t e, const u128 *args, unsigned count)
{
	const struct reading *r = ctx;

	if (strcmp(expr_name(r->s->l->pool, e), PLACE_APART))
		return 1;
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < i; k++)
			if (args[i] >> 32 == args[k] >> 32)
				return 0;
	return 1;
}

/* Are all places of Q such that a run can be compared with it? A summary from a call may name variables that are not driven. */
static int can_judge(const struct reading *r)
{
	struct exprs *p = r->s->l->pool;

	for (size_t i = 0; i < r->x->post.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(p, r->x->post.data[i], &count);

		for (uint32_t k = 0; k < count; k++) {
			struct place pl;
			if (!place_of(p, vars[k], &pl))
				return 0;
			if (pl.type == PLACE_FAILURE || pl.type == PLACE_LENGTH || (pl.type == PLACE_POINTER && pl.path[0] == 'f'))
				continue;
			if (!by_path(pl.after && pl.path[0] == 'r' ? &r->result : &r->st, &pl) && !(!pl.after && is_behind_end(r, &pl)))
				return 0;
		}
	}
	return 1;
}

static int always(void *ctx, const struct places_leaf *l)
{
	return driven_follow(ctx, l);
}

static int no(void *ctx, const struct places_leaf *l)
{
	(void)ctx, (void)l;
	return 0;
}

static void open_reading(struct reading *r, struct sampler *s, const struct summary *x, const void *input, size_t size)
{
	struct driven_named named = {s->l->pool, x};

	memset(r, 0, sizeof *r);
	r->s = s;
	r->x = x;
	places_open(&r->st, s->l->pool, s->h, s->number, input, size, always, &named);
	r->result = (struct places){.pool = s->l->pool, .follow = no};
	r->result.walk = r->st.walk;
	if (r->st.walk.f->result_size)
		places_add(&r->result, r->st.walk.f->result_type, "result", "r");
}

static void close_reading(struct reading *r)
{
	memset(&r->result.walk, 0, sizeof r->result.walk);
	places_release(&r->result);
	places_release(&r->st);
}

static int holds(struct reading *r, expr_t conjunct)
{
	struct expr_values v = {.value = value_of, .apply = predicate, .ctx = r};
	int ok = 1;

	r->blind = 0;
	for (int k = 0; k < 2 && ok; k++) {
		r->wrong = 0;
		r->filler = k ? 0 : ~(u128)0;
		ok = expr_evaluate(r->s->l->pool, conjunct, &v) && !r->wrong;
	}
	return ok;
}

/* A pointer that the observation could not tell: would the conjunct hold for one that it could, so that this one is another? If not, nothing is known: it may point into the middle of an object. */
static int wants_another(struct reading *r, expr_t conjunct)
{
	const struct walk *w = &r->st.walk;
	uint32_t pool = w->h->types.data[r->blind_type].kind == DRIVE_POINTER ? walk_pool(w, r->blind_type) : WALK_NONE;
	int found;

	r->instead = 0;
	found = holds(r, conjunct);
	for (uint32_t i = 0; i < w->objects.size && !found; i++)
		for (uint32_t k = 0; k < w->objects.data[i].elements && w->objects.data[i].pool == pool && !found; k++) {
			r->instead = (u128)(i + 1) << 32 | (u128)k * w->objects.data[i].size;
			found = holds(r, conjunct);
		}
	for (uint32_t k = 0; k < w->h->targets.size && !found; k++) {
		r->instead = (u128)(0x80000000u + k) << 32;
		found = holds(r, conjunct);
	}
	r->instead = SEEN_NONE;
	return found;
}

static int all_hold(struct reading *r, const expr_t *list, size_t count, size_t *which)
{
	r->instead = SEEN_NONE;
	for (size_t i = 0; i < count; i++)
		if (!holds(r, list[i]) && (!r->blind || r->wrong || wants_another(r, list[i]))) {
			*which = i;
			return 0;
		}
	return 1;
}

/* ------------------------------------------------------------- states */

static int is_value(struct exprs *p, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(p, e, &count);
	struct place pl;

	for (uint32_t i = 0; i < count; i++)
		if (!place_of(p, vars[i], &pl) || pl.type == PLACE_POINTER)
			return 0;
	return count > 0;
}

int sample_values(struct sampler *s, const struct summary *x, struct map *values)
{
	struct exprs *p = s->l->pool;
	VEC(expr_t) all = {0};
	struct solve_model m = {0};
	int found = 0;

	for (size_t i = 0; i < x->pre.size; i++)
		if (is_value(p, x->pre.data[i]))
			vec_push(&all, x->pre.data[i]);
	size_t own = all.size;
	for (unsigned k = 0; k < HELD && own; k++) {
		uint32_t count;
		const expr_t *vars = expr_vars(p, all.data[next_random(s) % own], &count);
		expr_t v = vars[next_random(s) % count];

		vec_push(&all, expr_eq(p, v, expr_const(p, expr_width(p, v), sample_random(s, expr_width(p, v)))));
		if (solve_formula(s->solver, p, all.data, (unsigned)all.size, &m) != VERDICT_SAT)
			all.size--;
		solve_model_release(&m);
		memset(&m, 0, sizeof m);
	}
	if (!own || solve_formula(s->solver, p, all.data, (unsigned)all.size, &m) == VERDICT_SAT)
		found = 1;
	for (size_t i = 0; i < own && found; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(p, all.data[i], &count);
		for (uint32_t k = 0; k < count; k++)
			map_set(values, vars[k], (uint64_t)solve_model_eval(p, &m, vars[k]));
	}
	solve_model_release(&m);
	vec_release(&all);
	return found;
}

/* Choices of pointers that are not followed: any object, null, or nothing. */
static void choose(struct sampler *s, const struct places *st, const struct places_leaf *l, uint8_t *input)
{
	uint32_t pool = walk_pool(&st->walk, l->to.type);
	uint32_t objects = pool == WALK_NONE ? 1 : s->h->pools.data[st->walk.f->first_pool + pool].objects;

	input[l->at] = (uint8_t)(next_random(s) % (objects + 2));
	input[l->at + 1] = 0;
}

static void overlay(struct sampler *s, const struct places *st, const struct map *values, uint8_t *input)
{
	for (size_t i = 0; i < st->leaves.size; i++) {
		const struct places_leaf *l = &st->leaves.data[i];
		uint64_t v;

		if (l->type == PLACE_POINTER && l->followed)
			for (unsigned k = 0; k < 8; k++)
				input[l->at + k] = walk_byte(&st->walk, l->at + k);
		else if (l->type == PLACE_POINTER)
			choose(s, st, l, input);
		else if (!l->is_end)
			places_put(st, l, map_get(values, l->variable, &v) ? v : sample_random(s, l->width), input);
	}
	for (size_t i = 0; i < st->objects.size; i++) {
		const struct places_object *o = &st->objects.data[i];
		uint64_t length, last;

		if (o->limit < 2)
			continue;
		last = map_get(values, o->length, &length) ? length + o->element - 1 : next_random(s) % o->limit;
		input[o->header] = (uint8_t)(last < o->limit ? last : o->elements - 1);
	}
}

int sample_satisfies(struct sampler *s, const struct summary *x, const void *input, size_t size)
{
	struct reading now;
	size_t which;

	open_reading(&now, s, x, input, size);
	int ok = all_hold(&now, x->pre.data, x->pre.size, &which) && can_judge(&now);
	close_reading(&now);
	return ok;
}

/* Random bytes, over them the pointers of the witness, over them the values. */
static int make_state(struct sampler *s, const struct summary *x, const struct reading *r, const struct map *values, struct buf *input)
{
	const struct drive_function *f = &s->h->calls.data[s->number];
	uint32_t whole = drive_block(f, s->h->types.data, vec_from(&s->h->pools, f->first_pool), f->pools, 0, r->st.walk.growth);

	buf_clear(input);
	for (uint32_t i = 0; i < whole; i++)
		buf_addc(input, (char)(i < DRIVE_PREFIX || (i >= f->results && i < f->results + DRIVE_RESULTS * DRIVE_RESULT) ? walk_byte(&r->st.walk, i)
														  : next_random(s)));
	overlay(s, &r->st, values, (uint8_t *)input->data);
	return sample_satisfies(s, x, input->data, input->size);
}

/* Values of leaves that have none, from the bytes of their root or object. */
static void fill_values(const struct reading *r, struct map *values, const struct sample_memory *memory, size_t count)
{
	for (size_t i = 0; i < r->st.leaves.size; i++) {
		const struct places_leaf *l = &r->st.leaves.data[i];
		const char *star = strrchr(l->path, '*');
		size_t base = star ? (size_t)(star - l->path) + 1 : strcspn(l->path, "+");

		for (size_t k = 0; k < count && l->type != PLACE_POINTER && !map_get(values, l->variable, NULL); k++)
			if (strlen(memory[k].base) == base && !memcmp(memory[k].base, l->path, base) && l->off + l->bytes <= memory[k].size)
				map_set(values, l->variable, (uint64_t)places_take(l, memory[k].bytes));
	}
}

int sample_state_of(struct sampler *s, const struct summary *x, const void *witness, size_t size, struct map *values, const struct sample_memory *memory, size_t count, struct buf *input)
{
	struct reading r;

	open_reading(&r, s, x, witness, size);
	fill_values(&r, values, memory, count);
	int ok = make_state(s, x, &r, values, input);
	close_reading(&r);
	return ok;
}

int sample_state(struct sampler *s, const struct summary *x, const void *witness, size_t size, struct buf *input)
{
	struct reading r;
	struct map values = {0};
	int ok = 0;

	open_reading(&r, s, x, witness, size);
	for (unsigned t = 0; t < TRIES && !ok; t++) {
		map_clear(&values);
		if (!sample_values(s, x, &values))
			break;
		ok = make_state(s, x, &r, &values, input);
	}
	map_release(&values);
	close_reading(&r);
	return ok;
}

int sample_says(struct sampler *s, const struct summary *x, expr_t condition, const void *input, size_t size, int (*other)(void *ctx, const struct place *pl, unsigned width, u128 *value), void *ctx)
{
	struct reading r;

	open_reading(&r, s, x, input, size);
	r.other = other;
	r.ctx = ctx;
	int ok = holds(&r, condition);
	close_reading(&r);
	return ok;
}

/* ---------------------------------------------------------------- Q */

int sample_fails(const struct exprs *p, const struct summary *x)
{
	struct place pl;

	return x->post.size == 1 && place_of(p, x->post.data[0], &pl) && pl.type == PLACE_FAILURE;
}

/* Is the place among those that Q says something about? */
static int is_named(const struct summary *x, struct exprs *p, const struct places_leaf *l)
{
	for (size_t i = 0; i < x->post.size; i++) {
		uint32_t count;
		const expr_t *vars = expr_vars(p, x->post.data[i], &count);
		for (uint32_t k = 0; k < count; k++) {
			struct place pl;
			if (place_of(p, vars[k], &pl) && pl.after && pl.path_size == strlen(l->path) && !memcmp(pl.path, l->path, pl.path_size))
				return 1;
		}
	}
	return 0;
}

int sample_holds(struct sampler *s, const struct summary *x, const void *input, size_t size, const void *seen, size_t seen_size, struct buf *words)
{
	struct reading r;
	size_t which = 0;
	int ok;

	open_reading(&r, s, x, input, size);
	r.seen = seen;
	r.seen_size = seen_size;
	ok = all_hold(&r, x->post.data, x->post.size, &which);
	if (!ok) {
		buf_adds(words, "it does not leave ");
		summary_c(s->l, &x->post.data[which], 1, words);
	}
	for (size_t i = 0; i < r.st.leaves.size && ok; i++) {
		const struct places_leaf *l = &r.st.leaves.data[i];
		const uint8_t *memory = seen_memory(&r, l);

		if (!memory || is_named(x, s->l->pool, l) || (l->type == PLACE_POINTER && before_value(&r, l) == SEEN_NONE))
			continue;
		ok = before_value(&r, l) == after_value(&r, l, memory);
		if (!ok)
			buf_addf(words, "it changes %s, which Q does not name", l->text);
	}
	close_reading(&r);
	return ok;
}
