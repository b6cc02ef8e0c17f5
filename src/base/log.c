/* log.c: warnings and progress on standard error. A progress line on a terminal is wiped before anything else is
 * printed. Elsewhere (a file, a CI job's log) lines stay, so there are few of them: the first when the work
 * has lasted some seconds. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum log_level log_level = LOG_NORMAL;
void (*log_aside)(void);
int log_still;

#define PROGRESS_SECONDS 5 /* short enough to see that it goes on */
#define PROGRESS_SLOWER 1.2 /* from line to line: 40 lines in two hours */

static int progress_shown;
static double progress_pause = PROGRESS_SECONDS, progress_last;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((constructor)) static void read_environment(void)
{
	const char *s = getenv("MUSTER_LOG");

	if (s && !strcmp(s, "quiet"))
		log_level = LOG_QUIET;
	else if (s && !strcmp(s, "verbose"))
		log_level = LOG_VERBOSE;
	s = getenv("MUSTER_PROGRESS");
	if (s && *s)
		progress_pause = strtod(s, NULL);
	progress_last = now();
}

const char *log_color(const char *sequence)
{
	static int color = -1;

	if (color < 0) {
		const char *no = getenv("NO_COLOR");

		color = isatty(2) && !(no && *no);
	}
	return color ? sequence : "";
}

static void wipe(void)
{
	static const char back[] = "\r\033[K";

	if (log_aside)
		log_aside();
	if (progress_shown && write(2, back, sizeof back - 1) < 0) /* not through the stream: terminal.h */
		clearerr(stderr);
	progress_shown = 0;
}

static void line(const char *prefix, const char *fmt, va_list ap)
{
	wipe();
	fprintf(stderr, "muster: %s", prefix);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;
	char prefix[64];

	if (log_level < LOG_NORMAL)
		return;
	snprintf(prefix, sizeof prefix, "%swarning:%s ", log_color("\033[33m"),
		 log_color("\033[0m"));
	va_start(ap, fmt);
	line(prefix, fmt, ap);
	va_end(ap);
}

void log_found(const char *fmt, ...)
{
	va_list ap;

	if (log_level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	line("", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (log_level < LOG_VERBOSE)
		return;
	va_start(ap, fmt);
	line("", fmt, ap);
	va_end(ap);
}

int log_wants_progress(void)
{
	return log_level >= LOG_NORMAL && !log_still && (isatty(2) || progress_pause > 0);
}

/* Where lines stay: is it time for one? */
static int is_due(void)
{
	double t = now();

	if (progress_pause <= 0 || t - progress_last < progress_pause)
		return 0;
	progress_last = t;
	progress_pause *= PROGRESS_SLOWER;
	return 1;
}

void log_progress(const char *fmt, ...)
{
	va_list ap;

	if (!log_wants_progress())
		return;
	if (!isatty(2)) {
		if (!fmt || !is_due())
			return;
		va_start(ap, fmt);
		line("", fmt, ap);
		va_end(ap);
		return;
	}
	wipe();
	if (!fmt)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
	progress_shown = 1;
}
