/* advice.c: what a writer of GIF files might do better. Nothing in here is an error. */
#include "gif.h"

#include <string.h>

const char *gif_advice_words(enum gif_advice a)
{
	static const char *const words[] = {
#define X(name, text) text,
	    GIF_ADVICES(X)
#undef X
	};

	return a < ADVICE_COUNT ? words[a] : "unknown advice";
}

static uint32_t advice_if(int condition, enum gif_advice a)
{
	return condition ? 1u << a : 0;
}

/* ---------------------------------------------------------------- colours */

static unsigned brightness(const struct gif_colour *c)
{
	return 3u * c->red + 6u * c->green + c->blue;
}

/* A sorted table has the colour that matters most first: in practice the brightest, or the darkest. */
static int is_sorted(const struct gif_palette *p)
{
	int up = 1, down = 1;

	for (unsigned i = 1; i < p->count; i++) {
		unsigned before = brightness(&p->colours[i - 1]), now = brightness(&p->colours[i]);

		if (now < before)
			up = 0;
		if (now > before)
			down = 0;
	}
	return up || down;
}

static int equals(const struct gif_colour *a, const struct gif_colour *b)
{
	return a->red == b->red && a->green == b->green && a->blue == b->blue;
}

/* Black fills up most tables, so it may be there often. */
static int is_black(const struct gif_colour *c)
{
	return !(c->red | c->green | c->blue);
}

static int has_double(const struct gif_palette *p)
{
	for (unsigned i = 0; i < p->count; i++)
		for (unsigned j = i + 1; j < p->count; j++)
			if (equals(&p->colours[i], &p->colours[j]) && !is_black(&p->colours[i]))
				return 1;
	return 0;
}

static int is_grey(const struct gif_palette *p)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->colours[i].red != p->colours[i].green || p->colours[i].green != p->colours[i].blue)
			return 0;
	return p->count > 4;
}

static unsigned count_used(const struct gif *g)
{
	uint8_t used[256] = {0};
	unsigned count = 0;
	size_t pixels = (size_t)g->width * g->height;

	for (size_t i = 0; i < pixels; i++)
		if (g->canvas[i].alpha)
			used[palette_nearest(&g->global, g->canvas[i])] = 1;
	for (unsigned i = 0; i < 256; i++)
		count += used[i];
	return count;
}

static uint32_t advise_colours(const struct gif *g)
{
	uint32_t advice = 0;

	if (!g->global.count)
		return 0;
	advice |= advice_if(g->global.sorted && !is_sorted(&g->global), ADVICE_UNSORTED);
	advice |= advice_if(has_double(&g->global), ADVICE_DOUBLE);
	advice |= advice_if(is_grey(&g->global), ADVICE_GREY);
	advice |= advice_if(count_used(g) * 2 < g->global.count, ADVICE_UNUSED);
	return advice;
}

/* -------------------------------------------------------------- animation */

/* Do fewer than an eighth of the pixels differ? */
static int changes_little(const struct gif *g, const struct gif_colour *first)
{
	size_t pixels = (size_t)g->width * g->height, changed = 0;

	for (size_t i = 0; i < pixels; i++)
		changed += !equals(&first[i], &g->canvas[i]);
	return changed * 8 < pixels;
}

static int fills_screen(const struct gif *g, const struct gif_frame *f)
{
	return f->width == g->width && f->height == g->height;
}

static uint32_t advise_animation(const struct gif *g, const struct gif_colour *first)
{
	uint32_t advice = 0;

	if (g->drawn < 2)
		return 0;
	advice |= advice_if(!g->has_loops, ADVICE_NO_LOOP);
	advice |= advice_if(g->last.control.present && g->last.control.delay < 2, ADVICE_FAST);
	advice |= advice_if(first && fills_screen(g, &g->last) && changes_little(g, first), ADVICE_LARGE);
	return advice;
}

/* ------------------------------------------------------------------- text */

/* Letters of ASCII, and UTF-8 as far as its bytes go together. */
static int is_text(const char *text, size_t size)
{
	unsigned more = 0;

	for (size_t i = 0; i < size; i++) {
		uint8_t c = (uint8_t)text[i];

		if (more) {
			if ((c & 0xc0) != 0x80)
				return 0;
			more--;
		} else if (c >= 0xf0) {
			more = 3;
		} else if (c >= 0xe0) {
			more = 2;
		} else if (c >= 0xc0) {
			more = 1;
		} else if (c >= 0x7f || (c < 0x20 && c != '\n' && c != '\r' && c != '\t')) {
			return 0;
		}
	}
	return more == 0;
}

static uint32_t advise_text(const struct gif *g)
{
	uint32_t advice = 0;

	if (g->text.letters)
		advice |= advice_if(strlen(g->text.letters) > 1, ADVICE_TEXT);
	if (g->comment)
		advice |= advice_if(!is_text(g->comment, g->comment_size), ADVICE_COMMENT);
	return advice;
}

uint32_t gif_advise(const struct gif *g, const struct gif_colour *first)
{
	uint32_t advice = advise_colours(g) | advise_animation(g, first) | advise_text(g);
	int extended = g->has_loops || g->comment || g->last.control.present;

	advice |= advice_if(g->version == 87 && extended, ADVICE_OLD);
	advice |= advice_if(g->aspect != 0 && g->aspect != 49, ADVICE_ASPECT);
	return advice;
}
