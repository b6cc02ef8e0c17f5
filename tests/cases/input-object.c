/* muster_symbolic: without input bytes, what stands in memory is the seed value, and the program does
 * what it does without it.
 *
 */
#include "case.h"
#include <muster/muster.h>

struct point { int x, y; };

int main(void) {
	struct point p = {3, 4};
	muster_symbolic(&p, sizeof p, "p");
	IF(p.x == 3);         // branch
	IF(p.x * p.y == 12);  // branch
	int n = 7;
	muster_symbolic(&n, sizeof n, "n");
	IF(n > 5);            // branch
	return 0;
}
