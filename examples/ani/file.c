/* file.c: the file as a whole: which chunks there are, in which order, and what is missing.
 *
 * The header comes before all that needs it. Chunks that nobody knows are passed over; those that are known may be there once. A frame that
 * cannot be read is left out if others can: an animation with a gap is better than none.
 */
#include "ani.h"

#include <stdlib.h>
#include <string.h>

enum seen {
	SEEN_HEADER = 1,
	SEEN_RATE = 2,
	SEEN_SEQUENCE = 4,
	SEEN_FRAMES = 8,
	SEEN_INFO = 16,
};

const char *ani_status_words(enum ani_status status)
{
	static const char *const words[] = {
#define X(name, text) text,
	    ANI_STATUSES(X)
#undef X
	};

	return status < ANI_STATUS_COUNT ? words[status] : "unknown status";
}

static enum ani_status once(struct ani_file *f, enum seen what)
{
	if (f->seen & what)
		return ANI_TWICE;
	f->seen |= what;
	return ANI_OK;
}

static enum ani_status need_header(const struct ani_file *f)
{
	return f->seen & SEEN_HEADER ? ANI_OK : ANI_NO_HEADER;
}

/* --------------------------------------------------------------- defaults */

static void default_steps(struct ani_file *f)
{
	uint32_t steps = f->header.steps;

	for (uint32_t i = 0; i < steps; i++) {
		f->steps[i].frame = i % f->header.frames;
		f->steps[i].rate = f->header.rate;
	}
	f->step_count = steps;
}

/* A raw frame has no header of its own: the file's says what it is. */
static enum ani_status raw_frame(const struct ani_header *h, struct ani_reader *r, struct ani_frame *out)
{
	struct ani_bitmap b;
	enum ani_status status;

	memset(&b, 0, sizeof b);
	b.header_size = 40;
	b.width = h->width;
	b.height = h->height;
	b.bits = (uint16_t)h->bits;
	b.red = b.bits == 16 ? 0x7c00 : 0xff0000;
	b.green = b.bits == 16 ? 0x03e0 : 0x00ff00;
	b.blue = b.bits == 16 ? 0x001f : 0x0000ff;
	memset(out, 0, sizeof *out);
	status = bitmap_read_palette(r, &b);
	if (!status)
		status = bitmap_read_pixels(r, &b, out);
	if (status)
		frame_release(out);
	return status;
}

/* ----------------------------------------------------------------- chunks */

static enum ani_status take_frame(struct ani_file *f, struct ani_reader *body)
{
	enum ani_status status;

	if (f->frame_count >= f->header.frames)
		return ANI_TOO_MANY;
	if (f->header.flags & ANI_FLAG_ICON)
		status = frame_read(body, &f->frames[f->frame_count]);
	else
		status = raw_frame(&f->header, body, &f->frames[f->frame_count]);
	if (status == ANI_MEMORY)
		return status;
	if (status == ANI_OK)
		f->frame_count++;
	return ANI_OK;
}

static enum ani_status take_frames(struct ani_file *f, struct ani_reader *list)
{
	struct ani_chunk chunk;
	int more;

	while ((more = chunk_next(list, &chunk)) > 0) {
		enum ani_status status;

		if (chunk.tag != TAG_ICON)
			continue;
		status = take_frame(f, &chunk.body);
		if (status)
			return status;
	}
	return more < 0 ? ANI_CHUNK : ANI_OK;
}

static enum ani_status take_header(struct ani_file *f, struct ani_reader *body)
{
	enum ani_status status = once(f, SEEN_HEADER);

	if (!status)
		status = header_read(body, &f->header);
	if (!status)
		default_steps(f);
	return status;
}

static enum ani_status take_rates(struct ani_file *f, struct ani_reader *body)
{
	enum ani_status status = need_header(f);

	if (!status)
		status = once(f, SEEN_RATE);
	return status ? status : rates_read(body, f);
}

static enum ani_status take_sequence(struct ani_file *f, struct ani_reader *body)
{
	enum ani_status status = need_header(f);

	if (!status)
		status = once(f, SEEN_SEQUENCE);
	return status ? status : sequence_read(body, f);
}

static enum ani_status take_list(struct ani_file *f, struct ani_chunk *c)
{
	enum ani_status status;

	switch (c->kind) {
	case TAG_INFO:
		status = once(f, SEEN_INFO);
		return status ? status : info_read(&c->body, f);
	case TAG_FRAM:
		status = need_header(f);
		if (!status)
			status = once(f, SEEN_FRAMES);
		return status ? status : take_frames(f, &c->body);
	default:
		return ANI_OK;
	}
}

static enum ani_status take_chunk(struct ani_file *f, struct ani_chunk *c)
{
	switch (c->tag) {
	case TAG_ANIH:
		return take_header(f, &c->body);
	case TAG_RATE:
		return take_rates(f, &c->body);
	case TAG_SEQ:
		return take_sequence(f, &c->body);
	case TAG_LIST:
		return take_list(f, c);
	default:
		return ANI_OK;
	}
}

static enum ani_status take_chunks(struct ani_file *f, struct ani_reader *body)
{
	struct ani_chunk chunk;
	int more;

	while ((more = chunk_next(body, &chunk)) > 0) {
		enum ani_status status = take_chunk(f, &chunk);
		if (status)
			return status;
	}
	return more < 0 ? ANI_CHUNK : ANI_OK;
}

/* What must be there in the end. */
static enum ani_status check_whole(const struct ani_file *f)
{
	if (!(f->seen & SEEN_HEADER))
		return ANI_NO_HEADER;
	if (f->frame_count == 0)
		return ANI_NO_FRAMES;
	if (f->header.flags & ANI_FLAG_SEQUENCE && !(f->seen & SEEN_SEQUENCE))
		return ANI_SEQUENCE;
	return ANI_OK;
}

struct ani_file *ani_open(const uint8_t *data, size_t size, enum ani_status *status)
{
	struct ani_file *f = calloc(1, sizeof *f);
	struct ani_reader file;
	struct ani_chunk riff;

	if (!f) {
		*status = ANI_MEMORY;
		return NULL;
	}
	reader_init(&file, data, size);
	if (chunk_riff(&file, &riff, status)) {
		ani_close(f);
		return NULL;
	}
	*status = take_chunks(f, &riff.body);
	if (!*status)
		*status = check_whole(f);
	if (*status) {
		ani_close(f);
		return NULL;
	}
	return f;
}

void ani_close(struct ani_file *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < ANI_MAX_FRAMES; i++)
		frame_release(&f->frames[i]);
	free(f);
}

unsigned ani_steps(const struct ani_file *f)
{
	return f->step_count;
}
