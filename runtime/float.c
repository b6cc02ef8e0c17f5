/* float.c: strings to floating numbers. Floating values carry no labels, so the
 * characters that the number is made of are fixed, and those that libc looked at to
 * see where it ends; the rest of the string stays as it is.
 */
#include "rt.h"

#include <stdlib.h>

double __real_strtod(const char *s, char **end);
float __real_strtof(const char *s, char **end);
long double __real_strtold(const char *s, char **end);

static int is_between(char c, char low, char high)
{
	return c >= low && c <= high;
}

/* Could it be part of a number, or of something that looks like one for a while: "infinitx", "1e+",
 * "nan(abc"? */
static int is_tried(char c)
{
	return is_between(c, '0', '9') || is_between(c, 'a', 'z') || is_between(c, 'A', 'Z') ||
	       c == '+' || c == '-' || c == '.' || c == '(' || c == ')' || c == '_';
}

/* How many characters decided a result that ended at end; the first that did not fit is one of
 * them. */
static size_t looked_at(const char *s, const char *end)
{
	const char *p = end;
	if (p == s)
		while (*p == ' ' || is_between(*p, '\t', '\r'))
			p++;
	while (is_tried(*p))
		p++;
	return (size_t)(p - s) + 1;
}

static void fix(const void *fn, const char *s, const char *stop, char **end)
{
	rt_concrete_range(s, looked_at(s, stop), MUSTER_REASON_FLOAT);
	if (end) {
		*end = (char *)stop;
		rt_clear(end, sizeof *end);
	}
	rt_return(fn, 0);
}

/* X(name, its type) */
#define CONVERSIONS(X) X(strtod, double) X(strtof, float) X(strtold, long double)
#define X(name, type)                                                             \
	RT_EXPORT type __wrap_##name(const char *restrict s, char **restrict end) \
	{                                                                         \
		label a[2];                                                       \
		char *stop;                                                       \
		rt_enter(__wrap_##name, a, 2);                                    \
		rt_concrete(a[0], MUSTER_REASON_ADDRESS);                         \
		rt_concrete(a[1], MUSTER_REASON_STORE);                           \
		type value = __real_##name(s, &stop);                             \
		fix(__wrap_##name, s, stop, end);                                 \
		return value;                                                     \
	}
CONVERSIONS(X)
#undef X

RT_EXPORT double __wrap_atof(const char *s)
{
	label a[1];
	char *stop;
	rt_enter(__wrap_atof, a, 1);
	rt_concrete(a[0], MUSTER_REASON_ADDRESS);
	double value = __real_strtod(s, &stop);
	fix(__wrap_atof, s, stop, NULL);
	return value;
}
