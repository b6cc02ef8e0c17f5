/* deadline.c: the state behind deadline.h.
 *
 * It is one page that all processes of the command share: a signal that one of them hears, they all know. The clock is
 * asked each time, so that nothing depends on a timer that other code could block or replace.
 *
 * Instants of a command that began at 0 and has S seconds; a signal came at T:
 *
 *	work ends        S               T
 *	finish ends      1.05 S + 0.4    T + 0.3
 *	children die     1.05 S + 0.65   T + 0.55
 *	promised         1.1 S + 1       T + 1
 */
#include "base/deadline.h"

#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FINISH_SHARE 0.05  /* of the command's seconds, to look at what was found last */
#define FINISH_SECONDS 0.4 /* and so much more */
#define STOP_SECONDS 0.3   /* instead of both, after a signal */
#define KILL_SECONDS 0.25  /* for a child to notice */
#define LOOK_MS 100	   /* between two looks for a signal */
#define PROCESSOR_SECONDS 0.003 /* between two readings of the processor's clock */
#define END_SECONDS 0.15   /* for a helper to remove its files */

static struct state {
	double began, seconds;
	volatile double reserved;
	volatile double stopped_at;
	volatile int stopped;
} *state;

static enum deadline_phase phase;
static int grouped; /* this process and its children are one group that another process ends */

double deadline_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reading it is a system call, and it is read often: the clock that costs nothing says when it is worth while. */
double deadline_processor(void)
{
	static _Thread_local double looked, spent;
	double now = deadline_clock();
	struct timespec t;

	if (now - looked > PROCESSOR_SECONDS) {
		looked = now;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		spent = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
	}
	return spent;
}

int deadline_open(double seconds)
{
	void *p = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return error_errno("no memory that processes share");
	state = p;
	state->began = deadline_clock();
	state->seconds = seconds > 0 ? seconds : 0;
	phase = DEADLINE_WORK;
	return 0;
}

void deadline_reserve(double seconds)
{
	if (state)
		state->reserved = seconds;
}

int deadline_is_open(void)
{
	return state != NULL;
}

void deadline_stop(void)
{
	if (!state || state->stopped)
		return;
	state->stopped_at = deadline_clock();
	state->stopped = 1;
}

int deadline_stopped(void)
{
	return state && state->stopped;
}

void deadline_phase(enum deadline_phase p)
{
	phase = p;
}

/* When a phase ends. The report is never cut: it waits for nothing. */
static double end_of(enum deadline_phase p)
{
	double end = INFINITY, stop;

	if (!state || p == DEADLINE_REPORT)
		return INFINITY;
	if (state->seconds > 0)
		end = state->began + state->seconds - state->reserved + (p == DEADLINE_WORK ? 0 : FINISH_SHARE * state->seconds + FINISH_SECONDS);
	stop = state->stopped_at + (p == DEADLINE_WORK ? 0 : STOP_SECONDS);
	return state->stopped && stop < end ? stop : end;
}

int deadline_over(void)
{
	return state && deadline_clock() >= end_of(DEADLINE_WORK);
}

int deadline_cut(void)
{
	return state && deadline_clock() >= end_of(phase);
}

double deadline_left(void)
{
	double end = end_of(phase), left = end - deadline_clock();

	return isinf(end) ? INFINITY : left > 0 ? left : 0;
}

double deadline_least(double seconds)
{
	double left = deadline_left();

	if (isinf(left))
		return seconds;
	left = left > 0.001 ? left : 0.001;
	return seconds > 0 && seconds < left ? seconds : left;
}

int deadline_ms(int most)
{
	double left = deadline_left() * 1000;

	if (!state)
		return most;
	if (most < 0 || most > LOOK_MS)
		most = LOOK_MS;
	return left < most ? (int)left + 1 : most;
}

int deadline_killed(void)
{
	return state && deadline_clock() >= end_of(DEADLINE_FINISH) + KILL_SECONDS;
}

/* ---------------------------------------------------------------- children */

int deadline_groups(void)
{
	return state && !grouped;
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

/* A handler of the command's would take a signal to one helper for one to all. */
static void deadline_own_signals(void)
{
	struct sigaction old;

	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (ending[i] != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)) /* nohup(1) holds for helpers, too */
			signal(ending[i], SIG_DFL);
}

void deadline_hold(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		sigaddset(&set, ending[i]);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

void deadline_let(const sigset_t *before, int child)
{
	if (child)
		deadline_own_signals();
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

pid_t deadline_fork(void)
{
	sigset_t before;
	pid_t pid;

	deadline_hold(&before);
	pid = fork();
	deadline_let(&before, !pid);
	return pid;
}

void deadline_child(void)
{
	if (deadline_groups())
		setpgid(0, 0);
	grouped = 1;
}

static void pause_ms(int ms)
{
	struct timespec t = {0, ms * 1000000l};

	nanosleep(&t, NULL);
}

static void send_signal(pid_t pid, int number)
{
	if (deadline_groups())
		kill(-pid, number);
	kill(pid, number);
}

/* Asked first: compilers remove what they did not finish. */
void deadline_end_child(pid_t pid)
{
	double until = deadline_clock() + END_SECONDS;
	siginfo_t info;

	if (pid <= 0)
		return;
	send_signal(pid, SIGTERM);
	do {
		memset(&info, 0, sizeof info);
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			break;
		pause_ms(2);
	} while (deadline_clock() < until);
	send_signal(pid, SIGKILL); /* the rest of its group, if not itself */
}

int deadline_wait(pid_t pid, int *status)
{
	int ended = 0;

	for (int ms = 1;; ms = ms < 10 ? ms + 1 : 10) {
		pid_t r = waitpid(pid, status, ended || !state ? 0 : WNOHANG);

		if (r == pid)
			return ended ? -1 : 0;
		if (r < 0 && errno != EINTR)
			return -1;
		if (r == 0 && deadline_cut()) {
			deadline_end_child(pid);
			ended = 1;
		} else if (r == 0) {
			pause_ms(ms);
		}
	}
}
