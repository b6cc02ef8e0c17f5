/* skip.c: runs ahead over bytes without labels, for the libc bodies.
 *
 * A body compares or searches byte by byte. Where no label is near, libc's vector
 * code does the same work: these functions say how many bytes the body may pass
 * over because nothing it could decide there depends on the input. They look at
 * pieces that end at a multiple of PIECE, so nothing is read from a page that the
 * body would not come to.
 */
#include "libc/libc.h"
#include "rt.h"

#include <string.h>

void *__real_memchr(const void *p, int c, size_t n);
size_t __real_strnlen(const char *s, size_t n);

#define PIECE 256u

/* Bytes from p on that lie in its piece, at most max. */
static size_t piece(const void *p, size_t max)
{
	size_t n = PIECE - ((uintptr_t)p & (PIECE - 1));
	return n < max ? n : max;
}

/* The labels of the arguments after the first `pointers`: is one there? Then nothing may be passed
 * over. The pointers' own (values: NULL if none is followed) say where they point, before that is read. (Where every decision is wanted, noskip.c stands here instead.) */
static int decides(const void *fn, const void *const *values, int pointers, int count)
{
	label a[RT_ARGS];
	rt_enter(fn, a, count);
	for (int i = 0; i < pointers; i++)
		if (a[i] && values)
			rt_access(a[i], values[i], 0, MUSTER_REASON_ADDRESS);
	for (int i = pointers; i < count; i++)
		if (a[i])
			return 1;
	return 0;
}

/* Leading bytes of a piece of n without a label. */
static size_t unlabelled(const char *p, size_t n)
{
	if (!rt_any(p, n))
		return n;
	size_t i = 0;
	while (i < n && !rt_any(p + i, 1))
		i++;
	return i;
}

RT_HIDDEN size_t rt_skip_bytes(const void *p, int c, size_t max)
{
	const char *s = p;
	size_t i = 0;
	if (decides(rt_skip_bytes, max ? &p : NULL, 1, 3))
		return 0;
	while (i < max) {
		size_t n = piece(s + i, max - i), clean = unlabelled(s + i, n);
		const char *found = __real_memchr(s + i, c, clean);
		if (found)
			return (size_t)(found - s);
		i += clean;
		if (clean < n)
			break;
	}
	return i;
}

RT_HIDDEN size_t rt_skip_string(const char *s, int c, size_t max)
{
	size_t i = 0;
	if (decides(rt_skip_string, max ? (const void *[]){s} : NULL, 1, 3))
		return 0;
	while (i < max) {
		size_t n = piece(s + i, max - i);
		size_t length = __real_strnlen(s + i, n), clean = unlabelled(s + i, length);
		const char *found = c ? __real_memchr(s + i, c, clean) : NULL;
		if (found)
			return (size_t)(found - s);
		i += clean;
		if (clean < n)
			break;
	}
	return i;
}

/* Has one of the eight bytes the value zero? */
static inline uint64_t zero_byte(uint64_t w)
{
	return (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;
}

/* Positions of one piece of both where the bytes are equal and, if string is set, not NUL. */
static size_t equal_prefix(const char *a, const char *b, size_t n, int string)
{
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t x, y;
		__builtin_memcpy(&x, a + i, 8);
		__builtin_memcpy(&y, b + i, 8);
		if (x != y || (string && zero_byte(x)))
			break;
	}
	while (i < n && a[i] == b[i] && (!string || a[i]))
		i++;
	return i;
}

static size_t skip_equal(const char *a, const char *b, size_t max, int string)
{
	size_t i = 0;
	while (i < max) {
		size_t n = piece(b + i, piece(a + i, max - i));
		size_t equal = equal_prefix(a + i, b + i, n, string);
		size_t clean = unlabelled(b + i, unlabelled(a + i, equal));
		i += clean;
		if (clean < n)
			break;
	}
	return i;
}

RT_HIDDEN size_t rt_skip_equal(const void *a, const void *b, size_t max)
{
	return decides(rt_skip_equal, max ? (const void *[]){a, b} : NULL, 2, 3) ? 0 : skip_equal(a, b, max, 0);
}

RT_HIDDEN size_t rt_skip_equal_string(const char *a, const char *b, size_t max)
{
	return decides(rt_skip_equal_string, max ? (const void *[]){a, b} : NULL, 2, 3) ? 0 : skip_equal(a, b, max, 1);
}
