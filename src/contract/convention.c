/* convention.c: what callers do not owe by C's conventions.
 *
 * An array of `count` items: where a loop goes on to the item after the last one, callers do not owe it one item more, nor a smaller count, nor as many items as the loop came to. What is indexed by the number itself may be owed
 * (s[len] = 0).
 * A string ends at its 0: what looks for it and reads on behind it is wrong, however long the string must be to hide it.
 * A fixed number of elements may be owed, if no call with fewer passes. If one does, the largest object that the driver has is no such number: the calls that needed more were never made.
 */
#include "contract/convention.h"

#include "contract/terms.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Does the number count elements, by its name? */
static int sounds_count(const char *text)
{
	static const char *const words[] = {"n", "count", "cnt", "len", "length", "size", "num", "used", "total"};
	size_t n = strlen(text), from = n;
	while (from > 0 && (isalnum((unsigned char)text[from - 1]) || text[from - 1] == '_'))
		from--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t k = strlen(words[i]);
		if (n - from < k || strncasecmp(text + n - k, words[i], k))
			continue;
		if (n - from == k || text[n - k - 1] == '_' || isupper((unsigned char)text[n - k])) /* item_count and ItemCount, but not discount */
			return 1;
	}
	return 0;
}

/* Is the number one that a loop counted up to before it failed? It was looked at, and is no part of the check that was broken. */
static int is_counted(struct cause_search *f, const struct entry *e, uint32_t a, const struct cause_call *x)
{
	const struct entry_place *p = &e->places.data[a];
	return p->kind == ENTRY_NUMBER && p->counts && sounds_count(p->text) && cause_looks_at(f, p, x, 0) && !(x->broke && cause_looks_at(f, p, x, x->conditions.size - 1));
}

/* The number counts what lies beside it, no call of the path has n < len(p), and some has n == len(p). */
static int goes_one_further(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t a, uint32_t b, size_t call)
{
	struct clause c = {.part = {{CLAUSE_BELOW, a, b, 0}}, .count = 1};
	const struct entry_place *p = &e->places.data[b];
	return p->kind == ENTRY_POINTER && p->length && e->places.data[a].parent == p->parent && is_counted(f, e, a, &f->c->calls.data[call]) && cause_excludes_literal(f, bytes, &c.part[0], call) &&
	       cause_is_tight(f, bytes, &c, call);
}

static int some_goes_one_further(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t b, size_t call)
{
	for (uint32_t a = 0; a < e->places.size; a++)
		if (goes_one_further(f, bytes, e, a, b, call))
			return 1;
	return 0;
}

/* `a` goes one further, and so where the other number of a sum is 0: that is no offset. */
static int goes_alone(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t a, uint32_t other, uint32_t b, size_t call)
{
	struct clause_literal nonzero = {CLAUSE_NONZERO, other, other, 0};
	return goes_one_further(f, bytes, e, a, b, call) && cause_allows_edge(f, bytes, &(struct clause){.part = {{CLAUSE_BELOW, a, b, 0}}, .count = 1}, &nonzero, call);
}

static int is_one_further_than(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t a, size_t call)
{
	for (uint32_t b = 0; b < e->places.size; b++)
		if (goes_one_further(f, bytes, e, a, b, call))
			return 1;
	return 0;
}

/* The characters that the place points to in a call; EXPR_NONE: there are none, or another pointer leads to them as well, which may be the one that was looked at. */
static expr_t characters_in(const struct cause_search *f, const struct entry *e, uint32_t place, size_t call)
{
	const struct clause_value *v = &f->values[call * f->places], *mine = &v[place];
	const struct entry_place *x = &e->places.data[place];
	if (!x->characters || !mine->there || !mine->set)
		return EXPR_NONE;
	for (uint32_t i = 0; i < e->places.size; i++)
		if (i != place && e->places.data[i].object && e->places.data[i].pool == x->pool && v[i].there && v[i].set && v[i].object == mine->object)
			return EXPR_NONE;
	return x->characters[mine->object];
}

/* Does some call ask whether a character of the string is its end? */
static int looks_for_end(struct cause_search *f, uint32_t place)
{
	for (size_t i = 0; i < f->calls; i++) {
		const struct cause_call *x = &f->c->calls.data[i];
		expr_t s = x->traced ? characters_in(f, cause_entry_of(f->c, x), place, i) : EXPR_NONE;
		for (size_t k = 0; s != EXPR_NONE && k < x->conditions.size; k++)
			if (terms_ask_zero(f->c->pool, s, x->conditions.data[k]))
				return 1;
	}
	return 0;
}

/* The call went where its characters led it, and was after the string's end. */
static int reads_on(struct cause_search *f, const struct entry *e, uint32_t place, size_t call)
{
	const struct cause_call *x = &f->c->calls.data[call];
	expr_t s = characters_in(f, e, place, call);
	for (size_t i = 0; s != EXPR_NONE && i < x->conditions.size; i++)
		if (terms_meet(f->c->pool, s, x->conditions.data[i]))
			return looks_for_end(f, place);
	return 0;
}

/* Some call that breaks the clause passes. */
static int is_broken_in_peace(struct cause_search *f, const struct clause *c)
{
	for (size_t i = 0; i < f->calls; i++)
		if (!f->c->calls.data[i].failed && !candidate_holds(f, c, i))
			return 1;
	return 0;
}

int convention_forbids(struct cause_search *f, struct bytes *bytes, const struct clause *c, size_t call)
{
	const struct clause_literal *l = &c->part[0];
	const struct cause_call *x = &f->c->calls.data[call];
	const struct entry *e = cause_entry_of(f->c, x);
	switch (l->op) {
	case CLAUSE_BELOW: return is_counted(f, e, l->a, x) && cause_is_tight(f, bytes, c, call);
	case CLAUSE_SUM: return goes_alone(f, bytes, e, l->a, (uint32_t)l->k, l->b, call) || goes_alone(f, bytes, e, (uint32_t)l->k, l->a, l->b, call);
	case CLAUSE_MOST: return is_one_further_than(f, bytes, e, l->a, call);
	case CLAUSE_LONG: return is_broken_in_peace(f, c) && (l->k >= e->places.data[l->b].most || reads_on(f, e, l->b, call) || some_goes_one_further(f, bytes, e, l->b, call));
	case CLAUSE_ENDED: return is_broken_in_peace(f, c) && some_goes_one_further(f, bytes, e, l->b, call);
	default: return 0;
	}
}
