/* screen.c: what a file begins with: signature, version, the screen and its colours. */
#include "gif.h"

#include <stdlib.h>
#include <string.h>

enum {
	SCREEN_COLOURS = 0x80,
	SCREEN_SORTED = 0x08,
	SCREEN_BITS = 0x07,
};

static enum gif_status read_signature(struct gif *g)
{
	const uint8_t *bytes;

	if (input_bytes(&g->in, 6, &bytes))
		return GIF_SHORT;
	if (memcmp(bytes, "GIF", 3) != 0)
		return GIF_SIGNATURE;
	if (bytes[3] != '8' || bytes[5] != 'a')
		return GIF_VERSION;
	switch (bytes[4]) {
	case '7':
		g->version = 87;
		return GIF_OK;
	case '9':
		g->version = 89;
		return GIF_OK;
	default:
		return GIF_VERSION;
	}
}

static enum gif_status check_size(const struct gif *g)
{
	if (g->width == 0 || g->height == 0)
		return GIF_SCREEN;
	if ((uint32_t)g->width * g->height > GIF_MAX_PIXELS)
		return GIF_SCREEN;
	return GIF_OK;
}

static enum gif_status read_size(struct gif *g, uint8_t *flags)
{
	if (input_u16(&g->in, &g->width) || input_u16(&g->in, &g->height))
		return GIF_SHORT;
	if (input_u8(&g->in, flags) || input_u8(&g->in, &g->background) || input_u8(&g->in, &g->aspect))
		return GIF_SHORT;
	return check_size(g);
}

static enum gif_status read_colours(struct gif *g, uint8_t flags)
{
	if (!(flags & SCREEN_COLOURS))
		return GIF_OK;
	g->global.sorted = (flags & SCREEN_SORTED) != 0;
	return palette_read(&g->in, (flags & SCREEN_BITS) + 1u, &g->global);
}

/* An index that the table does not have means no background. */
static void check_background(struct gif *g)
{
	if (g->background >= g->global.count)
		g->background = 0;
}

enum gif_status screen_read(struct gif *g)
{
	uint8_t flags = 0;
	enum gif_status status = read_signature(g);

	if (!status)
		status = read_size(g, &flags);
	if (!status)
		status = read_colours(g, flags);
	if (status)
		return status;
	check_background(g);
	g->canvas = calloc((size_t)g->width * g->height, sizeof *g->canvas);
	return g->canvas ? GIF_OK : GIF_MEMORY;
}
