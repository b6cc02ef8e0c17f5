/* spawn.c: from a job on the board to a running process.
 *
 * What a target sees is decided here: a session of its own, default signals, a
 * standard input that is a regular file at position 0, no descriptors but the
 * three standard ones (and the runtime's), fixed addresses, limits. The runtime
 * closes its descriptors itself.
 *
 * Failures after fork are written to the board, which is shared memory, so that
 * muster can say which step failed and why.
 */
#include "run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHM_FD 200 /* beside the fork server's 198 and 199 */

static void fail(struct keeper_board *b, enum keeper_step step) __attribute__((noreturn));
static void fail(struct keeper_board *b, enum keeper_step step)
{
	b->reply.error = errno;
	b->reply.step = step;
	_exit(127);
}

static void set_limit(int what, uint64_t value)
{
	struct rlimit r;

	if (getrlimit((__rlimit_resource_t)what, &r))
		return;
	if (value > r.rlim_max)
		value = r.rlim_max;
	r.rlim_cur = r.rlim_max = value;
	setrlimit((__rlimit_resource_t)what, &r);
}

/* The soft limit up to the hard one, where the runtime needs more than it gives. */
static void raise_limit(int what, uint64_t need)
{
	struct rlimit r;

	if (getrlimit((__rlimit_resource_t)what, &r) || r.rlim_cur >= need)
		return;
	r.rlim_cur = r.rlim_max < need ? r.rlim_max : need;
	setrlimit((__rlimit_resource_t)what, &r);
}

static void limits(const struct keeper_board *b)
{
	const struct keeper_job *j = &b->job;
	int fd;

	set_limit(RLIMIT_CORE, 0);
	if (j->file_size)
		set_limit(RLIMIT_FSIZE, j->file_size);
	if (j->cpu_ns && !j->server) /* the keeper's own measure comes first; this one needs no keeper */
		set_limit(RLIMIT_CPU, j->cpu_ns / 1000000000u + 10);
	if (b->user_threads && j->processes) /* twice: the user may start others meanwhile */
		set_limit(RLIMIT_NPROC, b->user_threads + 2 * (uint64_t)j->processes);
	if (b->has_report)
		raise_limit(RLIMIT_NOFILE, MUSTER_REPORT_FD + 8);
	if (b->has_shm) {
		raise_limit(RLIMIT_AS, RLIM_INFINITY);
		raise_limit(RLIMIT_NOFILE, SHM_FD + 8);
	}
	personality(ADDR_NO_RANDOMIZE); /* refused in some containers: addresses then differ from
					   run to run */
	if (b->sandbox.level == SANDBOX_VIEW)
		return; /* inherited from the keeper */
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) { /* if memory runs out before a limit is seen, the target goes first */
		if (write(fd, "1000", 4) < 0)
			errno = 0;
		close(fd);
	}
}

static void default_signals(void)
{
	struct sigaction sa;
	sigset_t none;

	memset(&sa, 0, sizeof sa);
	sa.sa_handler = SIG_DFL;
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int place(int from, int to)
{
	if (from != to)
		return dup2(from, to);
	return fcntl(to, F_SETFD, 0);
}

static int descriptors(const struct keeper_board *b, const struct spawn *s)
{
	char path[32];
	int in;

	/* Opened again: a position and flags of its own, and no way to write. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", KEEPER_IN);
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return -1;
	if (b->has_shm && place(KEEPER_SHM, SHM_FD) < 0)
		return -1;
	if (b->has_report && place(KEEPER_REPORT, MUSTER_REPORT_FD) < 0)
		return -1;
	if (!s->once &&
	    (place(s->control, MUSTER_CONTROL_FD) < 0 || place(s->status, MUSTER_STATUS_FD) < 0))
		return -1;
	if (place(in, 0) < 0 || place(KEEPER_OUT, 1) < 0 || place(KEEPER_ERR, 2) < 0)
		return -1;
	return 0;
}

/* Where temporary files go if they cannot go where they usually do: beside the input's directory. */
static int temp_directory(const struct keeper_board *b, char *out, size_t size)
{
	for (const char *p = NULL; (p = sandbox_path(&b->sandbox, p));)
		if (*p == SANDBOX_SCRATCH) {
			snprintf(out, size, "TMPDIR=%s/tmp", p + 1);
			return 1;
		}
	return 0;
}

/* The job's strings as vectors. One more variable for the runtime. */
static char **strings(struct keeper_board *b, const char **program, const char **directory,
		      char ***env)
{
	static char shm_variable[32], report_variable[32], tmp_variable[PATH_MAX + 16];
	struct keeper_job *j = &b->job;
	char **argv = malloc((j->argc + j->envc + 6) * sizeof *argv), *p = b->blob;
	unsigned n = 0;

	if (!argv)
		return NULL;
	*program = p;
	p += strlen(p) + 1;
	*directory = p;
	p += strlen(p) + 1;
	for (unsigned i = 0; i < j->argc; i++, p += strlen(p) + 1)
		argv[n++] = p;
	argv[n++] = NULL;
	*env = argv + n;
	for (unsigned i = 0; i < j->envc; i++, p += strlen(p) + 1)
		if (!b->sandbox.own_tmpdir || strncmp(p, "TMPDIR=", 7))
			argv[n++] = p;
	if (b->sandbox.own_tmpdir && temp_directory(b, tmp_variable, sizeof tmp_variable))
		argv[n++] = tmp_variable;
	if (b->has_shm) {
		snprintf(shm_variable, sizeof shm_variable, "%s=%d", MUSTER_FD_ENV, SHM_FD);
		argv[n++] = shm_variable;
	}
	if (b->has_report) {
		snprintf(report_variable, sizeof report_variable, "%s=%d", MUSTER_REPORT_ENV, MUSTER_REPORT_FD);
		argv[n++] = report_variable;
	}
	if (b->has_shm && j->bind_now)
		argv[n++] = MUSTER_BIND_ENV;
	argv[n] = NULL;
	return argv;
}

static void become(struct keeper_board *b, const struct spawn *s) __attribute__((noreturn));
static void become(struct keeper_board *b, const struct spawn *s)
{
	const char *program, *directory;
	char **env, **argv = strings(b, &program, &directory, &env);

	if (!argv)
		fail(b, STEP_EXEC);
	setsid();
	limits(b);
	if (descriptors(b, s))
		fail(b, STEP_DESCRIPTORS);
	if (sandbox_drop(b, s->notice))
		fail(b, STEP_SANDBOX);
	if (*directory && chdir(directory))
		fail(b, STEP_DIRECTORY);
	default_signals();
	execve(program, argv, env);
	fail(b, STEP_EXEC);
}

static void write_status(int fd, const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n)
		_exit(126); /* the keeper is gone */
}

/* The parent of one exec: does what a fork server does for one run. */
static void serve_once(struct keeper_board *b, const struct spawn *s) __attribute__((noreturn));
static void serve_once(struct keeper_board *b, const struct spawn *s)
{
	struct muster_served served;
	struct rusage usage;
	siginfo_t info;
	pid_t pid = fork();
	int32_t word;
	int status;

	if (!pid) {
		word = (int32_t)getpid();
		if (s->deathsig)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		write_status(s->control, &word, sizeof word);
		become(b, s);
	}
	if (s->notice >= 0)
		close(s->notice);
	memset(&served, 0, sizeof served);
	if (pid < 0) {
		served.error = errno;
		write_status(s->status, &served, sizeof served);
		_exit(126);
	}
	/* As in the fork server: if we are killed, the keeper finds the target unreaped. */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR)
			_exit(126);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			_exit(126);
	served.status = status;
	served.peak_kib = (uint32_t)usage.ru_maxrss;
	served.user_us =
	    (uint64_t)usage.ru_utime.tv_sec * 1000000u + (uint64_t)usage.ru_utime.tv_usec;
	served.system_us =
	    (uint64_t)usage.ru_stime.tv_sec * 1000000u + (uint64_t)usage.ru_stime.tv_usec;
	served.faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
	write_status(s->status, &served, sizeof served);
	_exit(0);
}

pid_t spawn_parent(struct keeper_board *b, const struct spawn *s)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setpriority(PRIO_PROCESS, 0, b->nice);
	if (!s->once)
		become(b, s);
	/* A group of its own, so that a signal to a target's parent's group ends here. */
	setpgid(0, 0);
	serve_once(b, s);
}
