/* status_text.h: lines of a display: text cut to a width, figures as people read them. */
#ifndef MUSTER_CMD_STATUS_TEXT_H
#define MUSTER_CMD_STATUS_TEXT_H

#include "base/buf.h"

#include <stdint.h>

/* A line under construction: columns are counted, escape sequences are not. */
struct status_text {
	struct buf out;
	unsigned column, width;
};

/* Text in a color (an escape sequence or ""), cut at the width. Control characters become '?'. */
void status_put(struct status_text *t, const char *color, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void status_to(struct status_text *t, unsigned column); /* spaces up to there, at least one */
void status_newline(struct status_text *t);

#define STATUS_NUMBER 40
/* Each writes into out, STATUS_NUMBER bytes, and returns it. */
const char *status_count(uint64_t n, char *out);       /* 1,234,567 */
const char *status_rate(double per_second, char *out); /* 12.3k/s */
const char *status_clock(double seconds, char *out);   /* 0:01:05 */
const char *status_ago(double seconds, char *out);     /* 4 s ago, 3 min ago */
const char *status_percent(double part, double whole, char *out);

#endif
