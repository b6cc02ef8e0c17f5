/* shape.c: an input of a set, by choosing where its pointers lead.
 *
 * A set speaks of one flat memory at symbolic addresses, which is hard for solvers; whoever looks for one input may choose them. Each pointer gets an object of its own, or is null: parameters that are used as addresses at first, then pointers
 * that are read at what is now a constant address, and so on; a number that an address depends on becomes a small constant. Bytes at constant addresses are variables then, the formula has no arrays any more, and
 * the solver's cheap rungs answer. A few shapes are tried, the first without null pointers. Choosing can only miss inputs: the model is evaluated in the set itself.
 */
#include "diff/inside.h"

#include "base/deadline.h"
#include "base/hash.h"
#include "base/log.h"
#include "diff/caller.h"

#include <stdio.h>
#include <string.h>

#define SHAPES 8   /* that are tried */
#define FIRST_SHAPES 2 /* where it is only asked whether there is an input */
#define ROUNDS 40  /* of choosing in one shape: pointers that pointers lead to */
#define OBJECT 4096ull /* bytes between two objects */
#define DEPTH 12   /* operators in a number that an address depends on */
#define BYTES 6000 /* of memory that become variables */

struct place { /* a byte of memory */
	expr_t array;
	uint64_t offset;
	expr_t value; /* a variable, or a constant */
};

struct shape {
	struct diff_pair *x;
	struct exprs *p;
	unsigned number;   /* of the shape */
	unsigned choices;  /* made so far */
	unsigned objects;
	struct map known;  /* variables to constants */
	struct map leaves; /* arrays to what stands for them: writes of all places */
	struct map at;	   /* hash of array and offset to place */
	VEC(struct place) places;
	struct map seen;
	int chosen; /* in this round */
	int chose;  /* what another shape may choose in another way */
};

static uint64_t place_key(expr_t array, uint64_t offset)
{
	return hash_join(array, offset);
}

static uint64_t next_choice(struct shape *h)
{
	return hash_join(hash_join(7, h->number), h->choices++);
}

/* Another object, or, in later shapes, null, or one that there is. */
static uint64_t choose_object(struct shape *h)
{
	h->chose = 1;
	int null = h->number && next_choice(h) % 4 == 0;
	if (null || (h->objects + 3) * OBJECT > CALLER_ARENA_BYTES)
		return 0;
	if (h->number > 1 && h->objects && next_choice(h) % 2 == 0) /* the last one, or a place a little further in it: the ends of a buffer */
		return CALLER_ARENA + (next_choice(h) % 2 ? h->objects : 1 + next_choice(h) % h->objects) * OBJECT + next_choice(h) % 3;
	return CALLER_ARENA + ++h->objects * OBJECT;
}

static uint64_t choose_number(struct shape *h)
{
	h->chose = 1;
	return h->number ? next_choice(h) % 3 : 0;
}

/* ------------------------------------------------------------ bytes */

static struct place *place_of(struct shape *h, expr_t array, uint64_t offset)
{
	uint64_t i;
	if (map_get(&h->at, place_key(array, offset), &i))
		return &h->places.data[i];
	char name[64];
	snprintf(name, sizeof name, "byte %u at %llx", array, (unsigned long long)offset);
	vec_push(&h->places, ((struct place){array, offset, expr_named(h->p, 8, name)}));
	map_set(&h->at, place_key(array, offset), h->places.size - 1);
	h->chosen = 1;
	return &h->places.data[h->places.size - 1];
}

static struct place *place_named(struct shape *h, expr_t variable)
{
	unsigned array;
	unsigned long long offset;
	uint64_t i;
	if (expr_get(h->p, variable)->op != EXPR_OP_NAMED || sscanf(expr_name(h->p, variable), "byte %u at %llx", &array, &offset) != 2 || !map_get(&h->at, place_key(array, offset), &i))
		return NULL;
	return &h->places.data[i];
}

static void set_variable(struct shape *h, expr_t variable, uint64_t value)
{
	struct place *b = place_named(h, variable);
	expr_t constant = expr_const(h->p, expr_width(h->p, variable), value);
	if (b)
		b->value = constant;
	else
		map_set(&h->known, variable, constant);
	h->chosen = 1;
}

/* ------------------------------------------------------------ addresses */

/* A word of eight bytes of memory in a row: its first. */
static struct place *word_of(struct shape *h, expr_t e)
{
	struct place *b = NULL;
	expr_t rest = e;
	uint64_t offset = 0;
	for (int i = 7; i >= 0; i--) { /* from the highest */
		struct expr_node n = *expr_get(h->p, rest);
		expr_t byte = i ? n.a : rest;
		if (i && n.op != MUSTER_OP_CONCAT)
			return NULL;
		b = place_named(h, byte);
		if (!b || (i < 7 && b->offset != offset - 1))
			return NULL;
		offset = b->offset;
		rest = n.b;
	}
	return b;
}

/* In this round. */
static int is_chosen(struct shape *h, expr_t e)
{
	struct place *b = expr_width(h->p, e) == 64 ? word_of(h, e) : place_named(h, e);
	return b ? expr_is_const(h->p, b->value, NULL) : map_get(&h->known, e, NULL);
}

static void set_word(struct shape *h, struct place *first, uint64_t value)
{
	expr_t array = first->array;
	uint64_t offset = first->offset;
	for (unsigned i = 0; i < 8; i++)
		place_of(h, array, offset + i)->value = expr_const(h->p, 8, value >> (8 * i) & 255);
	h->chosen = 1;
}

/* What the term is made of is small numbers; what it is chosen by stays open. */
static void fix_numbers(struct shape *h, expr_t e, unsigned depth)
{
	struct expr_node n = *expr_get(h->p, e);
	expr_t operand[3];
	struct place *word = n.width == 64 ? word_of(h, e) : NULL, *byte = place_named(h, e);
	if (!depth || n.op == MUSTER_OP_CONST || is_chosen(h, e))
		return;
	if (word) {
		set_word(h, word, choose_number(h));
	} else if (n.op == EXPR_OP_NAMED) {
		set_variable(h, e, byte ? 0 : choose_number(h));
	} else if (n.op == MUSTER_OP_ITE) {
		fix_numbers(h, n.b, depth - 1);
		fix_numbers(h, n.c, depth - 1);
	} else if (n.op != EXPR_OP_SELECT) { /* that has an address of its own */
		unsigned count = expr_operands(h->p, e, operand);
		for (unsigned i = 0; i < count; i++)
			fix_numbers(h, operand[i], depth - 1);
	}
}

static void fix_address(struct shape *h, expr_t e, int pointer)
{
	struct expr_node n = *expr_get(h->p, e);
	struct place *word = word_of(h, e);
	if (n.op == MUSTER_OP_CONST || is_chosen(h, e))
		return;
	if (word && pointer) {
		set_word(h, word, choose_object(h));
	} else if (n.op == EXPR_OP_NAMED && n.width == 64 && pointer) {
		set_variable(h, e, choose_object(h));
	} else if (n.op == MUSTER_OP_ADD) { /* of two summands one is the pointer: the first that can be */
		int left = !expr_is_const(h->p, n.a, NULL) && (word_of(h, n.a) || expr_get(h->p, n.a)->op == EXPR_OP_NAMED || expr_get(h->p, n.a)->op == MUSTER_OP_ADD || expr_get(h->p, n.a)->op == MUSTER_OP_ITE);
		u128 value;
		int based = expr_is_const(h->p, n.b, &value) && value >= CALLER_ARENA && value < 1ull << 47;
		fix_address(h, n.a, pointer && left && !based);
		fix_address(h, n.b, pointer && !left);
	} else if (n.op == MUSTER_OP_ITE && pointer) {
		fix_address(h, n.b, 1);
		fix_address(h, n.c, 1);
	} else {
		fix_numbers(h, e, DEPTH);
	}
}

/* Chooses for every access below the term. */
static void visit(struct shape *h, expr_t e)
{
	struct expr_node n = *expr_get(h->p, e);
	expr_t operand[64];
	u128 at;
	if (!map_set(&h->seen, e, 1))
		return;
	if (n.op == EXPR_OP_SELECT || n.op == EXPR_OP_WRITE || n.op == EXPR_OP_FILL) {
		if (!expr_is_const(h->p, n.b, &at))
			fix_address(h, n.b, 1);
		else if (n.op == EXPR_OP_SELECT && expr_get(h->p, n.a)->op == EXPR_OP_ARRAY && h->places.size < BYTES)
			place_of(h, n.a, (uint64_t)at);
	}
	if (n.op == MUSTER_OP_DATA)
		for (uint64_t i = 0; i < expr_data_count(h->p, e); i++)
			visit(h, expr_data_byte(h->p, e, i));
	unsigned count = n.op == EXPR_OP_APPLY ? expr_arguments(h->p, e, operand, 64) : expr_operands(h->p, e, operand);
	for (unsigned i = 0; i < count && i < 64; i++)
		visit(h, operand[i]);
}

/* ------------------------------------------------------------ one shape */

static expr_t stand_in(void *ctx, expr_t variable)
{
	struct shape *h = ctx;
	uint64_t value;
	return map_get(expr_is_array(h->p, variable) ? &h->leaves : &h->known, variable, &value) ? (expr_t)value : EXPR_NONE;
}

static void make_leaves(struct shape *h)
{
	map_clear(&h->leaves);
	for (size_t i = 0; i < h->places.size; i++) {
		const struct place *b = &h->places.data[i];
		uint64_t now = b->array;
		map_get(&h->leaves, b->array, &now);
		map_set(&h->leaves, b->array, expr_array_write(h->p, (expr_t)now, expr_const(h->p, 64, b->offset), b->value));
	}
}

static void choose_start(struct shape *h)
{
	struct diff_pair *x = h->x;
	for (size_t i = 0; i < x->addresses.size; i++) /* variables of the program: apart from all else */
		if (expr_get(h->p, x->addresses.data[i])->op == EXPR_OP_NAMED)
			set_variable(h, x->addresses.data[i], (1ull << 41) + (i << 28));
}

static void take_model(struct shape *h, const struct solve_model *m, struct solve_model *out)
{
	size_t at = 0;
	uint64_t variable, constant;
	u128 value;
	*out = (struct solve_model){0};
	for (size_t i = 0; i < m->values.size; i++)
		vec_push(&out->values, m->values.data[i]);
	while (map_next(&h->known, &at, &variable, &constant))
		if (expr_get(h->p, (expr_t)variable)->op == EXPR_OP_NAMED && expr_is_const(h->p, (expr_t)constant, &value))
			vec_push(&out->values, ((struct solve_value){EXPR_OP_NAMED, (uint32_t)variable, 0, value}));
	for (size_t i = 0; i < h->places.size; i++) {
		const struct place *b = &h->places.data[i];
		vec_push(&out->bytes, ((struct solve_byte){b->array, b->offset, (uint8_t)solve_model_eval(h->p, m, b->value)}));
	}
}

static void choose_in(struct shape *h, expr_t e)
{
	map_clear(&h->seen);
	if (expr_get(h->p, e)->height < DEEP)
		visit(h, e);
}

static int is_callee(const struct diff_pair *x, expr_t e)
{
	for (size_t i = 0; i < x->callees.size; i++)
		if (x->callees.data[i].address == e)
			return 1;
	return 0;
}

/* Pointers that no access made one choose: each null, or an object of its own, since the run may look at what the set does not. */
static expr_t with_pointers(struct shape *h, expr_t now)
{
	struct diff_pair *x = h->x;
	unsigned objects = h->objects;
	for (size_t i = 0; i < x->inputs.size; i++) {
		const struct diff_word *in = &x->inputs.data[i];
		if (!in->is_pointer || expr_width(h->p, in->term) != 64 || is_callee(x, in->term) || (objects + 3) * OBJECT > CALLER_ARENA_BYTES)
			continue;
		expr_t e = expr_substitute(h->p, in->term, stand_in, h);
		if (expr_is_const(h->p, e, NULL) || (expr_get(h->p, e)->op != EXPR_OP_NAMED && !word_of(h, e)))
			continue;
		expr_t object = expr_const(h->p, 64, CALLER_ARENA + ++objects * OBJECT);
		now = expr_and(h->p, now, expr_or(h->p, expr_eq(h->p, e, expr_const(h->p, 64, 0)), expr_eq(h->p, e, object)));
	}
	return now;
}

static enum verdict try_shape(struct shape *h, expr_t set, struct solve_model *out)
{
	struct solve_model m = {0};
	enum verdict v = VERDICT_UNKNOWN;
	expr_t now = set;
	choose_start(h);
	for (unsigned i = 0; i < ROUNDS && h->chosen && !diff_pair_is_over(h->x); i++) {
		h->chosen = 0;
		make_leaves(h);
		now = expr_substitute(h->p, set, stand_in, h);
		if (now == expr_false(h->p))
			return VERDICT_UNSAT;
		choose_in(h, now);
		if (!h->chosen) { /* addresses are constants: what is read through choices and writes shows what else is read */
			now = expr_expand_arrays(h->p, now);
			choose_in(h, now);
		}
	}
	if (h->chosen || diff_pair_is_over(h->x))
		return VERDICT_UNKNOWN;
	double left = h->x->end - deadline_processor();
	solver_limit(h->x->solver, left);
	expr_t valid = h->number % 2 ? now : with_pointers(h, now); /* every other shape: what the set does not look at may be any number */
	v = solve_formula(h->x->solver, h->p, &valid, 1, &m);
	if (v != VERDICT_SAT && valid != now)
		v = solve_formula(h->x->solver, h->p, &now, 1, &m);
	if (v == VERDICT_SAT) {
		take_model(h, &m, out);
		if (!solve_model_eval(h->p, out, set)) {
			log_info("shape %u of %s: its model is none", h->number, h->x->side[NEW].f->name);
			solve_model_release(out);
			v = VERDICT_UNKNOWN;
		}
	}
	solve_model_release(&m);
	return v;
}

/* The first shapes. k: what runs of their inputs are to show; NULL: nothing is run. 1: a run has shown it, or without runs: there is an input. */
static int try_shapes(struct diff_pair *x, expr_t set, unsigned shapes, struct diff_case *k)
{
	expr_t all = expr_and(x->p, set, diff_stubs_fit(x));
	int shown = 0;
	for (int i = 0; i < 2; i++)
		all = expr_and(x->p, all, vc_facts(x->side[i].vc));
	for (unsigned i = 0; i < shapes && !shown && all != expr_false(x->p) && !diff_pair_is_over(x); i++) {
		struct shape h = {.x = x, .p = x->p, .number = i, .chosen = 1};
		struct solve_model m = {0};
		enum verdict v = try_shape(&h, all, &m);
		log_info("shape %u of %s: %u objects, %zu bytes: %s", i, x->side[NEW].f->name, h.objects, h.places.size, v == VERDICT_SAT ? "an input" : v == VERDICT_UNSAT ? "none" : "not known");
		shown = v == VERDICT_SAT && (!k || diff_witness_run_as_is(x, &m, k));
		solve_model_release(&m);
		if (v == VERDICT_UNSAT && !h.chose) /* the others are the same */
			shapes = 0;
		map_release(&h.known);
		map_release(&h.leaves);
		map_release(&h.at);
		map_release(&h.seen);
		vec_release(&h.places);
	}
	return shown;
}

int diff_shape_run(struct diff_pair *x, expr_t set, struct diff_case *k)
{
	return try_shapes(x, set, SHAPES, k);
}

int diff_shape_has_input(struct diff_pair *x, expr_t set)
{
	return try_shapes(x, set, FIRST_SHAPES, NULL);
}
