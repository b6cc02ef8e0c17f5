/* switch: dense, sparse, ranges, 64-bit and 8-bit values, default, in a loop.
 *
 * INPUT b\x07\x40\xe2\x01\x00\x00\x00\x00\x00\x80Zq
 */
#include "case.h"

static int dense(unsigned char c) {
	switch (c) { // branch
	case 'a': return 1;
	case 'b': return 2;
	case 'c': return 3;
	default: return 0;
	}
}

static int ranges(unsigned char c) {
	switch (c) { // branch
	case 'a' ... 'z': return 1;
	case 'A' ... 'Z': return 2;
	case '0' ... '9': return 3;
	}
	return 4;
}

static int wide(uint64_t v) {
	switch (v) { // branch
	case 0x800000000001e240ull: return 1;
	case 0x1e240ull: return 2;
	case ~0ull: return 3;
	default: return 4;
	}
}

int main(void) {
	load();
	printf("%d\n", dense(in[0]));
	printf("%d\n", dense(in[1]));
	printf("%d\n", ranges(in[11]));
	printf("%d\n", ranges(in[12]));
	printf("%d\n", ranges(in[1]));
	uint64_t v = u64(2) >> 0;
	printf("%d\n", wide(v));
	printf("%d\n", wide(123456));
	switch ((signed char)in[3]) { // branch
	case -30: puts("minus thirty"); break;
	case 30: puts("thirty"); break;
	}
	switch (in[1] == 7) { // branch
	case 0: puts("zero"); break;
	case 1: puts("one"); break;
	}
	return 0;
}
