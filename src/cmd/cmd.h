/* cmd.h: the subcommands. One row a command, one file src/cmd/NAME.c with
 * `int cmd_NAME(int argc, char **argv)`, where argv[0] is the command's name; the
 * result is the exit code. X(function suffix, name, one line of help; "" hides it). */
#ifndef MUSTER_CMD_H
#define MUSTER_CMD_H

#define MUSTER_VERSION "0.1"

#define COMMANDS(X)                                                                            \
	X(test, "test", "tests, bugs and verdicts for functions of a C file; no harness")      \
	X(fuzz, "fuzz", "find inputs that reach new code, and bugs")                           \
	X(replay, "replay", "run an input again: does it fail, how and where?")                \
	X(show, "show", "what searches found: tests, bugs, summaries, campaigns; the checkers")           \
	X(report, "report", "the same as web pages, SARIF, JUnit, LCOV, Cobertura, Markdown") \
	X(plot, "plot", "coverage or bugs of searches over time, as SVG")                     \
	X(minimize, "minimize", "make an input smaller that still does the same")              \
	X(cmin, "cmin", "choose few inputs of many that cover the same")                       \
	X(export, "export", "write tests for others: cmocka, plain files, Test-Comp")          \
	X(trace, "trace", "run a program once and print its path as conditions in C")          \
	X(check, "check", "refinement types of a C file: proved, rejected, or checks of every run") \
	X(contracts, "contracts", "what functions of a C file require of their callers")         \
	X(invariants, "invariants", "what holds at the loops of a C file, in C")               \
	X(diff, "diff", "for which inputs the behaviour of functions changed")                  \
	X(validate, "validate", "which summaries of an old version hold in a new one")          \
	X(ci, "ci", "what a change did: new and fixed bugs, changed behaviour; for CI")         \
	X(cc, "cc", "compile and link as clang-19 does, and keep what variants are made from") \
	X(build, "build", "run a build (make, cmake ...) with muster-cc as its compiler")      \
	X(init, "init", "write muster.conf, a file of options for this directory, to edit")     \
	X(doctor, "doctor", "what of a binary can be rebuilt, and what keeps it from that")     \
	X(variant, "variant", "make a variant of a binary and print its path")                 \
	X(strip, "strip", "remove muster's records from a binary")                             \
	X(refine_source, "refine-source", "")                                                  \
	X(instrument_runtime, "instrument-runtime", "")

/* The file of options that every command reads, in the current directory (or what the environment variable MUSTER_CONFIG names; empty: none). */
#define CMD_CONFIG "muster.conf"
/* Options that no file may set: what confines runs is decided by whoever starts them. */
extern const char *const cmd_typed_only[];
/* The i-th command of the table: 0 if there is none. run: of it, in this process. */
struct cmd_row {
	const char *name, *help;
	int (*run)(int argc, char **argv);
};
const struct cmd_row *cmd_row(unsigned i);
/* Has it a section in the file of options? The compiler wrapper has clang's options, and hidden commands have none for people. */
int cmd_has_section(const struct cmd_row *row);
/* The command with one argument, in a process of its own: -1 with words if there is none. */
struct proc_result;
int cmd_ask(const struct cmd_row *row, const char *argument, int capture, struct proc_result *r);

#define X(id, name, help) int cmd_##id(int argc, char **argv);
COMMANDS(X)
#undef X

#endif
