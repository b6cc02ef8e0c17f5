/* answer.c: questions about the points of an analysis.
 *
 * An answer is made from the state of each run (iterate.c) at the point: for each pack a copy of its element gets a dimension for each wanted symbol,
 * set to that symbol's expression, and is then projected on these. Runs whose answer says nothing that another one does not are left out, and
 * two runs whose union is one element, as far as integers go, are put together.
 */
#include "absint/absint.h"
#include "absint/inside.h"
#include "absint/modular.h"

#include <string.h>

/* One case while it is made: an element over the wanted symbols for each pack. */
struct part {
	VEC(struct domain *) elements; /* beside a->packs */
	const linear_list *assumed;    /* over symbols; NULL: two parts were put together */
	int dropped;
};

struct answer {
	struct absint *a;
	const struct absint_symbol *wanted;
	size_t n;
	struct domain_bounds *ranges; /* of the wanted symbols */
	VEC(struct part) parts;
};

static int wanted_form(struct absint *a, const struct state *s, const struct absint_symbol *w,
		       struct linear *out)
{
	uint32_t symbol = NONE;
	switch (w->kind) {
	case ABSINT_VALUE:
		return form(a, s, w->id, w->is_signed, out);
	case ABSINT_COUNTER:
		symbol = a->counter[w->id];
		break;
	case ABSINT_TOTAL:
		symbol = a->total[w->id];
		break;
	case ABSINT_CELL:
		symbol = a->cell_symbol[w->id];
		break;
	case ABSINT_OLD_CELL:
		symbol = a->old_symbol[w->id];
		break;
	}
	if (symbol == NONE)
		return 0;
	*out = linear_dim(symbol);
	/* A cell's symbol has a reading of its own. */
	const struct absint_symbol *y = &a->symbols.data[symbol].means;
	if (!y->width || w->is_signed == y->is_signed ||
	    form_fits(a, s, out, y->width, w->is_signed))
		return 1;
	linear_release(out);
	return 0;
}

static struct domain *project(struct answer *q, const struct state *s, uint32_t pack,
			      const struct linear *forms, const uint8_t *known)
{
	struct domain *d = domain_copy(s->packs[pack]->d);
	unsigned dims = domain_dims(d);
	uint32_t *keep = mem_alloc((q->n + 1) * sizeof *keep);
	domain_extend(d, (unsigned)q->n);
	for (size_t i = 0; i < q->n; i++) {
		struct linear mapped;
		keep[i] = dims + (uint32_t)i;
		if (!known[i])
			continue;
		if (state_map(q->a, pack, &forms[i], &mapped, NULL))
			domain_assign(d, keep[i], &mapped);
		linear_release(&mapped);
	}
	domain_project(d, keep, (unsigned)q->n);
	free(keep);
	return d;
}

static void add_part(struct answer *q, const struct run *r, const struct state *s)
{
	struct part part = {.assumed = &r->assumed};
	struct linear *forms = mem_zalloc((q->n + 1) * sizeof *forms);
	uint8_t *known = mem_zalloc(q->n + 1);
	for (size_t i = 0; i < q->n; i++)
		known[i] = (uint8_t)wanted_form(q->a, s, &q->wanted[i], &forms[i]);
	for (uint32_t p = 0; p < q->a->packs.size; p++)
		vec_push(&part.elements, project(q, s, p, forms, known));
	for (size_t i = 0; i < q->n; i++)
		if (known[i])
			linear_release(&forms[i]);
	free(forms);
	free(known);
	vec_push(&q->parts, part);
}

/* The run's assumption in terms of the wanted symbols; 0: they do not all name it. */
static int assume(const struct answer *q, struct domain *d, const struct part *part)
{
	if (!part->assumed)
		return 0;
	for (size_t i = 0; i < part->assumed->size; i++) {
		const struct linear *l = &part->assumed->data[i];
		struct linear mapped = linear_constant(l->constant);
		mapped.kind = l->kind;
		for (size_t t = 0; t < l->terms.size; t++) {
			const struct absint_symbol *y =
			    &q->a->symbols.data[l->terms.data[t].dim].means;
			size_t k = 0;
			while (k < q->n && memcmp(&q->wanted[k], y, sizeof *y) != 0)
				k++;
			if (k == q->n) {
				linear_release(&mapped);
				return 0;
			}
			linear_add_dim(&mapped, (uint32_t)k, l->terms.data[t].coef);
		}
		domain_add(d, &mapped);
		linear_release(&mapped);
	}
	return 1;
}

/* Is what the hull says under the part's assumption no more than the part? */
static int covered(const struct answer *q, const struct domain *hull, const struct part *part,
		   size_t p)
{
	struct domain *d = domain_copy(hull);
	int ok = assume(q, d, part) && domain_includes(part->elements.data[p], d);
	domain_free(d);
	return ok;
}

static int part_includes(const struct part *x, const struct part *y)
{
	for (size_t p = 0; p < x->elements.size; p++)
		if (!domain_includes(x->elements.data[p], y->elements.data[p]))
			return 0;
	return 1;
}

/* Half-spaces that together have all integer points outside of the element. */
static void outside(const struct domain *d, linear_list *out)
{
	linear_list facts = {0};
	domain_facts(d, &facts);
	for (size_t i = 0; i < facts.size; i++) {
		struct linear *l = &facts.data[i];
		for (int side = l->kind == LINEAR_EQ ? 1 : -1; side >= -1; side -= 2) {
			struct linear beyond = linear_copy(l);
			beyond.kind = LINEAR_GE;
			linear_scale(&beyond, side);
			beyond.constant--;
			vec_push(out, beyond);
		}
	}
	linear_list_release(&facts);
}

/* Is there no point of it in the ranges of the types? */
static int no_point_within(const struct answer *q, const struct domain *d)
{
	struct linear nothing = {0};
	struct domain_bounds b = domain_bounds_within(d, &nothing, q->ranges);
	return b.has_min && b.has_max && b.min > b.max;
}

#define CORNERS_MOST 400 /* pairs of facts that are looked at */

/* Beyond a fact of x and beyond one of y: does the one begin where the other ends? Cheap to ask, and elements whose hull is exact have such a pair. */
static int are_opposite(const struct linear *x, const struct linear *y)
{
	if (x->terms.size != y->terms.size || x->constant + y->constant < -1)
		return 0;
	for (size_t i = 0; i < x->terms.size; i++)
		if (x->terms.data[i].dim != y->terms.data[i].dim || x->terms.data[i].coef != -y->terms.data[i].coef)
			return 0;
	return 1;
}

static int has_face_between(const linear_list *of_x, const linear_list *of_y)
{
	for (size_t i = 0; i < of_x->size; i++)
		for (size_t k = 0; k < of_y->size; k++)
			if (are_opposite(&of_x->data[i], &of_y->data[k]))
				return 1;
	return 0;
}

/* The hull, if it has no integer point that neither element has; NULL: it may have. */
static struct domain *exact_hull(const struct answer *q, const struct domain *x, const struct domain *y)
{
	linear_list of_x = {0}, of_y = {0};
	struct domain *hull = NULL;
	outside(x, &of_x);
	outside(y, &of_y);
	int exact = of_x.size * of_y.size <= CORNERS_MOST && has_face_between(&of_x, &of_y);
	if (exact) {
		hull = domain_copy(x);
		domain_join(hull, y);
	}
	for (size_t i = 0; i < of_x.size && exact; i++) {
		struct domain *d = domain_copy(hull);
		domain_add(d, &of_x.data[i]);
		for (size_t k = 0; k < of_y.size && exact && !no_point_within(q, d); k++) {
			struct domain *corner = domain_copy(d);
			domain_add(corner, &of_y.data[k]);
			exact = no_point_within(q, corner);
			domain_free(corner);
		}
		domain_free(d);
	}
	linear_list_release(&of_x);
	linear_list_release(&of_y);
	if (exact)
		return hull;
	domain_free(hull);
	return NULL;
}

/* y goes into x if each pack's hull says no more under the parts' assumptions. */
static int merge_assumed(struct answer *q, struct part *x, struct part *y)
{
	int ok = 1;
	struct domain **hulls = mem_zalloc((x->elements.size + 1) * sizeof *hulls);
	for (size_t p = 0; p < x->elements.size && ok; p++) {
		hulls[p] = domain_copy(x->elements.data[p]);
		domain_join(hulls[p], y->elements.data[p]);
		ok = covered(q, hulls[p], x, p) && covered(q, hulls[p], y, p);
	}
	for (size_t p = 0; p < x->elements.size; p++) {
		if (ok) {
			domain_free(x->elements.data[p]);
			x->elements.data[p] = hulls[p];
		} else {
			domain_free(hulls[p]);
		}
	}
	free(hulls);
	return ok;
}

/* The same if only one pack differs, and its hull has no more points. */
static int merge_exact(struct answer *q, struct part *x, struct part *y)
{
	size_t differ = 0, at = 0;
	for (size_t p = 0; p < x->elements.size && differ < 2; p++)
		if (!domain_includes(x->elements.data[p], y->elements.data[p]) ||
		    !domain_includes(y->elements.data[p], x->elements.data[p])) {
			differ++;
			at = p;
		}
	struct domain *hull = differ == 1 ? exact_hull(q, x->elements.data[at], y->elements.data[at]) : NULL;
	if (!hull)
		return 0;
	domain_free(x->elements.data[at]);
	x->elements.data[at] = hull;
	return 1;
}

/* y goes into x if nothing is lost. */
static int merge(struct answer *q, struct part *x, struct part *y)
{
	if (part_includes(x, y))
		return 1;
	if (part_includes(y, x)) {
		struct part t = *x;
		*x = *y;
		*y = t;
		return 1;
	}
	if (!(x->assumed && y->assumed && merge_assumed(q, x, y)) && !merge_exact(q, x, y))
		return 0;
	x->assumed = NULL;
	return 1;
}

static void release_part(struct part *p)
{
	for (size_t i = 0; i < p->elements.size; i++)
		domain_free(p->elements.data[i]);
	vec_release(&p->elements);
}

static const struct state *state_at(const struct absint *a, const struct run *r,
				    struct absint_point p)
{
	if (p.successor == ABSINT_ENTRY)
		return r->entry[p.block];
	return r->edge[a->f->blocks[p.block].first_edge + p.successor];
}

static struct state *state_at_end(struct absint *a, struct run *r, uint32_t block)
{
	struct state *s = state_copy(a, r->entry[block]);
	if (s)
		transfer_block(a, s, block);
	return s;
}

static int out_of_range(const struct answer *q, const struct part *part)
{
	for (size_t p = 0; p < part->elements.size; p++)
		if (no_point_within(q, part->elements.data[p]))
			return 1;
	return 0;
}

static void ask(struct answer *q, struct absint_point p)
{
	struct absint *a = q->a;
	q->ranges = mem_zalloc((q->n + 1) * sizeof *q->ranges);
	for (size_t i = 0; i < q->n; i++)
		if (q->wanted[i].width)
			q->ranges[i] = (struct domain_bounds){1, 1, symbol_min(&q->wanted[i]),
							      symbol_max(&q->wanted[i])};
	int report =
	    p.successor == ABSINT_ENTRY && (a->f->blocks[p.block].flags & CODE_BLOCK_REPORT);
	for (size_t i = 0; i < a->runs.size; i++) {
		struct state *made = NULL;
		if (report)
			made = iterate_report(a, &a->runs.data[i], p.block);
		else if (p.successor == ABSINT_END)
			made = state_at_end(a, &a->runs.data[i], p.block);
		const struct state *s =
		    report || p.successor == ABSINT_END ? made : state_at(a, &a->runs.data[i], p);
		if (s)
			add_part(q, &a->runs.data[i], s);
		state_free(a, made);
	}
	for (size_t i = 0; i < q->parts.size; i++)
		for (size_t k = i + 1; k < q->parts.size && !q->parts.data[i].dropped; k++)
			if (!q->parts.data[k].dropped && merge(q, &q->parts.data[i], &q->parts.data[k])) {
				q->parts.data[k].dropped = 1;
				k = i; /* it has grown: again from the first after it */
			}
	size_t n = 0, several = q->parts.size > 1;
	for (size_t i = 0; i < q->parts.size; i++) {
		if (q->parts.data[i].dropped || (several && out_of_range(q, &q->parts.data[i])))
			release_part(&q->parts.data[i]);
		else
			q->parts.data[n++] = q->parts.data[i];
	}
	q->parts.size = n;
}

static void release_answer(struct answer *q)
{
	for (size_t i = 0; i < q->parts.size; i++)
		release_part(&q->parts.data[i]);
	vec_release(&q->parts);
	free(q->ranges);
}

/* Inequalities with larger factors are what is left of the hull of something that wraps. */
#define FACTOR_MOST 4096

/* Is the fact true for all values of the types, or nothing that anybody could use? */
static int trivial(const struct answer *q, const struct linear *l)
{
	wide min = l->constant;
	if (l->kind != LINEAR_GE)
		return 0;
	for (size_t i = 0; i < l->terms.size; i++)
		if (l->terms.data[i].coef > FACTOR_MOST || l->terms.data[i].coef < -FACTOR_MOST)
			return 1;
	for (size_t i = 0; i < l->terms.size; i++) {
		const struct linear_term *t = &l->terms.data[i];
		if (!q->ranges[t->dim].has_min)
			return 0;
		min += t->coef * (t->coef > 0 ? q->ranges[t->dim].min : q->ranges[t->dim].max);
	}
	return min >= 0;
}

static void facts_of(const struct answer *q, const struct part *part, linear_list *out)
{
	linear_list all = {0};
	for (size_t p = 0; p < part->elements.size; p++)
		domain_facts(part->elements.data[p], &all);
	for (size_t i = 0; i < all.size; i++) {
		int known = trivial(q, &all.data[i]);
		for (size_t k = 0; k < out->size && !known; k++)
			known = linear_equal(&out->data[k], &all.data[i]);
		if (known)
			linear_release(&all.data[i]);
		else
			vec_push(out, all.data[i]);
	}
	vec_release(&all);
}

/* What holds of the wanted symbols modulo 2^width, where it does not hold of the integers anyway.
 */
static void add_modular(struct answer *q, struct absint_point at, struct part *part,
			linear_list *out)
{
	for (size_t i = 0; i < q->n; i++) {
		struct linear fact;
		if (!modular_fact(q->a, at, q->wanted, q->n, i, &fact))
			continue;
		int known = 0;
		for (size_t p = 0; p < part->elements.size && !known; p++) {
			struct domain_bounds b =
			    domain_bounds_within(part->elements.data[p], &fact, q->ranges);
			known = b.has_min && b.has_max && b.min == b.max;
		}
		if (known)
			linear_release(&fact);
		else
			vec_push(out, fact);
	}
}

/* Puts what an equation of the part says in the place of hidden symbols; 0: some are left. */
static int reveal(const struct answer *q, const struct part *part, size_t n, struct linear *fact)
{
	linear_list all = {0};
	for (size_t p = 0; p < part->elements.size; p++)
		domain_facts(part->elements.data[p], &all);
	for (uint32_t h = (uint32_t)n; h < q->n; h++)
		for (size_t i = 0; i < all.size && linear_coef(fact, h); i++) {
			struct linear by = linear_copy(&all.data[i]);
			int64_t c = linear_coef(&by, h);
			int ok = by.kind == LINEAR_EQ && (c == 1 || c == -1);
			for (size_t k = 0; k < by.terms.size; k++)
				ok &= by.terms.data[k].dim < n || by.terms.data[k].dim == h;
			if (ok) {
				linear_add_dim(&by, h, -c);
				linear_scale(&by, -c);
				linear_substitute(fact, h, &by);
			}
			linear_release(&by);
		}
	linear_list_release(&all);
	for (size_t k = 0; k < fact->terms.size; k++)
		if (fact->terms.data[k].dim >= n)
			return 0;
	return !fact->overflow;
}

static void hide(struct answer *q, struct part *part, size_t n)
{
	uint32_t *keep = mem_alloc((n + 1) * sizeof *keep);
	for (size_t i = 0; i < n; i++)
		keep[i] = (uint32_t)i;
	for (size_t p = 0; p < part->elements.size && n < q->n; p++)
		domain_project(part->elements.data[p], keep, (unsigned)n);
	free(keep);
}

void absint_at_hiding(struct absint *a, struct absint_point p, const struct absint_symbol *wanted,
		      size_t n, size_t hidden, struct absint_facts *out)
{
	struct answer q = {.a = a, .wanted = wanted, .n = n + hidden};
	memset(out, 0, sizeof *out);
	ask(&q, p);
	for (size_t i = 0; i < q.parts.size; i++) {
		struct part *part = &q.parts.data[i];
		struct absint_case c = {0};
		linear_list modular = {0};
		add_modular(&q, p, part, &modular);
		for (size_t k = 0; k < modular.size && hidden; k++)
			modular.data[k].overflow |= !reveal(&q, part, n, &modular.data[k]);
		hide(&q, part, n);
		facts_of(&q, part, &c.facts);
		for (size_t k = 0; k < modular.size; k++)
			if (modular.data[k].overflow)
				linear_release(&modular.data[k]);
			else
				vec_push(&c.facts, modular.data[k]);
		vec_release(&modular);
		vec_push(&out->cases, c);
	}
	release_answer(&q);
}

void absint_at(struct absint *a, struct absint_point p, const struct absint_symbol *wanted,
	       size_t n, struct absint_facts *out)
{
	absint_at_hiding(a, p, wanted, n, 0, out);
}

void absint_facts_release(struct absint_facts *f)
{
	for (size_t i = 0; i < f->cases.size; i++)
		linear_list_release(&f->cases.data[i].facts);
	vec_release(&f->cases);
}

/* What all packs of a part say about an expression. */
static struct domain_bounds part_bounds(const struct answer *q, const struct part *part,
					const struct linear *e)
{
	struct domain_bounds r = {0};
	for (size_t p = 0; p < part->elements.size; p++) {
		struct domain_bounds b = domain_bounds_within(part->elements.data[p], e, q->ranges);
		if (b.has_min && (!r.has_min || b.min > r.min)) {
			r.has_min = 1;
			r.min = b.min;
		}
		if (b.has_max && (!r.has_max || b.max < r.max)) {
			r.has_max = 1;
			r.max = b.max;
		}
	}
	return r;
}

static int no_point(struct domain_bounds b)
{
	return b.has_min && b.has_max && b.min > b.max;
}

struct domain_bounds absint_bounds(struct absint *a, struct absint_point p,
				   const struct absint_symbol *wanted, size_t n,
				   const struct linear *expression)
{
	struct answer q = {.a = a, .wanted = wanted, .n = n};
	struct domain_bounds r = {1, 1, 1, 0};
	ask(&q, p);
	for (size_t i = 0; i < q.parts.size; i++) {
		struct domain_bounds b = part_bounds(&q, &q.parts.data[i], expression);
		if (no_point(b))
			continue;
		if (no_point(r)) {
			r = b;
			continue;
		}
		r.has_min &= b.has_min;
		r.has_max &= b.has_max;
		r.min = b.min < r.min ? b.min : r.min;
		r.max = b.max > r.max ? b.max : r.max;
	}
	release_answer(&q);
	return r;
}

/* ------------------------------------------------------------------- reach */
/* Can execution that is at the point have been in the loop? */
static int may_have_run(const struct absint *a, uint32_t loop, uint32_t block)
{
	if (a->counter[loop] == NONE)
		return 0;
	for (size_t i = 0; i < a->runs.size; i++)
		if (a->runs.data[i].entry[a->f->loops[loop].header])
			return code_dominates(a->f, a->f->loops[loop].header, block) ||
			       code_in_loop(a->f, loop, block);
	return 0;
}

/* Was the outermost loop around this one certainly entered before the block? */
static int entered(const struct absint *a, uint32_t loop, uint32_t block)
{
	while (a->f->loops[loop].parent != CODE_NONE)
		loop = a->f->loops[loop].parent;
	return code_dominates(a->f, a->f->loops[loop].header, block) ||
	       code_in_loop(a->f, loop, block);
}

static void reach_part(struct answer *q, struct part *part, const struct linear *given, size_t n,
		       struct absint_reach *out)
{
	struct absint_reach_case c = {0};
	struct linear nothing = {0};
	for (size_t p = 0; p < part->elements.size; p++)
		for (size_t i = 0; i < n; i++)
			domain_add(part->elements.data[p], &given[i]);
	if (no_point(part_bounds(q, part, &nothing)))
		return;
	facts_of(q, part, &c.facts);
	for (size_t i = q->a->inputs.size; i < q->n; i++) {
		struct linear counter = linear_dim((uint32_t)i);
		struct domain_bounds b = part_bounds(q, part, &counter);
		vec_push(&c.counters, b);
		linear_release(&counter);
	}
	vec_push(&out->cases, c);
}

void absint_reach(struct absint *a, struct absint_point p, const struct linear *given, size_t n,
		  struct absint_reach *out)
{
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < a->inputs.size; i++)
		vec_push(&out->symbols, a->inputs.data[i]);
	for (uint32_t l = 0; l < a->f->loop_count; l++)
		if (may_have_run(a, l, p.block))
			vec_push(&out->symbols, absint_counter(a, l));
	for (uint32_t l = 0; l < a->f->loop_count; l++)
		if (a->total[l] != NONE && entered(a, l, p.block))
			vec_push(&out->symbols, absint_total(a, l));
	struct answer q = {.a = a, .wanted = out->symbols.data, .n = out->symbols.size};
	ask(&q, p);
	for (size_t i = 0; i < q.parts.size; i++)
		reach_part(&q, &q.parts.data[i], given, n, out);
	release_answer(&q);
}

void absint_reach_release(struct absint_reach *r)
{
	for (size_t i = 0; i < r->cases.size; i++) {
		linear_list_release(&r->cases.data[i].facts);
		vec_release(&r->cases.data[i].counters);
	}
	vec_release(&r->cases);
	vec_release(&r->symbols);
}
