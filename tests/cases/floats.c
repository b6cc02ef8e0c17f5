/* Floating point is given up where an integer enters it, with the reason and the line.
 *
 * INPUT \x05\x03\x00\x00\x80\x3f
 */
#include "case.h"
#include <math.h>

int main(void) {
	load();
	double d = in[0];    // concrete: float
	IF(d * 2.0 == 10.0); // nobranch
	float f;
	memcpy(&f, in + 2, 4);
	f = f + 1.0f;        // concrete: float
	IF(f == 2.0f);       // nobranch
	double stored[2] = {1.0, 2.0};
	stored[1] = 3.0;
	IF(stored[1] == 3.0); // nobranch
	IF(in[1] == 3);      // branch
	return 0;
}
