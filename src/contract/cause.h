/* cause.h: why calls of a function fail: the conditions on its entry state that they have in common.
 *
 * Given are calls of one driven function that were run: each with its input, whether it failed, and the conditions of its path up to the first failure, over the bytes of the input. Wanted are few clauses (clause.h)
 * such that each failing path breaks one of them. They are found by values and kept by proof:
 *
 *   values   every clause is tried on all calls. One that no failing call breaks is none. Of the others those come first that no passing call breaks: a clause that is too strong gets a guard (`n <= 0 || s != NULL`).
 *   proof    a clause *explains* a failing call if the call breaks it, and its path's condition together with the clause is unsatisfiable: no call that keeps the clause fails on this path. Only that counts;
 *            `unknown` explains nothing. Whether a passing path allows calls that break the clause is asked as well, so that a clause is not taken for the weakest because nobody tried.
 *
 *   bearing  a clause must be about what failed: its pointer, or number, takes part in the check that the call broke (in the last conditions of the path, where no check of the trace's saw it). Objects of the driver are
 *            small: without this `i <= len(p)` of a p that nobody looks at would explain whatever happens for large i.
 *
 * Then greedily, what speaks of pointers and lengths first and scalars for the rest: the clause that explains most of what is left, until nothing is left or nothing explains it. A clause is *necessary* if no passing path allows a call that breaks it, by proof for each, and all paths are known:
 * then every call outside it fails.
 *
 * What is found is about the paths that were run. That no other path fails inside the clauses is for a search to say (unit/given.c).
 */
#ifndef MUSTER_CONTRACT_CAUSE_H
#define MUSTER_CONTRACT_CAUSE_H

#include "contract/clause.h"
#include "solve/solve.h"

/* By which clauses a failing call may be explained: a block that is freed twice says nothing of lengths. */
enum cause_by { CAUSE_BY_OTHERS, CAUSE_BY_ALL, CAUSE_BY_SHAPE /* pointers that lead to one object, alone */ };

/* A call that was run. */
struct cause_call {
	const uint8_t *data;
	size_t size;
	int failed;
	int traced; /* conditions are those of its path; 0: nothing is known of it but its values */
	VEC(expr_t) conditions; /* of the pool */
	VEC(expr_t) decided; /* those of them that branches of the program decided */
	VEC(uint32_t) decided_in; /* the function of each, by a number of the caller's */
	uint32_t failed_in;	  /* of the check that the call broke; ENTRY_NONE: not known */
	int broke;  /* the last of them is a check that the call broke */
	enum cause_by by; /* which clauses may explain it */
	int null;   /* it failed since something was null */
	int uses_null; /* a null pointer was used as one to an object */
	int pair;   /* it compared or subtracted two pointers that are not into one object */
	int reads;  /* it read what is not there */
	int arithmetic; /* a number was out of what an operation takes */
	int address; /* it computed an address that wraps */
	int starved; /* it did not end after all results of functions outside that an input has were used up and looked at */
	int assertion; /* it failed an assertion */
	uint64_t before; /* bytes before the start of an object of the caller's that it looked at; 0: it failed otherwise */
	/* What comes of it: */
	uint32_t cause; /* that explains it; ENTRY_NONE: none, or it did not fail */
};

struct cause {
	struct clause clause;
	uint64_t calls;	   /* that it explains */
	uint64_t contrary; /* passing calls that break it, or passing paths that allow such calls, as far as was looked */
	int necessary;	   /* proved */
	const char *text;  /* as C, where those before it hold */
};

struct causes {
	const struct harness *h;
	uint32_t number;
	struct exprs *pool; /* of the calls' conditions */
	struct solver *solver;
	int exhausted; /* set by the caller: the calls are those of all paths */
	const volatile int *stop; /* set by the caller: no more questions; NULL */
	int (*late)(void *ctx); /* the same; NULL */
	void *ctx;
	VEC(struct cause_call) calls;
	VEC(struct cause) all; /* in an order in which C can evaluate them: a pointer before what lies behind it */
	struct arena arena;
	uint64_t queries;
	VEC(struct clause) offered; /* what other functions require of the same places */
	/* private */
	struct entry entries[ENTRY_GROWTHS];
	uint8_t opened[ENTRY_GROWTHS];
	int every; /* values of places that speak of all structures of a type are taken: some clause may be about one */
};

void causes_init(struct causes *c, const struct harness *h, uint32_t number, struct solver *solver);
void causes_release(struct causes *c);
/* One more call; its data outlive the causes. The caller fills in its conditions. */
struct cause_call *causes_add(struct causes *c, const void *data, size_t size, int failed);
void causes_find(struct causes *c);
/* Another function of the unit requires this of places which this one has too, by their texts and types: a number that does not exceed a length. There the number is the pointer's; so it is here, whether or not the path that fails looks
 * at both: that a count of INT_MAX overflows is no defect where it counts elements. 1: it is a candidate now; causes_again finds causes once more, from nothing. */
int causes_offer(struct causes *c, struct causes *other, const struct cause *x);
void causes_again(struct causes *c);
/* Writes the texts again, for a contract of these causes alone (NULL: all): what lies behind a pointer that the others do not require to be set gets a guard. */
void causes_write(struct causes *c, const uint8_t *used);
/* Does each failing call follow a path that no call keeping all of these causes follows, by proof? And does some call that passes keep them? */
int causes_cover(struct causes *c, const uint8_t *used);
/* Does the call keep all clauses (scalars: also those that speak of scalars alone)? By its values. */
int causes_keeps(struct causes *c, const void *data, size_t size, int scalars);
/* Does the call keep a clause that is known by its text (parse.c)? 1, 0; -1: not known. */
int causes_keeps_text(struct causes *c, const void *data, size_t size, const char *text);
/* Is all that the clause requires there in the call, behind no null pointer? Of what is said of all structures nothing is known: 1. */
int causes_meets_text(struct causes *c, const void *data, size_t size, const char *text);
int contract_meets(const struct entry *e, const struct clause_value *values, const char *text);
/* Is a clause sure to hold where another does? tree(p, next) where tree(p, next, child) does; of other clauses nothing is said. */
int contract_implies(const char *strong, const char *weak);
int contract_holds(const struct entry *e, const struct clause_value *values, const char *text);
/* How many causes the call breaks, and whether `which` is one of them. */
unsigned causes_broken(struct causes *c, const void *data, size_t size, uint32_t which, int *breaks);
/* How many of these causes the call breaks. */
unsigned causes_broken_of(struct causes *c, const void *data, size_t size, const uint8_t *which);
/* Is it that a pointer is null, or is not? */
int cause_is_pointer(const struct causes *c, const struct cause *x);
/* Is it about pointers that lead to one object? */
int cause_is_shape(const struct causes *c, const struct cause *x);
/* Is it about scalars alone: parameters, or members of structures? */
int cause_is_scalar(const struct causes *c, const struct cause *x);

#endif
