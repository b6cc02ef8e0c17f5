/* vars.c: which variables a term has.
 *
 * A path's terms have sets that grow slowly: a checksum over n bytes has n sums, and the
 * i-th has i variables. Kept one by one that would be n * n / 2. Three things avoid it:
 *
 * 1. Sharing. A set is a slice of a region (a growing array with room at both ends). The
 *    union of a set and a few later (or earlier) variables is a longer slice of the same
 *    region, if no other set has used the place; a union that adds nothing is the
 *    larger set itself.
 * 2. Laziness. A union that neither of these nor a copy of at most SMALL variables gives is
 *    not made: the term is "lazy". If it is asked for, a walk from it down to terms that have sets
 *    collects them; the walk marks what it saw.
 * 3. Stepping stones. When a chain of lazy terms is as long as the set at its end is
 *    large, the set is made after all, so that no walk passes much more terms than it finds
 * variables.
 *
 * Cost: near linear over a path whose constraints use the input in ascending, descending or local
 * order. What remains is the output itself: m terms that are asked for, with n variables each in no
 * order that slices can share, cost m * n.
 *
 * Invariant: a slice is sorted and never changes; a region changes only outside all of its slices.
 */
#include "expr/pool.h"

#include <stdlib.h>
#include <string.h>

#define SMALL 32       /* variables that may be copied for any term */
#define FEW 16	       /* variables that may be looked up in a larger set */
#define STONE_LEAST 64 /* lazy terms in a row before a set is made anyway */

struct region {
	expr_t *base;
	uint32_t cap, from, to; /* used: base[from .. to) */
};

struct slice {
	expr_t *data;
	uint32_t count;
	uint32_t region;
};

struct term_set {
	uint32_t set;  /* 0: lazy or not known */
	uint32_t lazy; /* lazy terms in a row, up to this one */
	uint32_t size; /* of a lazy term: that of the largest set below it */
};

struct expr_sets {
	struct term_set *of; /* by id */
	uint32_t cap;
	VEC(struct slice) slices;
	VEC(struct region) regions;
	VEC(expr_t) found; /* scratch */
	VEC(expr_t) stack; /* of collect */
	VEC(expr_t) work;  /* of expr_vars */
};

#define NO_SET 0u
#define EMPTY_SET 1u

void expr_sets_free(struct exprs *p)
{
	struct expr_sets *s = p->sets;
	if (!s)
		return;
	free(s->of);
	vec_release(&s->slices);
	vec_release(&s->regions);
	vec_release(&s->found);
	vec_release(&s->stack);
	vec_release(&s->work);
	free(s);
	p->sets = NULL;
}

static struct expr_sets *sets_of(struct exprs *p)
{
	struct expr_sets *s = p->sets;
	if (!s) {
		s = p->sets = mem_zalloc(sizeof *s);
		vec_push(&s->slices, (struct slice){0});
		vec_push(&s->slices, (struct slice){0}); /* EMPTY_SET */
		vec_push(&s->regions, (struct region){0});
	}
	if (s->cap < p->count) {
		s->of = mem_realloc(s->of, p->cap, sizeof *s->of);
		memset(s->of + s->cap, 0, (p->cap - s->cap) * sizeof *s->of);
		s->cap = p->cap;
	}
	return s;
}

/* ---------------------------------------------------------- making sets */

/* A region with these variables somewhere in it and room around them. Returns the set. */
static uint32_t new_set(struct exprs *p, const expr_t *vars, uint32_t count)
{
	struct expr_sets *s = p->sets;
	struct region r = {.cap = count < 2 ? 4 : count < 64 ? count * 2 : count + count / 4};
	r.base = arena_alloc(&p->arena, r.cap * sizeof *r.base);
	r.from = (r.cap - count) / 4;
	r.to = r.from + count;
	memcpy(r.base + r.from, vars, count * sizeof *vars);
	vec_push(&s->slices, (struct slice){r.base + r.from, count, (uint32_t)s->regions.size});
	vec_push(&s->regions, r);
	return (uint32_t)s->slices.size - 1;
}

/* The set with `extra` after it (or before it), in place if the place is free or already holds
 * just that; in a larger region if this one is full; NO_SET if others use the place. */
static uint32_t extend(struct exprs *p, uint32_t set, const expr_t *extra, uint32_t count,
		       int behind)
{
	struct expr_sets *s = p->sets;
	struct slice old = s->slices.data[set];
	struct region *r = &s->regions.data[old.region];
	uint32_t at = (uint32_t)(old.data - r->base), end = at + old.count;
	uint32_t used = behind ? r->to - end : at - r->from,
		 room = behind ? r->cap - end : at; /* beyond the slice */
	if (used >= count) {
		const expr_t *there = behind ? old.data + old.count : old.data - count;
		if (memcmp(there, extra, count * sizeof *extra))
			return NO_SET;
	} else if (used) {
		return NO_SET;
	} else if (room < count) {
		uint32_t moved = new_set(p, old.data, old.count);
		r = &s->regions.data[s->slices.data[moved].region];
		if ((behind ? r->cap - r->to : r->from) < count)
			return NO_SET;
		return extend(p, moved, extra, count, behind);
	} else {
		memcpy(behind ? old.data + old.count : old.data - count, extra,
		       count * sizeof *extra);
		if (behind)
			r->to += count;
		else
			r->from -= count;
	}
	old.count += count;
	if (!behind)
		old.data -= count;
	vec_push(&s->slices, old);
	return (uint32_t)s->slices.size - 1;
}

static int contains(const struct slice *s, expr_t x)
{
	uint32_t low = 0, high = s->count;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (s->data[mid] < x)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->count && s->data[low] == x;
}

static uint32_t merge_small(struct exprs *p, const struct slice *a, const struct slice *b)
{
	expr_t out[SMALL];
	uint32_t n = 0, i = 0, j = 0;
	while (i < a->count || j < b->count) {
		if (j == b->count || (i < a->count && a->data[i] <= b->data[j])) {
			j += j < b->count && a->data[i] == b->data[j];
			out[n++] = a->data[i++];
		} else {
			out[n++] = b->data[j++];
		}
	}
	return new_set(p, out, n);
}

/* The union, or NO_SET if it would have to be copied and is not small. */
static uint32_t unite(struct exprs *p, uint32_t a, uint32_t b)
{
	struct expr_sets *s = p->sets;
	if (a == b || b == EMPTY_SET)
		return a;
	if (a == EMPTY_SET)
		return b;
	if (s->slices.data[a].count < s->slices.data[b].count) {
		uint32_t swap = a;
		a = b;
		b = swap;
	}
	struct slice large = s->slices.data[a], few = s->slices.data[b];
	if (few.region == large.region && few.data >= large.data &&
	    few.data + few.count <= large.data + large.count)
		return a;
	if (few.count > FEW && few.count + large.count > SMALL)
		return NO_SET;
	expr_t missing[SMALL];
	uint32_t n = 0;
	for (uint32_t i = 0; i < few.count; i++)
		if (!contains(&large, few.data[i]))
			missing[n++] = few.data[i];
	if (!n)
		return a;
	uint32_t below = 0;
	while (below < n && missing[below] < large.data[0])
		below++;
	uint32_t r = NO_SET;
	if (below == n || below == 0 || missing[below] > large.data[large.count - 1]) {
		r = a;
		if (n > below) {
			int after = missing[below] > large.data[large.count - 1];
			r = after ? extend(p, r, missing + below, n - below, 1) : NO_SET;
		}
		if (r && below)
			r = extend(p, r, missing, below, 0);
	}
	if (!r && few.count + large.count <= SMALL)
		r = merge_small(p, &large, &few);
	return r;
}

/* ------------------------------------------------------------ collecting */

static int ascending(const void *x, const void *y)
{
	expr_t a = *(const expr_t *)x, b = *(const expr_t *)y;
	return a < b ? -1 : a > b;
}

/* Puts what has a set into `found`, and lazy terms on the stack. */
static void visit(struct exprs *p, expr_t e)
{
	struct expr_sets *s = p->sets;
	if (p->mark[e] == p->stamp)
		return;
	uint32_t set = s->of[e].set;
	if (!set) {
		p->mark[e] = p->stamp;
		vec_push(&s->stack, e);
		return;
	}
	const struct slice *x = &s->slices.data[set];
	for (uint32_t i = 0; i < x->count; i++)
		if (p->mark[x->data[i]] != p->stamp) {
			p->mark[x->data[i]] = p->stamp;
			vec_push(&s->found, x->data[i]);
		}
	if (x->count > 1) /* a variable was marked as itself */
		p->mark[e] = p->stamp;
}

static void visit_operands(struct exprs *p, expr_t e)
{
	expr_t operands[3];
	if (is_op(p, e, MUSTER_OP_DATA)) {
		const struct expr_table *t = expr_table_of(p, e);
		for (uint64_t i = 0; t->term && i < t->count; i++)
			visit(p, t->term[i]);
		return;
	}
	unsigned n = expr_operands(p, e, operands);
	for (unsigned i = 0; i < n; i++)
		visit(p, operands[i]);
}

/* What was found, in order. Where it lies close together the marks tell it faster than sorting
 * does. */
static void sort_found(struct exprs *p)
{
	struct expr_sets *s = p->sets;
	expr_t low = s->found.data[0], high = low, last = 0;
	int sorted = 1;
	for (size_t i = 0; i < s->found.size; i++) {
		expr_t x = s->found.data[i];
		sorted &= x > last;
		last = x;
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	if (sorted)
		return;
	if ((high - low) / 8 > s->found.size) {
		qsort(s->found.data, s->found.size, sizeof *s->found.data, ascending);
		return;
	}
	vec_clear(&s->found);
	for (expr_t x = low; x <= high; x++)
		if (p->mark[x] == p->stamp && is_variable(p, x))
			vec_push(&s->found, x);
}

/* The set of a term whose operands are lazy or have sets. */
static uint32_t collect(struct exprs *p, expr_t e)
{
	struct expr_sets *s = p->sets;
	expr_new_stamp(p);
	vec_clear(&s->found);
	vec_clear(&s->stack);
	visit_operands(p, e);
	while (s->stack.size)
		visit_operands(p, vec_pop(&s->stack));
	if (!s->found.size)
		return EMPTY_SET;
	sort_found(p);
	return new_set(p, s->found.data, (uint32_t)s->found.size);
}

static void materialise(struct exprs *p, expr_t e)
{
	p->sets->of[e] = (struct term_set){.set = collect(p, e)};
}

/* ----------------------------------------------------------- the terms */

/* The union of the operands' sets; otherwise what makes the term lazy. */
static struct term_set unite_operands(struct exprs *p, const expr_t *operands, unsigned n,
				      expr_t *deepest)
{
	struct expr_sets *s = p->sets;
	struct term_set r = {.set = EMPTY_SET};
	uint32_t largest = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct term_set *x = &s->of[operands[i]];
		uint32_t size = x->set ? s->slices.data[x->set].count : x->size;
		if (size > largest)
			largest = size;
		if (x->set) {
			if (r.set)
				r.set = unite(p, r.set, x->set);
			continue;
		}
		r.set = NO_SET;
		if (x->lazy > r.lazy) {
			r.lazy = x->lazy;
			*deepest = operands[i];
		}
	}
	if (r.set)
		return (struct term_set){.set = r.set};
	return (struct term_set){.lazy = r.lazy + 1, .size = largest};
}

static void settle(struct exprs *p, expr_t e)
{
	struct expr_sets *s = p->sets;
	expr_t operands[3];
	if (is_variable(p, e)) {
		s->of[e].set = new_set(p, &e, 1);
		return;
	}
	if (is_op(p, e, MUSTER_OP_DATA)) {
		materialise(p, e);
		return;
	}
	unsigned count = expr_operands(p, e, operands);
	expr_t deepest = EXPR_NONE;
	struct term_set r = unite_operands(p, operands, count, &deepest);
	if (!r.set && r.lazy > STONE_LEAST && r.lazy > r.size && deepest) {
		materialise(p, deepest);
		r = unite_operands(p, operands, count, &deepest);
	}
	s->of[e] = r;
}

static int is_settled(const struct expr_sets *s, expr_t e)
{
	return s->of[e].set || s->of[e].lazy;
}

/* Operands that are not settled go on the stack. */
static int push_operands(struct exprs *p, expr_t e)
{
	struct expr_sets *s = p->sets;
	size_t before = s->work.size;
	if (is_op(p, e, MUSTER_OP_DATA)) {
		const struct expr_table *t = expr_table_of(p, e);
		for (uint64_t i = 0; t->term && i < t->count; i++)
			if (!is_settled(s, t->term[i]))
				vec_push(&s->work, t->term[i]);
	} else {
		expr_t operands[3];
		unsigned n = expr_operands(p, e, operands);
		for (unsigned i = 0; i < n; i++)
			if (!is_settled(s, operands[i]))
				vec_push(&s->work, operands[i]);
	}
	return s->work.size > before;
}

const expr_t *expr_vars(struct exprs *p, expr_t e, uint32_t *count)
{
	struct expr_sets *s = sets_of(p);
	vec_clear(&s->work);
	vec_push(&s->work, e);
	while (s->work.size) {
		expr_t x = vec_last(&s->work);
		if (is_settled(s, x)) {
			s->work.size--;
		} else if (!push_operands(p, x)) {
			settle(p, x);
			s->work.size--;
		}
	}
	if (!s->of[e].set)
		materialise(p, e);
	const struct slice *r = &s->slices.data[s->of[e].set];
	*count = r->count;
	return r->data;
}
