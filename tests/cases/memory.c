/* memcpy, memmove both ways with overlap, memset with an input byte, their builtin and fortified
 * forms, structure assignment, copies at odd offsets, partial overwrites.
 *
 * INPUT abcdefghijklmnop
 * FLAGS -O2 -D_FORTIFY_SOURCE=2
 */
#define _GNU_SOURCE
#include "case.h"

struct record { char name[24]; int n; };

int main(void) {
	load();
	char a[32] = {0}, b[32] = {0};
	size_t volatile n = 16;
	memcpy(a, in, n);
	IF(a[15] == 'p');                       // branch
	memmove(a + 3, a, 10);
	IF(a[3] == 'a');                        // branch
	IF(a[12] == 'j');                       // branch
	memmove(a, a + 3, 10);
	IF(a[9] == 'j');                        // branch
	memset(b, in[2], n);
	IF(b[7] == 'c');                        // branch
	memset(b, 'x', 4);
	IF(b[3] == 'x');                        // nobranch
	IF(b[4] == 'c');                        // branch
	__builtin_memcpy(b + 1, a, 5);
	IF(b[2] == 'b');                        // branch
	struct record r = {"", in[0]}, s;
	memcpy(r.name, in + 1, 7);
	s = r;
	IF(s.name[6] == 'h');                   // branch
	IF(s.n == 'a');                         // branch
	IF(s.name[7] == 0);                     // nobranch
	uint64_t word = u64(0);
	((unsigned char *)&word)[3] = 'Z';
	IF(word == 0x676665645a636261);         // branch
	IF((uint32_t)(word >> 20) == 0x66645a6); // branch
	uint32_t cross;
	memcpy(&cross, (char *)&word + 2, 4);
	IF(cross == 0x66655a63);                // branch
	void *end = mempcpy(a, in, 3);
	IF(end == a + 3);                       // nobranch
	memccpy(a, in, 'c', 16);
	IF(a[2] == 'c');                        // branch
	return 0;
}
