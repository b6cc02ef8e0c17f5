/* A store through a symbolic index fixes the address, with its reason; what was stored is followed.
 *
 * INPUT \x03\x41
 */
#include "case.h"

static unsigned char slots[16];

int main(void) {
	load();
	slots[in[0] & 15] = in[1]; // concrete: store-address
	IF(slots[3] == 'A');       // branch
	IF(slots[4] == 'A');       // nobranch
	return 0;
}
