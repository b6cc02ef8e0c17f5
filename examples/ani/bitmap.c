/* bitmap.c: a frame's bitmap: its header, its palette, its pixels and the mask behind them.
 *
 * The bitmap of an icon has twice the height of its picture: the lower half is a mask of one bit a pixel, which is set where what is
 * behind shows through. Rows are filled up to four bytes and come from the bottom, unless the height is negative.
 */
#include "ani.h"

#include <stdlib.h>
#include <string.h>

#define CORE_SIZE 12
#define INFO_SIZE 40
#define V4_SIZE 108
#define V5_SIZE 124

/* ----------------------------------------------------------------- header */

/* The header of OS/2, with numbers of 16 bits. */
static enum ani_status core_fields(struct ani_reader *r, struct ani_bitmap *b)
{
	uint16_t width, height, planes;

	if (reader_u16(r, &width) || reader_u16(r, &height) || reader_u16(r, &planes) || reader_u16(r, &b->bits))
		return ANI_SHORT;
	if (planes != 1)
		return ANI_BITMAP;
	b->width = width;
	b->height = height;
	b->compression = BITMAP_RGB;
	return ANI_OK;
}

/* A negative height says that rows come from the top. */
static enum ani_status signed_height(uint32_t height, struct ani_bitmap *b)
{
	if (height & 0x80000000u) {
		b->top_down = 1;
		height = 0u - height;
	}
	if (height & 0x80000000u)
		return ANI_BITMAP;
	b->height = height;
	return ANI_OK;
}

static enum ani_status info_fields(struct ani_reader *r, struct ani_bitmap *b)
{
	uint16_t planes;
	uint32_t height, resolution_x, resolution_y, important;
	enum ani_status status;

	if (reader_u32(r, &b->width) || reader_u32(r, &height))
		return ANI_SHORT;
	if (reader_u16(r, &planes) || reader_u16(r, &b->bits))
		return ANI_SHORT;
	if (reader_u32(r, &b->compression) || reader_u32(r, &b->image_size))
		return ANI_SHORT;
	if (reader_u32(r, &resolution_x) || reader_u32(r, &resolution_y))
		return ANI_SHORT;
	if (reader_u32(r, &b->colours) || reader_u32(r, &important))
		return ANI_SHORT;
	if (planes != 1 || important > b->colours)
		return ANI_BITMAP;
	status = signed_height(height, b);
	return status;
}

/* Masks of colours: in the header of newer versions, behind it in the old one. */
static enum ani_status masks(struct ani_reader *r, struct ani_bitmap *b)
{
	if (reader_u32(r, &b->red) || reader_u32(r, &b->green) || reader_u32(r, &b->blue))
		return ANI_SHORT;
	if ((b->red & b->green) || (b->red & b->blue) || (b->green & b->blue))
		return ANI_BITMAP;
	if (!b->red || !b->green || !b->blue)
		return ANI_BITMAP;
	return ANI_OK;
}

static void usual_masks(struct ani_bitmap *b)
{
	if (b->bits == 16) {
		b->red = 0x7c00;
		b->green = 0x03e0;
		b->blue = 0x001f;
	} else {
		b->red = 0xff0000;
		b->green = 0x00ff00;
		b->blue = 0x0000ff;
	}
}

static int bits_are_known(uint16_t bits)
{
	return bits == 1 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32;
}

static enum ani_status check_compression(const struct ani_bitmap *b)
{
	switch (b->compression) {
	case BITMAP_RGB:
		return ANI_OK;
	case BITMAP_RLE8:
		return b->bits == 8 && !b->top_down ? ANI_OK : ANI_BITMAP;
	case BITMAP_RLE4:
		return b->bits == 4 && !b->top_down ? ANI_OK : ANI_BITMAP;
	case BITMAP_FIELDS:
		return b->bits == 16 || b->bits == 32 ? ANI_OK : ANI_BITMAP;
	default:
		return ANI_BITMAP;
	}
}

/* The height in the file counts the mask as well. */
static enum ani_status check_size(struct ani_bitmap *b)
{
	if (b->height % 2 != 0)
		return ANI_BITMAP;
	b->height /= 2;
	if (b->width == 0 || b->width > ANI_MAX_SIDE)
		return ANI_BITMAP;
	if (b->height == 0 || b->height > ANI_MAX_SIDE)
		return ANI_BITMAP;
	return ANI_OK;
}

static enum ani_status header_fields_of(struct ani_reader *r, struct ani_bitmap *b)
{
	enum ani_status status;

	switch (b->header_size) {
	case CORE_SIZE:
		return core_fields(r, b);
	case INFO_SIZE:
		status = info_fields(r, b);
		if (status)
			return status;
		if (b->compression == BITMAP_FIELDS)
			return masks(r, b);
		return ANI_OK;
	case V4_SIZE:
	case V5_SIZE:
		status = info_fields(r, b);
		if (!status)
			status = masks(r, b);
		if (status)
			return status;
		return reader_skip(r, b->header_size - INFO_SIZE - 12) ? ANI_SHORT : ANI_OK;
	default:
		return ANI_BITMAP;
	}
}

enum ani_status bitmap_read_header(struct ani_reader *r, struct ani_bitmap *out)
{
	enum ani_status status;

	memset(out, 0, sizeof *out);
	if (reader_u32(r, &out->header_size))
		return ANI_SHORT;
	status = header_fields_of(r, out);
	if (status)
		return status;
	if (!bits_are_known(out->bits))
		return ANI_BITMAP;
	status = check_compression(out);
	if (status)
		return status;
	if (out->compression != BITMAP_FIELDS)
		usual_masks(out);
	return check_size(out);
}

/* ---------------------------------------------------------------- palette */

static uint32_t palette_room(const struct ani_bitmap *b)
{
	return b->bits <= 8 ? 1u << b->bits : 0;
}

static enum ani_status palette_count(struct ani_bitmap *b)
{
	uint32_t room = palette_room(b);

	if (b->colours == 0)
		b->colours = room;
	/* True colour may bring a palette for poorer screens. */
	if (room && b->colours > room)
		return ANI_BAD_PALETTE;
	return ANI_OK;
}

static enum ani_status palette_entry(struct ani_reader *r, int with_reserved, struct ani_colour *out)
{
	uint8_t reserved = 0;

	if (reader_u8(r, &out->blue) || reader_u8(r, &out->green) || reader_u8(r, &out->red))
		return ANI_SHORT;
	if (with_reserved && reader_u8(r, &reserved))
		return ANI_SHORT;
	out->alpha = 255;
	return ANI_OK;
}

enum ani_status bitmap_read_palette(struct ani_reader *r, struct ani_bitmap *b)
{
	enum ani_status status = palette_count(b);
	int with_reserved = b->header_size != CORE_SIZE;

	for (uint32_t i = 0; !status && i < b->colours; i++)
		status = palette_entry(r, with_reserved, &b->palette[i]);
	return status;
}

/* ----------------------------------------------------------------- pixels */

static size_t row_bytes(uint32_t width, unsigned bits)
{
	return ((size_t)width * bits + 31) / 32 * 4;
}

/* Where row i of the file belongs in the picture. */
static uint32_t row_place(const struct ani_bitmap *b, uint32_t i)
{
	return b->top_down ? i : b->height - 1 - i;
}

static unsigned lowest_bit(uint32_t mask)
{
	unsigned n = 0;

	while (!(mask & 1)) {
		mask >>= 1;
		n++;
	}
	return n;
}

/* A channel of a few bits as one of eight. */
static uint8_t channel(uint32_t pixel, uint32_t mask)
{
	unsigned shift = lowest_bit(mask);
	uint32_t most = mask >> shift;
	uint32_t value = (pixel & mask) >> shift;

	return (uint8_t)((uint64_t)value * 255 / most);
}

static enum ani_status indexed(const struct ani_bitmap *b, uint8_t index, struct ani_colour *out)
{
	if (index >= b->colours)
		return ANI_PIXELS;
	*out = b->palette[index];
	return ANI_OK;
}

static uint8_t packed_index(const uint8_t *row, uint32_t x, unsigned bits)
{
	unsigned in_byte = 8 / bits;
	unsigned shift = 8 - bits * (x % in_byte + 1);

	return (uint8_t)(row[x / in_byte] >> shift & ((1u << bits) - 1));
}

static enum ani_status indexed_row(const struct ani_bitmap *b, const uint8_t *row, struct ani_colour *to)
{
	enum ani_status status = ANI_OK;

	for (uint32_t x = 0; x < b->width && !status; x++)
		status = indexed(b, packed_index(row, x, b->bits), &to[x]);
	return status;
}

static void row_16(const struct ani_bitmap *b, const uint8_t *row, struct ani_colour *to)
{
	for (uint32_t x = 0; x < b->width; x++) {
		uint32_t pixel = (uint32_t)(row[2 * x] | row[2 * x + 1] << 8);

		to[x] = (struct ani_colour){channel(pixel, b->red), channel(pixel, b->green), channel(pixel, b->blue), 255};
	}
}

static void row_24(const struct ani_bitmap *b, const uint8_t *row, struct ani_colour *to)
{
	for (uint32_t x = 0; x < b->width; x++)
		to[x] = (struct ani_colour){row[3 * x + 2], row[3 * x + 1], row[3 * x], 255};
}

static void row_32(const struct ani_bitmap *b, const uint8_t *row, struct ani_colour *to)
{
	for (uint32_t x = 0; x < b->width; x++) {
		const uint8_t *p = row + 4 * (size_t)x;
		uint32_t pixel = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

		to[x] = (struct ani_colour){channel(pixel, b->red), channel(pixel, b->green), channel(pixel, b->blue), p[3]};
	}
}

static enum ani_status one_row(const struct ani_bitmap *b, const uint8_t *row, struct ani_colour *to)
{
	switch (b->bits) {
	case 16:
		row_16(b, row, to);
		return ANI_OK;
	case 24:
		row_24(b, row, to);
		return ANI_OK;
	case 32:
		row_32(b, row, to);
		return ANI_OK;
	default:
		return indexed_row(b, row, to);
	}
}

static enum ani_status plain_pixels(struct ani_reader *r, const struct ani_bitmap *b, struct ani_frame *out)
{
	size_t bytes = row_bytes(b->width, b->bits);

	for (uint32_t i = 0; i < b->height; i++) {
		struct ani_reader row;
		enum ani_status status;

		if (reader_part(r, bytes, &row))
			return ANI_SHORT;
		status = one_row(b, row.data, out->pixels + (size_t)row_place(b, i) * b->width);
		if (status)
			return status;
	}
	return ANI_OK;
}

static enum ani_status spread_indices(const struct ani_bitmap *b, const uint8_t *indices, struct ani_frame *out)
{
	for (uint32_t i = 0; i < b->height; i++) {
		struct ani_colour *to = out->pixels + (size_t)row_place(b, i) * b->width;

		for (uint32_t x = 0; x < b->width; x++) {
			enum ani_status status = indexed(b, indices[(size_t)i * b->width + x], &to[x]);
			if (status)
				return status;
		}
	}
	return ANI_OK;
}

/* Runs have their size in the header; the mask comes behind so many bytes. */
static enum ani_status run_pixels(struct ani_reader *r, const struct ani_bitmap *b, struct ani_frame *out)
{
	struct ani_reader runs;
	enum ani_status status;
	uint8_t *indices;

	if (b->image_size == 0 || reader_part(r, b->image_size, &runs))
		return ANI_SHORT;
	indices = malloc((size_t)b->width * b->height);
	if (!indices)
		return ANI_MEMORY;
	status = rle_decode(&runs, b, indices);
	if (!status)
		status = spread_indices(b, indices, out);
	free(indices);
	return status;
}

enum ani_status bitmap_read_pixels(struct ani_reader *r, const struct ani_bitmap *b, struct ani_frame *out)
{
	out->width = b->width;
	out->height = b->height;
	out->pixels = calloc((size_t)b->width * b->height, sizeof *out->pixels);
	if (!out->pixels)
		return ANI_MEMORY;
	if (b->compression == BITMAP_RLE8 || b->compression == BITMAP_RLE4)
		return run_pixels(r, b, out);
	return plain_pixels(r, b, out);
}

/* ------------------------------------------------------------------- mask */

static int mask_bit(const uint8_t *row, uint32_t x)
{
	return row[x / 8] >> (7 - x % 8) & 1;
}

/* A set bit makes a black pixel transparent; one of another colour would be inverted, which is drawn as it is. */
static void mask_pixel(struct ani_colour *p)
{
	if (p->red == 0 && p->green == 0 && p->blue == 0)
		p->alpha = 0;
}

static int has_alpha(const struct ani_frame *f)
{
	size_t count = (size_t)f->width * f->height;

	for (size_t i = 0; i < count; i++)
		if (f->pixels[i].alpha != 0)
			return 1;
	return 0;
}

static void make_opaque(struct ani_frame *f)
{
	size_t count = (size_t)f->width * f->height;

	for (size_t i = 0; i < count; i++)
		f->pixels[i].alpha = 255;
}

static void mask_row(const struct ani_bitmap *b, const uint8_t *row, struct ani_colour *to)
{
	for (uint32_t x = 0; x < b->width; x++)
		if (mask_bit(row, x))
			mask_pixel(&to[x]);
}

enum ani_status bitmap_read_mask(struct ani_reader *r, const struct ani_bitmap *b, struct ani_frame *out)
{
	size_t bytes = row_bytes(b->width, 1);

	/* With 32 bits a picture has its own transparency, unless it is all zero: then the byte was never meant. */
	if (b->bits == 32) {
		if (has_alpha(out))
			return ANI_OK;
		make_opaque(out);
	}
	for (uint32_t i = 0; i < b->height; i++) {
		struct ani_reader row;

		if (reader_part(r, bytes, &row))
			return ANI_SHORT;
		mask_row(b, row.data, out->pixels + (size_t)row_place(b, i) * b->width);
	}
	return ANI_OK;
}
