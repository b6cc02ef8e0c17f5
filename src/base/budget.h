/* budget.h: how much memory muster's own processes may use; targets have a limit of their own (run/).
 *
 * A process has one budget, for itself and its helpers. What grows while a search lasts takes its ceiling from the table below: a share
 * of the budget, but no more than is of use. A ceiling is kept by forgetting what can be found again, never by leaving a
 * question out.
 */
#ifndef MUSTER_BUDGET_H
#define MUSTER_BUDGET_H

#include <stdint.h>

/* What grows: X(NAME, key, per mille of the budget, most MiB, what it is). The most is what is of use on a large
 * machine: what each had as a fixed limit before there was a budget. */
#define BUDGET_PARTS(X)                                                                              \
	X(Z3, "z3", 300, 2048, "what Z3 may allocate for one query; it gives up beyond it")           \
	X(Z3_IDLE, "z3_idle", 100, 96, "what the process with Z3 may have between two queries")       \
	X(TERMS, "terms", 250, 4096, "terms of the path that is being negated, and their values")     \
	X(SAT, "sat", 150, 1024, "SAT solvers of that path")                                         \
	X(QUERIES, "queries", 50, 64, "answers of queries")                                         \
	X(SETS, "sets", 100, 512, "paths, inputs and negations that were met")                        \
	X(TRACES, "traces", 50, 128, "traces of tests that will be negated further")                 \
	X(STORE, "store", 50, 32, "pages of the store")

enum budget_part {
#define X(name, key, share, most, words) BUDGET_##name,
	BUDGET_PARTS(X)
#undef X
	    BUDGET_PART_COUNT
};

#define BUDGET_LEAST (192ull << 20) /* what a search of a small program uses in all */

/* A quarter of the machine's memory, or of the control group's where that is less. */
uint64_t budget_default(void);
/* For this process and those that it forks; 0: the default. Each of `processes` gets an equal part. -1 with words: too little. */
int budget_set(uint64_t bytes, unsigned processes);
uint64_t budget_total(void);
uint64_t budget_share(enum budget_part part); /* in bytes */
const char *budget_key(enum budget_part part);

/* Bytes that a process has in memory now, and the most it ever had; 0: not known. */
uint64_t budget_resident(void);
uint64_t budget_peak(void);

#endif
