/* compare.c: comparisons of libc in the san variant: by how much, not only which is less.
 *
 * C says only whether strcmp's result is below, at or above zero. glibc's is the difference of the first bytes that differ, and so is that of the bodies in the trace variant (runtime/libc), while AddressSanitizer's
 * own strcmp gives -1, 0 or 1: what a trace says of a result, a run of the san variant would contradict. The sanitizer's is called first, with all that it checks about the arguments: if it returns, the bytes up to the
 * first difference may be read, and if that difference is not none, it is looked for once more.
 */
#include <stddef.h>

/* X(name, bytes as they are compared, parameters, arguments) */
#define COMPARISONS(X)                                                                      \
	X(strcmp, plain, (const char *a, const char *b), (a, b))                            \
	X(strncmp, plain, (const char *a, const char *b, size_t n), (a, b, n))              \
	X(strcasecmp, lower, (const char *a, const char *b), (a, b))                        \
	X(strncasecmp, lower, (const char *a, const char *b, size_t n), (a, b, n))          \
	X(memcmp, plain, (const void *a, const void *b, size_t n), (a, b, n))               \
	X(bcmp, plain, (const void *a, const void *b, size_t n), (a, b, n))

typedef unsigned char byte;

static int plain(byte c)
{
	return c;
}

/* In the C locale, as the bodies do it. */
static int lower(byte c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* There is one. */
static int first_difference(const byte *a, const byte *b, int (*as)(byte))
{
	while (as(*a) == as(*b)) {
		a++;
		b++;
	}
	return as(*a) - as(*b);
}

#define X(name, as, parameters, arguments)                                                                   \
	int __real_##name parameters;                                                                        \
	int __wrap_##name parameters;                                                                        \
	int __wrap_##name parameters                                                                         \
	{                                                                                                    \
		return __real_##name arguments ? first_difference((const byte *)a, (const byte *)b, as) : 0; \
	}
COMPARISONS(X)
#undef X
