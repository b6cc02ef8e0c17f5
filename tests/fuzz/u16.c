/* u16: two bytes at a time, in both orders. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TAKE(uint16_t, a);
	TAKE(uint16_t, b);
	TAKE(int16_t, c);
	TAKE(uint16_t, d);
	TAKE(uint16_t, e);
	NEED(a == 0xbeef);
	NEED(__builtin_bswap16(b) == 0x1234);
	NEED(c < -30000 && c > -30010);
	NEED((uint16_t)(d - 1000) < 4 && d % 2);
	NEED((uint16_t)(e ^ a) == 0x0ff0);
	abort();
}
