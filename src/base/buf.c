/* buf.c: a growing array of bytes. Capacity doubles, and always leaves room for
 * one NUL after the contents, so that buf_str costs nothing. */
#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b)
{
	*b = BUF_EMPTY;
}

void buf_release(struct buf *b)
{
	free(b->data);
	buf_init(b);
}

void buf_clear(struct buf *b)
{
	b->size = 0;
}

void buf_reserve(struct buf *b, size_t extra)
{
	size_t need = b->size + extra + 1, cap = b->cap ? b->cap : 64;

	if (need <= b->cap)
		return;
	if (need < extra)
		BUG("a buffer of %zu bytes was asked for", extra);
	while (cap < need)
		cap *= 2;
	b->data = mem_realloc(b->data, cap, 1);
	b->cap = cap;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	buf_reserve(b, n);
	if (n)
		memcpy(b->data + b->size, p, n);
	b->size += n;
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addv(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	buf_reserve(b, 0);
	n = vsnprintf(b->data + b->size, b->cap - b->size, fmt, ap);
	if (n < 0)
		BUG("bad format '%s'", fmt);
	if ((size_t)n >= b->cap - b->size) {
		buf_reserve(b, n);
		vsnprintf(b->data + b->size, b->cap - b->size, fmt, again);
	}
	b->size += n;
	va_end(again);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_addv(b, fmt, ap);
	va_end(ap);
}

void buf_add32(struct buf *b, uint32_t v)
{
	unsigned char c[4];

	for (int i = 0; i < 4; i++)
		c[i] = v >> 8 * i;
	buf_add(b, c, sizeof c);
}

void buf_add64(struct buf *b, uint64_t v)
{
	buf_add32(b, v);
	buf_add32(b, v >> 32);
}

void buf_add_tame(struct buf *b, const char *s, size_t limit)
{
	for (; *s && limit; s++, limit--)
		buf_addc(b, isascii(*s) && (isalnum(*s) || strchr("._+-", *s)) ? *s : '_');
}

char *buf_str(struct buf *b)
{
	buf_reserve(b, 0);
	b->data[b->size] = 0;
	return b->data;
}

char *buf_take(struct buf *b)
{
	char *s = buf_str(b);

	buf_init(b);
	return s;
}
