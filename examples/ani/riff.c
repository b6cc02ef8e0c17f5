/* riff.c: bytes and chunks.
 *
 * A RIFF file is a chunk that holds chunks: a tag of four bytes, a size, so many bytes, and one more where the size is odd. A LIST has four
 * bytes before its chunks that say what it is a list of. A chunk never reaches beyond the one that holds it, so a reader of a part can
 * do no harm to the rest.
 */
#include "ani.h"

#include <string.h>

/* ------------------------------------------------------------------ bytes */

void reader_init(struct ani_reader *r, const uint8_t *data, size_t size)
{
	r->data = data;
	r->size = size;
	r->at = 0;
}

size_t reader_left(const struct ani_reader *r)
{
	return r->size - r->at;
}

int reader_u8(struct ani_reader *r, uint8_t *out)
{
	if (reader_left(r) < 1)
		return -1;
	*out = r->data[r->at];
	r->at += 1;
	return 0;
}

int reader_u16(struct ani_reader *r, uint16_t *out)
{
	const uint8_t *p;

	if (reader_left(r) < 2)
		return -1;
	p = r->data + r->at;
	*out = (uint16_t)(p[0] | p[1] << 8);
	r->at += 2;
	return 0;
}

int reader_u32(struct ani_reader *r, uint32_t *out)
{
	const uint8_t *p;

	if (reader_left(r) < 4)
		return -1;
	p = r->data + r->at;
	*out = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	r->at += 4;
	return 0;
}

int reader_skip(struct ani_reader *r, size_t count)
{
	if (reader_left(r) < count)
		return -1;
	r->at += count;
	return 0;
}

int reader_part(struct ani_reader *r, size_t count, struct ani_reader *out)
{
	if (reader_left(r) < count)
		return -1;
	reader_init(out, r->data + r->at, count);
	r->at += count;
	return 0;
}

int reader_window(const struct ani_reader *r, size_t at, size_t count, struct ani_reader *out)
{
	if (at > r->size || r->size - at < count)
		return -1;
	reader_init(out, r->data + at, count);
	return 0;
}

/* ----------------------------------------------------------------- chunks */

static int is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Tags are letters and digits, filled up with spaces at the end. */
static int tag_is_valid(uint32_t tag)
{
	int ended = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint8_t c = (uint8_t)(tag >> 8 * i);

		if (c == ' ') {
			ended = 1;
			continue;
		}
		if (ended || !(is_letter(c) || is_digit(c)))
			return 0;
	}
	return (uint8_t)tag != ' ';
}

static int has_kind(uint32_t tag)
{
	return tag == TAG_LIST || tag == TAG_RIFF;
}

/* The byte that makes a chunk even may be missing at the end of what holds it. */
static void skip_padding(struct ani_reader *r, uint32_t size)
{
	if (size % 2 == 1 && reader_left(r) > 0)
		(void)reader_skip(r, 1);
}

int chunk_next(struct ani_reader *r, struct ani_chunk *out)
{
	uint32_t size;

	memset(out, 0, sizeof *out);
	if (reader_left(r) == 0)
		return 0;
	if (reader_u32(r, &out->tag) || reader_u32(r, &size))
		return -1;
	if (!tag_is_valid(out->tag))
		return -1;
	if (reader_part(r, size, &out->body))
		return -1;
	skip_padding(r, size);
	if (has_kind(out->tag) && reader_u32(&out->body, &out->kind))
		return -1;
	return 1;
}

int chunk_riff(struct ani_reader *file, struct ani_chunk *out, enum ani_status *status)
{
	uint32_t size;

	memset(out, 0, sizeof *out);
	if (reader_u32(file, &out->tag) || out->tag != TAG_RIFF) {
		*status = ANI_NOT_RIFF;
		return -1;
	}
	if (reader_u32(file, &size)) {
		*status = ANI_SHORT;
		return -1;
	}
	/* Writers that put the size of the whole file there are common enough. */
	if (size > reader_left(file) && size == file->size)
		size = (uint32_t)reader_left(file);
	if (reader_part(file, size, &out->body)) {
		*status = ANI_SHORT;
		return -1;
	}
	if (reader_u32(&out->body, &out->kind) || out->kind != TAG_ACON) {
		*status = ANI_NOT_ACON;
		return -1;
	}
	return 0;
}
