/* whole_source.c: what the units of a program are read from, and other forms of them.
 *
 * A unit is read when it is added: then it is not known yet which names the units behind it define. Where calls name their place in the source (position.h) to functions that the unit only declares, and
 * another file turns out to define one of them, the unit is read again when the program is joined, with these names.
 */
#include "base/error.h"
#include "ir/unit.h"
#include "ir/whole_parts.h"

#include <string.h>

static struct unit *open_unit(const struct whole_source *s, uint32_t number, const struct strmap *elsewhere, struct unit *own)
{
	if (!s->unset && !elsewhere)
		return unit_read(s->bitcode, s->size, number);
	return (s->unset ? unit_load_unset : unit_load_read)(own, s->bitcode, s->size, number, elsewhere) ? NULL : own;
}

static void copy_names(const struct strmap *from, struct strmap *to)
{
	const char *name;
	uint64_t value;
	size_t at = 0;

	while (strmap_next(from, &at, &name, &value))
		strmap_set(to, name, value);
}

/* Code and content; relied may be NULL. */
static int read_views(const struct whole_source *s, uint32_t number, const struct strmap *elsewhere, struct whole_unit *out, struct strmap *relied)
{
	struct unit own, *u = open_unit(s, number, elsewhere, &own);
	struct code *code = u ? code_new(u) : NULL;

	if (code) {
		out->content = content_new(u, code);
		out->code = code;
	}
	if (code && relied)
		copy_names(&u->relied, relied);
	if (u == &own)
		unit_release(&own);
	else
		unit_read_end();
	return code ? 0 : -1;
}

int whole_read_unit(struct whole *w, const struct whole_source *s, struct whole_unit *out)
{
	struct whole_read r = {.source = *s};

	*out = (struct whole_unit){.hash = s->hash, .image = s->image};
	if (read_views(s, (uint32_t)w->units.size, NULL, out, &r.relied)) {
		strmap_release(&r.relied);
		return -1;
	}
	out->name = r.source.name = arena_strdup(&w->inside->arena, s->name);
	buf_add(&r.bitcode, s->bitcode, s->size);
	r.source.bitcode = r.bitcode.data;
	vec_push(&w->inside->sources, r);
	return 0;
}

/* ------------------------------------------------------------------ names of other files */

/* How many files define each name: foreign ones count twice, since what they have is not known. */
static void count_definitions(const struct whole *w, struct strmap *counts)
{
	const char *name;
	uint64_t n;
	size_t at = 0;

	while (strmap_next(&w->inside->foreign, &at, &name, &n))
		strmap_set(counts, strchr(name, ' ') + 1, 2);
	for (size_t i = 0; i < w->units.size; i++) {
		const struct content *c = w->units.data[i].content;

		for (uint32_t k = 0; k < c->symbol_count; k++) {
			const struct content_symbol *s = &c->symbols[k];

			n = 0;
			if (s->binding != CONTENT_STRONG && s->binding != CONTENT_COMMON && s->binding != CONTENT_WEAK)
				continue;
			strmap_get(counts, s->name, &n);
			strmap_set(counts, s->name, n + 1);
		}
	}
}

/* Of the names that the unit relied on: those that other files define. */
static void find_elsewhere(const struct whole_read *r, const struct strmap *counts, struct strmap *out)
{
	const char *name;
	uint64_t own, n;
	size_t at = 0;

	while (strmap_next(&r->relied, &at, &name, &own))
		if (strmap_get(counts, name, &n) && n > own)
			strmap_set(out, name, 1);
}

static int read_other_names(struct whole *w, size_t unit, const struct strmap *elsewhere)
{
	struct whole_unit other = w->units.data[unit];

	if (read_views(&w->inside->sources.data[unit].source, (uint32_t)unit, elsewhere, &other, NULL))
		return -1;
	code_free(w->units.data[unit].code);
	content_free(w->units.data[unit].content);
	w->units.data[unit] = other;
	return 0;
}

int whole_read_again(struct whole *w)
{
	struct strmap counts = {0};
	int e = 0, counted = 0;

	for (size_t i = 0; i < w->units.size && !e; i++) {
		struct whole_read *r = &w->inside->sources.data[i];
		struct strmap elsewhere = {0};

		if (!r->relied.size)
			continue;
		if (!counted++)
			count_definitions(w, &counts);
		find_elsewhere(r, &counts, &elsewhere);
		if (elsewhere.size)
			e = read_other_names(w, i, &elsewhere);
		strmap_release(&elsewhere);
	}
	strmap_release(&counts);
	return e;
}

void whole_forget_sources(struct whole *w)
{
	for (size_t i = 0; i < w->inside->sources.size; i++) {
		buf_release(&w->inside->sources.data[i].bitcode);
		strmap_release(&w->inside->sources.data[i].relied);
	}
	vec_release(&w->inside->sources);
	whole_free(w->inside->unset);
}

/* ------------------------------------------------------------------ locals without a value */

static int add_unset(struct whole *to, const struct whole *from)
{
	const char *name;
	uint64_t value;
	size_t at = 0;
	int e = 0;

	for (size_t i = 0; i < from->inside->sources.size && !e; i++) {
		struct whole_source s = from->inside->sources.data[i].source;

		s.unset = 1;
		e = whole_add(to, &s);
	}
	while (strmap_next(&from->inside->foreign, &at, &name, &value))
		strmap_set(&to->inside->foreign, name, value);
	return e ? -1 : whole_join(to);
}

static int has_same_symbols(const struct whole *a, const struct whole *b)
{
	int same = a->symbols.size == b->symbols.size;

	for (size_t i = 0; i < a->symbols.size && same; i++)
		same = !strcmp(a->symbols.data[i].name, b->symbols.data[i].name) && a->symbols.data[i].unit == b->symbols.data[i].unit;
	return same;
}

const struct whole *whole_unset(const struct whole *w)
{
	struct whole_inside *in = w->inside;

	if (in->unset || in->no_unset)
		return in->unset;
	in->unset = whole_new();
	in->no_unset = add_unset(in->unset, w) || !has_same_symbols(w, in->unset);
	if (in->no_unset) {
		whole_free(in->unset);
		in->unset = NULL;
	}
	return in->unset;
}

int whole_reads_unset(const struct whole *w, uint32_t symbol)
{
	const struct whole_symbol *s = &w->symbols.data[symbol];

	if (s->unit == CODE_NONE || !s->function || w->inside->sources.data[s->unit].source.unset)
		return 0;
	const struct whole *u = whole_unset(w);
	return !u || code_function_reads_unset(u->symbols.data[symbol].function);
}
