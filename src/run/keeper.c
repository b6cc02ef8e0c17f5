/* keeper.c: runs jobs and watches over them.
 *
 * A run goes through these states, driven by the parent's status pipe:
 *
 *	asked     a word was sent to the fork server, or a parent was forked
 *	named     the pid that the target wrote was read: needed only to look at it or to end it
 *	orphaned  the parent died first (the target killed it): the keeper, to whom
 *	          the target now belongs, waits for it in the parent's place
 *	served    the wait status and the usage are known
 *
 * While a run lasts, the keeper wakes up from time to time and looks at what all
 * processes below it use together; past a limit it kills the target and goes on
 * waiting, so that the usage is reported in that case too. After it, whatever is
 * still below the keeper is swept away, except the fork server.
 *
 * Polling is used because nothing else bounds a traced target: its shadow
 * reserves 20 TiB, which RLIMIT_AS and RLIMIT_DATA would count, and root is not
 * bound by RLIMIT_NPROC.
 */
#include "run/sandbox.h"
#include "base/interface.h"
#include "base/file.h"
#include "muster/cov.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define TICK (20 * MS)	     /* between two looks */
#define QUICK_TICK (4 * MS)  /* when a good part of the memory limit is used */
#define ORPHAN_TICK (1 * MS) /* no signal says when an orphan ends */
#define STOPPED_LOOKS 5	     /* looks at which a target must be stopped to count as stopped */
#define TRUSTED_RUNS 64 /* of a server that says that nothing is left, between two sweeps */
#define SERVER_START (20000 * MS)

struct keeper {
	struct keeper_board *board;
	pid_t server; /* the fork server, or 0 */
	uint32_t server_config;
	int control, status; /* our ends of its pipes */
	int listener;	     /* where its calls, or those of the program that is run once, stop for a look; -1: nowhere */
	unsigned trusted_runs; /* since the last look at all processes */
	int late;	     /* servers start only without bind_now */
	uint32_t cpu;	     /* where we and the server are, as in the job */
	char *end_page;	     /* of the tables, where the end of a run is noted */
	uint64_t end_page_offset;
};

struct run {
	struct keeper *k;
	struct keeper_reply *reply;
	pid_t parent, target;
	int control, status; /* socket to the parent and pipe from it */
	int orphaned, served, stopped_looks, parent_stops;
	int killed_all; /* the server, too, which may not have noticed yet */
	uint64_t start, next_look, last_look;
	uint64_t cpu, idle; /* as of the last look */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Muster died. Nothing of this run may outlive it. */
static void abandon(struct keeper *k) __attribute__((noreturn));
static void abandon(struct keeper *k)
{
	pid_t none = 0;

	if (k->server > 0)
		kill(k->server, SIGKILL);
	watch_sweep(k->board, &none);
	if (k->board->sandbox.level == SANDBOX_VIEW)
		view_remove_temps(k->board);
	for (int i = 0; i < 2 && k->board->sandbox.level != SANDBOX_VIEW; i++)
		if (k->board->temp_dir[i][0])
			file_remove_tree(k->board->temp_dir[i]);
	_exit(0);
}

/* Is the run to end now? The verdict, or KEPT_ENDED. */
static enum keeper_verdict listen_to_muster(struct keeper *k)
{
	char c;
	ssize_t n = recv(KEEPER_SOCKET, &c, 1, MSG_DONTWAIT);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		abandon(k);
	if (n != 1)
		return KEPT_ENDED;
	return c == KEEPER_STOP_TIME ? KEPT_TIME : c == KEEPER_STOP_WAITING ? KEPT_WAITING : c == KEEPER_STOP_CUT ? KEPT_CUT : KEPT_ENDED;
}

/* ------------------------------------------------------------ one run */

static void name_target(struct run *r);

static void stop_target(struct run *r, enum keeper_verdict verdict)
{
	name_target(r);
	if (r->reply->verdict == KEPT_ENDED)
		r->reply->verdict = verdict;
	if (r->target > 0) {
		kill(-r->target,
		     SIGKILL); /* it leads a group: this is atomic, forks included */
		kill(r->target, SIGKILL);
	} else {
		kill(r->parent, SIGKILL);
	}
}

static void take_served(struct run *r, int status, const struct rusage *u)
{
	struct muster_served *s = &r->reply->served;

	s->status = status;
	s->peak_kib = (uint32_t)u->ru_maxrss;
	s->user_us = (uint64_t)u->ru_utime.tv_sec * 1000000u + (uint64_t)u->ru_utime.tv_usec;
	s->system_us = (uint64_t)u->ru_stime.tv_sec * 1000000u + (uint64_t)u->ru_stime.tv_usec;
	s->faults = (uint64_t)u->ru_minflt + (uint64_t)u->ru_majflt;
	r->served = 1;
}

/* The parent is gone: wait for the target ourselves. */
static void wait_orphan(struct run *r)
{
	struct rusage u;
	int status;
	pid_t pid;

	if (!r->target) { /* it never came to be */
		r->reply->verdict = r->reply->verdict ? r->reply->verdict : KEPT_NO_START;
		r->reply->step = STEP_PARENT;
		r->served = 1;
		return;
	}
	pid = wait4(r->target, &status, WNOHANG, &u);
	if (pid == r->target) {
		take_served(r, status, &u);
	} else if (pid < 0 && errno == ECHILD && kill(r->target, 0)) {
		r->reply->served.status = SIGKILL;
		r->served = 1;
	}
}

static void parent_gone(struct run *r)
{
	while (waitpid(r->parent, NULL, 0) < 0 && errno == EINTR)
		;
	if (r->k->server == r->parent)
		r->k->server = 0;
	r->orphaned = 1;
	name_target(r);
	r->reply->killed_parent = r->target > 0 && r->reply->verdict == KEPT_ENDED;
	wait_orphan(r);
}

/* The target left its pid at the control socket. */
static void name_target(struct run *r)
{
	int32_t pid;

	if (!r->target && recv(r->control, &pid, sizeof pid, MSG_DONTWAIT) == sizeof pid && pid > 0)
		r->target = pid;
}

static void read_status(struct run *r)
{
	struct muster_served *s = &r->reply->served;
	ssize_t n = read(r->status, s, sizeof *s);

	if (n == sizeof *s) {
		r->served = 1;
		if (s->error) {
			r->reply->verdict = KEPT_NO_START;
			r->reply->step = STEP_FORK;
			r->reply->error = s->error;
		}
	} else if (n >= 0 || errno != EINTR) {
		parent_gone(r);
	}
}

/* Who neither runs nor could run is idle: a machine that is busy with others makes nobody so. */
static void note_usage(struct run *r, const struct watch_usage *u, uint64_t t)
{
	struct keeper_board *b = r->k->board;

	if (!u->running && u->cpu_ns <= r->cpu)
		r->idle += t - r->last_look;
	r->cpu = u->cpu_ns;
	r->last_look = t;
	__atomic_store_n(&b->live_cpu_ns, r->cpu, __ATOMIC_RELAXED);
	__atomic_store_n(&b->live_idle_ns, r->idle, __ATOMIC_RELAXED);
}

static void check_time(struct run *r, uint64_t t)
{
	const struct keeper_job *j = &r->k->board->job;
	uint64_t wall = t - r->start;

	if (j->cpu_ns && r->cpu >= j->cpu_ns)
		stop_target(r, KEPT_TIME);
	else if (j->idle_ns && r->idle >= j->idle_ns)
		stop_target(r, KEPT_WAITING);
	else if (j->wall_ns && wall >= j->wall_ns)
		stop_target(r, j->cpu_ns || r->idle > wall / 2 ? KEPT_WAITING : KEPT_TIME);
}

static void look(struct run *r)
{
	const struct keeper_job *j = &r->k->board->job;
	struct watch_usage u;
	uint64_t t = now();

	r->next_look = t + TICK;
	name_target(r);
	watch_usage(r->k->board, r->parent, r->target, j->processes, &u);
	note_usage(r, &u, t);
	check_time(r, t);
	if (j->processes && u.processes > j->processes) {
		stop_target(r, KEPT_PROCESSES);
		r->killed_all = r->k->board->is_namespace;
		if (r->killed_all)
			kill(-1, SIGKILL); /* the one step that outruns a fork bomb; a server is
					      started again */
	}
	if (j->memory && u.memory > j->memory)
		stop_target(r, KEPT_MEMORY);
	if (j->memory && u.memory > j->memory / 8)
		r->next_look = t + QUICK_TICK;
	r->stopped_looks = u.target_stopped ? r->stopped_looks + 1 : 0;
	if (r->stopped_looks >= STOPPED_LOOKS)
		stop_target(r, KEPT_STOPPED);
	if (u.parent_stopped &&
	    !r->orphaned) /* the target did that; if it goes on, take the parent's place */
		kill(r->parent, ++r->parent_stops < STOPPED_LOOKS ? SIGCONT : SIGKILL);
}

static int timeout_of(const struct run *r)
{
	const struct keeper_job *j = &r->k->board->job;
	uint64_t t = now(), next = r->next_look;

	if (r->orphaned && next > t + ORPHAN_TICK)
		next = t + ORPHAN_TICK;
	if (j->wall_ns && r->reply->verdict == KEPT_ENDED && next > r->start + j->wall_ns)
		next = r->start + j->wall_ns;
	return next <= t ? 0 : (int)((next - t + MS - 1) / MS);
}

/* A call of the target waits for a look. */
static void heed(struct keeper *k, const struct pollfd *p)
{
	if (p->revents & POLLIN)
		notice_serve(k->board, k->listener);
	else if (p->revents) /* no process is left that could call */
		close_end(&k->listener);
}

static void supervise(struct run *r)
{
	enum keeper_verdict wish;

	while (!r->served) {
		struct pollfd p[3] = {{KEEPER_SOCKET, POLLIN, 0},
				      {r->orphaned ? -1 : r->status, POLLIN, 0},
				      {r->k->listener, POLLIN, 0}};

		if (poll(p, 3, timeout_of(r)) < 0 && errno != EINTR)
			break;
		heed(r->k, &p[2]);
		if (p[0].revents && (wish = listen_to_muster(r->k)))
			stop_target(r, wish);
		if (p[1].revents)
			read_status(r);
		else if (r->orphaned)
			wait_orphan(r);
		if (!r->served && now() >= r->next_look)
			look(r);
		else if (!r->served && r->k->board->job.wall_ns &&
			 now() - r->start >= r->k->board->job.wall_ns)
			look(r);
	}
	if (r->reply->step && r->reply->verdict == KEPT_ENDED)
		r->reply->verdict = KEPT_NO_START;
}

/* -------------------------------------------------------- fork server */

static void server_forget(struct keeper *k)
{
	if (k->server > 0) {
		kill(k->server, SIGKILL);
		while (waitpid(k->server, NULL, 0) < 0 && errno == EINTR)
			;
	}
	k->server = 0;
	close_end(&k->control);
	close_end(&k->status);
	close_end(&k->listener);
}

/* The pipe has ended, and so has the server, or soon; a program without a runtime
 * may go on after closing it. */
static int server_end(struct keeper *k)
{
	struct timespec pause = {0, 1000000};
	int status = 0;

	for (int i = 0; i < 100; i++) {
		if (waitpid(k->server, &status, WNOHANG) != 0)
			return status;
		nanosleep(&pause, NULL);
	}
	kill(k->server, SIGKILL);
	waitpid(k->server, NULL, 0);
	return 0;
}

/* Reads the server's first word. 0, or the verdict in the reply. */
static int server_hello(struct keeper *k, struct keeper_reply *reply, uint64_t deadline)
{
	for (;;) {
		struct pollfd p[3] = {{KEEPER_SOCKET, POLLIN, 0}, {k->status, POLLIN, 0}, {k->listener, POLLIN, 0}};
		enum keeper_verdict wish = KEPT_ENDED;
		uint64_t t = now();
		uint32_t word;
		int status;

		if (t >= deadline) {
			reply->verdict = KEPT_WAITING;
			server_forget(k);
			return -1;
		}
		poll(p, 3, (int)((deadline - t) / MS) + 1);
		heed(k, &p[2]);
		if (p[0].revents && (wish = listen_to_muster(k))) {
			reply->verdict = wish;
			server_forget(k);
			return -1;
		}
		if (!p[1].revents)
			continue;
		if (read(k->status, &word, sizeof word) == sizeof word &&
		    word == MUSTER_SERVER_HELLO)
			return 0;
		status = server_end(k);
		k->server = 0;
		server_forget(k);
		reply->served.status = status;
		reply->verdict = reply->step ? KEPT_NO_START : KEPT_NO_SERVER;
		return -1;
	}
}

/* Starts a parent and gets from it, if there is a sandbox, where the calls of targets stop. */
static pid_t start_parent(struct keeper *k, struct spawn *s)
{
	int ends[2] = {-1, -1}, sandboxed = k->board->sandbox.level != SANDBOX_OFF;
	pid_t pid;

	close_end(&k->listener);
	if (sandboxed && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	s->notice = ends[1];
	pid = spawn_parent(k->board, s);
	if (sandboxed) {
		close(ends[1]);
		if (pid > 0)
			k->listener = notice_receive(ends[0]);
		close(ends[0]);
	}
	return pid;
}

static int server_start(struct keeper *k, struct keeper_reply *reply)
{
	struct keeper_board *b = k->board;
	int control[2], status[2];
	struct spawn s;
	uint64_t limit =
	    b->job.wall_ns && b->job.wall_ns < SERVER_START ? b->job.wall_ns : SERVER_START;

	server_forget(k);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control))
		goto no_start;
	if (pipe2(status, O_CLOEXEC)) {
		close(control[0]);
		close(control[1]);
		goto no_start;
	}
	s = (struct spawn){.control = control[0], .status = status[1]};
	reply->servers++;
	k->server = start_parent(k, &s);
	k->server_config = b->job.config;
	close(control[0]);
	close(status[1]);
	k->control = control[1];
	k->status = status[0];
	if (k->server > 0)
		return server_hello(k, reply, now() + limit);
	k->server = 0;
no_start:
	reply->verdict = KEPT_NO_START;
	reply->step = STEP_FORK;
	reply->error = errno;
	return -1;
}

/* Some libraries have names that are neither defined nor used: these start only if names are resolved late. */
static int server_start_any(struct keeper *k, struct keeper_reply *reply)
{
	if (!server_start(k, reply))
		return 0;
	if (!k->board->job.bind_now || k->late || reply->verdict != KEPT_NO_SERVER)
		return -1;
	k->late = 1;
	k->board->job.bind_now = 0;
	reply->verdict = 0;
	return server_start(k, reply);
}

/* A server that is there and takes the word; started again if it died. */
static int server_ask(struct keeper *k, struct keeper_reply *reply)
{
	uint32_t word = MUSTER_SERVE_RUN | (k->board->is_namespace ? 0 : MUSTER_SERVE_DEATHSIG);

	if (k->server &&
	    (k->server_config != k->board->job.config || waitpid(k->server, NULL, WNOHANG) != 0))
		server_forget(k);
	for (int tries = 0; tries < 2; tries++) {
		if (!k->server && server_start_any(k, reply))
			return -1;
		if (send(k->control, &word, sizeof word, MSG_NOSIGNAL) == sizeof word)
			return 0;
		server_forget(k);
	}
	reply->verdict = KEPT_NO_START;
	reply->step = STEP_PARENT;
	return -1;
}

/* --------------------------------------------------------------- jobs */

static int begin_exec(struct keeper *k, struct run *r)
{
	int ends[2], control[2];
	struct spawn s;

	if (pipe2(ends, O_CLOEXEC)) {
		r->reply->error = errno;
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control)) {
		r->reply->error = errno;
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	s = (struct spawn){.control = control[1], .status = ends[1], .once = 1, .deathsig = !k->board->is_namespace};
	r->parent = start_parent(k, &s);
	r->reply->error = r->parent < 0 ? errno : 0;
	close(ends[1]);
	close(control[1]);
	r->control = control[0];
	r->status = ends[0];
	return r->parent < 0 ? -1 : 0;
}

/* After the run: is there something to sweep? A server that ended its run itself has looked; what it cannot know
 * is whether somebody tricked it, so the look at all processes is repeated now and then. */
static void clean_up(struct keeper *k, const struct run *r)
{
	int32_t pid;

	if (k->board->job.server && r->served && !r->orphaned && !r->reply->served.left &&
	    r->reply->verdict == KEPT_ENDED && k->trusted_runs++ < TRUSTED_RUNS) {
		if (!r->target) /* it was not asked for */
			(void)!recv(k->control, &pid, sizeof pid, MSG_DONTWAIT);
		r->reply->used_up = k->board->sandbox.level == SANDBOX_VIEW && view_reset();
		return;
	}
	k->trusted_runs = 0;
	if (r->killed_all || (r->served && r->reply->served.left))
		server_forget(k);
	r->reply->left = watch_sweep(k->board, &k->server);
	while (k->server > 0 && !r->target && recv(k->control, &pid, sizeof pid, MSG_DONTWAIT) == sizeof pid)
		;
	r->reply->used_up = k->board->sandbox.level == SANDBOX_VIEW && view_reset();
}

/* Wake-ups between processors can cost more than a short run: all on one. */
static void move_to_cpu(struct keeper *k)
{
	uint32_t cpu = k->board->job.cpu;
	cpu_set_t set;

	if (k->cpu == cpu)
		return;
	CPU_ZERO(&set);
	for (uint32_t i = 0; i < CPU_SETSIZE; i++)
		if (!cpu || i == cpu - 1)
			CPU_SET(i, &set);
	sched_setaffinity(0, sizeof set, &set);
	if (k->server > 0)
		sched_setaffinity(k->server, sizeof set, &set);
	k->cpu = cpu;
}

/* Muster may be waiting for the target itself, at a word in the tables. */
static void note_end(struct keeper *k)
{
	uint64_t offset = k->board->job.end_offset, page = offset & ~4095ull;
	uint32_t *word;

	if (!offset || !k->board->has_shm)
		return;
	if (k->end_page && k->end_page_offset != page) {
		munmap(k->end_page, 4096);
		k->end_page = NULL;
	}
	if (!k->end_page) {
		k->end_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, KEEPER_SHM, (off_t)page);
		k->end_page_offset = page;
		if (k->end_page == MAP_FAILED) {
			k->end_page = NULL;
			return;
		}
	}
	word = (uint32_t *)(k->end_page + (offset - page));
	__atomic_store_n(word, MUSTER_LOOP_ENDED, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void run_job(struct keeper *k)
{
	struct keeper_reply *reply = &k->board->reply;
	struct run r = {.k = k, .reply = reply, .control = -1, .status = -1, .start = now()};
	uint32_t servers = reply->servers;
	int begun;

	memset(reply, 0, sizeof *reply);
	reply->servers = servers;
	move_to_cpu(k);
	if (k->late)
		k->board->job.bind_now = 0;
	if (k->board->job.server) {
		begun = server_ask(k, reply);
		r.parent = k->server;
		r.control = k->control;
		r.status = k->status;
		r.start = now(); /* starting a server is not the run's time */
	} else {
		server_forget(k);
		begun = begin_exec(k, &r);
		if (begun) {
			reply->verdict = KEPT_NO_START;
			reply->step = STEP_FORK;
		}
	}
	r.last_look = r.start;
	r.next_look = r.start + TICK;
	k->board->live_cpu_ns = k->board->live_idle_ns = 0;
	if (!begun)
		supervise(&r);
	reply->wall_ns = now() - r.start;
	if (!k->board->job.server) {
		close_end(&r.status);
		close_end(&r.control);
	}
	if (r.parent > 0 && !r.orphaned && !k->board->job.server)
		while (waitpid(r.parent, NULL, 0) < 0 && errno == EINTR)
			;
	clean_up(k, &r);
}

/* A target with a thousand busy processes must not keep its keeper from running:
 * real time for root (not inherited, and a nice value with it: targets get it back), and for others RLIMIT_NPROC. */
static void stay_awake(struct keeper_board *b)
{
	struct sched_param p = {.sched_priority = 1};

	b->nice = getpriority(PRIO_PROCESS, 0);
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
	b->user_threads = geteuid() ? watch_user_threads() : 0;
}

static int setup(struct keeper_board *b)
{
	sigset_t all;

	stay_awake(b);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int fd = KEEPER_SOCKET; fd < KEEPER_FDS; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (b->sandbox.want && b->is_namespace)
		return getpid() == 1 ? sandbox_enter(b) : EPERM;
	if (b->is_namespace) {
		/* /proc must show this namespace: programs, sanitizers and we ourselves look there.
		 */
		if (getpid() != 1 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
			return errno ? errno : EPERM;
		b->sandbox.level = SANDBOX_OFF;
		return 0;
	}
	return prctl(PR_SET_CHILD_SUBREAPER, 1) ? errno : sandbox_enter(b);
}

void keeper_main(void)
{
	struct keeper k = {.control = -1, .status = -1, .listener = -1};
	char hello[1 + INTERFACE_ID_SIZE] = {KEEPER_HELLO}, c;

	memcpy(hello + 1, interface_id, INTERFACE_ID_SIZE);
	k.board = mmap(NULL, sizeof *k.board, PROT_READ | PROT_WRITE, MAP_SHARED, KEEPER_BOARD, 0);
	if (k.board == MAP_FAILED)
		_exit(1);
	k.board->trouble = setup(k.board);
	if (write(KEEPER_SOCKET, hello, sizeof hello) != sizeof hello && !k.board->trouble)
		abandon(&k); /* it died while the sandbox was made */
	if (k.board->trouble)
		_exit(1);
	for (;;) {
		ssize_t n = read(KEEPER_SOCKET, &c, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1)
			abandon(&k);
		if (c == KEEPER_QUIT)
			break;
		if (c != KEEPER_RUN)
			continue; /* a stop that came too late */
		run_job(&k);
		note_end(&k); /* before the answer: after it, the word belongs to the next run */
		c = KEEPER_DONE;
		if (send(KEEPER_SOCKET, &c, 1, MSG_NOSIGNAL) != 1)
			abandon(&k);
	}
	server_forget(&k);
	_exit(0);
}
