#include "cmd/stop.h"

#include "base/error.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile int *flag;
static volatile sig_atomic_t heard; /* by this process: workers share the flag */
static struct timespec first;

static double since(const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now); /* safe in a handler */
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

/* timeout(1) signals its child and then the whole group: two at once are one wish. */
static void on_signal(int number)
{
	if (heard && since(&first) > 0.3) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (!heard)
		clock_gettime(CLOCK_MONOTONIC, &first);
	heard = 1;
	*flag = 1;
}

void stop_catch(volatile int *stop)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction a = {.sa_handler = on_signal}, old;

	flag = stop;
	sigemptyset(&a.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset(&a.sa_mask, numbers[i]);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i] != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN))
			sigaction(numbers[i], &a, NULL);
}

_Noreturn void stop_give_up(const char *why)
{
	if (heard)
		die(EXIT_INCONCLUSIVE, "interrupted before there was a result: the same command starts again");
	die(EXIT_USAGE, "%s", why);
}
