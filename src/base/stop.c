#include "base/stop.h"

#include "base/buf.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

static volatile int *flag;
static volatile sig_atomic_t heard; /* by this process: workers share the flag */
static double first;
static const char *json_command;

/* timeout(1) signals its child and then the whole group: two at once are one wish. */
static void on_signal(int number)
{
	if (heard && deadline_clock() - first > 0.3) {
		file_temp_abandon();
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (!heard)
		first = deadline_clock();
	heard = 1;
	*flag = 1;
	deadline_stop();
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

void stop_json(const char *command)
{
	json_command = command;
}

static void print_json(const char *status, const char *words)
{
	struct buf out = {0};
	struct json j;
	json_begin(&j, &out);
	j.indent = 1;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, json_command);
	json_key(&j, "status"), json_str(&j, status);
	json_key(&j, "message"), json_str(&j, words);
	json_key(&j, "bugs"), json_array_open(&j), json_array_close(&j);
	json_object_close(&j);
	fwrite(out.data, 1, out.size, stdout);
	putchar('\n');
	buf_release(&out);
}

static const char *words_of_end(void)
{
	static const char interrupted[] = "interrupted before there was a result: the same command starts again, with what was built",
			  late[] = "the time was over before anything was run: all of it went into building. What was built is kept: the same "
				   "command goes on from there, or give it more with --time";
	return deadline_stopped() ? interrupted : late;
}

static void tell_json(void)
{
	if (json_command)
		print_json(deadline_stopped() ? "interrupted" : "budget", words_of_end());
}

_Noreturn void stop_give_up(const char *why)
{
	if (!deadline_over())
		die(EXIT_USAGE, "%s", why);
	tell_json();
	die(EXIT_INCONCLUSIVE, "%s", words_of_end());
}

/* ------------------------------------------------------------- watching */

static pthread_t watcher;
static int watching;

static void *watch(void *unused)
{
	struct timespec pause = {0, 20000000};
	(void)unused;
	while (!deadline_killed())
		nanosleep(&pause, NULL);
	tell_json();
	fflush(stdout);
	fprintf(stderr, "muster: %s\n", words_of_end());
	file_exit_child(EXIT_INCONCLUSIVE);
}

void stop_watch(void)
{
	if (!watching)
		watching = deadline_is_open() && !pthread_create(&watcher, NULL, watch, NULL);
}

void stop_unwatch(void)
{
	if (!watching)
		return;
	pthread_cancel(watcher);
	pthread_join(watcher, NULL);
	watching = 0;
}
