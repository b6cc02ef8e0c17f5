/* narrow-compare: comparisons of widened values, which are recorded as comparisons of the narrow ones.
 *
 * INPUT \x00\x7f\x80\xffAa\x34\x12\xff\xff\x80\x7fQZ\x01\x00
 */
#include "case.h"

static int bytes(unsigned char c, signed char s) {
	int n = 0;
	if (c >= 'a') n += 1;               // branch in[
	if (c < 0x80) n += 2;               // branch in[
	if ('A' <= c) n += 4;               // branch in[
	if (c == 0xff) n += 8;              // branch in[
	if (s < 0) n += 16;                 // branch in[
	if (s > -2) n += 32;                // branch in[
	if (s == -128) n += 64;             // branch in[
	if ((unsigned)s > 0xffffff80u) n += 128; // branch in[
	if ((unsigned)s < 0x1000u) n += 256; // branch in[
	return n;
}

static int decided(unsigned char c) {
	int n = 0;
	if (c < 256) n += 1;                // nobranch
	if (c == -1) n += 2;                // nobranch
	if (c > -5) n += 4;                 // nobranch
	if ((unsigned)c >= 0x80000000u) n += 8; // nobranch
	return n;
}

static int pairs(unsigned short x, unsigned short y, short p, short q, unsigned char c) {
	int n = 0;
	if (x < y) n += 1;                  // branch in[
	if (p < q) n += 2;                  // branch in[
	if (x == y) n += 4;                 // branch in[
	if (x >= c) n += 8;                 // branch in[
	if (p <= c) n += 16;                // branch in[
	int kept = x > 0x1233, same = kept == (c > 'P');
	if (same) n += 32;                  // branch in[
	return n + 64 * kept;
}

int main(void) {
	load();
	for (int i = 0; i < 6; i++)
		printf("%d %d\n", bytes(in[i], (signed char)in[i]), decided(in[i]));
	printf("%d\n", pairs(in[6] | in[7] << 8, in[8] | in[9] << 8, (short)(in[8] | in[9] << 8),
			     (short)(in[10] | in[11] << 8), in[12]));
	printf("%d\n", pairs(in[6] | in[7] << 8, in[6] | in[7] << 8, (short)(in[14] | in[15] << 8),
			     (short)(in[13] << 8), in[13]));
	return 0;
}
