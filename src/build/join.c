/* join.c: the records of a program, given to whole.h in the order of the link.
 *
 * A linked file has the records of exactly those units that went into it, one after the other as the linker placed them, so their order is the order in which definitions come
 * first. Inputs without a record (assembly, objects of others) travel in the link closure: the symbols that they define may come before weak ones of ours. An archive's
 * member without a record may not have been linked at all; it counts all the same.
 */
#include "build/join.h"

#include "base/error.h"
#include "base/map.h"
#include "build/record.h"
#include "build/symbols.h"

static int add_unit(struct whole *w, const struct record *r, uint32_t image)
{
	struct whole_source s = {.image = image};
	struct record_value bitcode, hash, name;
	struct buf bytes = BUF_EMPTY;
	char *text;
	int e;

	if (!record_find(r->payload, r->size, TAG_HASH, &hash) || !record_find(r->payload, r->size, TAG_NAME, &name) ||
	    !record_find(r->payload, r->size, TAG_BITCODE, &bitcode))
		return error_set("a record is damaged: it lacks a name, a hash or bitcode");
	s.hash = record_id(&hash);
	s.name = text = record_text(&name);
	e = record_unpack(&bitcode, &bytes);
	s.bitcode = bytes.data;
	s.size = bytes.size;
	if (!e && !hash_equal(hash128(bytes.data, bytes.size), s.hash))
		e = error_set("the record of '%s' is damaged: its bitcode has another hash", text);
	if (!e)
		e = whole_add(w, &s);
	buf_release(&bytes);
	free(text);
	return e;
}

/* Each unit once: a library may be linked twice. */
static int add_units(struct whole *w, const struct image *im, uint32_t image)
{
	struct map seen = {0};
	int e = im->records.damaged ? error_set("'%s': %s", im->path, im->records.words) : 0;

	for (size_t i = 0; i < im->records.frames.size && !e; i++) {
		const struct record *r = &im->records.frames.data[i];

		if (r->kind == RECORD_UNIT && map_set(&seen, r->id.a ^ r->id.b, 1))
			e = add_unit(w, r, image);
	}
	map_release(&seen);
	return e;
}

static int add_blob(struct whole *w, const struct closure *c, struct hash128 id, uint32_t image)
{
	struct strmap names = {0};
	struct buf bytes = BUF_EMPTY;
	const char *name;
	uint64_t value;
	size_t at = 0;
	int e = hash_is_none(id) ? 0 : closure_blob(c, id, &bytes);

	if (!e && bytes.size)
		symbols_defined(bytes.data, bytes.size, &names);
	while (strmap_next(&names, &at, &name, &value))
		whole_foreign(w, image, name);
	strmap_release(&names);
	buf_release(&bytes);
	return e;
}

static int add_foreign(struct whole *w, const struct closure *c, uint32_t image)
{
	int e = 0;

	for (size_t i = 0; i < c->items.size && !e; i++) {
		const struct closure_item *item = &c->items.data[i];

		if (item->kind == ITEM_OBJECT)
			e = add_blob(w, c, item->blob, image);
		for (size_t k = 0; k < item->members.size && !e; k++)
			e = add_blob(w, c, item->members.data[k].blob, image);
	}
	return e;
}

struct whole *join_program(const struct program *p)
{
	struct whole *w = whole_new();
	int e = 0;

	for (uint32_t i = 0; i < p->images.size && !e; i++) {
		const struct image *im = &p->images.data[i];

		e = add_units(w, im, i);
		if (!e && im->linked)
			e = add_foreign(w, &im->closure, i);
		for (size_t k = 0; k < im->nested.size && !e; k++)
			e = add_foreign(w, &im->nested.data[k], i);
	}
	if (!e)
		e = whole_join(w);
	if (!e)
		return w;
	whole_free(w);
	return NULL;
}

struct whole *join_load(const char *path)
{
	struct program p;
	struct whole *w;

	if (program_load(&p, path))
		return NULL;
	w = join_program(&p);
	program_release(&p);
	return w;
}
