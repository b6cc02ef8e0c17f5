/* read: in one go, in pieces, past the end; the count is a function of the length.
 *
 * INPUT abcdefghij
 */
#include "case.h"

int main(void) {
	char b[16];
	IF(read(0, b, 4) == 4);
	IF(b[3] == 'd');           // branch
	ssize_t n = read(0, b, 16);
	IF(n == 6);                // branch
	IF(b[5] == 'j');           // branch
	IF(read(0, b, 16) == 0);   // nobranch
	IF(b[5] == 'j');           // branch
	return 0;
}
