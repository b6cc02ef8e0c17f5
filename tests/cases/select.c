/* A conditional expression is a decision, whether it becomes a select or a branch.
 *
 * INPUT \x05\x09
 */
#include "case.h"

static int larger(int a, int b) {
	return a > b ? a : b; // branch
}

int main(void) {
	load();
	int m = larger(in[0], in[1]);
	IF(m == 9);                                  // branch
	unsigned u = in[0] ? in[0] : 77u;            // branch
	IF(u == 5);                                  // branch
	const char *name = in[1] > 8 ? "big" : "small"; // branch
	puts(name);
	long k = (in[0] & 1) ? 10L : 20L;            // branch
	IF(k == 10);                                 // nobranch
	return 0;
}
