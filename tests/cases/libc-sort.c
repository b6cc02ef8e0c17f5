/* qsort and bsearch with a comparison of the program's; elements of several sizes.
 *
 * INPUT \x05\x00\x00\x00\x03\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00\x00
 */
#include "case.h"

static int by_value(const void *a, const void *b) {
	int x = *(const int *)a, y = *(const int *)b;
	return x < y ? -1 : x > y; // branch
}

struct pair { int key, value; };
static int by_key(const void *a, const void *b) {
	return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}

int main(void) {
	load();
	int n[4];
	memcpy(n, in, sizeof n);
	qsort(n, 4, sizeof n[0], by_value);
	IF(n[0] == 1);                             // branch
	IF(n[3] == 9);                             // branch
	struct pair p[3] = {{(int)u32(0), 1}, {(int)u32(4), 2}, {(int)u32(8), 3}};
	qsort(p, 3, sizeof p[0], by_key);
	IF(p[0].key == 3);                         // branch
	IF(p[0].value == 2);                       // nobranch
	int key = 5;
	int *hit = bsearch(&key, n, 4, sizeof n[0], by_value);
	IF(hit == &n[2]);
	return 0;
}
