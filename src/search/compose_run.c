/* compose_run.c: which calls of a traced run a summary fits.
 *
 * One pass over the events gives each activation of a listed function what it read first (BIND) and what it left (OUTPUT). Then, from the outermost inwards, each call is tried:
 * its pointers give the config, and the values that it read are put into the preconditions. The function is deterministic, so a summary whose P holds is the one that the call
 * followed, whatever the path it came from. The call is replaced if that summary says all that the caller can see of it. Whatever lies inside a replaced call is part of it.
 *
 * Places that no run of this path reads are not bound. Such a summary fits no call here, and the disjunction goes without it (compose_bind.c).
 */
#include "search/compose_inside.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void compose_run_release(struct compose_run *r)
{
	vec_release(&r->calls);
	vec_release(&r->values);
	vec_release(&r->objects);
	vec_release(&r->replaced);
	vec_release(&r->outermost);
	vec_release(&r->failing);
	free(r->newest);
	memset(r, 0, sizeof *r);
}

/* ---------------------------------------------------------------- events */

struct sweep {
	struct compose *c;
	struct compose_run *r;
	VEC(uint32_t) open;	/* for each open call of the trace: in the run's, or COMPOSE_NONE */
	VEC(uint64_t) begins;	/* its CALL */
	struct map numbers;	/* of activations, to calls + 1 */
};

static uint32_t callee_at(const struct compose *c, uint64_t site)
{
	size_t low = 0, high = c->functions.size;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (site < c->functions.data[mid].first)
			high = mid;
		else if (site >= c->functions.data[mid].end)
			low = mid + 1;
		else
			return (uint32_t)mid;
	}
	return COMPOSE_NONE;
}

static uint32_t innermost(const struct sweep *w)
{
	for (size_t i = w->open.size; i-- > 0;)
		if (w->open.data[i] != COMPOSE_NONE)
			return w->open.data[i];
	return COMPOSE_NONE;
}

static void begin(struct sweep *w, uint64_t at, const struct muster_event *call)
{
	uint32_t callee = callee_at(w->c, (uint64_t)call->unit << 32 | call->index);
	struct compose_call k = {.begin = vec_last(&w->begins), .end = UINT64_MAX, .number = w->r->trace->events[at].index, .callee = callee, .caller = innermost(w),
				 .inputs = COMPOSE_NONE, .outputs = COMPOSE_NONE, .fits = COMPOSE_NONE, .inner = COMPOSE_NONE, .next = COMPOSE_NONE};
	if (callee == COMPOSE_NONE)
		return;
	vec_last(&w->open) = (uint32_t)w->r->calls.size;
	vec_push(&w->r->calls, k);
	map_set(&w->numbers, k.number, w->r->calls.size);
}

static void add_value(struct sweep *w, uint32_t label, int output)
{
	uint64_t at;
	if (!map_get(&w->numbers, w->r->trace->nodes[label].c, &at))
		return;
	struct compose_call *k = &w->r->calls.data[at - 1];
	uint32_t *first = output ? &k->outputs : &k->inputs;
	vec_push(&w->r->values, (struct compose_value){label, *first});
	*first = (uint32_t)w->r->values.size - 1;
}

/* Of the `count` innermost activations; 0: of all. */
static void mark(struct sweep *w, uint32_t count)
{
	uint32_t done = 0;
	for (size_t i = w->open.size; i-- > 0 && (!count || done < count);)
		if (w->open.data[i] != COMPOSE_NONE) {
			w->r->calls.data[w->open.data[i]].marked = 1;
			done++;
		}
}

static void end(struct sweep *w, uint64_t at)
{
	if (!w->open.size)
		return;
	uint32_t k = vec_pop(&w->open);
	w->begins.size--;
	if (k == COMPOSE_NONE)
		return;
	w->r->calls.data[k].end = at;
	w->r->calls.data[k].ended = w->r->trace->events[at].arg == MUSTER_LEFT_RETURNED;
}

static void sweep_events(struct sweep *w)
{
	const struct trace *t = w->r->trace;
	const struct muster_event *call = NULL;

	for (uint64_t i = 0; i < t->event_count; i++) {
		const struct muster_event *e = &t->events[i];
		switch (e->kind) {
		case MUSTER_EV_CALL:
			vec_push(&w->open, COMPOSE_NONE);
			vec_push(&w->begins, i);
			call = e;
			break;
		case MUSTER_EV_ACTIVATION:
			if (w->open.size && call)
				begin(w, i, call);
			break;
		case MUSTER_EV_BIND:
		case MUSTER_EV_OUTPUT:
			add_value(w, e->label, e->kind == MUSTER_EV_OUTPUT);
			break;
		case MUSTER_EV_OBJECT:
			vec_push(&w->r->objects, (struct compose_object){(uint64_t)e->unit << 32 | e->index, muster_value(&t->nodes[e->label])});
			break;
		case MUSTER_EV_MARK:
			mark(w, e->more);
			break;
		case MUSTER_EV_LOST:
		case MUSTER_EV_THREAD:
		case MUSTER_EV_FORK:
		case MUSTER_EV_CAP:
		case MUSTER_EV_FULL:
			mark(w, 0);
			break;
		case MUSTER_EV_RETURN:
			end(w, i);
			break;
		default:
			break;
		}
	}
}

/* ---------------------------------------------------------------- values */

unsigned compose_pieces(const struct compose_run *r, const struct compose_call *k, uint64_t address, unsigned bytes, struct compose_piece *out)
{
	unsigned n = 0;

	while (bytes) {
		uint32_t i = k->inputs;
		const struct muster_node *leaf = NULL;
		for (; i != COMPOSE_NONE; i = r->values.data[i].next) {
			leaf = &r->trace->nodes[r->values.data[i].label];
			if (leaf->aux == 1 && address - leaf->k < leaf->width / 8u)
				break;
		}
		if (i == COMPOSE_NONE || n == COMPOSE_PIECES)
			return 0;
		unsigned low = (unsigned)(address - leaf->k), has = leaf->width / 8u - low, m = bytes < has ? bytes : has;
		out[n++] = (struct compose_piece){r->values.data[i].label, low * 8, m * 8};
		address += m;
		bytes -= m;
	}
	return n;
}

uint32_t compose_parameter(const struct compose_run *r, const struct compose_call *k, uint64_t number)
{
	for (uint32_t i = k->inputs; i != COMPOSE_NONE; i = r->values.data[i].next) {
		const struct muster_node *leaf = &r->trace->nodes[r->values.data[i].label];
		if (!leaf->aux && leaf->k == number) /* the first part of it */
			return r->values.data[i].label;
	}
	return 0;
}

static int value_at(const struct compose_run *r, const struct compose_call *k, uint64_t address, unsigned bytes, u128 *out)
{
	struct compose_piece pieces[COMPOSE_PIECES];
	unsigned n = compose_pieces(r, k, address, bytes, pieces), at = 0;

	*out = 0;
	for (unsigned i = 0; i < n; i++) {
		u128 v = trace_value(r->trace, pieces[i].label) >> pieces[i].low;
		if (pieces[i].width < 128)
			v &= ((u128)1 << pieces[i].width) - 1;
		*out |= v << at;
		at += pieces[i].width;
	}
	return n > 0;
}

int compose_address(const struct compose_run *r, const struct compose_call *k, const struct compose_place *p, uint64_t *out)
{
	u128 v;
	uint64_t at;
	unsigned i = 0;

	if (p->global) {
		at = p->root + p->offset;
	} else {
		uint32_t leaf = p->offset || !p->depth ? 0 : compose_parameter(r, k, p->root);
		if (!leaf || r->trace->nodes[leaf].width != 64)
			return 0;
		at = (uint64_t)trace_value(r->trace, leaf) + p->offsets[i++];
	}
	for (; i < p->depth; i++) {
		if (!value_at(r, k, at, 8, &v))
			return 0;
		at = (uint64_t)v + p->offsets[i];
	}
	*out = at;
	return at > 4095;
}

int compose_value_of(const struct compose_run *r, const struct compose_call *k, const struct compose_place *p, u128 *out)
{
	uint64_t at;

	if (!p->global && !p->depth) {
		uint32_t leaf = p->offset ? 0 : compose_parameter(r, k, p->root);
		*out = leaf ? trace_value(r->trace, leaf) : 0;
		return leaf != 0;
	}
	if (!compose_address(r, k, p, &at) || !value_at(r, k, at, (p->width + 7) / 8, out))
		return 0;
	if (p->width < 128)
		*out &= ((u128)1 << p->width) - 1;
	return 1;
}

/* ---------------------------------------------------------------- pointers */

const struct compose_object *compose_object_at(const struct compose_run *r, uint64_t address)
{
	for (size_t i = r->objects.size; i-- > 0;)
		if (address - r->objects.data[i].base < r->objects.data[i].size)
			return &r->objects.data[i];
	return NULL;
}

/* What a pointer or length is in the call. */
static int pointer_value(const struct compose_run *r, const struct compose_call *k, const struct compose_place *p, uint64_t *out)
{
	struct compose_place pointer = *p;
	const struct compose_object *o;
	u128 v;

	pointer.width = 64;
	if (!compose_value_of(r, k, &pointer, &v))
		return 0;
	*out = (uint64_t)v;
	if (p->type == PLACE_POINTER)
		return 1;
	o = compose_object_at(r, (uint64_t)v);
	if (!o || !p->element)
		return 0;
	*out = (o->base + o->size - (uint64_t)v) / p->element;
	return 1;
}

/* Do the objects that these point to lie apart from each other, and from the globals that the function names? */
static int is_apart(const struct compose_run *r, const struct compose_call *k, const struct compose_callee *f, expr_t application)
{
	expr_t args[16];
	const struct compose_object *objects[16];
	unsigned n = expr_arguments(f->l->pool, application, args, 16);

	if (n > 16)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t value = 0;
		size_t p = 0;
		while (p < f->places.size && f->places.data[p].variable != args[i])
			p++;
		if (p == f->places.size || !pointer_value(r, k, &f->places.data[p], &value) || !(objects[i] = compose_object_at(r, value)))
			return 0;
		for (unsigned j = 0; j < i; j++)
			if (objects[j]->base == objects[i]->base)
				return 0;
		for (p = 0; p < f->places.size; p++)
			if (f->places.data[p].global && f->places.data[p].root - objects[i]->base < objects[i]->size)
				return 0;
		for (p = 0; p < f->forms.size; p++)
			for (size_t q = 0; q < f->forms.data[p].outputs.size; q++) {
				const struct compose_output *o = &f->forms.data[p].outputs.data[q];
				if (!o->result && o->place.global && o->place.root - objects[i]->base < objects[i]->size)
					return 0;
			}
	}
	return 1;
}

struct pointers {
	const struct compose_callee *f;
	const uint64_t *values;
	const uint8_t *known;
};

static expr_t put_pointer(void *ctx, expr_t variable)
{
	const struct pointers *x = ctx;
	for (size_t i = 0; i < x->f->places.size; i++)
		if (x->f->places.data[i].variable == variable && x->known[i])
			return expr_const(x->f->l->pool, 64, x->values[i]);
	return EXPR_NONE;
}

/* Is there a pointer left in it? */
static int names_pointer(const struct compose_callee *f, expr_t e)
{
	uint32_t count;
	const expr_t *vars = expr_vars(f->l->pool, e, &count);
	for (uint32_t i = 0; i < count; i++)
		for (size_t k = 0; k < f->places.size; k++)
			if (f->places.data[k].variable == vars[i] && (f->places.data[k].type == PLACE_POINTER || f->places.data[k].type == PLACE_LENGTH))
				return 1;
	return 0;
}

static void make_config(struct compose_callee *f, const struct pointers *x, const uint8_t *apart)
{
	struct exprs *p = f->l->pool;
	struct compose_config g = {.pre = mem_zalloc((f->forms.size + 1) * sizeof(expr_t)), .whole = -1};
	VEC(expr_t) roots = {0};

	for (size_t i = 0; i < f->forms.size; i++) {
		expr_t e = apart[i] ? expr_true(p) : expr_false(p);
		for (size_t k = 0; k < f->forms.data[i].pre.size && e != expr_false(p); k++)
			e = expr_and(p, e, expr_substitute(p, f->forms.data[i].pre.data[k], put_pointer, (void *)x));
		g.pre[i] = names_pointer(f, e) ? EXPR_NONE : e;
		if (g.pre[i] != EXPR_NONE)
			vec_push(&roots, g.pre[i]);
	}
	if (!roots.size)
		vec_push(&roots, expr_false(p));
	tape_init(&g.tape, p, roots.data, (uint32_t)roots.size);
	vec_release(&roots);
	vec_push(&f->configs, g);
}

static void find_config(const struct compose_run *r, struct compose_call *k, struct compose_callee *f)
{
	uint64_t *values = mem_zalloc((f->places.size + 1) * sizeof *values), key = 0, at;
	uint8_t *known = mem_zalloc(f->places.size + 1), *apart = mem_zalloc(f->forms.size + 1);

	for (size_t i = 0; i < f->places.size; i++)
		if (f->places.data[i].type == PLACE_POINTER || f->places.data[i].type == PLACE_LENGTH) {
			known[i] = (uint8_t)pointer_value(r, k, &f->places.data[i], &values[i]);
			key = hash_join(key, hash_join(values[i], known[i]));
		}
	for (size_t i = 0; i < f->forms.size; i++) {
		apart[i] = 1;
		for (size_t n = 0; n < f->forms.data[i].apart.size; n++)
			apart[i] &= (uint8_t)is_apart(r, k, f, f->forms.data[i].apart.data[n]);
		if (f->forms.data[i].apart.size)
			key = hash_join(key, apart[i]);
	}
	if (!map_get(&f->by_pointers, key, &at)) {
		make_config(f, &(struct pointers){f, values, known}, apart);
		map_set(&f->by_pointers, key, at = f->configs.size);
	}
	k->config = (uint32_t)at - 1;
	free(values);
	free(known);
	free(apart);
}

/* ---------------------------------------------------------------- outputs */

int compose_source(const struct compose_run *r, const struct compose_call *k, const struct compose_form *f, uint32_t leaf, unsigned byte, const struct compose_output **output,
		   unsigned *low, struct compose_piece *piece)
{
	const struct muster_node *n = &r->trace->nodes[leaf];

	for (size_t i = 0; i < f->outputs.size; i++) {
		const struct compose_output *o = &f->outputs.data[i];
		uint64_t at, from = n->k + byte;
		if (o->result != (n->aux == 3))
			continue;
		if (o->result ? n->k != 0 || o->place.offset != 0 : !compose_address(r, k, &o->place, &at))
			continue;
		uint64_t in = o->result ? byte : from - at;
		if (in >= (o->place.width + 7) / 8)
			continue;
		*output = o;
		*low = (unsigned)in * 8;
		return o->term != EXPR_NONE;
	}
	if (n->aux == 3)
		return 0;
	return compose_pieces(r, k, n->k + byte, 1, piece) == 1 ? 2 : 0;
}

int compose_says_all(const struct compose_run *r, const struct compose_call *k, const struct compose_form *f)
{
	const struct compose_output *o;
	struct compose_piece piece;
	unsigned low;

	for (uint32_t i = k->outputs; i != COMPOSE_NONE; i = r->values.data[i].next) {
		uint32_t leaf = r->values.data[i].label;
		unsigned width = r->trace->nodes[leaf].width;
		for (unsigned b = 0; b < (width + 7) / 8; b++)
			if (!compose_source(r, k, f, leaf, b, &o, &low, &piece))
				return 0;
	}
	return 1;
}

/* ---------------------------------------------------------------- which fits */

static void try_call(struct compose *c, const struct compose_run *r, struct compose_call *k)
{
	struct compose_callee *f = &c->callees.data[k->callee];
	u128 slots[64], held[64];

	if (!k->ended || k->marked)
		return;
	find_config(r, k, f);
	struct compose_config *g = &f->configs.data[k->config];
	if (g->tape.var_count > 64 || g->tape.root_count > 64)
		return;
	for (uint32_t i = 0; i < g->tape.var_count; i++) {
		size_t p = 0;
		while (p < f->places.size && f->places.data[p].variable != g->tape.vars[i])
			p++;
		if (p == f->places.size || !compose_value_of(r, k, &f->places.data[p], &slots[i]))
			return;
	}
	tape_run(&g->tape, slots, held);
	for (uint32_t i = 0, root = 0; i < f->forms.size; i++) {
		if (g->pre[i] == EXPR_NONE || !(held[root++] & 1))
			continue;
		if (!f->forms.data[i].fails && compose_says_all(r, k, &f->forms.data[i]))
			k->fits = i;
		return;
	}
}

static void note_newest(struct compose_run *r)
{
	const struct trace *t = r->trace;
	uint32_t *newest = r->newest = mem_zalloc((size_t)t->node_count * sizeof *newest);

	for (uint32_t i = 1; i < t->node_count; i++) {
		const struct muster_node *n = &t->nodes[i];
		uint32_t most = 0;
		if (!trace_is_node(t, i))
			continue;
		if (n->op == MUSTER_OP_LEAF) {
			most = n->c;
		} else if (n->op == MUSTER_OP_BYTES) {
			for (unsigned k = 0; k < n->width / 8u; k++)
				most = newest[n->a + k] > most ? newest[n->a + k] : most;
		} else if (n->op == MUSTER_OP_READ) {
			const uint32_t *cells = trace_data_cells(t, n->b);
			most = newest[n->a];
			for (uint64_t k = 0; cells && k < t->nodes[n->b].k; k++)
				if (newest[MUSTER_CELL_LABEL(cells[k])] > most)
					most = newest[MUSTER_CELL_LABEL(cells[k])];
		} else if (n->op != MUSTER_OP_INPUT && n->op != MUSTER_OP_LENGTH && n->op != MUSTER_OP_CONST) {
			unsigned arity = op_table[n->op].arity;
			most = arity > 0 ? newest[n->a] : 0;
			most = arity > 1 && newest[n->b] > most ? newest[n->b] : most;
			most = arity > 2 && newest[n->c] > most ? newest[n->c] : most;
		}
		newest[i] = most;
	}
}

/* Calls inside of each, in order. */
static void note_inner(struct compose_run *r)
{
	for (uint32_t i = (uint32_t)r->calls.size; i-- > 0;) {
		struct compose_call *k = &r->calls.data[i];
		if (k->caller != COMPOSE_NONE) {
			k->next = r->calls.data[k->caller].inner;
			r->calls.data[k->caller].inner = i;
		}
	}
}

/* The summary that each call fits. Where a function is unfolded, the calls inside come before those around them. */
static void try_calls(struct compose *c, struct compose_run *r)
{
	struct import im;

	note_inner(r);
	import_init(&im, r->trace, NULL, 0);
	for (uint32_t i = (uint32_t)r->calls.size; i-- > 0;)
		if (c->callees.data[r->calls.data[i].callee].own)
			compose_own_read(c, r, i, &im);
		else
			try_call(c, r, &r->calls.data[i]);
	import_release(&im);
}

static int is_inside(const struct compose_run *r, const struct compose_call *k, int unfolded)
{
	for (uint32_t up = k->caller; up != COMPOSE_NONE; up = r->calls.data[up].caller)
		if (r->calls.data[up].fits != COMPOSE_NONE && (unfolded || !r->calls.data[up].unfolded))
			return 1;
	return 0;
}

static void note_replaced(struct compose *c, struct compose_run *r)
{
	for (uint32_t i = 0; i < r->calls.size; i++) {
		struct compose_call *k = &r->calls.data[i];
		if (is_inside(r, k, 0))
			continue;
		if (!c->own)
			try_call(c, r, k);
		if (k->fits == COMPOSE_NONE)
			continue;
		vec_push(&r->replaced, i);
		if (!is_inside(r, k, 1))
			vec_push(&r->outermost, i);
	}
}

/* A run with more forms, or twice as many levels, can answer what another one could not. */
static uint64_t how_much(const struct compose *c, const struct compose_run *r)
{
	uint64_t forms = 0, levels = 0;

	for (size_t i = 0; i < r->replaced.size; i++)
		levels = r->calls.data[r->replaced.data[i]].height > levels ? r->calls.data[r->replaced.data[i]].height : levels;
	for (size_t i = 0; i < c->callees.size && levels; i++)
		forms += c->callees.data[i].own ? c->callees.data[i].forms.size : 0;
	return levels ? hash_join(forms, (uint64_t)__builtin_clzll(levels)) | 1 : 0;
}

void compose_read(struct compose *c, struct compose_run *r, const struct trace *t)
{
	struct sweep w = {.c = c, .r = r};

	compose_run_release(r);
	r->trace = t;
	if (c->functions.size)
		sweep_events(&w);
	if (c->own && r->calls.size) {
		note_newest(r);
		try_calls(c, r);
	}
	note_replaced(c, r);
	r->known = c->own ? how_much(c, r) : 0;
	if (r->replaced.size && !r->newest)
		note_newest(r);
	vec_release(&w.open);
	vec_release(&w.begins);
	map_release(&w.numbers);
}

int compose_skips(void *run, uint64_t event)
{
	struct compose_run *r = run;

	if (!r->outermost.size || r->calls.data[vec_last(&r->outermost)].end < event)
		return 0;
	if (r->at >= r->outermost.size || (r->at && r->calls.data[r->outermost.data[r->at - 1]].end > event))
		r->at = 0; /* from the first again */
	while (r->at < r->outermost.size && r->calls.data[r->outermost.data[r->at]].end < event)
		r->at++;
	if (r->at == r->outermost.size)
		return 0;
	const struct compose_call *k = &r->calls.data[r->outermost.data[r->at]];
	return event > k->begin && r->newest[r->trace->events[event].label] >= k->number;
}
