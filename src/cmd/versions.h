/* versions.h: OLD and NEW (campaign/versions.h) as commands use them: rows for option tables, words for the help, operands. */
#ifndef MUSTER_CMD_VERSIONS_H
#define MUSTER_CMD_VERSIONS_H

#include "base/option.h"
#include "campaign/versions.h"

#define VERSIONS_ROWS(o)                                                                                                            \
	OPTION_STR("build", 0, "COMMAND", &(o)->build, "how a git revision is built, as in --build make"),                          \
	    OPTION_STR("program", 0, "FILE", &(o)->program, "what is compared of what the build made (if it is more than one)"), \
	    OPTION_STR("store", 0, "FILE", &(o)->store, "the store (.muster/store.db)")

#define VERSIONS_HELP                                                                                 \
	"OLD and NEW: C files, binaries built with muster cc, git revisions (with --build, or one of\n" \
	"their files: HEAD~1:FILE.c), versions of the store (store:N). 'OLD --build make' compares a\n" \
	"revision with the work tree, 'HEAD~1 FILE.c' one file. Arguments after -- are the compiler's,\n" \
	"for C files: 'OLD.c NEW.c -- -Iinclude -DX=1'.\n"

/* Options and operands in any order: versions[0] is OLD, versions[1] NEW or NULL; after them, "--" and arguments of the compiler for C files. Wrong usage ends the process. */
void versions_operands(const struct option_spec *spec, int argc, char **argv, const char *versions[2], struct versions_options *o);

#endif
