/* log.c: warnings and progress on standard error. A progress line is shown on a
 * terminal only and is wiped before anything else is printed. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum log_level log_level = LOG_NORMAL;
void (*log_aside)(void);

static int progress_shown;

__attribute__((constructor)) static void read_environment(void)
{
	const char *s = getenv("MUSTER_LOG");

	if (s && !strcmp(s, "quiet"))
		log_level = LOG_QUIET;
	else if (s && !strcmp(s, "verbose"))
		log_level = LOG_VERBOSE;
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
	if (log_aside)
		log_aside();
	if (progress_shown)
		fputs("\r\033[K", stderr);
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

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (log_level < LOG_VERBOSE)
		return;
	va_start(ap, fmt);
	line("", fmt, ap);
	va_end(ap);
}

void log_progress(const char *fmt, ...)
{
	va_list ap;

	if (log_level < LOG_NORMAL || !isatty(2))
		return;
	wipe();
	if (!fmt)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
	progress_shown = 1;
}
