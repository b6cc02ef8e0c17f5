/* plain.c: copies and fills for the runtime's own use, in place of libc's: a program
 * may define memcpy itself, instrumented, and would then be called from within the
 * very code that moves its labels. The build sends the runtime's calls here.
 *
 * Short pieces go by words, long ones by the string instructions, which are as fast
 * as anything from a few hundred bytes on.
 */
#include "rt.h"

/* Or the compiler would see what the loops do, and call them. */
#define PLAIN __attribute__((no_builtin))

RT_HIDDEN void *rt_plain_memcpy(void *restrict to, const void *restrict from, size_t n);
RT_HIDDEN void *rt_plain_memmove(void *to, const void *from, size_t n);
RT_HIDDEN void *rt_plain_memset(void *to, int c, size_t n);

#define LONG 512

/* Words without alignment or aliasing rules. */
struct __attribute__((packed, may_alias)) word {
	uint64_t v;
};

PLAIN void *rt_plain_memcpy(void *restrict to, const void *restrict from, size_t n)
{
	char *d = to;
	const char *s = from;
	if (n >= LONG) {
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
		return to;
	}
	for (; n >= 8; n -= 8, d += 8, s += 8)
		((struct word *)d)->v = ((const struct word *)s)->v;
	while (n-- > 0)
		*d++ = *s++;
	return to;
}

PLAIN void *rt_plain_memmove(void *to, const void *from, size_t n)
{
	char *d = to;
	const char *s = from;
	if ((uintptr_t)d - (uintptr_t)s >= n) /* forward is safe */
		return rt_plain_memcpy(to, from, n);
	for (; n >= 8; n -= 8)
		((struct word *)(d + n - 8))->v = ((const struct word *)(s + n - 8))->v;
	while (n-- > 0)
		d[n] = s[n];
	return to;
}

PLAIN void *rt_plain_memset(void *to, int c, size_t n)
{
	char *d = to;
	if (n >= LONG) {
		__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
		return to;
	}
	uint64_t word = (unsigned char)c * 0x0101010101010101ull;
	for (; n >= 8; n -= 8, d += 8)
		((struct word *)d)->v = word;
	while (n-- > 0)
		*d++ = (char)c;
	return to;
}
