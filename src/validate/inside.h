/* inside.h: between the files of this folder: impact.c (what a change may influence), segment.c (the same for a part of a function), across.c (for one that ends in a function that is called), local.c (its beginning and end in an evaluation), bind.c (places as terms of an evaluation), type.c (their types), phase.c (Phases 2 and 3), missing.c (R of a partial summary), beside.c (both versions compared), validate.c (the pipeline). */
#ifndef MUSTER_VALIDATE_INSIDE_H
#define MUSTER_VALIDATE_INSIDE_H

#include "validate/validate.h"

#include "base/map.h"
#include "ir/segment.h"
#include "solve/solve.h"
#include "vc/vc.h"

struct phase_budget;

/* ------------------------------------------------------------ impact.c */
struct impact {
	const struct match *m;
	const struct validate_options *o;
	uint8_t *dirty;	 /* by old symbol: a call of it may execute something modified */
	int taken_dirty; /* so may a call of some function whose address is taken */
	struct segment_cuts **cuts[2]; /* by symbol of the old version, and of the new one: found when they are first asked for; NULL: not yet */
	struct map symbol_of; /* function's address to symbol, of the old version */
};
void impact_init(struct impact *im, const struct match *m, const struct validate_options *o);
void impact_release(struct impact *im);
uint32_t impact_symbol(const struct impact *im, const struct code_function *f);
/* Of a function of the old version (0) or of the new one. */
const struct segment_cuts *impact_cuts(const struct impact *im, int version, uint32_t symbol);
/* Is the old function's instruction modified, or a call that may execute something modified? */
int impact_modified(const struct impact *im, uint32_t symbol, uint32_t value);
int impact_call(const struct impact *im, uint32_t symbol, uint32_t value);
/* May the old function's instruction call that one, itself or by something outside of the program that calls back? */
int impact_may_call(const struct impact *im, uint32_t symbol, uint32_t value, uint32_t callee);
/* May something modified execute from the entry of the function to its exit? Why, or NULL: nothing may. */
const char *impact_function(const struct impact *im, uint32_t symbol);
/* By block: may something modified be executed from its beginning on, in this activation? The caller frees. */
uint8_t *impact_blocks(const struct impact *im, uint32_t symbol);

/* ------------------------------------------------------------ segment.c */
/* The same for the summary of a segment, from its beginning to its end: why something modified may execute there, or its places may mean something else; NULL: neither. */
const char *segment_impact(const struct impact *im, uint32_t symbol, const struct summaries *l, const struct summary *s);

/* A segment in both versions. */
struct segment_part {
	const struct impact *im;
	uint32_t symbol;
	const struct code_function *old, *new;
	const struct match_function *mf;
	const struct segment_cuts *old_cuts, *new_cuts;
	const struct segment_cut *from, *to; /* of the old version; NULL: the entry; the end */
	int fails;    /* it ends where a check fails, wherever that is */
	uint8_t *ahead, *on; /* by block: reached from lp without another cut; on a path to lq, too */
};
/* NULL, or why it cannot be looked at; to be released in any case. */
const char *segment_part_open(struct segment_part *x, const struct impact *im, uint32_t symbol, const struct summaries *l, const struct summary *s);
void segment_part_release(struct segment_part *x);
/* Both ends have counterparts at which the same variables hold the same. */
int segment_same_ends(const struct segment_part *x);
/* The cut of the new version that an old one has become; NULL: none. */
const struct segment_cut *segment_cut_now(const struct segment_part *x, const struct segment_cut *c);
/* By block of the old function: may something modified be executed from its beginning on, before the next cut? The caller frees. */
uint8_t *segment_blocks(const struct segment_part *x);
/* Why something modified may execute between its ends; NULL: nothing may. */
const char *segment_check(struct segment_part *x);
int segment_is_cut(const struct segment_part *x, uint32_t block);
void segment_find_ahead(struct segment_part *x);

/* ------------------------------------------------------------ across.c */
/* Where a summary ends that ends in another function, in the version that is evaluated, and what variables hold at each visit. */
struct landing {
	const struct code_function *g;
	const struct segment_cut *to; /* of g; NULL: its entry */
	const struct segment_cuts *cuts;
	struct landed {
		expr_t guard;	/* the condition of the visit */
		expr_t *values; /* by variable of g; EXPR_NONE: not known */
	} *all;
	size_t count, cap;
	struct exprs *p;
	expr_t called; /* the condition under which a call of g was made, of those that are followed; EXPR_NONE: never */
};
/* Phase 1. */
const char *across_impact(const struct impact *im, uint32_t symbol, const struct summaries *l, const struct summary *s);
/* 1: proved. 0: not, and *why says what stands against it. */
int across_phase(const struct impact *im, uint32_t symbol, unsigned phase, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why);
int landing_is_call(const struct landing *x, const struct vc_call *c);
int landing_is_point(const struct landing *x, const struct vc_point *at, uint32_t edge);
/* The edge is one of the function where it ends, into another of its loops. */
int landing_is_other(const struct landing *x, const struct vc_point *at, uint32_t edge);
/* A call that is followed, perhaps to its loop: Phase 3. Where an earlier one came back this is not the first. */
void landing_follow_call(struct landing *x, struct vc_call *c);
void landing_note_call(struct landing *x, const struct vc_call *c);
void landing_note_point(struct landing *x, const struct vc_point *at);

/* ------------------------------------------------------------ bind.c */
#define BIND_OUTSIDE "array-overflow" /* the failure of an access past the end of its object */

#define BIND_CHOICES 6 /* addresses that P leaves open for a pointer */

struct bind_pointer {
	expr_t variable;
	struct place place;
	enum { BIND_FREE, BIND_NULL, BIND_OWN, BIND_ALIAS, BIND_CHOICE, BIND_HOME } is;
	uint32_t object;   /* of an evaluator: OWN, ALIAS, HOME (a local variable's) */
	uint64_t offset;   /* in it */
	uint32_t first;	   /* ALIAS: pointer that names the object */
	expr_t length;	   /* OWN: its variable, if P has one */
	expr_t term;	   /* its address */
	uint32_t choices[BIND_CHOICES], choice_count; /* CHOICE: pointers that it may be equal to; CODE_NONE: null */
};

struct bind_where { /* a place in an evaluation */
	enum { BIND_PARAMETER, BIND_RESULT, BIND_MEMORY, BIND_FUNCTION, BIND_VALUE } root;
	uint32_t number;  /* of the parameter, object, or value */
	uint64_t offset;
	unsigned bit, bits; /* of a bit-field; bits 0: none */
};

struct bind {
	struct exprs *p;
	struct vc *vc;
	const struct code_function *f, *old; /* that is evaluated; that the summary is of */
	const struct summary *s;
	VEC(expr_t) variables; /* places of P and Q */
	VEC(struct bind_pointer) pointers;
	VEC(expr_t) pre; /* P, as it is assumed */
	expr_t *args;
	struct map terms; /* variable to the term that it is, where it is another */
	VEC(struct bind_where) after; /* places that Q names after the call */
	struct local *local; /* of a segment; NULL */
	const struct landing *landing; /* it ends in another function; NULL */
	const struct landed *landed; /* of these visits, the one that Q is asked of */
	int apart;	 /* P says that the objects lie apart from globals */
	uint32_t objects; /* that pointers of P lead to */
	const char *why; /* it cannot be done */
	uint32_t calls;	 /* stubs.c: the object that counts them, + 1; 0: there is none */
};
/* The places of s, a summary of old, in an evaluation of f, which must have been made for it: its objects are made here. more: places beside those of P and Q, of which none shares a byte with them. local: of a segment, or NULL. -1 with b->why. */
int bind_open(struct bind *b, struct vc *vc, struct exprs *p, const struct code_function *f, const struct code_function *old, const struct summary *s, struct local *local, const expr_t *more, size_t count);
void bind_release(struct bind *b);
/* A conjunct of Q after the evaluation; EXPR_NONE: with b->why. */
expr_t bind_post(struct bind *b, const struct vc_outcome *out, expr_t conjunct);
/* Everything that Q does not name is as it was; EXPR_NONE: with b->why. */
expr_t bind_frame(struct bind *b, const struct vc_outcome *out);

/* Does no object that a pointer of P leads to have a byte of the global? P says so, or nobody outside of the unit's code has its address. */
int bind_is_apart(const struct bind *b, uint32_t global);
/* After the evaluation: are they, of all variables that it came to? 0, -1: b->why. */
int bind_check_apart(struct bind *b);
/* No place of P, nor one that Q names as it was before, has one of these bytes. */
int bind_is_unnamed(struct bind *b, uint32_t object, uint64_t offset, uint64_t bytes);

/* ------------------------------------------------------------ local.c */
/* A segment in the function that is evaluated: f, of the old version or of the new one. The first fields are the caller's. */
struct local {
	const struct code_function *f, *old;
	const struct match *m;
	uint32_t symbol; /* of old */
	const struct segment_cuts *cuts; /* of f */
	const struct segment_cut *from, *to; /* NULL: the entry; the end */
	expr_t *start, *values; /* by value of f: at lp; at lq, after the evaluation */
	uint32_t *objects; /* by value of f: of an alloca that is there at lp, or VC_NO_OBJECT */
	int known; /* the address of one of these is used for more than accesses */
};
/* The variable NAME or NAME#N, to the end or to an offset; CODE_NONE. */
uint32_t local_variable(const struct code_function *f, const char *path, const char *end);
/* The instruction that a visit of the cut begins with. */
uint32_t local_first(const struct code_function *f, const struct segment_cut *c);
int local_is_cut(const struct local *x, uint32_t block);
void local_open(struct local *x, struct vc *vc);
void local_close(struct local *x);
/* Where a place is that begins with a local variable, or with a value that none holds: NULL, or why it is nowhere. The offset in memory is the caller's. */
const char *local_locate(const struct local *x, struct vc *vc, const struct place *pl, struct bind_where *w);
/* The object of the variable whose address the place is; VC_NO_OBJECT. */
uint32_t local_home(const struct local *x, struct vc *vc, const struct place *pl);
/* The place is a value at lp: NULL, or why it cannot be. */
const char *local_bind(struct local *x, struct bind *b, expr_t variable, const struct bind_where *w);
/* What else is there at lp is anything. */
void local_fill(struct local *x, struct bind *b);
/* From lp to lq; to_end: as far as options.ends lets it. */
void local_run(struct local *x, struct bind *b, int to_end, struct vc_outcome *out);
/* A value at lq; EXPR_NONE. */
expr_t local_after(const struct local *x, struct bind *b, const struct bind_where *w, unsigned width);
/* Variables that Q does not name, and values that no variable holds, are what they were; EXPR_NONE: with b->why. */
expr_t local_frame(const struct local *x, struct bind *b);
/* Is the object a variable whose life is over where the segment ends? */
int local_is_over(const struct local *x, uint32_t object);

/* ------------------------------------------------------------ type.c */
/* The type of a place, by debug information; CODE_NONE. */
uint32_t bind_type(const struct code_function *f, const struct place *pl);
/* What all objects of the type are aligned for; 1 if it is packed or not known. */
uint64_t bind_alignment(const struct code *c, uint32_t type);
/* The same for a type of the unit of which only the size is known: the least of all that have it; 1: none has. */
uint64_t bind_alignment_of_size(const struct code *c, uint64_t bytes);
/* The names of the members that the place's path leads through, with indices, and what kind of value is there, by debug information: with another layout the same path is another place. */
void bind_names(const struct code_function *f, const struct place *pl, struct buf *out);

/* Has each structure of this size that the old unit knows a counterpart with the same members? 1; 0; -1: there is none of this size. For pointers that the code casts: what they point to is one of these. */
int bind_same_layouts(const struct code *old, const struct code *new, uint64_t bytes);
/* The integer or pointer that begins at the offset of a type, or (behind) of what a pointer of that type points to; names: gets the members and indices that lead there, as C writes them. NULL: there is none, or it is a bit-field. */
const struct code_type *bind_scalar(const struct code *c, uint32_t type, uint64_t offset, int behind, struct buf *names);

/* ------------------------------------------------------------ missing.c */
struct missing {
	struct bind *b; /* of the evaluation that is looked at */
	VEC(expr_t) places; /* that R may be about: variables, of bytes that P does not name */
	VEC(expr_t) results; /* the same: of functions without a body (stubs.c) */
};
void missing_release(struct missing *m);
void missing_result(struct missing *m, expr_t variable);
/* The code reads an integer or a pointer at this offset of an object. */
void missing_load(struct missing *m, uint32_t object, uint64_t offset);
/* R over these places, satisfiable with P, such that P and R imply `holds`, the condition under which the evaluation ends as Q says; P and facts are asserted in the context. 1; 0 with *why. */
int missing_find(struct missing *m, struct solve_context *context, expr_t holds, int (*over)(void *ctx), void *ctx, expr_t *r, const char **why);

/* ------------------------------------------------------------ phase.c */
struct phase_budget {
	struct solver *solver;
	double end, clock_end; /* deadline_processor, deadline_clock */
	struct arena *words;   /* what stands against a summary lives here */
	const struct validate_options *o;
};
struct phase {
	const struct impact *im; /* Phase 2 */
	uint8_t *can;		 /* by block of the function */
	struct exprs *p;
	struct vc *vc;
	struct bind bind;
	const struct phase_budget *budget;
	struct solve_context *context;
	struct vc_outcome out;
	unsigned asked;
	int again;		 /* the function calls itself: what follows in one activation is not all that follows */
	const char *why;
	struct solve_model model; /* a state that stands against it */
	int has_model;
	struct missing *missing; /* gets what the code reads; NULL */
	struct missing *stubs;	 /* gets what functions without a body return, which is known by the number of the call; NULL: no call of one is followed */
	int rests;		 /* on one that was followed, which may do more than its stand-in */
	const expr_t *more;	 /* places that are bound beside those of the summary */
	size_t more_count;
	struct local *local;	 /* of a segment; NULL */
	struct landing *landing; /* it ends in another function; NULL */
	struct beside *beside;	 /* it is one of two that are compared (beside.c); NULL */
};
/* Evaluates f, or the function that it is now, from states of P: 0; -1 with x->why. x: im, budget and what it is for are set; the context may be another one's. */
int phase_open(struct phase *x, const struct code_function *f, const struct code_function *old, struct summaries *l, const struct summary *s);
void phase_close(struct phase *x);
int phase_is_over(const struct phase *x);
int phase_can_follow(const struct phase *x, const struct vc_call *c);
/* Is the condition false in all states of P? 0 with x->why: the words, if there is a state in which it is true. */
int phase_is_impossible(struct phase *x, expr_t e, const char *why);
const char *phase_end_words(const struct vc_end *e);
/* 1: proved. 0: not, and *why says what stands against it. */
int phase_2(const struct impact *im, uint32_t symbol, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why);
int phase_3(const struct code_function *f, const struct code_function *old, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why, struct validate_result *out);

/* Of a summary that ends in another function: x->landing and x->local are set. */
int phase_2_across(struct phase *x, const struct code_function *f, struct summaries *l, const struct summary *s, const char **why);
int phase_3_across(struct phase *x, const struct code_function *f, const struct code_function *old, struct summaries *l, const struct summary *s, const char **why);

/* The same for a segment. */
int phase_2_segment(struct segment_part *part, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why);
int phase_3_segment(struct segment_part *part, struct summaries *l, const struct summary *s, const struct phase_budget *budget, const char **why);

/* ------------------------------------------------------------ validate.c */
/* As far as callers can see: widths of parameters and result. */
int validate_same_signature(const struct code_function *f, const struct code_function *g);

/* ------------------------------------------------------------ stubs.c */
#define STUBS_PATH 's' /* sK: what the K-th call of a function without a body returns, from 0 */
/* The call in which the harness makes a result: 1: it was done. 0: it is another call, or not known what it does. */
int stubs_call(struct phase *x, struct vc_call *c);
/* Is it a call of what the harness has in the place of a function without a body? */
int stubs_stands_in(const struct phase *x, const struct vc_call *c);

/* ------------------------------------------------------------ beside.c */
/* Of a summary that is valid in the old version and returns: are both versions, evaluated beside each other, proved to do the same in all states of P? */
int phase_beside(const struct impact *im, uint32_t symbol, struct summaries *l, const struct summary *s, const struct phase_budget *budget);
void beside_options(struct vc_options *o);
void beside_bound(struct phase *x);

#endif
