/* sessions.h: commands that drive functions of files: a session (unit/unit.h) for each file that is named, one after the other, and what becomes of them all.
 *
 * muster test and muster contracts share it. The exit code is 1 if there are confirmed bugs. Without one it is 3 where something was left unlooked at: a function that was not reached, or one whose
 * budget ended before every branch was covered; else 0. */
#ifndef MUSTER_CMD_SESSIONS_H
#define MUSTER_CMD_SESSIONS_H

#include "unit/unit.h"

struct sessions_operand {
	char *file, *functions;	  /* functions: separated by commas, or NULL */
	const char *const *flags; /* of the compiler, before those that the user names; NULL: none */
	int found;		  /* in a directory or a list: if it cannot be compiled, the others go on */
};
struct sessions_operands {
	VEC(struct sessions_operand) all;
	struct arena arena; /* flags */
};

/* FILE or FILE:FUNCTION; several of one file are one session. A directory stands for what its compile_commands.json names, or for all .c files below it; such a list may be named itself. Ends the command
 * with words if it cannot be read. */
void sessions_operand(struct sessions_operands *list, const char *text);
/* Ends the command with words if one is none. */
void sessions_check(const struct sessions_operands *list, const struct option_spec *spec, const struct test_options *o);
void sessions_operands_release(struct sessions_operands *list);

/* What the numbers of the options may be; ends the command with words. */
void sessions_check_numbers(const struct option_spec *spec, const struct test_options *o);
/* Budgets of functions where the user names none (runs UINT64_MAX, function_time -1). */
void sessions_budgets(struct test_options *o);
/* The list of --requires ends in NULL from here on. */
void sessions_requires(struct test_options *o);
/* What workers share, the deadline, and what a signal does. command: as JSON names it. */
void sessions_begin(struct test_options *o, const char *command);

struct sessions_end {
	const char *status; /* "complete", "budget", "interrupted", "failed" */
	double seconds;
	int failed;
	int code; /* to exit with; print may say another */
};
typedef void (*sessions_print)(struct test_session *const *all, size_t count, struct sessions_end *end, void *ctx);
/* Runs all of them, stores the results, prints. The exit code. */
int sessions_run(const struct test_options *o, const struct sessions_operands *list, sessions_print print, void *ctx);

#endif
