/* The exit status from the input: the run's end says which one it was.
 *
 * INPUT \x07
 * STATUS 7
 * PATH *exit*7*
 * ALLOW extern
 */
#include "case.h"

int main(void) {
	load();
	IF(in[0] == 7); // branch
	return in[0];
}
