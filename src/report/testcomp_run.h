/* testcomp_run.h: a suite of Test-Comp from inputs: each is run once more, and the values that the program asked for are the test.
 *
 *	struct testcomp_suite s = {.dir = dir};
 *	testcomp_open(&s, program, argv, seconds);
 *	testcomp_take(&s, argv, data, size);         // each input
 *	testcomp_close(&s);
 */
#ifndef MUSTER_REPORT_TESTCOMP_RUN_H
#define MUSTER_REPORT_TESTCOMP_RUN_H

#include "base/map.h"
#include "run/target.h"

#include <time.h>

struct testcomp_suite {
	const char *dir;  /* it is there */
	const char *call; /* only tests that call this function are written; NULL: all */
	unsigned tests;	  /* written so far */
	unsigned errors;  /* of them, those that call an error function */
	/* Its own. */
	struct target plain;
	struct launcher *launcher;
	const char *env[4];
	char *values, *setting; /* the file of MUSTER_VALUES */
	struct map known;	/* hashes of tests that were written */
};

/* program: as it was built, or a build of it that reports calls ("!"). 0, -1 with words; close it in either case. */
int testcomp_open(struct testcomp_suite *s, const char *program, char **argv, double seconds);
/* 0; -1 with words; 1: the program cannot be run. A test that is there already is not written again. */
int testcomp_take(struct testcomp_suite *s, char **argv, const void *data, size_t size);
void testcomp_close(struct testcomp_suite *s);
/* metadata.xml of the suite. created: of the suite; 0: the file's own time. 0, -1 with words. */
int testcomp_describe(const char *dir, const char *specification, const char *file, time_t created);

#endif
