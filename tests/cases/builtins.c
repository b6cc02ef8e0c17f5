/* bswap, bitreverse, popcount, clz, ctz, ffs, parity, abs, minima and maxima, rotates.
 *
 * INPUT \x12\x34\x56\xf8\x9a\xbc\xde\xf0\xff\xff\xff\x80
 */
#include "case.h"

int main(void) {
	load();
	IF(__builtin_bswap16(u16(0)) == 0x1234);                   // branch
	IF(__builtin_bswap32(u32(0)) == 0x123456f8);               // branch
	IF(__builtin_bswap64(u64(0)) == 0x123456f89abcdef0);       // branch
	IF(__builtin_bitreverse8(in[0]) == 0x48);                  // branch
	IF(__builtin_bitreverse32(u32(0)) == 0x486a2c1f);          // branch
	IF(__builtin_bitreverse64(u64(0)) == 1);                   // branch
	IF(__builtin_popcount(u32(0)) == 14);                      // branch
	IF(__builtin_popcountll(u64(0)) == 35);                    // branch
	IF(__builtin_clz(u32(0)) == 0);                            // branch
	IF(__builtin_clzll(u64(0) >> 9) == 9);                     // branch
	IF(__builtin_ctz(u32(0)) == 1);                            // branch
	IF(__builtin_ctzll(u64(0) << 7) == 8);                     // branch
	IF(__builtin_ffs((int)u32(0)) == 2);                       // branch
	IF(__builtin_parity(u32(0)) == 1);                         // branch
	IF(abs((int)u32(8)) == 2130706433);                        // branch
	IF(labs((long)(int)u32(8)) == 2130706433);                 // branch
	IF(__builtin_elementwise_min(u32(0), u32(4)) == u32(4));   // branch
	IF(__builtin_elementwise_max((int)u32(0), (int)u32(4)) < 0); // branch
	IF(__builtin_elementwise_abs((int)u32(8)) == 2130706433);  // branch
	IF(__builtin_rotateleft32(u32(0), 7) == 0x2b1a097c);       // branch
	IF(__builtin_rotateright64(u64(0), 9) == 5);               // branch
	IF(__builtin_rotateleft8(in[0], in[1]) == 0x21);           // branch
	IF(__builtin_rotateright16(u16(0), in[0]) == 0x4d04);      // branch
	return 0;
}
