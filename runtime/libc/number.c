/* number.c: strings to integers, and the arithmetic functions of stdlib.h.
 *
 * One scanner serves all: white space, sign, prefix, digits. It accumulates in
 * 64 bits against a limit and remembers that it passed it; long is 64 bits wide
 * here, so every function of the family is one of two.
 */
#include "libc.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#undef atoi
#undef atol
#undef atoll

struct scanned {
	const char *end; /* past the last digit, or the start if there was none */
	uint64_t value;
	int negative;
	int overflow; /* the digits say more than 64 bits hold */
};

static struct scanned scan_number(const char *s, int base)
{
	struct scanned n = {.end = s};
	const char *p = s;

	while (body_space((unsigned char)*p))
		p++;
	if (*p == '-') {
		n.negative = 1;
		p++;
	} else if (*p == '+') {
		p++;
	}
	if (*p == '0' && (base == 0 || base == 16) && body_tolower((unsigned char)p[1]) == 'x') {
		n.end = p + 1; /* the zero alone is a number, if no digit follows */
		p += 2;
		base = 16;
	} else if (base == 0) {
		base = *p == '0' ? 8 : 10;
	}

	uint64_t limit = UINT64_MAX / (unsigned)base;
	unsigned limit_digit = (unsigned)(UINT64_MAX % (unsigned)base);
	for (;; p++) {
		unsigned digit = body_digit_value((unsigned char)*p);
		if (digit >= (unsigned)base)
			break;
		n.end = p + 1;
		if (n.overflow || n.value > limit || (n.value == limit && digit > limit_digit))
			n.overflow = 1;
		else
			n.value = n.value * (unsigned)base + digit;
	}
	return n;
}

static int bad_base(int base)
{
	if (base >= 0 && base != 1 && base <= 36)
		return 0;
	errno = EINVAL;
	return 1;
}

long BODY(strtol)(const char *s, char **end, int base)
{
	if (bad_base(base))
		return 0;
	struct scanned n = scan_number(s, base);
	if (end)
		*end = (char *)n.end;
	uint64_t limit = (uint64_t)LONG_MAX + (unsigned)n.negative;
	if (n.overflow || n.value > limit) {
		errno = ERANGE;
		return n.negative ? LONG_MIN : LONG_MAX;
	}
	return (long)(n.negative ? -n.value : n.value);
}

unsigned long BODY(strtoul)(const char *s, char **end, int base)
{
	if (bad_base(base))
		return 0;
	struct scanned n = scan_number(s, base);
	if (end)
		*end = (char *)n.end;
	if (n.overflow) {
		errno = ERANGE;
		return ULONG_MAX;
	}
	return n.negative ? -n.value : n.value;
}

/* X(name, its type, the function it is) */
#define SAME(X)                                  \
	X(strtoll, long long, strtol)            \
	X(strtoimax, intmax_t, strtol)           \
	X(strtoq, long long, strtol)             \
	X(strtoull, unsigned long long, strtoul) \
	X(strtoumax, uintmax_t, strtoul)         \
	X(strtouq, unsigned long long, strtoul)

#define X(name, type, same)                                  \
	type BODY(name)(const char *s, char **end, int base) \
	{                                                    \
		return (type)BODY(same)(s, end, base);       \
	}
SAME(X)
#undef X

/* Grouping means nothing in the C locale. */
#define INTERNAL(X)                                   \
	X(__strtol_internal, long, strtol)            \
	X(__strtoll_internal, long long, strtol)      \
	X(__strtoul_internal, unsigned long, strtoul) \
	X(__strtoull_internal, unsigned long long, strtoul)

#define X(name, type, same)                                             \
	type BODY(name)(const char *s, char **end, int base, int group) \
	{                                                               \
		(void)group;                                            \
		return (type)BODY(same)(s, end, base);                  \
	}
INTERNAL(X)
#undef X

int BODY(atoi)(const char *s)
{
	return (int)BODY(strtol)(s, NULL, 10);
}

long BODY(atol)(const char *s)
{
	return BODY(strtol)(s, NULL, 10);
}

long long BODY(atoll)(const char *s)
{
	return BODY(strtol)(s, NULL, 10);
}

/* Without branches, and with the machine's result for the smallest number. */
int BODY(abs)(int x)
{
	unsigned sign = (unsigned)(x >> 31);
	return (int)(((unsigned)x ^ sign) - sign);
}

long BODY(labs)(long x)
{
	unsigned long sign = (unsigned long)(x >> 63);
	return (long)(((unsigned long)x ^ sign) - sign);
}

long long BODY(llabs)(long long x)
{
	return BODY(labs)(x);
}

intmax_t BODY(imaxabs)(intmax_t x)
{
	return BODY(labs)(x);
}

/* The processor traps where the quotient does not fit: a branch of its own, for the search to ask for it. */
#define DIVIDED(type, least, a, b)              \
	do {                                    \
		if ((b) == -1 && (a) == (least)) \
			__builtin_trap();       \
		return (type){.quot = (a) / (b), .rem = (a) % (b)}; \
	} while (0)

div_t BODY(div)(int a, int b)
{
	DIVIDED(div_t, INT_MIN, a, b);
}

ldiv_t BODY(ldiv)(long a, long b)
{
	DIVIDED(ldiv_t, LONG_MIN, a, b);
}

lldiv_t BODY(lldiv)(long long a, long long b)
{
	DIVIDED(lldiv_t, LLONG_MIN, a, b);
}

imaxdiv_t BODY(imaxdiv)(intmax_t a, intmax_t b)
{
	DIVIDED(imaxdiv_t, INTMAX_MIN, a, b);
}
