/* Variable arguments: every class, in registers and on the stack, copied lists, lists passed down.
 *
 * INPUT \x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10
 */
#include "case.h"
#include <stdarg.h>

struct small { int a, b; };
struct large { long a, b, c; };

static long vsum(int n, va_list ap) {
	long s = 0;
	while (n--)
		s = 10 * s + va_arg(ap, int);
	return s;
}

static long sum(int n, ...) {
	va_list ap;
	va_start(ap, n);
	long s = vsum(n, ap);
	va_end(ap);
	return s;
}

static long twice(int n, ...) {
	va_list ap, again;
	va_start(ap, n);
	va_copy(again, ap);
	long s = vsum(n, ap) + 1000 * vsum(n, again);
	va_end(ap);
	va_end(again);
	return s;
}

static long mixed(const char *classes, ...) {
	va_list ap;
	long s = 0;
	va_start(ap, classes);
	for (; *classes; classes++) {
		s *= 3;
		switch (*classes) {
		case 'i': s += va_arg(ap, int); break;
		case 'l': s += va_arg(ap, long long); break;
		case 'd': s += (long)va_arg(ap, double); break;
		case 'p': s += *va_arg(ap, unsigned char *); break;
		case 'v': s += (long)va_arg(ap, void *); break;
		case 's': {
			struct small x = va_arg(ap, struct small);
			s += x.a - x.b;
			break;
		}
		case 'g': {
			struct large x = va_arg(ap, struct large);
			s += x.a + x.b * x.c;
			break;
		}
		}
	}
	va_end(ap);
	return s;
}

int main(void) {
	load();
	IF(sum(3, in[0], in[1], in[2]) == 123);                          // branch
	IF(sum(9, in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8]) == 123456789); // branch
	IF(twice(2, in[0], in[1]) == 12012);                             // branch
	IF(mixed("il", in[0], (long long)u64(0)) > 1);                   // branch
	IF(mixed("idi", in[0], 2.0, in[1]) == 17);                       // branch
	IF(mixed("pip", &in[3], in[4], &in[5]) == 57);                   // branch
	struct small s = {in[6], in[5]};
	struct large g = {in[0], in[1], in[2]};
	IF(mixed("isi", in[0], s, in[1]) == 14);                         // branch
	IF(mixed("igi", in[0], g, in[1]) == 32);                         // branch
	IF(mixed("ididididididididididii", in[0], 1.0, in[1], 1.0, in[2], 1.0, in[3], 1.0, in[4], 1.0, in[5], 1.0, in[6], 1.0, in[7], 1.0, in[8], 1.0, in[9], 1.0, in[10], in[11]) == 1); // branch
	IF(mixed("iiiiiiislg", 1, 2, 3, 4, 5, 6, 7, s, (long long)in[0], g) == 7);       // branch
	IF(sum(2, 4, 5) == 45); // nobranch
	IF(mixed("v", (void *)(uintptr_t)u64(0)) == 7);                  // branch
	return 0;
}
