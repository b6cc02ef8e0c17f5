/* palette.c: tables of colours.
 *
 * A table has a power of two of entries, of three bytes each. It is kept in memory of just that size.
 */
#include "gif.h"

#include <stdlib.h>
#include <string.h>

static struct gif_colour colour_at(const uint8_t *p)
{
	return (struct gif_colour){p[0], p[1], p[2], 255};
}

enum gif_status palette_read(struct gif_input *in, unsigned bits, struct gif_palette *out)
{
	unsigned count = 1u << bits;
	const uint8_t *bytes;

	if (input_bytes(in, 3 * (size_t)count, &bytes))
		return GIF_SHORT;
	out->colours = malloc(count * sizeof *out->colours);
	if (!out->colours)
		return GIF_MEMORY;
	for (unsigned i = 0; i < count; i++)
		out->colours[i] = colour_at(bytes + 3 * (size_t)i);
	out->count = count;
	return GIF_OK;
}

void palette_release(struct gif_palette *p)
{
	free(p->colours);
	memset(p, 0, sizeof *p);
}

static unsigned distance(struct gif_colour a, struct gif_colour b)
{
	int red = a.red - b.red, green = a.green - b.green, blue = a.blue - b.blue;

	return (unsigned)(red * red * 3 + green * green * 6 + blue * blue);
}

unsigned palette_nearest(const struct gif_palette *p, struct gif_colour to)
{
	unsigned best = 0;

	for (unsigned i = 1; i < p->count; i++)
		if (distance(p->colours[i], to) < distance(p->colours[best], to))
			best = i;
	return best;
}
