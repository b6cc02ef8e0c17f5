/* libc_native.h: for tests that build the libc bodies natively, as muster_NAME, and
 * compare them with libc's functions on generated arguments.
 *
 * Include it first, then the bodies' sources. Arguments stand at the end of a
 * page whose neighbour cannot be read, so a body that looks too far crashes. The
 * skip functions pass over a random part of what they may.
 */
#ifndef LIBC_NATIVE_H
#define LIBC_NATIVE_H

#define MUSTER_NATIVE_BODIES
#include "libc/libc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ROUNDS 4000

/* ----------------------------------------------------------------- chance */

static uint64_t chance_state = 0x9e3779b97f4a7c15u;

static inline uint64_t chance(uint64_t n)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (chance_state >> 11) % n;
}

/* A byte of a small alphabet, so that equal prefixes happen; never NUL. */
static inline char chance_char(void)
{
	static const char alphabet[] = "aabbABcZz 0\t,;\x80\xff\xe1";
	return alphabet[chance(sizeof alphabet - 1)];
}

/* ---------------------------------------------------------------- guarded */

#define GUARD_SIZE 4096
#define GUARDS 4

/* n bytes that end where readable memory does; slot k of GUARDS. */
static inline char *guarded(unsigned k, size_t n)
{
	static char *pages[GUARDS];
	if (!pages[k]) {
		pages[k] = mmap(NULL, 2 * GUARD_SIZE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(pages[k] != MAP_FAILED);
		assert_int_equal(mprotect(pages[k] + GUARD_SIZE, GUARD_SIZE, PROT_NONE), 0);
	}
	return pages[k] + GUARD_SIZE - n;
}

/* A string of up to max characters, guarded. */
static inline char *guarded_string(unsigned k, size_t max)
{
	size_t n = chance(max + 1);
	char *s = guarded(k, n + 1);
	for (size_t i = 0; i < n; i++)
		s[i] = chance_char();
	s[n] = '\0';
	return s;
}

/* Up to max bytes, guarded, NULs among them. */
static inline char *guarded_bytes(unsigned k, size_t n)
{
	char *s = guarded(k, n);
	for (size_t i = 0; i < n; i++)
		s[i] = chance(8) ? chance_char() : '\0';
	return s;
}

static inline char *guarded_copy(unsigned k, const char *s)
{
	return strcpy(guarded(k, strlen(s) + 1), s);
}

static inline int sign(int x)
{
	return (x > 0) - (x < 0);
}

/* ------------------------------------------- what the bodies need around them */

static inline size_t part_of(size_t n)
{
	return chance(3) ? n : chance(n + 1);
}

size_t rt_skip_string(const char *s, int c, size_t max)
{
	size_t n = 0;
	while (n < max && s[n] && s[n] != (char)c)
		n++;
	return part_of(n);
}

size_t rt_skip_bytes(const void *p, int c, size_t max)
{
	size_t n = 0;
	while (n < max && ((const char *)p)[n] != (char)c)
		n++;
	return part_of(n);
}

size_t rt_skip_equal(const void *a, const void *b, size_t max)
{
	size_t n = 0;
	while (n < max && ((const char *)a)[n] == ((const char *)b)[n])
		n++;
	return part_of(n);
}

size_t rt_skip_equal_string(const char *a, const char *b, size_t max)
{
	size_t n = 0;
	while (n < max && a[n] && a[n] == b[n])
		n++;
	return part_of(n);
}

void *muster_memcpy(void *to, const void *from, size_t n)
{
	return memmove(to, from, n);
}

void *muster_memset(void *p, int c, size_t n)
{
	return memset(p, c, n);
}

#endif
