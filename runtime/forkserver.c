/* forkserver.c: one exec, many runs.
 *
 * The server is the target itself, stopped before its first constructor: shadow
 * and tables are mapped and not a page of them is touched, so that fork copies
 * almost nothing. For each word on the control descriptor it forks; the child
 * drops the two descriptors, gets a process group and a fresh standard input, maps the
 * part of the tables that the last run used in one go, and becomes the target.
 *
 * The server holds no state that a target could spoil: descriptors are private
 * to each process, and everything that the parties say goes through two pipes
 * that the child has closed. If the target kills the server, the keeper sees the
 * pipe's end, finds the target by the pid which the child itself wrote before
 * anything else, and starts another server.
 */
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#define PAGE 4096ull

static void populate(char *base, uint64_t offset, uint64_t bytes, uint64_t region)
{
	bytes = (bytes + PAGE - 1) & ~(PAGE - 1);
	if (bytes > region)
		bytes = region & ~(PAGE - 1);
	/* A kernel without it (before 5.14) faults the pages in one by one. */
	if (bytes)
		madvise(base + offset, bytes, MADV_POPULATE_READ);
}

/* Pages that earlier runs used exist already; mapping them in one call saves a
 * fault for each. Pages that do not exist would be allocated, so the hint must
 * not be larger than what was used. */
void rt_populate(struct muster_header *h)
{
	char *base = (char *)h;
	int kept = errno;

	populate(base, h->node_offset, h->populate_nodes * sizeof(struct muster_node),
		 h->node_capacity * sizeof(struct muster_node));
	if (h->flags & MUSTER_FLAG_SUMMARIES) /* the lists of wide nodes: every other one is an address there */
		populate(base, h->list_offset, h->populate_nodes * sizeof(uint32_t), h->node_capacity * sizeof(uint32_t));
	populate(base, h->event_offset, h->populate_events * sizeof(struct muster_event),
		 h->event_capacity * sizeof(struct muster_event));
	errno = kept;
}

static int read_full(int fd, void *to, size_t size)
{
	char *p = to;

	while (size) {
		ssize_t n = read(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static int write_full(int fd, const void *from, size_t size)
{
	const char *p = from;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

/* No run inherits the position or the flags that the run before left. All processes of
 * that run are gone, so no other process moves them. */
static void fresh_input(void)
{
	lseek(0, 0, SEEK_SET);
	fcntl(0, F_SETFL, 0);
}

static void become_target(struct muster_header *h, uint32_t word)
{
	int32_t pid = (int32_t)getpid();

	if (word & MUSTER_SERVE_DEATHSIG)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A group of its own, as a shell would give it. The session is the server's, without a terminal: a new
	 * one for each run would cost more, above all where the kernel schedules by session. */
	setpgid(0, 0);
	if (write_full(MUSTER_CONTROL_FD, &pid, sizeof pid) != 0)
		_exit(127);
	close(MUSTER_CONTROL_FD);
	close(MUSTER_STATUS_FD);
	fresh_input();
	rt_populate(h);
	errno = 0;
}

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

/* Processes whose parents are dead are ours, and those below us too: have none is soon known. */
static int any_left(void)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		;
	return pid == 0;
}

static int report(pid_t pid)
{
	struct muster_served served;
	struct rusage usage;
	siginfo_t info;
	int status;

	/* Reaped only after a look: a server that was killed meanwhile ends between the two calls,
	 * and the status is still there for the keeper, who inherits the target. */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR)
			return -1;
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	memset(&served, 0, sizeof served);
	served.status = status;
	served.peak_kib = (uint32_t)usage.ru_maxrss;
	served.user_us = microseconds(&usage.ru_utime);
	served.system_us = microseconds(&usage.ru_stime);
	served.faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
	served.left = (uint32_t)any_left();
	return write_full(MUSTER_STATUS_FD, &served, sizeof served) || served.left ? -1 : 0;
}

void rt_forkserver(struct muster_header *h)
{
	uint32_t word = MUSTER_SERVER_HELLO;

	if (write_full(MUSTER_STATUS_FD, &word, sizeof word) != 0)
		return; /* no engine listens: an ordinary run */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (read_full(MUSTER_CONTROL_FD, &word, sizeof word) == 0 && word & MUSTER_SERVE_RUN) {
		/* Nothing has run yet that fork would have to call or unlock; its bookkeeping would
		 * only touch pages, which the two processes then have to copy. */
		pid_t pid = _Fork();

		if (!pid) {
			become_target(h, word);
			return;
		}
		if (pid < 0) {
			struct muster_served failed = {.error = errno};

			if (write_full(MUSTER_STATUS_FD, &failed, sizeof failed) != 0)
				break;
		} else if (report(pid) != 0) {
			break;
		}
	}
	_exit(0);
}

/* A program that the target starts is none of ours: what was set for us goes. The place of the value, or NULL. */
static const char *take_variable(char **envp, const char *name)
{
	const char *value = NULL;
	size_t n = strlen(name);

	for (char **e = envp; *e;) {
		if (strncmp(*e, name, n) != 0) {
			e++;
			continue;
		}
		value = *e + n;
		for (char **to = e; (to[0] = to[1]); to++)
			;
	}
	return value;
}

int rt_table_descriptor(char **envp)
{
	const char *p = take_variable(envp, MUSTER_FD_ENV "=");
	int fd = 0;

	if (!p)
		return -1;
	take_variable(envp, MUSTER_BIND_ENV);
	for (; *p >= '0' && *p <= '9'; p++)
		fd = fd * 10 + (*p - '0');
	return fd;
}
