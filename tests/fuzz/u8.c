/* u8: bytes: equality, ranges, arithmetic that wraps, signs, bits. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TAKE(uint8_t, a);
	TAKE(uint8_t, b);
	TAKE(uint8_t, c);
	TAKE(int8_t, d);
	TAKE(uint8_t, e);
	TAKE(uint8_t, f);
	NEED(a == 0x7a);
	NEED(b > 0xe0 && b < 0xe3);
	NEED((uint8_t)(c + 0x90) == 0x11);
	NEED(d < -100 && d != -128);
	NEED((e & 0xf0) == 0x50 && (e & 1));
	NEED((uint8_t)(f * 7) == 0x99);
	abort();
}
