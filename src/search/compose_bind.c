/* compose_bind.c: the disjunction of summaries in the place of a call.
 *
 * Each output of a replaced call becomes a choice between what the summaries give it: P1 ? q1 : P2 ? q2 : ... with the call's actual values put in for places. The function is
 * deterministic, so where two preconditions hold at once both give the same, and the order does not matter. The last one needs no condition: that one of them holds is a constraint of its own
 * (`holds`), which can be left out where they cover every state and none of them fails.
 *
 * Calls are bound in the order in which they began. What a call gets from an earlier one has its term by then, so terms nest as calls do and the cost is that of the terms.
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

/* What a leaf of the call is in its caller. */
static expr_t leaf_bound(struct binding *b, uint32_t label)
{
	const struct muster_node *n = &b->im->trace->nodes[label];
	return n->a ? import_label(b->im, n->a) : expr_const(b->im->pool, n->width, muster_value(n));
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

/* ---------------------------------------------------------------- calls */

static void set_term(struct import *im, uint32_t label, expr_t e)
{
	im->memo[label] = e;
	vec_push(&im->known, label);
}

struct choice {
	expr_t pre;
	uint32_t form;
};

static void bind_call(struct binding *b, struct compose_call *k)
{
	struct compose_callee *f = &b->c->callees.data[k->callee];
	struct compose_config *g = &f->configs.data[k->config];
	struct exprs *p = b->im->pool;
	VEC(struct choice) choices = {0};
	int missing = f->dropped > 0;

	b->k = k;
	b->f = f;
	b->bound = mem_zalloc((f->places.size + 1) * sizeof *b->bound);
	for (size_t i = 0; i < f->places.size; i++)
		b->bound[i] = place_term(b, &f->places.data[i]);
	k->exact = pointers_fixed(b);
	k->holds = expr_false(p);
	k->fails = expr_false(p);
	k->failing = (uint32_t)b->r->failing.size;
	for (uint32_t i = 0; i < f->forms.size; i++) {
		if (g->pre[i] == expr_false(f->l->pool))
			continue;
		expr_t pre = g->pre[i] == EXPR_NONE ? EXPR_NONE : in_call(b, g->pre[i]);
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
		k->exact &= writes_seen(b, &f->forms.data[i]);
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
	k->escapes = !missing && compose_whole(b->c, f, g) ? EXPR_NONE : expr_not(p, expr_or(p, k->holds, k->fails));
	if (k->escapes == expr_false(p))
		k->escapes = EXPR_NONE;
	k->failing_end = (uint32_t)b->r->failing.size;
	if (k->fails == expr_false(p))
		k->fails = EXPR_NONE;
	if (k->escapes == EXPR_NONE && k->fails == EXPR_NONE)
		k->holds = EXPR_NONE;
	free(b->bound);
	vec_release(&choices);
}

void compose_bind(struct compose *c, struct compose_run *r, struct import *im)
{
	vec_clear(&r->failing);
	struct binding b = {.c = c, .r = r, .im = im, .memos = mem_zalloc((c->callees.size + 1) * sizeof *b.memos)};

	for (size_t i = 0; i < r->replaced.size; i++)
		bind_call(&b, &r->calls.data[r->replaced.data[i]]);
	for (size_t i = 0; i < c->callees.size; i++)
		expr_import_release(&b.memos[i]);
	free(b.memos);
}
