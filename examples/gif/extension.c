/* extension.c: what stands between the frames: controls, comments, plain text, applications.
 *
 * An extension is a kind and blocks. Kinds that nobody knows are passed over.
 */
#include "gif.h"

#include <stdlib.h>
#include <string.h>

enum kind {
	KIND_TEXT = 0x01,
	KIND_CONTROL = 0xf9,
	KIND_COMMENT = 0xfe,
	KIND_APPLICATION = 0xff,
};

enum {
	CONTROL_TRANSPARENT = 0x01,
	CONTROL_USER = 0x02,
	CONTROL_SIZE = 4,
	TEXT_SIZE = 12,
	APPLICATION_SIZE = 11,
};

static uint16_t u16_at(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

/* ---------------------------------------------------------------- control */

static enum gif_disposal disposal_of(uint8_t flags)
{
	unsigned method = flags >> 2 & 7;

	return method <= DISPOSE_PREVIOUS ? (enum gif_disposal)method : DISPOSE_ANY;
}

static void fill_control(struct gif_control *c, const uint8_t *data)
{
	c->present = 1;
	c->disposal = disposal_of(data[0]);
	c->waits_for_user = (data[0] & CONTROL_USER) != 0;
	c->delay = u16_at(data + 1);
	c->transparent = data[0] & CONTROL_TRANSPARENT ? data[3] : -1;
}

static enum gif_status read_control(struct gif *g)
{
	const uint8_t *data;
	uint8_t size;

	if (block_next(&g->in, &data, &size) <= 0 || size != CONTROL_SIZE)
		return GIF_EXTENSION;
	fill_control(&g->control, data);
	return blocks_skip(&g->in) ? GIF_SHORT : GIF_OK;
}

/* ---------------------------------------------------------------- comment */

static enum gif_status add_comment(struct gif *g, const uint8_t *data, uint8_t size)
{
	size_t total = g->comment_size + size;
	char *more = realloc(g->comment, total + 1);

	if (!more)
		return GIF_MEMORY;
	g->comment = more;
	memcpy(g->comment + g->comment_size, data, size);
	g->comment[total] = 0;
	g->comment_size = total;
	return GIF_OK;
}

static enum gif_status read_comment(struct gif *g)
{
	const uint8_t *data;
	uint8_t size;
	int more;

	while ((more = block_next(&g->in, &data, &size)) > 0) {
		enum gif_status status = add_comment(g, data, size);
		if (status)
			return status;
	}
	return more < 0 ? GIF_SHORT : GIF_OK;
}

/* ------------------------------------------------------------- plain text */

void text_release(struct gif_text *t)
{
	free(t->letters);
	memset(t, 0, sizeof *t);
}

static void fill_text(struct gif_text *t, const uint8_t *data)
{
	t->left = u16_at(data);
	t->top = u16_at(data + 2);
	t->width = u16_at(data + 4);
	t->height = u16_at(data + 6);
	t->cell_width = data[8];
	t->cell_height = data[9];
	t->foreground = data[10];
	t->background = data[11];
}

static enum gif_status check_text(const struct gif *g, struct gif_text *t)
{
	if (t->left + t->width > g->width || t->top + t->height > g->height)
		return GIF_EXTENSION;
	if (t->foreground >= g->global.count || t->background >= g->global.count)
		return GIF_EXTENSION;
	if (t->width) {
		t->columns = t->width / t->cell_width;
		t->rows = t->height / t->cell_height;
	}
	return GIF_OK;
}

/* Letters that fit into the grid; the rest is not shown. */
static enum gif_status read_letters(struct gif *g, struct gif_text *t)
{
	unsigned most = t->columns * t->rows;
	const uint8_t *data;
	uint8_t size;
	int more;

	t->letters = malloc((size_t)most + 1);
	if (!t->letters)
		return GIF_MEMORY;
	while ((more = block_next(&g->in, &data, &size)) > 0) {
		unsigned room = most - t->count;
		unsigned count = size < room ? size : room;

		memcpy(t->letters + t->count, data, count);
		t->count += count;
	}
	return more < 0 ? GIF_SHORT : GIF_OK;
}

static enum gif_status read_text(struct gif *g)
{
	const uint8_t *data;
	uint8_t size;
	enum gif_status status;

	if (block_next(&g->in, &data, &size) <= 0 || size != TEXT_SIZE)
		return GIF_EXTENSION;
	text_release(&g->text);
	fill_text(&g->text, data);
	status = check_text(g, &g->text);
	if (!status)
		status = read_letters(g, &g->text);
	if (status)
		return status;
	text_draw(g);
	return GIF_OK;
}

/* ------------------------------------------------------------ application */

static int is_looping(const uint8_t *name)
{
	return memcmp(name, "NETSCAPE2.0", APPLICATION_SIZE) == 0 || memcmp(name, "ANIMEXTS1.0", APPLICATION_SIZE) == 0;
}

static void take_loops(struct gif *g, const uint8_t *data, uint8_t size)
{
	if (size != 3 || data[0] != 1)
		return;
	g->loops = u16_at(data + 1);
	g->has_loops = 1;
}

static enum gif_status read_application(struct gif *g)
{
	const uint8_t *data;
	uint8_t size;
	int looping, more;

	if (block_next(&g->in, &data, &size) <= 0 || size != APPLICATION_SIZE)
		return GIF_EXTENSION;
	looping = is_looping(data);
	while ((more = block_next(&g->in, &data, &size)) > 0)
		if (looping)
			take_loops(g, data, size);
	return more < 0 ? GIF_SHORT : GIF_OK;
}

enum gif_status extension_read(struct gif *g)
{
	uint8_t kind;

	if (input_u8(&g->in, &kind))
		return GIF_SHORT;
	if (g->version == 87)
		return blocks_skip(&g->in) ? GIF_SHORT : GIF_OK;
	switch (kind) {
	case KIND_CONTROL:
		return read_control(g);
	case KIND_COMMENT:
		return read_comment(g);
	case KIND_TEXT:
		return read_text(g);
	case KIND_APPLICATION:
		return read_application(g);
	default:
		return blocks_skip(&g->in) ? GIF_SHORT : GIF_OK;
	}
}
