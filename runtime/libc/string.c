/* string.c: length, comparison and search in strings, byte by byte.
 *
 * Each loop decides about one byte a step: that byte is the terminator, the one
 * looked for, or different from its partner. Nothing is read past the byte that
 * ends the loop.
 */
#include "libc.h"

#include <locale.h>
#include <string.h>

typedef unsigned char byte;

size_t BODY(strlen)(const char *s)
{
	size_t i = rt_skip_string(s, 0, SIZE_MAX);
	while (s[i])
		i++;
	return i;
}

size_t BODY(strnlen)(const char *s, size_t n)
{
	size_t i = rt_skip_string(s, 0, n);
	while (i < n && s[i])
		i++;
	return i;
}

int BODY(strcmp)(const char *a, const char *b)
{
	size_t i = rt_skip_equal_string(a, b, SIZE_MAX);
	while (a[i] && a[i] == b[i])
		i++;
	return (byte)a[i] - (byte)b[i];
}

#ifndef MUSTER_NATIVE_BODIES
int REAL(strcoll)(const char *a, const char *b);
#endif

/* In the C locale the collating order is that of the bytes. */
int BODY(strcoll)(const char *a, const char *b)
{
	const char *locale = setlocale(LC_COLLATE, NULL);
	if (locale && locale[0] == 'C' && !locale[1])
		return BODY(strcmp)(a, b);
	return REAL(strcoll)(a, b);
}

int BODY(strncmp)(const char *a, const char *b, size_t n)
{
	size_t i = rt_skip_equal_string(a, b, n);
	while (i < n && a[i] && a[i] == b[i])
		i++;
	return i < n ? (byte)a[i] - (byte)b[i] : 0;
}

int BODY(strcasecmp)(const char *a, const char *b)
{
	size_t i = rt_skip_equal_string(a, b, SIZE_MAX);
	for (;; i++) {
		int x = body_tolower((byte)a[i]), y = body_tolower((byte)b[i]);
		if (x != y || !x)
			return x - y;
	}
}

int BODY(strncasecmp)(const char *a, const char *b, size_t n)
{
	for (size_t i = rt_skip_equal_string(a, b, n); i < n; i++) {
		int x = body_tolower((byte)a[i]), y = body_tolower((byte)b[i]);
		if (x != y || !x)
			return x - y;
	}
	return 0;
}

char *BODY(strchrnul)(const char *s, int c)
{
	size_t i = rt_skip_string(s, c, SIZE_MAX);
	while (s[i] && s[i] != (char)c)
		i++;
	return (char *)s + i;
}

char *BODY(strchr)(const char *s, int c)
{
	for (size_t i = rt_skip_string(s, c, SIZE_MAX);; i++) {
		if (s[i] == (char)c)
			return (char *)s + i;
		if (!s[i])
			return NULL;
	}
}

char *BODY(index)(const char *s, int c)
{
	return BODY(strchr)(s, c);
}

char *BODY(strrchr)(const char *s, int c)
{
	const char *last = NULL;
	for (size_t i = rt_skip_string(s, c, SIZE_MAX);; i++) {
		if (s[i] == (char)c)
			last = s + i;
		if (!s[i])
			return (char *)last;
	}
}

char *BODY(rindex)(const char *s, int c)
{
	return BODY(strrchr)(s, c);
}

/* GNU's, of string.h: what follows the last slash. */
char *BODY(basename)(const char *path)
{
	char *slash = BODY(strrchr)(path, '/');
	return slash ? slash + 1 : (char *)path;
}

/* Where version numbers differ within digits, the longer run of digits is the larger number; a run
 * that begins with zeros is a fraction, and comes before: 000 < 00 < 01 < 010 < 09 < 0 < 1 < 9
 * < 10. */
int BODY(strverscmp)(const char *a, const char *b)
{
	size_t i = 0, start = 0; /* of the digits that both have before the difference */
	for (; a[i] == b[i]; i++) {
		if (!a[i])
			return 0;
		if (!body_digit((byte)a[i]))
			start = i + 1;
	}
	int x = (byte)a[i], y = (byte)b[i], difference = x - y;
	int fraction = 0, zeros = 1;
	for (size_t k = start; k < i; k++)
		zeros = zeros && a[k] == '0';
	if (i > start)
		fraction = a[start] == '0';
	if (!body_digit(x) && !body_digit(y))
		return difference;
	if (i == start) { /* the first digit differs: a zero begins a fraction */
		if (!body_digit(x) || !body_digit(y))
			return difference;
		if (x == '0')
			return -1;
		if (y == '0')
			return 1;
	} else if (fraction) {
		if (zeros && !(body_digit(x) && body_digit(y))) /* more zeros come first */
			return body_digit(x) ? -1 : 1;
		return difference;
	}
	size_t m = i, n = i;
	while (body_digit((byte)a[m]))
		m++;
	while (body_digit((byte)b[n]))
		n++;
	return m != n ? (m > n ? 1 : -1) : difference;
}

char *BODY(strstr)(const char *hay, const char *needle)
{
	if (!*needle)
		return (char *)hay;
	for (;; hay++) {
		hay += rt_skip_string(hay, *needle, SIZE_MAX);
		size_t i = 0;
		while (needle[i] && hay[i] == needle[i])
			i++;
		if (!needle[i])
			return (char *)hay;
		if (!*hay)
			return NULL;
	}
}

char *BODY(strcasestr)(const char *hay, const char *needle)
{
	for (;; hay++) {
		size_t i = 0;
		while (needle[i] && body_tolower((byte)hay[i]) == body_tolower((byte)needle[i]))
			i++;
		if (!needle[i])
			return (char *)hay;
		if (!*hay)
			return NULL;
	}
}

static int is_member(char c, const char *set)
{
	for (; *set; set++)
		if (*set == c)
			return 1;
	return 0;
}

size_t BODY(strspn)(const char *s, const char *accept)
{
	size_t i = 0;
	while (s[i] && is_member(s[i], accept))
		i++;
	return i;
}

size_t BODY(strcspn)(const char *s, const char *reject)
{
	size_t i = 0;
	if (reject[0] && !reject[1])
		i = rt_skip_string(s, reject[0], SIZE_MAX);
	while (s[i] && !is_member(s[i], reject))
		i++;
	return i;
}

char *BODY(strpbrk)(const char *s, const char *accept)
{
	s += BODY(strcspn)(s, accept);
	return *s ? (char *)s : NULL;
}

char *BODY(strtok_r)(char *s, const char *separators, char **rest)
{
	if (!s)
		s = *rest;
	s += BODY(strspn)(s, separators);
	if (!*s) {
		*rest = s;
		return NULL;
	}
	char *end = s + BODY(strcspn)(s, separators);
	if (*end)
		*end++ = '\0';
	*rest = end;
	return s;
}

char *BODY(__strtok_r)(char *s, const char *separators, char **rest)
{
	return BODY(strtok_r)(s, separators, rest);
}

char *BODY(strtok)(char *s, const char *separators)
{
	static char *rest;
	return BODY(strtok_r)(s, separators, &rest);
}

char *BODY(strsep)(char **rest, const char *separators)
{
	char *s = *rest;
	if (!s)
		return NULL;
	char *end = BODY(strpbrk)(s, separators);
	if (end)
		*end++ = '\0';
	*rest = end;
	return s;
}
