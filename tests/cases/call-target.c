/* A function pointer read at a symbolic index: the call's target is fixed by the path, recorded.
 *
 * INPUT \x01\x07
 * ALLOW target address
 */
#include "case.h"

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int (*const table[])(int) = {twice, thrice};

int main(void) {
	load();
	int r = table[in[0] & 1](in[1]); // concrete: target
	IF(r == 21);                     // branch
	return 0;
}
