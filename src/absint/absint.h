/* absint.h: what holds at the points of a function, found by abstract interpretation.
 *
 * The forward analysis of one function (or of one loop and what comes after it) over the integers
 * of the program and ghosts: a counter for each loop (0 when the loop is entered from outside, one
 * more at each back edge, a mathematical integer), and the entry values of memory cells. Entry
 * values of parameters need no ghost: a parameter's SSA value never changes. Machine integers wrap,
 * and results are true for them: a fact speaks of mathematical integers, each symbol being the
 * value of its SSA value in the reading that the symbol says (signed or unsigned).
 *
 * A point is the entry of a block (after its phis) or an edge (after the decision, before the phis
 * of its target). Results belong to the caller. PPL is not thread-safe: one thread of a process may
 * use this.
 */
#ifndef MUSTER_ABSINT_ABSINT_H
#define MUSTER_ABSINT_ABSINT_H

#include "absint/domain.h"
#include "absint/linear.h"

struct code;
struct code_function;

struct absint_options {
	enum domain_kind domain; /* the strongest one to use */
	double seconds;		 /* for this function; then a weaker domain answers; 0: 2 s */
	unsigned pack;		 /* most dimensions of one pack; 0: 10 */
	unsigned delay;		 /* visits of a loop head before widening; 0: 3 */
	int no_split;		 /* no disjunction */
	int all_cells;		 /* also memory that only code outside of loops reads or writes */
	struct callees *callees; /* callee.h: summaries of callees; NULL: calls return anything */
};

struct absint;
/* Analyses a function from its entry; options may be NULL. code and function must outlive it. Never
 * fails: what could not be done is unconstrained. */
struct absint *absint_new(const struct code *code, const struct code_function *function,
			  const struct absint_options *o);
/* From the entry of the outermost loop around the given one on, for whatever values live into it:
 * facts speak of executions from the latest entry into that loop on. */
struct absint *absint_loop(const struct code *code, const struct code_function *function,
			   uint32_t loop, const struct absint_options *o);
void absint_free(struct absint *a);
/* The weakest domain that had to answer, and whether time ran out. */
enum domain_kind absint_domain(const struct absint *a);
int absint_weakened(const struct absint *a);

enum absint_kind {
	ABSINT_VALUE,	 /* an SSA value: id of code.h */
	ABSINT_COUNTER,	 /* of a loop: its number in the function */
	ABSINT_CELL,	 /* what a memory cell holds at the point: its number in the analysis,
			    absint_cells() */
	ABSINT_TOTAL,	 /* of an inner loop: its back edges since the outermost loop around it was
			    entered */
	ABSINT_OLD_CELL, /* what it held at the start of the analysis */
};
/* What a dimension of a result means. Width 0 and signed: a mathematical integer (counters). */
struct absint_symbol {
	enum absint_kind kind;
	uint32_t id;
	unsigned width;
	int is_signed;
};

/* Symbols that the analysis relates: what may be asked for, besides any other SSA value of an
 * integer. In no order of merit. */
size_t absint_symbols(const struct absint *a, const struct absint_symbol **symbols);
/* A value in the reading the analysis chose for it (by its uses). */
struct absint_symbol absint_value(const struct absint *a, uint32_t value);
struct absint_symbol absint_counter(const struct absint *a, uint32_t loop);
struct absint_symbol absint_total(const struct absint *a,
				  uint32_t loop); /* of a loop inside another */
/* SSA values of integers that come from outside: parameters; for absint_loop all values that are
 * made before the loop and used in or after it. Then old cells. */
size_t absint_inputs(const struct absint *a, const struct absint_symbol **symbols);

#define ABSINT_ENTRY UINT32_MAX
#define ABSINT_END (UINT32_MAX - 1)
struct absint_point {
	uint32_t block;
	uint32_t successor; /* index of the edge; ABSINT_ENTRY; ABSINT_END: after its instructions */
};

/* One of the cases of which at least one holds; all its facts do. */
struct absint_case {
	linear_list facts; /* dimension i: wanted[i] */
};
struct absint_facts {
	VEC(struct absint_case) cases; /* none: the point is not reached */
};
void absint_facts_release(struct absint_facts *f);

/* What holds whenever execution is at a point, in terms of the wanted symbols alone (all else is
 * projected away). A wanted SSA value must be available at the point (its definition dominates it);
 * facts that only restate a type's range are left out. No fact in a case: nothing is known
 * (`true`). */
void absint_at(struct absint *a, struct absint_point p, const struct absint_symbol *wanted,
	       size_t n, struct absint_facts *out);

/* The least and the greatest value of an expression over the wanted symbols at the point, over all
 * cases. */
struct domain_bounds absint_bounds(struct absint *a, struct absint_point p,
				   const struct absint_symbol *wanted, size_t n,
				   const struct linear *expression);

/* For the search: what the inputs must satisfy for the point to be reached, as far as it is known
 * (necessary, not sufficient). Dimensions: the inputs (absint_inputs, n of them, in that order),
 * then a counter for each loop of the function that is around the point or ends before it, then
 * totals of inner loops (symbols says which). `given`: facts over the same dimensions that are to
 * hold as well (a counter has a certain value), or NULL. Each case says what range each counter has
 * in it. */
struct absint_reach {
	VEC(struct absint_symbol) symbols;
	VEC(struct absint_reach_case {
		linear_list facts;
		VEC(struct domain_bounds) counters; /* of the symbols after the inputs, in order */
	})
	cases; /* none: not reached */
};
void absint_reach(struct absint *a, struct absint_point p, const struct linear *given, size_t n,
		  struct absint_reach *out);
void absint_reach_release(struct absint_reach *r);

/* The memory cells of the analysis, in the words of code.h: cell i is cells[i] (ids of its mod/ref
 * cells). */
size_t absint_cells(const struct absint *a, const uint32_t **cells);

#endif
