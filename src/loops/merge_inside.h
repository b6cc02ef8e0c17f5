/* merge_inside.h: between the files of loop_merge.h: merge_state.c (values and memory),
 * merge_replay.c (one run), loop_merge.c (all ways). */
#ifndef MUSTER_LOOPS_MERGE_INSIDE_H
#define MUSTER_LOOPS_MERGE_INSIDE_H

#include "loops/loop_merge.h"

#include "base/limit.h"
#include "base/vec.h"

/* A value at a point of a run, or of all runs at once. */
struct merged {
	expr_t term; /* of an integer; of a pointer with a root: 64 bits, bytes behind the root.
			EXPR_NONE: not asked for yet */
	expr_t
	    known; /* while a run is followed: what it was in the run, a constant; or EXPR_NONE */
	uint64_t root; /* of a pointer: what it points into; 0: unknown, or no pointer */
};

/* Something that the code does not say: what a load found, or a call returned. */
struct merge_leaf {
	expr_t name;  /* the variable that stands for it */
	expr_t bound; /* what the labels of the run say it is, or EXPR_NONE */
	uint64_t root;
	int64_t offset; /* of the load, if root is not 0 */
	uint32_t bytes;
};

/* A number that a value may be, and the condition under which it is. */
struct merge_case {
	int64_t value;
	expr_t guard;
};

struct merge_return {
	expr_t guard;
	struct merged value;
};

/* One activation of a function. */
struct merge_frame {
	const struct code_function *f;
	uint64_t base;	  /* digest of the calls around */
	uint64_t context; /* and of the iterations */
	unsigned depth;
	struct merged *values;
	expr_t *edges; /* when all ways are taken: the condition of each, from the head of the
			  innermost loop that is being unrolled on */
	VEC(struct merge_return) returns;
};

/* A place in memory that was written: what is there now. */
struct merge_cell {
	uint64_t root;
	int64_t offset;
	uint32_t bytes;
	struct merged value;
};

struct merge {
	struct merge_start s;
	struct exprs *pool;
	uint8_t *follow; /* by function */
	int replaying;
	int failed;
	/* From the run: */
	uint64_t at; /* next event */
	int64_t found;
	unsigned steps;
	VEC(struct merge_leaf) leaves;
	struct map by_name;    /* term to leaf + 1 */
	struct map by_address; /* to leaf + 1, as of now; */
	struct map learned;    /* the same, as of ever; */
	struct map by_context; /* instruction in its context to leaf + 1 */
	struct map labels;     /* decision in its context to the label's term */
	struct map
	    forced; /* decision in its context to outcome + 1: nothing said what it depends on */
	struct map visits; /* loop in its context, or in any: visits of its head */
	struct map inputs; /* root to the offset in the input where it begins, + 1; 0: not one */
	uint64_t epoch;	   /* counts changes of memory that nobody can follow */
	/* Of all ways: */
	VEC(struct merge_cell) cells;
	struct map cell_at; /* address to cell + 1 */
	struct map cases;   /* of terms, by merge_cases.c: place in case_list << 8 | count */
	VEC(struct merge_case) case_list;
	struct map ranges; /* of terms, by merge_narrow.c */
	unsigned unsure;   /* loads and decisions about which nothing is known */
	unsigned extra;
	int by_cases;
	uint32_t nodes; /* terms in the pool when it began */
	int cut;
	struct map goals; /* function << 32 | edge to condition */
};

#define MERGE_NODES LIMIT(120000, 200) /* terms for one merge | memory */
#define MERGE_STEPS LIMIT(60000, 100) /* instructions for one merge | time */

uint64_t merge_key(uint64_t a, uint64_t b);
uint64_t merge_decision(const struct merge_frame *fr, uint32_t block);
struct merge_frame *merge_frame_new(const struct code_function *f, uint64_t context,
				    unsigned depth);
void merge_frame_free(struct merge_frame *fr);
/* Of the start: what the run told of is known, pointers are roots of their own. */
void merge_frame_enter(struct merge *m, struct merge_frame *fr);

/* A value as it is now. */
struct merged merge_value(struct merge *m, struct merge_frame *fr, uint32_t value);
/* An instruction that is no phi, no call that is followed, and does not end its block. guard: under
 * which it is executed. */
void merge_instruction(struct merge *m, struct merge_frame *fr, uint32_t value, expr_t guard);
/* Whatever the code does not say: known by its place. */
struct merged merge_leaf_here(struct merge *m, struct merge_frame *fr, uint32_t value);
/* condition ? a : b */
struct merged merge_either(struct merge *m, expr_t condition, struct merged a, struct merged b);
/* The function that a call leads into, if it is followed, or NULL. */
const struct code_function *merge_callee(const struct merge *m, const struct merge_frame *fr,
					 uint32_t value);
/* Does it depend on something that is not known? */
int merge_unknown(struct merge *m, expr_t e);
/* With all leaves that are bound. */
expr_t merge_bind(struct merge *m, expr_t e);
expr_t merge_fresh(struct merge *m, unsigned width, uint64_t key);
/* Memory was changed in unknown ways. */
void merge_clobber(struct merge *m);
/* A decision's outcome for the value that it was made on, a constant. */
uint32_t merge_outcome(const struct merge *m, const struct code_function *f, uint32_t block,
		       expr_t value);
/* Edge of a check by which the program goes on, or CODE_NONE: it is no check. */
uint32_t merge_passing(const struct code_function *f, uint32_t block);

/* merge_narrow.c: the same value, computed in as many bits as it can have. */
expr_t merge_narrow(struct merge *m, expr_t e);
/* The least and the largest value, signed. 0: not known. */
int merge_range(struct merge *m, expr_t e, int64_t *low, int64_t *high);

/* merge_cases.c: the term e has the same value as `from`, whose cases are noted for it. */
void merge_note_cases(struct merge *m, expr_t from, expr_t e);
/* The cases of a term; 0: it has no list. */
size_t merge_cases(struct merge *m, expr_t e, struct merge_case *out, size_t most);
/* A comparison by cases, or itself. */
expr_t merge_compare(struct merge *m, expr_t e);

/* merge_unify.c: the label's term is what `mine` says: binds leaves. */
void merge_unify(struct merge *m, expr_t mine, expr_t label);

#endif
