/* gate.h: a hash-consed graph of gates, the form between terms and clauses.
 *
 * A literal is 2 * gate + sign; gate 0 is the constant, so LIT_FALSE is 0 and LIT_TRUE 1.
 * Constructors fold constants and equal or opposite operands; operands of a gate
 * are older than it. Gates that nothing asks for cost memory but no clauses.
 *
 * A free gate is a bit that the solver may choose. It may belong to a definition: a list
 * of literals that must hold whenever a bit of it is used (quotient and
 * remainder). A definition has a solution for all values of the other bits,
 * so leaving out one that nothing uses changes no answer.
 */
#ifndef MUSTER_SOLVE_GATE_H
#define MUSTER_SOLVE_GATE_H

#include "base/vec.h"

#include <stdint.h>

typedef uint32_t lit_t;
#define LIT_FALSE 0u /* no limit: an id */
#define LIT_TRUE 1u /* no limit: an id */
#define LIT_NONE UINT32_MAX

static inline lit_t lit_not(lit_t x)
{
	return x ^ 1;
}
static inline uint32_t lit_gate(lit_t x)
{
	return x >> 1;
}
static inline int lit_sign(lit_t x)
{
	return x & 1;
}
static inline int lit_is_const(lit_t x)
{
	return x <= LIT_TRUE;
}

enum gate_op {
	GATE_CONST,
	GATE_FREE, /* a: 0, or the number of its definition plus 1 */
	GATE_AND,
	GATE_XOR,
	GATE_XOR3,
	GATE_MAJ, /* at least two of three */
	GATE_ITE, /* a ? b : c */
};

enum {
	GATE_IMPLIES = 1,   /* the gate implies its function */
	GATE_IMPLIED = 2,   /* the function implies the gate */
	GATE_HOLDS = 4,	    /* it is asserted */
	GATE_HOLDS_NOT = 8, /* its negation is */
};

struct gate {
	lit_t a, b, c; /* operands; absent ones are 0 */
	uint8_t op;
	uint8_t used;	 /* some gate has it as operand */
	uint8_t shared;	 /* more than one has */
	uint8_t emitted; /* for cnf.c: what clauses say of it: GATE_IMPLIES and its kind */
	int32_t var;	 /* for cnf.c: variable of the SAT solver, 0: none yet */
};

struct gates {
	VEC(struct gate) v;
	uint32_t *table;	   /* unique table: gate numbers, 0: free slot */
	uint32_t cap;		   /* of table: 0 or a power of two */
	uint32_t hashed;	   /* entries of table */
	VEC(lit_t) conditions;	   /* of all definitions, one after the other */
	VEC(uint32_t) definitions; /* where each one's conditions begin */
};

void gates_init(struct gates *g);
void gates_release(struct gates *g);

lit_t gate_free(struct gates *g);
/* The next gate_free_in calls make bits of the definition; its conditions are added by gate_require
 * until the next gate_define. */
uint32_t gate_define(struct gates *g);
lit_t gate_free_in(struct gates *g, uint32_t definition);
void gate_require(struct gates *g, lit_t condition);
/* The conditions of a definition. */
const lit_t *gate_conditions(const struct gates *g, uint32_t definition, uint32_t *count);

lit_t gate_and(struct gates *g, lit_t a, lit_t b);
lit_t gate_xor(struct gates *g, lit_t a, lit_t b);
lit_t gate_xor3(struct gates *g, lit_t a, lit_t b, lit_t c);
lit_t gate_maj(struct gates *g, lit_t a, lit_t b, lit_t c);
lit_t gate_ite(struct gates *g, lit_t condition, lit_t a, lit_t b);

static inline lit_t gate_or(struct gates *g, lit_t a, lit_t b)
{
	return lit_not(gate_and(g, lit_not(a), lit_not(b)));
}

#endif
