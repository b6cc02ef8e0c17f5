/* ani.h: animated cursors: RIFF files of the form ACON, as Windows reads them.
 *
 *	struct ani_file *f = ani_open(data, size, &status);
 *	for (unsigned step = 0; step < ani_steps(f); step++)
 *		ani_render(f, step, canvas);
 *	ani_close(f);
 *
 * The bytes are borrowed until ani_close. Nothing here prints; a status says what was wrong with a file.
 */
#ifndef ANI_H
#define ANI_H

#include <stddef.h>
#include <stdint.h>

#define ANI_MAX_FRAMES 64
#define ANI_MAX_STEPS 256
#define ANI_MAX_SIDE 256
#define ANI_PALETTE 256
#define ANI_TITLE 64

/* X(NAME, words) */
#define ANI_STATUSES(X)                                   \
	X(OK, "no error")                                 \
	X(SHORT, "the file ends too early")               \
	X(NOT_RIFF, "this is no RIFF file")               \
	X(NOT_ACON, "this is no animated cursor")         \
	X(CHUNK, "a chunk is larger than what holds it")  \
	X(NO_HEADER, "there is no anih chunk")            \
	X(HEADER, "the anih chunk is wrong")              \
	X(TWICE, "a chunk is there twice")                \
	X(NO_FRAMES, "there are no frames")               \
	X(TOO_MANY, "there are too many frames or steps") \
	X(RATE, "the rates are wrong")                    \
	X(SEQUENCE, "the sequence is wrong")              \
	X(DIRECTORY, "a frame's directory is wrong")      \
	X(BITMAP, "a frame's bitmap is wrong")            \
	X(BAD_PALETTE, "a frame's palette is wrong")          \
	X(PIXELS, "a frame's pixels are wrong")           \
	X(MEMORY, "there is not enough memory")

enum ani_status {
#define X(name, words) ANI_##name,
	ANI_STATUSES(X)
#undef X
	    ANI_STATUS_COUNT
};

const char *ani_status_words(enum ani_status status);

/* ------------------------------------------------------------------ bytes */

/* A part of the file that is being read. */
struct ani_reader {
	const uint8_t *data;
	size_t size, at;
};

void reader_init(struct ani_reader *r, const uint8_t *data, size_t size);
size_t reader_left(const struct ani_reader *r);
/* These return 0 where the bytes are there, -1 where they are not (and then read nothing). */
int reader_u8(struct ani_reader *r, uint8_t *out);
int reader_u16(struct ani_reader *r, uint16_t *out);
int reader_u32(struct ani_reader *r, uint32_t *out);
int reader_skip(struct ani_reader *r, size_t count);
/* The next bytes as a reader of their own. */
int reader_part(struct ani_reader *r, size_t count, struct ani_reader *out);
/* The bytes from an absolute position, without moving. */
int reader_window(const struct ani_reader *r, size_t at, size_t count, struct ani_reader *out);

/* ----------------------------------------------------------------- chunks */

#define ANI_FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum ani_tag {
	TAG_RIFF = ANI_FOURCC('R', 'I', 'F', 'F'),
	TAG_ACON = ANI_FOURCC('A', 'C', 'O', 'N'),
	TAG_LIST = ANI_FOURCC('L', 'I', 'S', 'T'),
	TAG_INFO = ANI_FOURCC('I', 'N', 'F', 'O'),
	TAG_INAM = ANI_FOURCC('I', 'N', 'A', 'M'),
	TAG_IART = ANI_FOURCC('I', 'A', 'R', 'T'),
	TAG_ANIH = ANI_FOURCC('a', 'n', 'i', 'h'),
	TAG_RATE = ANI_FOURCC('r', 'a', 't', 'e'),
	TAG_SEQ = ANI_FOURCC('s', 'e', 'q', ' '),
	TAG_FRAM = ANI_FOURCC('f', 'r', 'a', 'm'),
	TAG_ICON = ANI_FOURCC('i', 'c', 'o', 'n'),
};

struct ani_chunk {
	uint32_t tag;
	uint32_t kind; /* of a LIST: what it is a list of; else 0 */
	struct ani_reader body;
};

/* 1: a chunk; 0: there is none; -1: it does not fit. */
int chunk_next(struct ani_reader *r, struct ani_chunk *out);
int chunk_riff(struct ani_reader *file, struct ani_chunk *out, enum ani_status *status);

/* --------------------------------------------------------------- pictures */

struct ani_colour {
	uint8_t red, green, blue, alpha;
};

/* What a frame's bitmap says of itself. */
struct ani_bitmap {
	uint32_t header_size;
	uint32_t width, height; /* of the picture alone, without its mask */
	int top_down;
	uint16_t bits;
	uint32_t compression;
	uint32_t image_size;
	uint32_t colours; /* in the palette */
	uint32_t red, green, blue; /* masks of 16 and 32 bits */
	struct ani_colour palette[ANI_PALETTE];
};

enum ani_compression {
	BITMAP_RGB,
	BITMAP_RLE8,
	BITMAP_RLE4,
	BITMAP_FIELDS,
};

struct ani_frame {
	uint32_t width, height;
	uint16_t hot_x, hot_y;
	struct ani_colour *pixels; /* from the top left */
	uint8_t opaque;		   /* no pixel lets anything through */
};

/* cursor.c: a frame from its ICO or CUR. */
enum ani_status frame_read(struct ani_reader *icon, struct ani_frame *out);
void frame_release(struct ani_frame *f);

/* bitmap.c */
enum ani_status bitmap_read_header(struct ani_reader *r, struct ani_bitmap *out);
enum ani_status bitmap_read_palette(struct ani_reader *r, struct ani_bitmap *b);
enum ani_status bitmap_read_pixels(struct ani_reader *r, const struct ani_bitmap *b, struct ani_frame *out);
enum ani_status bitmap_read_mask(struct ani_reader *r, const struct ani_bitmap *b, struct ani_frame *out);

/* rle.c: from runs to one index a pixel, rows from the bottom. */
enum ani_status rle_decode(struct ani_reader *r, const struct ani_bitmap *b, uint8_t *out);

/* -------------------------------------------------------------- the whole */

enum ani_flag {
	ANI_FLAG_ICON = 1,     /* frames are ICO or CUR */
	ANI_FLAG_SEQUENCE = 2, /* there is a seq chunk */
};

struct ani_header {
	uint32_t size, frames, steps;
	uint32_t width, height, bits, planes;
	uint32_t rate; /* in 1/60 s */
	uint32_t flags;
};

struct ani_step {
	uint32_t frame, rate;
};

struct ani_file {
	struct ani_header header;
	struct ani_frame frames[ANI_MAX_FRAMES];
	uint32_t frame_count;
	struct ani_step steps[ANI_MAX_STEPS];
	uint32_t step_count;
	char title[ANI_TITLE], author[ANI_TITLE];
	unsigned seen; /* chunks that were there, by bit */
};

/* header.c: chunks that are not frames. */
enum ani_status header_read(struct ani_reader *r, struct ani_header *out);
enum ani_status rates_read(struct ani_reader *r, struct ani_file *f);
enum ani_status sequence_read(struct ani_reader *r, struct ani_file *f);
enum ani_status info_read(struct ani_reader *r, struct ani_file *f);

/* file.c */
struct ani_file *ani_open(const uint8_t *data, size_t size, enum ani_status *status);
void ani_close(struct ani_file *f);
unsigned ani_steps(const struct ani_file *f);

/* play.c: what is shown when. */
struct ani_canvas {
	uint32_t width, height;
	struct ani_colour *pixels;
};

struct ani_summary {
	uint32_t width, height;	  /* that every frame fits into */
	uint32_t total, average;  /* milliseconds: of one round, of a step */
	uint32_t shortest, longest;
	uint32_t used;		  /* frames that are shown */
	uint32_t colours;	  /* different ones, at most ANI_PALETTE */
	uint32_t checksum;	  /* of all pictures in the order they are shown */
};

int canvas_init(struct ani_canvas *c, uint32_t width, uint32_t height);
void canvas_release(struct ani_canvas *c);
void canvas_clear(struct ani_canvas *c, struct ani_colour with);
void ani_bounds(const struct ani_file *f, uint32_t *width, uint32_t *height);
void ani_render(const struct ani_file *f, unsigned step, struct ani_canvas *c);
unsigned ani_step_at(const struct ani_file *f, uint32_t milliseconds);
int ani_summarise(const struct ani_file *f, struct ani_summary *out);

#endif
