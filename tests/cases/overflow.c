/* __builtin_*_overflow at several widths and saturating arithmetic.
 *
 * INPUT \xff\xff\xff\x7f\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f\xc8\x64
 */
#include "case.h"

int main(void) {
	load();
	int i;
	unsigned u;
	long l;
	unsigned long ul;
	unsigned char c;
	short s;
	IF(__builtin_add_overflow((int)u32(0), (int)u32(4), &i));      // branch
	IF(i == (int)0x80000001);                                      // branch
	IF(__builtin_add_overflow(u32(0), u32(4), &u));                // branch
	IF(u == 0x80000001);                                           // branch
	IF(__builtin_sub_overflow(u32(4), u32(0), &u));                // branch
	IF(__builtin_sub_overflow((int)u32(4), (int)u32(0), &i));      // branch
	IF(__builtin_mul_overflow((int)u32(0), (int)u32(4), &i));      // branch
	IF(i == -2);                                                   // branch
	IF(__builtin_mul_overflow(u32(0), u32(4), &u));                // branch
	IF(__builtin_add_overflow((long)u64(8), 1L, &l));              // branch
	IF(l < 0);                                                     // branch
	IF(__builtin_mul_overflow(u64(8), u64(8), &ul));               // branch
	IF(__builtin_add_overflow(in[16], in[17], &c));                // branch
	IF(c == 44);                                                   // branch
	IF(__builtin_mul_overflow((short)in[16], (short)in[17], &s));  // branch
	IF(s == 20000);                                                // branch
	IF(__builtin_mul_overflow((int)u32(0), u32(4), &l));           // branch
	IF(__builtin_elementwise_add_sat((int)u32(0), (int)u32(4)) == 0x7fffffff); // branch
	IF(__builtin_elementwise_sub_sat(u32(4), u32(0)) == 0);        // branch
	IF(__builtin_elementwise_add_sat(in[16], (unsigned char)100) == 255); // branch
	return 0;
}
