/* activations.c: from the events of summary mode to activations.
 *
 * Two passes. The first goes over the events with the stack of calls and that of activations, and puts each where it belongs: a binding to the activation that
 * its leaf names (which may be one around the innermost: it reads what its callees read), a condition to every activation that is open, a write and
 * a result to the one that ends. The second makes terms, one activation at a time: leaves of this one are variables, leaves of activations inside it
 * are what they are bound to. Leaves of activations around it do not occur in what it computes, since whatever it reads is a leaf of its own; where
 * one does occur (the address of memory that belongs to the outside) the step is marked as outer.
 *
 * The runtime writes these events; the target can write over them. Whatever does not fit the stack is refused with words.
 */
#include "run/activations.h"

#include "base/error.h"
#include "base/mem.h"
#include "run/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
	uint64_t base;
	uint32_t object;
};

struct reader {
	struct activations *out;
	const struct trace *t;
	const struct calls *c;
	VEC(uint32_t) calls, open; /* calls; activations */
	VEC(struct place) places;  /* objects by address: the newest of each */
	uint32_t always;	   /* marks of all that are open or begin from here on */
};

static int bad(uint64_t event, const char *what)
{
	return error_set("event %" PRIu64 ": %s: the target wrote over the trace", event, what);
}

static struct activation *top_of(struct reader *r)
{
	return r->open.size ? &r->out->list.data[vec_last(&r->open)] : NULL;
}

/* ---------------------------------------------------------------- objects */

/* The first place after an address. */
static size_t behind(const struct reader *r, uint64_t address)
{
	size_t low = 0, high = r->places.size;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->places.data[mid].base <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void add_object(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct activation_object o = {.base = (uint64_t)e->unit << 32 | e->index, .size = muster_value(&r->t->nodes[e->label]),
				      .constant = e->arg & 1, .born = e->arg & 2 && r->open.size ? vec_last(&r->open) : ACTIVATION_NONE, .known = 1, .event = at};
	size_t i = behind(r, o.base);

	if (i && r->places.data[i - 1].base == o.base) {
		uint32_t *known = &r->places.data[i - 1].object;
		if (r->out->objects.data[*known].size == o.size && !(e->arg & 2))
			return;
		*known = (uint32_t)r->out->objects.size;
	} else {
		vec_push(&r->places, ((struct place){0}));
		memmove(&r->places.data[i + 1], &r->places.data[i], (r->places.size - 1 - i) * sizeof *r->places.data);
		r->places.data[i] = (struct place){o.base, (uint32_t)r->out->objects.size};
	}
	vec_push(&r->out->objects, o);
}

/* Of the object whose event stands before it. One that was told again is known with its name. */
static void add_name(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct activation_object *o = r->out->objects.size ? &vec_last(&r->out->objects) : NULL;

	if (!o || o->event + 1 != at)
		return;
	o->name = e->label;
	o->unit = e->unit;
	o->is_static = e->arg & 1;
}

/* The object that has the address, or ends there; ACTIVATION_NONE: no known one. */
static uint32_t object_at(const struct reader *r, uint64_t address, int end_too)
{
	uint32_t ends = ACTIVATION_NONE;

	for (size_t i = behind(r, address), steps = 0; i-- > 0 && steps < 64; steps++) {
		uint32_t k = r->places.data[i].object;
		const struct activation_object *o = &r->out->objects.data[k];
		if (address - o->base < o->size)
			return k;
		if (end_too && address - o->base == o->size && ends == ACTIVATION_NONE)
			ends = k;
	}
	return ends;
}

/* The same, with an object made for memory that is not known. */
static uint32_t object_of(struct reader *r, uint64_t address, uint64_t event)
{
	uint32_t k = object_at(r, address, 0);

	if (k != ACTIVATION_NONE)
		return k;
	struct activation_object o = {.base = address, .born = ACTIVATION_NONE, .event = event};
	vec_push(&r->out->objects, o);
	return (uint32_t)r->out->objects.size - 1;
}

/* ----------------------------------------------------------- the first pass */

static int begin_activation(struct reader *r, uint64_t at)
{
	struct activation a = {0};

	if (!r->calls.size)
		return bad(at, "an activation, and no call is open");
	if (r->t->events[at].index != r->out->list.size + 1)
		return bad(at, "an activation with another number than the next");
	a.call = vec_last(&r->calls);
	const struct call *c = &r->c->list.data[a.call];
	const struct muster_event *next = at + 1 < r->t->event_count ? &r->t->events[at + 1] : NULL;
	a.is_segment = next && next->kind == MUSTER_EV_SEGMENT && next->arg == MUSTER_CUT_BEGINS;
	if (r->open.size && top_of(r)->call == a.call ? !a.is_segment || top_of(r)->is_segment : a.is_segment)
		return bad(at, "two activations of one call");
	a.unit = c->unit;
	a.index = c->index;
	a.begin = a.is_segment ? at : c->begin;
	a.start = a.is_segment ? next->index : c->index;
	a.end = CALLS_OPEN;
	a.caller = r->open.size ? vec_last(&r->open) : ACTIVATION_NONE;
	a.marks = r->always;
	vec_push(&r->open, (uint32_t)r->out->list.size);
	vec_push(&r->out->list, a);
	return 0;
}

static int is_open(const struct reader *r, uint32_t activation)
{
	for (size_t i = r->open.size; i-- > 0;)
		if (r->open.data[i] <= activation)
			return r->open.data[i] == activation;
	return 0;
}

/* Pointers to one place are one class, named by its first. */
static void find_same(struct activation *a)
{
	struct activation_input *x = &vec_last(&a->inputs);

	x->same = (uint32_t)a->inputs.size - 1;
	for (uint32_t i = 0; x->points_to != ACTIVATION_NONE && i + 1 < a->inputs.size; i++)
		if (a->inputs.data[i].points_to != ACTIVATION_NONE && a->inputs.data[i].value == x->value) {
			x->same = i;
			return;
		}
}

static int bind(struct reader *r, uint64_t at)
{
	uint32_t label = r->t->events[at].label;
	const struct muster_node *n = &r->t->nodes[label];
	struct activation_input x = {.kind = n->aux ? ACTIVATION_MEMORY : ACTIVATION_PARAMETER, .label = label, .width = n->width,
				     .value = muster_value(n), .event = at, .caller = n->a, .object = ACTIVATION_NONE, .points_to = ACTIVATION_NONE};

	if (n->c - 1 >= r->out->list.size || !is_open(r, n->c - 1))
		return bad(at, "a leaf of an activation that is not open");
	struct activation *a = &r->out->list.data[n->c - 1];
	if (n->aux) {
		x.address = n->k;
		x.object = object_of(r, n->k, at);
		x.offset = n->k - r->out->objects.data[x.object].base;
	} else {
		x.parameter = (uint32_t)n->k;
		x.part = (uint32_t)(n->k >> 32);
	}
	if (x.width == 64 && x.value) {
		x.points_to = object_at(r, x.value, 1);
		x.points_at = x.points_to == ACTIVATION_NONE ? 0 : x.value - r->out->objects.data[x.points_to].base;
	}
	x.followed = n->flags & MUSTER_NODE_FOLLOWED ? 1 : 0;
	vec_push(&a->inputs, x);
	find_same(a);
	return 0;
}

static int add_write(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct activation *a = top_of(r);
	struct activation_write w = {.address = (uint64_t)e->unit << 32 | e->index, .width = 8u * e->arg, .event = at};

	if (!a)
		return bad(at, "a write of an activation, and none is open");
	u128 v = trace_value(r->t, e->label);
	w.value_low = (uint64_t)v;
	w.value_high = (uint64_t)(v >> 64);
	w.object = object_of(r, w.address, at);
	w.offset = w.address - r->out->objects.data[w.object].base;
	vec_push(&a->writes, w);
	return 0;
}

/* Steps that turn out to be about nothing of the activation's are dropped later, so there may be more of them at first. */
#define STEPS_AT_FIRST 16

/* A condition is one of every activation around it: deep recursion would have them as often as it is deep. */
static int is_too_large(const struct activations *out, struct activation *a)
{
	if (!out->most || a->marks & ACTIVATION_MARKED(LARGE))
		return out->most != 0;
	if (a->steps.size < out->most * STEPS_AT_FIRST)
		return 0;
	a->marks |= ACTIVATION_MARKED(LARGE);
	vec_release(&a->steps);
	return 1;
}

static void add_step(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct activation_step s = {.kind = e->kind, .unit = e->unit, .index = e->index, .event = at};

	if (!e->label)
		return;
	s.outcome = e->kind == MUSTER_EV_BOUND ? MUSTER_BOUND_HELD(e->arg) : e->arg;
	s.checker = e->kind == MUSTER_EV_BOUND ? MUSTER_BOUND_CHECKER(e->arg) : 0;
	s.reason = e->kind == MUSTER_EV_CONCRETE ? e->arg : 0;
	if (e->kind == MUSTER_EV_CONCRETE && e->arg == MUSTER_REASON_ORDER) { /* nothing is fixed */
		for (size_t i = 0; i < r->open.size; i++)
			vec_push(&r->out->list.data[r->open.data[i]].numbers, e->label);
		return;
	}
	for (size_t i = 0; i < r->open.size; i++) {
		struct activation *a = &r->out->list.data[r->open.data[i]];
		s.own = i + 1 == r->open.size;
		if (!is_too_large(r->out, a))
			vec_push(&a->steps, s);
	}
}

static void mark(struct reader *r, uint32_t bits, size_t count)
{
	size_t from = count && count < r->open.size ? r->open.size - count : 0;

	for (size_t i = from; i < r->open.size; i++)
		r->out->list.data[r->open.data[i]].marks |= bits;
}

static void end_call(struct reader *r, uint64_t at)
{
	struct activation *a = top_of(r);

	if (!r->calls.size)
		return;
	uint32_t call = vec_last(&r->calls);
	r->calls.size--;
	if (!a || a->call != call)
		return;
	a->end = at;
	a->left = r->t->events[at].arg;
	a->marks |= a->left == MUSTER_LEFT_TAIL ? ACTIVATION_MARK(TAIL) : a->left == MUSTER_LEFT_LOST ? ACTIVATION_MARK(LOST) : 0;
	r->open.size--;
}

static int end_segment(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct activation *a = top_of(r);

	if (e->arg == MUSTER_CUT_BEGINS)
		return 0;
	if (!a || !a->is_segment)
		return bad(at, "a segment ends, and none is open");
	a->end = at;
	a->stop = e->index;
	a->cut = (enum muster_cut)e->arg;
	a->marks |= a->cut == MUSTER_CUT_LOST ? ACTIVATION_MARK(LOST) : 0;
	r->open.size--;
	return 0;
}

static int add_live(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	struct activation *a = top_of(r);

	if (!a || !a->is_segment)
		return bad(at, "a value of a segment, and none is open");
	if (e->arg)
		vec_push(&a->homes, ((struct activation_home){e->more, (uint64_t)trace_value(r->t, e->label), e->arg == 2}));
	else
		vec_push(&a->lives, ((struct activation_live){e->more, e->label, EXPR_NONE}));
	return 0;
}

static int one_event(struct reader *r, uint64_t at)
{
	const struct muster_event *e = &r->t->events[at];
	const struct call *c;

	switch (e->kind) {
	case MUSTER_EV_CALL:
		if ((c = calls_at(r->c, at)))
			vec_push(&r->calls, (uint32_t)(c - r->c->list.data));
		return 0;
	case MUSTER_EV_RETURN:
		end_call(r, at);
		return 0;
	case MUSTER_EV_ACTIVATION:
		return begin_activation(r, at);
	case MUSTER_EV_SEGMENT:
		return end_segment(r, at);
	case MUSTER_EV_LIVE:
		return add_live(r, at);
	case MUSTER_EV_BIND:
		return bind(r, at);
	case MUSTER_EV_OBJECT:
		add_object(r, at);
		return 0;
	case MUSTER_EV_NAME:
		add_name(r, at);
		return 0;
	case MUSTER_EV_WRITE:
		return add_write(r, at);
	case MUSTER_EV_MARK:
		mark(r, 1u << e->arg, e->more);
		if (e->arg == MUSTER_MARK_LARGE && r->open.size) { /* it ends here; its call goes on as a part of its caller */
			top_of(r)->end = at;
			r->open.size--;
		}
		return 0;
	case MUSTER_EV_LOST:
		mark(r, ACTIVATION_MARK(DATA), 0);
		return 0;
	case MUSTER_EV_THREAD:
	case MUSTER_EV_FORK:
		mark(r, ACTIVATION_MARK(THREADS), 0);
		return 0;
	case MUSTER_EV_CAP:
	case MUSTER_EV_FULL:
		r->always |= ACTIVATION_MARK(TRUNCATED);
		mark(r, r->always, 0);
		return 0;
	case MUSTER_EV_BRANCH:
	case MUSTER_EV_SWITCH:
	case MUSTER_EV_CONCRETE:
	case MUSTER_EV_BOUND:
	case MUSTER_EV_GIVEN:
		add_step(r, at);
		return 0;
	default:
		return 0;
	}
}

/* ---------------------------------------------------------- the second pass */

struct terms {
	struct import im;
	const struct trace *t;
	struct exprs *pool;
	uint32_t number; /* of the activation whose leaves are variables; 0: none is */
	int outer;	 /* a leaf of one around it was met */
};

static expr_t variable(struct exprs *pool, const struct trace *t, uint32_t label)
{
	char name[24];

	snprintf(name, sizeof name, "leaf%" PRIu32, label);
	return expr_named(pool, t->nodes[label].width, name);
}

static expr_t leaf_term(void *ctx, uint32_t label)
{
	struct terms *x = ctx;
	uint32_t of = x->t->nodes[label].c;

	if (x->number && of == x->number)
		return variable(x->pool, x->t, label);
	x->outer |= of < x->number;
	return EXPR_NONE;
}

/* Does it depend on the input past all leaves? */
static int has_input(struct exprs *p, expr_t e)
{
	uint32_t n;
	const expr_t *v = expr_vars(p, e, &n);

	for (uint32_t i = 0; i < n; i++)
		if (expr_get(p, v[i])->op == MUSTER_OP_INPUT || expr_get(p, v[i])->op == MUSTER_OP_LENGTH)
			return 1;
	return 0;
}

static expr_t number_term(struct terms *x, uint32_t label, uint64_t value)
{
	return label ? import_label(&x->im, label) : expr_const(x->pool, 64, value);
}

static void step_terms(struct terms *x, struct activations *out, struct activation *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->steps.size; i++) {
		if (out->most && kept > out->most) {
			a->marks |= ACTIVATION_MARKED(LARGE);
			break;
		}
		struct activation_step s = a->steps.data[i];
		uint32_t label = x->t->events[s.event].label;
		x->outer = 0;
		s.term = import_label(&x->im, label);
		if (expr_is_const(x->pool, s.term, NULL)) {
			out->concrete += (uint64_t)s.own;
			continue;
		}
		s.outer = x->outer || has_input(x->pool, s.term);
		if (s.kind == MUSTER_EV_SWITCH || s.kind == MUSTER_EV_CONCRETE)
			s.holds = expr_eq(x->pool, s.term, expr_const(x->pool, expr_width(x->pool, s.term), trace_value(x->t, label)));
		else
			s.holds = s.outcome ? s.term : expr_not(x->pool, s.term);
		a->steps.data[kept++] = s;
	}
	a->steps.size = kept;
}

static int by_address(const void *x, const void *y)
{
	const struct activation_write *a = x, *b = y;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void write_terms(struct terms *x, struct activation *a)
{
	for (size_t i = 0; i < a->writes.size; i++) {
		struct activation_write *w = &a->writes.data[i];
		const struct muster_event *next = w->event + 1 < x->t->event_count ? &x->t->events[w->event + 1] : NULL;
		w->value = import_label(&x->im, x->t->events[w->event].label);
		w->place = number_term(x, next && next->kind == MUSTER_EV_PLACE ? next->label : 0, w->address);
	}
	if (a->writes.size)
		qsort(a->writes.data, a->writes.size, sizeof *a->writes.data, by_address);
}

static void own_terms(struct terms *x, struct activations *out, struct activation *a, const struct calls *c)
{
	const struct call *call = &c->list.data[a->call];

	for (size_t i = 0; i < a->inputs.size; i++) {
		struct activation_input *in = &a->inputs.data[i];
		in->leaf = variable(x->pool, x->t, in->label);
		if (in->kind == ACTIVATION_MEMORY)
			in->place = number_term(x, x->t->nodes[in->label].b, in->address);
	}
	step_terms(x, out, a);
	for (size_t i = 0; i < a->numbers.size; i++) {
		x->outer = 0;
		expr_t e = import_label(&x->im, a->numbers.data[i]);
		a->outer_numbers += x->outer || has_input(x->pool, e) || expr_is_const(x->pool, e, NULL);
	}
	write_terms(x, a);
	for (size_t i = 0; i < a->lives.size; i++)
		if (a->lives.data[i].label)
			a->lives.data[i].value = import_label(&x->im, a->lives.data[i].label);
	for (uint32_t k = 0; !a->is_segment && a->end != CALLS_OPEN && k < call->results; k++) {
		uint32_t label = x->t->events[call->first_result + k].label;
		vec_push(&a->results, label ? import_label(&x->im, label) : EXPR_NONE);
	}
}

/* What the inputs of its callees are for it; x->number 0: for the program. */
static void bound_terms(struct terms *x, struct activation *callee)
{
	for (size_t i = 0; i < callee->inputs.size; i++) {
		struct activation_input *in = &callee->inputs.data[i];
		in->bound = in->caller ? import_label(&x->im, in->caller) : expr_const(x->pool, in->width, in->value);
	}
}

static void make_terms(struct activations *out, const struct trace *t, const struct calls *c, struct exprs *pool, uint64_t input_size)
{
	struct terms x = {.t = t, .pool = pool};
	VEC(uint32_t) first = {0}, next = {0}; /* callees of each, and of nobody, as lists */

	for (size_t i = 0; i <= out->list.size; i++)
		vec_push(&first, ACTIVATION_NONE);
	for (size_t i = 0; i < out->list.size; i++) {
		uint32_t *head = &first.data[out->list.data[i].caller == ACTIVATION_NONE ? 0 : out->list.data[i].caller + 1];
		vec_push(&next, *head);
		*head = (uint32_t)i;
	}
	import_init(&x.im, t, pool, input_size);
	x.im.leaf = leaf_term;
	x.im.ctx = &x;
	for (uint32_t i = 0; i <= out->list.size; i++) {
		x.number = i;
		import_forget(&x.im);
		for (uint32_t k = first.data[i]; k != ACTIVATION_NONE; k = next.data[k])
			bound_terms(&x, &out->list.data[k]);
		if (i)
			own_terms(&x, out, &out->list.data[i - 1], c);
	}
	import_release(&x.im);
	vec_release(&first);
	vec_release(&next);
}

struct activation_terms {
	struct terms x;
	struct activations *a;
	const struct calls *c;
	uint64_t input_size;
};

static void open_terms(struct activation_terms *x)
{
	x->x.pool = exprs_new();
	import_init(&x->x.im, x->x.t, x->x.pool, x->input_size);
	x->x.im.leaf = leaf_term;
	x->x.im.ctx = &x->x;
}

static void close_terms(struct activation_terms *x)
{
	import_release(&x->x.im);
	exprs_free(x->x.pool);
}

struct activation_terms *activation_terms_new(struct activations *a, const struct trace *t, const struct calls *c, uint64_t input_size)
{
	struct activation_terms *x = mem_zalloc(sizeof *x);

	x->a = a;
	x->c = c;
	x->x.t = t;
	x->input_size = input_size;
	open_terms(x);
	return x;
}

struct exprs *activation_terms_make(struct activation_terms *x, uint32_t number, uint64_t bytes)
{
	if (exprs_bytes(x->x.pool) > bytes) {
		close_terms(x);
		open_terms(x);
	}
	x->x.number = number + 1;
	import_forget(&x->x.im);
	if (!(x->a->list.data[number].marks & ACTIVATION_MARKED(LARGE)))
		own_terms(&x->x, x->a, &x->a->list.data[number], x->c);
	return x->x.pool;
}

expr_t activation_terms_label(struct activation_terms *x, uint32_t label)
{
	x->x.outer = 0;
	expr_t e = import_label(&x->x.im, label);
	return e == EXPR_NONE || x->x.outer || has_input(x->x.pool, e) ? EXPR_NONE : e;
}

void activation_terms_free(struct activation_terms *x)
{
	close_terms(x);
	free(x);
}

int activations_read(struct activations *a, const struct trace *t, const struct calls *c, struct exprs *pool, uint64_t input_size)
{
	int e = activations_scan(a, t, c, 0);

	if (!e)
		make_terms(a, t, c, pool, input_size);
	return e;
}

int activations_scan(struct activations *a, const struct trace *t, const struct calls *c, size_t most)
{
	struct reader r = {.out = a, .t = t, .c = c};
	int e = 0;

	memset(a, 0, sizeof *a);
	a->most = most;
	for (uint64_t i = 0; i < t->event_count && !e; i++)
		if ((e = one_event(&r, i)) && i + 1 == t->event_count)
			e = 0; /* the last one may be what an earlier run left, if this one was killed while it wrote */
	for (size_t i = 0; i < r.open.size; i++)
		a->list.data[r.open.data[i]].marks |= r.always ? 0 : ACTIVATION_MARK(ENDED);
	vec_release(&r.calls);
	vec_release(&r.open);
	vec_release(&r.places);
	if (e)
		activations_release(a);
	return e;
}

const char *activation_object_name(const struct trace *t, const struct activation_object *o, size_t *n)
{
	if (!o->name)
		return NULL;
	*n = t->nodes[o->name].k;
	return (const char *)trace_data_bytes(t, o->name);
}

void activation_clear(struct activation *a)
{
	vec_release(&a->inputs);
	vec_release(&a->steps);
	vec_release(&a->writes);
	vec_release(&a->results);
	vec_release(&a->numbers);
	vec_release(&a->lives);
	vec_release(&a->homes);
}

void activations_release(struct activations *a)
{
	for (size_t i = 0; i < a->list.size; i++)
		activation_clear(&a->list.data[i]);
	vec_release(&a->list);
	vec_release(&a->objects);
	memset(a, 0, sizeof *a);
}

const char *activation_mark_key(unsigned bit)
{
	static const char *const keys[] = {
#define X(name, key, words) key,
	    MUSTER_MARKS(X) ACTIVATION_MARKS(X)
#undef X
	};
	return bit < ACTIVATION_MARK_BITS ? keys[bit] : "unknown";
}

const char *activation_mark_words(unsigned bit)
{
	static const char *const words_of[] = {
#define X(name, key, words) words,
	    MUSTER_MARKS(X) ACTIVATION_MARKS(X)
#undef X
	};
	return bit < ACTIVATION_MARK_BITS ? words_of[bit] : "unknown";
}
