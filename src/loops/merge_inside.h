/* merge_inside.h: between the files of loop_merge.h: merge_state.c (values and memory),
 * merge_replay.c (one run), loop_merge.c (all paths). Code becomes terms by src/vc. */
#ifndef MUSTER_LOOPS_MERGE_INSIDE_H
#define MUSTER_LOOPS_MERGE_INSIDE_H

#include "loops/loop_merge.h"

#include "base/limit.h"
#include "base/vec.h"
#include "vc/vc.h"

/* Something that the code does not say: what a load found, or a call returned. */
struct merge_leaf {
	expr_t name;  /* the variable that stands for it */
	expr_t bound; /* what the labels of the run say it is, or EXPR_NONE */
	expr_t root;  /* of the load: the address of the object, or EXPR_NONE, */
	int64_t offset;
};

/* A number that a value may be, and the condition under which it is. */
struct merge_case {
	int64_t value;
	expr_t guard;
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
	uint64_t epoch;	   /* counts changes of memory that cannot be followed */
	/* Of all paths: */
	struct map cases;   /* of terms, by merge_cases.c: place in case_list << 8 | count */
	VEC(struct merge_case) case_list;
	struct map ranges; /* of terms, by merge_narrow.c */
	unsigned unsure;   /* loads and decisions about which nothing is known */
	VEC(unsigned) unsure_before; /* by iteration under way */
	unsigned extra;
	int by_cases;
	int cut;
	struct map goals; /* function << 32 | edge to condition */
};

#define MERGE_NODES LIMIT(120000, 200) /* terms for one merge | memory */
#define MERGE_STEPS LIMIT(60000, 100) /* instructions for one merge | time */

/* A decision where it is made. */
uint64_t merge_decision(const struct vc_point *at);
/* Values that the evaluation begins with: what the run recorded. */
void merge_enter(struct merge *m, expr_t *values);
/* Options for src/vc: merge_value and merge_settle as callbacks. */
struct vc_options merge_options(struct merge *m);
/* From the start on. 0; -1: a limit was reached. *bound: a loop was cut off; may be NULL. */
int merge_evaluate(struct merge *m, const struct vc_options *o, int *bound);
expr_t merge_settle(struct merge *m, const struct vc_point *at, expr_t e);
/* The function that a call leads into, if it is followed, or NULL. */
const struct code_function *merge_callee(const struct merge *m, const struct code_function *f,
					 uint32_t value);
/* Does it depend on something that is not known? */
int merge_unknown(struct merge *m, expr_t e);
/* What it was in the run; 0: that is not known. */
int merge_known(struct merge *m, expr_t e, u128 *value);
/* With all leaves that are bound. */
expr_t merge_bind(struct merge *m, expr_t e);
/* The outcome of a decision for a value that it is made on. */
uint32_t merge_outcome(const struct code_function *f, uint32_t block, u128 value);
/* The outcome by which the program goes on where nothing is decided: of a check, a call, a jump; CODE_NONE: it is a decision. */
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
