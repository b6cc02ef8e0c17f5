/* extint: integers of odd widths. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TAKE(uint64_t, bits);
	TAKE(uint64_t, more);
	unsigned _BitInt(24) a = (unsigned _BitInt(24))bits;
	unsigned _BitInt(13) b = (unsigned _BitInt(13))(bits >> 24);
	_BitInt(27) c = (_BitInt(27))(bits >> 37);
	unsigned _BitInt(48) d = (unsigned _BitInt(48))more;
	NEED(a == 0xabcdef);
	NEED((unsigned _BitInt(13))(b * 5) == 0x1003);
	NEED(c < -1000 && c > -1010);
	NEED(d == (unsigned _BitInt(48))a * 0x10001);
	abort();
}
