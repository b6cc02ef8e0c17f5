/* A new frame in the place of an old one starts without the old one's labels: uninitialised locals,
 * alloca, variable-length arrays, varargs areas, frames left by longjmp.
 *
 * INPUT abcdefgh
 * ALLOW allocation size
 */
#include "case.h"
#include <alloca.h>
#include <stdarg.h>

__attribute__((noinline)) static int fill(void) {
	volatile char buffer[64];
	for (int i = 0; i < 64; i++)
		buffer[i] = (char)in[i & 7];
	return buffer[5];
}

__attribute__((noinline)) static int unset(int n) {
	char buffer[64];
	char *volatile p = buffer;
	for (int i = 0; i < 64; i += 2)
		p[i] = 1;
	return p[n & ~1];
}

__attribute__((noinline)) static int sized(int n) {
	char array[n];
	memset(array, 3, (size_t)n);
	char *more = alloca((size_t)n);
	memcpy(more, array, (size_t)n);
	return more[n / 2];
}

__attribute__((noinline)) static int sum(int n, ...) {
	va_list ap;
	int s = 0;
	va_start(ap, n);
	while (n--)
		s += va_arg(ap, int);
	va_end(ap);
	return s;
}

int main(void) {
	load();
	IF(fill() == 'f');             // branch
	IF(unset(6) == 1);             // nobranch
	IF(fill() == 'f');             // branch
	IF(sized(40) == 3);            // nobranch
	IF(sum(3, in[0], in[1], in[2]) == 'a' + 'b' + 'c'); // branch
	IF(sum(3, 1, 2, 3) == 6);      // nobranch
	IF(sized(in[0] - 'a' + 8) == 3);
	return 0;
}
