/* frame.c: a frame: where it lies, its colours, its pixels.
 *
 * Interlaced frames come in four passes: every eighth row from 0 and from 4, every fourth from 2, every second from 1. Rows are put
 * where they belong as they come, so all that follows sees them from the top.
 */
#include "gif.h"

#include <stdlib.h>
#include <string.h>

enum {
	FRAME_COLOURS = 0x80,
	FRAME_INTERLACED = 0x40,
	FRAME_SORTED = 0x20,
	FRAME_BITS = 0x07,
};

/* ------------------------------------------------------------- descriptor */

static enum gif_status read_place(struct gif *g, struct gif_frame *f)
{
	if (input_u16(&g->in, &f->left) || input_u16(&g->in, &f->top))
		return GIF_SHORT;
	if (input_u16(&g->in, &f->width) || input_u16(&g->in, &f->height))
		return GIF_SHORT;
	return GIF_OK;
}

static int is_within(unsigned start, unsigned length, unsigned whole)
{
	return length > 0 && start <= whole && length <= whole - start;
}

static enum gif_status check_place(const struct gif *g, const struct gif_frame *f)
{
	if (!is_within(f->left, f->width, g->width) || !is_within(f->top, f->height, g->height))
		return GIF_FRAME;
	return GIF_OK;
}

static enum gif_status read_colours(struct gif *g, struct gif_frame *f, uint8_t flags)
{
	if (flags & FRAME_COLOURS) {
		f->local.sorted = (flags & FRAME_SORTED) != 0;
		return palette_read(&g->in, (flags & FRAME_BITS) + 1u, &f->local);
	}
	return g->global.count ? GIF_OK : GIF_COLOURS;
}

static enum gif_status read_descriptor(struct gif *g, struct gif_frame *f)
{
	uint8_t flags;
	enum gif_status status = read_place(g, f);

	if (status)
		return status;
	if (input_u8(&g->in, &flags))
		return GIF_SHORT;
	status = check_place(g, f);
	if (status)
		return status;
	f->interlaced = (flags & FRAME_INTERLACED) != 0;
	return read_colours(g, f, flags);
}

/* ----------------------------------------------------------------- pixels */

struct pass {
	unsigned start, step;
};

static const struct pass passes[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
#define PASSES (sizeof passes / sizeof *passes)

/* Where the next pixel goes. */
struct cursor {
	struct gif_frame *frame;
	unsigned x, y, pass;
	size_t count;
};

static void next_row_interlaced(struct cursor *c)
{
	c->y += passes[c->pass].step;
	if (c->y >= c->frame->height && c->pass + 1 < PASSES) {
		c->pass++;
		c->y = passes[c->pass].start;
	}
}

static void next_row(struct cursor *c)
{
	c->x = 0;
	if (c->frame->interlaced)
		next_row_interlaced(c);
	else
		c->y++;
}

static int put_pixel(void *ctx, uint8_t index)
{
	struct cursor *c = ctx;
	size_t all = (size_t)c->frame->width * c->frame->height;

	if (c->count >= all)
		return -1;
	c->frame->indices[(size_t)c->y * c->frame->width + c->x] = index;
	c->count++;
	if (++c->x == c->frame->width)
		next_row(c);
	return 0;
}

static enum gif_status decode_blocks(struct gif *g, struct lzw *z, struct cursor *c)
{
	const uint8_t *data;
	uint8_t size;
	int more;

	while ((more = block_next(&g->in, &data, &size)) > 0) {
		enum gif_status status = lzw_feed(z, data, size, put_pixel, c);
		if (status)
			return status;
	}
	return more < 0 ? GIF_SHORT : GIF_OK;
}

static enum gif_status decode(struct gif *g, struct gif_frame *f, struct lzw *z)
{
	struct cursor c = {.frame = f};
	uint8_t minimum;
	enum gif_status status;

	if (input_u8(&g->in, &minimum))
		return GIF_SHORT;
	status = lzw_init(z, minimum);
	if (!status)
		status = decode_blocks(g, z, &c);
	if (status)
		return status;
	/* A picture that ends early is shown as far as it came, if that is half of it. */
	return c.count * 2 >= (size_t)f->width * f->height ? GIF_OK : GIF_PIXELS;
}

static enum gif_status read_pixels(struct gif *g, struct gif_frame *f)
{
	struct lzw *z = malloc(sizeof *z);
	enum gif_status status = GIF_MEMORY;

	f->indices = calloc(f->width, f->height);
	if (z && f->indices)
		status = decode(g, f, z);
	free(z);
	return status;
}

enum gif_status frame_read(struct gif *g, struct gif_frame *out)
{
	enum gif_status status;

	memset(out, 0, sizeof *out);
	out->control = g->control;
	if (!g->control.present)
		out->control.transparent = -1;
	memset(&g->control, 0, sizeof g->control);
	status = read_descriptor(g, out);
	if (!status)
		status = read_pixels(g, out);
	if (status)
		frame_release(out);
	return status;
}

void frame_release(struct gif_frame *f)
{
	palette_release(&f->local);
	free(f->indices);
	memset(f, 0, sizeof *f);
}
