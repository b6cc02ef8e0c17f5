/* history.h: how a search went: what tests covered and which bugs they showed, one after another; the runs of a program's versions; what solved queries, what was taken over.
 *
 *	struct history h;
 *	if (history_load(&h, store, campaign)) ...    -1 with words
 *	history_release(&h);
 */
#ifndef MUSTER_REPORT_HISTORY_H
#define MUSTER_REPORT_HISTORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "store/store.h"

struct solve_stats;

struct history_point {
	double at; /* seconds of the search, or tests */
	uint64_t outcomes, bugs;
};

struct history_run {
	const char *command, *status;
	int64_t time;
	double seconds;
	uint64_t version, covered, total, tests, bugs;
};

struct history {
	VEC(struct history_point) points; /* `at` does not fall; at most HISTORY_POINTS */
	int by_tests;			  /* of muster test, which searches functions one after another, each with a clock of its own */
	VEC(struct history_run) runs;	  /* of all versions with this output directory, by time */
	const char *rungs;		  /* lines "KEY ANSWERED SECONDS"; "": not known */
	uint64_t reused_functions, reused_tests;
	int reuse_known;
	struct arena strings;
};
#define HISTORY_POINTS 400 /* of a curve | more than a screen shows */

int history_load(struct history *h, struct store *s, uint64_t campaign);
void history_release(struct history *h);

/* A drawing of one curve or several, which differ in more than colour. Standing alone it is a whole SVG file. bugs: draw these in place of outcomes. */
struct history_series {
	const char *name;
	const struct history *history;
};
void history_svg(const struct history_series *series, size_t count, int bugs, struct buf *out);

/* At the end of a run: what is not in the store's tables. clocks: 0 leaves times out, of a search that is to be repeatable. 0, -1 with words. */
int history_keep(struct store *s, uint64_t campaign, const struct solve_stats *solve, int clocks);

/* The values of a campaign that have what is not in tables. */
#define HISTORY_RUNGS "rungs"
#define HISTORY_REUSED "reused"

#endif
