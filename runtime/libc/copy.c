/* copy.c: copying and joining strings, and their fortified names.
 *
 * The length is decided first, byte by byte; then the bytes move with their
 * labels by memcpy. A source that overlaps its destination is undefined in C, and
 * moves here as if it were copied forward at once.
 *
 * The fortified functions get the size of the destination too and end the
 * process, as libc does, when the result would not fit.
 */
#include "libc.h"

#include <errno.h>
#include <stdlib.h>

char *BODY(stpcpy)(char *to, const char *from)
{
	rt_string_fits(to, from);
	size_t n = BODY(strlen)(from);
	BODY(memcpy)(to, from, n + 1);
	return to + n;
}

char *BODY(__stpcpy)(char *to, const char *from)
{
	return BODY(stpcpy)(to, from);
}

char *BODY(strcpy)(char *to, const char *from)
{
	BODY(stpcpy)(to, from);
	return to;
}

char *BODY(stpncpy)(char *to, const char *from, size_t n)
{
	size_t used = BODY(strnlen)(from, n);
	BODY(memcpy)(to, from, used);
	BODY(memset)(to + used, 0, n - used);
	return to + used;
}

char *BODY(__stpncpy)(char *to, const char *from, size_t n)
{
	return BODY(stpncpy)(to, from, n);
}

char *BODY(strncpy)(char *to, const char *from, size_t n)
{
	BODY(stpncpy)(to, from, n);
	return to;
}

char *BODY(strcat)(char *to, const char *from)
{
	BODY(stpcpy)(to + BODY(strlen)(to), from);
	return to;
}

char *BODY(strncat)(char *to, const char *from, size_t n)
{
	char *end = to + BODY(strlen)(to);
	size_t used = BODY(strnlen)(from, n);
	BODY(memcpy)(end, from, used);
	end[used] = '\0';
	return to;
}

char *BODY(strndup)(const char *s, size_t n)
{
	size_t used = BODY(strnlen)(s, n);
	char *copy = malloc(used + 1);
	if (!copy)
		return NULL;
	BODY(memcpy)(copy, s, used);
	copy[used] = '\0';
	return copy;
}

char *BODY(__strndup)(const char *s, size_t n)
{
	return BODY(strndup)(s, n);
}

char *BODY(strdup)(const char *s)
{
	size_t n = BODY(strlen)(s) + 1;
	char *copy = malloc(n);
	return copy ? BODY(memcpy)(copy, s, n) : NULL;
}

char *BODY(__strdup)(const char *s)
{
	return BODY(strdup)(s);
}

char *BODY(__strcpy_chk)(char *to, const char *from, size_t size)
{
	if (BODY(strlen)(from) >= size)
		__chk_fail();
	return BODY(strcpy)(to, from);
}

char *BODY(__stpcpy_chk)(char *to, const char *from, size_t size)
{
	if (BODY(strlen)(from) >= size)
		__chk_fail();
	return BODY(stpcpy)(to, from);
}

char *BODY(__strncpy_chk)(char *to, const char *from, size_t n, size_t size)
{
	if (size < n)
		__chk_fail();
	return BODY(strncpy)(to, from, n);
}

char *BODY(__stpncpy_chk)(char *to, const char *from, size_t n, size_t size)
{
	if (size < n)
		__chk_fail();
	return BODY(stpncpy)(to, from, n);
}

char *BODY(__strcat_chk)(char *to, const char *from, size_t size)
{
	size_t used = BODY(strlen)(to);
	if (used >= size || BODY(strlen)(from) >= size - used)
		__chk_fail();
	return BODY(strcat)(to, from);
}

char *BODY(__strncat_chk)(char *to, const char *from, size_t n, size_t size)
{
	size_t used = BODY(strlen)(to);
	if (used >= size || BODY(strnlen)(from, n) >= size - used)
		__chk_fail();
	return BODY(strncat)(to, from, n);
}
