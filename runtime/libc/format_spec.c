/* format_spec.c: reads one conversion specification of a printf format:
 * % [n$] flags [width] [.precision] [length] conversion.
 *
 * Each part has a function that moves a cursor over it; a part that is absent
 * leaves the cursor where it is.
 */
#include "format.h"

#include <errno.h>

/* A decimal number; -1 if it is too large for the printf functions. */
static int parse_number(const char **s)
{
	int value = 0;
	for (; body_digit((unsigned char)**s); ++*s) {
		if (value < 0 || value > INT_MAX / 10 ||
		    (value == INT_MAX / 10 && **s - '0' > INT_MAX % 10))
			value = -1;
		else
			value = value * 10 + (**s - '0');
	}
	return value;
}

/* `n$`, or 0 and no step. */
static int parse_position(const char **s)
{
	const char *p = *s;
	if (!body_digit((unsigned char)*p))
		return 0;
	int n = parse_number(&p);
	if (n <= 0 || *p != '$')
		return 0;
	*s = p + 1;
	return n;
}

static void parse_flags(const char **s, struct format_spec *spec)
{
	for (;; ++*s) {
		switch (**s) {
		case '-':
			spec->left = 1;
			break;
		case '+':
			spec->plus = 1;
			break;
		case ' ':
			spec->space = 1;
			break;
		case '#':
			spec->alternate = 1;
			break;
		case '0':
			spec->zero = 1;
			break;
		case '\'': /* no grouping and no other digits in the C locale */
		case 'I':
			break;
		default:
			return;
		}
	}
}

static void parse_length(const char **s, struct format_spec *spec)
{
	for (;; ++*s) {
		switch (**s) {
		case 'h':
			spec->length = spec->length == LENGTH_SHORT ? LENGTH_CHAR : LENGTH_SHORT;
			break;
		case 'l':
			spec->length =
			    spec->length == LENGTH_LONG ? LENGTH_LONG_DOUBLE : LENGTH_LONG;
			break;
		case 'q':
		case 'L':
			spec->length = LENGTH_LONG_DOUBLE;
			break;
		case 'j':
		case 'z':
		case 'Z':
		case 't':
			spec->length = LENGTH_LONG;
			break;
		default:
			return;
		}
	}
}

static enum format_type type_of(const struct format_spec *spec)
{
	switch (spec->conversion) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		return spec->length >= LENGTH_LONG ? FORMAT_LONG : FORMAT_INT;
	case 'c':
	case 'C':
		return FORMAT_INT;
	case 's':
	case 'S':
	case 'p':
	case 'n':
		return FORMAT_POINTER;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return spec->length == LENGTH_LONG_DOUBLE ? FORMAT_LONG_DOUBLE : FORMAT_DOUBLE;
	default:
		return FORMAT_NOTHING;
	}
}

int rt_format_parse(const char *s, struct format_spec *spec)
{
	*spec = (struct format_spec){.precision = -1, .begin = s};
	s++;
	spec->position = parse_position(&s);
	parse_flags(&s, spec);
	if (*s == '*') {
		s++;
		spec->star_width = 1;
		spec->width_position = parse_position(&s);
	} else {
		spec->width = parse_number(&s);
	}
	if (*s == '.') {
		s++;
		if (*s == '*') {
			s++;
			spec->star_precision = 1;
			spec->precision_position = parse_position(&s);
		} else {
			spec->precision = parse_number(&s);
			if (spec->precision < 0)
				return EOVERFLOW;
		}
	}
	if (spec->width < 0)
		return EOVERFLOW;
	parse_length(&s, spec);
	if (!*s)
		return EINVAL;
	spec->conversion = *s;
	spec->end = s + 1;
	spec->type = type_of(spec);
	return 0;
}
