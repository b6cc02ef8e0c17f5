/* play.c: what an animation shows and when.
 *
 * A step shows a frame for so many sixtieths of a second. Frames of different sizes are laid over each other by their hot spots, so the
 * picture does not jump: the canvas is as large as all of them need.
 */
#include "ani.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- canvas */

int canvas_init(struct ani_canvas *c, uint32_t width, uint32_t height)
{
	c->width = width;
	c->height = height;
	c->pixels = calloc((size_t)width * height, sizeof *c->pixels);
	return c->pixels ? 0 : -1;
}

void canvas_release(struct ani_canvas *c)
{
	free(c->pixels);
	memset(c, 0, sizeof *c);
}

void canvas_clear(struct ani_canvas *c, struct ani_colour with)
{
	size_t count = (size_t)c->width * c->height;

	for (size_t i = 0; i < count; i++)
		c->pixels[i] = with;
}

static uint8_t blend(uint8_t below, uint8_t above, uint8_t alpha)
{
	unsigned sum = (unsigned)below * (255u - alpha) + (unsigned)above * alpha;

	return (uint8_t)((sum + 127) / 255);
}

static void blend_pixel(struct ani_colour *below, const struct ani_colour *above)
{
	if (above->alpha == 0)
		return;
	if (above->alpha == 255) {
		*below = *above;
		return;
	}
	below->red = blend(below->red, above->red, above->alpha);
	below->green = blend(below->green, above->green, above->alpha);
	below->blue = blend(below->blue, above->blue, above->alpha);
	below->alpha = (uint8_t)(above->alpha + below->alpha * (255 - above->alpha) / 255);
}

/* ------------------------------------------------------------------ sizes */

/* How far frames reach to each side of the hot spot. */
struct reach {
	uint32_t left, right, up, down;
};

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void reach_add(struct reach *r, const struct ani_frame *f)
{
	r->left = larger(r->left, f->hot_x);
	r->up = larger(r->up, f->hot_y);
	r->right = larger(r->right, f->width - f->hot_x);
	r->down = larger(r->down, f->height - f->hot_y);
}

static struct reach reach_of(const struct ani_file *f)
{
	struct reach r = {0, 0, 0, 0};

	for (uint32_t i = 0; i < f->frame_count; i++)
		reach_add(&r, &f->frames[i]);
	return r;
}

void ani_bounds(const struct ani_file *f, uint32_t *width, uint32_t *height)
{
	struct reach r = reach_of(f);

	*width = r.left + r.right;
	*height = r.up + r.down;
}

/* -------------------------------------------------------------- rendering */

static void draw_row(const struct ani_frame *f, uint32_t y, struct ani_colour *to)
{
	const struct ani_colour *from = f->pixels + (size_t)y * f->width;

	if (f->opaque) {
		memcpy(to, from, f->width * sizeof *to);
		return;
	}
	for (uint32_t x = 0; x < f->width; x++)
		blend_pixel(&to[x], &from[x]);
}

void ani_render(const struct ani_file *f, unsigned step, struct ani_canvas *c)
{
	const struct ani_frame *frame = &f->frames[f->steps[step].frame];
	struct reach r = reach_of(f);
	uint32_t left = r.left - frame->hot_x, up = r.up - frame->hot_y;

	for (uint32_t y = 0; y < frame->height; y++)
		draw_row(frame, y, c->pixels + (size_t)(up + y) * c->width + left);
}

/* ----------------------------------------------------------------- timing */

static uint32_t milliseconds(uint32_t jiffies)
{
	return (uint32_t)((uint64_t)jiffies * 1000 / 60);
}

static uint32_t round_length(const struct ani_file *f)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < f->step_count; i++)
		sum += milliseconds(f->steps[i].rate);
	return sum;
}

unsigned ani_step_at(const struct ani_file *f, uint32_t time)
{
	uint32_t length = round_length(f);

	time %= length;
	for (uint32_t i = 0; i < f->step_count; i++) {
		uint32_t rate = milliseconds(f->steps[i].rate);

		if (time < rate)
			return i;
		time -= rate;
	}
	return f->step_count - 1;
}

static void extremes(const struct ani_file *f, struct ani_summary *s)
{
	s->shortest = UINT32_MAX;
	s->longest = 0;
	for (uint32_t i = 0; i < f->step_count; i++) {
		uint32_t rate = milliseconds(f->steps[i].rate);

		if (rate < s->shortest)
			s->shortest = rate;
		if (rate > s->longest)
			s->longest = rate;
	}
}

/* ---------------------------------------------------------------- summary */

static uint32_t count_used(const struct ani_file *f)
{
	uint8_t used[ANI_MAX_FRAMES] = {0};
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->step_count; i++)
		used[f->steps[i].frame] = 1;
	for (uint32_t i = 0; i < ANI_MAX_FRAMES; i++)
		count += used[i];
	return count;
}

static int same_colour(const struct ani_colour *a, const struct ani_colour *b)
{
	return a->red == b->red && a->green == b->green && a->blue == b->blue && a->alpha == b->alpha;
}

static int is_among(const struct ani_colour *list, uint32_t count, const struct ani_colour *c)
{
	for (uint32_t i = 0; i < count; i++)
		if (same_colour(&list[i], c))
			return 1;
	return 0;
}

static uint32_t count_colours(const struct ani_frame *f)
{
	struct ani_colour known[ANI_PALETTE];
	uint32_t count = 0;
	size_t pixels = (size_t)f->width * f->height;

	for (size_t i = 0; i < pixels && count < ANI_PALETTE; i++)
		if (!is_among(known, count, &f->pixels[i]))
			known[count++] = f->pixels[i];
	return count;
}

static uint32_t checksum_pixels(uint32_t sum, const struct ani_canvas *c)
{
	const uint8_t *bytes = (const uint8_t *)c->pixels;
	size_t count = (size_t)c->width * c->height * sizeof *c->pixels;
	uint32_t a = sum & 0xffff, b = sum >> 16;

	for (size_t i = 0; i < count; i++) {
		a = (a + bytes[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

static int checksum_all(const struct ani_file *f, struct ani_summary *s)
{
	struct ani_canvas canvas;
	struct ani_colour nothing = {0, 0, 0, 0};

	if (canvas_init(&canvas, s->width, s->height))
		return -1;
	s->checksum = 1;
	for (unsigned i = 0; i < f->step_count; i++) {
		canvas_clear(&canvas, nothing);
		ani_render(f, i, &canvas);
		s->checksum = checksum_pixels(s->checksum, &canvas);
	}
	canvas_release(&canvas);
	return 0;
}

int ani_summarise(const struct ani_file *f, struct ani_summary *out)
{
	memset(out, 0, sizeof *out);
	ani_bounds(f, &out->width, &out->height);
	out->total = round_length(f);
	out->average = out->total / f->step_count;
	extremes(f, out);
	out->used = count_used(f);
	for (uint32_t i = 0; i < f->frame_count; i++)
		out->colours = larger(out->colours, count_colours(&f->frames[i]));
	return checksum_all(f, out);
}
