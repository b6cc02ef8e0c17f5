/* gif.h: a decoder of GIF pictures and animations (87a and 89a).
 *
 *	struct gif *g = gif_open(data, size, &status);
 *	while (gif_next(g))
 *		... g->canvas, g->delay ...
 *	gif_close(g);
 *
 * The bytes are borrowed until gif_close. gif_next draws the next frame onto the canvas, as a browser does: disposal of the one before,
 * transparency and interlacing included.
 */
#ifndef GIF_H
#define GIF_H

#include <stddef.h>
#include <stdint.h>

#define GIF_MAX_PIXELS (1u << 20)
#define GIF_CODES 4096

/* X(NAME, words) */
#define GIF_STATUSES(X)                                       \
	X(OK, "no error")                                     \
	X(SHORT, "the file ends too early")                   \
	X(SIGNATURE, "this is no GIF file")                   \
	X(VERSION, "the version is not known")                \
	X(SCREEN, "the screen has no pixels, or too many")    \
	X(BLOCK, "a block of an unknown kind")                \
	X(EXTENSION, "an extension is wrong")                 \
	X(FRAME, "a frame does not lie within the screen")    \
	X(COLOURS, "a frame has no colours")                  \
	X(CODE_SIZE, "the size of codes is wrong")            \
	X(CODE, "a code is wrong")                            \
	X(PIXELS, "a frame has too few pixels")               \
	X(MEMORY, "there is not enough memory")

enum gif_status {
#define X(name, words) GIF_##name,
	GIF_STATUSES(X)
#undef X
	    GIF_STATUS_COUNT
};

const char *gif_status_words(enum gif_status status);

/* ------------------------------------------------------------------ bytes */

struct gif_input {
	const uint8_t *data;
	size_t size, at;
};

/* 0, or -1 where the bytes are not there. */
int input_u8(struct gif_input *in, uint8_t *out);
int input_u16(struct gif_input *in, uint16_t *out);
int input_bytes(struct gif_input *in, size_t count, const uint8_t **out);

/* Data come in blocks of at most 255 bytes, each with its size before it; one of size zero ends them. 1: a block; 0: the end; -1. */
int block_next(struct gif_input *in, const uint8_t **data, uint8_t *size);
int blocks_skip(struct gif_input *in);

/* ---------------------------------------------------------------- colours */

struct gif_colour {
	uint8_t red, green, blue, alpha;
};

struct gif_palette {
	struct gif_colour *colours; /* as many as there are */
	unsigned count;
	int sorted;
};

enum gif_status palette_read(struct gif_input *in, unsigned bits, struct gif_palette *out);
void palette_release(struct gif_palette *p);
/* The colour that is nearest to one. */
unsigned palette_nearest(const struct gif_palette *p, struct gif_colour to);

/* ------------------------------------------------------------------- LZW */

struct lzw {
	unsigned minimum; /* bits of a pixel */
	unsigned width;	  /* bits of a code now */
	unsigned clear, end, next;
	int previous; /* the code before, or -1 */
	uint32_t bits;
	unsigned bit_count;
	uint16_t prefix[GIF_CODES];
	uint8_t suffix[GIF_CODES], first[GIF_CODES];
	uint8_t stack[GIF_CODES];
	unsigned depth;
	int ended;
};

enum gif_status lzw_init(struct lzw *z, unsigned minimum);
/* Where pixels go, one after the other. 0, or -1: there is no room for more. */
typedef int (*lzw_sink)(void *ctx, uint8_t index);
enum gif_status lzw_feed(struct lzw *z, const uint8_t *data, unsigned count, lzw_sink sink, void *ctx);

/* ------------------------------------------------------------------ frames */

enum gif_disposal {
	DISPOSE_ANY,
	DISPOSE_KEEP,
	DISPOSE_BACKGROUND,
	DISPOSE_PREVIOUS,
};

/* What a graphic control extension says of the frame that follows. */
struct gif_control {
	int present;
	enum gif_disposal disposal;
	int waits_for_user;
	int transparent; /* index, or -1 */
	uint16_t delay;	 /* in 1/100 s */
};

struct gif_frame {
	uint16_t left, top, width, height;
	int interlaced;
	struct gif_palette local;
	struct gif_control control;
	uint8_t *indices; /* row by row, from the top */
};

/* A plain text extension, as far as a renderer needs it. */
struct gif_text {
	uint16_t left, top, width, height;
	uint8_t cell_width, cell_height, foreground, background;
	unsigned columns, rows;
	char *letters;
	unsigned count;
};

struct gif {
	struct gif_input in;
	int version; /* 87 or 89 */
	uint16_t width, height;
	uint8_t background;
	uint8_t aspect;
	struct gif_palette global;
	struct gif_colour *canvas, *saved;
	struct gif_frame last; /* that was drawn: without its indices */
	int drawn;	       /* frames so far */
	struct gif_control control;
	uint32_t delay; /* milliseconds that the canvas is to be shown */
	uint16_t loops; /* times the animation is shown; 0: for ever */
	int has_loops;
	char *comment;
	size_t comment_size;
	struct gif_text text;
	enum gif_status status;
	int ended;
};

/* screen.c */
enum gif_status screen_read(struct gif *g);
/* extension.c: the introducer was read. */
enum gif_status extension_read(struct gif *g);
void text_release(struct gif_text *t);
/* frame.c: the separator was read. */
enum gif_status frame_read(struct gif *g, struct gif_frame *out);
void frame_release(struct gif_frame *f);
/* draw.c */
enum gif_status frame_dispose(struct gif *g);
enum gif_status frame_draw(struct gif *g, struct gif_frame *f);
void text_draw(struct gif *g);

/* file.c */
struct gif *gif_open(const uint8_t *data, size_t size, enum gif_status *status);
int gif_next(struct gif *g);
void gif_close(struct gif *g);

/* report.c: figures of a whole animation. */
struct gif_report {
	unsigned frames;
	uint64_t duration;
	unsigned colours; /* different ones on the last canvas, at most 256 */
	unsigned pixel_width, pixel_height; /* proportion of a pixel's sides */
	uint32_t checksum;
	unsigned changed; /* pixels that differ between first and last canvas */
	uint32_t advice;  /* a bit for each */
};
int gif_describe(struct gif *g, struct gif_report *out);

/* advice.c: what a writer of files might do better: X(NAME, words) */
#define GIF_ADVICES(X)                                                       \
	X(OLD, "extensions in a file of version 87a")                        \
	X(UNSORTED, "a table that is said to be sorted is not")              \
	X(DOUBLE, "a table has a colour twice")                              \
	X(GREY, "all colours are grey: fewer would do")                      \
	X(UNUSED, "more than half of a table is not used")                   \
	X(NO_LOOP, "an animation that does not say how often it is shown")   \
	X(FAST, "a delay that viewers do not keep")                          \
	X(LARGE, "a frame is as large as the screen and changes little")     \
	X(TEXT, "text, which nobody shows")                                  \
	X(COMMENT, "a comment that is no text")                              \
	X(ASPECT, "pixels that are no squares")
enum gif_advice {
#define X(name, words) ADVICE_##name,
	GIF_ADVICES(X)
#undef X
	    ADVICE_COUNT
};
const char *gif_advice_words(enum gif_advice a);
/* Of the file so far: a bit for each. first: the canvas after the first frame, or NULL. */
uint32_t gif_advise(const struct gif *g, const struct gif_colour *first);

#endif
