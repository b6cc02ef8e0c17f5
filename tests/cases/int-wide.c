/* An integer wider than 128 bits is given up, with its reason and line.
 *
 * INPUT \x15\x93\x07\xf1\x22\x33\x44\x99
 * ALLOW width
 */
#include "case.h"

int main(void) {
	load();
	unsigned _BitInt(200) a = (unsigned _BitInt(200))u64(0); // concrete: width
	a = a * a * a;
	IF(a > 12345);
	IF(in[0] == 0x15); // branch
	return 0;
}
