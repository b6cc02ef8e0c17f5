/* file.c: a file from its first block to the trailer. */
#include "gif.h"

#include <stdlib.h>
#include <string.h>

enum block {
	BLOCK_FRAME = 0x2c,
	BLOCK_EXTENSION = 0x21,
	BLOCK_END = 0x3b,
};

const char *gif_status_words(enum gif_status status)
{
	static const char *const words[] = {
#define X(name, text) text,
	    GIF_STATUSES(X)
#undef X
	};

	return status < GIF_STATUS_COUNT ? words[status] : "unknown status";
}

struct gif *gif_open(const uint8_t *data, size_t size, enum gif_status *status)
{
	struct gif *g = calloc(1, sizeof *g);

	if (!g) {
		*status = GIF_MEMORY;
		return NULL;
	}
	g->in = (struct gif_input){data, size, 0};
	g->control.transparent = -1;
	*status = screen_read(g);
	if (*status) {
		gif_close(g);
		return NULL;
	}
	return g;
}

void gif_close(struct gif *g)
{
	if (!g)
		return;
	palette_release(&g->global);
	text_release(&g->text);
	free(g->comment);
	free(g->canvas);
	free(g->saved);
	free(g);
}

static enum gif_status show_frame(struct gif *g)
{
	struct gif_frame frame;
	enum gif_status status = frame_read(g, &frame);

	if (status)
		return status;
	status = frame_dispose(g);
	if (!status)
		status = frame_draw(g, &frame);
	frame_release(&frame);
	return status;
}

/* 1: a frame was drawn; 0: go on; -1: that was all. */
static int next_block(struct gif *g)
{
	uint8_t kind;

	if (input_u8(&g->in, &kind)) {
		/* The trailer is missing in many files. */
		g->status = g->drawn ? GIF_OK : GIF_SHORT;
		return -1;
	}
	switch (kind) {
	case BLOCK_FRAME:
		g->status = show_frame(g);
		return g->status ? -1 : 1;
	case BLOCK_EXTENSION:
		g->status = extension_read(g);
		return g->status ? -1 : 0;
	case BLOCK_END:
		return -1;
	case 0:
		return 0; /* a block's end too many */
	default:
		g->status = GIF_BLOCK;
		return -1;
	}
}

int gif_next(struct gif *g)
{
	int what = 0;

	while (!g->ended && what == 0) {
		what = next_block(g);
		if (what < 0)
			g->ended = 1;
	}
	return what > 0;
}
