/* backend.h: the two complete solvers behind one interface.
 *
 * blast: our bit-blaster on CaDiCaL; incremental: what is asserted stays, a query
 * assumes one more term. z3: libz3 in a process of its own, for what the first cannot do in its limits,
 * and as a second opinion; each query sends all that was asserted. Both read terms of one pool and answer in values of its variables. */
#ifndef MUSTER_SOLVE_BACKEND_H
#define MUSTER_SOLVE_BACKEND_H

#include "solve/solve.h"

struct backend_limits {
	uint64_t work;	    /* conflicts times variables of the SAT solver; 0: no limit */
	uint64_t conflicts; /* blast: 0 is no limit */
	uint64_t rlimit;    /* z3: 0 is no limit */
	double seconds;	    /* 0: no clock */
	const volatile int *stop; /* not 0 there: the answer is no longer wanted; NULL: it always is */
};

struct backend {
	const char *name;
	struct backend *(*open)(const struct backend *kind, struct exprs *p);
	void (*close)(struct backend *b);
	void (*assert_term)(struct backend *b, expr_t constraint); /* for good */
	/* asserted && assumption (EXPR_NONE: none). After SAT value() may be called until the next call. */
	enum verdict (*check)(struct backend *b, expr_t assumption, const struct backend_limits *l);
	u128 (*value)(struct backend *b, expr_t variable); /* 0 for one that does not matter */
	/* blast: after UNSAT, was this part of the assumption, a conjunction, needed for it? 1 also where nothing is known. */
	int (*needed)(const struct backend *b, expr_t part);
	/* z3: the value of this term, too, will be asked for after the next checks. NULL: only variables have values. */
	void (*want)(struct backend *b, expr_t term);
	uint64_t (*bytes)(const struct backend *b); /* about what it uses in this process */
};

extern const struct backend backend_blast, backend_z3;
/* libz3 in this process: what muster-solver asks. It may use more memory than it gives back, and more time than it was given. */
extern const struct backend backend_z3_here;

/* Of the process with Z3, since this process began. */
struct z3_usage {
	uint64_t started, replaced, killed; /* processes: in all, because they had grown, because a query took too long or crashed */
	uint64_t peak;			    /* bytes that one had in memory after a query, at most */
};
struct z3_usage z3_usage(void);

#endif
