/* proc.c: fork, exec or a call, and one poll loop over the pipes of all jobs.
 *
 * Inputs and outputs of all jobs are served together, so that none can block
 * another. A failing exec is distinguished from a failing program by a close-on-exec
 * pipe that carries errno. Every pipe end is close-on-exec: no child keeps
 * another's pipe open.
 *
 * No job is waited for beyond the command's deadline: then all jobs are ended, each
 * with its group, since a compiler's linker is a process of its own.
 */
#include "base/proc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN, OUT, ERR, EXEC, PIPES };

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_pipes(int pipes[PIPES][2], int end)
{
	for (int i = 0; i < PIPES; i++)
		close_fd(&pipes[i][i == IN ? !end : end]);
}

/* Without exec, which would close them: a pipe that stays open here has no end elsewhere. */
static void close_parents(int pipes[PIPES][2], const struct proc_job *jobs, int count)
{
	close_pipes(pipes, 0);
	for (int i = 0; i < count; i++) {
		const int fds[] = {jobs[i].in, jobs[i].out, jobs[i].err, jobs[i].exec, jobs[i].end};

		for (size_t k = 0; k < sizeof fds / sizeof *fds; k++)
			if (fds[k] >= 0)
				close(fds[k]);
	}
}

/* With vfork memory is the parent's, which waits: nothing of it is written to. */
static void child(char *const argv[], const struct proc_opts *o, char *const env[], int pipes[PIPES][2], pid_t parent)
{
	int e;

	/* Helpers do not outlive us, not even one whose parent died before it could say so. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	if (deadline_groups())
		setpgid(0, 0);
	if (pipes[IN][0] >= 0) {
		dup2(pipes[IN][0], 0);
	} else if (o->null_input) {
		int fd = open("/dev/null", O_RDONLY);

		if (fd > 0)
			dup2(fd, 0);
	}
	if (pipes[OUT][1] >= 0)
		dup2(pipes[OUT][1], 1);
	if (pipes[ERR][1] >= 0)
		dup2(pipes[ERR][1], 2);
	if (o->merge_err)
		dup2(1, 2);
	if (!o->dir || !chdir(o->dir)) {
		if (o->call) {
			close_fd(&pipes[IN][0]);
			close_fd(&pipes[OUT][1]);
			close_fd(&pipes[ERR][1]);
			deadline_child(); /* what it starts is ended with it */
			e = o->call(argv, o->ctx);
			fflush(NULL);
			file_exit_child(e);
		}
		execvpe(argv[0], argv, env);
	}
	e = errno;
	if (write(pipes[EXEC][1], &e, sizeof e) < 0)
		_exit(126);
	_exit(127);
}

/* Reads what is there; closes at the end. */
static void drain(int *fd, struct buf *b)
{
	ssize_t n;

	buf_reserve(b, 65536);
	n = read(*fd, b->data + b->size, 65536);
	if (n > 0)
		b->size += n;
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		close_fd(fd);
}

static void feed(struct proc_job *j)
{
	ssize_t n = write(j->in, (const char *)j->opts.input + j->fed, j->opts.input_size - j->fed);

	if (n > 0)
		j->fed += n;
	if (j->fed == j->opts.input_size || (n < 0 && errno != EINTR && errno != EAGAIN))
		close_fd(&j->in);
}

/* What one job is waited for: its pipes, and its end. */
enum { FD_IN, FD_OUT, FD_ERR, FD_END, FDS };

static int poll_job(const struct proc_job *j, struct pollfd *fds)
{
	int piping = j->in >= 0 || j->out >= 0 || j->err >= 0;

	fds[FD_IN] = (struct pollfd){j->in, POLLOUT, 0};
	fds[FD_OUT] = (struct pollfd){j->out, POLLIN, 0};
	fds[FD_ERR] = (struct pollfd){j->err, POLLIN, 0};
	/* Its output may be read to the end only after it; till then its end is no news. */
	fds[FD_END] = (struct pollfd){piping ? -1 : j->end, POLLIN, 0};
	return piping || j->end >= 0;
}

static void serve_job(struct proc_job *j, const struct pollfd *fds)
{
	if (j->in >= 0 && fds[FD_IN].revents)
		feed(j);
	if (j->out >= 0 && fds[FD_OUT].revents)
		drain(&j->out, &j->result.out);
	if (j->err >= 0 && fds[FD_ERR].revents)
		drain(&j->err, &j->result.err);
	if (j->end >= 0 && fds[FD_END].revents)
		close_fd(&j->end);
}

/* Until every pipe of every job is closed and every job has ended, or until the deadline: 1. */
static int serve(struct proc_job *jobs, int count)
{
	struct pollfd *fds = mem_alloc((FDS * count + 1) * sizeof *fds);
	int cut = 0;

	while (!(cut = deadline_cut())) {
		int open_ends = 0;

		for (int i = 0; i < count; i++)
			open_ends |= poll_job(&jobs[i], fds + FDS * i);
		if (!open_ends || (poll(fds, FDS * count, deadline_ms(-1)) < 0 && errno != EINTR))
			break;
		for (int i = 0; i < count; i++)
			serve_job(&jobs[i], fds + FDS * i);
	}
	free(fds);
	return cut;
}

/* Ours, with what the job adds or has otherwise. */
static char **environment(const char *const *more)
{
	VEC(char *) all = {0};

	for (char **v = environ; v && *v; v++) {
		int ours = 1;
		for (const char *const *w = more; w && *w; w++)
			ours &= strncmp(*w, *v, strcspn(*w, "=") + 1) != 0;
		if (ours)
			vec_push(&all, *v);
	}
	for (const char *const *w = more; w && *w; w++)
		vec_push(&all, (char *)*w);
	vec_push(&all, NULL);
	return all.data;
}

/* Leaves our ends in the job. A job that did not start has pid -1. before: jobs that were started before it. */
static int start(struct proc_job *j, int before)
{
	const int wanted[PIPES] = {j->opts.input != NULL, j->opts.capture_out, j->opts.capture_err,
				   1};
	int pipes[PIPES][2], e = 0;

	j->result = (struct proc_result){.status = 127};
	j->fed = 0;
	memset(pipes, -1, sizeof pipes);
	for (int i = 0; i < PIPES && !e; i++)
		if (wanted[i] && pipe2(pipes[i], O_CLOEXEC))
			e = error_errno("cannot make a pipe");
	pid_t self = getpid();
	if (j->opts.call)
		fflush(NULL); /* or it would be written twice */
	char **env = environment(j->opts.env);
	sigset_t signals;
	deadline_hold(&signals);
	j->pid = e ? -1 : j->opts.call ? fork() : vfork(); /* what becomes another program need not copy our page tables */
	if (!j->pid) {
		deadline_let(&signals, 1);
		if (j->opts.call) {
			for (const char *const *v = j->opts.env; v && *v; v++)
				putenv((char *)*v);
			close_parents(pipes, j - before, before);
		}
		child(j->argv, &j->opts, env, pipes, self);
	}
	deadline_let(&signals, 0);
	free(env);
	if (j->pid < 0 && !e)
		e = error_errno("cannot start '%s'", j->argv[0]);
	close_pipes(pipes, 1);
	if (e)
		close_pipes(pipes, 0);
	j->in = pipes[IN][1];
	j->out = pipes[OUT][0];
	j->err = pipes[ERR][0];
	j->exec = pipes[EXEC][0];
	j->end = j->pid > 0 ? (int)syscall(SYS_pidfd_open, j->pid, 0) : -1;
	if (j->pid > 0 && deadline_groups())
		setpgid(j->pid, j->pid);
	if (j->in >= 0) {
		fcntl(j->in, F_SETFL, O_NONBLOCK);
		if (!j->opts.input_size)
			close_fd(&j->in);
	}
	return e;
}

static int finish(struct proc_job *j, int cut)
{
	int status, failed = 0;

	if (j->pid < 0)
		return -1;
	if (cut)
		deadline_end_child(j->pid);
	close_fd(&j->in);
	close_fd(&j->out);
	close_fd(&j->err);
	close_fd(&j->end);
	if (read(j->exec, &failed, sizeof failed) != sizeof failed)
		failed = 0;
	close_fd(&j->exec);
	while (waitpid(j->pid, &status, 0) < 0)
		if (errno != EINTR)
			BUG("a child of ours was waited for elsewhere");
	j->result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (cut)
		return error_set("'%s' was ended: %s", j->argv[0], deadline_stopped() ? "interrupted" : "the time is over");
	if (failed) {
		errno = failed;
		return error_errno("cannot run '%s'", j->argv[0]);
	}
	return 0;
}

int proc_run_many(struct proc_job *jobs, int count)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	int e = 0, cut;

	for (int i = 0; i < count; i++)
		e |= start(&jobs[i], i);
	/* A job that does not read its input must not kill us. */
	sigaction(SIGPIPE, &ignore, &old);
	cut = serve(jobs, count);
	sigaction(SIGPIPE, &old, NULL);
	for (int i = 0; i < count; i++)
		e |= finish(&jobs[i], cut);
	return e ? -1 : 0;
}

int proc_run(char *const argv[], const struct proc_opts *opts, struct proc_result *r)
{
	struct proc_job j = {.argv = argv};
	int e;

	if (opts)
		j.opts = *opts;
	e = proc_run_many(&j, 1);
	*r = j.result;
	if (e)
		proc_release(r);
	return e;
}

void proc_release(struct proc_result *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

char *proc_which(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : mem_strdup(name);
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		char *dir = mem_strndup(n ? p : ".", n ? n : 1), *full = file_join(dir, name);

		free(dir);
		if (!access(full, X_OK) && !file_is_dir(full))
			return full;
		free(full);
		p += n + (p[n] == ':');
	}
	return NULL;
}
