/* exec: the trace up to it is kept.
 *
 * INPUT ab
 * ALLOW extern
 */
#include "case.h"

int main(void) {
	load();
	IF(in[0] == 'a'); // branch
	fflush(stdout);
	execl("/bin/echo", "echo", "another program", (char *)NULL);
	return 1;
}
