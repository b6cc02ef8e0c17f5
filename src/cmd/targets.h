/* targets.h: targets (run/target.h) as commands use them: rows for option tables; failures end the process with words. */
#ifndef MUSTER_CMD_TARGETS_H
#define MUSTER_CMD_TARGETS_H

#include "base/option.h"
#include "run/target.h"

/* Rows of an option table: what is input, and the limits of a run. */
#define TARGET_INPUT_ROWS(o)                                              \
	OPTION_LIST("file", 'f', "NAME", &(o)->files,                     \
		    "this file is input, wherever the program opens it"), \
	    OPTION_FLAG("args", 0, &(o)->args, "arguments are input"),    \
	    OPTION_LIST("env", 0, "NAME", &(o)->env, "this environment variable is input")
#define TARGET_MEM_ROW(o) OPTION_U64("mem", 'm', "MB", &(o)->mem_mb, "memory limit of a run (4096)")
/* Of muster's own processes (base/budget.h), for commands that search. */
#define MEMORY_ROW(bytes) \
	OPTION_U64("memory", 0, "BYTES", bytes, "memory of muster's own processes, all together (a quarter of the machine)")
#define TARGET_TIME_ROW(o)                          \
	OPTION_DOUBLE("time", 't', "S", &(o)->time, \
		      "wall-clock limit of a run in seconds (60; 0: none)")

/* target_program, target_make and target_started, or the process ends with words. */
char *targets_program(const char *name);
void targets_make(struct target *t, const char *program, char *const *argv, int kind, const struct target_options *o);
void targets_check_started(const struct run_result *r);

#endif
