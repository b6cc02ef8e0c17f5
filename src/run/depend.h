/* depend.h: does the trace say what the path depends on? An oracle.
 *
 * The trace of one input claims: every input that satisfies the recorded
 * constraints takes the same branches; and the first constraint that an input
 * breaks is where its path turns off. The oracle changes the input many times,
 * evaluates the constraints for each changed input, runs the path variant on
 * it and compares the decisions with those of the first input.
 */
#ifndef MUSTER_RUN_DEPEND_H
#define MUSTER_RUN_DEPEND_H

#include "base/buf.h"
#include "base/vec.h"
#include "ir/site.h"
#include "run/compare.h"
#include "run/launch.h"
#include "run/trace.h"

/* What a changed input showed: X(NAME, key, words). */
#define DEPEND_VERDICTS(X)                                                                \
	X(SAME, "same", "all constraints hold, same path")                                \
	X(TURNED, "turned", "first false constraint is the first decision that differs")  \
	X(FREED, "freed", "a concretisation or bound is false first")                     \
	X(UNDEFINED, "undefined", "a constraint has no value for the input")              \
	X(LIMIT, "limit", "the run was stopped at a limit")                               \
	X(BEFORE, "before", "EXCEPTION: the path differs before any constraint is false") \
	X(MISSED, "missed",                                                               \
	  "EXCEPTION: a branch constraint is false, but the path goes on as before")

enum depend_verdict {
#define X(name, key, words) DEPEND_##name,
	DEPEND_VERDICTS(X)
#undef X
	    DEPEND_COUNT
};

const char *depend_key(enum depend_verdict v);
const char *depend_words(enum depend_verdict v);

#define DEPEND_NOWHERE UINT64_MAX

/* What is known of a changed input; positions are counted in decisions. */
struct depend_facts {
	uint64_t broken;  /* the first constraint that is not true, or DEPEND_NOWHERE */
	int decision;	  /* it is a branch or switch */
	int undefined;	  /* it has no value */
	uint64_t differs; /* the first decision at which the paths differ, or DEPEND_NOWHERE */
	uint64_t known;	  /* decisions that the trace covers; DEPEND_NOWHERE: all there are */
	int cut;	  /* its run was stopped */
	uint64_t length;  /* decisions of its path */
};

enum depend_verdict depend_judge(const struct depend_facts *f);

struct depend_exception {
	enum depend_verdict verdict;
	unsigned mutant; /* from 1 */
	uint64_t
	    position; /* decision at which the paths differ; the number of decisions if none does */
	uint32_t unit, index; /* the site there */
	int shown;	      /* of the user's trace, and not of the one with every decision */
	uint64_t event;	      /* first event of that trace that is false, or its event_count */
	struct buf input;     /* the changed bytes */
	char change[96];      /* what was changed: "byte 3: 0x61 -> 0x00" */
};

struct depend_report {
	unsigned mutants;
	unsigned count[DEPEND_COUNT];
	uint64_t decisions;   /* of the first input's path */
	uint64_t constraints; /* recorded for it */
	int within_trace; /* the path variant takes another path from the start (addresses decide):
			   * changed inputs ran the traced variant instead */
	VEC(struct depend_exception) exceptions;
	/* The first event of the user's trace that the one with every decision does not have, DEPEND_NOWHERE if there is none: one
	 * more exception. */
	uint64_t apart;
};

struct depend {
	struct launch_options path;   /* runs the path variant; without a server */
	struct launch_options traced; /* runs the variant that t is from, with other tables; program
					 NULL: not there */
	const struct site_tables *sites; /* for the outcomes of switches */
	struct launch_input input;	 /* the first one, in memory */
	int objects_too;		 /* marked objects take the input's bytes as well */
	/* The user's trace of the same run, and where its events stand in t's path: judged like t, where it went through to its
	 * end; NULL: there is none. */
	const struct trace *shown;
	const struct trace_places *places;
	unsigned mutants;
	uint64_t seed;
	void (*progress)(unsigned done); /* or NULL */
};

/* t is the trace, with an event for every decision, of a run with d->input. 0 with the report
 * filled in (release it), whatever it says; 1, with words, if the program does not do the same
 * twice, so that nothing can be said; -1 with words where muster failed, or the trace's decisions
 * are not those of the path variant. */
int depend_run(const struct depend *d, const struct trace *t, struct depend_report *r);
void depend_report_release(struct depend_report *r);

/* Exceptions in it. */
unsigned depend_exceptions(const struct depend_report *r);

#endif
