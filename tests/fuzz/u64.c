/* u64: eight bytes at a time. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TAKE(uint64_t, a);
	TAKE(uint64_t, b);
	TAKE(uint64_t, c);
	TAKE(int64_t, d);
	NEED(a == 0x1122334455667788);
	NEED(__builtin_bswap64(b) == 0xfeedfacecafebeef);
	NEED(c - b == a);
	NEED(d < -0x4000000000000000 && d > -0x4000000000000100);
	NEED((uint64_t)d % 3 == 1);
	abort();
}
