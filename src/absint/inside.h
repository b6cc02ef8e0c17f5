/* inside.h: what the files of the analysis share; no other folder includes it.
 *
 *	plan.c     which values become symbols, in which reading; packs of symbols; thresholds; case
 * splits state.c    what is known at a point: an element for each pack, and which values are exact
 *	form.c     values as linear expressions over symbols
 *	condition.c  what a decision says
 *	modular.c    relations modulo 2^width, which need no state
 *	nonlinear.c  division, remainder, masks, shifts, selection
 *	transfer.c instructions, phis, edges
 *	iterate.c  the fixpoint
 *	absint.c   the interface: questions about points
 *
 * A *symbol* is a variable of the analysis: an SSA value in one reading, a loop counter, a memory
 * cell, a cell's first value. A *pack* is a small set of symbols that are related to each other in
 * one element of a domain; symbols may be in several packs, or in none: then only the range of its
 * type is known. An SSA value without a symbol is *exact* in a state if it equals, as a mathematical
 * integer in its reading, the linear expression that its operator makes of its operands (form.c).
 * SSA makes this hold at every point that the definition dominates: operands cannot change between a
 * definition and a use of it. Ranges of types are not written into the elements, since boxes of many
 * dimensions are what polyhedra are worst at; only "not negative" is. They are added when bounds are
 * asked for.
 */
#ifndef MUSTER_ABSINT_INSIDE_H
#define MUSTER_ABSINT_INSIDE_H

#include "absint/absint.h"
#include "ir/code.h"

#define NONE UINT32_MAX

/* Widest type whose wrapping is followed: hulls of wider ones have numbers that say nothing and
 * cost much. */
#define WRAP_MOST 16

struct place {
	uint32_t pack, dim;
};

struct symbol {
	struct absint_symbol means;
	VEC(struct place) places;
	uint8_t input; /* never changes during the analysis */
};

struct pack {
	VEC(uint32_t) symbols;	      /* by dimension */
	struct domain_bounds *ranges; /* of their types */
	linear_list thresholds;	      /* over dimensions */
};

/* An element that states share until one of them writes. */
struct shared {
	struct domain *d;
	unsigned refs;
};

struct state {
	struct shared **packs;
	uint64_t *exact; /* a bit for each instruction of the function */
};

/* The analysis under one assumption about the inputs. States: NULL is not reached. */
struct run {
	linear_list assumed;  /* over symbols */
	struct state **entry; /* by block, after its phis */
	struct state **edge;  /* by edge, before the phis of its target */
	uint32_t *visits;     /* by block */
	uint8_t *queued;
};

struct absint {
	const struct code *code;
	const struct code_function *f;
	struct absint_options options;
	enum domain_kind kind; /* in use */
	int weakened;
	double deadline; /* for the kind in use */
	int late;

	uint32_t loop;		/* whose entry the analysis starts at, or NONE */
	uint8_t *region;	/* by block: is it analysed? */
	uint8_t *is_signed;	/* by value: its reading */
	uint32_t *value_symbol; /* by value */
	uint32_t *total;
	uint32_t *counter;		    /* by loop: symbol */
	uint32_t *cell_symbol, *old_symbol; /* by cell of the function */
	VEC(struct symbol) symbols;
	VEC(struct pack) packs;
	VEC(struct absint_symbol) list, inputs; /* for the interface */
	VEC(uint32_t) input_symbols, cells;
	linear_list splits; /* over symbols: worth an analysis for each side */
	struct forgotten {
		VEC(uint32_t) symbols;
	} * stale; /* by edge: symbols whose values are no more */
	struct written {
		VEC(uint32_t) cells;
	} * writes;	    /* by instruction: cells it may write */
	uint8_t *partition; /* by block: decided by one of its phis */
	int optimistic; /* nothing wraps, it is assumed, to learn which inputs could make it so: */
	linear_list wraps; /* facts over inputs under which something does */
	int recording;	   /* of lost values: the states are as small as they get */
	uint8_t *lost;	   /* by value: not exact somewhere; symbols of the next plan */
	VEC(struct run) runs;
	struct run *run; /* at work */
	VEC(uint32_t) work;
};

static inline wide symbol_min(const struct absint_symbol *s)
{
	return s->is_signed ? -((wide)1 << (s->width - 1)) : 0;
}
static inline wide symbol_max(const struct absint_symbol *s)
{
	return ((wide)1 << (s->is_signed ? s->width - 1 : s->width)) - 1;
}
/* Integers the analysis can read: more than one bit, at most 64. */
static inline int tracked(const struct code_value *v)
{
	return v->width > 1 && v->width <= 64;
}
/* The range of a value's reading. */
static inline struct absint_symbol reading(const struct absint *a, uint32_t value)
{
	return (struct absint_symbol){ABSINT_VALUE, value, a->f->values[value].width,
				      a->is_signed[value]};
}

/* plan.c */
void plan_make(struct absint *a);    /* for a->f, a->loop; uses a->lost of an earlier round */
void plan_release(struct absint *a); /* all but lost */

/* state.c */
struct state *state_new(struct absint *a);
struct state *state_copy(struct absint *a, const struct state *s);
void state_free(struct absint *a, struct state *s);
int state_includes(struct absint *a, const struct state *s, const struct state *smaller);
/* *s becomes the join; either may be NULL. */
void state_join(struct absint *a, struct state **s, const struct state *other);
void state_meet(struct absint *a, struct state *s, const struct state *other);
void state_widen(struct absint *a, struct state *s, const struct state *old);
int state_is_empty(struct absint *a, const struct state *s);
/* Facts and expressions over symbols. By the types of the symbols alone: */
struct domain_bounds state_type_bounds(const struct absint *a, const struct linear *e);
struct domain_bounds state_bounds(struct absint *a, const struct state *s, const struct linear *e);
void state_add(struct absint *a, struct state *s, const struct linear *fact);
/* symbol := e, or anything of its type if e is NULL. */
void state_assign(struct absint *a, struct state *s, uint32_t symbol, const struct linear *e);
/* All at once. An expression may be missing (known[i] 0). */
void state_assign_all(struct absint *a, struct state *s, const uint32_t *symbols,
		      const struct linear *e, const uint8_t *known, size_t n);
/* The same for an expression that may leave the range of the symbol's type. */
void state_assign_wrapped(struct absint *a, struct state *s, uint32_t symbol,
			  const struct linear *e);
void state_forget(struct absint *a, struct state *s, uint32_t symbol);
int state_exact(const struct absint *a, const struct state *s, uint32_t value);
void state_set_exact(const struct absint *a, struct state *s, uint32_t value, int exact);
/* The expression over the dimensions of a pack; 0 if a symbol is missing there (*rest, if not NULL,
 * gets what is). */
int state_map(const struct absint *a, uint32_t pack, const struct linear *e, struct linear *out,
	      struct linear *rest);

/* form.c; results belong to the caller when 1 is returned, else there is none. s == NULL: the shape
 * alone, as if nothing ever wrapped. */
int form(struct absint *a, const struct state *s, uint32_t value, int is_signed,
	 struct linear *out);
int form_own(struct absint *a, const struct state *s, uint32_t value, struct linear *out);
/* What the operator makes of the operands: the value is equal to it if no wrapping takes place. */
int form_operator(struct absint *a, const struct state *s, uint32_t value, struct linear *out);
/* Is the operator one of those? */
int form_linear(const struct absint *a, uint32_t value);
/* Is the value in its reading equal to form_operator whatever the operands are? */
int form_always(const struct absint *a, uint32_t value);
int form_fits(struct absint *a, const struct state *s, const struct linear *e, unsigned width,
	      int is_signed);

/* condition.c */
/* Restricts the state to points where the one-bit value is as said. */
void condition_assume(struct absint *a, struct state *s, uint32_t condition, int truth);
/* The facts of an outcome of the block's last instruction. */
void condition_edge(struct absint *a, struct state *s, const struct code_edge *e);
/* The phi of the same block that decides the block's branch, or NONE; *negated: the opposite way
 * round. */
uint32_t condition_phi(const struct absint *a, uint32_t block, int *negated);
/* The fact a comparison states, by its shape; 0: none. */
int condition_shape(struct absint *a, uint32_t condition, struct linear *fact);

/* wrap.c: an optimistic run assumes that a value of the type, which is e, fits; which inputs speak
 * against it is noted before. */
void wrap_note(struct absint *a, const struct state *s, const struct absint_symbol *type,
	       const struct linear *e);
void wrap_assume(struct absint *a, struct state *s, const struct absint_symbol *type,
		 const struct linear *e);

/* absint.c: absint_at() of the first n symbols; what is known of the hidden ones after them, which
 * are counters, is used and left out. */
void absint_at_hiding(struct absint *a, struct absint_point p, const struct absint_symbol *wanted,
		      size_t n, size_t hidden, struct absint_facts *out);

/* nonlinear.c: defines the symbol of a value whose operator is not linear, as well as it can. */
void nonlinear_define(struct absint *a, struct state *s, uint32_t value);

/* transfer.c */
void transfer_instruction(struct absint *a, struct state *s, uint32_t value);
void transfer_block(struct absint *a, struct state *s, uint32_t block);
/* From before the phis of the edge's target to after them. */
void transfer_enter(struct absint *a, struct state *s, uint32_t edge);

/* iterate.c: fills a->runs; a->kind may have become weaker. */
void iterate(struct absint *a);
/* At the entry of a block that reports; the caller frees. */
struct state *iterate_report(struct absint *a, struct run *r, uint32_t block);
void iterate_release(struct absint *a);

#endif
