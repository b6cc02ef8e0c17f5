/* header.c: the chunks of an animated cursor that are not frames: anih, rate, seq, and the strings of INFO.
 *
 * anih comes first and says how many frames and steps there are; rate and seq have one entry for each step. Where they are missing, each
 * step has the header's rate, and shows the frame of its own number.
 */
#include "ani.h"

#include <string.h>

#define HEADER_SIZE 36
#define RATE_MOST (60u * 60 * 10) /* ten minutes a step */

/* ------------------------------------------------------------------- anih */

static enum ani_status header_fields(struct ani_reader *r, struct ani_header *h)
{
	uint32_t *const fields[] = {&h->size, &h->frames, &h->steps, &h->width, &h->height, &h->bits, &h->planes, &h->rate, &h->flags};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (reader_u32(r, fields[i]))
			return ANI_SHORT;
	return ANI_OK;
}

static enum ani_status header_counts(const struct ani_header *h)
{
	if (h->frames == 0)
		return ANI_NO_FRAMES;
	if (h->frames > ANI_MAX_FRAMES || h->steps > ANI_MAX_STEPS)
		return ANI_TOO_MANY;
	return ANI_OK;
}

/* Raw bitmaps have their size here; with icons each frame has its own, and these fields are zero or right. */
static enum ani_status header_picture(const struct ani_header *h)
{
	if (h->flags & ANI_FLAG_ICON) {
		if (h->width > ANI_MAX_SIDE || h->height > ANI_MAX_SIDE)
			return ANI_HEADER;
		return ANI_OK;
	}
	if (h->width == 0 || h->width > ANI_MAX_SIDE)
		return ANI_HEADER;
	if (h->height == 0 || h->height > ANI_MAX_SIDE)
		return ANI_HEADER;
	switch (h->bits) {
	case 1:
	case 4:
	case 8:
	case 16:
	case 24:
	case 32:
		break;
	default:
		return ANI_HEADER;
	}
	return h->planes == 1 ? ANI_OK : ANI_HEADER;
}

enum ani_status header_read(struct ani_reader *r, struct ani_header *out)
{
	enum ani_status status = header_fields(r, out);

	if (status)
		return status;
	if (out->size != HEADER_SIZE)
		return ANI_HEADER;
	if (out->flags & ~(uint32_t)(ANI_FLAG_ICON | ANI_FLAG_SEQUENCE))
		return ANI_HEADER;
	status = header_counts(out);
	if (status)
		return status;
	if (out->rate > RATE_MOST)
		return ANI_RATE;
	return header_picture(out);
}

/* ---------------------------------------------------------- rate, sequence */

/* One number for each step, checked by `accepts`; room says where it goes. */
static int entries_fit(const struct ani_reader *r, uint32_t steps)
{
	return reader_left(r) / 4 >= steps;
}

static int rate_is_valid(uint32_t rate)
{
	return rate > 0 && rate <= RATE_MOST;
}

enum ani_status rates_read(struct ani_reader *r, struct ani_file *f)
{
	uint32_t steps = f->header.steps;

	if (!entries_fit(r, steps))
		return ANI_RATE;
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t rate;

		if (reader_u32(r, &rate) || !rate_is_valid(rate))
			return ANI_RATE;
		f->steps[i].rate = rate;
	}
	return ANI_OK;
}

enum ani_status sequence_read(struct ani_reader *r, struct ani_file *f)
{
	uint32_t steps = f->header.steps;

	if (!(f->header.flags & ANI_FLAG_SEQUENCE))
		return ANI_SEQUENCE;
	if (!entries_fit(r, steps))
		return ANI_SEQUENCE;
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t frame;

		if (reader_u32(r, &frame) || frame >= f->header.frames)
			return ANI_SEQUENCE;
		f->steps[i].frame = frame;
	}
	return ANI_OK;
}

/* ------------------------------------------------------------------- INFO */

/* What a person may read: the rest becomes a question mark. */
static char printable(uint8_t c)
{
	if (c == '\t' || c == '\n' || c == '\r')
		return ' ';
	if (c < 0x20 || c == 0x7f)
		return '?';
	return (char)c;
}

/* Strings end with a zero that is counted in the chunk's size. */
static void copy_text(char *to, const struct ani_reader *from)
{
	size_t count = from->size < ANI_TITLE ? from->size : ANI_TITLE;

	for (size_t i = 0; i < count; i++) {
		if (from->data[i] == 0)
			break;
		to[i] = printable(from->data[i]);
	}
	to[count - 1] = 0;
}

enum ani_status info_read(struct ani_reader *r, struct ani_file *f)
{
	struct ani_chunk chunk;
	int more;

	while ((more = chunk_next(r, &chunk)) > 0) {
		switch (chunk.tag) {
		case TAG_INAM:
			copy_text(f->title, &chunk.body);
			break;
		case TAG_IART:
			copy_text(f->author, &chunk.body);
			break;
		default:
			break;
		}
	}
	return more < 0 ? ANI_CHUNK : ANI_OK;
}
