/* ic_inside.h: what the files of IC-Cut share: functions, tests and the units that are explored. */
#ifndef MUSTER_SEARCH_IC_INSIDE_H
#define MUSTER_SEARCH_IC_INSIDE_H

#include "base/arena.h"
#include "base/limit.h"
#include "search/ic_context.h"
#include "search/ic_cut.h"
#include "search/ic_graph.h"

struct ic_test {
	struct search_test t; /* its bytes are the arena's */
	ic_numbers functions; /* in whose calls something is decided */
	int traced;
};

/* A test in the queue of a function. */
struct ic_entry {
	uint32_t test, stage;
	uint64_t bound, number; /* number: another one whenever its path is looked at anew; 0: it never was */
	double rank;
	uint8_t *closed; /* of each step of its path: CLOSED, REUSED; NULL: not looked at */
	size_t steps;
	int reused; /* some have REUSED */
};
enum {
	CLOSED = SEARCH_CLOSED,
	REUSED = SEARCH_APART,
};

/* A summary of the callee stood for a call of the test. */
struct ic_reuse {
	uint32_t test, callee;
};

struct ic_unit {
	uint32_t function;
	VEC(struct ic_entry) queue;
	struct map tests; /* that are or were in the queue */
	struct map paths; /* digests of open decisions */
	struct map runs;  /* digests of all decisions inside the call, of tests whose interface was looked at */
	struct ic_context context;
	uint32_t slot; /* number + 1 of the summary that it had when it was put aside */
	double spent, gained; /* processor time; and how much of it when something was covered last */
	uint64_t losses, subsumed; /* of the search, before it began; while it is put aside, its own */
	VEC(struct ic_reuse) reuses;
	VEC(uint32_t) others; /* tests that call it in another context */
	int looked;	 /* at an activation of it */
	int constrained; /* an input is tied, or paths do not agree */
	int inexact;
	int decisions; /* open ones were seen */
	unsigned restarts;
};

struct ic_function {
	enum ic_outcome outcome;
	int done, invalid;
	int root; /* nobody calls it */
	unsigned contexts; /* that were explored */
	unsigned outputs; /* that callers tested: 1 a result, 2 memory */
	struct map values; /* of these */
	VEC(struct ic_context) summaries;
	VEC(struct ic_unit) parked, later; /* its units that wait for their turn: in this round, in the next */
	double spent;	/* processor time of its exploration, and the outcomes that it covered first */
	uint64_t found;
	int rests; /* it reused what has an output or a pointer, or was not explored to the end */
};

struct ic {
	struct arena bytes;
	struct ic_graph graph;
	VEC(struct ic_function) functions;
	VEC(struct ic_test) tests;
	VEC(struct ic_unit) units; /* the last is explored; the others wait for it */
	ic_numbers order, saw;
	size_t ordered; /* edges when `order` was made */
	int learned;
	int over; /* with shares: nothing is left for it, or nothing ever was */
	unsigned round;
	uint64_t entries; /* numbers that were given */
	/* Of the expansion that is done now: */
	struct ic_entry *entry;
	const struct calls *calls;
	uint32_t unit_call;
	int duplicate;
};

/* ic_learn.c: traces the tests that nobody traced yet. 0; 1: the slice ended before; -1. */
int ic_learn(struct search *s);
/* Is something decided in a call of it? */
int ic_calls(const struct ic_test *t, uint32_t function);
void ic_entry_release(struct ic_entry *e);

/* ic_unit.c */
struct ic_unit *ic_unit_now(struct ic *ic);
/* A test joins the queue of a unit, unless it was there. */
void ic_unit_add(const struct search *s, struct ic_unit *u, uint32_t test, uint64_t bound, uint32_t stage);
void ic_unit_release(struct ic_unit *u);
void ic_forget_summaries(struct ic_function *f);
/* Has it a summary that may stand for a call? */
int ic_has_summary(const struct ic_function *f);
/* Callers tested more than one of its outputs: it is inlined from here on, and the function that is explored begins again, with what it found. */
void ic_unit_invalidate(struct search *s, uint32_t callee);
/* Ends, begins or takes up units. 1: there is one to explore; 0: all is done. */
int ic_unit_settle(struct search *s);

#endif
