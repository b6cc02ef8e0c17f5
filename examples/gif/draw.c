/* draw.c: frames and text on the canvas.
 *
 * Before a frame is drawn, the one before it is disposed of as it asked: left there, filled with the background, or replaced by what was
 * there before it.
 */
#include "gif.h"

#include <stdlib.h>
#include <string.h>

static struct gif_colour *pixel(struct gif *g, unsigned x, unsigned y)
{
	return &g->canvas[(size_t)y * g->width + x];
}

/* --------------------------------------------------------------- disposal */

static struct gif_colour background_of(const struct gif *g, const struct gif_control *c)
{
	struct gif_colour nothing = {0, 0, 0, 0};

	if (c->transparent >= 0 || !g->global.count)
		return nothing;
	return g->global.colours[g->background];
}

static void fill(struct gif *g, const struct gif_frame *f, struct gif_colour with)
{
	for (unsigned y = 0; y < f->height; y++)
		for (unsigned x = 0; x < f->width; x++)
			*pixel(g, f->left + x, f->top + y) = with;
}

static void restore(struct gif *g, const struct gif_frame *f)
{
	for (unsigned y = 0; y < f->height; y++) {
		size_t at = (size_t)(f->top + y) * g->width + f->left;

		memcpy(g->canvas + at, g->saved + at, f->width * sizeof *g->canvas);
	}
}

enum gif_status frame_dispose(struct gif *g)
{
	const struct gif_frame *f = &g->last;

	if (!g->drawn)
		return GIF_OK;
	switch (f->control.disposal) {
	case DISPOSE_ANY:
	case DISPOSE_KEEP:
		break;
	case DISPOSE_BACKGROUND:
		fill(g, f, background_of(g, &f->control));
		break;
	case DISPOSE_PREVIOUS:
		restore(g, f);
		break;
	}
	return GIF_OK;
}

/* A frame that will be taken back needs what is there now; the first one has nothing before it. */
static enum gif_status save(struct gif *g, const struct gif_frame *f)
{
	size_t count = (size_t)g->width * g->height;

	if (f->control.disposal != DISPOSE_PREVIOUS || !g->drawn)
		return GIF_OK;
	if (!g->saved)
		g->saved = malloc(count * sizeof *g->saved);
	if (!g->saved)
		return GIF_MEMORY;
	memcpy(g->saved, g->canvas, count * sizeof *g->saved);
	return GIF_OK;
}

/* ---------------------------------------------------------------- drawing */

static const struct gif_palette *colours_of(const struct gif *g, const struct gif_frame *f)
{
	return f->local.count ? &f->local : &g->global;
}

static int is_shown(const struct gif_frame *f, uint8_t index)
{
	return f->control.transparent != index;
}

static void draw_row(struct gif *g, const struct gif_frame *f, const struct gif_palette *p, unsigned y)
{
	const uint8_t *from = f->indices + (size_t)y * f->width;
	struct gif_colour *to = pixel(g, f->left, f->top + y);

	for (unsigned x = 0; x < f->width; x++)
		if (is_shown(f, from[x]))
			to[x] = p->colours[from[x]];
}

/* Some writers make tables that are too short; such pixels are black. */
static void clip_indices(struct gif_frame *f, const struct gif_palette *p)
{
	size_t count = (size_t)f->width * f->height;

	if (f->local.count)
		return;
	for (size_t i = 0; i < count; i++)
		if (f->indices[i] >= p->count)
			f->indices[i] = 0;
}

/* Delays of less than two hundredths are taken for a mistake, as everybody does. */
static uint32_t delay_of(const struct gif_control *c)
{
	if (!c->present)
		return 0;
	return c->delay < 2 ? 100 : c->delay * 10u;
}

enum gif_status frame_draw(struct gif *g, struct gif_frame *f)
{
	const struct gif_palette *p = colours_of(g, f);
	enum gif_status status = save(g, f);

	if (status)
		return status;
	clip_indices(f, p);
	for (unsigned y = 0; y < f->height; y++)
		draw_row(g, f, p, y);
	g->delay = delay_of(&f->control);
	g->last = *f;
	g->last.indices = NULL;
	memset(&g->last.local, 0, sizeof g->last.local);
	g->drawn++;
	return GIF_OK;
}

/* ------------------------------------------------------------------- text */

/* There are no letters in here: a cell with one is filled, a cell with a space is not. */
static int is_blank(char c)
{
	return c == ' ' || c == '\t' || (unsigned char)c < 0x20;
}

static void draw_cell(struct gif *g, const struct gif_text *t, unsigned column, unsigned row, struct gif_colour with)
{
	unsigned left = t->left + column * t->cell_width, top = t->top + row * t->cell_height;

	for (unsigned y = 0; y < t->cell_height; y++)
		for (unsigned x = 0; x < t->cell_width; x++)
			*pixel(g, left + x, top + y) = with;
}

void text_draw(struct gif *g)
{
	const struct gif_text *t = &g->text;

	for (unsigned i = 0; i < t->count; i++) {
		uint8_t index = is_blank(t->letters[i]) ? t->background : t->foreground;

		draw_cell(g, t, i % t->columns, i / t->columns, g->global.colours[index]);
	}
}
