/* ladder.h: what the rungs share: the path as a graph of values, the query, the solver.
 *
 * Private to the ladder (solve.c, path.c, trial.c, slice.c, local.c, cache.c,
 * models.c, copy.c, search.c, sat.c). Nothing here costs more than the terms that
 * are new: each term is valued once in the run's values (path_value), linked once into the graph
 * of uses (path_link), and a trial of other values only touches the cone
 * of what they change.
 */
#ifndef MUSTER_SOLVE_LADDER_H
#define MUSTER_SOLVE_LADDER_H

#include "base/limit.h"
#include "base/map.h"
#include "base/vec.h"
#include "solve/backend.h"
#include "solve/solve.h"

/* ------------------------------------------------------------------- terms */
enum {
	NODE_VALUED = 1, /* seed, home and vars are set */
	NODE_LINKED = 2, /* stands below a constraint of the path: its operands know it as a use */
	NODE_CONSTRAINT = 4, /* is a constraint of the path */
	NODE_USED = 16,	     /* a constraint's value in the run came from it; kept where calls are known */
	NODE_OPAQUE = 8,     /* has an uninterpreted function or an array without a size below: it has no value */
};

/* One for each term of the pool that was met, by id. */
struct node {
	u128 seed;	   /* value in the run */
	u128 now;	   /* value in the trial, where stamp says so */
	uint32_t stamp;	   /* the trial in which now differs from seed */
	uint32_t queued;   /* the trial in which it waits for its value */
	uint32_t uses;	   /* first of path->uses; 0: none */
	uint32_t home;	   /* a variable below it; 0: there is none */
	uint32_t other;	   /* another one, if vars is 2 */
	uint32_t variable; /* of a variable: index into path->vars */
	uint8_t flags;
	uint8_t vars; /* variables below it: 0, 1, 2, or 3 for more */
};
struct node_use {
	expr_t user;
	uint32_t next;
};

/* A variable that the path or a goal knows. */
struct variable {
	expr_t term;
	uint32_t unary;	     /* first of path->unary: constraints over it alone; 0: none */
	uint32_t seen;	     /* those up to here are in allowed */
	uint64_t allowed[4]; /* width 8: values that the constraints over it alone leave */
	uint32_t since; /* the first constraint whose value in the run came from it, as an index; UINT32_MAX: none */
	uint8_t has_allowed;
};
struct unary {
	expr_t constraint;
	uint32_t next;
};

/* --------------------------------------------------------------- partition */
/* Variables in classes that constraints join; union-find with lists that are concatenated. Kept
 * twice: `slices` is exact; `groups` is what shares a SAT solver, and coarser: a goal over two
 * classes joins their groups. */
struct part {
	uint32_t parent;
	uint32_t vars, constraints; /* numbers of */
	uint32_t first_var, last_var;
	uint32_t first, last;	 /* constraints, as index + 1 */
	uint32_t pending;	 /* first that the backend has not got; 0: none */
	uint32_t asserted;	 /* how many it has */
	struct hash128 sum;	 /* of the constraints' digests, whatever their order */
	struct backend *backend; /* NULL: none yet */
	uint64_t used;		 /* when it was last asked */
};
struct partition {
	VEC(struct part) parts;	       /* by variable */
	VEC(uint32_t) next_var;	       /* by variable, index + 1 */
	VEC(uint32_t) next_constraint; /* by constraint, index + 1 */
};
void partition_release(struct partition *s);
void partition_variable(struct partition *s); /* one more, in a class of its own */
uint32_t partition_find(struct partition *s, uint32_t variable);
uint32_t partition_join(struct partition *s, uint32_t a, uint32_t b);
/* Constraint number next_constraint.size belongs to the class of this variable. */
void partition_constraint(struct partition *s, uint32_t variable, struct hash128 digest);
struct hash128 digest_sum(struct hash128 x, struct hash128 y);

/* -------------------------------------------------------------------- path */
struct fact { /* what the path's comparisons with constants say about a term */
	u128 low, high;
	s128 slow, shigh;
};
struct assignment {
	expr_t variable;
	u128 value;
};
typedef VEC(expr_t) expr_vec;
typedef VEC(struct assignment) assignment_vec;

/* What a term can be, as a signed number. */
struct solve_range {
	s128 low, high;
};

struct solve_path {
	struct solver *solver;
	struct exprs *pool;
	u128 (*value)(void *ctx, expr_t variable);
	void *ctx;

	struct node *nodes;
	uint32_t node_room;
	VEC(struct node_use) uses;
	VEC(struct variable) vars;
	VEC(struct unary) unary;
	expr_vec constraints;
	struct partition slices, groups;
	struct map name; /* hash of (kind, source, index): the variable's term */

	struct map facts; /* term: index into fact */
	VEC(struct fact) fact;
	struct map range_at; /* terms to places in ranges (range.c) */
	VEC(struct solve_range) ranges;
	struct map refuted; /* goals that cannot hold on this path, nor on a longer one */

	/* the trial (trial.c) */
	uint32_t epoch;
	expr_vec heap;
	expr_vec changed;  /* variables that differ from the run */
	expr_vec violated; /* constraints, if the trial is to collect them */
	uint64_t steps;	   /* terms valued in trials, ever */

	expr_vec stack, fresh; /* of path_value and path_link */
	VEC(uint32_t) live;    /* variables whose group was given a backend */
	uint64_t clock;	       /* of part.used */
	VEC(uint32_t) within;  /* solve_path_within */
	int calls;	       /* that was called: variable.since is kept */
	struct backend *refuter; /* of the last query, until the next; NULL: none that can say what it needed */
	int no_seed;	       /* a formula by itself: the run's values are made up */
};

/* Values e and all below it in the run. 0, or -1 if it has no value. */
int path_value(struct solve_path *path, expr_t e);
static inline u128 path_seed(const struct solve_path *path, expr_t e)
{
	return path->nodes[e].seed;
}
/* The term's value from those of its operands in the trial. */
u128 path_apply(const struct solve_path *path, expr_t e);
/* Operands that stand in the graph: a, b, c; a table's bytes. Calls f for each. */
void path_operands(const struct solve_path *path, expr_t e, void (*f)(void *ctx, expr_t operand),
		   void *ctx);
/* Which bytes of its table a read had in the run, from *at on. 0: they are not all there. */
int path_bytes_read(const struct solve_path *path, const struct expr_node *n, expr_t *data, expr_t *index, uint64_t *at);
/* The same as path_operands for those that the value in the run came from: of a table that is read, only the bytes that were. */
void path_operands_in_run(const struct solve_path *path, expr_t e, void (*f)(void *ctx, expr_t operand), void *ctx);
/* The variable of this identity if the path knows it, else EXPR_NONE. */
expr_t path_variable(const struct solve_path *path, uint32_t op, uint32_t source, uint64_t index);
/* Its identity. */
struct solve_value path_identity(const struct solve_path *path, expr_t variable);
/* e is NOT of *inner. */
int expr_is_not(const struct exprs *p, expr_t e, expr_t *inner);

/* ------------------------------------------------------------------- query */
struct query {
	struct solve_path *path;
	expr_t goal;
	expr_vec nodes;	      /* terms of the goal that are not linked, ascending */
	expr_vec roots;	      /* classes of path->slices that it touches */
	uint32_t constraints; /* in these */
	struct hash128 key;
	struct solve_model *model;
	double deadline; /* 0: none */
	int stored;	 /* the answer came from a cache: no need to put it there */
};
void query_open(struct query *q, struct solve_path *path, expr_t goal, struct solve_model *m);
void query_close(struct query *q);
/* Variables of the goal, those nearest to its top first, at most so many. */
void query_vars(struct query *q, unsigned most, expr_vec *out);
void sort_unique(expr_vec *v); /* ascending */
/* All constraints of the slice, appended. */
void query_slice(struct query *q, expr_vec *out);
/* Seconds left, for a backend: 0 means no clock. */
double query_seconds(const struct query *q);
double solve_now(void);

/* A trial: other values for some variables, everything else as in the run. */
void trial_begin(struct solve_path *path);
void trial_set(struct solve_path *path, expr_t variable, u128 value);
/* 1: every constraint of the path and the goal hold. With all set, the constraints that fail are
 * collected in path->violated and the goal is valued in any case; else it stops at the first. */
int trial_run(struct query *q, int all);
static inline u128 trial_value(const struct solve_path *path, expr_t e)
{
	const struct node *n = &path->nodes[e];

	return n->stamp == path->epoch ? n->now : n->seed;
}
/* Terms above those that were set or followed, in ascending order, each once; EXPR_NONE: no more. For who follows a change by other means. */
void trial_follow(struct solve_path *path, expr_t e);
expr_t trial_next(struct solve_path *path);
/* The trial's values, of variables that changed, become the model. */
void trial_take(struct query *q);
/* trial_begin, trial_set for each, trial_run, and trial_take if it held. */
int trial_assign(struct query *q, const struct assignment *a, size_t count);

/* ------------------------------------------------------------------- rungs */
/* Each returns SAT with the model filled in, UNSAT, or UNKNOWN. */
enum verdict rung_local(struct query *q);
enum verdict rung_cache(struct query *q);
enum verdict rung_store(struct query *q);
enum verdict rung_model(struct query *q);
enum verdict rung_copy(struct query *q);
enum verdict rung_linear(struct query *q); /* part of copying */
enum verdict rung_search(struct query *q);
enum verdict rung_sat(struct query *q);
enum verdict rung_z3(struct query *q);
/* Fills the model with values for the goal alone; UNSAT if it has none. */
enum verdict rung_optimistic(struct query *q);

/* Local knowledge: e (a constraint of the path, or what follows from it) holds. */
void local_learn(struct solve_path *path, expr_t e);
/* range.c: is it false for every input, by the ranges of what it compares? */
int range_refutes(struct solve_path *path, expr_t goal);
void local_refuted(struct solve_path *path, expr_t goal);

/* --------------------------------------------------------------------- set */
#define TAPE_HEIGHT \
	300 /* of a term that is run over many values: a tape costs what is below the term */

/* Values of a byte for which a term over this variable alone is true. 0, or -1 if it is not of that
 * kind. */
int byte_set(struct solve_path *path, expr_t e, uint64_t set[4]);
/* What the path's constraints over the variable alone leave of it. */
const uint64_t *byte_allowed(struct solve_path *path, expr_t variable);

/* ------------------------------------------------------------------ solver */
#define SOLVE_RLIMIT LIMIT(1000000, 100) /* resource units of Z3 for one query | about a second */
#define CACHE_WAYS LIMIT(4, 1) /* answers in a set of the cache | usual for a set-associative cache */
#define CACHE_SETS LIMIT(4096, 2) /* sets of the cache; a power of two | memory: with CACHE_WAYS 16,384 answers */
#define SUBSET_MOST LIMIT(48, 2) /* constraints of a slice that is looked up by subset | subsets are looked up one constraint at a time */
#define MODEL_RING LIMIT(32, 1) /* last models that are tried | each is one evaluation of the query */

struct cache_entry {
	struct hash128 key;
	enum verdict verdict; /* UNKNOWN: free */
	struct solve_model model;
	uint64_t used;
};
struct subset_entry {
	struct hash128 goal;
	enum verdict verdict;
	struct solve_model model;
	uint64_t *digests; /* of the constraints, ascending */
	uint32_t count;
	uint64_t used;
};
struct solver {
	struct solve_options o;
	struct solve_options given; /* what o was at first: solver_effort */
	struct solve_stats stats;
	struct cache_entry *cache; /* CACHE_SETS * CACHE_WAYS; NULL until something is put there */
	struct subset_entry *subset; /* the same, by goal */
	uint64_t cache_bytes;	     /* of models and digests in both */
	uint64_t clock;
	struct solve_model ring[MODEL_RING];
	unsigned ring_next;
	uint64_t random;
	struct map dumped;
};
uint64_t solver_random(struct solver *s);
void cache_put(struct query *q, enum verdict v);
void cache_release(struct solver *s);
void models_put(struct solver *s, const struct solve_model *m);
void model_copy(struct solve_model *to, const struct solve_model *from);
/* Constraints and goal as SMT-LIB in the directory of the options, once for each key. */
void query_dump(struct query *q, enum verdict v, double seconds);
void path_backends_close(struct solve_path *path);
/* Joins the groups of two variables. */
void groups_join(struct solve_path *path, uint32_t a, uint32_t b);

#endif
