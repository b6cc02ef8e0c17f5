/* status.h: how a search is going, for a person who watches it.
 *
 *	struct status s = {.title = "./prog @@", .workers = 2, .rung_names = names, .rung_count =
 *n}; status_begin(&s, quiet); while (...) { if (status_due(&s)) {           // cheap; call it as
 *often as you like s.runs = ...;           // fill in what is below status_update(&s);
 *		}
 *	}
 *	status_end(&s);                         // the last figures stay on the screen
 *
 * All of it goes to standard error. On a terminal a few lines are redrawn in place, at most five
 *times a second; elsewhere a plain line now and then, ever more rarely; with `quiet`, or
 *MUSTER_LOG=quiet, nothing. Warnings (log.h) appear above the display. The cursor comes back on
 *every way out but kill -9. One display at a time.
 */
#ifndef MUSTER_CMD_STATUS_H
#define MUSTER_CMD_STATUS_H

#include <stdint.h>

#define STATUS_HISTORY 48

struct status {
	/* Given before status_begin; borrowed. */
	const char *title;	       /* the command that is searched */
	unsigned workers;	       /* processes that search */
	const char *const *rung_names; /* of the solver's ladder */
	unsigned rung_count;
	double limit; /* seconds of search asked for; 0: no limit */

	/* Figures. */
	double seconds; /* of search */
	uint64_t runs;
	double runs_per_second;	 /* lately */
	uint64_t covered, total; /* branch outcomes */
	uint64_t tests, frontier;
	double last_new;       /* seconds since the last new branch; negative: none yet */
	const uint64_t *rungs; /* queries that each rung answered; rung_count of them, or NULL */
	uint64_t queries;
	double solver_seconds;
	uint64_t divergences;
	uint64_t bugs, suspected, hangs;
	const char *phase; /* what it does now, or NULL */

	/* private */
	int mode;
	double begun, drawn, next_line, sampled, sample_seconds;
	unsigned lines, printed;
	uint64_t history[STATUS_HISTORY];
	unsigned samples;
};

void status_begin(struct status *s, int quiet);
int status_due(const struct status *s); /* would status_update show anything now? */
void status_update(struct status *s);	/* shows the figures, if it is time */
void status_end(struct status *s);	/* shows the last figures and gives the terminal back */

#endif
