/* watch.c: the processes below the keeper: what they use, and ending them.
 *
 * In a PID namespace every process in /proc but the first is below the keeper,
 * and kill(-1) reaches them all in one step that no fork can slip through.
 * Without one, the children lists of /proc are followed from the keeper down;
 * since the keeper is a subreaper, whoever loses its parent becomes the keeper's
 * child, so killing children until there are none ends everything. A process
 * that forks faster than that is caught by killing its group at once.
 */
#include "run/keeper.h"
#include "base/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct pids {
	VEC(pid_t) v;
};

/* A /proc file's text; 0 bytes if the process is gone. */
static size_t slurp(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	while (have < size - 1 && (n = read(fd, out + have, size - 1 - have)) > 0)
		have += (size_t)n;
	close(fd);
	out[have] = 0;
	return have;
}

static void add_numbers(struct pids *p, const char *s)
{
	char *end;

	for (;; s = end) {
		long n = strtol(s, &end, 10);

		if (end == s)
			return;
		vec_push(&p->v, (pid_t)n);
	}
}

static void add_thread_children(struct pids *p, pid_t pid, const char *thread)
{
	static char text[1 << 18];
	char path[300];

	snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, thread);
	if (slurp(path, text, sizeof text))
		add_numbers(p, text);
}

/* Children are listed for each thread that made them; most processes have one. */
static void add_children(struct pids *p, pid_t pid)
{
	char path[64], name[32];
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	if (!stat(path, &st) && st.st_nlink == 3) {
		snprintf(name, sizeof name, "%d", (int)pid);
		add_thread_children(p, pid, name);
		return;
	}
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			add_thread_children(p, pid, e->d_name);
	if (d)
		closedir(d);
}

static void add_namespace(struct pids *p)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]) && atoi(e->d_name) != 1)
			vec_push(&p->v, (pid_t)atoi(e->d_name));
	if (d)
		closedir(d);
}

/* All processes below the keeper, or somewhat more than `enough` of them. */
static void add_below(const struct keeper_board *b, struct pids *p, size_t enough)
{
	if (b->is_namespace) {
		add_namespace(p);
		return;
	}
	add_children(p, getpid());
	for (size_t i = 0; i < p->v.size && p->v.size <= enough; i++)
		add_children(p, p->v.data[i]);
}

struct one {
	char state;
	uint64_t ticks, resident, shared;
};

static int look(pid_t pid, struct one *o)
{
	char path[64], text[1024], *p;
	unsigned long long t[4], pages[3] = {0};

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (!slurp(path, text, sizeof text) || !(p = strrchr(text, ')')))
		return -1;
	if (sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
		   &o->state, &t[0], &t[1], &t[2], &t[3]) != 5)
		return -1;
	o->ticks = t[0] + t[1] + t[2] + t[3];
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	if (slurp(path, text, sizeof text))
		sscanf(text, "%llu %llu %llu", &pages[0], &pages[1], &pages[2]);
	o->resident = pages[1] * 4096;
	o->shared = pages[2] * 4096;
	return 0;
}

/* statm cannot tell shared memory, which counts, from mapped files, which do not. */
static uint64_t shared_memory(pid_t pid)
{
	char path[64], text[4096], *p;
	unsigned long long kib;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (!slurp(path, text, sizeof text) || !(p = strstr(text, "RssShmem:")))
		return 0;
	return sscanf(p, "RssShmem: %llu", &kib) == 1 ? kib * 1024 : 0;
}

static uint64_t memory_of(const struct keeper_board *b, pid_t pid, const struct one *o)
{
	uint64_t bytes = o->resident > o->shared ? o->resident - o->shared : 0, shared, tables = 0;
	struct stat st;

	if (!b->job.memory || o->resident < b->job.memory / 2)
		return bytes;
	shared = shared_memory(pid);
	if (b->has_shm && !fstat(KEEPER_SHM, &st))
		tables = (uint64_t)st.st_blocks * 512;
	return bytes + (shared > tables ? shared - tables : 0);
}

void watch_usage(const struct keeper_board *b, pid_t parent, pid_t target, unsigned max_processes,
		 struct watch_usage *u)
{
	uint64_t ns_per_tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	size_t enough = max_processes ? (size_t)max_processes + 64 : SIZE_MAX;
	struct pids p = {0};

	memset(u, 0, sizeof *u);
	add_below(b, &p, enough);
	if (p.v.size > enough) {
		u->processes = (unsigned)p.v.size;
		vec_release(&p.v);
		return;
	}
	for (size_t i = 0; i < p.v.size; i++) {
		pid_t pid = p.v.data[i];
		struct one o;
		int stopped;

		if (look(pid, &o))
			continue;
		stopped = o.state == 'T';
		if (pid == parent) {
			u->parent_stopped = stopped;
			continue;
		}
		if (o.state == 'Z' || o.state == 'X')
			continue;
		u->processes++;
		u->cpu_ns += o.ticks * ns_per_tick;
		u->memory += memory_of(b, pid, &o);
		u->running |= o.state == 'R' || o.state == 'D';
		if (pid == target)
			u->target_stopped = stopped;
	}
	vec_release(&p.v);
}

/* Reaps what is dead. Gives whether a child is left; counts those that were killed, by us as a rule. */
static int reap(pid_t *spare, unsigned *killed)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == *spare)
			*spare = 0;
		else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			(*killed)++;
	return pid == 0;
}

static unsigned kill_round(struct pids *p, const pid_t *spare)
{
	unsigned n = 0;

	for (size_t i = 0; i < p->v.size; i++) {
		pid_t pid = p->v.data[i], group;

		if (pid == *spare || pid <= 1)
			continue;
		group = getpgid(pid);
		if (group > 1 && group != getpgrp() && group != *spare)
			kill(-group, SIGKILL);
		kill(pid, SIGKILL);
		n++;
	}
	return n;
}

/* Is a process but the spared one our child? Whoever is below us becomes that in the end. */
static int anybody(pid_t *spare, unsigned *killed)
{
	static char path[64], text[256];
	char *end;
	long first;

	if (!reap(spare, killed))
		return 0;
	if (!*spare)
		return 1;
	if (!path[0])
		snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	if (!slurp(path, text, sizeof text))
		return 1; /* a kernel without children lists: look at each process */
	first = strtol(text, &end, 10);
	return first != *spare || strtol(end, NULL, 10) != 0;
}

unsigned watch_sweep(const struct keeper_board *b, pid_t *spare)
{
	unsigned killed = 0;

	for (int round = 0; anybody(spare, &killed); round++) {
		struct pids p = {0};
		struct timespec pause = {
		    0, round < 10 ? 100000 : 1000000}; /* the killed need the processor */
		unsigned n;

		/* Those further down become our children when their parents are dead. */
		if (b->is_namespace)
			add_namespace(&p);
		else
			add_children(&p, getpid());
		/* Everything must go, or it forks faster than we kill: one step for all. */
		if (b->is_namespace && (!*spare || round > 50))
			kill(-1, SIGKILL);
		n = kill_round(&p, spare);
		vec_release(&p.v);
		if (!n && *spare)
			break;
		nanosleep(&pause, NULL);
		if (round > 10000)
			break; /* ten seconds: in the kernel's hands (uninterruptible) */
	}
	return killed;
}

unsigned watch_user_threads(void)
{
	char path[300], text[4096], *uid, *threads;
	DIR *d = opendir("/proc");
	struct dirent *e;
	unsigned n = 0, u, t;

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "/proc/%s/status", e->d_name);
		if (isdigit((unsigned char)e->d_name[0]) && slurp(path, text, sizeof text) &&
		    (uid = strstr(text, "\nUid:")) && (threads = strstr(text, "\nThreads:")) &&
		    sscanf(uid, "\nUid: %u", &u) == 1 && u == getuid() &&
		    sscanf(threads, "\nThreads: %u", &t) == 1)
			n += t;
	}
	if (d)
		closedir(d);
	return n;
}
