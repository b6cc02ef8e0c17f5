/* compared.c: comparisons as bytes and back.
 *
 * A text is its length in four bytes and its bytes; a list is its length and its members. The reader trusts no length: what does not fit the bytes that are left is an error, and every
 * member takes at least a byte of them, so that it ends. */
#include "result/compared.h"

#include "base/error.h"

#include <string.h>

#define FORM 0x31706d63u /* "cmp1": the version of the format */

const char *compared_text(struct compared *c, const char *text)
{
	return text ? arena_strdup(&c->strings, text) : "";
}

struct compared_item *compared_item(struct compared *c, const char *name, const char *verdict)
{
	vec_push(&c->items, (struct compared_item){.name = compared_text(c, name), .now = "", .file = "", .verdict = compared_text(c, verdict)});
	return &c->items.data[c->items.size - 1];
}

void compared_part(struct compared *c, struct compared_item *i, const char *label, const char *text)
{
	if (text && *text)
		vec_push(&i->parts, (struct compared_part){compared_text(c, label), compared_text(c, text)});
}

void compared_release(struct compared *c)
{
	for (size_t i = 0; i < c->items.size; i++)
		vec_release(&c->items.data[i].parts);
	vec_release(&c->items);
	vec_release(&c->sources);
	arena_release(&c->strings);
	*c = (struct compared){0};
}

/* ------------------------------------------------------------ to bytes */

static void put(struct buf *out, const char *text)
{
	size_t n = text ? strlen(text) : 0;
	buf_add32(out, (uint32_t)n);
	buf_add(out, text ? text : "", n);
}

void compared_write(const struct compared *c, struct buf *out)
{
	buf_add32(out, FORM);
	put(out, c->command);
	put(out, c->status);
	put(out, c->old);
	put(out, c->new);
	buf_add64(out, (uint64_t)c->time);
	buf_add64(out, (uint64_t)(c->seconds * 1e6));
	buf_add32(out, (uint32_t)c->items.size);
	for (size_t i = 0; i < c->items.size; i++) {
		const struct compared_item *t = &c->items.data[i];
		put(out, t->name);
		put(out, t->now);
		put(out, t->file);
		put(out, t->verdict);
		buf_add32(out, t->line);
		buf_add32(out, t->phase);
		buf_add32(out, (uint32_t)t->parts.size);
		for (size_t k = 0; k < t->parts.size; k++) {
			put(out, t->parts.data[k].label);
			put(out, t->parts.data[k].text);
		}
	}
	buf_add32(out, (uint32_t)c->sources.size);
	for (size_t i = 0; i < c->sources.size; i++) {
		put(out, c->sources.data[i].path);
		put(out, c->sources.data[i].old);
		put(out, c->sources.data[i].new);
	}
}

/* ------------------------------------------------------------ from bytes */

struct reader {
	struct compared *c;
	const unsigned char *at, *end;
	int bad;
};

static uint64_t number(struct reader *r, unsigned bytes)
{
	uint64_t v = 0;
	if ((size_t)(r->end - r->at) < bytes) {
		r->bad = 1;
		r->at = r->end;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)r->at[i] << 8 * i;
	r->at += bytes;
	return v;
}

static const char *text(struct reader *r)
{
	uint64_t n = number(r, 4);
	if (n > (size_t)(r->end - r->at) || memchr(r->at, 0, n)) {
		r->bad = 1;
		r->at = r->end;
		return "";
	}
	char *s = arena_alloc(&r->c->strings, n + 1);
	memcpy(s, r->at, n);
	s[n] = 0;
	r->at += n;
	return s;
}

static void read_item(struct reader *r)
{
	struct compared_item i = {0};
	i.name = text(r);
	i.now = text(r);
	i.file = text(r);
	i.verdict = text(r);
	i.line = (uint32_t)number(r, 4);
	i.phase = (uint32_t)number(r, 4);
	for (uint64_t n = number(r, 4); n && !r->bad; n--) {
		const char *label = text(r);
		vec_push(&i.parts, (struct compared_part){label, text(r)});
	}
	vec_push(&r->c->items, i);
}

int compared_read(struct compared *c, const void *data, size_t size)
{
	struct reader r = {c, data, (const unsigned char *)data + size, 0};
	*c = (struct compared){0};
	if (number(&r, 4) != FORM)
		return error_set("the result of the last comparison was written by another muster: run the command again");
	c->command = text(&r);
	c->status = text(&r);
	c->old = text(&r);
	c->new = text(&r);
	c->time = (int64_t)number(&r, 8);
	c->seconds = (double)number(&r, 8) / 1e6;
	for (uint64_t n = number(&r, 4); n && !r.bad; n--)
		read_item(&r);
	for (uint64_t n = number(&r, 4); n && !r.bad; n--) {
		struct compared_source s;
		s.path = text(&r);
		s.old = text(&r);
		s.new = text(&r);
		vec_push(&c->sources, s);
	}
	if (r.bad || r.at != r.end)
		return error_set("the result of the last comparison is damaged: run the command again");
	return 0;
}
