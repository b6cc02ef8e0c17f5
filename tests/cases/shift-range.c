/* A shift amount beyond the width: the machine's answer stands, and a concretisation says so.
 *
 * INPUT \x21\x05
 * SKIP native
 */
#include "case.h"

int main(void) {
	load();
	volatile unsigned r = (unsigned)in[1] << in[0]; // concrete: shift
	(void)r;
	IF(in[1] == 5); // branch
	return 0;
}
