/* functions.h: a result with functions, for a person: a table of them, then the bugs. */
#ifndef MUSTER_REPORT_FUNCTIONS_H
#define MUSTER_REPORT_FUNCTIONS_H

#include "result/result.h"

/* What it takes beside the result. */
struct functions_view {
	const char *const *files; /* that were named, in their order */
	const size_t *counts;	  /* functions of each */
	size_t file_count;
	double seconds, run_time;
	int verbose; /* why a function is no better, and the whole scope */
	int stats;
	const char *bounds; /* that a reader of "verified" must know at once */
	const char *scope;  /* all of them, "; " between */
};
void functions_print(const struct result *r, const struct functions_view *v);

#endif
