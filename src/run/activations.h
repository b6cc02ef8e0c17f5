/* activations.h: what a run says about single activations of functions: summary mode of the trace.
 *
 * An ordinary trace is about the whole program: its expressions are over the input's bytes, and what does not depend on the input is not in it. A
 * summary of a function needs more. For the functions that the engine names (shm_set_functions, MUSTER_FLAG_SUMMARIES, the calls variant), each
 * activation gets *leaves* that are shared with nothing: one for each part of a parameter, and one for memory that it reads first and has not written
 * itself, concrete values included. Everything that is computed inside is an expression over them, so every test and every store is there.
 *
 *	struct activations a;
 *	struct exprs *pool = exprs_new();
 *	if (activations_read(&a, &trace, &calls, pool)) ... error_text()
 *	for each a.list.data[i]: function, inputs, steps, writes, results, marks
 *	activations_release(&a); exprs_free(pool);
 *
 * What an activation contains. All terms are in the pool that was given, over the NAMED variables `input.leaf` of *this* activation. A callee that is
 * named too has leaves of its own; where a term of the callee's comes to the caller, the callee's leaves are replaced by what they were bound to, so
 * the caller's terms are over the caller's leaves alone. Recursion is no exception. A term may also have input bytes (expr_input): the function, or something that it
 * called, read them itself (then the activation is marked), or a step is about memory that belongs to the outside (`outer`).
 *
 * Replacing each leaf by what it is bound to in the caller (input.bound), and so on up to the outermost, gives the whole program's constraints: that
 * is what import_label without leaves does (run/import.h).
 *
 * Which of them may stand for a call: none with `marks` other than 0 says all that its function did. The bits say what is missing.
 */
#ifndef MUSTER_RUN_ACTIVATIONS_H
#define MUSTER_RUN_ACTIVATIONS_H

#include "base/vec.h"
#include "expr/expr.h"
#include "run/calls.h"
#include "run/trace.h"

#define ACTIVATION_NONE UINT32_MAX

/* An object of memory: a global variable, a heap block, a local variable of a caller. Those of one run are one list; a block that is
 * given back and given out again at the same address is two of them. */
struct activation_object {
	uint64_t base, size;
	int constant;	 /* never written: what is read there has no leaf */
	uint32_t born;	 /* the innermost activation that was open when it was allocated; ACTIVATION_NONE: it was there before, or it was not seen */
	int known;	 /* 0: memory that is no known object (arguments on the stack, libc's own); base is the address, size 0 */
	uint64_t event;	 /* that tells it */
	/* Of a variable: */
	uint32_t name;	 /* label of its symbol (a DATA: activation_object_name); 0: it is none */
	uint32_t unit;	 /* that defines it */
	int is_static;
};

enum activation_input_kind {
	ACTIVATION_PARAMETER,
	ACTIVATION_MEMORY,
};

/* One leaf. */
struct activation_input {
	enum activation_input_kind kind;
	uint32_t label; /* of the trace: a LEAF node */
	expr_t leaf;	/* the variable that stands for it */
	unsigned width;
	uint64_t value; /* in this run */
	uint64_t event; /* its BIND */
	/* What it is in the caller: a label (0: concrete), and the same as a term over the caller's leaves, or over the input where no named function
	 * called; a constant if it is concrete. In another pool's words it would be another term, so it is in the same pool. */
	uint32_t caller;
	expr_t bound;
	/* PARAMETER: its number, and which part of it (structures in registers have several). */
	uint32_t parameter, part;
	/* MEMORY: where. `place` is the address as the activation computed it, over its own leaves: leaf + 8 for p->next. A constant where the
	 * address depends on no leaf (a global). */
	uint64_t address, offset;
	uint32_t object; /* in activations.objects */
	expr_t place;
	/* Of 64 bits: what it points to, if that is a known object. Null is `value == 0`. */
	uint32_t points_to; /* or ACTIVATION_NONE */
	uint64_t points_at; /* offset there; may be the object's size */
	int followed;	    /* an address that was accessed was made from it: that it points there is part of the precondition */
	uint32_t same;	    /* the first input with the same value that is a pointer, too; its own number if there is none */
};

/* A condition that held, in the order they were met; those of callees are among them. */
struct activation_step {
	uint8_t kind;	    /* enum muster_event_kind: BRANCH, SWITCH, CONCRETE, BOUND, GIVEN */
	uint8_t outcome;    /* BRANCH, BOUND, GIVEN: the value of `term`'s node. 0 for a BOUND of a checker: this run breaks it */
	uint8_t checker;    /* BOUND: enum muster_checker */
	uint8_t reason;	    /* CONCRETE: enum muster_reason */
	int own;	    /* not in an activation that is called by this one */
	int outer;	    /* it has bytes of the input, or leaves of no activation: it cannot be said over the leaves alone */
	uint32_t unit, index; /* the site */
	uint64_t event;
	expr_t term;	    /* the value that was tested: of one bit, or what a SWITCH or CONCRETE is about */
	expr_t holds;	    /* of one bit: what held here: term, its negation, term == its value */
};

/* Memory that differs, or may differ, when the activation is over; each byte is in one of them. */
struct activation_write {
	uint64_t address, offset;
	uint32_t object; /* in activations.objects */
	unsigned width;	 /* of the value in bits */
	uint64_t value_low, value_high; /* in this run */
	expr_t value;	 /* over the leaves; a constant where a constant was stored */
	expr_t place;	 /* the address as it was computed, over the leaves */
	uint64_t event;
};

/* Why an activation does not say everything: MUSTER_MARKS (abi.h), which the runtime writes, and those that the reader finds. X(NAME, key, words) */
#define ACTIVATION_MARKS(X)                                                                                                  \
	X(TRUNCATED, "truncated", "the trace ends before it does, or events were left out")                                  \
	X(TAIL, "tail", "its last call took its place: its result is not known")                                             \
	X(LOST, "lost", "the stack of calls was lost: where it ended is not known")                                          \
	X(ENDED, "ended", "the run ended inside it (exit, abort, a signal): it has no state afterwards")                     \
	X(THREADS, "threads", "a thread or a child process was started inside it")                                           \
	X(DATA, "data", "data may have come to it without labels")

enum activation_mark_number {
#define X(name, key, words) ACTIVATION_MARK_##name,
	ACTIVATION_MARKS(X)
#undef X
	    ACTIVATION_MARK_COUNT
};
/* Bits of struct activation: first those of enum muster_mark, then the reader's. */
#define ACTIVATION_MARK(name) (1u << (MUSTER_MARK_COUNT + ACTIVATION_MARK_##name))
#define ACTIVATION_MARKED(name) (1u << MUSTER_MARK_##name)

/* A value at the end of a segment: number `number` of the cut (ir/segment.h), or part of the function's result. */
struct activation_live {
	uint32_t number;
	uint32_t label;
	expr_t value;	  /* over the leaves; EXPR_NONE: floating point */
};
/* Where a variable in memory is, of a segment's cut. */
struct activation_home {
	uint32_t number;
	uint64_t address;
	int at_end; /* number is one of the cut where it ends */
};

struct activation {
	uint32_t unit, index;	/* the function: one of its instructions, the first that the variant has (site_find_function) */
	uint32_t call;		/* in the list of calls */
	uint32_t caller;	/* the innermost activation that it is in, or ACTIVATION_NONE */
	uint64_t begin, end;	/* events: its CALL, its RETURN; CALLS_OPEN: the run ended before it did */
	unsigned left;		/* enum muster_left, if it has ended */
	uint32_t marks;
	VEC(struct activation_input) inputs; /* parameters first, in order; then memory as it was read */
	VEC(struct activation_step) steps;
	VEC(struct activation_write) writes; /* by address */
	VEC(expr_t) results;		     /* a term for each part of the result; EXPR_NONE: floating point */
	VEC(uint32_t) numbers;		     /* labels of addresses that were taken for numbers (MUSTER_REASON_ORDER) */
	uint32_t outer_numbers;		     /* of them: those that are not over its leaves alone */
	/* Of a segment, which is an activation inside that of its call (`caller`): PARAMETERs are parameters of the function if it begins with it, else values of the cut. */
	int is_segment;
	uint32_t start, stop;		     /* sites: instructions at the cuts; of the call's begin and end: the function's */
	enum muster_cut cut;		     /* how it ended; MUSTER_CUT_BEGINS: it did not */
	VEC(struct activation_live) lives;
	VEC(struct activation_home) homes;
};

struct activations {
	VEC(struct activation) list; /* in the order they began */
	VEC(struct activation_object) objects;
	size_t most;	   /* inputs and steps of one that are kept; 0: all */
	uint64_t concrete; /* decisions that depend on no leaf of their activation: they hold for every call that comes there */
};

/* t and c as trace_open and calls_read gave them; the terms go to the pool. input_size: bytes of the test that was run. 0, or -1 with words if the
 * target wrote over the events, or the trace has none of this. */
int activations_read(struct activations *a, const struct trace *t, const struct calls *c, struct exprs *pool, uint64_t input_size);
/* The same without terms, which activation_terms_make makes of one activation at a time: for who needs few of them, or one after the other. most: what is larger than a summary may be is marked LARGE and
 * has no steps; `bound` of inputs is never made. */
int activations_scan(struct activations *a, const struct trace *t, const struct calls *c, size_t most);
struct activation_terms;
struct activation_terms *activation_terms_new(struct activations *a, const struct trace *t, const struct calls *c, uint64_t input_size);
/* Terms of one, in the pool that is returned. It lasts until more than `bytes` of terms are made: those of activations before may be gone. */
struct exprs *activation_terms_make(struct activation_terms *x, uint32_t number, uint64_t bytes);
/* A label of the trace over the leaves of the activation that was made last; EXPR_NONE: it has leaves of none of those inside it, or bytes of the input. */
expr_t activation_terms_label(struct activation_terms *x, uint32_t label);
void activation_terms_free(struct activation_terms *x);
void activation_clear(struct activation *a); /* what it says is not needed any more; begin, end and the like stay */
void activations_release(struct activations *a);
/* The symbol of a variable, n bytes; NULL: it is none. */
const char *activation_object_name(const struct trace *t, const struct activation_object *o, size_t *n);

/* "extern", ... and a sentence, for bit number `bit` of marks. */
const char *activation_mark_key(unsigned bit);
const char *activation_mark_words(unsigned bit);
#define ACTIVATION_MARK_BITS (MUSTER_MARK_COUNT + ACTIVATION_MARK_COUNT)

#endif
