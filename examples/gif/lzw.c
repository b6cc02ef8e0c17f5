/* lzw.c: codes of growing width to pixels.
 *
 * Codes below `clear` are pixels, `clear` empties the table, `end` ends the picture; each other one is an earlier one and a pixel. A code is
 * known one code after it could be used: the one that is just being made is the string before with its own first pixel behind it. Strings come
 * out backwards and go over a stack.
 */
#include "gif.h"

#include <string.h>

#define WIDTH_MOST 12
#define NONE (-1)

static void reset(struct lzw *z)
{
	z->width = z->minimum + 1;
	z->next = z->end + 1;
	z->previous = NONE;
}

enum gif_status lzw_init(struct lzw *z, unsigned minimum)
{
	if (minimum < 1 || minimum > 8)
		return GIF_CODE_SIZE;
	memset(z, 0, sizeof *z);
	z->minimum = minimum;
	z->clear = 1u << minimum;
	z->end = z->clear + 1;
	for (unsigned i = 0; i < z->clear; i++) {
		z->suffix[i] = (uint8_t)i;
		z->first[i] = (uint8_t)i;
	}
	reset(z);
	return GIF_OK;
}

/* The string of a code, the last pixel first. */
static void unwind(struct lzw *z, unsigned code)
{
	while (code > z->end) {
		z->stack[z->depth++] = z->suffix[code];
		code = z->prefix[code];
	}
	z->stack[z->depth++] = z->suffix[code];
}

static enum gif_status flush(struct lzw *z, lzw_sink sink, void *ctx)
{
	while (z->depth > 0)
		if (sink(ctx, z->stack[--z->depth])) {
			z->depth = 0;
			z->ended = 1; /* what is behind the last pixel is not looked at */
			return GIF_OK;
		}
	return GIF_OK;
}

/* The string before and this pixel are a new code. */
static void learn(struct lzw *z, uint8_t pixel)
{
	if (z->next >= GIF_CODES)
		return;
	z->prefix[z->next] = (uint16_t)z->previous;
	z->suffix[z->next] = pixel;
	z->first[z->next] = z->first[z->previous];
	z->next++;
	if (z->next == 1u << z->width && z->width < WIDTH_MOST)
		z->width++;
}

static enum gif_status first_code(struct lzw *z, unsigned code)
{
	if (code >= z->clear)
		return GIF_CODE;
	unwind(z, code);
	z->previous = (int)code;
	return GIF_OK;
}

static enum gif_status later_code(struct lzw *z, unsigned code)
{
	if (code > z->next)
		return GIF_CODE;
	if (code == z->next) {
		uint8_t pixel = z->first[z->previous];

		z->stack[z->depth++] = pixel;
		unwind(z, (unsigned)z->previous);
		learn(z, pixel);
	} else {
		unwind(z, code);
		learn(z, z->first[code]);
	}
	z->previous = (int)code;
	return GIF_OK;
}

static enum gif_status one_code(struct lzw *z, unsigned code, lzw_sink sink, void *ctx)
{
	enum gif_status status;

	if (code == z->clear) {
		reset(z);
		return GIF_OK;
	}
	if (code == z->end) {
		z->ended = 1;
		return GIF_OK;
	}
	status = z->previous == NONE ? first_code(z, code) : later_code(z, code);
	return status ? status : flush(z, sink, ctx);
}

static unsigned take_code(struct lzw *z)
{
	unsigned code = z->bits & ((1u << z->width) - 1);

	z->bits >>= z->width;
	z->bit_count -= z->width;
	return code;
}

enum gif_status lzw_feed(struct lzw *z, const uint8_t *data, unsigned count, lzw_sink sink, void *ctx)
{
	for (unsigned i = 0; i < count && !z->ended; i++) {
		z->bits |= (uint32_t)data[i] << z->bit_count;
		z->bit_count += 8;
		while (z->bit_count >= z->width && !z->ended) {
			enum gif_status status = one_code(z, take_code(z), sink, ctx);
			if (status)
				return status;
		}
	}
	return GIF_OK;
}
