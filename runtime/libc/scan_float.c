/* scan_float.c: which characters of the input belong to a floating number.
 *
 * Follows glibc, which decides without looking back more than one character:
 * "inf", "infinity" and "nan" must be complete once begun, "1e" and "0x" are taken
 * whole although no number needs them, and the width counts every character.
 */
#include "scan.h"

struct float_scan {
	struct scan_input *in;
	struct scan_text *text;
	int width; /* characters still allowed; negative: any number */
};

/* Reads on, within the width. */
static int next(struct float_scan *f)
{
	if (f->width == 0 || rt_scan_get(f->in) == EOF)
		return 0;
	if (f->width > 0)
		f->width--;
	return 1;
}

/* The rest of a word whose first character was read. */
static int finish_word(struct float_scan *f, const char *rest)
{
	rt_scan_text_add(f->text, f->in->last);
	for (; *rest; rest++) {
		if (!next(f) || body_tolower(f->in->last) != *rest)
			return 1;
		rt_scan_text_add(f->text, f->in->last);
	}
	return 0;
}

static int scan_infinity(struct float_scan *f)
{
	if (finish_word(f, "nf"))
		return 1;
	if (f->width == 0 || rt_scan_get(f->in) == EOF)
		return 0;
	if (body_tolower(f->in->last) == 'i') {
		if (f->width > 0)
			f->width--;
		return finish_word(f, "nity");
	}
	rt_scan_unget(f->in);
	return 0;
}

/* Digits, one point, one exponent. */
static void float_digits(struct float_scan *f, int hex, int got_digit)
{
	int got_point = 0, got_exponent = 0, exponent = hex ? 'p' : 'e', previous = 0;
	do {
		int c = f->in->last;
		if (body_digit(c) || (hex && !got_exponent && body_digit_value(c) < 16)) {
			got_digit = 1;
		} else if (got_exponent && previous == exponent && (c == '-' || c == '+')) {
			/* the exponent's sign */
		} else if (got_digit && !got_exponent && body_tolower(c) == exponent) {
			got_exponent = got_point = 1;
			c = exponent;
		} else if (!got_point && c == '.') {
			got_point = 1;
		} else {
			rt_scan_unget(f->in);
			return;
		}
		rt_scan_text_add(f->text, c);
		previous = c;
	} while (next(f));
}

int rt_scan_float_text(struct scan_input *in, int width, struct scan_text *text)
{
	struct float_scan f = {.in = in, .text = text, .width = width};
	size_t prefix = 0;
	int hex = 0, got_digit = 0;

	if (rt_scan_get(in) == EOF)
		return EOF;
	if (f.width > 0)
		f.width--;
	if (in->last == '-' || in->last == '+') {
		rt_scan_text_add(text, in->last);
		prefix = 1;
		if (!next(&f))
			return 1;
	}
	if (body_tolower(in->last) == 'n')
		return finish_word(&f, "an");
	if (body_tolower(in->last) == 'i')
		return scan_infinity(&f);
	if (f.width != 0 && in->last == '0') {
		rt_scan_text_add(text, '0');
		rt_scan_get(in);
		if (f.width > 0)
			f.width--;
		if (f.width != 0 && body_tolower(in->last) == 'x') {
			rt_scan_text_add(text, in->last);
			hex = 1;
			prefix += 2;
			rt_scan_get(in);
			if (f.width > 0)
				f.width--;
		} else {
			got_digit = 1;
		}
	}
	float_digits(&f, hex, got_digit);
	return text->size == prefix;
}
