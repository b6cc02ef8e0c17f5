/* status_text.c: see the header. */
#include "cmd/status_text.h"

#include "base/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void status_put(struct status_text *t, const char *color, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	buf_adds(&t->out, log_color(color));
	for (const char *p = text; *p; p++) {
		if (!continues(*p)) {
			if (t->column >= t->width)
				break;
			t->column++;
		}
		buf_addc(&t->out, (unsigned char)*p < 32 || *p == 127 ? '?' : *p);
	}
	if (*color)
		buf_adds(&t->out, log_color("\033[0m"));
}

void status_to(struct status_text *t, unsigned column)
{
	do
		status_put(t, "", " ");
	while (t->column < column && t->column < t->width);
}

void status_newline(struct status_text *t)
{
	buf_adds(&t->out, "\033[K\n");
	t->column = 0;
}

const char *status_count(uint64_t n, char *out)
{
	char digits[24];
	int size = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;

	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}

const char *status_rate(double r, char *out)
{
	if (r >= 1e6)
		snprintf(out, STATUS_NUMBER, "%.1fM/s", r / 1e6);
	else if (r >= 1e4)
		snprintf(out, STATUS_NUMBER, "%.1fk/s", r / 1e3);
	else
		snprintf(out, STATUS_NUMBER, r < 10 ? "%.1f/s" : "%.0f/s", r);
	return out;
}

const char *status_clock(double seconds, char *out)
{
	uint64_t s = seconds > 0 ? (uint64_t)seconds : 0;

	snprintf(out, STATUS_NUMBER, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60),
		 (unsigned)(s % 60));
	return out;
}

const char *status_ago(double seconds, char *out)
{
	if (seconds < 0)
		snprintf(out, STATUS_NUMBER, "none yet");
	else if (seconds < 1)
		snprintf(out, STATUS_NUMBER, "just now");
	else if (seconds < 120)
		snprintf(out, STATUS_NUMBER, "%.0f s ago", seconds);
	else if (seconds < 7200)
		snprintf(out, STATUS_NUMBER, "%.0f min ago", seconds / 60);
	else
		snprintf(out, STATUS_NUMBER, "%.1f h ago", seconds / 3600);
	return out;
}

const char *status_percent(double part, double whole, char *out)
{
	double p = whole > 0 ? 100 * part / whole : 0;

	snprintf(out, STATUS_NUMBER, p > 0 && p < 9.95 ? "%.1f %%" : "%.0f %%", p);
	return out;
}
