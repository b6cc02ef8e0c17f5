/* diff.h: how the behaviour of a program's functions changed between two versions.
 *
 *	struct diff *d = diff_run(old, new, &options);     programs of ir/whole.h, which outlive it; NULL with words
 *	for each d->functions: name, verdict, conditions as C, cases with runs of both versions
 *	diff_free(d);
 *
 * For the inputs of a function (parameters, globals, memory that pointers lead to) there are these sets; the conditions in C are what is claimed:
 *
 *	changed       both versions end, and differ in the result, in memory, in the calls that they make of functions outside, or in how they end
 *	termination   one version ends, the other never does
 *	unchanged     both do the same
 *	undefined     one of them, or both, have undefined behaviour
 *
 * What is in none of them may change. complete: nothing is left. docs/diff.md says how they are found and what they promise.
 */
#ifndef MUSTER_DIFF_DIFF_H
#define MUSTER_DIFF_DIFF_H

#include "base/buf.h"
#include "base/vec.h"
#include "ir/match.h"

/* X(NAME, key) */
#define DIFF_VERDICTS(X)         \
	X(EQUAL, "equal")        \
	X(CHANGED, "changed")    \
	X(MAY, "may-change")     \
	X(ADDED, "added")        \
	X(REMOVED, "removed")
enum diff_verdict {
#define X(name, key) DIFF_##name,
	DIFF_VERDICTS(X)
#undef X
};
const char *diff_verdict_key(enum diff_verdict v);

struct diff_input { /* of a witness */
	char *name, *value; /* in C */
};

struct diff_case {
	char *when; /* a part of changed, termination or undefined; NULL: this one input alone */
	char *what; /* "returned 0, now returns -1" */
	int termination;
	int undefined; /* exactly one version is undefined there, and was seen to crash */
	/* The witness: what was run, and what was seen. */
	VEC(struct diff_input) inputs;
	char *old, *new;
	char *run; /* the input again, for diff_replay */
};

struct diff_function {
	const char *name, *now; /* in the old version, in the new one; NULL: there is none */
	const char *file;
	uint32_t line;
	enum diff_verdict verdict;
	int complete;
	int modified; /* its own code is another; 0: at most that of functions it calls */
	char *changed, *termination, *unchanged, *undefined; /* conditions in C; NULL: no input is known to be there */
	char *given;					      /* not NULL: the versions differ only for calls that do not keep this, which is of the function's contract; verdict says what becomes of all calls */
	char *why;					      /* what the rest rests on; NULL: there is none */
	VEC(struct diff_case) cases;			      /* each confirmed by a run of both versions */
	double seconds;
};

struct diff_options {
	const char *function; /* this one alone, and what it calls; NULL: all */
	struct diff_bitcode {
		const void *data;
		size_t size;
	} bitcode[2]; /* of the old and the new version, each of one unit, for witnesses; empty: nothing is run, so nothing is changed */
	double seconds;	      /* of processor time for one function; 0: 10 */
	double total;	      /* seconds for all; functions that are left then may change; 0: no limit */
	int overflow;	      /* signed overflow is undefined */
	/* What callers owe the function of this file, as docs/contracts.md has it; NULL: nothing is known. The function may be NULL. */
	const char *(*contract)(void *ctx, const char *file, const char *function);
	void *contract_ctx;
	int no_refine;	      /* of every function only the first iterations of its loops are looked at, also where that is not enough for its callers */
	int modified;	      /* only functions whose own code is another */
};

struct diff {
	VEC(struct diff_function) functions;
	VEC(char *) data; /* names of data whose initial value changed */
	struct match *match;
	int interrupted; /* the time was over: functions that were not looked at may change */
};

struct diff *diff_run(const struct whole *old, const struct whole *new, const struct diff_options *o);
void diff_free(struct diff *d);

/* Runs both versions on an input that a case has: 1: they differ, 0: they do not; out says what they did. -1 with words. */
int diff_replay(const struct whole *old, const struct whole *new, const struct diff_options *o, const char *run, struct diff_case *out);
void diff_case_release(struct diff_case *c);
/* "n = 4, p = 0": its input. all: also bytes without a name that are 0, as memory is anyway, and more words than a person reads. */
void diff_case_inputs(const struct diff_case *c, int all, struct buf *out);

#endif
