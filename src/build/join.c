/* join.c: the records of a program, given to whole.h in the order of the link.
 *
 * A linked file has the records of exactly those units that went into it, one after the other as the linker placed them, so their order is the order in which definitions come
 * first. Inputs without a record (assembly, objects of others) travel in the link closure: the symbols that they define may come before weak ones of ours. An archive's
 * member without a record may not have been linked at all; it counts all the same.
 *
 * Who wants one unit gets that of merge.h in place of all.
 */
#include "build/join.h"

#include "base/error.h"
#include "base/file.h"
#include "build/archive.h"
#include "build/library.h"
#include "build/record.h"
#include "build/symbols.h"

static int add_unit(struct join *j, const struct record *r, uint32_t image)
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
	if (!e && j->bitcode) {
		vec_push(&j->units, (struct merge_unit){text, bytes, image});
		return 0;
	}
	if (!e)
		e = whole_add(j->whole, &s);
	buf_release(&bytes);
	free(text);
	return e;
}

/* Each unit once: a library may be linked twice. */
static int add_unit_once(struct join *j, const struct record *r, uint32_t image)
{
	return map_set(&j->seen, r->id.a ^ r->id.b, 1) ? add_unit(j, r, image) : 0;
}

static int add_units(struct join *j, const struct record_list *l, const char *path, uint32_t image)
{
	int e = l->damaged ? error_set("'%s': %s", path, l->words) : 0;

	for (size_t i = 0; i < l->frames.size && !e; i++)
		if (l->frames.data[i].kind == RECORD_UNIT)
			e = add_unit_once(j, &l->frames.data[i], image);
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

void join_begin(struct join *j, struct buf *bitcode)
{
	*j = (struct join){.whole = whole_new(), .bitcode = bitcode};
}

int join_record(struct join *j, const struct record *r, uint32_t image)
{
	struct record_value v;
	struct closure c;
	int e = 0;

	if (record_find(r->payload, r->size, TAG_BITCODE, &v))
		return add_unit_once(j, r, image);
	if (record_find(r->payload, r->size, TAG_ITEM, &v) && !(e = closure_read(&c, r))) {
		e = add_foreign(j->whole, &c, image);
		closure_release(&c);
	}
	return e;
}

static int add_merged(struct join *j)
{
	struct merge_unit *u = j->units.data;
	int e = 0;

	if (j->units.size == 1) {
		buf_clear(j->bitcode);
		buf_add(j->bitcode, u->bitcode.data, u->bitcode.size);
	} else if (j->units.size) {
		e = merge_units(u, j->units.size, j->bitcode);
	}
	if (!e && j->units.size)
		e = library_add(j->bitcode);
	if (e || !j->units.size)
		return e;
	struct whole_source s = {.name = u->name, .bitcode = j->bitcode->data, .size = j->bitcode->size, .hash = hash128(j->bitcode->data, j->bitcode->size), .unset = 1};
	return whole_add(j->whole, &s);
}

struct whole *join_end(struct join *j, int failed)
{
	struct whole *w = j->whole;

	if (!failed && j->bitcode)
		failed = add_merged(j);
	for (size_t i = 0; i < j->units.size; i++) {
		free(j->units.data[i].name);
		buf_release(&j->units.data[i].bitcode);
	}
	vec_release(&j->units);
	map_release(&j->seen);
	if (!failed && !whole_join(w))
		return w;
	whole_free(w);
	return NULL;
}

struct whole *join_program(const struct program *p, struct buf *bitcode)
{
	struct join j;
	int e = 0;

	join_begin(&j, bitcode);
	for (uint32_t i = 0; i < p->images.size && !e; i++) {
		const struct image *im = &p->images.data[i];

		map_clear(&j.seen); /* once in each image */
		e = add_units(&j, &im->records, im->path, i);
		if (!e && im->linked)
			e = add_foreign(j.whole, &im->closure, i);
		for (size_t k = 0; k < im->nested.size && !e; k++)
			e = add_foreign(j.whole, &im->nested.data[k], i);
	}
	return join_end(&j, e);
}

/* ------------------------------------------------------------ archives */

struct archived {
	struct join join;
	const char *path;
};

static int add_member(void *ctx, const char *name, const void *data, size_t size)
{
	struct archived *a = ctx;
	struct record_list l = {0};
	struct strmap names = {0};
	const char *defined;
	uint64_t value;
	size_t at = 0;
	int e = 0;

	(void)name;
	if (!symbols_type(data, size))
		return 0;
	e = record_read(data, size, &l) ? -1 : add_units(&a->join, &l, a->path, 0);
	if (!e && !l.frames.size)
		symbols_defined(data, size, &names);
	while (strmap_next(&names, &at, &defined, &value))
		whole_foreign(a->join.whole, 0, defined);
	strmap_release(&names);
	record_list_release(&l);
	return e;
}

static struct whole *join_archive(const char *path, const struct buf *file, struct buf *bitcode)
{
	struct archived a = {.path = path};

	join_begin(&a.join, bitcode);
	int e = archive_members(path, file->data, file->size, add_member, &a);
	if (!e && !a.join.seen.size)
		e = error_set("'%s' has no records: build it with 'muster cc' in place of cc, or with 'muster build -- make'", path);
	return join_end(&a.join, e);
}

struct whole *join_load_merged(const char *path, const char *const *cflags, struct buf *bitcode)
{
	struct buf file = BUF_EMPTY;
	struct program p;
	struct whole *w;

	if (!file_is_c(path) && file_is_regular(path) && !file_read(path, &file) && archive_is(file.data, file.size)) {
		w = join_archive(path, &file, bitcode);
		buf_release(&file);
		return w;
	}
	buf_release(&file);
	if (program_load_bitcode(&p, path, cflags))
		return NULL;
	w = join_program(&p, bitcode);
	program_release(&p);
	return w;
}

struct whole *join_load(const char *path)
{
	return join_load_merged(path, NULL, NULL);
}
