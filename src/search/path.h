/* path.h: the path of a traced run as the search reads it: decisions and the constraints between
 * them.
 *
 * A step is an event that constrains the input: a decision (branch, switch), a bound or
 * a concretisation. Decisions have an ordinal; the digest of all decisions before one
 * (site and outcome of each) is what another run is compared with, to see whether it
 * went where it was sent.
 *
 * What a read found (all it asked for, or the end of the input) is recorded as a bound, but the
 * program goes on by it: such steps are negated as well. They are no decisions, since two lengths
 * that lead to the same ones may leave different bounds; they have a digest of their own, by which
 * negations in inputs of different length are distinguished.
 *
 * Checks of the compiler's end the run that breaks them where a function runs alone (exact): there they are decisions. Elsewhere the program goes on
 * after them, so they are none; but what is after a check that was broken is distinguished from what is after one that held, like what reads found.
 *
 * Where breaking a check is no undefined behaviour (unsigned numbers that wrap), the terms say what happens after it: there it constrains nothing.
 *
 * Given steps hold by agreement (preconditions, which of several interchangeable objects a pointer means): they
 * constrain what is asked for after them and are not negated, but for a precondition that did not hold and ended the run.
 */
#ifndef MUSTER_SEARCH_PATH_H
#define MUSTER_SEARCH_PATH_H

#include "ir/checker.h"
#include "run/import.h"
#include "search/sites.h"

#define PATH_READ 16u /* no limit: a kind: a bound that says what a read found */
#define PATH_CHECK 17u /* no limit: a kind: a check of the compiler's that the program goes on after, whatever it says */

struct path_step {
	uint32_t label;
	uint32_t site;	  /* of a decision or bound: its number in sites; else 0 (exact: of all) */
	uint32_t outcome; /* of a decision; of a bound: 0 or 1; of a concretisation: the reason */
	uint32_t kind;	  /* MUSTER_EV_BRANCH, SWITCH, BOUND, GIVEN or CONCRETE; PATH_READ, PATH_CHECK */
	uint32_t ordinal; /* decisions before it */
	uint16_t checker; /* enum muster_checker: breaking it is a defect of this kind; else 0 */
	uint16_t free;	  /* of a check: the program goes on by its rules whatever it says, so it constrains nothing */
	uint32_t fails;	  /* of a check that is asked about: the outcome that breaks it; else SITE_NO_OUTCOME */
	uint32_t nth;	  /* of a bound or check: its number since the last decision, from 1 */
	uint64_t event;	  /* its number in the trace */
	uint64_t prefix;  /* digest of them */
	uint64_t reads;	  /* digest of what reads found before it */
	uint64_t self; /* what it adds to the digest; of a bound or read: what it is known by after
			  the prefix */
};

/* A function or loop was entered here: the first of its ENTRY events, and the steps before it. */
struct path_entry {
	uint64_t event;
	uint32_t step;
};

struct path {
	VEC(struct path_step) steps;
	VEC(struct path_entry) entries;
	uint32_t decisions;
	uint32_t bounds; /* since the last decision */
	uint64_t digest; /* of all decisions */
	uint64_t reads;	 /* of what all reads found */
	int cut;	 /* a table was full or a site capped: there was more */
	int assumed;	 /* the run ended because an assumption did not hold */
	int exact;	 /* set by the caller: bounds and values that were fixed are part of reads, too; checks are decisions */
	checker_set checks; /* set by the caller: those that are asked about */
	/* Set by the caller: conditions that are no part of the path (compose.h), by event; NULL: there are none. */
	int (*skip)(void *ctx, uint64_t event);
	void *skip_ctx;
	uint64_t unfolded; /* set by the caller: how much stands for calls that are unfolded (compose_run.known); negations are asked for again where it is more */
	uint64_t concretisations;
	uint64_t stale;	  /* values given up because other code wrote */
	uint64_t orders;  /* uses of an object's address as a number */
	uint64_t unseen;  /* kinds of data that may have come without labels */
	int sized;	  /* the size of a heap block depends on the input, and with it where others stand */
	uint64_t threads; /* threads, children and other programs: they are not followed */
	uint64_t pins;	  /* concretisations and bounds */
};

/* A check that is asked about and that this run passed, or broke. */
static inline int path_passed(const struct path_step *s)
{
	return s->fails != SITE_NO_OUTCOME && s->outcome != s->fails;
}

static inline int path_broke(const struct path_step *s)
{
	return s->fails != SITE_NO_OUTCOME && s->outcome == s->fails;
}

static inline int path_decides(const struct path_step *s)
{
	return s->kind == MUSTER_EV_BRANCH || s->kind == MUSTER_EV_SWITCH;
}

/* Reads a trace; limit bounds the steps (0: none), and a path that has more is cut. Old contents
 * are forgotten. */
void path_read(struct path *p, const struct trace *t, struct sites *sites, const struct exec *exec,
	       uint64_t limit);
void path_release(struct path *p);

/* What a test's path is known by, never 0: all decisions, what reads found, and whether an assumption ended it. */
uint64_t path_key(const struct path *p);

/* What held at this step, and what another outcome of a decision needs, as terms of width 1. */
expr_t path_constraint(const struct path_step *s, struct import *im, const struct sites *sites);
expr_t path_goal(const struct path_step *s, uint32_t outcome, struct import *im,
		 const struct sites *sites);

/* Did a run that was sent to take `outcome` at step s, after the decisions before it, do so? */
enum path_match {
	PATH_REACHED,
	PATH_EARLIER, /* it left the path before */
	PATH_OTHER,   /* it came there and took another outcome */
	PATH_SHORT,   /* it ended before, on the path */
};
/* child_at (may be NULL): position in the child's steps of the decision at which it turned off. */
enum path_match path_compare(const struct path_step *s, uint32_t outcome, const struct path *child,
			     uint32_t *child_at);

#endif
