/* whole.c: making and freeing a program of units, and locations in it.
 *
 * A unit is read by LLVM when it is added (whole_source.c), and LLVM's objects are freed at once: what stays is our own view (code.h) and the unit's content (content.h). Joining is
 * three steps, each in a file of its own: symbols (whole_link.c), digests (digest.c), calls and effects (whole_graph.c).
 */
#include "ir/whole.h"

#include "base/buf.h"
#include "base/error.h"
#include "ir/whole_parts.h"

#include <string.h>

struct whole *whole_new(void)
{
	struct whole *w = mem_zalloc(sizeof *w);

	w->inside = mem_zalloc(sizeof *w->inside);
	return w;
}

int whole_add(struct whole *w, const struct whole_source *s)
{
	struct whole_unit unit;

	if (whole_read_unit(w, s, &unit))
		return -1;
	vec_push(&w->units, unit);
	return 0;
}

static const char *foreign_key(struct buf *b, uint32_t image, const char *name)
{
	buf_addf(b, "%u %s", image, name);
	return buf_str(b);
}

void whole_foreign(struct whole *w, uint32_t image, const char *name)
{
	struct buf b = BUF_EMPTY;

	strmap_set(&w->inside->foreign, foreign_key(&b, image, name), 1);
	buf_release(&b);
}

int whole_join(struct whole *w)
{
	if (w->inside->joined++)
		BUG("a program is joined once");
	if (whole_read_again(w))
		return -1;
	whole_link(w);
	whole_digests(w);
	whole_calls(w);
	for (size_t i = w->units.size; i-- > 0;)
		map_set(&w->inside->units, w->units.data[i].digest.a, i + 1);
	return 0;
}

void whole_free(struct whole *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->units.size; i++) {
		code_free(w->units.data[i].code);
		content_free(w->units.data[i].content);
	}
	whole_forget_sources(w);
	vec_release(&w->units);
	vec_release(&w->symbols);
	vec_release(&w->callees);
	strmap_release(&w->inside->names);
	strmap_release(&w->inside->foreign);
	map_release(&w->inside->signatures);
	map_release(&w->inside->units);
	vec_release(&w->inside->targets);
	vec_release(&w->inside->target_list);
	arena_release(&w->inside->arena);
	free(w->inside);
	free(w);
}

uint32_t whole_find(const struct whole *w, const char *name)
{
	uint64_t number;

	return strmap_get(&w->inside->names, name, &number) ? (uint32_t)number : CODE_NONE;
}

uint32_t whole_find_any(const struct whole *w, const char *name)
{
	uint32_t found = whole_find(w, name);

	for (uint32_t i = 0; found == CODE_NONE && i < w->symbols.size; i++)
		if (!strcmp(w->symbols.data[i].name, name))
			found = i;
	return found;
}

const uint32_t *whole_targets(const struct whole *w, uint64_t signature, uint32_t *count)
{
	const struct whole_targets *t;
	uint64_t number;

	*count = 0;
	if (!map_get(&w->inside->signatures, signature, &number))
		return NULL;
	t = &w->inside->targets.data[number];
	*count = t->count;
	return w->inside->target_list.data + t->first;
}

/* ------------------------------------------------------------------ locations */

int whole_location(const struct whole *w, uint32_t symbol, uint32_t value, struct whole_location *out)
{
	const struct whole_symbol *s = &w->symbols.data[symbol];
	uint32_t at;

	if (!s->function || value < s->function->first_instruction || value >= s->function->first_instruction + s->function->instructions)
		return 0;
	at = s->position[value - s->function->first_instruction];
	*out = (struct whole_location){w->units.data[s->unit].digest, s->key, at};
	return at != CODE_NONE;
}

int whole_locate(const struct whole *w, const struct whole_location *l, uint32_t *symbol, uint32_t *value)
{
	const struct whole_unit *unit;
	uint64_t number;

	if (!map_get(&w->inside->units, l->unit.a, &number))
		return 0;
	unit = &w->units.data[number - 1];
	if (unit->digest.b != l->unit.b)
		return 0;
	for (uint32_t k = 0; k < unit->content->function_count; k++) {
		uint32_t id = unit->symbols[k];
		const struct whole_symbol *s = &w->symbols.data[id];

		if (strcmp(unit->keys[k], l->key) || s->unit != number - 1 || s->number != k || l->ordinal >= s->order_count)
			continue;
		*symbol = id;
		*value = s->order[l->ordinal];
		return 1;
	}
	return 0;
}

void whole_location_text(const struct whole_location *l, struct buf *out)
{
	char hex[HASH_HEX_SIZE];

	buf_addf(out, "%s:%s:%u", hash_hex(l->unit, hex), l->key, l->ordinal);
}
