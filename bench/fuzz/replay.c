/* replay.c: a main for the clean build: runs the harness on every file named on standard input.
 *
 * Each input has a process of its own, so that no input can spoil the measure of the others. The profile is
 * mapped (%c in LLVM_PROFILE_FILE) and shared by all of them: what an input reached counts, even if it crashes
 * or has to be stopped in the end. Prints how many were run, crashed, and were stopped after two seconds. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run(const char *name)
{
	FILE *f = fopen(name, "rb");
	struct stat st;
	uint8_t *data;
	size_t size;

	if (!f || fstat(fileno(f), &st)) {
		fprintf(stderr, "replay: %s: %s\n", name, strerror(errno));
		return 2;
	}
	data = malloc((size_t)st.st_size);
	size = fread(data, 1, (size_t)st.st_size, f);
	fclose(f);
	alarm(2);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(void)
{
	long runs = 0, crashed = 0, stopped = 0, unread = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		int status = 0;
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		pid_t child = fork();
		if (child == 0)
			exit(run(line));
		if (child < 0 || waitpid(child, &status, 0) < 0) {
			perror("replay");
			return 2;
		}
		runs++;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
			stopped++;
		else if (WIFSIGNALED(status))
			crashed++;
		else if (WEXITSTATUS(status) == 2)
			unread++;
	}
	free(line);
	printf("%ld run, %ld crashed, %ld stopped, %ld unread\n", runs, crashed, stopped, unread);
	return unread != 0;
}
