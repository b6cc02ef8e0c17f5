/* An input of 0 bytes: the length is still symbolic.
 *
 * INPUT
 * PATH *len(in)*
 */
#include "case.h"

int main(void) {
	IF(getchar() == EOF);
	char b[4];
	IF(read(0, b, 4) == 0);
	return 0;
}
