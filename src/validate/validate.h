/* validate.h: do the summaries of an old version of a program still hold in a new one?
 *
 *	struct validation *v = validation_new(old, new, &options);       programs of ir/whole.h, which outlive it
 *	struct validate_result r;
 *	validate_summary(v, list, &list->all.data[i], &r);               of one function after another, or mixed
 *	validate_result_release(&r);
 *	validation_free(v);
 *
 * The phases of seed 000, each sound by itself; options.order says which run, in which order; the first that proves the summary ends it:
 *
 *	1  change impact: nothing that may execute between lp and lq was modified (impact.c)
 *	2  on the old code: from lp with P, nothing that was modified is reached before lq (phase.c)
 *	3  on the new code: every execution from lp with P reaches lq with Q (phase.c)
 *
 * A partial summary is held to the same, and then, by Phase 3, to Definition 3 of the seed: is there a condition R, on places of which P has no byte, with which it is proved (missing.c)?
 * Phases 1 and 2 say something only of summaries that were valid in the old version. A summary that none proves is unknown here; that one is invalid is said by a run alone (unit/refute.h).
 * Places of P and Q are bound to the parameters, globals and objects of the function (bind.h); what cannot be bound is unknown, with a reason.
 */
#ifndef MUSTER_VALIDATE_VALIDATE_H
#define MUSTER_VALIDATE_VALIDATE_H

#include "ir/match.h"
#include "summary/summary.h"

/* X(NAME, key) */
#define VALIDATE_VERDICTS(X) \
	X(UNKNOWN, "unknown") \
	X(VALID, "valid")    \
	X(INVALID, "invalid")
enum validate_verdict {
#define X(name, key) VALIDATE_##name,
	VALIDATE_VERDICTS(X)
#undef X
};
const char *validate_verdict_key(enum validate_verdict v);

#define VALIDATE_PHASES 3u

struct validate_options {
	uint8_t order[VALIDATE_PHASES]; /* numbers of phases; 0 ends it. All 0: 1, 2, 3 */
	double seconds;			/* of processor time, for one summary; 0: 2 */
	int externals_unknown;		/* functions outside of the program may be others in the new version */
	/* Is the function one that stands for something outside of the program, and the same in both versions? NULL: none is. */
	int (*is_stub)(void *ctx, const char *name);
	int (*stands_in)(void *ctx, const char *name); /* the same, of the new version alone; NULL: none does */
	void *ctx;
};

/* A value that a place has in a state that satisfies P and for which Q could not be shown. */
struct validate_value {
	expr_t variable; /* of the summary's list */
	uint64_t value;
};

/* Bytes of a global ("gNAME") or of what a pointer leads to (its path and "*") in that state. */
struct validate_memory {
	char *base;
	uint8_t *bytes;
	size_t size;
};

struct validate_result {
	enum validate_verdict verdict;
	unsigned phase;	 /* that decided; 0: none */
	double seconds;	 /* of processor time */
	char *why;	 /* unknown: of the last phase; NULL */
	int elsewhere;	 /* places of the summary are not there, or are others: states of the new version are none of P's; or what a run does is chance */
	int rests;	 /* Phase 3: what functions without a body return is anything, and they do nothing else */
	int partial;	 /* valid as far as the summary goes, which is partial */
	char *needs;	 /* R, as C: valid where this holds, too; NULL: everywhere, or it is not known */
	expr_t missing;	 /* R, of the summary's list: the summary is unknown until a run of its witness, in which R holds, ends as Q says (unit/refute.h); EXPR_NONE: there is none */
	VEC(struct validate_value) state; /* for a run; empty: none */
	VEC(struct validate_memory) memory; /* the same */
};
void validate_result_release(struct validate_result *r);

struct validation *validation_new(const struct whole *old, const struct whole *new, const struct validate_options *o);
void validation_free(struct validation *v);
const struct match *validation_match(const struct validation *v);

/* The summary is of the old version. */
void validate_summary(struct validation *v, struct summaries *l, const struct summary *s, struct validate_result *out);

#endif
