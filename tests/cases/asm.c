/* Inline assembly: labelled operands are given up at its line; what it wrote is concrete after it.
 *
 * INPUT \x05\x03
 */
#include "case.h"

int main(void) {
	load();
	unsigned x = in[0], y;
	__asm__("leal 1(%1), %0" : "=r"(y) : "r"(x)); // concrete: asm
	IF(y == 6);                                   // nobranch
	__asm__ volatile("" ::: "memory");
	IF(in[1] == 3);                               // branch
	unsigned m = in[1];
	__asm__("addl $1, %0" : "+m"(m));             // concrete: asm
	IF(m == 4);                                   // nobranch
	return 0;
}
