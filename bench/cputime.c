/* cputime: runs a command and writes what it cost to a file:
 *
 *	cputime FILE COMMAND...
 *
 * writes "SECONDS PEAK-KIB WALL" to FILE (user and system time of the command and everything it waited
 * for) and ends with the command's status. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: cputime FILE COMMAND...\n");
		return 2;
	}
	double start = now();
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	int status = 0;
	struct rusage u;
	if (child < 0 || wait4(child, &status, 0, &u) < 0) {
		perror("cputime");
		return 2;
	}
	FILE *f = fopen(argv[1], "w");
	if (!f) {
		perror(argv[1]);
		return 2;
	}
	fprintf(f, "%.6f %ld %.6f\n",
		(double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6,
		u.ru_maxrss, now() - start);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
