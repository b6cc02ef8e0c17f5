/* log.h: what muster reports to a person while it works, on standard error. Results go
 * to standard output, by other means. */
#ifndef MUSTER_LOG_H
#define MUSTER_LOG_H

enum log_level { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };
extern enum log_level log_level; /* LOG_NORMAL to begin with; MUSTER_LOG=quiet|verbose */

void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_found(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* what was looked for, unlike a warning */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* LOG_VERBOSE only */
/* What is being done: on a terminal a line that the next one replaces, elsewhere a line every few seconds
 * ($MUSTER_PROGRESS says how many; 0: none), then ever more rarely, so that short work prints nothing there. NULL: it is done. */
extern int log_still; /* nothing of this kind is printed (--quiet) */
int log_wants_progress(void); /* does anybody want such lines? */
void log_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Called before anything is printed here: a display that is redrawn in place steps aside. */
extern void (*log_aside)(void);

/* An escape sequence if standard error is a terminal and NO_COLOR is not set, else "". */
const char *log_color(const char *sequence);

#endif
