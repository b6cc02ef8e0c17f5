/* vfork shares the parent's memory: the child adds nothing, the parent goes on after exec.
 *
 * INPUT ab
 * ALLOW extern
 */
#define _DEFAULT_SOURCE
#include "case.h"
#include <sys/wait.h>

int main(void) {
	load();
	IF(in[0] == 'a'); // branch
	fflush(stdout);
	pid_t child = vfork();
	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	int status;
	waitpid(child, &status, 0);
	IF(WEXITSTATUS(status) == 0);
	IF(in[1] == 'b'); // branch
	return 0;
}
