/* format.c: what the format and scan bodies leave to libc: floating numbers, and
 * conversions that are not known. Values are concrete from here on, with a reason.
 */
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __real_snprintf(char *to, size_t size, const char *format, ...);
size_t __real_strlen(const char *s);

size_t rt_scan_double(const char *text, int size, void *to);
int rt_format_double(char *to, size_t size, const char *text, int width, int precision,
		     double value);
int rt_format_long_double(char *to, size_t size, const char *text, int width, int precision,
			  long double value);
int rt_format_text(char *to, size_t size, const char *text);

/* Labels of (to, size, text, width, precision). */
static void fix_numbers(const void *fn)
{
	label a[5];
	rt_enter(fn, a, 5);
	for (int i = 0; i < 5; i++)
		rt_concrete(a[i], MUSTER_REASON_FORMAT);
}

static int made(const void *fn, int n, char *to, size_t size)
{
	if (n >= 0)
		rt_clear(to, (size_t)n < size ? (size_t)n + 1 : size);
	rt_return(fn, 0);
	return n;
}

RT_HIDDEN int rt_format_double(char *to, size_t size, const char *text, int width, int precision,
			       double value)
{
	fix_numbers(rt_format_double);
	int n = __real_snprintf(to, size, text, width, precision, value);
	return made(rt_format_double, n, to, size);
}

RT_HIDDEN int rt_format_long_double(char *to, size_t size, const char *text, int width,
				    int precision, long double value)
{
	fix_numbers(rt_format_long_double);
	int n = __real_snprintf(to, size, text, width, precision, value);
	return made(rt_format_long_double, n, to, size);
}

RT_HIDDEN int rt_format_text(char *to, size_t size, const char *text)
{
	rt_concrete_range(text, __real_strlen(text) + 1, MUSTER_REASON_FORMAT);
	int n = __real_snprintf(to, size, text, 0);
	return made(rt_format_text, n, to, size);
}

RT_HIDDEN size_t rt_scan_double(const char *text, int size, void *to)
{
	label a[3];
	char *end;
	rt_enter(rt_scan_double, a, 3);
	rt_concrete_range(text, __real_strlen(text) + 1, MUSTER_REASON_FLOAT);
	float small = 0;
	double middle = 0;
	long double large = 0;
	if (size == 4)
		small = strtof(text, &end);
	else if (size == 8)
		middle = strtod(text, &end);
	else
		large = strtold(text, &end);
	if (end != text) {
		if (size == 4)
			*(float *)to = small;
		else if (size == 8)
			*(double *)to = middle;
		else
			*(long double *)to = large;
		rt_clear(to, size < 16 ? (size_t)size : sizeof large);
	}
	rt_return(rt_scan_double, 0);
	return (size_t)(end - text);
}
