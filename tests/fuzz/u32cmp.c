/* u32cmp: orders and remainders, signed and unsigned, where no constant stands that could be copied. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TAKE(uint32_t, a);
	TAKE(int32_t, b);
	TAKE(uint32_t, c);
	TAKE(uint32_t, d);
	NEED(a > 0x7ffffff0 && a < 0x7ffffff9);
	NEED(b < 0 && b > -16);
	NEED(c / 1000 == 4321 && c % 1000 > 990);
	NEED(d > c && d - c < 5);
	NEED((a ^ d) % 7 == 3);
	abort();
}
