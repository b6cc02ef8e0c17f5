/* check_options.h: the options of active checking, which fuzz and test share.
 *
 *	static struct check_options check;
 *	const struct option_row rows[] = {..., CHECK_ROWS(&check), OPTION_END};
 *	...
 *	check_options_apply(&spec, &check);   // before any variant is made
 */
#ifndef MUSTER_CMD_CHECK_OPTIONS_H
#define MUSTER_CMD_CHECK_OPTIONS_H

#include "base/option.h"
#include "check/suppress.h"
#include "ir/checker.h"

struct check_options {
	const char *list, *how, *suppressions; /* as typed; NULL: not given */
	int stats;
	/* Filled in by check_options_apply. */
	checker_set set;
	int combine; /* enum search_combine */
};

#define CHECK_ROWS(c)                                                                                                         \
	OPTION_STR("check", 'c', "LIST", &(c)->list,                                                                          \
		   "what to look for on every path: names of 'muster show checkers', all, none; -NAME and +NAME change the default"), \
	    OPTION_STR("suppressions", 0, "FILE", &(c)->suppressions,                                                     \
		       "lines KIND:PLACE, findings that are left out (docs/bugs.md); " SUPPRESS_FILE " in this directory, if it is there"), \
	    OPTION_STR("combine", 0, "HOW", &(c)->how,                                                                    \
		       "how checks between two branches are asked for: strong (the default), weak (one answer for all), naive (one by one)"), \
	    OPTION_FLAG("stats", 0, &(c)->stats, "figures of the solver and of the checkers")

/* What --check leaves out by name and the file of suppressions lists is suppressed from now on. Wrong words end the process. */
void check_suppress(const struct option_spec *spec, const char *list, const char *file);
/* Wrong words end the process with exit code 2. Sets what variants are made for; the search's options are the caller's to fill in. */
void check_options_apply(const struct option_spec *spec, struct check_options *c);

#endif
