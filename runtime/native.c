/* native.c: the calls by which a program asks for input values, where no traced
 * runtime answers them: in the ordinary build and in the san and cov variants.
 *
 * Bytes come from the file that MUSTER_INPUT names, in the order of the calls;
 * without it, or past its end, an object keeps its value and a number is 0. All of
 * it is weak: a program's own definitions win.
 */
#include <fcntl.h>
#include <stdint.h>
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
		return v;                                                                          \
	}
NONDET(X)
#undef X

WEAK _Bool __VERIFIER_nondet_bool(void);
WEAK _Bool __VERIFIER_nondet_bool(void)
{
	unsigned char c = 0;

	take(&c, 1);
	return c != 0;
}
