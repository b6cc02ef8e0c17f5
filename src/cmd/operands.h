/* operands.h: the operands of replay and minimize: TEST... -- PROGRAM [ARGUMENTS].
 *
 * Without a program it is that of the campaign that the tests come from: of the output directory
 * named by -o, or of the one the first test lies in (DIR/queue/..., DIR/crashes/...). */
#ifndef MUSTER_CMD_OPERANDS_H
#define MUSTER_CMD_OPERANDS_H

#include "base/buf.h"
#include "base/option.h"
#include "base/shell.h"
#include "base/vec.h"
#include "ir/checker.h"

struct operands {
	VEC(const char *) tests;
	struct shell_line command; /* the program and its arguments, NULL after them */
	char *program;		   /* as target_program gives it */
};

/* The rows of -o, --store and --check. */
struct operands_options {
	const char *dir, *store, *check, *suppressions;
	checker_set set; /* filled in by operands_parse */
};
#define OPERANDS_ROWS(o)                                                               \
	OPTION_STR("output-dir", 'o', "DIR", &(o)->dir,                                \
		   "take the program from the search whose output directory this is"), \
	    OPTION_STR("store", 0, "FILE", &(o)->store, "the store (.muster/store.db)"), \
	    OPTION_STR("check", 'c', "LIST", &(o)->check, "what the san variant looks for, as in muster fuzz"), \
	    OPTION_STR("suppressions", 0, "FILE", &(o)->suppressions, "findings that are left out, as in muster fuzz")

/* Parses options wherever they stand before "--". Wrong usage ends the process. From now on variants are made for these checkers. */
void operands_parse(struct operands *o, const struct option_spec *spec, int argc, char **argv,
		    struct operands_options *from);
void operands_release(struct operands *o);

/* A whole test, or the process ends with words. */
void operands_read(const char *test, struct buf *out);

#endif
