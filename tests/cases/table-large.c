/* A table beyond the limit is not read as an expression: the address is concretised, once.
 *
 * INPUT \x03\x01
 */
#include "case.h"

static unsigned char large[4096] = {[3] = 9, [0x103] = 7};

int main(void) {
	load();
	IF(large[in[0]] == 9);        // concrete: address
	IF(large[u16(0)] == 7);       // concrete: address
	IF(large[in[0]] == 9);
	IF(in[1] == 1);               // branch
	return 0;
}
