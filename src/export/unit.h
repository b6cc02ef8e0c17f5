/* unit.h: what cmocka.c (a file of tests is written) and check.c (it is tried)
 * share. */
#ifndef MUSTER_EXPORT_UNIT_H
#define MUSTER_EXPORT_UNIT_H

#include "base/map.h"
#include "base/shell.h"
#include "export/export.h"

/* What a bug looked like when it was confirmed. */
struct export_place {
	char *kind, *function, *file;
	uint32_t line, column; /* column: 0 if the report has none; in preprocessed text */
	char *message;	       /* the report's sentence, or of a refinement the summary; NULL */
	uint64_t bucket;
};

struct input {
	uint32_t number; /* of the function in the table */
	char *name;	 /* of the test */
	char *bug;	 /* in words; NULL: none */
	struct export_place place;
	struct buf data; /* canonical */
	struct buf seen, again;
	int exit_code;
	int unsteady, dropped;	    /* it asserts nothing; it is left out */
	int varies;		    /* some of it differed between two runs */
	int stated;		    /* a bug with an assertion of its own that fails */
	int touched;		    /* in this round of the check */
	enum export_note_kind note; /* then: why */
};

struct unit {
	const struct export_campaign *c;
	const struct export_options *o;
	struct export_counts *counts;
	struct front *front;
	struct harness *h;
	char *program;
	struct shell_line cflags; /* argv: the words */
	struct buf flags;	/* the same as a shell reads them */
	VEC(struct input) inputs;
	struct map ids;		 /* of functions: to number */
	struct map plain;	 /* number of a function: tests of it that cover nothing new */
	struct strmap names;	 /* of tests */
	char *base;		 /* test_UNIT */
	char *here;		 /* the directory where muster test ran, and where we are now */
	char *from_dir, *to_dir; /* here as DIR names it, and DIR as it is named here */
	char *source;		 /* of the unit, as the file includes it */
	int raw;
};

/* cmocka.c: the file as the inputs are now. 0, -1. */
int export_unit_write(struct unit *u);
/* check.c: compiles and runs it, weakens what fails, writes it anew; notes what is not as it
 * should be. 0, -1. */
int export_unit_check(struct unit *u);
/* claims.c: files with assertions for bugs that gcc's sanitizers do not know: BUG.i. 0, -1. */
int export_unit_claims(struct unit *u);

/* program.c: flags that compile tests of a program's unit with the other units, and where
 * that unit's source is (allocated); goes to the directory where it was compiled. -1 with words if
 * that cannot be. */
int export_unit_program(struct unit *u, char **source);

/* Flags of the program with the bugs, after all others: as the san variant is compiled. */
#define EXPORT_BUG_FLAGS                                                       \
	"-O0", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", \
	    "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DMUSTER_BUGS"

#endif
