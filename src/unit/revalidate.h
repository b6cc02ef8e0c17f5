/* revalidate.h: the summaries of a file's old version against a new one: phases of src/validate, then runs of the new version. */
#ifndef MUSTER_UNIT_REVALIDATE_H
#define MUSTER_UNIT_REVALIDATE_H

#include "unit/recall.h"
#include "validate/validate.h"

struct batch;

/* What came of one summary. Strings are the report's. */
struct revalidate_row {
	struct hash128 key;
	const char *function;
	enum summary_kind kind;
	char *end_function; /* it ends in that one; NULL */
	int from_loop;	    /* it does not begin at the function's entry */
	uint32_t line, end_line; /* in the old version */
	struct validate_result r;
	char *pre, *post;   /* as C */
	char *state, *what; /* of an invalid one: what was run, and what it did */
	int was_partial;
	int ran;	    /* states of it were run on the new version */
	int violated;	    /* it is said to be valid, and one of them shows that it is not: a defect of muster's */
};

struct revalidate_options {
	struct validate_options validate;
	const char *function; /* this one alone; NULL: all */
	uint64_t states;      /* that are run to refute a summary; 0: 6 */
	uint64_t seed;
	uint64_t audit;	      /* states of each valid summary that are run as well, to see that it holds */
	int no_runs;	      /* nothing is run: no summary is invalid */
};

struct revalidation {
	VEC(struct revalidate_row) rows;
	uint64_t valid, invalid, unknown, partial, phase[VALIDATE_PHASES + 1];
	double seconds[VALIDATE_PHASES + 1]; /* of processor time; 0: those that were not validated */
	uint64_t ran, violated;	/* states that were run; valid summaries that one of them contradicts */
	uint64_t unaudited;	/* valid summaries of which none could be run */
	int interrupted;
	int not_run; /* one of the versions cannot be run function by function: no summary is invalid */
};

/* was: of the old version; now: the new one, driven in the same manner. 0, or -1 with words. */
int revalidate_run(struct recall *was, const struct driven *now, const struct revalidate_options *o, struct revalidation *out);
void revalidate_release(struct revalidation *v);

#endif
