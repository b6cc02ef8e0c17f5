/* native.c: the calls by which a program asks for input values, where no traced
 * runtime answers them: in the ordinary build and in the san and cov variants.
 *
 * Bytes come from the file that MUSTER_INPUT names, in the order of the calls;
 * without it, or past its end, an object keeps its value and a number is 0. All of
 * it is weak: a program's own definitions win.
 *
 * What the __VERIFIER_nondet functions gave goes to the file that MUSTER_VALUES names, a line
 * "TYPE VALUE" for each call: that is how an input becomes a test of Test-Comp.
 */
#include "muster/abi.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WEAK __attribute__((weak, visibility("default")))

static void take(void *p, size_t n)
{
	static int fd = -2;
	const char *name;

	if (fd == -2) {
		name = getenv("MUSTER_INPUT");
		fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	}
	while (fd >= 0 && n) {
		ssize_t got = read(fd, p, n);

		if (got <= 0)
			break;
		p = (char *)p + got;
		n -= got;
	}
}

WEAK void muster_symbolic(void *p, unsigned long n, const char *name);
WEAK void muster_symbolic(void *p, unsigned long n, const char *name)
{
	(void)name;
	take(p, n);
}

WEAK void klee_make_symbolic(void *p, size_t n, const char *name);
WEAK void klee_make_symbolic(void *p, size_t n, const char *name)
{
	(void)name;
	take(p, n);
}

/* An assumption that does not hold ends the run without a complaint. */
WEAK void muster_assume(int condition);
WEAK void muster_assume(int condition)
{
	if (!condition)
		_exit(0);
}

WEAK void klee_assume(uintptr_t condition);
WEAK void klee_assume(uintptr_t condition)
{
	if (!condition)
		_exit(0);
}

WEAK void __VERIFIER_assume(int condition);
WEAK void __VERIFIER_assume(int condition)
{
	if (!condition)
		_exit(0);
}

static void must_hold(int holds, const char *what, const char *text, const char *file, int line)
{
	if (!holds) {
		dprintf(2, "muster: %s: %s at %s:%d\n", what, text, file, line);
		abort();
	}
}

WEAK void muster_assert_holds(int holds, const char *text, const char *file, int line);
WEAK void muster_assert_holds(int holds, const char *text, const char *file, int line)
{
	must_hold(holds, "assertion violated", text, file, line);
}

WEAK void muster_refine_holds(int holds, const char *text, const char *file, int line);
WEAK void muster_refine_holds(int holds, const char *text, const char *file, int line)
{
	must_hold(holds, "refinement violated", text, file, line);
}

WEAK void muster_contract_holds(int holds, const char *text, const char *file, int line);
WEAK void muster_contract_holds(int holds, const char *text, const char *file, int line)
{
	must_hold(holds, "contract broken", text, file, line);
}

/* ------------------------------------------------------------ what was given */

static void tell(const char *type, const char *value)
{
	static int fd = -2;
	const char *name;
	char line[128];
	int n;

	if (fd == -2) {
		name = getenv("MUSTER_VALUES");
		fd = name ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
	}
	if (fd < 0)
		return;
	n = snprintf(line, sizeof line, "%s %s\n", type, value);
	if (write(fd, line, (size_t)n) != n)
		fd = -1;
}

static void tell_real(const char *type, double v)
{
	char text[64];

	snprintf(text, sizeof text, "%.17g", v);
	tell(type, text);
}

static void tell_digits(const char *type, int negative, unsigned __int128 v)
{
	char text[48], *p = text + sizeof text;

	*--p = 0;
	do
		*--p = (char)('0' + (int)(v % 10));
	while (v /= 10);
	if (negative)
		*--p = '-';
	tell(type, p);
}

static void tell_signed(const char *type, __int128 v)
{
	tell_digits(type, v < 0, v < 0 ? -(unsigned __int128)v : (unsigned __int128)v);
}

static void tell_unsigned(const char *type, unsigned __int128 v)
{
	tell_digits(type, 0, v);
}

static void tell_pointer(const char *type, const void *v)
{
	tell_digits(type, 0, (uintptr_t)v);
}

#define TELL(v)                                                                                    \
	_Generic((v), float                                                                        \
		 : tell_real, double                                                               \
		 : tell_real, void *                                                               \
		 : tell_pointer, unsigned char                                                     \
		 : tell_unsigned, unsigned short                                                   \
		 : tell_unsigned, unsigned                                                         \
		 : tell_unsigned, unsigned long                                                    \
		 : tell_unsigned, unsigned long long                                               \
		 : tell_unsigned, unsigned __int128                                                \
		 : tell_unsigned, default                                                          \
		 : tell_signed)

#define NONDET(X)                                                                                  \
	X(char, char)                                                                              \
	X(schar, signed char)                                                                      \
	X(uchar, unsigned char)                                                                    \
	X(short, short)                                                                            \
	X(ushort, unsigned short)                                                                  \
	X(int, int)                                                                                \
	X(uint, unsigned)                                                                          \
	X(unsigned, unsigned)                                                                      \
	X(long, long)                                                                              \
	X(ulong, unsigned long)                                                                    \
	X(longlong, long long)                                                                     \
	X(ulonglong, unsigned long long)                                                           \
	X(size_t, size_t)                                                                          \
	X(u8, uint8_t)                                                                             \
	X(u16, uint16_t)                                                                           \
	X(u32, uint32_t)                                                                           \
	X(u64, uint64_t)                                                                           \
	X(int128, __int128)                                                                        \
	X(uint128, unsigned __int128)                                                              \
	X(float, float)                                                                            \
	X(double, double)                                                                          \
	X(pointer, void *)

#define X(name, type)                                                                              \
	WEAK type __VERIFIER_nondet_##name(void);                                                  \
	WEAK type __VERIFIER_nondet_##name(void)                                                   \
	{                                                                                          \
		type v = 0;                                                                        \
		take(&v, sizeof v);                                                                \
		TELL(v)(#type, v);                                                                 \
		return v;                                                                          \
	}
NONDET(X)
#undef X

WEAK _Bool __VERIFIER_nondet_bool(void);
WEAK _Bool __VERIFIER_nondet_bool(void)
{
	unsigned char c = 0;

	take(&c, 1);
	tell_unsigned("_Bool", c != 0);
	return c != 0;
}

/* ----------------------------------------------------------- error functions */

/* Reaching one of these is the defect. A test that does so says it where its values stand: "! NAME". */
static void is_reached(const char *name)
{
	tell("!", name);
	dprintf(2, "muster: assertion violated: %s() is not called\n", name);
	abort();
}

#define X(name)                                                                                    \
	WEAK void name(void);                                                                      \
	WEAK void name(void)                                                                       \
	{                                                                                          \
		is_reached(#name);                                                                 \
	}
MUSTER_ERROR_FUNCTIONS(X)
#undef X

WEAK void __VERIFIER_assert(int condition);
WEAK void __VERIFIER_assert(int condition)
{
	if (!condition) {
		tell("!", "__VERIFIER_assert");
		dprintf(2, "muster: assertion violated: the condition of __VERIFIER_assert\n");
		abort();
	}
}
