/* Long chains: a hash and a checksum over the input, compared at the end.
 *
 * INPUT The quick brown fox jumps over the lazy dog
 */
#include "case.h"

int main(void) {
	long n = load();
	uint32_t h = 5381, crc = ~0u, a = 1, b = 0;
	for (long i = 0; i < n; i++) { // branch
		h = h * 33 ^ in[i];
		crc ^= in[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
		a = (a + in[i]) % 65521;
		b = (b + a) % 65521;
	}
	IF(~crc == 0x414fa339);          // branch
	IF((b << 16 | a) == 0x5bdc0fda); // branch
	IF(h == 12345);                  // branch
	return 0;
}
