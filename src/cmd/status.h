/* status.h: how a search is going, for a person who watches it.
 *
 *	status_begin(quiet ? STATUS_QUIET : STATUS_AUTO, "./prog @@", "out");
 *	while (...) {
 *		struct status s = {.runs = ...};
 *		status_update(&s);      // as often as you like: it shows what it is time for
 *	}
 *	status_end();                   // the last figures stay on the screen
 *
 * All of it goes to standard error. On a terminal a few lines are redrawn in place, at most five
 * times a second; elsewhere a plain line now and then, ever more rarely; with STATUS_QUIET, or
 * MUSTER_LOG=quiet or MUSTER_PROGRESS=0, nothing. Warnings (log.h) appear above the display. The cursor comes back on
 * every way out but kill -9; handlers of signals that were set before status_begin are still
 *called. One display at a time; processes forked after status_begin do not touch it.
 */
#ifndef MUSTER_CMD_STATUS_H
#define MUSTER_CMD_STATUS_H

#include <stdint.h>

struct status {
	double seconds; /* of search */
	double limit;	/* seconds asked for; 0: no limit */
	unsigned workers;
	uint64_t runs;
	uint64_t covered, total; /* branch outcomes */
	double since_new;	 /* seconds since the last new one; negative: none yet */
	uint64_t files;		  /* in queue/ */
	uint64_t tests, frontier; /* all, and those that are still to be explored */
	uint64_t cycles;	  /* of mutation over the corpus */
	uint64_t rerun, unstable; /* tests run a second time, and those that did something else then */
	uint64_t bugs, suspected, hangs;
	char stage[80]; /* what it does now, or "" */
};

enum status_mode { STATUS_QUIET, STATUS_AUTO };

/* The command, and the directory that inputs and bugs are saved in: copied. */
void status_begin(enum status_mode mode, const char *title, const char *dir);
int status_due(void); /* would status_update show anything now? */
void status_update(const struct status *s);
void status_end(void); /* shows the last figures it was given, and gives the terminal back */

#endif
