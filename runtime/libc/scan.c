/* scan.c: the scanf engine over a string or a stream.
 *
 * The format is walked once. White space in it is remembered and skipped in the
 * input when the next directive needs a character. Every conversion reads up to
 * one character too many and gives it back. Results follow glibc where the
 * standard leaves room: "0x" before a digit that is none is taken whole, EOF comes
 * back only before the first assignment.
 */
#include "scan.h"

#include <errno.h>
#include <stdlib.h>
#include <wchar.h>

enum outcome {
	MATCHED,
	MISMATCH,
	INPUT_END,
};

struct directive {
	unsigned suppress : 1, allocate : 1, wide : 1;
	int size;     /* of the integer or floating type, in bytes */
	int width;    /* -1: none */
	int position; /* n$, or 0 */
	char conversion;
	const char *end;
};

struct scan {
	struct scan_input *in;
	va_list *args;
	va_list *first; /* untouched, for n$ */
	int gnu;
	int done;
	int skip_space; /* the format had white space before what comes */
};

/* ------------------------------------------------------------------ input */

int rt_scan_get(struct scan_input *in)
{
	if (in->last == EOF)
		return EOF;
	if (in->stream)
		in->last = BODY(fgetc)(in->stream);
	else
		in->last = *in->text ? (unsigned char)*in->text++ : EOF;
	if (in->last != EOF)
		in->count++;
	return in->last;
}

void rt_scan_unget(struct scan_input *in)
{
	if (in->last == EOF)
		return;
	in->count--;
	if (in->stream)
		BODY(ungetc)(in->last, in->stream);
	else
		in->text--;
}

/* Stops after the white space; the character that ended it is given back. */
static void skip_space(struct scan_input *in)
{
	while (body_space(rt_scan_get(in)))
		;
	rt_scan_unget(in);
}

/* ------------------------------------------------------------------- text */

void rt_scan_text_init(struct scan_text *t)
{
	t->data = t->small;
	t->size = 0;
	t->room = sizeof t->small;
	t->failed = 0;
}

void rt_scan_text_add(struct scan_text *t, int c)
{
	if (t->size == t->room) {
		char *larger = malloc(2 * t->room);
		if (!larger) {
			t->failed = 1;
			return;
		}
		BODY(memcpy)(larger, t->data, t->size);
		rt_scan_text_release(t);
		t->data = larger;
		t->room *= 2;
	}
	t->data[t->size++] = (char)c;
}

void rt_scan_text_release(struct scan_text *t)
{
	if (t->data != t->small)
		free(t->data);
}

/* ----------------------------------------------------------------- format */

static int parse_width(const char **s)
{
	int n = 0;
	for (; body_digit((unsigned char)**s); ++*s)
		n = n > (INT_MAX - 9) / 10 ? INT_MAX : n * 10 + (**s - '0');
	return n;
}

static void parse_modifiers(const char **s, struct directive *d, int gnu)
{
	for (;; ++*s) {
		switch (**s) {
		case 'h':
			d->size = d->size == 2 ? 1 : 2;
			break;
		case 'l':
			d->wide = 1;
			d->size = d->size == 8 ? 16 : 8;
			break;
		case 'q':
		case 'L':
			d->size = 16;
			break;
		case 'z':
		case 'Z':
		case 'j':
		case 't':
			d->size = 8;
			break;
		case 'm':
			d->allocate = 1;
			break;
		case 'a':
			if (!gnu || ((*s)[1] != 's' && (*s)[1] != 'S' && (*s)[1] != '['))
				return;
			d->allocate = 1;
			break;
		default:
			return;
		}
	}
}

static void parse_directive(const char *s, struct directive *d, int gnu)
{
	*d = (struct directive){.size = 4, .width = -1};
	const char *p = s;
	if (body_digit((unsigned char)*p)) {
		int n = parse_width(&p);
		if (*p == '$') {
			d->position = n;
			s = p + 1;
		}
	}
	for (; *s == '*' || *s == '\'' || *s == 'I'; s++)
		if (*s == '*')
			d->suppress = 1;
	if (body_digit((unsigned char)*s)) {
		d->width = parse_width(&s);
		if (d->width == 0)
			d->width = -1;
	}
	parse_modifiers(&s, d, gnu);
	d->conversion = *s;
	d->end = *s ? s + 1 : s;
}

static void *argument(struct scan *scan, const struct directive *d)
{
	if (d->position == 0)
		return va_arg(*scan->args, void *);
	va_list copy;
	va_copy(copy, *scan->first);
	void *p = NULL;
	for (int i = 0; i < d->position; i++)
		p = va_arg(copy, void *);
	va_end(copy);
	return p;
}

/* ----------------------------------------------------- strings and their like
 * Where the characters go: nowhere, to the caller's array, or to memory that
 * grows with them. Wide ones go through the locale. */

struct target {
	int suppress, allocate, wide;
	char *data;
	void **result; /* where to put data, if it was allocated */
	size_t used, room;
	mbstate_t state;
};

static enum outcome target_open(struct target *t, struct scan *scan, const struct directive *d)
{
	*t = (struct target){.suppress = d->suppress, .allocate = d->allocate, .wide = d->wide};
	if (d->suppress)
		return MATCHED;
	t->data = argument(scan, d);
	if (!t->data)
		return MISMATCH;
	if (d->allocate) {
		t->result = (void **)t->data;
		t->room = 100 * sizeof(wchar_t);
		t->data = malloc(t->room);
		*t->result = t->data;
		if (!t->data)
			return INPUT_END;
	}
	return MATCHED;
}

static int target_bytes(struct target *t, const void *p, size_t n)
{
	if (t->suppress)
		return 0;
	if (t->allocate && t->used + n > t->room) {
		char *larger = realloc(t->data, 2 * t->room);
		if (!larger)
			return -1;
		*t->result = t->data = larger;
		t->room *= 2;
	}
	BODY(memcpy)(t->data + t->used, p, n);
	t->used += n;
	return 0;
}

static int target_put(struct target *t, int c)
{
	char byte = (char)c;
	if (!t->wide)
		return target_bytes(t, &byte, 1);
	wchar_t wide;
	size_t n = mbrtowc(&wide, &byte, 1, &t->state);
	if (n == (size_t)-2)
		return 0;
	if (n == (size_t)-1) {
		errno = EILSEQ;
		return -1;
	}
	return target_bytes(t, &wide, sizeof wide);
}

/* Ends a string, or frees what was allocated for one that is none. */
static enum outcome target_close(struct target *t, enum outcome outcome, int terminate)
{
	if (t->suppress)
		return outcome;
	if (outcome != MATCHED) {
		if (t->allocate && t->result) {
			free(t->data);
			*t->result = NULL;
		}
		return outcome;
	}
	wchar_t end = 0;
	if (terminate && target_bytes(t, &end, t->wide ? sizeof end : 1) < 0)
		return target_close(t, INPUT_END, 0);
	if (t->allocate && t->used < t->room) {
		char *fitting = realloc(t->data, t->used);
		if (fitting)
			*t->result = fitting;
	}
	return MATCHED;
}

static enum outcome scan_chars(struct scan *scan, const struct directive *d)
{
	struct target t;
	int width = d->width < 0 ? 1 : d->width;
	enum outcome outcome = target_open(&t, scan, d);
	if (outcome != MATCHED)
		return outcome;
	if (rt_scan_get(scan->in) == EOF)
		return target_close(&t, INPUT_END, 0);
	do {
		if (target_put(&t, scan->in->last) < 0)
			return target_close(&t, INPUT_END, 0);
	} while (--width > 0 && rt_scan_get(scan->in) != EOF);
	return target_close(&t, MATCHED, 0);
}

static enum outcome scan_word(struct scan *scan, const struct directive *d)
{
	struct target t;
	int width = d->width < 0 ? INT_MAX : d->width;
	enum outcome outcome = target_open(&t, scan, d);
	if (outcome != MATCHED)
		return outcome;
	if (rt_scan_get(scan->in) == EOF)
		return target_close(&t, INPUT_END, 0);
	do {
		if (body_space(scan->in->last)) {
			rt_scan_unget(scan->in);
			break;
		}
		if (target_put(&t, scan->in->last) < 0)
			return target_close(&t, INPUT_END, 0);
	} while (--width > 0 && rt_scan_get(scan->in) != EOF);
	return target_close(&t, MATCHED, 1);
}

/* The set of a `%[`, as ranges: a test of them all is one expression, so each
 * character of the input is one decision. */
struct set {
	int inverted, count;
	struct {
		unsigned char low, high;
	} range[128];
};

static void set_from_flags(struct set *set, const unsigned char *member)
{
	set->count = 0;
	for (int i = 0; i < 256; i++) {
		if (!member[i])
			continue;
		if (i == 0 || !member[i - 1])
			set->range[set->count++].low = (unsigned char)i;
		set->range[set->count - 1].high = (unsigned char)i;
	}
}

/* Reads the set after `%[`. Gives the format past `]`, or NULL. */
static const char *parse_set(const char *s, struct set *set)
{
	unsigned char member[256];
	BODY(memset)(member, 0, sizeof member);
	set->inverted = *s == '^';
	s += set->inverted;
	if (*s == ']' || *s == '-')
		member[(unsigned char)*s++] = 1;
	for (; *s && *s != ']'; s++) {
		unsigned char c = (unsigned char)*s, low = (unsigned char)s[-1],
			      high = (unsigned char)s[1];
		if (c == '-' && high && high != ']' && low <= high)
			for (unsigned i = low; i < high; i++)
				member[i] = 1;
		else
			member[c] = 1;
	}
	set_from_flags(set, member);
	return *s ? s + 1 : NULL;
}

static int in_set(const struct set *set, int c)
{
	int found = set->inverted;
	for (int i = 0; i < set->count; i++)
		found ^= body_between(c, set->range[i].low, set->range[i].high);
	return found;
}

static enum outcome scan_set(struct scan *scan, struct directive *d)
{
	struct set set;
	struct target t;
	int width = d->width < 0 ? INT_MAX : d->width;
	size_t before = scan->in->count;
	enum outcome outcome = target_open(&t, scan, d);
	if (outcome != MATCHED)
		return outcome;
	d->end = parse_set(d->end, &set);
	if (!d->end)
		return target_close(&t, MISMATCH, 0);
	if (rt_scan_get(scan->in) == EOF)
		return target_close(&t, INPUT_END, 0);
	do {
		if (!in_set(&set, scan->in->last)) {
			rt_scan_unget(scan->in);
			break;
		}
		if (target_put(&t, scan->in->last) < 0)
			return target_close(&t, INPUT_END, 0);
	} while (--width > 0 && rt_scan_get(scan->in) != EOF);
	return target_close(&t, scan->in->count == before ? MISMATCH : MATCHED, 1);
}

/* ---------------------------------------------------------------- numbers */

/* The rest of "(nil)" after its first character. */
static int scan_nil(struct scan_input *in)
{
	for (const char *s = "nil"; *s; s++)
		if (body_tolower(rt_scan_get(in)) != *s)
			return 0;
	return rt_scan_get(in) == ')';
}

/* Collects the characters of an integer and decides its base. */
static enum outcome scan_digits(struct scan_input *in, const struct directive *d, int *base,
				struct scan_text *text)
{
	int width = d->width;
	if (rt_scan_get(in) == EOF)
		return INPUT_END;
	if (in->last == '-' || in->last == '+') {
		rt_scan_text_add(text, in->last);
		width -= width > 0;
		rt_scan_get(in);
	}
	if (width != 0 && in->last == '0') {
		width -= width > 0;
		rt_scan_text_add(text, '0');
		rt_scan_get(in);
		if (width != 0 && body_tolower(in->last) == 'x') {
			if (*base == 0)
				*base = 16;
			if (*base == 16) {
				width -= width > 0;
				rt_scan_get(in);
			}
		} else if (*base == 0) {
			*base = 8;
		}
	}
	if (*base == 0)
		*base = 10;
	while (in->last != EOF && width != 0 && body_digit_value(in->last) < (unsigned)*base) {
		rt_scan_text_add(text, in->last);
		width -= width > 0;
		rt_scan_get(in);
	}
	int sign_only = text->size == 1 && (text->data[0] == '+' || text->data[0] == '-');
	if (text->size > 0 && !sign_only) {
		rt_scan_unget(in);
		return MATCHED;
	}
	if (text->size == 0 && d->conversion == 'p' && (width < 0 || width >= 5) &&
	    in->last == '(' && scan_nil(in)) {
		rt_scan_text_add(text, '0');
		return MATCHED;
	}
	rt_scan_unget(in);
	return MISMATCH;
}

static void store_integer(void *to, int size, unsigned long value)
{
	switch (size) {
	case 1:
		*(unsigned char *)to = (unsigned char)value;
		break;
	case 2:
		*(unsigned short *)to = (unsigned short)value;
		break;
	case 4:
		*(unsigned *)to = (unsigned)value;
		break;
	default:
		*(unsigned long *)to = value;
	}
}

static enum outcome scan_integer(struct scan *scan, const struct directive *d)
{
	int is_signed = d->conversion == 'd' || d->conversion == 'i';
	int base = d->conversion == 'i' ? 0 : d->conversion == 'o' ? 8 : 10;
	int size = d->conversion == 'p' ? 8 : d->size;
	struct scan_text text;

	if (d->conversion == 'x' || d->conversion == 'X' || d->conversion == 'p')
		base = 16;
	rt_scan_text_init(&text);
	enum outcome outcome = scan_digits(scan->in, d, &base, &text);
	if (outcome == MATCHED) {
		rt_scan_text_add(&text, 0);
		unsigned long value = is_signed ? (unsigned long)BODY(strtol)(text.data, NULL, base)
						: BODY(strtoul)(text.data, NULL, base);
		if (!d->suppress)
			store_integer(argument(scan, d), size, value);
	}
	if (text.failed)
		outcome = INPUT_END;
	rt_scan_text_release(&text);
	return outcome;
}

static enum outcome scan_floating(struct scan *scan, const struct directive *d)
{
	struct scan_text text;
	long double value;
	rt_scan_text_init(&text);
	int result = rt_scan_float_text(scan->in, d->width, &text);
	enum outcome outcome = result == EOF ? INPUT_END : result ? MISMATCH : MATCHED;
	if (outcome == MATCHED) {
		rt_scan_text_add(&text, 0);
		void *to = d->suppress ? &value : argument(scan, d);
		if (rt_scan_double(text.data, d->size, to) == 0)
			outcome = MISMATCH;
	}
	rt_scan_text_release(&text);
	return outcome;
}

/* ---------------------------------------------------------------- the run */

static enum outcome scan_literal(struct scan *scan, char c)
{
	struct scan_input *in = scan->in;
	if (rt_scan_get(in) == EOF)
		return INPUT_END;
	if (scan->skip_space) {
		while (body_space(in->last))
			if (rt_scan_get(in) == EOF)
				return INPUT_END;
		scan->skip_space = 0;
	}
	if (in->last == (unsigned char)c)
		return MATCHED;
	rt_scan_unget(in);
	return MISMATCH;
}

/* One conversion; *assigned says whether it counts. */
static enum outcome convert(struct scan *scan, struct directive *d, int *assigned)
{
	char c = d->conversion;
	if (scan->skip_space || (c != '[' && c != 'c' && c != 'C' && c != 'n')) {
		skip_space(scan->in);
		scan->skip_space = 0;
	}
	*assigned = !d->suppress;
	switch (c) {
	case '%':
		*assigned = 0;
		return scan_literal(scan, '%');
	case 'n':
		*assigned = 0;
		if (!d->suppress)
			store_integer(argument(scan, d), d->size, scan->in->count);
		return MATCHED;
	case 'C':
		d->wide = 1;
		return scan_chars(scan, d);
	case 'c':
		return scan_chars(scan, d);
	case 'S':
		d->wide = 1;
		return scan_word(scan, d);
	case 's':
		return scan_word(scan, d);
	case '[':
		return scan_set(scan, d);
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'p':
		return scan_integer(scan, d);
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return scan_floating(scan, d);
	default:
		return MISMATCH;
	}
}

static enum outcome run(struct scan *scan, const char *s)
{
	enum outcome outcome = MATCHED;
	while (outcome == MATCHED && *s) {
		if (*s != '%') {
			if (body_space((unsigned char)*s))
				scan->skip_space = 1;
			else
				outcome = scan_literal(scan, *s);
			s++;
			continue;
		}
		struct directive d;
		int assigned = 0;
		parse_directive(s + 1, &d, scan->gnu);
		outcome = convert(scan, &d, &assigned);
		if (outcome == MATCHED)
			scan->done += assigned;
		s = d.end;
	}
	if (outcome == MATCHED && scan->skip_space)
		skip_space(scan->in);
	return outcome;
}

int rt_scan_run(struct scan_input *in, const char *format, va_list args, int gnu)
{
	va_list mine, first;
	va_copy(mine, args);
	va_copy(first, args);
	struct scan scan = {.in = in, .args = &mine, .first = &first, .gnu = gnu};
	enum outcome outcome = run(&scan, format);
	va_end(first);
	va_end(mine);
	return outcome == INPUT_END && scan.done == 0 ? EOF : scan.done;
}
