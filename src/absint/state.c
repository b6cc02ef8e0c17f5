/* state.c: what is known at one point: an element for each pack, shared until written, and the set
 * of exact values.
 *
 * A state with an empty element stands for no run at all; owners drop such states (state_is_empty)
 * and use NULL. Soundness of the split into packs: each element alone contains all points of the
 * program, so any of them may be asked and all of them may be restricted; an expression over
 * several packs is bounded by the sum of bounds of its parts.
 */
#include "absint/inside.h"

#include "base/error.h"

#include <string.h>

static size_t words(const struct absint *a)
{
	return (a->f->instructions + 63) / 64;
}

static struct shared *share(struct domain *d)
{
	struct shared *r = mem_alloc(sizeof *r);
	r->d = d;
	r->refs = 1;
	return r;
}

static void drop(struct shared *p)
{
	if (--p->refs)
		return;
	domain_free(p->d);
	free(p);
}

static struct domain *writable(struct state *s, uint32_t pack)
{
	if (s->packs[pack]->refs > 1) {
		struct shared *own = share(domain_copy(s->packs[pack]->d));
		drop(s->packs[pack]);
		s->packs[pack] = own;
	}
	return s->packs[pack]->d;
}

static void replace(struct state *s, uint32_t pack, struct shared *by)
{
	by->refs++;
	drop(s->packs[pack]);
	s->packs[pack] = by;
}

/* Everything possible: nothing is exact. */
struct state *state_new(struct absint *a)
{
	struct state *s = mem_alloc(sizeof *s);
	s->packs = mem_zalloc((a->packs.size + 1) * sizeof *s->packs);
	s->exact = mem_zalloc((words(a) + 1) * sizeof *s->exact);
	for (size_t p = 0; p < a->packs.size; p++) {
		struct pack *pack = &a->packs.data[p];
		s->packs[p] = share(domain_new(a->kind, (unsigned)pack->symbols.size));
		for (size_t i = 0; i < pack->symbols.size; i++)
			if (pack->ranges[i].has_min && pack->ranges[i].min == 0) {
				struct linear positive = linear_dim((uint32_t)i);
				positive.kind = LINEAR_GE;
				domain_add(s->packs[p]->d, &positive);
				linear_release(&positive);
			}
	}
	return s;
}

struct state *state_copy(struct absint *a, const struct state *s)
{
	if (!s)
		return NULL;
	struct state *r = mem_alloc(sizeof *r);
	r->packs = mem_alloc((a->packs.size + 1) * sizeof *r->packs);
	r->exact = mem_alloc((words(a) + 1) * sizeof *r->exact);
	memcpy(r->exact, s->exact, words(a) * sizeof *r->exact);
	for (size_t p = 0; p < a->packs.size; p++) {
		r->packs[p] = s->packs[p];
		r->packs[p]->refs++;
	}
	return r;
}

void state_free(struct absint *a, struct state *s)
{
	if (!s)
		return;
	for (size_t p = 0; p < a->packs.size; p++)
		drop(s->packs[p]);
	free(s->packs);
	free(s->exact);
	free(s);
}

int state_includes(struct absint *a, const struct state *s, const struct state *smaller)
{
	if (!smaller)
		return 1;
	if (!s)
		return 0;
	for (size_t i = 0; i < words(a); i++)
		if (s->exact[i] & ~smaller->exact[i])
			return 0;
	for (size_t p = 0; p < a->packs.size; p++)
		if (s->packs[p] != smaller->packs[p] &&
		    !domain_includes(s->packs[p]->d, smaller->packs[p]->d))
			return 0;
	return 1;
}

void state_join(struct absint *a, struct state **s, const struct state *other)
{
	if (!other)
		return;
	if (!*s) {
		*s = state_copy(a, other);
		return;
	}
	for (size_t i = 0; i < words(a); i++)
		(*s)->exact[i] &= other->exact[i];
	for (size_t p = 0; p < a->packs.size; p++) {
		if ((*s)->packs[p] == other->packs[p])
			continue;
		domain_join(writable(*s, (uint32_t)p), other->packs[p]->d);
		/* Equal elements are one again: that keeps later questions cheap. */
		if (domain_includes(other->packs[p]->d, (*s)->packs[p]->d))
			replace(*s, (uint32_t)p, other->packs[p]);
	}
}

void state_meet(struct absint *a, struct state *s, const struct state *other)
{
	for (size_t i = 0; i < words(a); i++)
		s->exact[i] |= other->exact[i];
	for (size_t p = 0; p < a->packs.size; p++) {
		if (s->packs[p] == other->packs[p])
			continue;
		if (domain_includes(s->packs[p]->d, other->packs[p]->d))
			replace(s, (uint32_t)p, other->packs[p]);
		else
			domain_meet(writable(s, (uint32_t)p), other->packs[p]->d);
	}
}

void state_widen(struct absint *a, struct state *s, const struct state *old)
{
	for (size_t p = 0; p < a->packs.size; p++)
		if (s->packs[p] != old->packs[p])
			domain_widen(writable(s, (uint32_t)p), old->packs[p]->d,
				     a->packs.data[p].thresholds.data,
				     a->packs.data[p].thresholds.size);
}

int state_is_empty(struct absint *a, const struct state *s)
{
	for (size_t p = 0; p < a->packs.size; p++)
		if (domain_is_empty(s->packs[p]->d))
			return 1;
	return 0;
}

int state_exact(const struct absint *a, const struct state *s, uint32_t value)
{
	uint32_t i = value - a->f->first_instruction;
	return a->f->values[value].kind == CODE_INSTRUCTION && (s->exact[i / 64] >> i % 64 & 1);
}

void state_set_exact(const struct absint *a, struct state *s, uint32_t value, int exact)
{
	uint32_t i = value - a->f->first_instruction;
	if (exact)
		s->exact[i / 64] |= (uint64_t)1 << i % 64;
	else
		s->exact[i / 64] &= ~((uint64_t)1 << i % 64);
}

/* ------------------------------------------------------- expressions and packs */
static uint32_t dim_in(const struct absint *a, uint32_t symbol, uint32_t pack)
{
	const struct symbol *y = &a->symbols.data[symbol];
	for (size_t i = 0; i < y->places.size; i++)
		if (y->places.data[i].pack == pack)
			return y->places.data[i].dim;
	return NONE;
}

int state_map(const struct absint *a, uint32_t pack, const struct linear *e, struct linear *out,
	      struct linear *rest)
{
	int whole = 1;
	*out = linear_constant(e->constant);
	out->kind = e->kind;
	out->overflow |= e->overflow;
	if (rest)
		*rest = linear_constant(0);
	for (size_t i = 0; i < e->terms.size; i++) {
		uint32_t dim = dim_in(a, e->terms.data[i].dim, pack);
		if (dim != NONE) {
			linear_add_dim(out, dim, e->terms.data[i].coef);
		} else {
			whole = 0;
			if (rest)
				linear_add_dim(rest, e->terms.data[i].dim, e->terms.data[i].coef);
		}
	}
	return whole;
}

/* The pack that has the most symbols of an expression, at least one; NONE if no symbol is in any.
 */
static uint32_t best_pack(const struct absint *a, const struct linear *e)
{
	uint32_t best = NONE;
	size_t most = 0;
	for (size_t i = 0; i < e->terms.size; i++) {
		const struct symbol *y = &a->symbols.data[e->terms.data[i].dim];
		for (size_t k = 0; k < y->places.size; k++) {
			size_t n = 0;
			for (size_t j = 0; j < e->terms.size; j++)
				n +=
				    dim_in(a, e->terms.data[j].dim, y->places.data[k].pack) != NONE;
			if (n > most) {
				most = n;
				best = y->places.data[k].pack;
			}
		}
	}
	return best;
}

static struct domain_bounds add_bounds(struct domain_bounds a, struct domain_bounds b)
{
	struct domain_bounds r = {a.has_min && b.has_min, a.has_max && b.has_max, 0, 0};
	if (r.has_min)
		r.min = a.min + b.min;
	if (r.has_max)
		r.max = a.max + b.max;
	return r;
}

/* What the types alone say of coef * symbol. */
static struct domain_bounds type_bounds(const struct absint *a, uint32_t symbol, wide coef)
{
	const struct absint_symbol *y = &a->symbols.data[symbol].means;
	if (!y->width)
		return (struct domain_bounds){0};
	wide min = symbol_min(y), max = symbol_max(y);
	struct domain_bounds r = {1, 1, coef * min, coef * max};
	if (coef < 0) {
		r.min = coef * max;
		r.max = coef * min;
	}
	return r;
}

struct domain_bounds state_type_bounds(const struct absint *a, const struct linear *e)
{
	struct domain_bounds r = {!e->overflow, !e->overflow, e->constant, e->constant};
	for (size_t i = 0; i < e->terms.size && (r.has_min || r.has_max); i++)
		r = add_bounds(r, type_bounds(a, e->terms.data[i].dim, e->terms.data[i].coef));
	return r;
}

struct domain_bounds state_bounds(struct absint *a, const struct state *s, const struct linear *e)
{
	struct domain_bounds r = {1, 1, e->constant, e->constant};
	struct linear left = linear_copy(e);
	left.constant = 0;
	if (e->overflow)
		r = (struct domain_bounds){0};
	while (left.terms.size && (r.has_min || r.has_max)) {
		struct domain_bounds part = {0};
		uint32_t p = best_pack(a, &left);
		struct linear mapped = {0}, rest;
		if (p == NONE) {
			part = type_bounds(a, left.terms.data[0].dim, left.terms.data[0].coef);
			linear_add_dim(&left, left.terms.data[0].dim,
				       -(wide)left.terms.data[0].coef);
		} else {
			state_map(a, p, &left, &mapped, &rest);
			part =
			    domain_bounds_within(s->packs[p]->d, &mapped, a->packs.data[p].ranges);
			linear_release(&left);
			left = rest;
		}
		linear_release(&mapped);
		r = add_bounds(r, part);
	}
	linear_release(&left);
	return r;
}

/* A fact of which only a part is in the pack: the rest is replaced by its bounds. */
static void add_part(struct absint *a, struct state *s, uint32_t pack, struct linear *mapped,
		     const struct linear *rest)
{
	struct domain_bounds b = state_bounds(a, s, rest);
	if (mapped->kind == LINEAR_EQ) {
		/* mapped + rest == 0: mapped >= -max and mapped <= -min. */
		if (b.has_min) {
			struct linear upper = linear_constant(-b.min);
			upper.kind = LINEAR_GE;
			linear_add(&upper, mapped, -1);
			domain_add(writable(s, pack), &upper);
			linear_release(&upper);
		}
		mapped->kind = LINEAR_GE;
	}
	if (!b.has_max)
		return;
	struct linear more = linear_constant(b.max);
	linear_add(mapped, &more, 1);
	domain_add(writable(s, pack), mapped);
	linear_release(&more);
}

static void add_to_pack(struct absint *a, struct state *s, uint32_t pack, const struct linear *fact)
{
	struct linear mapped, rest;
	if (state_map(a, pack, fact, &mapped, &rest))
		domain_add(writable(s, pack), &mapped);
	else
		add_part(a, s, pack, &mapped, &rest);
	linear_release(&mapped);
	linear_release(&rest);
}

/* Is term i the first one of the expression that the pack has? */
static int is_first(const struct absint *a, const struct linear *e, size_t i, uint32_t pack)
{
	for (size_t k = 0; k < i; k++)
		if (dim_in(a, e->terms.data[k].dim, pack) != NONE)
			return 0;
	return 1;
}

void state_add(struct absint *a, struct state *s, const struct linear *fact)
{
	if (fact->overflow || fact->kind == LINEAR_MODULO)
		return;
	if (!fact->terms.size) {
		if ((fact->kind == LINEAR_GE ? fact->constant >= 0 : fact->constant == 0) ||
		    !a->packs.size)
			return;
		domain_add(writable(s, 0), fact);
		return;
	}
	for (size_t i = 0; i < fact->terms.size; i++) {
		const struct symbol *y = &a->symbols.data[fact->terms.data[i].dim];
		for (size_t k = 0; k < y->places.size; k++)
			if (is_first(a, fact, i, y->places.data[k].pack))
				add_to_pack(a, s, y->places.data[k].pack, fact);
	}
}

static void set_range(struct absint *a, struct domain *d, uint32_t pack, uint32_t dim)
{
	const struct domain_bounds *b = &a->packs.data[pack].ranges[dim];
	if (!b->has_min || b->min)
		return;
	struct linear positive = linear_dim(dim);
	positive.kind = LINEAR_GE;
	domain_add(d, &positive);
	linear_release(&positive);
}

void state_forget(struct absint *a, struct state *s, uint32_t symbol)
{
	struct symbol *y = &a->symbols.data[symbol];
	for (size_t i = 0; i < y->places.size; i++) {
		struct domain *d = writable(s, y->places.data[i].pack);
		domain_forget(d, y->places.data[i].dim);
		set_range(a, d, y->places.data[i].pack, y->places.data[i].dim);
	}
}

/* d's dimension t (new, unconstrained) becomes an expression of which a part has bounds only. */
static void define(struct domain *d, uint32_t t, struct linear *mapped, struct domain_bounds rest)
{
	struct linear low = linear_copy(mapped), high = linear_copy(mapped);
	linear_scale(&low, -1); /* t - mapped >= min */
	linear_add_dim(&low, t, 1);
	linear_add_dim(&high, t, -1); /* mapped + max >= t */
	struct linear min = linear_constant(rest.has_min ? -rest.min : 0);
	struct linear max = linear_constant(rest.has_max ? rest.max : 0);
	linear_add(&low, &min, 1);
	linear_add(&high, &max, 1);
	low.kind = high.kind = LINEAR_GE;
	if (rest.has_min)
		domain_add(d, &low);
	if (rest.has_max)
		domain_add(d, &high);
	linear_release(&low);
	linear_release(&high);
}

/* The assignments of one pack: first all new values in dimensions of their own, then all moves. */
static void assign_in(struct absint *a, struct state *s, const struct state *before, uint32_t pack,
		      const uint32_t *symbols, const struct linear *e, const uint8_t *known,
		      size_t n)
{
	unsigned dims = (unsigned)a->packs.data[pack].symbols.size, temps = 0;
	for (size_t i = 0; i < n; i++)
		temps += dim_in(a, symbols[i], pack) != NONE;
	if (!temps)
		return;
	struct domain *d = writable(s, pack);
	domain_extend(d, temps);
	uint32_t t = dims;
	for (size_t i = 0; i < n; i++) {
		if (dim_in(a, symbols[i], pack) == NONE)
			continue;
		struct linear mapped, rest;
		if (known[i]) {
			if (state_map(a, pack, &e[i], &mapped, &rest))
				domain_assign(d, t, &mapped);
			else
				define(d, t, &mapped, state_bounds(a, before, &rest));
			linear_release(&mapped);
			linear_release(&rest);
		}
		t++;
	}
	t = dims;
	for (size_t i = 0; i < n; i++) {
		uint32_t dim = dim_in(a, symbols[i], pack);
		if (dim == NONE)
			continue;
		struct linear from = linear_dim(t++);
		domain_assign(d, dim, &from);
		linear_release(&from);
	}
	domain_shrink(d, dims);
	for (size_t i = 0; i < n; i++)
		if (dim_in(a, symbols[i], pack) != NONE)
			set_range(a, d, pack, dim_in(a, symbols[i], pack));
}

/* Does a later expression use a symbol that an earlier assignment changes? */
static int conflict(const uint32_t *symbols, const struct linear *e, const uint8_t *known, size_t n)
{
	for (size_t j = 1; j < n; j++)
		for (size_t i = 0; known[j] && i < j; i++)
			if (linear_coef(&e[j], symbols[i]))
				return 1;
	return 0;
}

void state_assign_all(struct absint *a, struct state *s, const uint32_t *symbols,
		      const struct linear *e, const uint8_t *known, size_t n)
{
	if (!conflict(symbols, e, known, n)) {
		for (size_t i = 0; i < n; i++)
			state_assign(a, s, symbols[i], known[i] ? &e[i] : NULL);
		return;
	}
	struct state *before = state_copy(a, s);
	for (size_t p = 0; p < a->packs.size; p++)
		assign_in(a, s, before, (uint32_t)p, symbols, e, known, n);
	state_free(a, before);
}

void state_assign(struct absint *a, struct state *s, uint32_t symbol, const struct linear *e)
{
	if (!e) {
		state_forget(a, s, symbol);
		return;
	}
	struct symbol *y = &a->symbols.data[symbol];
	struct state *before = NULL;
	for (size_t i = 0; i < y->places.size; i++) {
		struct place at = y->places.data[i];
		struct linear mapped;
		if (state_map(a, at.pack, e, &mapped, NULL)) {
			struct domain *d = writable(s, at.pack);
			domain_assign(d, at.dim, &mapped);
			set_range(a, d, at.pack, at.dim);
		} else {
			if (!before)
				before = state_copy(a, s);
			assign_in(a, s, before, at.pack, &symbol, e, (const uint8_t[]){1}, 1);
		}
		linear_release(&mapped);
	}
	state_free(a, before);
}

/* The range of each symbol of the expression is written down first: what wraps depends on it. */
void state_assign_wrapped(struct absint *a, struct state *s, uint32_t symbol,
			  const struct linear *e)
{
	struct symbol *y = &a->symbols.data[symbol];
	for (size_t i = 0; i < y->places.size; i++) {
		struct place at = y->places.data[i];
		const struct pack *pack = &a->packs.data[at.pack];
		struct domain *d = writable(s, at.pack);
		struct linear mapped;
		if (state_map(a, at.pack, e, &mapped, NULL)) {
			unsigned dims = domain_dims(d);
			for (size_t k = 0; k < mapped.terms.size; k++)
				domain_limit(d, mapped.terms.data[k].dim,
					     &pack->ranges[mapped.terms.data[k].dim]);
			domain_extend(d, 1);
			domain_assign(d, dims, &mapped);
			domain_wrap(d, dims, y->means.width, y->means.is_signed);
			struct linear moved = linear_dim(dims);
			domain_assign(d, at.dim, &moved);
			linear_release(&moved);
			domain_shrink(d, dims);
		} else {
			domain_forget(d, at.dim);
		}
		set_range(a, d, at.pack, at.dim);
		linear_release(&mapped);
	}
}
