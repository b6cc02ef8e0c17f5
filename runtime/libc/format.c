/* format.c: the printf engine over a sink.
 *
 * Text outside conversions is copied; each conversion makes its digits or finds
 * its string, and one function pads it to the width. Digits are made lowest
 * first by division, one branch a digit ("is anything left?"), so the number of
 * digits of a symbolic value is a decision and each digit an expression.
 *
 * Arguments are taken in order from the va_list, or, where the format says n$,
 * all at once into a table by a first pass over the format that finds the types.
 *
 * Invariant: sink->count bytes were made; those below room-1 stand in data.
 */
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define FORMAT_ARGS 64 /* n$ arguments; beyond them libc formats everything */
#define FORMAT_DIGITS 64

union format_value {
	uint64_t bits;
	const void *pointer;
	double number;
	long double long_number;
};

struct format_state {
	struct format_sink *sink;
	va_list *args;
	union format_value *table; /* of n$ arguments, or NULL */
	int error;		   /* errno at entry, for %m */
};

/* ------------------------------------------------------------------- sink */

static int sink_reserve(struct format_sink *sink, size_t more)
{
	size_t need = sink->count + more + 1;
	if (!sink->grow || need <= sink->room)
		return 0;
	size_t room = need + need / 2 + 100;
	char *data = realloc(sink->data, room);
	if (!data) {
		sink->failed = 1;
		return -1;
	}
	sink->data = data;
	sink->room = room;
	return 0;
}

static void sink_bytes(struct format_sink *sink, const char *s, size_t n)
{
	if (sink_reserve(sink, n) < 0)
		return;
	if (sink->count + 1 < sink->room) {
		size_t left = sink->room - 1 - sink->count;
		BODY(memcpy)(sink->data + sink->count, s, n < left ? n : left);
	}
	sink->count += n;
}

static void sink_fill(struct format_sink *sink, char c, int n)
{
	if (n <= 0 || sink_reserve(sink, (size_t)n) < 0)
		return;
	if (sink->count + 1 < sink->room) {
		size_t left = sink->room - 1 - sink->count;
		BODY(memset)(sink->data + sink->count, c, (size_t)n < left ? (size_t)n : left);
	}
	sink->count += (size_t)n;
}

static void sink_padded(struct format_sink *sink, const struct format_spec *spec, const char *s,
			size_t n)
{
	size_t width = (size_t)spec->width;
	int pad = n < width ? (int)(width - n) : 0;
	if (!spec->left)
		sink_fill(sink, ' ', pad);
	sink_bytes(sink, s, n);
	if (spec->left)
		sink_fill(sink, ' ', pad);
}

/* -------------------------------------------------------------- arguments */

static union format_value take(va_list *args, enum format_type type)
{
	union format_value v = {0};
	switch (type) {
	case FORMAT_INT:
		v.bits = (uint64_t)(int64_t)va_arg(*args, int);
		break;
	case FORMAT_LONG:
		v.bits = va_arg(*args, uint64_t);
		break;
	case FORMAT_POINTER:
		v.pointer = va_arg(*args, void *);
		break;
	case FORMAT_DOUBLE:
		v.number = va_arg(*args, double);
		break;
	case FORMAT_LONG_DOUBLE:
		v.long_number = va_arg(*args, long double);
		break;
	case FORMAT_NOTHING:
		break;
	}
	return v;
}

static union format_value argument(struct format_state *f, enum format_type type, int position)
{
	if (f->table && position > 0)
		return f->table[position - 1];
	return take(f->args, type);
}

/* Takes `*` arguments in, as the standard has them: a negative width is the flag
 * `-` and a width, a negative precision is none. */
static int resolve_stars(struct format_state *f, struct format_spec *spec)
{
	if (spec->star_width) {
		int width = (int)argument(f, FORMAT_INT, spec->width_position).bits;
		if (width < 0) {
			if (width == INT_MIN)
				return EOVERFLOW;
			spec->left = 1;
			width = -width;
		}
		spec->width = width;
	}
	if (spec->star_precision) {
		int precision = (int)argument(f, FORMAT_INT, spec->precision_position).bits;
		spec->precision = precision < 0 ? -1 : precision;
	}
	if (spec->width >= INT_MAX - 32 || spec->precision >= INT_MAX - 32)
		return EOVERFLOW;
	return 0;
}

/* ------------------------------------------------------------ conversions */

/* Digits of value before end; gives the first. */
static char *make_digits(char *end, uint64_t value, unsigned base, int upper)
{
	int letters = (upper ? 'A' : 'a') - '9' - 1;
	while (value) {
		unsigned digit;
		if (base == 10) {
			digit = (unsigned)(value % 10);
			value /= 10;
		} else {
			unsigned shift = base == 16 ? 4 : 3;
			digit = (unsigned)value & (base - 1);
			value >>= shift;
		}
		*--end = (char)('0' + (int)digit + (digit > 9) * letters);
	}
	return end;
}

/* Sign or prefix, zeros, digits, and the padding around them. */
static void put_number(struct format_sink *sink, const struct format_spec *spec, uint64_t value,
		       const char *prefix, unsigned base)
{
	char digits[FORMAT_DIGITS], *end = digits + sizeof digits;
	char *first = make_digits(end, value, base, spec->conversion == 'X');
	int n = (int)(end - first), precision = spec->precision;
	int prefix_size = (int)BODY(strlen)(prefix);
	int zeros = (precision < 0 ? 1 : precision) - n;

	if (zeros < 0)
		zeros = 0;
	if (base == 8 && spec->alternate && zeros == 0)
		zeros = 1;
	int pad = spec->width - n - zeros - prefix_size;
	if (pad < 0)
		pad = 0;
	if (spec->zero && !spec->left && precision < 0) {
		zeros += pad;
		pad = 0;
	}
	if (!spec->left)
		sink_fill(sink, ' ', pad);
	sink_bytes(sink, prefix, (size_t)prefix_size);
	sink_fill(sink, '0', zeros);
	sink_bytes(sink, first, (size_t)n);
	if (spec->left)
		sink_fill(sink, ' ', pad);
}

static const char *sign_prefix(const struct format_spec *spec)
{
	return spec->plus ? "+" : spec->space ? " " : "";
}

static void put_signed(struct format_sink *sink, const struct format_spec *spec, uint64_t bits)
{
	int64_t value = (int64_t)bits;
	if (spec->length == LENGTH_CHAR)
		value = (signed char)bits;
	else if (spec->length == LENGTH_SHORT)
		value = (short)bits;
	else if (spec->length == LENGTH_NONE)
		value = (int)bits;
	if (value < 0)
		put_number(sink, spec, -(uint64_t)value, "-", 10);
	else
		put_number(sink, spec, (uint64_t)value, sign_prefix(spec), 10);
}

static void put_unsigned(struct format_sink *sink, const struct format_spec *spec, uint64_t value)
{
	if (spec->length == LENGTH_CHAR)
		value = (unsigned char)value;
	else if (spec->length == LENGTH_SHORT)
		value = (unsigned short)value;
	else if (spec->length == LENGTH_NONE)
		value = (unsigned)value;
	switch (spec->conversion) {
	case 'u':
		put_number(sink, spec, value, "", 10);
		break;
	case 'o':
		put_number(sink, spec, value, "", 8);
		break;
	default:
		if (spec->alternate && value)
			put_number(sink, spec, value, spec->conversion == 'X' ? "0X" : "0x", 16);
		else
			put_number(sink, spec, value, "", 16);
	}
}

static void put_string(struct format_sink *sink, const struct format_spec *spec, const char *s)
{
	size_t n;
	if (!s) {
		n = spec->precision < 0 || spec->precision >= 6 ? 6 : 0;
		s = "(null)";
	} else if (spec->precision < 0) {
		n = BODY(strlen)(s);
	} else {
		n = BODY(strnlen)(s, (size_t)spec->precision);
	}
	sink_padded(sink, spec, s, n);
}

static void put_pointer(struct format_sink *sink, struct format_spec *spec, const void *p)
{
	if (!p) {
		sink_padded(sink, spec, "(nil)", 5);
		return;
	}
	/* libc puts a sign before a pointer if it is asked to. */
	const char *prefix = spec->plus ? "+0x" : spec->space ? " 0x" : "0x";
	put_number(sink, spec, (uint64_t)p, prefix, 16);
}

/* Wide characters go through the locale's own conversion. */
static int put_wide(struct format_sink *sink, const struct format_spec *spec, const wchar_t *s)
{
	struct format_sink text = {.grow = 1};
	mbstate_t state = {0};
	char piece[MB_LEN_MAX];
	size_t limit = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;
	int result = 0;

	if (!s) {
		put_string(sink, spec, NULL);
		return 0;
	}
	while (text.count < limit && *s) {
		size_t n = wcrtomb(piece, *s++, &state);
		if (n == (size_t)-1) {
			result = EILSEQ;
			break;
		}
		if (text.count + n > limit)
			break;
		sink_bytes(&text, piece, n);
	}
	if (result == 0)
		sink_padded(sink, spec, text.count ? text.data : "", text.count);
	free(text.data);
	return result;
}

static int put_wide_char(struct format_sink *sink, const struct format_spec *spec, int c)
{
	mbstate_t state = {0};
	char piece[MB_LEN_MAX];
	size_t n = wcrtomb(piece, (wchar_t)c, &state);
	if (n == (size_t)-1)
		return EILSEQ;
	sink_padded(sink, spec, piece, n);
	return 0;
}

static void put_count(const struct format_spec *spec, void *to, size_t count)
{
	switch (spec->length) {
	case LENGTH_CHAR:
		*(signed char *)to = (signed char)count;
		break;
	case LENGTH_SHORT:
		*(short *)to = (short)count;
		break;
	case LENGTH_NONE:
		*(int *)to = (int)count;
		break;
	default:
		*(long *)to = (long)count;
	}
}

static int put_double(struct format_sink *sink, const struct format_spec *spec,
		      union format_value v)
{
	char text[16], small[400], *to = small;
	size_t size = sizeof small, n = 0;

	text[n++] = '%';
	if (spec->left)
		text[n++] = '-';
	if (spec->plus)
		text[n++] = '+';
	if (spec->space)
		text[n++] = ' ';
	if (spec->alternate)
		text[n++] = '#';
	if (spec->zero)
		text[n++] = '0';
	text[n++] = '*';
	text[n++] = '.';
	text[n++] = '*';
	if (spec->type == FORMAT_LONG_DOUBLE)
		text[n++] = 'L';
	text[n++] = spec->conversion;
	text[n] = '\0';
	for (;;) {
		int made =
		    spec->type == FORMAT_LONG_DOUBLE
			? rt_format_long_double(to, size, text, spec->width, spec->precision,
						v.long_number)
			: rt_format_double(to, size, text, spec->width, spec->precision, v.number);
		if (made >= 0 && (size_t)made >= size) {
			size = (size_t)made + 1;
			to = malloc(size);
			if (to)
				continue;
			return ENOMEM;
		}
		int result = made < 0 ? errno : 0;
		if (made >= 0)
			sink_bytes(sink, to, (size_t)made);
		if (to != small)
			free(to);
		return result;
	}
}

/* A conversion that is none: libc says what is printed. */
static int put_unknown(struct format_sink *sink, const struct format_spec *spec)
{
	char text[64], to[256];
	size_t n = (size_t)(spec->end - spec->begin);
	if (n >= sizeof text || spec->star_width || spec->star_precision)
		return EINVAL;
	BODY(memcpy)(text, spec->begin, n);
	text[n] = '\0';
	int made = rt_format_text(to, sizeof to, text);
	if (made < 0 || (size_t)made >= sizeof to)
		return EINVAL;
	sink_bytes(sink, to, (size_t)made);
	return 0;
}

/* One conversion. Returns 0 or an errno value. */
static int convert(struct format_state *f, struct format_spec *spec)
{
	struct format_sink *sink = f->sink;
	int failure = resolve_stars(f, spec);
	if (failure)
		return failure;
	union format_value v = argument(f, spec->type, spec->position);
	char c = (char)v.bits;

	switch (spec->conversion) {
	case '%':
		sink_bytes(sink, "%", 1);
		return 0;
	case 'd':
	case 'i':
		put_signed(sink, spec, v.bits);
		return 0;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		put_unsigned(sink, spec, v.bits);
		return 0;
	case 'C':
		return put_wide_char(sink, spec, (int)v.bits);
	case 'c':
		if (spec->length >= LENGTH_LONG)
			return put_wide_char(sink, spec, (int)v.bits);
		sink_padded(sink, spec, &c, 1);
		return 0;
	case 'S':
		return put_wide(sink, spec, v.pointer);
	case 's':
		if (spec->length >= LENGTH_LONG)
			return put_wide(sink, spec, v.pointer);
		put_string(sink, spec, v.pointer);
		return 0;
	case 'p':
		put_pointer(sink, spec, v.pointer);
		return 0;
	case 'n':
		put_count(spec, (void *)v.pointer, sink->count);
		return 0;
	case 'm':
		put_string(sink, spec, strerror(f->error));
		return 0;
	default:
		if (spec->type != FORMAT_NOTHING)
			return put_double(sink, spec, v);
		return put_unknown(sink, spec);
	}
}

/* ---------------------------------------------------------------- a format */

static void note_type(unsigned char *types, int position, enum format_type type, int *count)
{
	if (position <= 0 || position > FORMAT_ARGS || type == FORMAT_NOTHING)
		return;
	types[position - 1] = (unsigned char)type;
	if (*count < position)
		*count = position;
}

/* Takes all n$ arguments. Gives 0 if the format has none, 1 if it has. */
static int take_positions(struct format_state *f, const char *format, union format_value *table)
{
	unsigned char types[FORMAT_ARGS] = {0};
	struct format_spec spec;
	int count = 0;

	for (const char *s = format; *(s = BODY(strchrnul)(s, '%')); s = spec.end) {
		if (rt_format_parse(s, &spec) != 0)
			break;
		note_type(types, spec.width_position, FORMAT_INT, &count);
		note_type(types, spec.precision_position, FORMAT_INT, &count);
		note_type(types, spec.position, spec.type, &count);
	}
	for (int i = 0; i < count; i++)
		table[i] = take(f->args, types[i] ? (enum format_type)types[i] : FORMAT_INT);
	return count > 0;
}

static int run(struct format_state *f, const char *format)
{
	struct format_sink *sink = f->sink;
	struct format_spec spec;

	for (const char *s = format;;) {
		const char *next = BODY(strchrnul)(s, '%');
		sink_bytes(sink, s, (size_t)(next - s));
		if (!*next)
			return 0;
		int failure = rt_format_parse(next, &spec);
		if (failure == 0)
			failure = convert(f, &spec);
		if (failure == 0 && sink->count > INT_MAX)
			failure = EOVERFLOW;
		if (failure == 0 && sink->failed)
			failure = ENOMEM;
		if (failure != 0)
			return failure;
		s = spec.end;
	}
}

int rt_format_run(struct format_sink *sink, const char *format, va_list args)
{
	union format_value table[FORMAT_ARGS];
	va_list mine;
	va_copy(mine, args);
	struct format_state f = {.sink = sink, .args = &mine, .error = errno};

	if (BODY(strchr)(format, '$') && take_positions(&f, format, table))
		f.table = table;
	int failure = run(&f, format);
	va_end(mine);
	if (failure == 0 && sink->count > INT_MAX)
		failure = EOVERFLOW;
	if (sink_reserve(sink, 0) < 0)
		failure = ENOMEM;
	if (sink->room > 0 && !sink->failed)
		sink->data[sink->count < sink->room ? sink->count : sink->room - 1] = '\0';
	if (failure == 0)
		return (int)sink->count;
	errno = failure;
	return -1;
}
