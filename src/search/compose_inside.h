/* compose_inside.h: what the files of compositional search share: functions with summaries, taken apart. */
#ifndef MUSTER_SEARCH_COMPOSE_INSIDE_H
#define MUSTER_SEARCH_COMPOSE_INSIDE_H

#include "expr/tape.h"
#include "search/compose.h"
#include "summary/summary.h"

#define COMPOSE_DEPTH 4 /* no limit: pointers in one place, of those that are understood */

/* Where a place is, in the words of the callee's entry state. */
struct compose_place {
	expr_t variable;
	enum place_type type;
	unsigned width;
	int global;	  /* root is an address; else the number of a parameter */
	uint64_t root;
	uint64_t offset;  /* in the root */
	unsigned depth;	  /* pointers that are followed */
	uint64_t offsets[COMPOSE_DEPTH]; /* in what each of them leads to */
	uint64_t element; /* LENGTH: bytes of an element; 0: not known */
	uint32_t left_by; /* compose_own.c: what the call with this number, from 1, left there; 0: what it is at entry */
	int result;	  /* of that call: root is the part of the result */
};

/* compose_own.c: what a call inside has at a place of its own. */
struct compose_passed {
	struct compose_place place;
	expr_t term; /* over the places of the function that calls */
};

struct compose_inner {
	uint32_t callee;
	VEC(struct compose_passed) passed;
};

struct compose_output {
	int result;
	struct compose_place place; /* of the result: offset alone */
	expr_t term;		    /* over places; EXPR_NONE: it is not known */
};

/* A summary. */
struct compose_form {
	VEC(expr_t) pre;
	VEC(expr_t) apart; /* applications in P */
	VEC(struct compose_output) outputs;
	int fails;
	/* Of a function that calls itself: */
	expr_t own;		      /* P; EXPR_NONE: it is a summary */
	VEC(struct compose_inner) inner; /* calls that it makes, in order */
};

/* The same with pointers as they are in some call. */
struct compose_config {
	expr_t *pre;	   /* for each form: P over numbers; false: it cannot hold; EXPR_NONE: a pointer in it is not known */
	struct tape tape;  /* of those that are not EXPR_NONE, in order */
	int whole;	   /* 1: in every state one of them holds; 0: not shown; -1: not asked yet */
};

struct compose_callee {
	struct muster_function at;
	struct summaries *l;
	VEC(struct compose_form) forms;
	VEC(struct compose_place) places; /* that occur in P, or in the terms of outputs */
	VEC(struct compose_config) configs;
	struct map by_pointers; /* hash of what pointers are to config + 1 */
	int dropped;		/* summaries that could not be taken apart */
	int own;		/* compose_own.c: forms are what single calls did by themselves; l is its own */
	struct map by_content;	/* hash of such a form to its number + 1 */
};

struct compose {
	struct solver *solver;
	VEC(struct compose_callee) callees; /* by their instructions */
	VEC(struct muster_function) functions;
	struct strmap globals;
	uint64_t image_end; /* behind the last variable of the program; 0: not known */
	int own;	    /* some function has such forms */
};

/* compose.c: is a disjunction of all forms of the config true in every state? */
int compose_whole(struct compose *c, struct compose_callee *f, struct compose_config *g);

/* compose_run.c: bytes [address, address + bytes) as inputs of a call: parts of leaves, lowest first. */
struct compose_piece {
	uint32_t label;
	unsigned low, width; /* bits of the leaf */
};
#define COMPOSE_PIECES 16 /* no limit: bytes of a term */
/* How many pieces; 0: it was not read. */
unsigned compose_pieces(const struct compose_run *r, const struct compose_call *k, uint64_t address, unsigned bytes, struct compose_piece *out);
/* The parameter's leaf; 0: there is none. */
uint32_t compose_parameter(const struct compose_run *r, const struct compose_call *k, uint64_t number);
/* The address of a place with pointers or of a global one: 1; 0: not known. */
int compose_address(const struct compose_run *r, const struct compose_call *k, const struct compose_place *p, uint64_t *out);
/* The value of a place at entry: 1; 0: it was not read. */
int compose_value_of(const struct compose_run *r, const struct compose_call *k, const struct compose_place *p, u128 *out);
/* Where byte `byte` of an output leaf comes from in a form: an output of it (1: *output, *low: bits of its term), an input (2: *piece), or it is not known (0). */
int compose_source(const struct compose_run *r, const struct compose_call *k, const struct compose_form *f, uint32_t leaf, unsigned byte, const struct compose_output **output,
		   unsigned *low, struct compose_piece *piece);
/* The object that a pointer of the run is known to lead into; NULL. */
const struct compose_object *compose_object_at(const struct compose_run *r, uint64_t address);
/* compose_own.c: what the call did by itself, as a form: 1, k->fits; 0: it cannot be said. The calls inside have been tried. */
int compose_own_read(struct compose *c, struct compose_run *r, uint32_t call, struct import *im);
/* The leaf that a call inside left at a place with left_by: 1; 0: there is none. */
int compose_left_piece(const struct compose_run *r, const struct compose_call *k, const struct compose_place *p, struct compose_piece *out);
/* The number-th call inside, from 0; COMPOSE_NONE. */
uint32_t compose_inner_call(const struct compose_run *r, const struct compose_call *k, uint32_t number);
/* A byte of a leaf as a place of its call. 0: nothing leads there. */
int compose_leaf_place(const struct compose *c, const struct compose_run *r, const struct compose_call *k, uint32_t label, unsigned byte, struct compose_place *out);
int compose_same_place(const struct compose_place *a, const struct compose_place *b);
/* Can each output leaf of the call be said in this form? */
int compose_says_all(const struct compose_run *r, const struct compose_call *k, const struct compose_form *f);

#endif
