/* suite.h: a suite of Test-Comp for a whole program with __VERIFIER_nondet functions. */
#ifndef MUSTER_CAMPAIGN_SUITE_H
#define MUSTER_CAMPAIGN_SUITE_H

#include "ir/checker.h"

struct suite_options {
	const char *property;	   /* a file, or the property itself */
	const char *file, *dir;	   /* the program's source; where tests go */
	const char *const *cflags; /* NULL at the end */
	double seconds;		   /* of everything, as the deadline has it; 0: not given */
	double run_time;	   /* seconds of one call */
	uint64_t workers, seed;	   /* 0: one; not given */
	checker_set checks;
	int combine;		  /* enum search_combine */
	const volatile int *stop; /* a signal came */
};

struct suite_result {
	unsigned tests, errors; /* written; of them, those that call the function */
	int of_call;		/* the property is about a call */
	int code;		/* of the search: enum exit_code; of a failure: EXIT_USAGE or EXIT_INTERNAL */
};

/* 0, or -1 with words. */
int suite_make(const struct suite_options *o, struct suite_result *r);

#endif
