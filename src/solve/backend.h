/* backend.h: the two complete solvers behind one interface.
 *
 * blast: our bit-blaster on CaDiCaL; incremental: what is asserted stays, a query
 * assumes one more term. z3: libz3, for what the first cannot do in its limits,
 * and as a second opinion. Both read terms of one pool and answer in values of its variables. */
#ifndef MUSTER_SOLVE_BACKEND_H
#define MUSTER_SOLVE_BACKEND_H

#include "solve/solve.h"

struct backend_limits {
	uint64_t conflicts; /* blast: 0 is no limit */
	uint64_t rlimit;    /* z3: 0 is no limit */
	double seconds;	    /* 0: no clock */
};

struct backend {
	const char *name;
	struct backend *(*open)(const struct backend *kind, struct exprs *p);
	void (*close)(struct backend *b);
	void (*assert_term)(struct backend *b, expr_t constraint); /* for good */
	/* asserted && assumption (EXPR_NONE: none). After SAT value() may be called until the next call. */
	enum verdict (*check)(struct backend *b, expr_t assumption, const struct backend_limits *l);
	u128 (*value)(struct backend *b, expr_t variable); /* 0 for one that does not matter */
};

extern const struct backend backend_blast, backend_z3;

#endif
