/* fork: the child runs concretely and adds nothing to the trace; the parent goes on.
 *
 * INPUT ab
 * PATH *fork*
 * ALLOW extern
 */
#include "case.h"
#include <sys/wait.h>

int main(void) {
	load();
	IF(in[0] == 'a'); // branch
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		IF(in[1] == 'z'); // nobranch
		fflush(stdout);
		_exit(3);
	}
	int status;
	waitpid(child, &status, 0);
	IF(WEXITSTATUS(status) == 3);
	IF(in[1] == 'b'); // branch
	return 0;
}
