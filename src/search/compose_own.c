/* compose_own.c: recursion: what one call of a function does by itself, around the calls that it makes.
 *
 * A summary of a recursive function is one of a whole path, so there are as many as there are depths and ways through them. Here a form is what a single call did on its own level: its decisions and what it left, over
 * its entry state *and over what the calls inside left*, which are leaves of the trace like any other. With the bindings of the calls inside, unfolding is a substitution: `n == 0 ? 0 : 1 + (what the call inside left)`,
 * whose own choice stands for the call inside, as deep as the run went. A hundred levels with three ways each are one term, not 3^100 paths. A state that needs another level, or another way, is one in which no
 * form holds: it is asked for like any other (composed.c), and its run gives the form that was missing.
 *
 * A form of another call may be used where it calls the same functions as this run did there, with the same pointers. What it passes to them otherwise is a choice, as what they leave is: a call inside is given `P1 ? x1 : P2 ? x2 : ...`
 * (compose_bind.c).
 *
 * Bounds: levels, forms of a function and conditions of a form. A call beyond them is not replaced, and then none around it is: its decisions are those of the path. Nothing is claimed of a search in which a call was unfolded (`exact` is never set): that
 * pointers of two calls relate alike is not proved.
 */
#include "search/compose_inside.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define LEVELS LIMIT(256, 4) /* calls inside each other that are unfolded | terms grow with it; the depth of counters of a byte */
#define OWN_FORMS LIMIT(64, 2) /* ways through one level of a function | as FORMS of compose.c */
#define CONDITIONS LIMIT(256, 4) /* of one level | loops of some ten iterations */

#define FIRST_ADDRESS 0x555555554000ull /* no limit: where programs are loaded */

/* ---------------------------------------------------------------- places */

int compose_same_place(const struct compose_place *a, const struct compose_place *b)
{
	return a->global == b->global && a->root == b->root && a->offset == b->offset && a->depth == b->depth && a->left_by == b->left_by && a->result == b->result &&
	       !memcmp(a->offsets, b->offsets, a->depth * sizeof *a->offsets);
}

/* The pointer among the inputs of the call that leads nearest to the address, and how it is found itself. */
static int place_of_address(const struct compose *c, const struct compose_run *r, const struct compose_call *k, uint64_t address, unsigned more, struct compose_place *out)
{
	const struct compose_object *o = compose_object_at(r, address);
	const struct muster_node *best = NULL;

	for (uint32_t i = k->inputs; o && i != COMPOSE_NONE; i = r->values.data[i].next) {
		const struct muster_node *n = &r->trace->nodes[r->values.data[i].label];
		uint64_t v = muster_value(n);
		if (n->width != 64 || v - o->base >= o->size || v > address || (n->aux == 1 && !more))
			continue;
		if (!best || (n->aux == 0 && best->aux == 1) || (n->aux == best->aux && v > muster_value(best)))
			best = n;
	}
	memset(out, 0, sizeof *out);
	if (best && !best->aux) {
		*out = (struct compose_place){.root = best->k, .depth = 1, .offsets = {address - muster_value(best)}};
		return 1;
	}
	if (address >= FIRST_ADDRESS && address < c->image_end) {
		*out = (struct compose_place){.global = 1, .root = address};
		return 1;
	}
	if (!best || !place_of_address(c, r, k, best->k, more - 1, out) || out->depth == COMPOSE_DEPTH)
		return 0;
	out->offsets[out->depth++] = address - muster_value(best);
	return 1;
}

int compose_leaf_place(const struct compose *c, const struct compose_run *r, const struct compose_call *k, uint32_t label, unsigned byte, struct compose_place *out)
{
	const struct muster_node *n = &r->trace->nodes[label];

	if (n->aux == 0 || n->aux == 3) {
		*out = (struct compose_place){.root = n->k, .width = n->width, .result = n->aux == 3};
		return 1;
	}
	if (!place_of_address(c, r, k, n->k + byte, 2, out))
		return 0;
	out->width = 8;
	return 1;
}

uint32_t compose_inner_call(const struct compose_run *r, const struct compose_call *k, uint32_t number)
{
	uint32_t i = k->inner;

	while (i != COMPOSE_NONE && number--)
		i = r->calls.data[i].next;
	return i;
}

int compose_left_piece(const struct compose_run *r, const struct compose_call *k, const struct compose_place *p, struct compose_piece *out)
{
	uint32_t call = compose_inner_call(r, k, p->left_by - 1);
	struct compose_place at_entry = *p;
	uint64_t at = 0;

	at_entry.left_by = 0;
	if (call == COMPOSE_NONE || (!p->result && !compose_address(r, k, &at_entry, &at)))
		return 0;
	for (uint32_t i = r->calls.data[call].outputs; i != COMPOSE_NONE; i = r->values.data[i].next) {
		const struct muster_node *n = &r->trace->nodes[r->values.data[i].label];
		if (p->result ? n->aux == 3 && n->k == p->root : n->aux == 2 && at - n->k < n->width / 8u) {
			*out = (struct compose_piece){r->values.data[i].label, p->result ? 0 : (unsigned)(at - n->k) * 8, p->result ? n->width : 8};
			return 1;
		}
	}
	return 0;
}

/* ---------------------------------------------------------------- terms of one call */

struct own {
	struct compose *c;
	struct compose_run *r;
	const struct compose_call *k;
	struct compose_callee *f;
	struct import *im;
	int foreign; /* something in a term is none of its own */
};

/* The variable of a place, which is one of the callee's from now on. */
static expr_t variable_of(struct own *o, struct compose_place *p)
{
	char name[160];
	int at = snprintf(name, sizeof name, "%c%llu+%llu", p->global ? 'g' : p->result ? 'r' : 'p', (unsigned long long)p->root, (unsigned long long)p->offset);

	for (unsigned i = 0; i < p->depth; i++)
		at += snprintf(name + at, sizeof name - (size_t)at, "*%llu", (unsigned long long)p->offsets[i]);
	snprintf(name + at, sizeof name - (size_t)at, "@%u:%u", p->left_by, p->width);
	p->variable = expr_named(o->f->l->pool, p->width, name);
	for (size_t i = 0; i < o->f->places.size; i++)
		if (o->f->places.data[i].variable == p->variable)
			return p->variable;
	p->type = PLACE_UNSIGNED;
	vec_push(&o->f->places, *p);
	return p->variable;
}

/* The number, from 1, of the call inside that left it; 0: none did. */
static uint32_t left_by(const struct own *o, uint32_t number)
{
	uint32_t at = 1, i = o->k->inner;

	for (; i != COMPOSE_NONE && o->r->calls.data[i].number != number; i = o->r->calls.data[i].next)
		at++;
	return i == COMPOSE_NONE ? 0 : at;
}

static expr_t leaf_term(void *ctx, uint32_t label)
{
	struct own *o = ctx;
	const struct muster_node *n = &o->im->trace->nodes[label];
	uint32_t inner = n->aux >= 2 ? left_by(o, n->c) : 0;
	struct compose_place p;
	expr_t e = EXPR_NONE;

	for (unsigned i = 0; n->aux >= 2 ? inner != 0 : n->c == o->k->number; i++) {
		if (!compose_leaf_place(o->c, o->r, o->k, label, i, &p))
			break;
		p.left_by = inner;
		expr_t part = variable_of(o, &p);
		if (n->aux == 0 || n->aux == 3)
			return part;
		e = e == EXPR_NONE ? part : expr_concat(o->im->pool, part, e);
		if (i + 1 == n->width / 8u)
			return e;
	}
	o->foreign = 1;
	return expr_const(o->im->pool, n->width, muster_value(n));
}

/* A label over what the call has at entry and what calls inside left; EXPR_NONE: there is something else in it. */
static expr_t own_term(struct own *o, uint32_t label)
{
	uint32_t count;

	expr_t e = import_label(o->im, label);
	const expr_t *vars = expr_vars(o->im->pool, e, &count);
	for (uint32_t i = 0; i < count; i++)
		o->foreign |= expr_get(o->im->pool, vars[i])->op != EXPR_OP_NAMED;
	return o->foreign ? EXPR_NONE : e;
}

static int is_condition(const struct muster_event *e)
{
	return e->label && (e->kind == MUSTER_EV_BRANCH || e->kind == MUSTER_EV_SWITCH || e->kind == MUSTER_EV_BOUND || e->kind == MUSTER_EV_GIVEN ||
			    (e->kind == MUSTER_EV_CONCRETE && e->arg != MUSTER_REASON_ORDER));
}

/* A condition of the call's own level joins P. What is not over its leaves is one of its callers', and stays on the path. */
static int take_condition(struct own *o, struct compose_form *x, const struct muster_event *e)
{
	struct exprs *p = o->f->l->pool;
	int held = e->kind == MUSTER_EV_BOUND ? MUSTER_BOUND_HELD(e->arg) : e->arg != 0;

	if (o->r->newest[e->label] < o->k->number)
		return 1;
	expr_t term = own_term(o, e->label);
	if (term == EXPR_NONE || (e->kind == MUSTER_EV_BOUND && MUSTER_BOUND_CHECKER(e->arg) && !held))
		return 0;
	if (e->kind == MUSTER_EV_SWITCH || e->kind == MUSTER_EV_CONCRETE)
		term = expr_eq(p, term, expr_const(p, expr_width(p, term), trace_value(o->r->trace, e->label)));
	else if (!held)
		term = expr_not(p, term);
	vec_push(&x->pre, term);
	x->own = expr_and(p, x->own, term);
	return x->pre.size <= CONDITIONS;
}

static int take_write(struct own *o, struct compose_form *x, const struct muster_event *e)
{
	struct compose_output out = {.term = own_term(o, e->label)};

	if (out.term == EXPR_NONE || !place_of_address(o->c, o->r, o->k, (uint64_t)e->unit << 32 | e->index, 2, &out.place))
		return 0;
	out.place.width = expr_width(o->f->l->pool, out.term);
	out.place.type = PLACE_UNSIGNED;
	vec_push(&x->outputs, out);
	return 1;
}

static int take_result(struct own *o, struct compose_form *x, const struct muster_event *e)
{
	struct compose_output out = {.result = 1};

	if (e->arg || !e->label)
		return 0;
	out.term = own_term(o, e->label);
	if (out.term == EXPR_NONE)
		return 0;
	out.place.width = expr_width(o->f->l->pool, out.term);
	vec_push(&x->outputs, out);
	return 1;
}

/* What the calls inside were given. */
static int take_inner(struct own *o, struct compose_form *x)
{
	for (uint32_t i = o->k->inner; i != COMPOSE_NONE; i = o->r->calls.data[i].next) {
		const struct compose_call *k = &o->r->calls.data[i];
		struct compose_inner in = {.callee = k->callee};
		int ok = k->fits != COMPOSE_NONE;
		for (uint32_t v = k->inputs; v != COMPOSE_NONE && ok; v = o->r->values.data[v].next) {
			uint32_t label = o->r->values.data[v].label;
			const struct muster_node *n = &o->r->trace->nodes[label];
			expr_t term = n->a ? own_term(o, n->a) : expr_const(o->f->l->pool, n->width, muster_value(n));
			ok = term != EXPR_NONE;
			for (unsigned b = 0; ok && b < (n->aux ? n->width / 8u : 1); b++) {
				struct compose_passed p = {.term = n->aux ? expr_extract(o->f->l->pool, term, 8 * b, 8) : term};
				if (compose_leaf_place(o->c, o->r, k, label, b, &p.place))
					vec_push(&in.passed, p);
			}
		}
		vec_push(&x->inner, in);
		if (!ok)
			return 0;
	}
	return 1;
}

static int take_level(struct own *o, struct compose_form *x)
{
	uint32_t inner = o->k->inner;
	int ok = 1;

	for (uint64_t i = o->k->begin + 1; i < o->k->end && ok; i++) {
		const struct muster_event *e = &o->r->trace->events[i];
		if (inner != COMPOSE_NONE && i == o->r->calls.data[inner].begin) {
			i = o->r->calls.data[inner].end;
			inner = o->r->calls.data[inner].next;
		} else if (is_condition(e)) {
			ok = take_condition(o, x, e);
		} else if (e->kind == MUSTER_EV_WRITE) {
			ok = take_write(o, x, e);
		} else if (e->kind == MUSTER_EV_RESULT && (e[1].kind == MUSTER_EV_RETURN || e[1].kind == MUSTER_EV_RESULT || e[1].kind == MUSTER_EV_OUTPUT)) {
			ok = take_result(o, x, e);
		}
	}
	return ok && take_inner(o, x);
}

/* ---------------------------------------------------------------- forms */

static uint64_t place_hash(const struct compose_place *p)
{
	uint64_t h = hash_join(p->root, p->offset * 4 + (uint64_t)p->global * 2 + (uint64_t)p->result);

	for (unsigned i = 0; i < p->depth; i++)
		h = hash_join(h, p->offsets[i]);
	return hash_join(h, p->width);
}

static uint64_t content_of(const struct compose_form *x)
{
	uint64_t h = x->own;

	for (size_t i = 0; i < x->outputs.size; i++)
		h = hash_join(h, hash_join(place_hash(&x->outputs.data[i].place) + (uint64_t)x->outputs.data[i].result, x->outputs.data[i].term));
	for (size_t i = 0; i < x->inner.size; i++)
		h = hash_join(h, x->inner.data[i].callee + 1);
	return h;
}

static int has_passed(const struct compose_inner *in, const struct compose_place *p)
{
	for (size_t i = 0; i < in->passed.size; i++)
		if (compose_same_place(&in->passed.data[i].place, p))
			return 1;
	return 0;
}

/* Another run of the same way: calls inside may have read more. */
static void join(struct compose_form *known, const struct compose_form *x)
{
	for (size_t i = 0; i < x->inner.size; i++)
		for (size_t k = 0; k < x->inner.data[i].passed.size; k++)
			if (!has_passed(&known->inner.data[i], &x->inner.data[i].passed.data[k].place))
				vec_push(&known->inner.data[i].passed, x->inner.data[i].passed.data[k]);
}

static void form_release(struct compose_form *x)
{
	for (size_t i = 0; i < x->inner.size; i++)
		vec_release(&x->inner.data[i].passed);
	vec_release(&x->inner);
	vec_release(&x->pre);
	vec_release(&x->outputs);
}

/* Its number; COMPOSE_NONE: there are too many. */
static uint32_t keep(struct compose_callee *f, struct compose_form *x)
{
	uint64_t key = content_of(x), at;

	if (map_get(&f->by_content, key, &at)) {
		join(&f->forms.data[at - 1], x);
		form_release(x);
		return (uint32_t)at - 1;
	}
	if (f->forms.size >= OWN_FORMS) {
		form_release(x);
		return COMPOSE_NONE;
	}
	vec_push(&f->forms, *x);
	map_set(&f->by_content, key, f->forms.size);
	return (uint32_t)f->forms.size - 1;
}

int compose_own_read(struct compose *c, struct compose_run *r, uint32_t call, struct import *im)
{
	struct compose_call *k = &r->calls.data[call];
	struct own o = {.c = c, .r = r, .k = k, .f = &c->callees.data[k->callee], .im = im};
	struct compose_form x = {.own = expr_true(o.f->l->pool)};

	k->height = 1;
	for (uint32_t i = k->inner; i != COMPOSE_NONE; i = r->calls.data[i].next)
		if (r->calls.data[i].height >= k->height)
			k->height = r->calls.data[i].height + 1;
	if (!k->ended || k->marked || k->height > LEVELS)
		return 0;
	im->pool = o.f->l->pool;
	im->leaf = leaf_term;
	im->ctx = &o;
	int ok = take_level(&o, &x);
	import_forget(im);
	if (!ok) {
		form_release(&x);
		return 0;
	}
	k->fits = keep(o.f, &x);
	k->unfolded = k->fits != COMPOSE_NONE;
	return k->unfolded;
}

int compose_knows_more(const struct compose *c, const struct compose_call *k)
{
	return k->unfolded && c->callees.data[k->callee].forms.size > k->forms;
}
