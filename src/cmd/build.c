/* build.c: muster build, which runs a build with muster-cc as the C compiler.
 *
 * CC in the environment is enough for configure and CMake. A makefile that sets CC
 * itself gives way to the command line only, so a make gets CC=... there, and hands
 * it to the makes below.
 *
 * The build is a child, since it must end when muster is told to: make and shells that get a signal alone wait for the compiler that they started. So a
 * signal is given to everything below us: to those who wait for others first, or a shell would go on with its next command. Who sent it to the whole group (a terminal does) has no need of that: a short
 * while passes before, for a make that hears it twice ends without removing what it made by half. What does not listen is killed. Processes that
 * began a session of their own mean to stay, and are left alone.
 */
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/vec.h"
#include "cmd/cmd.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds after a signal at which ... */
#define TELL_AT 0.1   /* the processes of the build get it too, */
#define KILL_AT 0.6   /* whoever is left is killed, */
#define LEAVE_AT 0.85 /* and not waited for any longer */

/* muster-cc beside this executable. */
static char *wrapper(void)
{
	char *self = file_self(), *dir, *path;

	if (!self)
		return NULL;
	dir = file_dir(self);
	path = file_join(dir, "muster-cc");
	free(dir);
	free(self);
	if (access(path, X_OK)) {
		error_errno("cannot use '%s' (run 'make', or 'make install' again)", path);
		return NULL;
	}
	return path;
}

static int is_make(const char *command)
{
	const char *base = file_base(command);

	return !strcmp(base, "make") || !strcmp(base, "gmake");
}

/* ---------------------------------------------------------------- processes */

struct process {
	pid_t pid, parent;
	int session, below, has_children;
};

typedef VEC(struct process) process_list;

static int read_process(const char *name, struct process *p)
{
	char path[64], text[512], *end;
	char state;
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "/proc/%.20s/stat", name);
	*p = (struct process){.pid = (pid_t)atoi(name)};
	if (p->pid <= 0 || !(f = fopen(path, "re")))
		return -1;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = 0;
	end = strrchr(text, ')'); /* a name may have anything in it */
	return end && sscanf(end + 1, " %c %d %*d %d", &state, &p->parent, &p->session) == 3 && state != 'Z' ? 0 : -1;
}

/* Children of ours and theirs, in our session. */
static void find_below(process_list *list)
{
	DIR *d = opendir("/proc");
	struct process p;
	int found = 1, session = (int)getsid(0);

	vec_clear(list);
	for (struct dirent *e; d && (e = readdir(d));)
		if (!read_process(e->d_name, &p) && p.session == session) {
			p.below = p.parent == getpid();
			vec_push(list, p);
		}
	if (d)
		closedir(d);
	while (found) {
		found = 0;
		for (size_t i = 0; i < list->size; i++)
			for (size_t k = 0; k < list->size && list->data[i].below; k++)
				if (list->data[k].parent == list->data[i].pid) {
					found |= !list->data[k].below;
					list->data[k].below = list->data[i].has_children = 1;
				}
	}
}

/* ---------------------------------------------------------------------- end */

/* The ends of all children that have ended. 1: that of the build is among them. */
static int reap(pid_t build, int *status)
{
	int s, ended = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &s, WNOHANG)) > 0)
		if (pid == build) {
			*status = s;
			ended = 1;
		}
	return ended;
}

typedef VEC(pid_t) pid_list;

/* Once each: a second signal means more haste to some. Returns whether anybody is left. */
static int tell(const process_list *list, int has_children, int number, pid_list *told)
{
	int left = 0, known;

	for (size_t i = 0; i < list->size; i++) {
		const struct process *p = &list->data[i];
		if (!p->below || p->has_children != has_children)
			continue;
		known = !number;
		for (size_t k = 0; k < told->size && !known; k++)
			known = told->data[k] == p->pid;
		if (!known) {
			kill(p->pid, number);
			if (number != SIGKILL)
				vec_push(told, p->pid);
		}
		left = 1;
	}
	return left;
}

static void end_build(pid_t build, int number)
{
	double began = deadline_clock(), passed;
	process_list list = {0};
	pid_list told = {0};
	int status, left = 1;

	while (left && (passed = deadline_clock() - began) < LEAVE_AT) {
		int sent = passed < TELL_AT ? 0 : passed < KILL_AT ? number : SIGKILL;
		find_below(&list);
		if (sent == SIGKILL)
			vec_clear(&told);
		left = tell(&list, 1, sent, &told);
		left |= tell(&list, 0, sent, &told);
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		reap(build, &status);
	}
	vec_release(&list);
	vec_release(&told);
}

/* As if we had been the command: by the same signal, or with the same status. */
static _Noreturn void end_as(int number, int status)
{
	sigset_t set;

	if (number) {
		prctl(PR_SET_DUMPABLE, 0); /* the core file is the command's */
		signal(number, SIG_DFL);
		sigemptyset(&set);
		sigaddset(&set, number);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		raise(number);
	}
	exit(status);
}

/* The signals that are waited for: a child's end, and those that end the build, if whoever started us did not have them ignored. */
static void wanted_signals(sigset_t *set)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(set, numbers[i]);
}

static _Noreturn void run_build(char **command)
{
	struct sigaction before, fresh = {.sa_handler = SIG_DFL};
	sigset_t set, mask;
	int status = 0, number;
	pid_t self = getpid(), pid;

	wanted_signals(&set);
	sigaction(SIGCHLD, &fresh, &before);
	sigprocmask(SIG_BLOCK, &set, &mask);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* a compiler whose parent has ended is still below us */
	pid = fork();
	if (pid < 0)
		die(EXIT_INTERNAL, "cannot start '%s': %s", command[0], strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigaction(SIGCHLD, &before, NULL);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		if (getppid() == self)
			execvp(command[0], command);
		die(EXIT_USAGE, "cannot run '%s': %s", command[0], strerror(errno));
	}
	for (;;) {
		number = sigwaitinfo(&set, NULL);
		if (number > 0 && number != SIGCHLD) {
			end_build(pid, number);
			end_as(number, 128 + number);
		}
		if (reap(pid, &status))
			end_as(WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	}
}

int cmd_build(int argc, char **argv)
{
	const struct option_row rows[] = {OPTION_END};
	const struct option_spec spec = {
	    "build", "-- COMMAND [ARGUMENTS]",
	    "Runs COMMAND (./configure, cmake, make ...) with CC set to muster-cc, so that all\n"
	    "it compiles and links carries records. CXX is left alone.\n\n"
	    "  muster build -- ./configure --disable-shared\n"
	    "  muster build -- make -j2\n"
	    "  muster doctor ./prog                     what was recorded",
	    rows};
	int i = option_parse(&spec, argc, argv), n = 0;
	char **command, *cc, *assignment;

	if (i >= argc)
		option_usage(&spec, "wants a command, as in 'muster build -- make'");
	cc = wrapper();
	if (!cc)
		die(EXIT_INTERNAL, "%s", error_text());
	setenv("CC", cc, 1);
	command = mem_alloc((argc - i + 2) * sizeof *command);
	command[n++] = argv[i];
	assignment = mem_printf("CC=%s", cc);
	if (is_make(argv[i]))
		command[n++] = assignment;
	for (int k = i + 1; k < argc; k++)
		command[n++] = argv[k];
	command[n] = NULL;
	run_build(command);
}
