/* whole_link.c: which definition each symbol of each unit means.
 *
 * First every image chooses among its units' definitions of a name, as a linker does: strong, else the largest common, else the first weak. Then names are bound between images: to the
 * first that defines them where others may see it. Each definition that was chosen, and each static, is one symbol of the program; what is left undefined is
 * one symbol a name, without a unit. An alias of a whole function or variable is that one.
 *
 * Keys: the compiler numbers statics of one name as it meets them (`f.count`, `f.count.3`), so such a number is left out and the n-th static of a name in its unit is
 * `f.count#n`.
 */
#include "base/buf.h"
#include "ir/whole_parts.h"

#include <ctype.h>
#include <string.h>

struct linker {
	struct whole *w;
	struct strmap chosen;	  /* "image name" -> candidate */
	struct map symbols;	  /* unit << 32 | symbol -> symbol of the program */
	struct buf key;
};

static const char *image_key(struct linker *l, uint32_t image, const char *name)
{
	buf_clear(&l->key);
	buf_addf(&l->key, "%u %s", image, name);
	return buf_str(&l->key);
}

static uint64_t candidate(uint32_t unit, uint32_t symbol)
{
	return (uint64_t)unit << 32 | symbol;
}

static const struct content_symbol *symbol_of(const struct whole *w, uint64_t candidate)
{
	return &w->units.data[candidate >> 32].content->symbols[(uint32_t)candidate];
}

/* ------------------------------------------------------------------ choosing definitions */

static int rank(enum content_binding b)
{
	return b == CONTENT_STRONG ? 3 : b == CONTENT_COMMON ? 2 : b == CONTENT_WEAK ? 1 : 0;
}

static int is_better(const struct content_symbol *a, const struct content_symbol *b)
{
	if (rank(a->binding) != rank(b->binding))
		return rank(a->binding) > rank(b->binding);
	return a->binding == CONTENT_COMMON && a->bytes > b->bytes;
}

static void choose(struct linker *l)
{
	for (uint32_t i = 0; i < l->w->units.size; i++) {
		const struct whole_unit *u = &l->w->units.data[i];

		for (uint32_t k = 0; k < u->content->symbol_count; k++) {
			const struct content_symbol *s = &u->content->symbols[k];
			const char *key;
			uint64_t best;

			if (!rank(s->binding))
				continue;
			key = image_key(l, u->image, s->name);
			if (s->binding != CONTENT_STRONG && strmap_get(&l->w->inside->foreign, key, NULL))
				continue;
			if (!strmap_get(&l->chosen, key, &best) || is_better(s, symbol_of(l->w, best)))
				strmap_set(&l->chosen, key, candidate(i, k));
		}
	}
}

/* ------------------------------------------------------------------ symbols of the program */

static size_t stem_length(const char *name)
{
	size_t n = strlen(name), end = n;

	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	return end > 1 && end < n && name[end - 1] == '.' ? end - 1 : n;
}

static void make_keys(struct whole *w, struct whole_unit *u)
{
	struct strmap counts = {0};

	u->keys = arena_alloc(&w->inside->arena, (u->content->symbol_count + 1) * sizeof *u->keys);
	for (uint32_t k = 0; k < u->content->symbol_count; k++) {
		const struct content_symbol *s = &u->content->symbols[k];
		uint64_t n = 0;
		char *stem;

		u->keys[k] = s->name;
		if (s->binding != CONTENT_LOCAL)
			continue;
		stem = arena_strndup(&w->inside->arena, s->name, stem_length(s->name));
		strmap_get(&counts, stem, &n);
		strmap_set(&counts, stem, n + 1);
		u->keys[k] = stem;
		if (n) {
			struct buf b = BUF_EMPTY;

			buf_addf(&b, "%s#%llu", stem, (unsigned long long)n);
			u->keys[k] = arena_strdup(&w->inside->arena, buf_str(&b));
			buf_release(&b);
		}
	}
	strmap_release(&counts);
}

static uint8_t kind_of(const struct content_symbol *s)
{
	return s->kind == CONTENT_FUNCTION ? WHOLE_FUNCTION : s->kind == CONTENT_DATA ? WHOLE_DATA : WHOLE_OTHER;
}

static uint32_t add_symbol(struct linker *l, uint32_t unit, uint32_t number, int defined)
{
	const struct whole_unit *u = &l->w->units.data[unit];
	const struct content_symbol *c = &u->content->symbols[number];
	struct whole_symbol s = {.name = c->name, .key = u->keys[number], .kind = kind_of(c), .signature = c->signature, .intrinsic = c->intrinsic, .number = number};

	s.local = c->binding == CONTENT_LOCAL;
	s.unit = defined ? unit : CODE_NONE;
	s.component = CODE_NONE;
	if (defined && s.kind == WHOLE_FUNCTION && u->code->functions[number].defined)
		s.function = &u->code->functions[number];
	vec_push(&l->w->symbols, s);
	return (uint32_t)l->w->symbols.size - 1;
}

/* Aliases come last: what they mean has a number then. */
static void add_definitions(struct linker *l, int aliases)
{
	for (uint32_t i = 0; i < l->w->units.size; i++) {
		const struct whole_unit *u = &l->w->units.data[i];

		for (uint32_t k = 0; k < u->content->symbol_count; k++) {
			const struct content_symbol *s = &u->content->symbols[k];
			const struct content_constant *c = s->initial == CODE_NONE ? NULL : &u->content->constants[s->initial];
			uint64_t best = candidate(i, k), target;

			if ((s->kind == CONTENT_ALIAS) != aliases)
				continue;
			if (s->binding != CONTENT_LOCAL && (!strmap_get(&l->chosen, image_key(l, u->image, s->name), &best) || best != candidate(i, k)))
				continue;
			if (aliases && c && c->refs == 1 && c->hash == content_fold(2, 0) && map_get(&l->symbols, candidate(i, u->content->refs[c->first]), &target))
				map_set(&l->symbols, best, target);
			else
				map_set(&l->symbols, best, add_symbol(l, i, k, 1));
		}
	}
}

/* ------------------------------------------------------------------ binding */

static void export_names(struct linker *l)
{
	struct strmap *names = &l->w->inside->names;
	VEC(uint32_t) order = {0};
	uint32_t images = 0;

	for (uint32_t i = 0; i < l->w->units.size; i++)
		if (l->w->units.data[i].image >= images)
			images = l->w->units.data[i].image + 1;
	for (uint32_t image = 0; image < images; image++)
		for (uint32_t i = 0; i < l->w->units.size; i++)
			if (l->w->units.data[i].image == image)
				vec_push(&order, i);
	for (size_t at = 0; at < order.size; at++) {
		uint32_t i = order.data[at];
		const struct whole_unit *u = &l->w->units.data[i];

		for (uint32_t k = 0; k < u->content->symbol_count; k++) {
			const struct content_symbol *s = &u->content->symbols[k];
			uint64_t number;

			if (!rank(s->binding) || (s->hidden && u->image) || !map_get(&l->symbols, candidate(i, k), &number))
				continue;
			if (!strmap_get(names, s->name, NULL))
				strmap_set(names, s->name, number);
		}
	}
	vec_release(&order);
}

static uint32_t bind_symbol(struct linker *l, uint32_t unit, uint32_t k)
{
	const struct whole_unit *u = &l->w->units.data[unit];
	const struct content_symbol *s = &u->content->symbols[k];
	uint64_t number, own, here = 0;

	if (s->binding == CONTENT_LOCAL && map_get(&l->symbols, candidate(unit, k), &number))
		return (uint32_t)number;
	if (strmap_get(&l->chosen, image_key(l, u->image, s->name), &own) && map_get(&l->symbols, own, &number)) {
		here = 1;
		if (!u->image || symbol_of(l->w, own)->hidden)
			return (uint32_t)number;
	}
	if (strmap_get(&l->w->inside->names, s->name, &own))
		return (uint32_t)own;
	if (here)
		return (uint32_t)number;
	number = add_symbol(l, unit, k, 0);
	strmap_set(&l->w->inside->names, s->name, number);
	return (uint32_t)number;
}

static void bind_unit(struct linker *l, uint32_t unit)
{
	struct whole_unit *u = &l->w->units.data[unit];

	u->symbols = arena_alloc(&l->w->inside->arena, (u->content->symbol_count + 1) * sizeof *u->symbols);
	for (uint32_t k = 0; k < u->content->symbol_count; k++) {
		u->symbols[k] = bind_symbol(l, unit, k);
		if (u->content->symbols[k].taken)
			l->w->symbols.data[u->symbols[k]].taken = 1;
	}
}

void whole_link(struct whole *w)
{
	struct linker l = {.w = w};

	for (size_t i = 0; i < w->units.size; i++)
		make_keys(w, &w->units.data[i]);
	choose(&l);
	add_definitions(&l, 0);
	add_definitions(&l, 1);
	export_names(&l);
	for (uint32_t i = 0; i < w->units.size; i++)
		bind_unit(&l, i);
	strmap_release(&l.chosen);
	map_release(&l.symbols);
	buf_release(&l.key);
}
