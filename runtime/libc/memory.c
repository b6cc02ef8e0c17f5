/* memory.c: searching and comparing memory, byte by byte.
 *
 * Invariant of each loop: the bytes before position i are known not to end it.
 * Functions that move bytes are wrappers, in runtime/wrap_mem.c.
 */
#include "libc.h"

typedef unsigned char byte;

int BODY(memcmp)(const void *a, const void *b, size_t n)
{
	const byte *p = a, *q = b;
	for (size_t i = rt_skip_equal(p, q, n); i < n; i++)
		if (p[i] != q[i])
			return p[i] - q[i];
	return 0;
}

int BODY(bcmp)(const void *a, const void *b, size_t n)
{
	return BODY(memcmp)(a, b, n);
}

int BODY(__memcmpeq)(const void *a, const void *b, size_t n)
{
	return BODY(memcmp)(a, b, n);
}

void *BODY(memchr)(const void *p, int c, size_t n)
{
	const byte *s = p;
	for (size_t i = rt_skip_bytes(s, c, n); i < n; i++)
		if (s[i] == (byte)c)
			return (void *)(s + i);
	return NULL;
}

void *BODY(memrchr)(const void *p, int c, size_t n)
{
	const byte *s = p;
	while (n-- > 0)
		if (s[n] == (byte)c)
			return (void *)(s + n);
	return NULL;
}

void *BODY(rawmemchr)(const void *p, int c)
{
	const byte *s = p;
	size_t i = rt_skip_bytes(s, c, SIZE_MAX);
	while (s[i] != (byte)c)
		i++;
	return (void *)(s + i);
}

void *BODY(memccpy)(void *to, const void *from, int c, size_t n)
{
	byte *d = to;
	const byte *s = from;
	for (size_t i = 0; i < n; i++) {
		d[i] = s[i];
		if (s[i] == (byte)c)
			return d + i + 1;
	}
	return NULL;
}

void *BODY(memmem)(const void *hay, size_t hay_size, const void *needle, size_t size)
{
	const byte *h = hay, *s = needle;
	if (size == 0)
		return (void *)h;
	if (hay_size < size)
		return NULL;
	size_t last = hay_size - size;
	for (size_t i = 0; i <= last; i++) {
		i += rt_skip_bytes(h + i, s[0], last - i);
		if (h[i] == s[0] && BODY(memcmp)(h + i, s, size) == 0)
			return (void *)(h + i);
	}
	return NULL;
}

void BODY(swab)(const void *restrict from, void *restrict to, ssize_t n)
{
	const byte *s = from;
	byte *d = to;
	for (ssize_t i = 0; i + 1 < n; i += 2) {
		byte first = s[i];
		d[i] = s[i + 1];
		d[i + 1] = first;
	}
}

void *BODY(memfrob)(void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((byte *)p)[i] ^= 42;
	return p;
}

/* Number of the lowest bit that is set, from 1; 0 for 0. */
int BODY(ffsll)(long long x)
{
	unsigned long long bits = (unsigned long long)x;
	return bits ? __builtin_ctzll(bits) + 1 : 0;
}

int BODY(ffsl)(long x)
{
	return BODY(ffsll)(x);
}

int BODY(ffs)(int x)
{
	return BODY(ffsll)((unsigned)x);
}
