/* convention.c: what callers do not owe by C's conventions.
 *
 * An array of `count` items: where a loop goes on to the item after the last one, callers do not owe it one item more, nor a smaller count, nor as many items as the loop came to. What is indexed by the number itself may be owed
 * (s[len] = 0).
 * A string ends at its 0: what looks for it and reads on behind it is wrong, however long the string must be to hide it.
 * A fixed number of elements may be owed, if no call with fewer passes. If one does, the largest object that the driver has is no such number: the calls that needed more were never made.
 */
#include "contract/convention.h"

#include "contract/every.h"
#include "contract/terms.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MORE_THAN_ANY ((uint64_t)1 << 40) /* elements: no memory has as many */

/* Where the last name of the place begins: of p->next it is next. */
static size_t name_from(const char *text)
{
	size_t from = strlen(text);
	while (from > 0 && (isalnum((unsigned char)text[from - 1]) || text[from - 1] == '_'))
		from--;
	return from;
}

/* Is the last name of the place one of these words, or ends it in one: item_count and ItemCount, but not discount? */
static int ends_in_word(const char *text, const char *const *words)
{
	size_t n = strlen(text), from = name_from(text);
	for (; *words; words++) {
		size_t k = strlen(*words);
		if (n - from < k || strncasecmp(text + n - k, *words, k))
			continue;
		if (n - from == k || text[n - k - 1] == '_' || isupper((unsigned char)text[n - k]))
			return 1;
	}
	return 0;
}

/* Does the number count elements, by its name? */
static int sounds_count(const char *text)
{
	static const char *const words[] = {"n", "count", "cnt", "len", "length", "size", "num", "used", "total", "cap", "capacity", "alloc", "allocated", NULL};
	return ends_in_word(text, words);
}

/* Does it count who uses the structure? */
static int sounds_references(const char *text)
{
	static const char *const words[] = {"ref", "refs", "refct", "refcnt", "refcount", "references", NULL};
	return ends_in_word(text, words);
}

/* Is it how many items there is room for? */
static int is_capacity(const char *text)
{
	static const char *const words[] = {"cap", "capacity", "alloc", "allocated", "size", NULL};
	return ends_in_word(text, words);
}

/* Is the pointer by its name where another's object ends? */
static int sounds_end(const char *text)
{
	static const char *const words[] = {"end", "limit", "lim", "stop"};
	const char *name = text + name_from(text);
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (n >= strlen(words[i]) && !strcasecmp(name + n - strlen(words[i]), words[i]))
			return 1;
	return 0;
}

static int are_beside(const struct entry_place *x, const struct entry_place *y)
{
	return x->parent == y->parent && x->index == y->index && x->is_global == y->is_global && x->in_struct == y->in_struct;
}

/* len, buf_len, and buflen beside buf. */
static int counts_it(const char *number, const char *pointer)
{
	size_t n = strlen(pointer);
	return sounds_count(number) || (!strncasecmp(number, pointer, n) && sounds_count(number + n));
}

int convention_counts(const struct entry_place *number, const struct entry_place *pointer)
{
	return number->kind == ENTRY_NUMBER && number->counts && number->in_struct && are_beside(number, pointer) && counts_it(number->text, pointer->text);
}

/* Is the number one that a loop counted up to before it failed? It was looked at, and is no part of the check that was broken. */
static int is_counted(struct cause_search *f, const struct entry *e, uint32_t a, uint32_t b, const struct cause_call *x)
{
	const struct entry_place *p = &e->places.data[a];
	return p->kind == ENTRY_NUMBER && p->counts && counts_it(p->text, e->places.data[b].text) && cause_looks_at(f, p, x, 0) && !(x->broke && cause_looks_at(f, p, x, x->conditions.size - 1));
}

/* The number counts what lies beside it, no call of the path has n < len(p), and some has n == len(p). */
static int goes_one_further(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t a, uint32_t b, size_t call)
{
	struct clause c = {.part = {{CLAUSE_BELOW, a, b, 0}}, .count = 1};
	const struct entry_place *p = &e->places.data[b];
	return p->kind == ENTRY_POINTER && p->length && are_beside(&e->places.data[a], p) && is_counted(f, e, a, b, &f->c->calls.data[call]) && cause_excludes_literal(f, bytes, &c.part[0], call) &&
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
	expr_t s = e->places.data[place].ended == EXPR_NONE ? characters_in(f, e, place, call) : EXPR_NONE;
	for (size_t i = 0; s != EXPR_NONE && i < x->conditions.size; i++)
		if (terms_meet(f->c->pool, s, x->conditions.data[i]))
			return looks_for_end(f, place);
	return 0;
}

/* The two places are there, and the second is set. */
static expr_t both_there(struct exprs *p, const struct entry_place *a, const struct entry_place *b)
{
	return expr_and(p, expr_and(p, a->there, b->there), b->set);
}

/* The last conditions of a path that no check ended. */
#define LAST 3

static int is_in_last(struct cause_search *f, expr_t value, expr_t there, const struct cause_call *x)
{
	size_t n = x->conditions.size, last = x->broke ? 1 : LAST;
	for (size_t i = n > last ? n - last : 0; i < n; i++)
		if (terms_meet_own(f->c->pool, value, there, x->conditions.data[i]))
			return 1;
	return 0;
}

/* Does the condition speak of nothing but the two? One about the element that an index chooses speaks of all of them. */
static int is_of_both(struct exprs *p, const struct entry_place *a, const struct entry_place *b, expr_t condition)
{
	uint32_t n;
	const expr_t *v = expr_vars(p, condition, &n);
	int all = 1;
	for (uint32_t i = 0; i < n && all; i++)
		all = terms_meet(p, a->value, v[i]) || terms_meet(p, b->value, v[i]);
	return all;
}

static int are_compared(struct cause_search *f, const struct entry_place *a, const struct entry_place *b, const struct cause_call *x)
{
	for (size_t i = 0; i < x->decided.size; i++)
		if (terms_meet_own(f->c->pool, a->value, a->there, x->decided.data[i]) && terms_meet_own(f->c->pool, b->value, b->there, x->decided.data[i]) && is_of_both(f->c->pool, a, b, x->decided.data[i]))
			return 1;
	return 0;
}

/* Does the path look at their product? */
static int are_multiplied(struct cause_search *f, const struct entry_place *a, const struct entry_place *c, const struct cause_call *x)
{
	for (size_t i = 0; i < x->conditions.size; i++)
		if (terms_multiply(f->c->pool, a->value, c->value, x->conditions.data[i]))
			return 1;
	return 0;
}

/* The number was compared with the count and is not larger, or by one, and the call fails with an object of just so many items: what is read, at the count. */
static int passes_count(struct cause_search *f, struct bytes *bytes, const struct entry_place *a, const struct entry_place *b, const struct entry_place *count, size_t call)
{
	struct exprs *p = f->c->pool;
	int by_sign = a->is_signed && count->is_signed;
	expr_t whole = expr_and(p, expr_and(p, both_there(p, a, b), count->there), expr_eq(p, count->value, b->length));
	expr_t one_more = expr_eq(p, expr_binary(p, MUSTER_OP_ADD, count->value, expr_const(p, 64, 1)), a->value);
	expr_t beyond = expr_and(p, expr_binary(p, by_sign ? MUSTER_OP_SLT : MUSTER_OP_ULT, count->value, a->value), expr_not(p, one_more));
	if (!is_capacity(count->text) || f->c->calls.data[call].reads)
		whole = expr_and(p, whole, expr_eq(p, a->value, b->length));
	return cause_ask(f, bytes, whole, call) == VERDICT_SAT && cause_ask(f, bytes, beyond, call) == VERDICT_UNSAT;
}

/* A check in the function lets a number come too far: with an object of just as many items as the count beside the pointer says the call fails. What is written behind the items that there are may be a new one, for which there is room. */
static int passes_check(struct cause_search *f, struct bytes *bytes, const struct entry *e, const struct entry_place *b, size_t call)
{
	const struct cause_call *x = &f->c->calls.data[call];
	if (b->kind != ENTRY_POINTER || !b->length || !is_in_last(f, b->length, b->there, x))
		return 0;
	for (uint32_t i = 0; i < e->places.size; i++) {
		const struct entry_place *count = &e->places.data[i];
		if (count->kind != ENTRY_NUMBER || !count->counts || !are_beside(count, b) || !(is_capacity(count->text) || (x->reads && sounds_count(count->text))) || !cause_looks_at(f, count, x, 0))
			continue;
		for (uint32_t n = 0; n < e->places.size; n++) {
			const struct entry_place *a = &e->places.data[n];
			if (n != i && n != b->index && (a->parent != b->parent || a->index == b->index) && a->kind == ENTRY_NUMBER && a->counts && is_in_last(f, a->value, a->there, x) && are_compared(f, a, count, x) && passes_count(f, bytes, a, b, count, call))
				return 1;
		}
	}
	return 0;
}

/* The same of a product of two numbers beside the pointer (rows and columns): some call with just as many elements fails, and none with more. */
static int passes_area(struct cause_search *f, struct bytes *bytes, const struct entry *e, const struct entry_place *b, size_t call)
{
	const struct cause_call *x = &f->c->calls.data[call];
	struct exprs *p = f->c->pool;
	if (b->kind != ENTRY_POINTER || !b->length || b->most > CLAUSE_AREA_MOST || !is_in_last(f, b->length, b->there, x))
		return 0;
	for (uint32_t i = 0; i < e->places.size; i++) {
		const struct entry_place *a = &e->places.data[i];
		for (uint32_t k = i + 1; k < e->places.size && a->kind == ENTRY_NUMBER && a->counts && are_beside(a, b); k++) {
			const struct entry_place *c = &e->places.data[k];
			struct clause_literal area = {CLAUSE_AREA, i, (uint32_t)(b - e->places.data), k};
			if (c->kind != ENTRY_NUMBER || !c->counts || !are_beside(c, b) || !are_multiplied(f, a, c, x))
				continue;
			expr_t product = expr_binary(p, MUSTER_OP_MUL, a->value, c->value), there = expr_and(p, both_there(p, a, b), clause_term(e, &(struct clause){.part = {area}, .count = 1}));
			if (cause_ask(f, bytes, expr_and(p, there, expr_eq(p, product, b->length)), call) == VERDICT_SAT &&
			    cause_ask(f, bytes, expr_and(p, there, expr_not(p, expr_eq(p, product, b->length))), call) == VERDICT_UNSAT)
				return 1;
		}
	}
	return 0;
}

/* The same, asked once for each call and pointer. */
static int is_whole(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t place, size_t call)
{
	uint8_t *known = &f->whole[call * f->places + place];
	if (*known == NOT_ASKED)
		*known = passes_check(f, bytes, e, &e->places.data[place], call) || passes_area(f, bytes, e, &e->places.data[place], call) ? ALLOWED : EXCLUDED;
	return *known == ALLOWED;
}

static int is_some_whole(struct cause_search *f, struct bytes *bytes, const struct entry *e, size_t call)
{
	for (uint32_t i = 0; i < e->places.size; i++)
		if (is_whole(f, bytes, e, i, call))
			return 1;
	return 0;
}

static int looks_at_pointer(struct cause_search *f, const struct entry_place *x, const struct cause_call *call)
{
	for (size_t i = 0; i < call->conditions.size; i++)
		if (terms_meet(f->c->pool, x->set, call->conditions.data[i]) || terms_meet_own(f->c->pool, x->length, x->there, call->conditions.data[i]))
			return 1;
	return 0;
}

/* Another pointer, which the path looks at, says where the object ends: what lies there or behind it is not owed. Some call of the path keeps to that, and fails; or none does, and then that is what callers owe. */
static int passes_end(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t place, size_t call)
{
	struct exprs *p = e->pool;
	const struct entry_place *b = &e->places.data[place];
	int is_end = sounds_end(b->text);
	for (uint32_t i = 0; i < e->places.size && b->interior; i++) {
		const struct entry_place *end = &e->places.data[i];
		if (is_end && i != place && end->interior && end->pool == b->pool && are_beside(end, b) && !sounds_end(end->text))
			return 1;
		if (i == place || is_end || !end->interior || !end->length || end->pool != b->pool || !are_beside(end, b) || !sounds_end(end->text) || !looks_at_pointer(f, end, &f->c->calls.data[call]))
			continue;
		expr_t whole = expr_and(p, expr_eq(p, b->object, end->object), expr_eq(p, end->length, expr_const(p, 64, 0)));
		if (cause_ask(f, bytes, expr_and(p, expr_and(p, both_there(p, end, b), end->set), whole), call) == VERDICT_SAT)
			return 1;
		if (cause_excludes_literal(f, bytes, &(struct clause_literal){CLAUSE_ORDERED, place, i, 0}, call))
			return 1;
	}
	return 0;
}

/* The number counts what the check that failed is about, and some call has as many as it says: that there are not more of them is nothing that callers owe. */
static int fails_for_whole(struct cause_search *f, struct bytes *bytes, const struct entry *e, const struct clause_literal *l, size_t call)
{
	struct exprs *p = e->pool;
	const struct entry_place *a = &e->places.data[l->a];
	const struct cause_call *x = &f->c->calls.data[call];
	for (uint32_t i = 0; i < e->places.size && a->counts && a->index == ENTRY_NONE && sounds_count(a->text) && x->conditions.size; i++) {
		const struct entry_place *b = &e->places.data[i];
		if (b->kind != ENTRY_POINTER || !b->length || !are_beside(a, b) || !terms_meet_own(p, b->length, b->there, vec_last(&x->conditions)))
			continue;
		if (cause_ask(f, bytes, expr_and(p, both_there(p, a, b), expr_eq(p, a->value, b->length)), call) == VERDICT_SAT)
			return 1;
	}
	return 0;
}

#define INPUT_MOST (1u << 24)

/* A copy of the values that has this byte: an input ends before the zeros that nobody chose. NULL: it lies too far behind. */
static uint8_t *with_byte(const struct bytes *values, size_t at)
{
	uint8_t *copy = at < INPUT_MOST ? mem_zalloc(at < values->size ? values->size : at + 1) : NULL;
	if (copy)
		memcpy(copy, values->data, values->size);
	return copy;
}

/* Does the condition hold for a call only if the pointer is null? It speaks of nothing but what is chosen for the pointer. */
static int asks_null(struct cause_search *f, const struct entry_place *x, expr_t condition, struct bytes *values)
{
	struct exprs *p = f->c->pool;
	uint32_t n;
	const expr_t *v = expr_vars(p, condition, &n);
	if (n != 1 || !terms_meet_own(p, x->set, x->there, condition)) /* that p is null says nothing of p->next */
		return 0;
	size_t at = expr_get(p, v[0])->k;
	uint8_t *copy = expr_get(p, v[0])->op == MUSTER_OP_INPUT ? with_byte(values, at) : NULL;
	int some = 0, all = 1;
	for (unsigned choice = 0; copy && choice < 256 && all; choice++) {
		struct bytes b = {p, copy, at < values->size ? values->size : at + 1};
		copy[at] = (uint8_t)choice;
		if (!expr_eval(p, condition, cause_byte_value, &b))
			continue;
		some = 1;
		all = !expr_eval(p, x->set, cause_byte_value, &b);
	}
	free(copy);
	return some && all;
}

/* The same of the pointer of some structure. */
static int asks_null_of_some(struct cause_search *f, const struct entry *e, const struct entry_place *x, expr_t condition, const struct bytes *values)
{
	struct exprs *p = f->c->pool;
	uint32_t n;
	const expr_t *v = expr_vars(p, condition, &n);
	size_t at = n == 1 ? expr_get(p, v[0])->k : 0;
	unsigned choices = n == 1 && expr_get(p, v[0])->op == MUSTER_OP_INPUT ? every_choices(e, x, at) : 0;
	uint8_t *copy = choices ? with_byte(values, at) : NULL;
	int set = 0, null = 0;
	for (unsigned choice = 0; copy && choice <= choices; choice++) {
		struct bytes b = {p, copy, at < values->size ? values->size : at + 1};
		copy[at] = (uint8_t)choice;
		*(choice ? &set : &null) |= expr_eval(p, condition, cause_byte_value, &b) != 0;
	}
	free(copy);
	return null && !set;
}

/* In the function that fails: one that it calls may be meant for null, too. */
static int is_in_failing(const struct cause_call *call, size_t decision)
{
	return call->failed_in == ENTRY_NONE || call->decided_in.data[decision] == call->failed_in;
}

static int some_is_used_null(struct cause_search *f, const struct entry *e, const struct entry_place *x, const struct cause_call *call)
{
	struct bytes values = {f->c->pool, call->data, call->size};
	for (size_t i = 0; i < call->decided.size && call->uses_null; i++)
		if (is_in_failing(call, i) && asks_null_of_some(f, e, x, call->decided.data[i], &values))
			return 1;
	return 0;
}

/* The program found that the pointer is null, and uses it. */
static int uses_what_is_null(struct cause_search *f, const struct entry_place *x, const struct cause_call *call)
{
	struct bytes values = {f->c->pool, call->data, call->size};
	for (size_t i = 0; i < call->decided.size && call->uses_null; i++)
		if (is_in_failing(call, i) && asks_null(f, x, call->decided.data[i], &values))
			return 1;
	return 0;
}

/* Some call read on behind bytes without a 0 although they are more than each number beside them says: no number counts these (nth_word(text, n)), and it is the 0 that was missed. */
static int outruns_count(struct cause_search *f, const struct entry *e, uint32_t b)
{
	struct clause_literal ended = {CLAUSE_ENDED, b, b, 0};
	for (size_t i = 0; i < f->calls; i++) {
		const struct cause_call *x = &f->c->calls.data[i];
		int outruns = x->failed && x->traced && x->broke && x->reads && cause_entry_of(f->c, x) == e && !candidate_holds(f, &(struct clause){.part = {ended}, .count = 1}, i) &&
			      characters_in(f, e, b, i) != EXPR_NONE && e->places.data[b].length != EXPR_NONE && terms_meet(f->c->pool, e->places.data[b].length, vec_last(&x->conditions));
		for (uint32_t a = 0; outruns && a < e->places.size; a++) {
			const struct entry_place *p = &e->places.data[a];
			struct clause below = {.part = {{CLAUSE_BELOW, a, b, 0}}, .count = 1};
			if (p->kind == ENTRY_NUMBER && p->counts && are_beside(p, &e->places.data[b]) && counts_it(p->text, e->places.data[b].text))
				outruns = candidate_holds(f, &below, i);
		}
		if (outruns)
			return 1;
	}
	return 0;
}

/* Bytes with a number beside them that counts by its name (buf, len): that it says as much, n <= len(p), comes first; and where the call looked at the number, and no call ever asks whether one of the bytes is 0, nobody takes them for a string. */
static int is_counted_bytes(struct cause_search *f, struct bytes *bytes, const struct entry *e, uint32_t b, size_t call)
{
	int counted = 0;
	for (uint32_t a = 0; a < e->places.size; a++) {
		const struct entry_place *p = &e->places.data[a];
		struct clause_literal within = {CLAUSE_WITHIN, a, b, 0};
		if (p->kind != ENTRY_NUMBER || !p->counts || p->parent != e->places.data[b].parent || !counts_it(p->text, e->places.data[b].text))
			continue;
		counted |= cause_looks_at(f, p, &f->c->calls.data[call], 0);
		if (cause_excludes_literal(f, bytes, &within, call))
			return 1;
	}
	return counted && !looks_for_end(f, b);
}

int convention_keeps_count(const struct entry *e, const struct clause *c)
{
	const struct clause_literal *l = &c->part[0];
	const struct entry_place *x = &e->places.data[l->a];
	if (c->count == 1 && x->kind == ENTRY_NUMBER && x->counts && x->in_struct && x->bits == 64 && l->op == CLAUSE_MOST && l->k >= MORE_THAN_ANY && l->k <= INT64_MAX && sounds_count(x->text))
		return 1;
	if (c->count != 1 || x->kind != ENTRY_NUMBER || !x->counts || !x->in_struct || !x->is_signed || (!sounds_count(x->text) && !sounds_references(x->text)))
		return 0;
	return l->op == CLAUSE_NATURAL || (l->op == CLAUSE_LEAST && (int64_t)l->k <= 0) || (l->op == CLAUSE_MOST && (int64_t)l->k == (int64_t)(((uint64_t)1 << (x->bits - 1)) - 2));
}

int convention_forbids(struct cause_search *f, struct bytes *bytes, const struct clause *c, size_t call)
{
	const struct clause_literal *l = &c->part[0];
	const struct cause_call *x = &f->c->calls.data[call];
	const struct entry *e = cause_entry_of(f->c, x);
	switch (l->op) {
	case CLAUSE_WITHIN:
	case CLAUSE_BELOW:
	case CLAUSE_SUM:
	case CLAUSE_AREA:
	case CLAUSE_LONG:
	case CLAUSE_ENDED:
		if (uses_what_is_null(f, &e->places.data[l->b], x) || passes_end(f, bytes, e, l->b, call) || is_whole(f, bytes, e, l->b, call))
			return 1;
		break;
	case CLAUSE_MOST:
	case CLAUSE_LEAST:
	case CLAUSE_LE:
	case CLAUSE_LT:
	case CLAUSE_NE:
		if (is_some_whole(f, bytes, e, call))
			return 1;
		break;
	default: break;
	}
	switch (l->op) {
	case CLAUSE_ORDERED: return sounds_end(e->places.data[l->a].text) && !sounds_end(e->places.data[l->b].text);
	case CLAUSE_SET: return uses_what_is_null(f, &e->places.data[l->a], x);
	case CLAUSE_EVERY: return some_is_used_null(f, e, &e->places.data[l->a], x) || is_some_whole(f, bytes, e, call);
	case CLAUSE_BELOW: return (is_counted(f, e, l->a, l->b, x) && cause_is_tight(f, bytes, c, call));
	case CLAUSE_SUM: return goes_alone(f, bytes, e, l->a, (uint32_t)l->k, l->b, call) || goes_alone(f, bytes, e, (uint32_t)l->k, l->a, l->b, call);
	case CLAUSE_MOST: return is_one_further_than(f, bytes, e, l->a, call) || fails_for_whole(f, bytes, e, l, call);
	case CLAUSE_LONG:
		return (l->k >= e->places.data[l->b].most || reads_on(f, e, l->b, call) || some_goes_one_further(f, bytes, e, l->b, call)) && cause_is_contrary(f, bytes, c);
	case CLAUSE_ENDED: return is_counted_bytes(f, bytes, e, l->b, call) || (some_goes_one_further(f, bytes, e, l->b, call) && !outruns_count(f, e, l->b) && cause_is_contrary(f, bytes, c));
	default: return 0;
	}
}
