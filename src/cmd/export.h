/* export.h: what the files of `muster export` share. */
#ifndef MUSTER_CMD_EXPORT_H
#define MUSTER_CMD_EXPORT_H

#include "base/buf.h"
#include "base/vec.h"
#include "harness/harness.h"
#include "store/store.h"

/* One campaign that is exported. */
struct export_campaign {
	struct store *store;
	uint64_t id;
	char *program, *command;
	char *file; /* of muster test: absolute path of the .c file or program; NULL: of muster fuzz
		     */
	char *functions; /* that are wanted, separated by commas; NULL: all */
};

struct export_options {
	const char *dir, *shown; /* absolute; as the user wrote it */
	double time;		 /* seconds of one call */
	int no_check;		 /* what is written is not compiled and run */
	int quiet;
};

struct export_counts {
	unsigned files, tests, bugs, unsteady;
};

/* export_cmocka.c: DIR/test_UNIT.c and what compiles it. 0, -1 with words. */
int export_cmocka(const struct export_campaign *c, const struct export_options *o,
		  struct export_counts *counts);
/* export_testcomp.c: a suite of the values that __VERIFIER_nondet functions gave. */
int export_testcomp(const struct export_campaign *c, const struct export_options *o,
		    struct export_counts *counts);

/* A value of the campaign, "" if there is none; allocated. */
char *export_value(const struct export_campaign *c, const char *name);
/* Absolute and without . and .. in it; allocated. */
char *export_absolute(const char *path);
/* Path of `to` as it is named in directory `from`; both absolute. Allocated. */
char *export_relative(const char *from, const char *to);
int export_write(const char *dir, const char *name, const void *data, size_t size);

#endif
