/* cputime: runs a command and writes what it cost to a file:
 *
 *	cputime FILE [-n TIMES] COMMAND...
 *
 * writes "SECONDS PEAK-KIB WALL" to FILE (user and system time of the command and everything it waited
 * for, the mean over TIMES runs) and ends with the last run's status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int run(char **argv)
{
	int status = 0;
	pid_t child = vfork();
	if (child == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("cputime");
		exit(2);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	long times = 1;
	char **command = argv + 2;
	if (argc > 4 && !strcmp(argv[2], "-n")) {
		times = strtol(argv[3], NULL, 10);
		command = argv + 4;
	}
	if (argc < 3 || times < 1) {
		fprintf(stderr, "usage: cputime FILE [-n TIMES] COMMAND...\n");
		return 2;
	}
	double start = now();
	int status = 0;
	for (long i = 0; i < times; i++)
		status = run(command);
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	FILE *f = fopen(argv[1], "w");
	if (!f) {
		perror(argv[1]);
		return 2;
	}
	double cpu = (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	fprintf(f, "%.9f %ld %.6f\n", cpu / (double)times, u.ru_maxrss, (now() - start) / (double)times);
	fclose(f);
	return status;
}
