/* Vectors element by element: arithmetic, comparison, shuffles, reading and writing one element.
 *
 * INPUT \x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10
 */
#include "case.h"

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char v16 __attribute__((vector_size(16)));
typedef short v8 __attribute__((vector_size(16)));
typedef unsigned char v128 __attribute__((vector_size(128)));

static v4 scale(v4 a, int k) { return a * (v4){k, k, k, k}; }

int main(void) {
	load();
	v4 a = {in[0], in[1], in[2], in[3]}, b = {in[4], in[5], in[6], 100};
	v4 sum = a + b;
	IF(sum[0] == 6);                                // branch
	IF(sum[3] == 104);                              // branch
	IF((a * b)[1] == 12);                           // branch
	IF((a < b)[2] == -1);                           // branch
	IF((a << 2)[2] == 12);                          // branch
	IF(scale(a, in[7])[1] == 16);                   // branch
	v4 mixed = __builtin_shufflevector(a, b, 0, 4, 1, 5);
	IF(mixed[1] == 5);                              // branch
	a[1] = in[8];
	IF(a[1] == 9);                                  // branch
	IF(a[2] == 3);                                  // branch
	v16 bytes;
	memcpy(&bytes, in, sizeof bytes);
	bytes ^= 0x20;
	IF(bytes[3] == 0x24);                           // branch
	v8 halves = (v8)bytes;
	IF(halves[1] == 0x2423);                        // branch
	v4 stored[2] = {a, b};
	IF(stored[1][1] == 6);                          // branch
	v4 pick = (a & (a > b)) | (b & ~(a > b));
	IF(pick[0] == 5);                               // branch
	IF(__builtin_reduce_add(b) == 118);             // branch
	IF(__builtin_reduce_max(a) == 9);               // branch
	v128 wide = {0};
	wide[5] = in[9];                                // concrete: width
	IF(wide[5] == 10);                              // nobranch
	return 0;
}
