/* vc.h: code as terms: what a function returns, does to memory, and how its paths end, in terms of what it is called with.
 *
 *	struct vc *v = vc_new(pool, code, &options);
 *	args[0] = expr_named(pool, 32, "n");
 *	args[1] = vc_address(v, vc_object(v, "p", 16));            a parameter that points to an object of 16 bytes
 *	vc_run(v, f, args, &o);                                      o.returns, o.value, o.memory; vc_ends(v, &n)
 *	vc_read(v, o.memory, object, offset, 32);
 *	vc_free(v);
 *
 * One symbolic evaluator over code.h, exact: for every start state (values of the terms' variables) exactly one of the ends has a true guard, and if that is a return, the terms
 * of the result and of memory have the values that the compiled function gives. What is not modelled (floating point, vectors, inline assembly, volatile
 * accesses, pointers that point to nothing known ...) ends a path as UNKNOWN, with a reason: never a guess. Calls that are havocked and loops that are cut are no longer exact: then
 * new variables stand for what may be anything, and for every run there are values of them that agree with it.
 *
 * *Integers* wrap, for signed arithmetic too; nsw, nuw, exact are not looked at. Division by zero, the least value by -1, a shift by the width or more, an access
 * outside of a live object, and a failed assumption end a path as undefined behaviour. A check of the compiler's is passed whatever its condition says,
 * unless options.checks asks for paths to end there.
 *
 * *Memory* is objects: globals, allocas, and what the caller made. An object has a base address, a variable of 64 bits, and contents: an array of expr.h, a
 * table if its size is a constant up to options.table, else one without a size. A pointer is a term of 64 bits, base plus offset, and may lie in memory like any other
 * number; an access finds its objects in the term. vc_facts says what holds for the bases: not null, apart from each other.
 *
 * With options.flat there is one object more: memory that was not made here. A pointer in whose term no object is points into it, at the address that it is; so pointers that the caller gave may
 * overlap in any manner. Addresses below 4096 are not in it. It has no other bounds. With options.flat_globals variables that others may know the address of lie there, too.
 *
 * *Loops* are unrolled or cut, as a callback says; one that is entered beside its header is followed from there to the header first.
 *
 * *Joins* merge: phis and contents become choices by conditions relative to the block that dominates the join. Everything is in one pool; nothing
 * is asked of a solver. All of it belongs to struct vc, until vc_free; terms belong to the pool.
 */
#ifndef MUSTER_VC_VC_H
#define MUSTER_VC_VC_H

#include "expr/expr.h"
#include "ir/code.h"

/* How a path ends: X(NAME, words). */
#define VC_ENDS(X)                                                                                  \
	X(RETURN, "return")                                                                         \
	X(EXIT, "a call that does not return")                                                      \
	X(UNDEFINED, "undefined behaviour")                                                         \
	X(UNREACHABLE, "code that the compiler takes for unreachable")                              \
	X(BOUND, "the bound of a loop or of nested calls")                                          \
	X(ENDLESS, "a loop that comes back to the state it was in")                                 \
	X(REACHED, "the last instruction of the region")                                            \
	X(CUT, "the next iteration of a loop that was cut")                                         \
	X(UNKNOWN, "something that is not modelled")

enum vc_end_kind {
#define X(name, words) VC_##name,
	VC_ENDS(X)
#undef X
	    VC_END_COUNT
};
const char *vc_end_words(enum vc_end_kind kind);

#define VC_STACK "stack." /* starts the names of allocas, with options.same_locals */
#define VC_FLAT "the memory" /* the name of the flat memory and its contents at the start; no variable has it */
#define VC_UNSET "unset." /* starts the names of variables that stand for locals without a value */
#define VC_OUTSIDE "an access outside of its object" /* why a path ends as UNDEFINED there */
#define VC_OVERLAPS "a copy of memory that overlaps"

struct vc_end {
	enum vc_end_kind kind;
	expr_t guard; /* of the whole path, from the start of vc_run */
	const struct code_function *f;
	uint32_t at;	 /* instruction: value id in f */
	const char *why; /* UNDEFINED, UNKNOWN, EXIT (the function's name) */
};

struct vc_memory; /* the contents of all objects at a point; never changes */

struct vc_outcome {
	expr_t returns; /* the condition under which the function returns */
	expr_t value;	/* its result then; EXPR_NONE: none, or one that is not modelled */
	const struct vc_memory *memory; /* at the return */
};

#define VC_NO_OBJECT UINT32_MAX

/* A value, for the callbacks that know better than the code. */
struct vc;
struct vc_state;
struct vc_frame;
struct vc_point {
	struct vc *vc;
	struct vc_frame *frame; /* for vc_point_value */
	struct vc_state *state; /* for vc_point_guard; NULL: it is not being executed */
	const struct code_function *f;
	uint32_t at;	  /* the value: an instruction, one from outside, a phi where the evaluation begins or a loop was cut, an address, an undefined one */
	uint8_t outside;  /* it was computed before the evaluation began */
	uint8_t decides;  /* not its value, but what it ends its block by is asked for: the condition, or the number of the outcome */
	unsigned width;	  /* of the term that is asked for; 0: the value has none in terms */
	unsigned depth;	  /* calls around */
	uint64_t call;	  /* digest of them, */
	uint64_t context; /* and with the iterations that are under way */
	uint32_t outcome; /* decides: may be set to the only outcome that counts */
};
/* Of an operand, as of now; EXPR_NONE: it has no term. */
expr_t vc_point_value(const struct vc_point *at, uint32_t value);
expr_t vc_point_guard(const struct vc_point *at); /* of the path so far */
#define VC_LOST UINT32_MAX /* there is no term for it, and the instruction has no effect */
/* For options.value of a bare evaluator: the word that the instruction loads, EXPR_NONE: there is no term for it; stores one; memory is as at the start again, for all that is known. */
expr_t vc_point_load(const struct vc_point *at, uint32_t object, int64_t offset);
void vc_point_store(const struct vc_point *at, uint32_t object, int64_t offset, unsigned bytes, expr_t value);
void vc_point_forget(const struct vc_point *at);

/* A call, for the callback. Until it returns the callback may read and write memory as of the call. */
struct vc_call {
	struct vc *vc;
	struct vc_state *state; /* for vc_state_read, vc_state_write, vc_state_end */
	const struct code_function *f; /* the caller */
	uint32_t at;		       /* its instruction */
	const struct code_function *target; /* NULL: not known */
	expr_t callee;			    /* the address, of a call through a pointer; EXPR_NONE: it is none, or not modelled */
	const expr_t *args;		    /* EXPR_NONE: one that is not modelled */
	uint32_t arg_count;
	unsigned depth; /* calls around */
	expr_t guard;	/* of the path so far */
	unsigned width; /* of the result: 64 for a pointer, 0 for none */
	expr_t result;	/* VC_CALL_DONE: to be set by the callback */
};
enum vc_call_how {
	VC_CALL_INLINE,	 /* the callee's body; if there is none, the path ends as UNKNOWN */
	VC_CALL_DONE,	 /* the callback did what it does: a summary */
	VC_CALL_HAVOC,	 /* result and what it may write are anything: mod/ref */
	VC_CALL_EXIT,	 /* it does not return */
	VC_CALL_UNKNOWN,
};

/* A loop that is entered, for the callback. */
struct vc_loop {
	struct vc *vc;
	const struct code_function *f;
	uint32_t loop;
	expr_t guard;	/* of the path to it */
	unsigned depth; /* calls around */
	uint64_t context; /* digest of the calls and iterations around */
	unsigned most;	/* VC_LOOP_UNROLL: iterations, at first options.unroll */
	/* For invariant(): a visit of the header. */
	enum vc_visit { VC_VISIT_ENTRY, VC_VISIT_ANY, VC_VISIT_NEXT } visit;
	const expr_t *values; /* by value of f; header's phis as of this visit, and values from outside */
	const struct vc_memory *memory;
};
enum vc_loop_how {
	VC_LOOP_UNROLL,
	VC_LOOP_CUT, /* the header's phis and what the loop may write are anything that satisfies invariant() */
	VC_LOOP_UNKNOWN,
};

/* What has to be proved for an invariant: guard implies condition. */
struct vc_obligation {
	const struct code_function *f;
	uint32_t loop;
	int entry; /* at the entry of the loop; 0: at the next visit */
	expr_t guard, condition;
};

struct vc_options {
	const char *prefix; /* of the names of variables that are made here, NULL: "vc"; two evaluators of one pool need two */
	uint64_t table;	    /* bytes of an object whose contents are a table; 0: 256 */
	unsigned unroll;    /* iterations of a loop; 0: 64 */
	unsigned depth;	    /* of inlined calls; 0: 16 */
	uint32_t steps;	    /* instructions, then all is UNKNOWN; 0: 200,000 */
	uint32_t nodes;	    /* the same, terms that are made; 0: 2,000,000 */
	int (*over)(void *ctx); /* the same, if it says so: the time is over; NULL: never */
	int checks;	    /* a path that fails a check for undefined behaviour ends there; settle is asked about its condition as about a branch's */
	int bare;	    /* no operator ends a path, calls that are inlined return, and value() answers for every access: with vc_point_load and vc_point_store, or without memory */
	/* bare: what a word of an object held at the start, for a load of it or of more; EXPR_NONE: there is no term for it. */
	expr_t (*before)(void *ctx, const struct vc_point *at, uint32_t object, int64_t offset, unsigned width);
	/* Asked first for every instruction's value, and for what no instruction says; EXPR_NONE: what the code says. NULL: the code's alone. */
	expr_t (*value)(void *ctx, struct vc_point *at);
	/* What is taken for a value of which the code says e (EXPR_NONE: nothing): of an instruction, a choice at a join, what a branch decides on. NULL: e. */
	expr_t (*settle)(void *ctx, struct vc_point *at, expr_t e);
	/* An edge of a branch that may be taken, in state at->state, and the condition from there on. */
	void (*edge)(void *ctx, const struct vc_point *at, uint32_t edge, expr_t taken);
	/* Asked before each instruction but phis (edge CODE_NONE), and for each edge that may be taken: VC_END_COUNT: go on; else the paths that come here end so. NULL: all go on. */
	enum vc_end_kind (*ends)(void *ctx, const struct vc_point *at, uint32_t edge);
	/* Before iteration k (from 0) of a loop that is unrolled, and after it: 0: this iteration does not count, and paths into it end as BOUND. */
	int (*iteration)(void *ctx, const struct vc_loop *l, unsigned k, int after);
	int varies;	    /* what a local has without a value is another value at each use, as everything is that is computed from it, and decisions that depend on it are undefined; 0: evaluators of one pool share it */
	int apart;	    /* a memcpy whose memory overlaps is undefined; 0: it is a memmove */
	int loose;	    /* what is not modelled is anything, or does nothing, and the path goes on: what comes out is a guess */
	int flat;	    /* pointers of unknown origin point into one flat memory, which evaluators of one pool share at the start */
	int flat_globals;   /* variables that others may know the address of lie in it */
	int same_locals;    /* allocas of evaluators of one pool that have one name in the source, and one size, have one address, and are the same before they are written */
	/* What the object of a global is called; evaluators of one pool share address and contents at the start of those with one name. NULL: a name of its own. */
	void (*global_name)(void *ctx, uint32_t global, struct buf *out);
	/* NULL: calls of functions with a body are inlined, functions that do not return end the path, others are UNKNOWN; loops are unrolled. */
	enum vc_call_how (*call)(void *ctx, struct vc_call *c);
	enum vc_loop_how (*loop)(void *ctx, struct vc_loop *l);
	expr_t (*invariant)(void *ctx, const struct vc_loop *l); /* of VC_LOOP_CUT; NULL: true */
	void *ctx;
};

struct vc *vc_new(struct exprs *p, const struct code *c, const struct vc_options *o);
void vc_free(struct vc *v);

/* ------------------------------------------------------------ objects */
/* A new object. Contents are variables NAME[0], NAME[1] ... of 8 bits, or the array NAME. */
uint32_t vc_object(struct vc *v, const char *name, uint64_t bytes);
/* The same where the size is a term of 64 bits. EXPR_NONE: accesses to it are never out of bounds. */
uint32_t vc_object_sized(struct vc *v, const char *name, expr_t size);
/* The object with this name and without bounds, made when first asked for. */
uint32_t vc_object_named(struct vc *v, const char *name);
/* The only object that the address is in, and the offset; VC_NO_OBJECT: none, or one of several. */
uint32_t vc_object_at(struct vc *v, expr_t address, expr_t *offset);
/* The objects that an address may be in (VC_NO_OBJECT: none, for a number), at most `most`; their number. *all: it may be any, and 0 is returned. */
size_t vc_targets(struct vc *v, expr_t address, uint32_t *out, size_t most, int *all);
/* That of a global of the unit, made when first asked for; its contents are what they were at the start. A constant's are its value, where code.h has it. */
uint32_t vc_global(struct vc *v, uint32_t global);
uint32_t vc_objects(const struct vc *v); /* their number */
expr_t vc_address(const struct vc *v, uint32_t object);
const char *vc_object_name(const struct vc *v, uint32_t object);
uint64_t vc_object_bytes(const struct vc *v, uint32_t object); /* 0: not a constant */
expr_t vc_object_start(const struct vc *v, uint32_t object);   /* contents at the start: an array */
/* The object's contents are the array (of the same kind and size) from the start on. Before vc_run. */
void vc_object_set(struct vc *v, uint32_t object, expr_t contents);
expr_t vc_contents(const struct vc *v, const struct vc_memory *m, uint32_t object);
expr_t vc_read(struct vc *v, const struct vc_memory *m, uint32_t object, expr_t offset, unsigned width);
/* The flat memory, or VC_NO_OBJECT. Was it accessed since the evaluator was made? */
uint32_t vc_flat(const struct vc *v);
int vc_flat_used(const struct vc *v);
/* May the object be written, or go out of life? Not an alloca, nor a constant. */
int vc_object_lasts(const struct vc *v, uint32_t object);
uint32_t vc_object_global(const struct vc *v, uint32_t object); /* CODE_NONE: of none */
/* What holds for the addresses of all objects made so far. */
expr_t vc_facts(struct vc *v);

/* ------------------------------------------------------------ evaluation */
/* Follows the function. args: a term of its width for each parameter, 64 bits for pointers. Ends and obligations are those of the last run; objects stay. */
void vc_run(struct vc *v, const struct code_function *f, const expr_t *args, struct vc_outcome *out);

/* The same from the beginning of a block on that is in no loop, or the header of an outermost one. values: by value of f, EXPR_NONE where options.value is to say.
 * 0; -1: a limit was reached. */
int vc_run_from(struct vc *v, const struct code_function *f, uint32_t block, expr_t *values, struct vc_outcome *out);
/* A part of a function: from right before instruction `from` to the first visit of `to` (the next one, if they are one), neither a phi. CODE_NONE: from the entry; to the
 * return. Only states that satisfy pre are looked at, and exactly one end has a true guard in each of them. values: by value of f, what is there at `from`, EXPR_NONE where
 * options.value is to say, and EXPR_NONE otherwise means that a path which needs it is UNKNOWN; afterwards, with `to`, those at `to`, VC_LOST or EXPR_NONE: none. Memory
 * begins as vc_object_set says; pointers of unknown origin, which may overlap, need options.flat. out: returns is the condition under which `to` is reached, memory as it is there. */
struct vc_region {
	uint32_t from, to;
	expr_t pre;
};
int vc_run_region(struct vc *v, const struct code_function *f, const struct vc_region *region, expr_t *values, struct vc_outcome *out);
/* For callbacks: nothing that follows counts. */
void vc_stop(struct vc *v);

/* One iteration of a loop, alone: from its header, or from the edge by which it is entered beside the header. values: by value of f, EXPR_NONE where options.value
 * is to say; afterwards those of the iteration, and the header's phis as of the next visit. taken: by edge, or NULL; of edges from blocks of the loop that
 * are in no inner one: the condition in an iteration that comes back (what all of those have in common is left out), or EXPR_NONE: never. Returns the condition
 * under which the iteration comes back to the header; EXPR_NONE: a limit was reached. */
expr_t vc_iteration(struct vc *v, const struct code_function *f, uint32_t loop, uint32_t edge, expr_t *values, expr_t *taken);

const struct vc_end *vc_ends(const struct vc *v, size_t *count);
const struct vc_obligation *vc_obligations(const struct vc *v, size_t *count);
/* The condition under which a path ends so. */
expr_t vc_ends_by(struct vc *v, enum vc_end_kind kind);

/* For callbacks of calls: memory as of the call. An address that leads nowhere ends the path, as in code. */
expr_t vc_state_load(struct vc_call *c, expr_t address, unsigned width); /* EXPR_NONE: no path goes on */
void vc_state_store(struct vc_call *c, expr_t address, expr_t value);
/* Memory as of now: it never changes. */
const struct vc_memory *vc_state_memory(struct vc_call *c);
int vc_object_seen(const struct vc *v, const struct vc_memory *m, uint32_t object); /* an alloca whose address is known outside, now or later, and which is still there */
/* Where the condition holds the path ends here. */
void vc_state_end(struct vc_call *c, enum vc_end_kind kind, expr_t condition, const char *why);
/* The call as a function that nothing is known about, of the arguments, of all memory that it may reach, and of `world`, an object of 8 bytes that stands for
 * everything else; name says which one. The same name with the same of these does the same, in whatever evaluator of the pool: result, world and tables are applications of uninterpreted functions to the
 * arguments; memory is compared by its terms, and arrays without a size that it may write by the arguments' terms, too. The world becomes another with each call, unless the
 * function is known to write nothing, and `counts` is 0: so two runs that end with the same world for every such function have made the same calls in the same order. */
void vc_state_abstract(struct vc_call *c, const char *name, uint32_t world, int counts);
/* Variables that are made from here on have another prefix: what two evaluators of one pool made before, in the same order, is the same in both. The string is the caller's. */
void vc_set_prefix(struct vc *v, const char *prefix);
/* A variable that stands for anything. */
expr_t vc_fresh(struct vc *v, unsigned width, const char *what);

#endif
