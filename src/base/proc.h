/* proc.h: running helper programs (compilers, linkers, tools), and parts of muster in a process of their own. Targets under
 * test are started by run/, which has limits and a sandbox. */
#ifndef MUSTER_PROC_H
#define MUSTER_PROC_H

#include "base/buf.h"

#include <sys/types.h>

struct proc_opts {
	const char *dir;	/* where to run it; NULL: here */
	const char *const *env; /* NAME=VALUE added to the environment; NULL-terminated or NULL */
	const void *input;	/* standard input, if not NULL */
	size_t input_size;
	int null_input; /* /dev/null instead of ours */
	int capture_out, capture_err;
	int merge_err; /* standard error goes where standard output goes */
	/* A function of muster's instead of the program argv[0]: it has the process for itself, and what it returns is the exit status. */
	int (*call)(char *const argv[], const void *ctx);
	const void *ctx;
};

struct proc_result {
	int status;	     /* exit status; 128 + signal number if killed */
	struct buf out, err; /* what was captured */
};

/* Runs argv[0] (looked up in PATH) and waits. -1 if it could not be started or
 * watched, or had to be ended at the command's deadline (base/deadline.h); an exit status
 * other than 0 is a result, not a failure. opts may be NULL. */
int proc_run(char *const argv[], const struct proc_opts *opts, struct proc_result *r);
void proc_release(struct proc_result *r);

/* Several at once: fill argv and opts, the rest zero. Waits for all of them; -1 if
 * one could not be started, and then result.status of that one is 127. */
struct proc_job {
	char *const *argv;
	struct proc_opts opts;
	struct proc_result result;
	/* private */
	pid_t pid;
	int in, out, err, exec, end;
	size_t fed;
};
int proc_run_many(struct proc_job *jobs, int count);

/* Where argv[0] would be found in PATH, allocated; NULL if nowhere. */
char *proc_which(const char *name);

#endif
