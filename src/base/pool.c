/* pool.c: processors as bytes in a pipe, as make does it.
 *
 * A pool may always run one job: the processor that its owner, who only waits, leaves free. Every other one needs a byte of the
 * pipe, which comes back when the job was waited for. So pools in jobs of pools together never run more jobs than there are processors,
 * and none of them can be starved. A job that is killed while it has bytes for jobs of its own takes them along: the
 * work goes on with fewer processors.
 */
#include "base/pool.h"

#include "base/buf.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 200 /* between looks at how long it takes */

static int one;

void pool_one(void)
{
	one = 1;
}

int pool_open(struct pool *p)
{
	long cpus = one ? 1 : sysconf(_SC_NPROCESSORS_ONLN);

	*p = (struct pool){0};
	if (pipe2(p->tokens, O_CLOEXEC | O_NONBLOCK))
		return error_errno("cannot make a pipe");
	for (long i = 1; i < cpus && i < POOL_MAX; i++)
		file_write_all(p->tokens[1], "", 1);
	return 0;
}

void pool_nested(struct pool *p, const struct pool *above)
{
	*p = (struct pool){.nested = 1, .tokens = {above->tokens[0], above->tokens[1]}};
}

static int busy(const struct pool *p)
{
	int n = 0;

	for (int i = 0; i < POOL_MAX; i++)
		n += p->jobs[i].pid != 0;
	return n;
}

/* Does a job run on the processor that is the pool's own? */
static int own_busy(const struct pool *p)
{
	for (int i = 0; i < POOL_MAX; i++)
		if (p->jobs[i].pid && !p->jobs[i].token)
			return 1;
	return 0;
}

static void fail(struct pool *p)
{
	if (!p->failed)
		p->words = mem_strdup(error_text());
	p->failed = 1;
}

static int failure(struct pool *p)
{
	return error_set("%s", p->words ? p->words : "failed");
}

/* Waits for a job that ends, or until there is a token, if that is wanted. The job's index; -1: a token. */
static int await(struct pool *p, int wanted)
{
	double told = deadline_clock();

	for (;;) {
		struct pollfd fds[POOL_MAX + 1];
		int first = -1;

		for (int i = 0; i < POOL_MAX; i++) {
			fds[i] = (struct pollfd){.fd = p->jobs[i].pid ? p->jobs[i].fd : -1, .events = POLLIN};
			if (first < 0 && p->jobs[i].pid)
				first = i;
		}
		fds[POOL_MAX] = (struct pollfd){.fd = wanted ? p->tokens[0] : -1, .events = POLLIN};
		poll(fds, POOL_MAX + 1, deadline_ms(TICK_MS));
		for (int i = 0; i < POOL_MAX; i++)
			if (fds[i].revents)
				return i;
		if (deadline_cut())
			return first;
		if (fds[POOL_MAX].revents)
			return -1;
		if (p->tick && deadline_clock() - told >= TICK_MS * 1e-3) {
			told = deadline_clock();
			p->tick(p->ctx, p->jobs[first].work);
		}
	}
}

static void reap(struct pool *p, int i)
{
	struct pool_job *j = &p->jobs[i];
	const char *name = p->name ? p->name(j->work) : "a part";
	struct buf words = BUF_EMPTY;
	int status = 0, cut = deadline_wait(j->pid, &status); /* only our own children: the caller may have others */

	if (!cut)
		file_read_fd(j->fd, &words);
	close(j->fd);
	j->pid = 0;
	if (j->token)
		file_write_all(p->tokens[1], "", 1);
	if (cut)
		error_set("%s: its compilation was ended", name);
	else if (!WIFEXITED(status))
		error_set("%s: the compiler crashed on it", name);
	else if (WEXITSTATUS(status))
		error_set("%s: %s", name, words.size ? buf_str(&words) : "failed");
	if (cut || status)
		fail(p);
	buf_release(&words);
}

/* A processor: 0 the pool's own, 1 one that a token stands for. */
static int take_processor(struct pool *p)
{
	char byte;

	for (;;) {
		int i;

		if (!own_busy(p))
			return 0;
		if (busy(p) < POOL_MAX && read(p->tokens[0], &byte, 1) == 1)
			return 1;
		i = await(p, busy(p) < POOL_MAX);
		if (i >= 0)
			reap(p, i);
	}
}

static void run_child(struct pool *p, int fd, pid_t parent, int (*f)(void *work), void *work)
{
	int e;

	for (int i = 0; i < POOL_MAX; i++)
		if (p->jobs[i].pid)
			close(p->jobs[i].fd);
	deadline_child();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	signal(SIGXFSZ, SIG_IGN); /* a file beyond ulimit -f fails with words */
	e = f(work);
	if (e)
		file_write_all(fd, error_text(), strlen(error_text()));
	file_exit_child(e ? 1 : 0);
}

static int launch(struct pool *p, struct pool_job *j, int (*f)(void *work))
{
	pid_t self = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return error_errno("cannot make a pipe");
	j->fd = fds[0];
	j->pid = deadline_fork();
	if (!j->pid) {
		close(fds[0]);
		run_child(p, fds[1], self, f, j->work);
	}
	close(fds[1]);
	if (j->pid > 0)
		return 0;
	j->pid = 0;
	close(fds[0]);
	return error_errno("cannot fork");
}

int pool_start(struct pool *p, int (*f)(void *work), void *work)
{
	int token, i = 0;

	if (p->failed)
		return failure(p);
	token = take_processor(p);
	while (p->jobs[i].pid)
		i++;
	p->jobs[i] = (struct pool_job){.token = token, .work = work};
	if (!p->failed && !launch(p, &p->jobs[i], f))
		return 0;
	if (token)
		file_write_all(p->tokens[1], "", 1);
	fail(p);
	return failure(p);
}

int pool_finish(struct pool *p)
{
	while (busy(p))
		reap(p, await(p, 0));
	return p->failed ? failure(p) : 0;
}

void pool_close(struct pool *p)
{
	if (!p->nested) {
		close(p->tokens[0]);
		close(p->tokens[1]);
	}
	free(p->words);
	p->words = NULL;
}
