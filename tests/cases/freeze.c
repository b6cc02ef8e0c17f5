/* freeze stands where C asks for some value, whichever: it is concrete, and what is beside it is not.
 *
 * INPUT q
 */
#include "case.h"

int main(void) {
	load();
	int some = __builtin_nondeterministic_value(some);
	IF((some & 0) + in[0] == 'q'); // branch
	int c = in[0];
	c = (c & __builtin_nondeterministic_value(c)) & 0;
	IF(c == 0);
	return 0;
}
