/* solve.h: is there another input on this path that satisfies the goal?
 *
 * A struct solver lives as long as a search: limits, statistics, models seen, the
 * door to the query cache in the store. A struct solve_path is the prefix of one run:
 * constraints that the run's own input satisfies, added in the order of the path. A
 * query asks for values of the variables that satisfy prefix and goal; it climbs the
 * ladder below and stops at the first rung that answers. Slicing is right here
 * because the run's own values satisfy what is dropped.
 *
 * A model is evaluated against every constraint of the prefix that a changed
 * variable occurs in, and the goal, before it is returned as SAT. UNSAT is only said by
 * a complete rung (constant folding, what stands on the path, cache, an exhaustive enumeration of one
 * or two bytes, SAT, Z3). Everything else is UNKNOWN.
 */
#ifndef MUSTER_SOLVE_SOLVE_H
#define MUSTER_SOLVE_SOLVE_H

#include "base/vec.h"
#include "expr/expr.h"

enum verdict { VERDICT_UNKNOWN, VERDICT_SAT, VERDICT_UNSAT };

/* The rungs, in order: X(NAME, key, words). Statistics, help and JSON come from this table. */
#define SOLVE_RUNGS(X)                                                                       \
	X(FOLD, "folded", "the condition is true or false whatever the input is")                           \
	X(LOCAL, "local", "the path has this condition already, or its opposite")             \
	X(CACHE, "cache", "an earlier query of the same conditions, or of some of them without an answer, or of more with one") \
	X(MODEL, "model", "values of an earlier answer, or of the run's own input")            \
	X(COPY, "copy", "the value that is compared with, copied into the input")                  \
	X(SEARCH, "search", "local search: values changed step by step")                                      \
	X(SAT, "sat", "CaDiCaL, a SAT solver, on single bits")              \
	X(Z3, "z3", "Z3, an SMT solver, where the SAT solver gave up")                                      \
	X(OPTIMISTIC, "optimistic", "the condition alone, without its path: only a run can show it")                   \
	X(NONE, "unanswered", "no answer within the limits")

enum solve_rung {
#define X(name, key, words) SOLVE_##name,
	SOLVE_RUNGS(X)
#undef X
	    SOLVE_RUNG_COUNT
};
const char *solve_rung_key(enum solve_rung r);
const char *solve_rung_words(enum solve_rung r);

struct solve_options {
	uint64_t conflicts;    /* of the SAT solver for a query; 0: 20000 */
	uint64_t work;	       /* conflicts times variables of its formula, for a conflict costs the more the larger that is; 0: no limit. Some conflicts it has in any case */
	uint64_t search_steps; /* of local search for a query; 0: a default */
	double seconds;	       /* for a query; 0: no clock is looked at, so that a search can be repeated to the byte */
	uint64_t z3_rlimit;    /* Z3's resource limit for a query when seconds is 0 */
	const volatile int *stop; /* not 0 there: the search is to end, and Z3 is not waited for; NULL: none */
	int no_z3, no_search, no_cache, no_optimistic;
	double recheck; /* share of UNSAT answers not its own that Z3 is asked about as well (0.01 in the test campaign); a contradiction is counted */
	uint64_t seed;
	const char *dump_dir; /* each distinct sliced query as FILE.smt2 here; NULL: none */
	/* The query cache in the store, keyed by digests. The key of a query is that of its sorted constraints. get returns 1 and the
	 * verdict (and the model's bytes for SAT, as solve_model_write wrote them), or 0. NULL: none. */
	int (*cache_get)(void *ctx, struct hash128 key, enum verdict *v, struct buf *model);
	void (*cache_put)(void *ctx, struct hash128 key, enum verdict v, const void *model, size_t size);
	void *cache_ctx;
};

struct solve_stats {
	uint64_t queries;
	uint64_t answered[SOLVE_RUNG_COUNT]; /* by the rung that answered */
	double seconds[SOLVE_RUNG_COUNT];    /* spent on each */
	uint64_t sat, unsat, unknown;
	uint64_t slice_constraints, path_constraints; /* summed over queries: what slicing left, and what there was */
	uint64_t rechecked, recheck_unknown, contradictions; /* second opinions on UNSAT: asked for, not given, against it */
	uint64_t z3_started, z3_replaced, z3_killed; /* processes with Z3: in all, because they had grown, because they did not answer in time */
	uint64_t z3_peak;			     /* bytes that one had after a query, at most */
	uint64_t bad_models; /* models of a rung that evaluation refused: a defect of that rung */
};

struct solver *solver_new(const struct solve_options *o);
void solver_free(struct solver *s);
const struct solve_stats *solver_stats(const struct solver *s);
/* From now on these in place of the options: less work, for questions whose likely answer a rung cannot give, or whose answer only makes something nicer. NULL: as the options said. */
struct solve_effort {
	uint64_t conflicts, work;
	int no_search, no_z3;
};
void solver_effort(struct solver *s, const struct solve_effort *e);
void solver_limit(struct solver *s, double seconds); /* for a query, if the options said more */
void solver_forget(struct solver *s); /* the answers that it keeps in memory */
/* Adds the figures of another solver (a worker's). */
void solve_stats_add(struct solve_stats *to, const struct solve_stats *from);

/* Values of variables. What is not named keeps the run's value. */
struct solve_value {
	uint32_t op;	 /* MUSTER_OP_INPUT, MUSTER_OP_LENGTH or EXPR_OP_NAMED */
	uint32_t source; /* of INPUT and LENGTH; term id for NAMED */
	uint64_t index;	 /* of INPUT */
	u128 value;
};
struct solve_byte { /* of an array without a size */
	expr_t array;
	uint64_t offset;
	uint8_t value;
};
struct solve_entry { /* of an uninterpreted function */
	expr_t application; /* names the function */
	uint32_t first, count; /* its arguments' values, in args */
	u128 value;
};
struct solve_model {
	VEC(struct solve_value) values;
	/* Of a formula, where it has arrays or functions; what is not listed is 0. */
	VEC(struct solve_byte) bytes;
	VEC(struct solve_entry) entries;
	VEC(u128) args;
	int optimistic; /* satisfies the goal, but not all of the prefix was looked at */
	enum solve_rung rung;
};
void solve_model_release(struct solve_model *m);
void solve_model_write(const struct solve_model *m, struct buf *out);
int solve_model_read(struct solve_model *m, const void *data, size_t size); /* -1: damaged */

/* The path of a run: value(ctx, variable) is what each variable had in it (for a byte past the end of the input: 0).
 * The pool, and what ctx points to, outlive the path. */
struct solve_path;
struct solve_path *solve_path_new(struct solver *s, struct exprs *p, u128 (*value)(void *ctx, expr_t variable), void *ctx);
void solve_path_free(struct solve_path *path);

uint64_t solve_path_bytes(const struct solve_path *path); /* about what it uses, without SAT solvers and the pool */

/* Adds a constraint that the run satisfied. Returns 1 if it is new information, 0 if it stood there already (or is true). A
 * constraint that the run's values do not satisfy is refused: -1 with words, and the path stays as it was. */
int solve_path_add(struct solve_path *path, expr_t constraint);
/* How many constraints there are now, for solve_path_within. */
uint32_t solve_path_mark(const struct solve_path *path);
/* The questions from here on come from inside of calls that began at these marks, the innermost first (0: from none that is known): what an answer changes is first looked
 * for among variables that no constraint before the mark has. No answer depends on it, but which model is found, and how soon. */
void solve_path_within(struct solve_path *path, const uint32_t *marks, size_t count);
/* Is there an input with all constraints added so far, and goal? *m is filled in for SAT (release it) and for
 * optimistic answers, which are UNKNOWN with m->optimistic set and values to try. */
enum verdict solve_path_query(struct solve_path *path, expr_t goal, struct solve_model *m);
/* Only the rungs below SAT, for a quick pass over many goals. */
enum verdict solve_path_query_cheap(struct solve_path *path, expr_t goal, struct solve_model *m);
/* The same, and the SAT solver for variables of the calls that solve_path_within named. */
enum verdict solve_path_query_within(struct solve_path *path, expr_t goal, struct solve_model *m);

/* Is it known without a question that no input of the path satisfies the goal: because it is false, or its opposite follows from what stands
 * there? Costs next to nothing and counts as no query. */
int solve_path_refutes(struct solve_path *path, expr_t goal);

/* ------------------------------------------------------------ formulas */
/* Formulas by themselves, without a run: no seed, and nothing is ever sliced away. A context holds a stack of assertions; a check asks for
 * all of them and the assumptions of this one check. What the ladder made for a check (gates, clauses, what the SAT solver learned) serves the
 * next. Formulas with uninterpreted functions or arrays without a size go to the bit-blaster, which can only refute them, and to Z3. A model
 * names every variable of the formula, and the bytes and entries that its value depends on; it has been evaluated. Terms are of one pool, which outlives it. */
struct solve_context;
struct solve_context *solve_context_new(struct solver *s, struct exprs *p);
void solve_context_free(struct solve_context *c);
void solve_context_push(struct solve_context *c);
void solve_context_pop(struct solve_context *c); /* what was asserted since the last push is forgotten */
void solve_context_assert(struct solve_context *c, expr_t e);
enum verdict solve_context_check(struct solve_context *c, const expr_t *assumptions, unsigned count, struct solve_model *m);

/* After VERDICT_UNSAT, before anything else is asked: does it also hold without this assumption, and all others of which that is said? 1: that is not known. */
int solve_context_needed(const struct solve_context *c, expr_t assumption);

/* The value of a term of the pool in a model of a context: variables that the model does not name are 0. */
u128 solve_model_eval(const struct exprs *p, const struct solve_model *m, expr_t e);

/* One check of a context of its own: the assertions are conjoined. */
enum verdict solve_formula(struct solver *s, struct exprs *p, const expr_t *assertions, unsigned count, struct solve_model *m);

/* "CaDiCaL 1.5.3, Z3 4.8.12" */
const char *solve_libraries(void);

#endif
