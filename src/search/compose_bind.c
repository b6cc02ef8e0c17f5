/* compose_bind.c: the disjunction of summaries in the place of a call.
 *
 * Each output of a replaced call becomes a choice between what the summaries give it: P1 ? q1 : P2 ? q2 : ... with the call's actual values put in for places. The function is
 * deterministic, so where two preconditions hold at once both give the same, and the order does not matter. The last one needs no condition: that one of them holds is a constraint of its own
 * (`holds`), which can be left out where they cover every state and none of them fails.
 *
 * Calls are bound in the order in which they began. What a call gets from an earlier one has its term by then, so terms nest as calls do and the cost is that of the terms. Where a call is unfolded
 * (compose_own.c), each call inside gets a choice between what the forms pass to it, then its own outputs, and then the one around it; what it says is about states in which it is made (`reached`).
 *
 * `exact` says that nothing is lost by this: all forms are there, pointers are what they are whatever the input, and each place that some form writes is a leaf in this run, so that the caller's terms have it.
 */
#include "search/compose_inside.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct binding {
	struct compose *c;
	struct compose_run *r;
	struct import *im;
	struct expr_import *memos; /* by callee */
	/* The call at hand: */
	const struct compose_call *k;
	const struct compose_callee *f;
	expr_t *bound; /* by place; EXPR_NONE: not bound */
};

/* What a leaf of the call is in its caller, or, in an unfolded one, the choice between what its forms pass. */
static expr_t leaf_bound(struct binding *b, uint32_t label)
{
	return import_label(b->im, label);
}

static expr_t piece_term(struct binding *b, const struct compose_piece *p)
{
	return expr_extract(b->im->pool, leaf_bound(b, p->label), p->low, p->width);
}

static expr_t resized(struct exprs *p, expr_t e, unsigned width)
{
	unsigned has = expr_width(p, e);
	return has > width ? expr_extract(p, e, 0, width) : has < width ? expr_zext(p, e, width) : e;
}

static expr_t place_term(struct binding *b, const struct compose_place *pl)
{
	struct compose_piece pieces[COMPOSE_PIECES];
	expr_t e = EXPR_NONE;
	uint64_t at;

	if (pl->left_by)
		return compose_left_piece(b->r, b->k, pl, pieces) ? expr_extract(b->im->pool, import_label(b->im, pieces->label), pieces->low, pieces->width) : EXPR_NONE;
	if (!pl->global && !pl->depth) {
		uint32_t leaf = pl->offset ? 0 : compose_parameter(b->r, b->k, pl->root);
		return leaf ? resized(b->im->pool, leaf_bound(b, leaf), pl->width) : EXPR_NONE;
	}
	unsigned n = compose_address(b->r, b->k, pl, &at) ? compose_pieces(b->r, b->k, at, (pl->width + 7) / 8, pieces) : 0;
	for (unsigned i = n; i-- > 0;)
		e = e == EXPR_NONE ? piece_term(b, &pieces[i]) : expr_concat(b->im->pool, e, piece_term(b, &pieces[i]));
	return n ? resized(b->im->pool, e, pl->width) : EXPR_NONE;
}

/* ---------------------------------------------------------------- terms */

struct put {
	struct binding *b;
	int missing;
};

static expr_t put_place(void *ctx, expr_t variable)
{
	struct put *x = ctx;
	struct binding *b = x->b;
	const char *name = expr_get(b->im->pool, variable)->op == EXPR_OP_NAMED ? expr_name(b->im->pool, variable) : NULL;

	for (size_t i = 0; name && i < b->f->places.size; i++)
		if (!strcmp(expr_name(b->f->l->pool, b->f->places.data[i].variable), name)) {
			x->missing |= b->bound[i] == EXPR_NONE;
			return b->bound[i];
		}
	x->missing |= name != NULL;
	return EXPR_NONE;
}

/* A term over places with the call's values; EXPR_NONE: one of them is not bound. */
static expr_t in_call(struct binding *b, expr_t e)
{
	struct put x = {b, 0};
	e = expr_import(b->im->pool, b->f->l->pool, e, &b->memos[b->f - b->c->callees.data]);
	e = expr_substitute(b->im->pool, e, put_place, &x);
	return x.missing ? EXPR_NONE : e;
}

static expr_t output_byte(struct binding *b, const struct compose_form *f, uint32_t leaf, unsigned byte)
{
	const struct compose_output *o;
	struct compose_piece piece;
	unsigned low;
	int from = compose_source(b->r, b->k, f, leaf, byte, &o, &low, &piece);

	if (from == 2)
		return piece_term(b, &piece);
	expr_t e = from ? in_call(b, o->term) : EXPR_NONE;
	if (e == EXPR_NONE)
		return EXPR_NONE;
	e = resized(b->im->pool, e, (expr_width(b->im->pool, e) + 7) / 8 * 8);
	return low + 8 <= expr_width(b->im->pool, e) ? expr_extract(b->im->pool, e, low, 8) : expr_const(b->im->pool, 8, 0);
}

/* What a form gives an output leaf. */
static expr_t output_term(struct binding *b, const struct compose_form *f, uint32_t leaf)
{
	unsigned width = b->im->trace->nodes[leaf].width;
	expr_t e = EXPR_NONE;

	if (b->im->trace->nodes[leaf].aux == 3) { /* whole: most of them */
		for (size_t i = 0; i < f->outputs.size; i++)
			if (f->outputs.data[i].result && !f->outputs.data[i].place.offset && f->outputs.data[i].term != EXPR_NONE) {
				e = in_call(b, f->outputs.data[i].term);
				return e == EXPR_NONE ? e : resized(b->im->pool, e, width);
			}
		return EXPR_NONE;
	}
	for (unsigned i = (width + 7) / 8; i-- > 0;) {
		expr_t byte = output_byte(b, f, leaf, i);
		if (byte == EXPR_NONE)
			return EXPR_NONE;
		e = e == EXPR_NONE ? byte : expr_concat(b->im->pool, e, byte);
	}
	return resized(b->im->pool, e, width);
}

/* ---------------------------------------------------------------- exactness */

/* Is the place aligned as its width asks for, where the caller's pointer says where it is? */
static int is_aligned(struct binding *b, const struct compose_place *pl)
{
	unsigned bytes = pl->type == PLACE_LENGTH ? 1 : (pl->width + 7) / 8;
	uint64_t at;

	return pl->global || !pl->depth || !compose_address(b->r, b->k, pl, &at) || (bytes & (bytes - 1)) || at % bytes == 0;
}

/* Are the pointers of the call the same for every input? */
static int pointers_fixed(struct binding *b)
{
	for (size_t i = 0; i < b->f->places.size; i++) {
		const struct compose_place *pl = &b->f->places.data[i];
		if (pl->type == PLACE_LENGTH || !is_aligned(b, pl))
			return 0; /* the size of an object may be an input */
		if (pl->type == PLACE_POINTER && b->bound[i] != EXPR_NONE && !expr_is_const(b->im->pool, b->bound[i], NULL))
			return 0;
	}
	return 1;
}

/* Is there memory for it? What pointers lead to is bound where it is there, and may be written (activation.c looks ahead). */
static int is_there(struct binding *b, const struct compose_output *o, uint64_t at)
{
	struct compose_piece pieces[COMPOSE_PIECES];

	return o->place.global || compose_pieces(b->r, b->k, at, (o->place.width + 7) / 8, pieces) > 0;
}

/* Is every byte that the form writes an output leaf of this run? */
static int writes_seen(struct binding *b, const struct compose_form *f)
{
	for (size_t i = 0; i < f->outputs.size; i++) {
		const struct compose_output *o = &f->outputs.data[i];
		uint64_t at = 0;
		if (!o->result && (!compose_address(b->r, b->k, &o->place, &at) || !is_there(b, o, at) || !is_aligned(b, &o->place)))
			return 0;
		for (unsigned n = 0; n < (o->place.width + 7) / 8; n++) {
			uint32_t v = b->k->outputs;
			for (; v != COMPOSE_NONE; v = b->r->values.data[v].next) {
				const struct muster_node *leaf = &b->im->trace->nodes[b->r->values.data[v].label];
				if (leaf->aux == 3 ? o->result && leaf->k == 0 && !o->place.offset : !o->result && at + n - leaf->k < leaf->width / 8u)
					break;
			}
			if (v == COMPOSE_NONE)
				return 0;
		}
	}
	return 1;
}

/* ---------------------------------------------------------------- calls inside */

/* What the form passes to a call inside at a leaf of that; EXPR_NONE: it is not known. */
static expr_t passed(struct binding *b, const struct compose_call *k, const struct compose_inner *in, uint32_t label)
{
	const struct muster_node *n = &b->im->trace->nodes[label];
	struct compose_place p;
	expr_t e = EXPR_NONE;

	for (unsigned byte = 0; byte < (n->aux ? n->width / 8u : 1); byte++) {
		size_t i = 0;
		if (!compose_leaf_place(b->c, b->r, k, label, byte, &p))
			return EXPR_NONE;
		while (i < in->passed.size && !compose_same_place(&in->passed.data[i].place, &p))
			i++;
		expr_t part = i < in->passed.size ? in_call(b, in->passed.data[i].term) : EXPR_NONE;
		if (part == EXPR_NONE)
			return EXPR_NONE;
		e = e == EXPR_NONE ? part : expr_concat(b->im->pool, part, e);
	}
	return e;
}

/* Where a pointer leads is as it is in the run. */
static int is_pointer(const struct binding *b, uint32_t label)
{
	const struct muster_node *n = &b->im->trace->nodes[label];
	return n->width == 64 && compose_object_at(b->r, muster_value(n));
}

/* That the form holds, as far as its conditions are known before the next call inside returns. */
static expr_t holds_before(struct binding *b, const struct compose_form *f)
{
	expr_t e = expr_true(b->im->pool);

	for (size_t i = 0; i < f->pre.size; i++) {
		expr_t one = in_call(b, f->pre.data[i]);
		if (one != EXPR_NONE)
			e = expr_and(b->im->pool, e, one);
	}
	return e;
}

/* Does the form make this call, with the pointers of the run? If so, what it passes joins the choice. */
static int pass(struct binding *b, const struct compose_form *f, const struct compose_call *k, size_t inner, expr_t *choice)
{
	size_t at = 0;

	if (k->callee != f->inner.data[inner].callee)
		return 0;
	expr_t when = holds_before(b, f);
	for (uint32_t v = k->inputs; v != COMPOSE_NONE; v = b->r->values.data[v].next, at++) {
		uint32_t label = b->r->values.data[v].label;
		expr_t e = passed(b, k, &f->inner.data[inner], label);
		if (e == EXPR_NONE || (e != choice[at] && is_pointer(b, label)))
			return 0;
	}
	at = 0;
	for (uint32_t v = k->inputs; v != COMPOSE_NONE; v = b->r->values.data[v].next, at++)
		choice[at] = expr_ite(b->im->pool, when, passed(b, k, &f->inner.data[inner], b->r->values.data[v].label), choice[at]);
	return 1;
}

static void set_term(struct import *im, uint32_t label, expr_t e)
{
	im->memo[label] = e;
	vec_push(&im->known, label);
}

/* The inputs of a call inside: what each form that makes it passes. usable: the forms; those that make another call here are none any more. */
static void pass_inputs(struct binding *b, const struct compose_call *k, size_t inner, uint8_t *usable)
{
	VEC(expr_t) choice = {0};
	size_t at = 0;

	for (uint32_t v = k->inputs; v != COMPOSE_NONE; v = b->r->values.data[v].next)
		vec_push(&choice, leaf_bound(b, b->r->values.data[v].label));
	for (size_t i = 0; i < b->f->forms.size; i++)
		if (usable[i] && i != b->k->fits && b->f->forms.data[i].inner.size > inner)
			usable[i] = (uint8_t)pass(b, &b->f->forms.data[i], k, inner, choice.data);
	for (uint32_t v = k->inputs; v != COMPOSE_NONE; v = b->r->values.data[v].next, at++)
		set_term(b->im, b->r->values.data[v].label, choice.data[at]);
	vec_release(&choice);
}

/* The form makes the calls inside that it has: each is reached if one of such forms holds. */
static void note_reached(struct binding *b, const struct compose_form *f, expr_t pre)
{
	uint32_t at = b->k->inner;

	for (size_t i = 0; i < f->inner.size && at != COMPOSE_NONE; i++, at = b->r->calls.data[at].next) {
		struct compose_call *k = &b->r->calls.data[at];
		k->reached = k->reached == EXPR_NONE ? pre : expr_or(b->im->pool, k->reached, pre);
	}
}

/* A call that is made on some ways only says something about these. */
static void guard(struct exprs *p, struct compose_run *r, struct compose_call *k)
{
	const struct compose_call *up = k->caller == COMPOSE_NONE ? NULL : &r->calls.data[k->caller];

	if (!up || !up->unfolded)
		return;
	if (k->reached == EXPR_NONE)
		k->reached = expr_false(p);
	if (up->reached != EXPR_NONE)
		k->reached = expr_and(p, up->reached, k->reached);
	if (k->holds != EXPR_NONE)
		k->holds = expr_or(p, expr_not(p, k->reached), k->holds);
	if (k->escapes != EXPR_NONE)
		k->escapes = expr_and(p, k->reached, k->escapes);
	if (k->fails != EXPR_NONE)
		k->fails = expr_and(p, k->reached, k->fails);
	for (uint32_t i = k->failing; i < k->failing_end; i++)
		r->failing.data[i] = expr_and(p, k->reached, r->failing.data[i]);
}

/* ---------------------------------------------------------------- calls */

struct choice {
	expr_t pre;
	uint32_t form;
};

static void bind_call(struct binding *b, struct compose_call *k);

/* The calls inside of one that is unfolded, in the order in which they were made. */
static void bind_inner(struct binding *b, const struct compose_call *k, uint8_t *usable)
{
	uint32_t number = 0;

	for (size_t i = 0; i < b->f->forms.size; i++)
		usable[i] = 1;
	for (uint32_t at = k->inner; at != COMPOSE_NONE; at = b->r->calls.data[at].next) {
		struct binding inside = *b;
		pass_inputs(b, &b->r->calls.data[at], number++, usable);
		bind_call(&inside, &b->r->calls.data[at]);
		for (size_t i = 0; i < b->f->places.size; i++)
			if (b->f->places.data[i].left_by == number)
				b->bound[i] = place_term(b, &b->f->places.data[i]);
	}
	for (size_t i = 0; i < b->f->forms.size; i++)
		usable[i] = usable[i] && b->f->forms.data[i].inner.size <= number;
}

static void bind_call(struct binding *b, struct compose_call *k)
{
	struct compose_callee *f = &b->c->callees.data[k->callee];
	const struct compose_config *g = f->own ? NULL : &f->configs.data[k->config];
	struct exprs *p = b->im->pool;
	VEC(struct choice) choices = {0};
	int missing = f->dropped > 0;

	b->k = k;
	b->f = f;
	k->forms = f->forms.size;
	b->bound = mem_zalloc((f->places.size + 1) * sizeof *b->bound);
	for (size_t i = 0; i < f->places.size; i++)
		b->bound[i] = f->places.data[i].left_by ? EXPR_NONE : place_term(b, &f->places.data[i]);
	uint8_t *usable = mem_zalloc(f->forms.size + 1);
	if (f->own)
		bind_inner(b, k, usable);
	k->exact = !f->own && pointers_fixed(b);
	k->holds = expr_false(p);
	k->fails = expr_false(p);
	k->failing = (uint32_t)b->r->failing.size;
	for (uint32_t i = 0; i < f->forms.size; i++) {
		expr_t pre = g ? g->pre[i] : f->forms.data[i].own;
		if (pre == expr_false(f->l->pool))
			continue;
		if (pre != EXPR_NONE && (g || usable[i]))
			pre = in_call(b, pre);
		else
			pre = EXPR_NONE;
		if (pre != EXPR_NONE && f->forms.data[i].fails) {
			k->fails = expr_or(p, k->fails, pre);
			if (pre != expr_false(p))
				vec_push(&b->r->failing, pre);
			continue;
		}
		int said = pre != EXPR_NONE && compose_says_all(b->r, k, &f->forms.data[i]);
		for (uint32_t v = k->outputs; v != COMPOSE_NONE && said; v = b->r->values.data[v].next)
			said = output_term(b, &f->forms.data[i], b->r->values.data[v].label) != EXPR_NONE;
		if (!said) {
			missing = 1;
			continue;
		}
		k->exact = k->exact && writes_seen(b, &f->forms.data[i]);
		note_reached(b, &f->forms.data[i], pre);
		k->holds = expr_or(p, k->holds, pre);
		vec_push(&choices, (struct choice){pre, i});
	}
	for (uint32_t v = k->outputs; v != COMPOSE_NONE && choices.size; v = b->r->values.data[v].next) {
		uint32_t label = b->r->values.data[v].label;
		expr_t e = output_term(b, &f->forms.data[vec_last(&choices).form], label);
		for (size_t i = choices.size - 1; i-- > 0;)
			e = expr_ite(p, choices.data[i].pre, output_term(b, &f->forms.data[choices.data[i].form], label), e);
		set_term(b->im, label, e);
	}
	k->escapes = g && !missing && compose_whole(b->c, f, &f->configs.data[k->config]) ? EXPR_NONE : expr_not(p, expr_or(p, k->holds, k->fails));
	if (k->escapes == expr_false(p))
		k->escapes = EXPR_NONE;
	k->failing_end = (uint32_t)b->r->failing.size;
	if (k->fails == expr_false(p))
		k->fails = EXPR_NONE;
	if (k->escapes == EXPR_NONE && k->fails == EXPR_NONE)
		k->holds = EXPR_NONE;
	free(b->bound);
	free(usable);
	vec_release(&choices);
}

void compose_bind(struct compose *c, struct compose_run *r, struct import *im)
{
	struct binding b = {.c = c, .r = r, .im = im, .memos = mem_zalloc((c->callees.size + 1) * sizeof *b.memos)};

	vec_clear(&r->failing);
	for (size_t i = 0; i < r->replaced.size; i++)
		r->calls.data[r->replaced.data[i]].reached = EXPR_NONE;
	for (size_t i = 0; i < r->outermost.size; i++)
		bind_call(&b, &r->calls.data[r->outermost.data[i]]);
	for (size_t i = 0; i < r->replaced.size; i++)
		guard(im->pool, r, &r->calls.data[r->replaced.data[i]]);
	for (size_t i = 0; i < c->callees.size; i++)
		expr_import_release(&b.memos[i]);
	free(b.memos);
}
