/* Globals, statics in functions and same-named statics keep their labels between calls.
 *
 * INPUT abc
 */
#include "case.h"

static int next(void) {
	static int position;
	static unsigned char last;
	unsigned char was = last;
	last = in[position++];
	return was;
}

int main(void) {
	load();
	IF(next() == 0);   // nobranch
	IF(next() == 'a'); // branch
	IF(next() == 'b'); // branch
	return 0;
}
