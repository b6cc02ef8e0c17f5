/* match_symbol.c: which symbol of the new version is which of the old.
 *
 * In turn, each for what is still without a pair: symbols that are not static, by name and type; statics by their key and type in units that belong together (the same file, or the
 * one that has most of its symbols); statics whose key is there once, in whatever unit; functions and data that say the same, if only one does; the same name
 * with another type. Then, with the instructions of all pairs aligned (match.c), what these name in the same places; and last functions whose instructions are
 * mostly the same.
 *
 * A string literal or other data without a name has no pair: it is compared where it is named.
 */
#include "base/buf.h"
#include "ir/match_parts.h"

#include <string.h>

#define BODY_LEAST 6	/* instructions of a function that is found by its body */
#define LABEL_OWNERS 8	/* functions with the same label that are looked at: what more have tells nothing */

static const struct content_symbol *content_symbol_of(const struct whole *w, const struct whole_symbol *s)
{
	return s->unit == CODE_NONE ? NULL : &w->units.data[s->unit].content->symbols[s->number];
}

static int has_name(const struct whole *w, const struct whole_symbol *s)
{
	const struct content_symbol *c = content_symbol_of(w, s);

	return !c || !c->unnamed;
}

void match_pair(struct match *m, uint32_t old, uint32_t new, enum match_by by)
{
	m->to_new[old] = new;
	m->to_old[new] = old;
	m->by[old] = (uint8_t)by;
}

static int is_free(const struct match *m, uint32_t old, uint32_t new)
{
	return old != CODE_NONE && new != CODE_NONE && m->to_new[old] == CODE_NONE && m->to_old[new] == CODE_NONE;
}

/* Types of functions must agree if `strict`; of data they are part of the content. */
static int may_pair(const struct match *m, uint32_t old, uint32_t new, int strict)
{
	const struct whole_symbol *a = &m->old->symbols.data[old], *b = &m->new->symbols.data[new];

	return a->kind == b->kind && has_name(m->old, a) && has_name(m->new, b) && (!strict || a->kind != WHOLE_FUNCTION || a->signature == b->signature);
}

/* ------------------------------------------------------------------ names */

static void pair_exported(struct match *m, int strict)
{
	for (uint32_t i = 0; i < m->old->symbols.size; i++) {
		const struct whole_symbol *s = &m->old->symbols.data[i];
		uint32_t other;

		if (s->local || m->to_new[i] != CODE_NONE || whole_find(m->old, s->name) != i)
			continue;
		other = whole_find(m->new, s->name);
		if (is_free(m, i, other) && may_pair(m, i, other, strict))
			match_pair(m, i, other, MATCH_BY_NAME);
	}
}

/* ------------------------------------------------------------------ units */

/* Names of units -> number + 1; 0: several have it. */
static void index_units(const struct whole *w, struct strmap *out)
{
	for (uint32_t i = 0; i < w->units.size; i++) {
		uint64_t had;
		int again = strmap_get(out, w->units.data[i].name, &had);

		strmap_set(out, w->units.data[i].name, again ? 0 : i + 1);
	}
}

struct tally {
	uint64_t key; /* old unit << 32 | new unit */
	uint32_t count;
};

static int by_tally(const void *x, const void *y)
{
	const struct tally *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Units that share most symbols. */
static void pair_units_by_symbols(const struct match *m, uint32_t *units, uint8_t *taken)
{
	VEC(struct tally) list = {0};
	struct map places = {0};

	for (uint32_t i = 0; i < m->old->symbols.size; i++) {
		uint32_t other = m->to_new[i], a = m->old->symbols.data[i].unit, b = other == CODE_NONE ? CODE_NONE : m->new->symbols.data[other].unit;
		uint64_t at, key = (uint64_t)a << 32 | b;

		if (a == CODE_NONE || b == CODE_NONE)
			continue;
		if (!map_get(&places, key, &at)) {
			at = list.size;
			map_set(&places, key, at);
			vec_push(&list, (struct tally){key, 0});
		}
		list.data[at].count++;
	}
	if (list.size)
		qsort(list.data, list.size, sizeof *list.data, by_tally);
	for (size_t i = 0; i < list.size; i++) {
		uint32_t a = (uint32_t)(list.data[i].key >> 32), b = (uint32_t)list.data[i].key;

		if (units[a] == CODE_NONE && !taken[b]) {
			units[a] = b;
			taken[b] = 1;
		}
	}
	map_release(&places);
	vec_release(&list);
}

/* For each old unit the new one that it became, or CODE_NONE. The caller frees. */
static uint32_t *pair_units(const struct match *m)
{
	size_t n = m->old->units.size;
	uint32_t *units = mem_alloc((n + 1) * sizeof *units);
	uint8_t *taken = mem_zalloc(m->new->units.size + 1);
	struct strmap old = {0}, new = {0};

	index_units(m->old, &old);
	index_units(m->new, &new);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t a = 0, b = 0;

		units[i] = CODE_NONE;
		if (!strmap_get(&old, m->old->units.data[i].name, &a) || !a || !strmap_get(&new, m->old->units.data[i].name, &b) || !b)
			continue;
		units[i] = (uint32_t)b - 1;
		taken[b - 1] = 1;
	}
	pair_units_by_symbols(m, units, taken);
	if (n == 1 && m->new->units.size == 1)
		units[0] = 0;
	strmap_release(&old);
	strmap_release(&new);
	free(taken);
	return units;
}

/* ------------------------------------------------------------------ statics */

static const char *unit_key(struct buf *b, uint32_t unit, const struct whole_symbol *s)
{
	buf_clear(b);
	buf_addf(b, "%u %u %s", unit, s->kind, s->key);
	return buf_str(b);
}

/* units: what an old unit became; NULL: whatever unit it is in, if the key is there once on each side. */
static void pair_statics(struct match *m, const uint32_t *units, int strict)
{
	struct strmap index = {0}, seen = {0};
	struct buf b = BUF_EMPTY;

	for (uint32_t i = 0; i < m->new->symbols.size; i++) {
		const struct whole_symbol *s = &m->new->symbols.data[i];
		const char *key;

		if (s->unit == CODE_NONE || m->to_old[i] != CODE_NONE)
			continue;
		key = unit_key(&b, units ? s->unit : 0, s);
		strmap_set(&index, key, strmap_get(&index, key, NULL) ? CODE_NONE : i);
	}
	for (uint32_t i = 0; !units && i < m->old->symbols.size; i++) {
		const struct whole_symbol *s = &m->old->symbols.data[i];
		const char *key;

		if (s->unit == CODE_NONE || m->to_new[i] != CODE_NONE)
			continue;
		key = unit_key(&b, 0, s);
		strmap_set(&seen, key, strmap_get(&seen, key, NULL) ? 2 : 1);
	}
	for (uint32_t i = 0; i < m->old->symbols.size; i++) {
		const struct whole_symbol *s = &m->old->symbols.data[i];
		uint64_t other, times = 1;
		const char *key;

		if (s->unit == CODE_NONE || m->to_new[i] != CODE_NONE || (units && units[s->unit] == CODE_NONE))
			continue;
		key = unit_key(&b, units ? units[s->unit] : 0, s);
		if (!strmap_get(&index, key, &other) || other == CODE_NONE || (!units && strmap_get(&seen, key, &times) && times > 1))
			continue;
		if (is_free(m, i, (uint32_t)other) && may_pair(m, i, (uint32_t)other, strict))
			match_pair(m, i, (uint32_t)other, MATCH_BY_NAME);
	}
	strmap_release(&index);
	strmap_release(&seen);
	buf_release(&b);
}

/* ------------------------------------------------------------------ content */

/* Is it worth being found by its digest? Empty data and functions that only return are found everywhere. */
static int is_telling(const struct whole *w, const struct whole_symbol *s)
{
	const struct content_symbol *c = content_symbol_of(w, s);

	if (!c || c->unnamed || (s->kind == WHOLE_FUNCTION && !s->function))
		return 0;
	return s->kind == WHOLE_FUNCTION ? s->order_count > 2 : c->initial != CODE_NONE;
}

static void count_digests(const struct whole *w, const uint32_t *pairs, struct map *first, struct map *count)
{
	for (uint32_t i = 0; i < w->symbols.size; i++) {
		const struct whole_symbol *s = &w->symbols.data[i];
		uint64_t n = 0;

		if (pairs[i] != CODE_NONE || !is_telling(w, s))
			continue;
		map_get(count, s->digest.a, &n);
		map_set(count, s->digest.a, n + 1);
		map_set(first, s->digest.a, i);
	}
}

static void pair_by_digest(struct match *m)
{
	struct map old = {0}, new = {0}, old_count = {0}, new_count = {0};
	uint64_t digest, a, b, n;
	size_t at = 0;

	count_digests(m->old, m->to_new, &old, &old_count);
	count_digests(m->new, m->to_old, &new, &new_count);
	while (map_next(&old, &at, &digest, &a)) {
		if (!map_get(&old_count, digest, &n) || n != 1 || !map_get(&new_count, digest, &n) || n != 1 || !map_get(&new, digest, &b))
			continue;
		if (m->old->symbols.data[a].digest.b == m->new->symbols.data[b].digest.b && may_pair(m, (uint32_t)a, (uint32_t)b, 1))
			match_pair(m, (uint32_t)a, (uint32_t)b, MATCH_BY_DIGEST);
	}
	map_release(&old);
	map_release(&new);
	map_release(&old_count);
	map_release(&new_count);
}

void match_names(struct match *m)
{
	uint32_t *units;

	pair_exported(m, 1);
	units = pair_units(m);
	pair_statics(m, units, 1);
	pair_statics(m, NULL, 1);
	pair_by_digest(m);
	pair_exported(m, 0);
	pair_statics(m, units, 0);
	free(units);
}

/* ------------------------------------------------------------------ use */

struct use {
	uint32_t a, b, count;
};

struct uses {
	struct match *m;
	struct map places;
	VEC(struct use) list;
};

/* Only what both programs define: a call of another library function is another call. */
static void add_use(struct uses *u, const struct whole_unit *old, uint32_t a, const struct whole_unit *new, uint32_t b)
{
	const struct match *m = u->m;
	uint64_t key, at;

	a = old->symbols[a];
	b = new->symbols[b];
	if (!is_free(m, a, b) || !may_pair(m, a, b, 0) || m->old->symbols.data[a].unit == CODE_NONE || m->new->symbols.data[b].unit == CODE_NONE)
		return;
	key = (uint64_t)a << 32 | b;
	if (!map_get(&u->places, key, &at)) {
		at = u->list.size;
		map_set(&u->places, key, at);
		vec_push(&u->list, (struct use){a, b, 0});
	}
	u->list.data[at].count++;
}

static void add_constants(struct uses *u, const struct whole_unit *old, uint32_t a, const struct whole_unit *new, uint32_t b)
{
	const struct content_constant *x = &old->content->constants[a], *y = &new->content->constants[b];

	for (uint32_t k = 0; x->hash == y->hash && x->refs == y->refs && k < x->refs; k++)
		add_use(u, old, old->content->refs[x->first + k], new, new->content->refs[y->first + k]);
}

static void add_function_uses(struct uses *u, uint32_t symbol)
{
	const struct match_function *p = u->m->functions[symbol];
	struct match_side a, b;

	match_sides(u->m, symbol, &a, &b);
	for (uint32_t k = 0; k < a.f->instructions; k++) {
		uint32_t other = p->to_new[a.f->first_instruction + k];
		const struct content_instruction *i = &a.u->content->instructions[a.f->first_ordinal + k], *j;

		if (other == CODE_NONE || a.f->values[a.f->first_instruction + k].op == CODE_PHI)
			continue;
		j = content_of(b.u->content, b.f, other);
		for (uint32_t n = 0; i->operands == j->operands && n < i->operands; n++) {
			uint32_t x = content_operand(a.u->content, i, n), y = content_operand(b.u->content, j, n);

			if ((x & CONTENT_KIND) == CONTENT_SYMBOL && (y & CONTENT_KIND) == CONTENT_SYMBOL)
				add_use(u, a.u, x & CONTENT_NUMBER, b.u, y & CONTENT_NUMBER);
			else if ((x & CONTENT_KIND) == CONTENT_CONSTANT && (y & CONTENT_KIND) == CONTENT_CONSTANT)
				add_constants(u, a.u, x & CONTENT_NUMBER, b.u, y & CONTENT_NUMBER);
		}
	}
}

static void add_data_uses(struct uses *u, uint32_t symbol)
{
	const struct whole_symbol *a = &u->m->old->symbols.data[symbol], *b = &u->m->new->symbols.data[u->m->to_new[symbol]];
	const struct content_symbol *x = content_symbol_of(u->m->old, a), *y = content_symbol_of(u->m->new, b);

	if (x && y && x->initial != CODE_NONE && y->initial != CODE_NONE)
		add_constants(u, &u->m->old->units.data[a->unit], x->initial, &u->m->new->units.data[b->unit], y->initial);
}

static int by_uses(const void *x, const void *y)
{
	const struct use *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

/* 1 if there are new pairs. */
int match_by_use(struct match *m)
{
	struct uses u = {.m = m};
	int found = 0;

	for (uint32_t i = 0; i < m->old->symbols.size; i++) {
		if (m->functions[i])
			add_function_uses(&u, i);
		else if (m->to_new[i] != CODE_NONE)
			add_data_uses(&u, i);
	}
	if (u.list.size)
		qsort(u.list.data, u.list.size, sizeof *u.list.data, by_uses);
	for (size_t i = 0; i < u.list.size; i++)
		if (is_free(m, u.list.data[i].a, u.list.data[i].b)) {
			match_pair(m, u.list.data[i].a, u.list.data[i].b, MATCH_BY_CONTEXT);
			found = 1;
		}
	map_release(&u.places);
	vec_release(&u.list);
	return found;
}

/* ------------------------------------------------------------------ bodies */

struct owner {
	uint64_t label;
	uint32_t symbol;
};

static int by_owner(const void *x, const void *y)
{
	const struct owner *a = x, *b = y;

	if (a->label != b->label)
		return a->label < b->label ? -1 : 1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

typedef VEC(struct owner) owner_vec;

static void list_owners(const struct match *m, int side, owner_vec *out)
{
	const struct whole *w = side ? m->new : m->old;
	const uint32_t *pairs = side ? m->to_old : m->to_new;

	for (uint32_t i = 0; i < w->symbols.size; i++) {
		const struct whole_symbol *s = &w->symbols.data[i];
		struct match_side d = {.w = w, .s = s, .f = s->function, .pairs = side ? m->to_old : m->inside->self};
		uint64_t *labels;

		if (!s->function || pairs[i] != CODE_NONE || s->order_count < BODY_LEAST)
			continue;
		d.u = &w->units.data[s->unit];
		labels = match_plain(&d, 0);
		for (uint32_t k = 0; k < s->order_count; k++)
			vec_push(out, (struct owner){labels[s->order[k] - s->function->first_instruction], i});
		free(labels);
	}
	if (out->size)
		qsort(out->data, out->size, sizeof *out->data, by_owner);
}

/* Each label of an old function that few have counts for the new functions that have it, as often as both do. */
static void count_shared(struct uses *u, const owner_vec *old, const owner_vec *new)
{
	size_t at = 0, b = 0;

	while (at < old->size) {
		size_t end = at, b_end;

		while (end < old->size && old->data[end].label == old->data[at].label)
			end++;
		while (b < new->size && new->data[b].label < old->data[at].label)
			b++;
		for (b_end = b; b_end < new->size && new->data[b_end].label == old->data[at].label;)
			b_end++;
		for (size_t i = at; i < end && (end - at) <= LABEL_OWNERS && (b_end - b) <= LABEL_OWNERS; i++)
			for (size_t j = b; j < b_end; j++) {
				uint64_t key = (uint64_t)old->data[i].symbol << 32 | new->data[j].symbol, place;

				if (!map_get(&u->places, key, &place)) {
					place = u->list.size;
					map_set(&u->places, key, place);
					vec_push(&u->list, (struct use){old->data[i].symbol, new->data[j].symbol, 0});
				}
				u->list.data[place].count++;
			}
		at = end;
		b = b_end;
	}
}

/* Functions whose instructions are mostly the same; 1 if there are new pairs. */
int match_by_body(struct match *m)
{
	struct uses u = {.m = m};
	owner_vec old = {0}, new = {0};
	int found = 0;

	list_owners(m, 0, &old);
	list_owners(m, 1, &new);
	count_shared(&u, &old, &new);
	if (u.list.size)
		qsort(u.list.data, u.list.size, sizeof *u.list.data, by_uses);
	for (size_t i = 0; i < u.list.size; i++) {
		const struct use *x = &u.list.data[i];
		uint32_t n = m->old->symbols.data[x->a].order_count, k = m->new->symbols.data[x->b].order_count;

		if (is_free(m, x->a, x->b) && x->count * 2 >= (n > k ? n : k)) {
			match_pair(m, x->a, x->b, MATCH_BY_BODY);
			found = 1;
		}
	}
	map_release(&u.places);
	vec_release(&u.list);
	vec_release(&old);
	vec_release(&new);
	return found;
}
