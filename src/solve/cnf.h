/* cnf.h: gates as clauses of CaDiCaL, made when a query needs them.
 *
 * The solver itself is made with the first clause. What is asserted stays; an assumption holds
 * until the next one. After VERDICT_SAT cnf_value may be called until the next call of another
 * function. */
#ifndef MUSTER_SOLVE_CNF_H
#define MUSTER_SOLVE_CNF_H

#include "solve/backend.h"
#include "solve/gate.h"

struct cnf {
	struct gates *gates;
	struct CCaDiCaL *sat; /* NULL: not made yet */
	int32_t vars;
	int32_t passing; /* of these, made for assumptions */
	int32_t
	    latest; /* made for the assumption of the last query, whose literal is latest_root */
	lit_t latest_root;
	int spent;	 /* the last query used up its limits: its clauses would burden the next */
	VEC(lit_t) hard; /* all that was asserted */
	int broken;	 /* asserted what cannot hold */
	int refused;	 /* assumed LIT_FALSE */
	int refuted;	 /* by the solver, with the assumption */
	double deadline; /* on the monotonic clock; 0: none */
	int watched;	 /* the solver has our callback */
	VEC(lit_t) work; /* literals whose half is to be made */
	VEC(lit_t) asserted; /* not dealt with yet */
	VEC(lit_t) units;    /* asserted earlier, have a variable only now */
	VEC(int) assumed;    /* for calls of the solver */
	VEC(lit_t) leaves;   /* of the conjunction in hand */
	VEC(lit_t) stack;
	VEC(uint8_t) defined; /* definitions whose conditions are asserted */
};

void cnf_init(struct cnf *c, struct gates *g);
void cnf_release(struct cnf *c);

void cnf_assert(struct cnf *c, lit_t x);
/* x, and nothing that was assumed before, holds in calls of cnf_solve from now on. */
void cnf_assume(struct cnf *c, lit_t x);
/* deadline as above; conflicts 0: no limit. */
enum verdict cnf_solve(struct cnf *c, uint64_t conflicts, double deadline);
/* After VERDICT_UNSAT: did it need this part of the assumption? 1 also where that is not known. */
int cnf_needed(struct cnf *c, lit_t x);
int cnf_value(const struct cnf *c, lit_t x); /* 0 for a gate that has no clause */


#endif
