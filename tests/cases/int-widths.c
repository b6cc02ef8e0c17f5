/* Integers of 8 to 128 bits, signed and unsigned: arithmetic, comparison, division.
 *
 * INPUT \x07\xfe\x10\x80\x01\x02\x03\x84\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x01
 */
#include "case.h"

int main(void) {
	load();
	uint8_t a = in[0];
	int8_t b = (int8_t)in[1];
	uint16_t c = u16(2);
	int16_t d = (int16_t)u16(4);
	uint32_t e = u32(4);
	int32_t f = (int32_t)u32(4);
	uint64_t g = u64(8);
	int64_t h = (int64_t)u64(8);
	unsigned __int128 i = (unsigned __int128)u64(8) << 64 | u64(16);
	__int128 j = (__int128)i;

	IF((uint8_t)(a * 37) == 3);       // branch
	IF(b / 3 == 0);                   // branch
	IF(b % 3 == -2);                  // branch
	IF((uint16_t)(c + c) == 0x20);    // branch
	IF(d < -5);                       // branch
	IF(e * 0x9e3779b1u > 0x80000000); // branch
	IF(f / 7 < -100);                 // branch
	IF(f >> 5 == -1);                 // branch
	IF(e >> 5 == 1);                  // branch
	IF(g / 1000003 == 12);            // branch
	IF(h % 1000003 > 0);              // branch
	IF(h - 1 < h);                    // branch
	IF(i * i + 5 > i);                // branch
	IF(i / 1000000007u == 99);        // branch
	IF(j % 1000000007 == 4);          // branch
	IF(j >> 100 < 0);                 // branch
	IF((uint64_t)(i >> 60) == 1);     // branch
	IF(j < 0);                        // branch
	return 0;
}
