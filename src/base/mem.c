/* mem.c: allocation that does not fail; see mem.h. */
#include "base/mem.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *p, size_t n)
{
	if (!p && n) {
		fprintf(stderr, "muster: out of memory (%zu bytes wanted)\n", n);
		exit(EXIT_INTERNAL);
	}
	return p;
}

void *mem_alloc(size_t n)
{
	return check(malloc(n ? n : 1), n);
}

void *mem_zalloc(size_t n)
{
	return check(calloc(1, n ? n : 1), n);
}

void *mem_realloc(void *p, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		n = (size_t)-1;
	return check(realloc(p, n ? n : 1), n);
}

char *mem_strndup(const char *s, size_t n)
{
	char *p = mem_alloc(n + 1);

	memcpy(p, s, n);
	p[n] = 0;
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	if (vasprintf(&p, fmt, ap) < 0)
		check(NULL, 1);
	va_end(ap);
	return p;
}
