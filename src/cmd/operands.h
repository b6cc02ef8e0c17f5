/* operands.h: the operands of replay and minimize: TEST... -- PROGRAM [ARGUMENTS].
 *
 * Without a program it is that of the campaign that the tests come from: of the output directory
 * named by -o, or of the one the first test lies in (DIR/queue/..., DIR/crashes/...). */
#ifndef MUSTER_CMD_OPERANDS_H
#define MUSTER_CMD_OPERANDS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/option.h"
#include "base/vec.h"
#include "ir/checker.h"

struct operands {
	VEC(const char *) tests;
	VEC(char *) argv; /* the program and its arguments, NULL behind them */
	char *program;	  /* as target_program gives it */
	/* private */
	struct arena arena;
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
/* Words of a line as the shell would split them (quotes and backslashes, nothing else), into argv.
 */
void operands_split(struct operands *o, const char *line);
/* Adds a word as a shell, and operands_split, read it back. */
void operands_word(struct buf *b, const char *s);
/* Adds a word for somebody to paste into a shell: on one line, without control characters. */
void operands_shell(struct buf *b, const char *s);
void operands_shell_path(struct buf *b, const char *path); /* the same, and never taken for an option */
void operands_shell_line(struct buf *b, const char *line); /* every word of what operands_word wrote */

#endif
