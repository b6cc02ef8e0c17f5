/* cursor.c: a frame: an ICO or CUR file with one or more pictures, of which the best is taken.
 *
 * A directory of entries, each with the size, the colours and the place of a picture. Entries of cursors have a hot spot where those of icons
 * have planes and bits. A picture is a bitmap with a mask.
 */
#include "ani.h"

#include <stdlib.h>
#include <string.h>

#define KIND_ICON 1
#define KIND_CURSOR 2
#define ENTRY_SIZE 16
#define ENTRIES_MOST 32
#define PNG_START 0x474e5089u

struct entry {
	uint32_t width, height;
	uint8_t colours;
	uint16_t first, second; /* hot spot, or planes and bits */
	uint32_t size, offset;
};

struct directory {
	uint16_t kind, count;
	struct entry entries[ENTRIES_MOST];
};

/* A side of 256 is written as 0. */
static uint32_t side(uint8_t in_file)
{
	return in_file ? in_file : 256;
}

static enum ani_status read_entry(struct ani_reader *r, struct entry *e)
{
	uint8_t width, height, reserved;

	if (reader_u8(r, &width) || reader_u8(r, &height) || reader_u8(r, &e->colours) || reader_u8(r, &reserved))
		return ANI_SHORT;
	if (reader_u16(r, &e->first) || reader_u16(r, &e->second))
		return ANI_SHORT;
	if (reader_u32(r, &e->size) || reader_u32(r, &e->offset))
		return ANI_SHORT;
	e->width = side(width);
	e->height = side(height);
	return reserved == 0 || reserved == 255 ? ANI_OK : ANI_DIRECTORY;
}

static enum ani_status check_entry(const struct ani_reader *icon, const struct directory *d, const struct entry *e)
{
	struct ani_reader picture;
	size_t first = 6 + (size_t)d->count * ENTRY_SIZE;

	if (e->offset < first || e->size == 0)
		return ANI_DIRECTORY;
	if (reader_window(icon, e->offset, e->size, &picture))
		return ANI_DIRECTORY;
	if (d->kind == KIND_ICON && e->first > 1)
		return ANI_DIRECTORY;
	return ANI_OK;
}

static enum ani_status read_directory(struct ani_reader *icon, struct directory *d)
{
	uint16_t reserved;

	if (reader_u16(icon, &reserved) || reader_u16(icon, &d->kind) || reader_u16(icon, &d->count))
		return ANI_SHORT;
	if (reserved != 0 || (d->kind != KIND_ICON && d->kind != KIND_CURSOR))
		return ANI_DIRECTORY;
	if (d->count == 0 || d->count > ENTRIES_MOST)
		return ANI_DIRECTORY;
	for (unsigned i = 0; i < d->count; i++) {
		enum ani_status status = read_entry(icon, &d->entries[i]);
		if (!status)
			status = check_entry(icon, d, &d->entries[i]);
		if (status)
			return status;
	}
	return ANI_OK;
}

/* Colours that an entry promises; 0 stands for many. */
static unsigned richness(const struct directory *d, const struct entry *e)
{
	if (d->kind == KIND_ICON && e->second)
		return e->second;
	if (e->colours == 0)
		return 8;
	return e->colours <= 2 ? 1 : 4;
}

static int is_better(const struct directory *d, const struct entry *a, const struct entry *b)
{
	uint32_t area_a = a->width * a->height, area_b = b->width * b->height;

	if (area_a != area_b)
		return area_a > area_b;
	return richness(d, a) > richness(d, b);
}

static const struct entry *best_entry(const struct directory *d)
{
	const struct entry *best = &d->entries[0];

	for (unsigned i = 1; i < d->count; i++)
		if (is_better(d, &d->entries[i], best))
			best = &d->entries[i];
	return best;
}

/* A hot spot outside of the picture is moved to its edge. */
static void place_hot_spot(const struct directory *d, const struct entry *e, struct ani_frame *f)
{
	if (d->kind != KIND_CURSOR)
		return;
	f->hot_x = e->first < f->width ? e->first : (uint16_t)(f->width - 1);
	f->hot_y = e->second < f->height ? e->second : (uint16_t)(f->height - 1);
}

static void note_opacity(struct ani_frame *f)
{
	size_t count = (size_t)f->width * f->height;

	f->opaque = 1;
	for (size_t i = 0; i < count; i++)
		if (f->pixels[i].alpha != 255)
			f->opaque = 0;
}

static int is_png(const struct ani_reader *r)
{
	struct ani_reader copy = *r;
	uint32_t start;

	return !reader_u32(&copy, &start) && start == PNG_START;
}

static enum ani_status read_picture(struct ani_reader *r, struct ani_frame *out)
{
	struct ani_bitmap bitmap;
	enum ani_status status;

	if (is_png(r))
		return ANI_BITMAP; /* allowed in icons, never seen in animations */
	status = bitmap_read_header(r, &bitmap);
	if (!status)
		status = bitmap_read_palette(r, &bitmap);
	if (!status)
		status = bitmap_read_pixels(r, &bitmap, out);
	if (!status)
		status = bitmap_read_mask(r, &bitmap, out);
	return status;
}

enum ani_status frame_read(struct ani_reader *icon, struct ani_frame *out)
{
	struct directory directory;
	struct ani_reader picture;
	enum ani_status status;

	memset(out, 0, sizeof *out);
	memset(&directory, 0, sizeof directory);
	status = read_directory(icon, &directory);
	if (status)
		return status;
	const struct entry *e = best_entry(&directory);
	if (reader_window(icon, e->offset, e->size, &picture))
		return ANI_DIRECTORY;
	status = read_picture(&picture, out);
	if (status) {
		frame_release(out);
		return status;
	}
	place_hot_spot(&directory, e, out);
	note_opacity(out);
	return ANI_OK;
}

void frame_release(struct ani_frame *f)
{
	free(f->pixels);
	memset(f, 0, sizeof *f);
}
