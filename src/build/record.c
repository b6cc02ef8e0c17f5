/* record.c: frames and fields.
 *
 * A frame is a header (magic, version, kind, payload size, payload hash) and a
 * payload of fields (tag, size, bytes). Readers look for the magic rather than
 * computing where the next frame should be: a linker may pad between sections,
 * and one damaged frame must not hide those after it.
 */
#include "build/record.h"

#include "base/elf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Starts with a byte that no text has, so that source code cannot look like it. */
static const char magic[16] = "\x8dmuster-record\r\n";

struct frame_header {
	char magic[16];
	uint32_t version, kind;
	uint64_t size;
	uint64_t hash[2];
};
_Static_assert(sizeof(struct frame_header) == 48, "the format says so");

struct field_header {
	uint32_t tag, pad;
	uint64_t size;
};
_Static_assert(sizeof(struct field_header) == 16, "the format says so");

#define COMPRESSION_LEVEL 3
#define UNPACKED_MAX ((unsigned long long)1 << 32)

void record_field(struct buf *payload, enum record_tag tag, const void *data, size_t size)
{
	struct field_header h = {tag, 0, size};

	buf_add(payload, &h, sizeof h);
	buf_add(payload, data, size);
}

void record_string(struct buf *payload, enum record_tag tag, const char *s)
{
	record_field(payload, tag, s, strlen(s));
}

void record_u64(struct buf *payload, enum record_tag tag, uint64_t v)
{
	record_field(payload, tag, &v, sizeof v);
}

void record_hash(struct buf *payload, enum record_tag tag, struct hash128 h)
{
	uint64_t v[2] = {h.a, h.b};

	record_field(payload, tag, v, sizeof v);
}

int record_packed(struct buf *payload, enum record_tag tag, const void *data, size_t size)
{
	struct buf packed = BUF_EMPTY;
	size_t n;

	buf_reserve(&packed, ZSTD_compressBound(size));
	n = ZSTD_compress(packed.data, packed.cap, data, size, COMPRESSION_LEVEL);
	if (ZSTD_isError(n)) {
		buf_release(&packed);
		return error_set("cannot compress: %s", ZSTD_getErrorName(n));
	}
	record_field(payload, tag, packed.data, n);
	buf_release(&packed);
	return 0;
}

struct hash128 record_frame(struct buf *out, enum record_kind kind, const struct buf *payload)
{
	struct hash128 id = hash128(payload->data, payload->size);
	struct frame_header h = {
	    .version = RECORD_VERSION, .kind = kind, .size = payload->size, .hash = {id.a, id.b}};

	memcpy(h.magic, magic, sizeof magic);
	buf_add(out, &h, sizeof h);
	buf_add(out, payload->data, payload->size);
	return id;
}

int record_next(const void *payload, size_t size, size_t *at, struct record_value *v)
{
	struct field_header h;

	if (*at == size)
		return 0;
	if (size - *at < sizeof h)
		return error_set("a record is damaged (a field is cut off)");
	memcpy(&h, (const char *)payload + *at, sizeof h);
	*at += sizeof h;
	if (size - *at < h.size)
		return error_set("a record is damaged (a field is longer than the record)");
	*v = (struct record_value){h.tag, (const char *)payload + *at, h.size};
	*at += h.size;
	return 1;
}

int record_find(const void *payload, size_t size, enum record_tag tag, struct record_value *v)
{
	size_t at = 0;

	while (record_next(payload, size, &at, v) > 0)
		if (v->tag == tag)
			return 1;
	*v = (struct record_value){0};
	return 0;
}

char *record_text(const struct record_value *v)
{
	return mem_strndup(v->size ? v->data : "", v->size);
}

uint64_t record_number(const struct record_value *v)
{
	uint64_t n = 0;

	memcpy(&n, v->data, v->size < sizeof n ? v->size : sizeof n);
	return n;
}

struct hash128 record_id(const struct record_value *v)
{
	struct hash128 h = {0};

	if (v->size == 16) {
		memcpy(&h.a, v->data, 8);
		memcpy(&h.b, v->data + 8, 8);
	}
	return h;
}

int record_unpack(const struct record_value *v, struct buf *out)
{
	unsigned long long size = ZSTD_getFrameContentSize(v->data, v->size);
	size_t n;

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
	    size > UNPACKED_MAX)
		return error_set("a record is damaged (compressed data of no known size)");
	buf_reserve(out, size);
	n = ZSTD_decompress(out->data + out->size, size, v->data, v->size);
	if (ZSTD_isError(n))
		return error_set("a record is damaged (%s)", ZSTD_getErrorName(n));
	out->size += n;
	return 0;
}

static void damaged(struct record_list *l, const char *words)
{
	if (!l->damaged++)
		snprintf(l->words, sizeof l->words, "%s", words);
}

/* Takes the frame at p, whose magic was seen; returns the bytes to go on after. */
static size_t take_frame(const char *p, size_t left, struct record_list *l)
{
	struct frame_header h;
	struct hash128 id;

	if (left < sizeof h) {
		damaged(l, "a record is cut off");
		return left;
	}
	memcpy(&h, p, sizeof h);
	if (h.version != RECORD_VERSION) {
		damaged(l, "a record of another version of muster: build again with this one");
		return sizeof magic;
	}
	if (h.size > left - sizeof h) {
		damaged(l, "a record is cut off");
		return sizeof magic;
	}
	id = hash128(p + sizeof h, h.size);
	if (id.a != h.hash[0] || id.b != h.hash[1]) {
		damaged(l, "a record does not match its hash: the file was changed after linking");
		return sizeof magic;
	}
	vec_push(&l->frames, (struct record){h.kind, id, p + sizeof h, h.size});
	return sizeof h + h.size;
}

static int read_section(void *ctx, const char *name, const void *contents, size_t size)
{
	struct record_list *l = ctx;
	const char *p = contents, *end = p + size;

	if (strcmp(name, RECORD_SECTION))
		return 0;
	while ((p = memmem(p, end - p, magic, sizeof magic)))
		p += take_frame(p, end - p, l);
	return 0;
}

int record_read(const void *file, size_t size, struct record_list *out)
{
	*out = (struct record_list){0};
	return elf_sections(file, size, read_section, out);
}

void record_list_release(struct record_list *l)
{
	vec_release(&l->frames);
}

int record_append(const char *path, const struct buf *frames)
{
	struct buf file = BUF_EMPTY;
	int fd, e = file_read(path, &file);

	if (!e)
		e = elf_add_section(&file, RECORD_SECTION, frames->data, frames->size, 1);
	if (e) {
		buf_release(&file);
		return error_wrap("cannot add a record to '%s'", path);
	}
	/* In place: the file may have other names, and keeps its mode. */
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || file_write_all(fd, file.data, file.size))
		e = error_errno("cannot write '%s'", path);
	if (fd >= 0 && close(fd) && !e)
		e = error_errno("cannot write '%s'", path);
	buf_release(&file);
	return e;
}
