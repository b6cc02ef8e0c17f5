/* u128: sixteen bytes at a time. */
#include "challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TAKE(unsigned __int128, a);
	TAKE(unsigned __int128, b);
	TAKE(__int128, c);
	NEED(a == ((unsigned __int128)0x0123456789abcdef << 64 | 0xfedcba9876543210));
	NEED(b - a == (unsigned __int128)1 << 100);
	NEED(c < 0 && c > -((__int128)1 << 70));
	NEED((uint64_t)c == 0x5555aaaa5555aaaa);
	abort();
}
