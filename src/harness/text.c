/* text.c: values as C writes them.
 *
 * Pitfalls that are dealt with here: the least number of a type has no literal of its own; an octal
 * escape swallows digits that follow, so it always has three; "??" may begin a trigraph; a float's
 * decimal form is tried with growing precision until it reads back as the same bits.
 */
#include "harness/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t load(const uint8_t *bytes, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size && i < 8; i++)
		v |= (uint64_t)bytes[i] << 8 * i;
	return v;
}

void text_integer(struct buf *out, const uint8_t *bytes, size_t size, int is_signed)
{
	uint64_t v = load(bytes, size), high = size > 8 ? load(bytes + 8, size - 8) : 0;
	int64_t s = (int64_t)v;

	if (size > 8 && high) {
		buf_addf(out,
			 "(%s__int128)((unsigned __int128)0x%" PRIx64 "u << 64 | 0x%" PRIx64 "u)",
			 is_signed ? "" : "unsigned ", high, v);
		return;
	}
	if (is_signed && size < 8)
		s = (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
	if (is_signed && size <= 8 && s == INT64_MIN)
		buf_addf(out, "(-%" PRId64 " - 1)", INT64_MAX);
	else if (is_signed && size <= 8)
		buf_addf(out, "%" PRId64, s);
	else
		buf_addf(out, "%" PRIu64 "%s", v, v > INT64_MAX ? "u" : "");
}

/* The letter of a simple escape, 0: it has none. */
static char escape(uint8_t c)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : 0;
}

void text_char(struct buf *out, uint8_t c, int is_signed)
{
	if (c == '\'')
		buf_adds(out, "'\\''");
	else if (c == '"')
		buf_adds(out, "'\"'");
	else if (escape(c))
		buf_addf(out, "'\\%c'", escape(c));
	else if (c >= ' ' && c < 127)
		buf_addf(out, "'%c'", c);
	else
		text_integer(out, &c, 1, is_signed);
}

void text_string(struct buf *out, const uint8_t *bytes, size_t n)
{
	buf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		uint8_t c = bytes[i];

		if (escape(c))
			buf_addf(out, "\\%c", escape(c));
		else if (c == '?' && i && bytes[i - 1] == '?')
			buf_adds(out, "\\?");
		else if (c >= ' ' && c < 127)
			buf_addc(out, c);
		else if (i + 1 < n && bytes[i + 1] >= '0' && bytes[i + 1] <= '7')
			buf_addf(out, "\\%03o", c);
		else
			buf_addf(out, "\\%o", c);
	}
	buf_addc(out, '"');
}

/* ---------------------------------------------------------------------- floats */

/* 1 and the text if the value has no digits. */
static int special(struct buf *out, int is_nan, int is_inf, int negative, const char *suffix,
		   int people)
{
	if (!is_nan && !is_inf)
		return 0;
	buf_adds(out, negative ? "-" : "");
	if (people)
		buf_adds(out, is_nan ? "nan" : "inf");
	else if (is_nan)
		buf_addf(out, "__builtin_nan%s(\"\")", suffix);
	else
		buf_addf(out, "__builtin_inf%s()", suffix);
	return 1;
}

static void add_digits(struct buf *out, const char *digits)
{
	buf_adds(out, digits);
	if (!strpbrk(digits, ".e"))
		buf_adds(out, ".0");
}

static int text_float4(struct buf *out, const uint8_t *bytes, int people)
{
	char digits[64];
	uint32_t bits;
	float f;

	memcpy(&f, bytes, sizeof f);
	memcpy(&bits, bytes, sizeof bits);
	if (special(out, isnan(f), isinf(f), bits >> 31, "f", people))
		return !isnan(f) || (bits & 0x7fffffff) == 0x7fc00000;
	for (int precision = 1; precision <= 9; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, f);
		if (strtof(digits, NULL) == f && (float)strtod(digits, NULL) == f)
			break;
	}
	add_digits(out, digits);
	return 1;
}

static int text_float8(struct buf *out, const uint8_t *bytes, int people)
{
	char digits[64];
	uint64_t bits;
	double d;

	memcpy(&d, bytes, sizeof d);
	memcpy(&bits, bytes, sizeof bits);
	if (special(out, isnan(d), isinf(d), bits >> 63, "", people))
		return !isnan(d) || (bits & INT64_MAX) == 0x7ff8000000000000;
	for (int precision = 1; precision <= 17; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, d);
		if (strtod(digits, NULL) == d)
			break;
	}
	add_digits(out, digits);
	return 1;
}

/* Ten bytes count; patterns that are no number of the format (the integer bit missing) are not
 * written as one. */
static int text_float16(struct buf *out, const uint8_t *bytes, int people)
{
	uint64_t mantissa = load(bytes, 8), top = load(bytes + 8, 2), exponent = top & 0x7fff;
	char digits[64];
	long double d;

	memcpy(&d, bytes, sizeof d);
	if (exponent == 0x7fff || (exponent && !(mantissa >> 63))) {
		int inf = exponent == 0x7fff && mantissa == 1ull << 63;
		special(out, !inf, inf, top >> 15, "l", people);
		return inf || (exponent == 0x7fff && mantissa == 3ull << 62);
	}
	snprintf(digits, sizeof digits, "%LaL", d);
	if (people)
		digits[strlen(digits) - 1] = 0;
	buf_adds(out, digits);
	return !(exponent == 0 &&
		 mantissa >> 63); /* a pseudo-denormal reads back as another pattern */
}

int text_float(struct buf *out, const uint8_t *bytes, size_t size, int people)
{
	switch (size) {
	case 4:
		return text_float4(out, bytes, people);
	case 8:
		return text_float8(out, bytes, people);
	case 16:
		return text_float16(out, bytes, people);
	}
	return -1;
}

void text_json_string(struct buf *out, const char *s, size_t n)
{
	buf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\')
			buf_addf(out, "\\%c", s[i]);
		else if (s[i] < ' ' || s[i] == 127)
			buf_addf(out, "\\u%04x", (unsigned char)s[i]);
		else
			buf_addc(out, s[i]);
	}
	buf_addc(out, '"');
}
