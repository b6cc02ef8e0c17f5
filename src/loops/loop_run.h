/* loop_run.h: a loop and those inside it, run by an interpreter to see what their variables do
 * (loop_run.c). */
#ifndef MUSTER_LOOPS_LOOP_RUN_H
#define MUSTER_LOOPS_LOOP_RUN_H

#include "base/vec.h"
#include "ir/code.h"

enum loop_symbol_kind {
	LOOP_VALUE,   /* an SSA value */
	LOOP_COUNTER, /* of a loop: back edges since it was entered */
	LOOP_TAKEN,   /* how often an edge in the loop was taken since the loop was entered */
};

struct loop_symbol {
	uint8_t kind, width; /* 64 of counters */
	uint8_t varies;	     /* it changes while the loop runs */
	uint32_t id;	     /* value; loop; number in f->edges */
	uint32_t start;	     /* of a header's phi: the symbol that it is when the loop is entered;
				CODE_NONE: none, or a constant */
};

/* A loop: at each visit of its header a row with the value of each symbol. */
struct loop_rows {
	uint32_t loop;
	size_t counter;			 /* the symbol */
	VEC(struct loop_symbol) symbols; /* phis, what comes in, the counter, edges taken */
	VEC(uint64_t) cells;		 /* symbols.size for each row */
	VEC(size_t) runs;		 /* the first row of each entry into the loop */
	size_t rows;
};

struct loop_runs {
	const struct code_function *f;
	VEC(struct loop_rows) loops; /* outer ones first */
};

struct loop_run_options {
	uint64_t seed;
	unsigned runs, visits,
	    steps; /* runs; rows of one loop in a run; instructions of a run. 0: a default */
	/* What a value from outside had in a real run; 0: unknown. Used in the first run. */
	int (*value)(void *ctx, uint32_t value, uint64_t *out);
	void *ctx;
};

/* Runs the loop (outermost or not) and those in it. */
void loop_runs_make(struct loop_runs *r, const struct code_function *f, uint32_t loop,
		    const struct loop_run_options *o);
void loop_runs_release(struct loop_runs *r);

static inline const uint64_t *loop_row(const struct loop_rows *r, size_t row)
{
	return &r->cells.data[row * r->symbols.size];
}

#endif
