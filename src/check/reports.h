/* reports.h: everything that the sanitizers reported of one run, each finding once.
 *
 *	struct reports all = {0};
 *	if (reports_read(&all, text) < 0) ...        // the sanitizer itself could not work
 *	reports_want(&all, &symboliser);             // of as many runs as there are
 *	symboliser_resolve(&symboliser);
 *	reports_settle(&all, &symboliser, own, ctx);
 *	for (size_t i = 0; i < all.list.size; i++)
 *		if (!all.list.data[i].into) ...      // a finding
 *	reports_release(&all);
 *
 * A run goes on after most findings of UndefinedBehaviorSanitizer (build/units.c has which), so there are several. */
#ifndef MUSTER_CHECK_REPORTS_H
#define MUSTER_CHECK_REPORTS_H

#include "check/report.h"

struct reports_one {
	struct report report;
	const char *text;	/* what its offsets count from: borrowed from reports_read's */
	report_symbols frames;	/* the program's own, innermost first; strings are the symboliser's */
	uint64_t bucket;	/* of the sanitizer's own kind and the frames */
	uint64_t place;		/* of the kind, the innermost function and its line: the same whoever ran it */
	uint32_t into;		/* number + 1 of the finding that it is no other than; 0: it is one itself */
};

struct reports {
	VEC(struct reports_one) list;
	int ended; /* the last one ended the run */
};

/* The number of reports, or -1 with words. text lives as long as the list is read. */
int reports_read(struct reports *all, const char *text);
void reports_want(const struct reports *all, struct symboliser *s);
void reports_settle(struct reports *all, const struct symboliser *s, int (*own)(void *ctx, const char *module), void *ctx);
/* The number of the finding that the last report is a part of: where the run ended, if it did. There is one. */
size_t reports_last(const struct reports *all);
void reports_release(struct reports *all);

#endif
