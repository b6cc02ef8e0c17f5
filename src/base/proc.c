/* proc.c: fork, exec, and a poll loop over the three pipes.
 *
 * Input and both outputs are served together, so that neither side can block the
 * other. A failing exec is told apart from a failing program by a close-on-exec
 * pipe that carries errno.
 */
#include "base/proc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN, OUT, ERR, EXEC, PIPES };

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void child(char *const argv[], const struct proc_opts *o, int pipes[PIPES][2])
{
	int e;

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
	for (const char *const *v = o->env; v && *v; v++)
		putenv((char *)*v);
	signal(SIGPIPE, SIG_DFL);
	if (!o->dir || !chdir(o->dir))
		execvp(argv[0], argv);
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

static void feed(int *fd, const char **p, size_t *left)
{
	ssize_t n = write(*fd, *p, *left);

	if (n > 0) {
		*p += n;
		*left -= n;
	}
	if (!*left || (n < 0 && errno != EINTR && errno != EAGAIN))
		close_fd(fd);
}

static void serve(int in, int out, int err, const struct proc_opts *o, struct proc_result *r)
{
	const char *p = o->input;
	size_t left = o->input_size;

	if (in >= 0 && !left)
		close_fd(&in);
	while (in >= 0 || out >= 0 || err >= 0) {
		struct pollfd fds[3] = {{in, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}};

		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			break;
		if (in >= 0 && fds[0].revents)
			feed(&in, &p, &left);
		if (out >= 0 && fds[1].revents)
			drain(&out, &r->out);
		if (err >= 0 && fds[2].revents)
			drain(&err, &r->err);
	}
	close_fd(&in);
	close_fd(&out);
	close_fd(&err);
}

static int open_pipes(int pipes[PIPES][2], const struct proc_opts *o)
{
	const int wanted[PIPES] = {o->input != NULL, o->capture_out, o->capture_err, 1};

	for (int i = 0; i < PIPES; i++)
		pipes[i][0] = pipes[i][1] = -1;
	for (int i = 0; i < PIPES; i++)
		if (wanted[i] && pipe2(pipes[i], O_CLOEXEC))
			return error_errno("cannot make a pipe");
	if (o->input)
		fcntl(pipes[IN][1], F_SETFL, O_NONBLOCK);
	return 0;
}

int proc_run(char *const argv[], const struct proc_opts *opts, struct proc_result *r)
{
	static const struct proc_opts none;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	int pipes[PIPES][2], status, failed = 0, e = 0;
	pid_t pid;

	*r = (struct proc_result){0};
	if (!opts)
		opts = &none;
	pid = open_pipes(pipes, opts) ? -2 : fork();
	if (!pid)
		child(argv, opts, pipes);
	if (pid == -1)
		e = error_errno("cannot start '%s'", argv[0]);
	close_fd(&pipes[IN][0]);
	close_fd(&pipes[OUT][1]);
	close_fd(&pipes[ERR][1]);
	close_fd(&pipes[EXEC][1]);
	if (pid > 0) {
		sigaction(SIGPIPE, &ignore, &old);
		serve(pipes[IN][1], pipes[OUT][0], pipes[ERR][0], opts, r);
		sigaction(SIGPIPE, &old, NULL);
		if (read(pipes[EXEC][0], &failed, sizeof failed) != sizeof failed)
			failed = 0;
		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR)
				BUG("a child of ours was waited for by somebody else");
		r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	} else {
		for (int i = 0; i < PIPES; i++) {
			close_fd(&pipes[i][0]);
			close_fd(&pipes[i][1]);
		}
		return -1;
	}
	close_fd(&pipes[EXEC][0]);
	if (failed) {
		errno = failed;
		e = error_errno("cannot run '%s'", argv[0]);
		proc_release(r);
	}
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
