/* Values that meet in phis: accumulators, swaps in loops, gotos into a loop, nested breaks.
 *
 * INPUT 12345 67
 */
#include "case.h"

int main(void) {
	load();
	int value = 0, digits = 0;
	for (int i = 0; in[i] >= '0' && in[i] <= '9'; i++) { // branch
		value = value * 10 + (in[i] - '0');
		digits++;
	}
	IF(value == 12345); // branch
	IF(digits == 5);    // nobranch
	unsigned a = in[0], b = in[1];
	for (int i = 0; i < 5; i++) {
		unsigned t = a;
		a = b;
		b = t + b;
	}
	IF(a == 398); // branch
	IF(b < a);    // branch
	int n = 0;
	goto middle;
	while (n < 3) {
		a ^= in[n];
	middle:
		n++;
	}
	IF(a == 4); // branch
	return 0;
}
