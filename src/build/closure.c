/* closure.c: link closures as records. The order of items is the order of the
 * command line, which archives and groups depend on. */
#include "build/closure.h"

#include "base/error.h"

#include <string.h>

int hash_is_none(struct hash128 h)
{
	return !h.a && !h.b;
}

int hash_equal(struct hash128 a, struct hash128 b)
{
	return a.a == b.a && a.b == b.b;
}

static void write_member(const struct closure_member *m, struct buf *out)
{
	struct buf p = BUF_EMPTY;

	record_string(&p, TAG_NAME, m->name);
	for (size_t i = 0; i < m->units.size; i++)
		record_hash(&p, TAG_UNIT, m->units.data[i]);
	if (!hash_is_none(m->blob))
		record_hash(&p, TAG_HASH, m->blob);
	record_field(out, TAG_MEMBER, p.data, p.size);
	buf_release(&p);
}

static void write_item(const struct closure_item *item, struct buf *out)
{
	struct buf p = BUF_EMPTY;

	record_u64(&p, TAG_KIND, item->kind);
	record_string(&p, TAG_TEXT, item->text);
	if (item->value)
		record_string(&p, TAG_PREFIX, item->value);
	for (size_t i = 0; i < item->units.size; i++)
		record_hash(&p, TAG_UNIT, item->units.data[i]);
	if (!hash_is_none(item->link))
		record_hash(&p, TAG_LINK, item->link);
	if (!hash_is_none(item->blob))
		record_hash(&p, TAG_HASH, item->blob);
	if (item->why)
		record_string(&p, TAG_WHY, item->why);
	for (size_t i = 0; i < item->members.size; i++)
		write_member(&item->members.data[i], &p);
	record_field(out, TAG_ITEM, p.data, p.size);
	buf_release(&p);
}

void closure_write(const struct closure *c, struct buf *frames)
{
	struct buf payload = BUF_EMPTY;

	record_string(&payload, TAG_NAME, c->output);
	record_string(&payload, TAG_DIR, c->dir);
	record_u64(&payload, TAG_FLAGS, c->flags);
	for (size_t i = 0; i < c->items.size; i++)
		write_item(&c->items.data[i], &payload);
	for (size_t i = 0; i < c->blobs.size; i++) {
		struct buf p = BUF_EMPTY;

		record_hash(&p, TAG_HASH, c->blobs.data[i].id);
		record_packed(&p, TAG_DATA, c->blobs.data[i].data, c->blobs.data[i].size);
		record_field(&payload, TAG_BLOB, p.data, p.size);
		buf_release(&p);
	}
	record_frame(frames, RECORD_LINK, &payload);
	buf_release(&payload);
}

static const char *text(struct closure *c, const struct record_value *v)
{
	return arena_strndup(&c->arena, v->size ? v->data : "", v->size);
}

static int read_member(struct closure *c, const struct record_value *in, struct closure_member *m)
{
	struct record_value v;
	size_t at = 0;
	int n;

	*m = (struct closure_member){.name = ""};
	while ((n = record_next(in->data, in->size, &at, &v)) > 0) {
		if (v.tag == TAG_NAME)
			m->name = text(c, &v);
		else if (v.tag == TAG_UNIT)
			vec_push(&m->units, record_id(&v));
		else if (v.tag == TAG_HASH)
			m->blob = record_id(&v);
	}
	return n;
}

static int read_item(struct closure *c, const struct record_value *in)
{
	struct closure_item item = {.text = ""};
	struct closure_member m;
	struct record_value v;
	size_t at = 0;
	int n;

	while ((n = record_next(in->data, in->size, &at, &v)) > 0) {
		switch (v.tag) {
		case TAG_KIND:
			item.kind = record_number(&v);
			break;
		case TAG_TEXT:
			item.text = text(c, &v);
			break;
		case TAG_PREFIX:
			item.value = text(c, &v);
			break;
		case TAG_UNIT:
			vec_push(&item.units, record_id(&v));
			break;
		case TAG_LINK:
			item.link = record_id(&v);
			break;
		case TAG_HASH:
			item.blob = record_id(&v);
			break;
		case TAG_WHY:
			item.why = text(c, &v);
			break;
		case TAG_MEMBER:
			if (read_member(c, &v, &m))
				return -1;
			vec_push(&item.members, m);
			break;
		default:
			break;
		}
	}
	vec_push(&c->items, item);
	return n;
}

static int read_blob(struct closure *c, const struct record_value *in)
{
	struct record_value id, data;

	if (!record_find(in->data, in->size, TAG_HASH, &id) ||
	    !record_find(in->data, in->size, TAG_DATA, &data))
		return error_set("a link record is damaged (a copy without contents)");
	vec_push(&c->blobs, (struct closure_blob){record_id(&id), data.data, data.size});
	return 0;
}

int closure_read(struct closure *c, const struct record *r)
{
	struct record_value v;
	size_t at = 0;
	int n;

	*c = (struct closure){.output = "", .dir = ""};
	while ((n = record_next(r->payload, r->size, &at, &v)) > 0) {
		if (v.tag == TAG_NAME)
			c->output = text(c, &v);
		else if (v.tag == TAG_DIR)
			c->dir = text(c, &v);
		else if (v.tag == TAG_FLAGS)
			c->flags = record_number(&v);
		else if (v.tag == TAG_ITEM)
			n = read_item(c, &v);
		else if (v.tag == TAG_BLOB)
			n = read_blob(c, &v);
		if (n < 0)
			break;
	}
	if (n < 0)
		closure_release(c);
	return n;
}

void closure_release(struct closure *c)
{
	for (size_t i = 0; i < c->items.size; i++) {
		struct closure_item *item = &c->items.data[i];

		for (size_t k = 0; k < item->members.size; k++)
			vec_release(&item->members.data[k].units);
		vec_release(&item->members);
		vec_release(&item->units);
	}
	vec_release(&c->items);
	vec_release(&c->blobs);
	arena_release(&c->arena);
}

int closure_blob(const struct closure *c, struct hash128 id, struct buf *out)
{
	for (size_t i = 0; i < c->blobs.size; i++) {
		const struct closure_blob *b = &c->blobs.data[i];
		struct record_value v = {TAG_DATA, b->data, b->size};

		if (hash_equal(b->id, id))
			return record_unpack(&v, out);
	}
	return error_set("a link record is damaged (a copy it names is not there)");
}
