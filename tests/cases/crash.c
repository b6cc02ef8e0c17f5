/* A crash of the target loses no event, and how the run ended is printed.
 *
 * INPUT ab
 * STATUS 139
 * PATH *SIGSEGV*
 */
#include "case.h"

int main(void) {
	load();
	IF(in[0] == 'a');    // branch
	fflush(stdout);
	if (in[1] == 'b')    // branch
		*(volatile int *)8 = 1;
	return 0;
}
