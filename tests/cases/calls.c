/* Calls: direct, recursive, through pointers and tables of pointers, with many arguments, narrow
 * arguments and results, results unused, results passed straight on.
 *
 * INPUT \x05\x02\x81\x04
 * ALLOW target
 */
#include "case.h"

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int negate(int x) { return -x; }
static int (*const table[])(int) = {twice, thrice, negate};

static unsigned factorial(unsigned n) {
	return n <= 1 ? 1 : n * factorial(n - 1); // branch
}

static signed char narrow(signed char c, _Bool b, unsigned short s) {
	return b ? (signed char)(c + s) : c; // branch
}

__attribute__((noinline)) static long many(int a, long b, char c, short d, int e, long f, int g, long h, unsigned char i,
                 int *j, __int128 k, int l) {
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * *j + (long)k + l;
}

static int apply(int (*f)(int), int x) { return f(x); }

int main(void) {
	load();
	int x = in[0];
	IF(twice(x) == 10);                    // branch
	IF(factorial(in[0]) == 120);           // branch
	IF(narrow((signed char)in[2], in[1], in[3]) == -123); // branch
	IF(many(x, in[1], (char)in[2], in[3], 1, x, 2, in[1], in[2], &x, in[3], x) == 1); // branch
	IF(apply(thrice, x) == 15);            // branch
	IF(apply(twice, twice(thrice(x))) == 60); // branch
	IF(table[1](x) == 15);                 // branch
	int (*chosen)(int) = x > 3 ? negate : twice; // branch
	IF(chosen(x) == -5);                   // branch
	IF(table[in[1]](x) == -5);             // branch
	twice(x);
	IF(abs(negate(x)) == 5);               // branch
	return 0;
}
