/* An input of 0 bytes: the length is still symbolic.
 *
 * INPUT
 */
#include "case.h"

int main(void) {
	IF(getchar() == EOF); // branch
	char b[4];
	IF(read(0, b, 4) == 0); // branch
	return 0;
}
