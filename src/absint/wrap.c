/* wrap.c: for which inputs does something wrap?
 *
 * An optimistic run of the analysis takes every linear operator for exact. Where that is not
 * certain, the part of the state in which the result leaves its type is projected on the inputs: a
 * fact that holds there divides the inputs into those for which the operation certainly does not
 * wrap, and the rest. The next round makes a case of each side, and finds out by itself on which
 * side nothing wraps: nothing that is assumed here ends up in a result.
 */
#include "absint/inside.h"

#include "base/error.h"

#define WRAPS_MOST 3

/* Is it true of all values of the types? */
static int trivial(const struct absint *a, const struct linear *l)
{
	struct domain_bounds b = state_type_bounds(a, l);
	return b.has_min && b.min >= 0;
}

static void note(struct absint *a, const struct linear *fact)
{
	for (size_t i = 0; i < a->wraps.size; i++)
		if (linear_equal(&a->wraps.data[i], fact))
			return;
	if (a->wraps.size < WRAPS_MOST)
		vec_push(&a->wraps, linear_copy(fact));
}

/* Does it hold whether something wraps or not? */
static int holds_anyway(struct absint *a, const struct state *s, const struct linear *fact)
{
	struct domain_bounds b = state_bounds(a, s, fact);
	return b.has_min && b.min >= 0;
}

/* The shortest fact over inputs that holds in all of the element, which is a part of the state. */
static void note_inputs(struct absint *a, const struct state *s, const struct domain *bad)
{
	struct domain *d = domain_copy(bad);
	const struct pack *pack = &a->packs.data[0];
	VEC(uint32_t) keep = {0};
	linear_list facts = {0};
	struct linear best = {0};
	for (uint32_t i = 0; i < pack->symbols.size; i++)
		if (a->symbols.data[pack->symbols.data[i]].input)
			vec_push(&keep, i);
	domain_project(d, keep.data, (unsigned)keep.size);
	domain_facts(d, &facts);
	for (size_t i = 0; i < facts.size; i++) {
		const struct linear *f = &facts.data[i];
		struct linear named = linear_constant(f->constant);
		named.kind = LINEAR_GE;
		for (size_t k = 0; k < f->terms.size; k++)
			linear_add_dim(&named, pack->symbols.data[keep.data[f->terms.data[k].dim]],
				       f->terms.data[k].coef);
		if (f->kind == LINEAR_GE && named.terms.size && !trivial(a, &named) &&
		    (!best.terms.size || named.terms.size < best.terms.size) &&
		    !holds_anyway(a, s, &named)) {
			linear_release(&best);
			best = named;
		} else {
			linear_release(&named);
		}
	}
	if (best.terms.size)
		note(a, &best);
	linear_release(&best);
	linear_list_release(&facts);
	vec_release(&keep);
	domain_free(d);
}

/* sign * e >= limit: beyond the type on one side. */
static void beyond(struct absint *a, const struct state *s, const struct linear *e, wide sign,
		   wide limit)
{
	struct linear fact = linear_constant(-limit);
	fact.kind = LINEAR_GE;
	linear_add(&fact, e, sign);
	if (!fact.overflow) {
		struct state *bad = state_copy(a, s);
		state_add(a, bad, &fact);
		if (!state_is_empty(a, bad))
			note_inputs(a, s, bad->packs[0]->d);
		state_free(a, bad);
	}
	linear_release(&fact);
}

void wrap_note(struct absint *a, const struct state *s, const struct absint_symbol *type,
	       const struct linear *e)
{
	if (!a->recording || a->packs.size != 1)
		return;
	beyond(a, s, e, 1, symbol_max(type) + 1);
	beyond(a, s, e, -1, -symbol_min(type) + 1);
}

void wrap_assume(struct absint *a, struct state *s, const struct absint_symbol *type,
		 const struct linear *e)
{
	struct linear low = linear_copy(e), high = linear_copy(e);
	struct linear min = linear_constant(-symbol_min(type)),
		      max = linear_constant(symbol_max(type));
	linear_scale(&high, -1);
	linear_add(&low, &min, 1);
	linear_add(&high, &max, 1);
	low.kind = high.kind = LINEAR_GE;
	state_add(a, s, &low);
	state_add(a, s, &high);
	linear_release(&low);
	linear_release(&high);
}
