/* u32: four bytes at a time: equality, sums and products, order of bytes. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TAKE(uint32_t, a);
	TAKE(uint32_t, b);
	TAKE(uint32_t, c);
	TAKE(uint32_t, d);
	TAKE(uint32_t, e);
	NEED(a == 0xdeadbeef);
	NEED(__builtin_bswap32(b) == 0xcafe0001);
	NEED(c + a == 0x10203040);
	NEED(d * 0x01000193u == 0x5bd1e995);
	NEED((e << 7 | e >> 25) == 0x13579bdf);
	abort();
}
