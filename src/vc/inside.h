/* inside.h: between the files of this folder: vc.c (state, ends, values), memory.c, words.c (memory of bare evaluators), block.c (blocks and joins), loop.c, call.c. */
#ifndef MUSTER_VC_INSIDE_H
#define MUSTER_VC_INSIDE_H

#include "vc/vc.h"

#include "base/arena.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/vec.h"
#include "vc/value.h"

#define VC_TARGETS LIMIT(24, 1) /* objects that one pointer may point to | each is a case of every access */

struct vc_thing { /* an object */
	const char *name;
	expr_t base;	/* its address */
	expr_t size;	/* 64 bits; EXPR_NONE: no limit */
	uint64_t bytes; /* the same if it is a constant, else 0 */
	expr_t start;	/* contents; bare: none */
	uint32_t global, function; /* of the unit, or CODE_NONE */
	uint8_t constant;	   /* it is never written */
	uint8_t own;		   /* an alloca: unknown to others until its address gets out; */
	uint8_t escaped;	   /* which it did, in a call or loop that was not followed, and it is still there */
	uint8_t was_seen;	   /* the same, and it may be gone */
	uint8_t optional;	   /* its address may be null */
	uint8_t flat;		   /* it lies in the flat memory, at its address */
};

struct vc_place { /* what an object holds at a point */
	expr_t contents; /* an array; bare: a link of words.c */
	expr_t live; /* width 1: may it be accessed? */
};

struct vc_link; /* words.c */

struct vc_memory {
	uint32_t count; /* objects from here on are as at their start */
	struct vc_place *places;
};

struct vc {
	struct exprs *p;
	const struct code *code;
	struct vc_options o;
	struct arena arena;
	VEC(struct vc_thing) things;
	struct map by_base;	/* term to object */
	struct map by_global;	/* number to object */
	struct map by_function; /* number to object */
	struct strmap locals;	/* options.same_locals: how many of a name there are */
	struct map there;	/* terms: were they there before the evaluation began? */
	VEC(struct vc_end) ends;
	VEC(struct vc_obligation) obligations;
	VEC(struct vc_link) links; /* bare: words that were written */
	struct map chosen;	   /* and what choices of them gave */
	uint32_t flat;	/* object, or VC_NO_OBJECT */
	int flat_used;
	uint32_t fresh; /* variables made */
	int some_unset; /* options.varies: there are variables to which it applies */
	uint32_t steps, first_node;
	int stopped; /* a limit was reached: nothing that follows counts */
};

/* A point of a path: within one block, or on an edge. */
struct vc_state {
	expr_t base;	 /* guard of the path to the place that `here` counts from */
	expr_t here;	 /* under which the path comes on to this point */
	const struct vc_memory *memory;
	int shared;	 /* memory belongs to others, too: copy before writing */
};

struct vc_reached { /* the last instruction of a region */
	int some;
	expr_t guard;
	expr_t *values;
	const struct vc_memory *memory;
};

struct vc_frame { /* one activation */
	const struct code_function *f;
	expr_t *values; /* by value; EXPR_NONE: no path came there; VC_LOST */
	unsigned depth;
	uint64_t call, context; /* digests: see vc.h */
	uint32_t begin;		/* instruction that the evaluation begins at; CODE_NONE: it has begun, or does at a block */
	uint32_t end;		/* and ends; CODE_NONE */
	struct vc_reached *reached;
	struct vc_node *nodes; /* by block */
	struct vc_flow *flows; /* by edge */
	struct vc_flow *aside; /* by edge into a loop that is entered beside its header: from the loop's entry on */
	VEC(uint32_t) own; /* objects: its allocas */
	expr_t returns, value; /* so far, from the start of the function */
	int some_return, value_lost;
	const struct vc_memory *memory;
};

/* a or b, simplified where they are two directions of one branch: that is what meets at joins. */
expr_t vc_or(struct exprs *p, expr_t a, expr_t b);
/* A guard of the path from the start of vc_run. */
expr_t vc_guard(struct vc *v, const struct vc_state *s);
int vc_dead(struct vc *v, const struct vc_state *s); /* no path comes here */
/* Paths for which the condition holds end here. */
void vc_end_here(struct vc *v, struct vc_state *s, enum vc_end_kind kind, expr_t condition, const struct code_function *f, uint32_t at, const char *why);
void vc_stop_here(struct vc *v, struct vc_state *s, enum vc_end_kind kind, const struct code_function *f, uint32_t at, const char *why); /* all of them */
/* A value as a term: EXPR_NONE: not modelled. */
expr_t vc_value(struct vc *v, struct vc_frame *fr, uint32_t value);
expr_t vc_varied(struct vc *v, expr_t e); /* options.varies: another use of the term */
unsigned vc_width(const struct code_value *v); /* in terms: 64 for pointers; 0: not modelled */
void vc_frame_init(struct vc_frame *fr, const struct code_function *f, expr_t *values);
void vc_frame_release(struct vc_frame *fr); /* values are the caller's */
/* What options.value says, or EXPR_NONE. */
expr_t vc_asked(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at);
/* What options.settle makes of it: EXPR_NONE or VC_LOST is no term. */
expr_t vc_settled(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at, expr_t e);
struct vc_point vc_point_at(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at);
/* Has it come to a limit? Counts a step. */
int vc_limit(struct vc *v);
int vc_too_many(const struct vc *v); /* terms */

/* memory.c */
uint32_t vc_thing_new(struct vc *v, const char *name, expr_t size, uint64_t bytes);
struct vc_place vc_place_of(const struct vc *v, const struct vc_memory *m, uint32_t object);
void vc_put(struct vc *v, struct vc_state *s, uint32_t object, struct vc_place place);
/* condition ? a : b */
expr_t vc_start_contents(struct vc *v, const char *name, uint64_t bytes);
const struct vc_memory *vc_memory_ite(struct vc *v, expr_t condition, const struct vc_memory *a, const struct vc_memory *b);
/* words.c: the same for what one object holds. */
uint32_t vc_words_ite(struct vc *v, expr_t condition, uint32_t a, uint32_t b);
void vc_memory_havoc(struct vc *v, struct vc_state *s, uint32_t object);
void vc_all_globals(struct vc *v); /* those that were not looked at so far become objects, too */
struct vc_where { /* for messages of ends */
	const struct code_function *f;
	uint32_t at;
};
expr_t vc_load(struct vc *v, struct vc_state *s, struct vc_where w, expr_t address, unsigned width, uint64_t bytes);
void vc_store(struct vc *v, struct vc_state *s, struct vc_where w, expr_t address, expr_t value);
void vc_fill(struct vc *v, struct vc_state *s, struct vc_where w, expr_t address, expr_t byte, expr_t length);
void vc_move(struct vc *v, struct vc_state *s, struct vc_where w, expr_t to, expr_t from, expr_t length);
expr_t vc_compare_pointers(struct vc *v, unsigned op, expr_t a, expr_t b);
uint32_t vc_function_object(struct vc *v, uint32_t function);
/* The function that a pointer is known to point to, or NULL. */
const struct code_function *vc_function_at(struct vc *v, expr_t address);

/* block.c: a pass over the blocks of a loop or of a function (CODE_NONE), once. */
struct vc_node { /* a block, or an inner loop, which its header stands for */
	expr_t out;   /* at its end, from the end of its dominator on; EXPR_NONE: no path comes there */
	expr_t whole; /* the same from the start of the pass on */
	uint32_t dominator; /* on the paths of this pass; the start's is itself */
};
struct vc_flow {	/* an edge */
	expr_t taken;	/* from the end of its block on; of an edge that leaves an inner loop: from the loop's entry on. EXPR_NONE: not taken */
	const struct vc_memory *memory;
};
struct vc_pass {
	struct vc *v;
	struct vc_frame *fr;
	uint32_t loop; /* CODE_NONE: the function */
	uint32_t start; /* a block; or f->block_count: all edges into the loop that do not lead to its header, by the frame's `aside` */
	expr_t base;   /* guard of the path to its start */
	struct vc_node *nodes; /* the frame's: an inner loop's pass leaves the flows of its exits and its header's node to this one */
	struct vc_flow *flows;
};
void vc_pass_init(struct vc_pass *ps, struct vc *v, struct vc_frame *fr, uint32_t loop, uint32_t start, expr_t base);
void vc_pass_run(struct vc_pass *ps, const struct vc_memory *memory);
/* The phis of the block that nothing is said about, by options.value. */
void vc_ask_phis(struct vc *v, struct vc_frame *fr, uint32_t block);
/* From the end of node d, which dominates it, to the end of node n. */
expr_t vc_path_down(const struct vc_pass *ps, uint32_t d, uint32_t n);
/* The edge is taken, from the start of the pass on. */
expr_t vc_edge_whole(struct vc_pass *ps, uint32_t edge);
const struct vc_flow *vc_edge_flow(const struct vc_pass *ps, uint32_t edge);
/* condition ? a : b, for value `at`. */
expr_t vc_choice(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at, expr_t condition, expr_t a, expr_t b);
/* One of several things that exclude each other, as the state where they meet: phis of `block` by the edges, memory. selectors[i] belongs to edges[i]. */
const struct vc_memory *vc_join(struct vc *v, struct vc_frame *fr, uint32_t block, const uint32_t *edges, const expr_t *selectors, const struct vc_memory *const *memories, size_t count);

/* loop.c: an inner loop of the pass; s: its entry; beside: not (only) at the header, see `aside`. Sets flows of the loop's exits. */
void vc_loop_run(struct vc_pass *outer, uint32_t loop, struct vc_state *s, int beside);
/* Back to the header, or to it for the first time: its phis are those of the next visit. Gives the condition, from the start of the pass on. */
expr_t vc_go_back(struct vc_pass *ps, const struct code_loop *l, const struct vc_memory **memory);
/* region.c: the paths of the state end at the last instruction of the region. */
void vc_reach(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at);
/* vc.c: from a block on, or (CODE_NONE) from where the region says. */
int vc_run_frame(struct vc *v, const struct code_function *f, uint32_t block, const struct vc_region *region, expr_t *values, struct vc_reached *reached, struct vc_outcome *out);
/* call.c */
/* What others may reach: all but allocas, and allocas whose address lies there or is passed. known: by object, zeroed. */
void vc_find_known(struct vc *v, const struct vc_call *c, uint8_t *known);
void vc_call_run(struct vc *v, struct vc_frame *fr, struct vc_state *s, uint32_t at);
/* The function of the frame from a block on, in state s: sets its end state and gives the result. */
expr_t vc_body(struct vc *v, struct vc_frame *fr, uint32_t start, struct vc_state *s);

#endif
