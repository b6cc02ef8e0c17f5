/* probe_format.c: the conversions of printf and its kin, and their arguments.
 *
 * The caller's types come as letters: i an integer of 32 bits (what char and short become), l one of 64, p a pointer, d a double, L a long
 * double, ? anything else. A conversion takes the next argument, or the one it names (%2$s); what it wants is compared with the
 * letter, and a pointer with what the conversion does with it. More arguments than conversions are allowed. What a conversion reads and writes
 * AddressSanitizer looks at itself, in the functions that it knows, but for strings whose length is an argument (%.*s) and those of wide
 * characters (%ls); the rest is reported here in its name. Of a list whose types are not known (probe_list.c) only null pointers are looked for.
 *
 * C defines few combinations of flags, precision and length with a conversion: others (%#d, %05s), and numbered conversions
 * beside others or with a gap (%2$d alone, as POSIX says), are reported, and the run goes on as this libc does.
 *
 * What sprintf and its kin write must not overlap what they read. Before the call only the place is known where they begin to write, after it how
 * far they came: so the first byte from there on that belongs to a string is kept in between. A string that begins before and goes up to
 * there is looked at as far as the memory between is all of objects, since AddressSanitizer reports the rest.
 */
#include "probe_inside.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define KIND "format-argument"
#define ALONE "format-conversion" /* a conversion that C does not define, whatever its argument */

void __asan_report_load1(const void *p) __attribute__((weak));
void __asan_report_load4(const void *p) __attribute__((weak));
void __asan_report_store_n(const void *p, size_t n) __attribute__((weak));

struct conversion {
	char text[24]; /* for people: "%-5ld" */
	unsigned position; /* from 1; 0: the next */
	char parts[8];	   /* flags, '9' for a width, '.' for a precision; one of each */
	int size;	   /* 'H' for hh, 'h', 'l', 'q' for ll, 'L', or 'j', 'z', 't'; 0; '?' for others */
	char letter;
	long precision; /* -1: none, or negative */
	int starred;	/* it is an argument */
};

struct value {
	char type; /* 0: there is none; '?' */
	uint64_t number;
};

/* ---------------------------------------------------------------- arguments */

static struct value take(va_list *list, char type)
{
	struct value v = {.type = type};

	switch (type) {
	case 'i':
		v.number = (uint64_t)(int64_t)va_arg(*list, int);
		break;
	case 'l':
	case 'p':
		v.number = va_arg(*list, uint64_t);
		break;
	case 'd':
		(void)va_arg(*list, double);
		break;
	case 'L':
		(void)va_arg(*list, long double);
		break;
	}
	return v;
}

/* The argument number n, from 1. */
static struct value nth(struct arguments *a, unsigned n)
{
	struct value v = {0};
	va_list list;

	va_copy(list, a->list);
	for (unsigned i = 0; i < n; i++) {
		if (!a->types[i]) {
			v.type = 0;
			break;
		}
		v = take(&list, a->types[i]);
		if (v.type == '?') /* what is after it is not known either */
			break;
	}
	va_end(list);
	return v;
}

/* ----------------------------------------------------------------- overlaps */

static __thread struct {
	const char *to; /* NULL: nothing was read */
	uint64_t first; /* byte of it that is read */
} reading;

static void read_first(const char *to, uint64_t first)
{
	if (reading.to == to && reading.first <= first)
		return;
	reading.to = to;
	reading.first = first;
}

#define STRIDE 256

/* Does the string at s go on for n bytes, all of them in objects? */
static int goes_on(const char *s, uint64_t n)
{
	for (uint64_t k; n; s += k, n -= k) {
		k = n < STRIDE ? n : STRIDE;
		if (probe_poisoned(s, k) || memchr(s, 0, k))
			return 0;
	}
	return 1;
}

/* What is read at s, of up to `precision` bytes (-1: up to a null byte), against what will be written. */
static void note_source(struct arguments *a, const char *s, long precision)
{
	uint64_t before = (uint64_t)(a->to - s), limit = precision < 0 ? UINT64_MAX : (uint64_t)precision;

	if (!a->to || !limit || probe_poisoned(s, 1) || !*s)
		return;
	if (s >= a->to)
		read_first(a->to, (uint64_t)(s - a->to));
	else if (limit > before && goes_on(s, before))
		read_first(a->to, 0);
}

void muster_probe_printed(const char *name, const char *to, unsigned long size, int result)
{
	uint64_t written = result < 0 ? 0 : (uint64_t)result + 1;

	if (reading.to == to && to && reading.first < (written < size ? written : size))
		probe_note(__builtin_return_address(0), "format-overlap", "%s: what it writes overlaps what it reads", name);
	reading.to = NULL;
}

/* ------------------------------------------------------------- conversions */

static unsigned number(const char **p)
{
	unsigned n = 0;

	while (**p >= '0' && **p <= '9' && n < 100000)
		n = n * 10 + (unsigned)(*(*p)++ - '0');
	return n;
}

/* "12$" at p: the number, and p after it; else 0. */
static unsigned position(const char **p)
{
	const char *q = *p;
	unsigned n = number(&q);

	if (!n || *q != '$')
		return 0;
	*p = q + 1;
	return n;
}

static const char *const type_words[128] = {
    ['i'] = "a 32-bit integer", ['l'] = "a 64-bit integer", ['p'] = "a pointer", ['d'] = "a double", ['L'] = "a long double"};

/* Numbered conversions and others in one format: what they take is not defined, and not looked at from there on. */
static int is_mixed(struct arguments *a, unsigned at)
{
	int mixed = at ? a->plain : a->named != 0;

	if (at)
		a->named |= at <= NAMED_MAX ? 1ull << (at - 1) : 0;
	else
		a->plain = 1;
	if (mixed)
		probe_note(a->place, ALONE, "%s: numbered conversions beside others", a->name);
	return mixed;
}

/* The argument that a part of the conversion wants; 1 if it is there and right. */
static int fetch(struct arguments *a, unsigned *next, unsigned at, char wanted, const struct conversion *c, struct value *v)
{
	unsigned n = at ? at : ++*next;

	if (is_mixed(a, at))
		return 0;
	if (!a->types) { /* in order, as libc takes them */
		*v = at ? (struct value){'?', 0} : take(&a->list, wanted);
		return v->type == wanted;
	}
	*v = nth(a, n);
	if (!v->type)
		probe_report(KIND, "%s: no argument for %s", a->name, c->text);
	else if (v->type != '?' && v->type != wanted)
		probe_report(KIND, "%s: %s wants %s, its argument is %s", a->name, c->text, type_words[(int)wanted],
			     type_words[(int)v->type]);
	return v->type == wanted;
}

static long width_or_precision(struct arguments *a, unsigned *next, const char **p, const struct conversion *c)
{
	struct value v = {0};

	if (**p != '*')
		return (long)number(p);
	++*p;
	unsigned at = position(p);
	return fetch(a, next, at, 'i', c, &v) ? (long)(int)v.number : -1;
}

static int size_of(const char **p)
{
	int s = 0;

	for (; **p && strchr("hlqLjztZ", **p); ++*p)
		s = **p == 'h' && s == 'h' ? 'H' : **p == 'l' && s == 'l' ? 'q' : s ? '?' : **p == 'Z' ? 'z' : **p;
	return s;
}

static void add_part(struct conversion *c, char part)
{
	size_t n = strlen(c->parts);

	if (!strchr(c->parts, part) && n + 1 < sizeof c->parts)
		c->parts[n] = part;
}

#define INTEGER "diouxXbB"
#define FLOAT "aAeEfFgG"

/* C says with which conversions a part means something; with all others it is undefined. POSIX adds ', this libc # and . of %m, and L of
 * integers. Parts that are not here mean something, or nothing, everywhere. */
static int is_defined(const struct conversion *c)
{
	static const struct {
		char part;
		const char *with;
	} parts[] = {{'#', "oxXbBm" FLOAT}, {'0', INTEGER FLOAT}, {'\'', "diufFgG"}, {'.', INTEGER FLOAT "sSm"}},
	  sizes[] = {{'H', INTEGER "n"}, {'h', INTEGER "n"}, {'l', INTEGER FLOAT "ncs"}, {'q', INTEGER "n"},
		     {'j', INTEGER "n"}, {'z', INTEGER "n"}, {'t', INTEGER "n"},	 {'L', INTEGER FLOAT "n"}};

	if (strchr("%n", c->letter) && (*c->parts || (c->letter == '%' && (c->size || c->position))))
		return 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strchr(c->parts, parts[i].part) && !strchr(parts[i].with, c->letter))
			return 0;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (c->size == sizes[i].part && !strchr(sizes[i].with, c->letter))
			return 0;
	return 1;
}

/* What the conversion wants: a letter of types, 0 nothing, -1 there is no such conversion. */
static int wanted_by(const struct conversion *c)
{
	if (c->size == '?')
		return -1;
	if (strchr(INTEGER, c->letter))
		return c->size && c->size != 'h' && c->size != 'H' ? 'l' : 'i';
	if (strchr(FLOAT, c->letter))
		return c->size == 'L' ? 'L' : 'd';
	if (strchr("spnS", c->letter))
		return 'p';
	if (strchr("cC", c->letter))
		return 'i';
	return c->letter == 'm' || c->letter == '%' ? 0 : -1;
}

static unsigned long counted_bytes(int size)
{
	return size == 'H' ? 1 : size == 'h' ? 2 : size ? 8 : 4;
}

/* As libc reads it: to its end, to a character that the locale does not have, or until the precision's bytes are full. */
static void check_wide(const struct conversion *c, const wchar_t *s)
{
	mbstate_t state = {0};
	char piece[MB_LEN_MAX];

	for (uint64_t bytes = 0; c->precision < 0 || bytes < (uint64_t)c->precision; s++) {
		if (probe_poisoned(s, sizeof *s)) {
			if (__asan_report_load4)
				__asan_report_load4(s);
			return;
		}
		size_t n = *s ? wcrtomb(piece, *s, &state) : (size_t)-1;
		if (n == (size_t)-1)
			return;
		bytes += n;
	}
}

static void check_string(struct arguments *a, const struct conversion *c, const char *s)
{
	uint64_t n = 0;

	if (!s)
		probe_report(KIND, "%s: a null pointer for %s", a->name, c->text);
	else
		note_source(a, s, c->precision);
	if (s && (c->size == 'l' || c->letter == 'S'))
		check_wide(c, (const wchar_t *)s);
	if (!s || (a->flags & PROBE_WATCHED && !c->starred) || c->size || c->letter == 'S')
		return;
	for (; c->precision < 0 || n < (uint64_t)c->precision; n++) {
		if (probe_poisoned(s + n, 1)) {
			if (__asan_report_load1)
				__asan_report_load1(s + n);
			return;
		}
		if (!s[n])
			return;
	}
}

static void check_pointer(struct arguments *a, const struct conversion *c, uint64_t pointer)
{
	unsigned long bytes = counted_bytes(c->size);

	if (strchr("sS", c->letter)) {
		check_string(a, c, (const char *)pointer);
	} else if (c->letter == 'n') {
		if (!pointer)
			probe_report(KIND, "%s: a null pointer for %s", a->name, c->text);
		else if (!(a->flags & PROBE_WATCHED) && probe_poisoned((const void *)pointer, bytes) && __asan_report_store_n)
			__asan_report_store_n((const void *)pointer, bytes);
	}
}

static void name_conversion(struct conversion *c, const char *p)
{
	size_t n = 1 + strspn(p + 1, "-+ #0'I123456789$*.hlqLjztZ");

	n += p[n] != 0;
	if (n >= sizeof c->text)
		n = sizeof c->text - 1;
	memcpy(c->text, p, n);
	c->text[n] = 0;
}

/* One conversion, from its %; the place after it, or NULL if the rest cannot be read. */
static const char *check_conversion(struct arguments *a, const char *p, unsigned *next)
{
	struct conversion c = {.precision = -1};
	struct value v;

	name_conversion(&c, p++);
	c.position = position(&p);
	while (*p && strchr("-+ #0'I", *p))
		add_part(&c, *p++);
	if (*p == '*' || (*p >= '1' && *p <= '9'))
		add_part(&c, '9');
	width_or_precision(a, next, &p, &c);
	if (*p == '.') {
		add_part(&c, '.');
		c.starred = *++p == '*';
		c.precision = width_or_precision(a, next, &p, &c);
	}
	c.size = size_of(&p);
	c.letter = *p;
	int wanted = c.letter ? wanted_by(&c) : -1;
	if (wanted < 0) {
		probe_report(KIND, "%s: there is no conversion %s", a->name, c.text);
		return NULL;
	}
	if (!is_defined(&c))
		probe_note(a->place, ALONE, "%s: C does not define the conversion %s", a->name, c.text);
	if (wanted && fetch(a, next, c.position, (char)wanted, &c, &v) && wanted == 'p')
		check_pointer(a, &c, v.number);
	return p + 1;
}

void probe_check_format(struct arguments *a, const char *format)
{
	unsigned next = 0;

	reading.to = NULL;
	if (!format) {
		if (!(a->flags & PROBE_NO_FORMAT))
			probe_report(KIND, "%s: a null pointer for the format", a->name);
		return;
	}
	note_source(a, format, -1);
	while (format && (format = strchr(format, '%')))
		format = check_conversion(a, format, &next);
	if (a->named & (a->named + 1) && !a->plain)
		probe_note(a->place, ALONE, "%s: no conversion for an argument before the last that one is numbered for", a->name);
}

void muster_probe_format(const char *name, int flags, const char *to, const char *format, const char *types, ...)
{
	struct arguments a = {.name = name, .flags = flags, .to = to, .types = types, .place = __builtin_return_address(0)};

	va_start(a.list, types);
	probe_check_format(&a, format);
	va_end(a.list);
}
