/* trace_show.h: a trace for people and for programs. */
#ifndef MUSTER_CMD_TRACE_SHOW_H
#define MUSTER_CMD_TRACE_SHOW_H

#include "base/buf.h"
#include "ir/site.h"
#include "run/activations_check.h"
#include "run/calls.h"
#include "run/depend.h"
#include "run/eval.h"
#include "run/launch.h"
#include "run/trace.h"

/* All that is known of a traced run. Borrowed pointers; NULL or 0 where it was not asked for. */
struct trace_show {
	const char *program;
	const struct trace *trace;
	struct trace_totals totals;
	const struct site_tables *sites;
	const struct calls *calls; /* NULL: not asked for */
	const struct activations *activations; /* likewise, with their terms in pool */
	struct exprs *pool;
	const struct activations_check *activations_check;
	const struct run_result *run;
	const struct shm *shm;
	unsigned node_limit;	/* of a printed expression */
	int all;		/* concrete decisions too */
	int libc;		/* the text has each event inside libc functions; else it counts them */
	double seconds;		/* of everything, wall clock */
	double variant_seconds; /* making the variant, wall clock */
	const char *copies;	/* of functions that the variant has (build/copies.h) */
	const struct eval_check *check;
	const struct eval_mismatch *mismatches; /* the first ones */
	unsigned mismatch_count;
	const struct depend_report *depend; /* NULL: not run; with depend_error it says nothing */
	char *depend_error;		    /* why nothing was compared, or NULL */
	const char *status;		    /* the exit code in a word: complete, budget, inconclusive, failed */
	unsigned repeats;      /* runs after the first */
	double repeat_seconds; /* CPU of a repeated run, median */
	uint64_t repeat_faults;
};

/* To standard output. The path in text, one event a line:
 *	FILE:LINE:COLUMN: FUNCTION: KIND: TEXT
 * with bindings of the text indented after it, then totals and the end. Decisions and bounds that hold inside libc's functions
 * are one line for as many as follow each other. */
void trace_show_text(const struct trace_show *s);
/* One JSON object; `path` with every event, or totals only. */
void trace_show_json(const struct trace_show *s, int path);

#endif
