/* probe_format.c: the arguments of printf and its kin, against their conversions.
 *
 * The caller's types come as letters: i an integer of 32 bits (what char and short become), l one of 64, p a pointer, d a double, L a long
 * double, ? anything else. A conversion takes the next argument, or the one it names (%2$s); what it wants is compared with the
 * letter, and a pointer with what the conversion does with it. More arguments than conversions are allowed. What a conversion reads and writes
 * AddressSanitizer looks at itself, in the functions that it knows, but for strings whose length is an argument (%.*s) and those of wide
 * characters (%ls); the rest is reported here in its name.
 *
 * Lists (vprintf) have no types of their own. The types of a call with variable arguments go with it: the caller says
 * them before, the function takes them where it begins, and the list that it starts is known by its save area.
 * How many were taken from the list since follows from its offsets, which only grow. Where the caller said nothing
 * (it was not compiled with probes) only null pointers are looked for.
 */
#include "probe_inside.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define KIND "format-argument"

void __asan_report_load1(const void *p) __attribute__((weak));
void __asan_report_load4(const void *p) __attribute__((weak));
void __asan_report_store_n(const void *p, size_t n) __attribute__((weak));

struct arguments {
	const char *name;
	int flags;
	const char *types; /* NULL: not known */
	va_list list;
};

struct conversion {
	char text[24]; /* for people: "%-5ld" */
	unsigned position; /* from 1; 0: the next */
	int size;	   /* 'H' for hh, 'h', 'l', 'q' for ll, 'L', or 'j', 'z', 't'; 0 */
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
		if (v.type == '?') /* what is behind it is not known either */
			break;
	}
	va_end(list);
	return v;
}

/* ------------------------------------------------------------- conversions */

static unsigned number(const char **p)
{
	unsigned n = 0;

	while (**p >= '0' && **p <= '9' && n < 100000)
		n = n * 10 + (unsigned)(*(*p)++ - '0');
	return n;
}

/* "12$" at p: the number, and p behind it; else 0. */
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

/* The argument that a part of the conversion wants; 1 if it is there and right. */
static int fetch(struct arguments *a, unsigned *next, unsigned at, char wanted, const struct conversion *c, struct value *v)
{
	unsigned n = at ? at : ++*next;

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
		s = **p == 'h' && s == 'h' ? 'H' : **p == 'l' && s == 'l' ? 'q' : **p == 'Z' ? 'z' : **p;
	return s;
}

/* What the conversion wants: a letter of types, 0 nothing, -1 there is no such conversion. */
static int wanted_by(const struct conversion *c)
{
	if (strchr("diouxXbB", c->letter))
		return c->size && c->size != 'h' && c->size != 'H' ? 'l' : 'i';
	if (strchr("aAeEfFgG", c->letter))
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

static void check_string(const struct arguments *a, const struct conversion *c, const char *s)
{
	uint64_t n = 0;

	if (!s)
		probe_report(KIND, "%s: a null pointer for %s", a->name, c->text);
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

static void check_pointer(const struct arguments *a, const struct conversion *c, uint64_t pointer)
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

/* One conversion, from its %; the place behind it, or NULL if the rest cannot be read. */
static const char *check_conversion(struct arguments *a, const char *p, unsigned *next)
{
	struct conversion c = {.precision = -1};
	struct value v;

	name_conversion(&c, p++);
	c.position = position(&p);
	p += strspn(p, "-+ #0'I");
	width_or_precision(a, next, &p, &c);
	if (*p == '.') {
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
	if (wanted && fetch(a, next, c.position, (char)wanted, &c, &v) && wanted == 'p')
		check_pointer(a, &c, v.number);
	return p + 1;
}

static void check(struct arguments *a, const char *format)
{
	unsigned next = 0;

	if (!format) {
		if (!(a->flags & PROBE_NO_FORMAT))
			probe_report(KIND, "%s: a null pointer for the format", a->name);
		return;
	}
	while (format && (format = strchr(format, '%')))
		format = check_conversion(a, format, &next);
}

void muster_probe_format(const char *name, int flags, const char *format, const char *types, ...)
{
	struct arguments a = {.name = name, .flags = flags, .types = types};

	va_start(a.list, types);
	check(&a, format);
	va_end(a.list);
}

/* ------------------------------------------------------------------- lists */

struct list { /* as the ABI of x86-64 has it */
	uint32_t integers, floats;
	char *more, *saved;
};

#define INTEGERS_END 48u
#define FLOATS_END 176u
#define LISTS 64

static __thread struct {
	const void *function;
	const char *types;
} called;

/* Lists that were started, by save area: the newest of each. */
static __thread struct started {
	struct list first;
	const char *types;
} lists[LISTS];
static __thread unsigned started_last;

void muster_probe_call(const void *function, const char *types)
{
	called.function = function;
	called.types = types;
}

const char *muster_probe_enter(const void *function)
{
	const char *types = called.function == function ? called.types : NULL;

	called.function = NULL;
	return types;
}

static struct started *find_list(const struct list *l)
{
	for (unsigned i = 0; i < LISTS; i++)
		if (lists[i].types && lists[i].first.saved == l->saved)
			return &lists[i];
	return NULL;
}

void muster_probe_list(va_list list, const char *types)
{
	struct started *s = find_list((const struct list *)list);

	if (!s)
		s = &lists[started_last++ % LISTS];
	memcpy(&s->first, list, sizeof s->first);
	s->types = types;
}

static void advance(struct list *l, char type)
{
	if (type == 'L') {
		l->more = (char *)(((uintptr_t)l->more + 15) & ~(uintptr_t)15) + 16;
	} else if (type == 'd' && l->floats < FLOATS_END) {
		l->floats += 16;
	} else if (type != 'd' && l->integers < INTEGERS_END) {
		l->integers += 8;
	} else {
		l->more += 8;
	}
}

/* The types of what is left in a list, or NULL. */
static const char *types_left(const struct list *now)
{
	const struct started *s = find_list(now);

	if (!s)
		return NULL;
	struct list at = s->first;
	for (const char *t = s->types;; t++) {
		if (at.integers == now->integers && at.floats == now->floats && at.more == now->more)
			return t;
		if (!*t || *t == '?')
			return NULL;
		advance(&at, *t);
	}
}

void muster_probe_format_list(const char *name, int flags, const char *format, va_list list)
{
	struct arguments a = {.name = name, .flags = flags};

	a.types = types_left((const struct list *)list);
	va_copy(a.list, list);
	check(&a, format);
	va_end(a.list);
}
