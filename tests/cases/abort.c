/* abort and assert end the run; the trace has everything before.
 *
 * INPUT ab
 * STATUS 134
 * PATH *SIGABRT*
 */
#include "case.h"
#include <assert.h>

int main(void) {
	load();
	IF(in[0] == 'a');      // branch
	fflush(stdout);
	assert(in[1] != 'b');  // branch
	return 0;
}
