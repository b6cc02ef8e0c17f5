/* _BitInt of odd widths, in registers and in memory.
 *
 * INPUT \x15\x93\x07\xf1\x22\x33\x44\x99\x01\x02\x03\x04\x05\x06\x07\x08
 */
#include "case.h"

struct odd {
	unsigned _BitInt(3) three;
	_BitInt(17) seventeen;
	unsigned _BitInt(61) sixtyone;
	_BitInt(100) hundred;
};

static struct odd stored;

int main(void) {
	load();
	unsigned _BitInt(3) a = (unsigned _BitInt(3))in[0];
	_BitInt(17) b = (_BitInt(17))u32(0);
	unsigned _BitInt(61) c = (unsigned _BitInt(61))u64(0);
	_BitInt(100) d = (_BitInt(100))((unsigned __int128)u64(0) << 64 | u64(8));
	IF(a + (unsigned _BitInt(3))1 == 6); // branch
	IF(b < 0);                           // branch
	IF(b * b == 4);                      // branch
	IF(c % 1000 == 1);                   // branch
	IF(d >> 70 == -3);                   // branch
	stored.three = a;
	stored.seventeen = b;
	stored.sixtyone = c;
	stored.hundred = d;
	IF(stored.three == 5);               // branch
	IF(stored.seventeen > 100);          // branch
	IF(stored.sixtyone > 100);           // branch
	IF(stored.hundred > 100);            // branch
	return 0;
}
