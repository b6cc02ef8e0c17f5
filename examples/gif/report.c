/* report.c: figures of a whole animation. */
#include "gif.h"

#include <stdlib.h>
#include <string.h>

#define COLOURS_MOST 256

static size_t pixels_of(const struct gif *g)
{
	return (size_t)g->width * g->height;
}

/* -------------------------------------------------------------- checksums */

static uint32_t sum_byte(uint32_t sum, uint8_t byte)
{
	return (sum ^ byte) * 16777619u;
}

static uint32_t sum_colour(uint32_t sum, const struct gif_colour *c)
{
	sum = sum_byte(sum, c->red);
	sum = sum_byte(sum, c->green);
	sum = sum_byte(sum, c->blue);
	return sum_byte(sum, c->alpha);
}

static uint32_t sum_canvas(uint32_t sum, const struct gif *g)
{
	for (size_t i = 0; i < pixels_of(g); i++)
		sum = sum_colour(sum, &g->canvas[i]);
	return sum;
}

/* ---------------------------------------------------------------- colours */

static int same(const struct gif_colour *a, const struct gif_colour *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

static int is_known(const struct gif_colour *known, unsigned count, const struct gif_colour *c)
{
	for (unsigned i = 0; i < count; i++)
		if (same(&known[i], c))
			return 1;
	return 0;
}

static unsigned count_colours(const struct gif *g)
{
	struct gif_colour known[COLOURS_MOST];
	unsigned count = 0;

	for (size_t i = 0; i < pixels_of(g) && count < COLOURS_MOST; i++)
		if (!is_known(known, count, &g->canvas[i]))
			known[count++] = g->canvas[i];
	return count;
}

/* --------------------------------------------------------------- the rest */

/* The byte of the screen is (proportion * 64) - 15. */
static void pixel_sides(uint8_t aspect, struct gif_report *r)
{
	unsigned a, b;

	r->pixel_width = r->pixel_height = 1;
	if (!aspect)
		return;
	r->pixel_width = aspect + 15u;
	r->pixel_height = 64;
	for (a = r->pixel_width, b = r->pixel_height; b;) {
		unsigned rest = a % b;

		a = b;
		b = rest;
	}
	r->pixel_width /= a;
	r->pixel_height /= a;
}

static unsigned count_changed(const struct gif *g, const struct gif_colour *first)
{
	unsigned count = 0;

	for (size_t i = 0; i < pixels_of(g); i++)
		count += !same(&first[i], &g->canvas[i]);
	return count;
}

static struct gif_colour *copy_canvas(const struct gif *g)
{
	size_t bytes = pixels_of(g) * sizeof *g->canvas;
	struct gif_colour *copy = malloc(bytes);

	if (copy)
		memcpy(copy, g->canvas, bytes);
	return copy;
}

int gif_describe(struct gif *g, struct gif_report *out)
{
	struct gif_colour *first = NULL;

	memset(out, 0, sizeof *out);
	out->checksum = 2166136261u;
	pixel_sides(g->aspect, out);
	while (gif_next(g)) {
		if (!first && !(first = copy_canvas(g)))
			return -1;
		out->frames++;
		out->duration += g->delay;
		out->checksum = sum_canvas(out->checksum, g);
	}
	if (first) {
		out->colours = count_colours(g);
		out->changed = count_changed(g, first);
	}
	out->advice = gif_advise(g, first);
	free(first);
	return g->status ? -1 : 0;
}
