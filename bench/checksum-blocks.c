/* Adler-32 with the modulo postponed, as zlib has it: clang vectorises the native program, which no
 * instrumented one can follow. Beside checksum.c, to show what that costs. */
#include "kernel.h"

static uint32_t kernel(const unsigned char *p, size_t n)
{
	uint32_t a = 1, b = 0;
	while (n > 0) {
		size_t run = n < 5552 ? n : 5552;
		n -= run;
		while (run--) {
			a += *p++;
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b << 16 | a;
}
