/* solver_main.c: the program muster-solver, in which Z3 runs. Only muster starts it:
 *
 *	muster-solver PID MEMORY
 *
 * It ends with the process PID, its parent: by a signal while Z3 works, and at the end of the socket else. Signals from the
 * terminal are muster's to handle. */
#include "solve/z3_link.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3 || fcntl(Z3_LINK_FD, F_GETFD) < 0) {
		fprintf(stderr, "muster-solver is a part of muster, which starts it for hard "
				"queries; try: muster --help\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != (pid_t)atol(argv[1])) /* it died before we could ask for that */
		return 0;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	syscall(SYS_close_range, Z3_LINK_FD + 1, ~0u, 0);
#ifndef MUSTER_ASAN
	/* Where Z3 has no memory left, its C++ library says so before the process ends: for muster that query has no answer, and users need not read of it. */
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
#endif
	return z3_serve(strtoull(argv[2], NULL, 10));
}
