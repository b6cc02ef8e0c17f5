/* rle.c: bitmaps of runs, of four and of eight bits.
 *
 * Pairs of bytes: a count and what is repeated; or a zero and an escape: 0 ends a row, 1 ends the picture, 2 moves by the two bytes that
 * follow, and anything else is a count of pixels that stand there as they are, filled up to an even number of bytes. Rows come from
 * the bottom. Pixels that nothing is said of are index 0.
 */
#include "ani.h"

#include <string.h>

enum rle_escape {
	RLE_END_ROW,
	RLE_END,
	RLE_MOVE,
};

struct rle {
	struct ani_reader *in;
	uint8_t *out;
	uint32_t width, height;
	uint32_t x, y;
	unsigned bits;
	int ended;
};

static void put(struct rle *d, uint8_t index)
{
	d->out[(size_t)d->y * d->width + d->x] = index;
	d->x++;
}

/* May so many pixels follow in this row? */
static int fits(const struct rle *d, unsigned count)
{
	return d->y < d->height && count <= d->width - d->x;
}

/* A run repeats a byte: one index of eight bits, or two of four in turn. */
static enum ani_status run(struct rle *d, unsigned count, uint8_t what)
{
	if (!fits(d, count))
		return ANI_PIXELS;
	for (unsigned i = 0; i < count; i++) {
		if (d->bits == 8)
			put(d, what);
		else
			put(d, i % 2 == 0 ? what >> 4 : what & 15);
	}
	return ANI_OK;
}

static enum ani_status literal_8(struct rle *d, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint8_t byte;

		if (reader_u8(d->in, &byte))
			return ANI_SHORT;
		put(d, byte);
	}
	return ANI_OK;
}

static enum ani_status literal_4(struct rle *d, unsigned count)
{
	uint8_t byte = 0;

	for (unsigned i = 0; i < count; i++) {
		if (i % 2 == 0 && reader_u8(d->in, &byte))
			return ANI_SHORT;
		put(d, i % 2 == 0 ? byte >> 4 : byte & 15);
	}
	return ANI_OK;
}

static enum ani_status literal(struct rle *d, unsigned count)
{
	unsigned bytes = d->bits == 8 ? count : (count + 1) / 2;
	enum ani_status status;

	if (!fits(d, count))
		return ANI_PIXELS;
	status = d->bits == 8 ? literal_8(d, count) : literal_4(d, count);
	if (status)
		return status;
	if (bytes % 2 == 1 && reader_skip(d->in, 1))
		return ANI_SHORT;
	return ANI_OK;
}

static enum ani_status move(struct rle *d)
{
	uint8_t right, up;

	if (reader_u8(d->in, &right) || reader_u8(d->in, &up))
		return ANI_SHORT;
	d->x += right;
	d->y += up;
	return d->y < d->height ? ANI_OK : ANI_PIXELS;
}

static enum ani_status escape(struct rle *d, uint8_t what)
{
	switch (what) {
	case RLE_END_ROW:
		d->x = 0;
		d->y++;
		return ANI_OK;
	case RLE_END:
		d->ended = 1;
		return ANI_OK;
	case RLE_MOVE:
		return move(d);
	default:
		return literal(d, what);
	}
}

enum ani_status rle_decode(struct ani_reader *r, const struct ani_bitmap *b, uint8_t *out)
{
	struct rle d = {.in = r, .out = out, .width = b->width, .height = b->height, .bits = b->bits};

	memset(out, 0, (size_t)b->width * b->height);
	while (!d.ended) {
		uint8_t count, what;
		enum ani_status status;

		if (reader_u8(r, &count) || reader_u8(r, &what))
			return ANI_SHORT;
		status = count ? run(&d, count, what) : escape(&d, what);
		if (status)
			return status;
	}
	return ANI_OK;
}
