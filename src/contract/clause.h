/* clause.h: the small language of contracts: conditions on the entry state of a function (entry.h).
 *
 * A clause is one literal, or a guard or another: `n <= 0 || s != NULL`. A literal speaks of one place, of two, or of a place and a number. Where a pointer in front of a place is
 * null the literal holds: what a function requires of p->n it requires where there is a p. As C the clause says so itself, unless the contract it is part of says p != NULL before.
 *
 * Each literal is stated three times, and the three agree: as values of one call (clause_holds), as a term (clause_term) and as C (clause_text), which MUSTER_REQUIRES and --requires take.
 */
#ifndef MUSTER_CONTRACT_CLAUSE_H
#define MUSTER_CONTRACT_CLAUSE_H

#include "contract/entry.h"

/* X(NAME, cost, class). In text a, b and c are places, k a number. The cost says how soon a reader understands it: of two that explain as much the cheaper is taken. */
#define CLAUSE_OPS(X)                                                            \
	X(SET, 1, CLAUSE_POINTER)      /* a != NULL */                           \
	X(CLEAR, 1, CLAUSE_POINTER)    /* a == NULL: a guard, and what an assertion may ask for */ \
	X(LONG, 4, CLAUSE_LENGTH)      /* len(a) >= k */                         \
	X(WITHIN, 2, CLAUSE_LENGTH)    /* a <= len(b) */                         \
	X(BELOW, 2, CLAUSE_LENGTH)     /* a < len(b) */                          \
	X(BEFORE, 4, CLAUSE_LENGTH)    /* before(a) >= k: bytes of the object in front of what a points to. The driver's pointers have none: it holds where a is null alone */ \
	X(SUM, 5, CLAUSE_LENGTH)       /* a <= len(b) && c <= len(b) - a: a + c does, and does not wrap; k is c's number */ \
	X(AREA, 5, CLAUSE_LENGTH)      /* product(a, c) <= len(b): a * c elements; of numbers above 32 bits the product is the largest there is; k is c's number */ \
	X(ENDED, 2, CLAUSE_LENGTH)     /* terminated(a): a is null, or one of its bytes is 0 */ \
	X(ORDERED, 3, CLAUSE_LENGTH)   /* ordered(a, b): both are null, or point into one object, and b not in front of a */ \
	X(TREE, 2, CLAUSE_SHAPE)       /* tree(p, next): a is the shape (entry.h); k: its members, each of which costs 1 */ \
	X(EVERY, 6, CLAUSE_LENGTH)     /* every(T, ...): a is an ENTRY_EVERY (every.h) */ \
	X(APART, 6, CLAUSE_SHAPE)      /* apart(T, f): likewise */ \
	X(DISTINCT, 5, CLAUSE_SHAPE)   /* distinct(a, b): one is null, or they point to two objects */ \
	X(ZERO, 3, CLAUSE_SCALAR)      /* a == 0 */                              \
	X(EQUAL, 3, CLAUSE_SCALAR)     /* a == k: a guard, of a number that means none (fd == -1) */ \
	X(NONZERO, 3, CLAUSE_SCALAR)   /* a != 0 */                              \
	X(POSITIVE, 3, CLAUSE_SCALAR)  /* a > 0 */                               \
	X(NATURAL, 3, CLAUSE_SCALAR)   /* a >= 0 */                              \
	X(NOTABOVE, 3, CLAUSE_SCALAR)  /* a <= 0 */                              \
	X(MOST, 5, CLAUSE_SCALAR)      /* a <= k */                              \
	X(LEAST, 5, CLAUSE_SCALAR)     /* a >= k */                              \
	X(LE, 4, CLAUSE_SCALAR)	       /* a <= b */                              \
	X(LT, 4, CLAUSE_SCALAR)	       /* a < b */                               \
	X(FITS, 5, CLAUSE_SCALAR)      /* a + b is in the type's range: of 64-bit numbers that callers have no name for */ \
	X(NE, 5, CLAUSE_SCALAR)	       /* a != b, numbers */
enum clause_op {
#define X(name, cost, class) CLAUSE_##name,
	CLAUSE_OPS(X)
#undef X
	    CLAUSE_OP_COUNT
};
enum clause_class { CLAUSE_SCALAR = 1, CLAUSE_LENGTH = 2, CLAUSE_POINTER = 4, CLAUSE_SHAPE = 8 /* which pointers lead to one object */ };

struct clause_literal {
	enum clause_op op;
	uint32_t a, b; /* places */
	uint64_t k;
};
struct clause {
	struct clause_literal part[2]; /* the requirement, then a guard */
	unsigned count;
};

#define CLAUSE_AREA_MOST 65535 /* elements of what a product is compared with */

/* Does the literal speak of a third place, k? */
int clause_has_third(enum clause_op op);

/* The values that a place has in one call. */
struct clause_value {
	uint64_t value, length; /* value of a shape: it holds */
	int there, set, ended;
	uint8_t object;
};

unsigned clause_cost(const struct clause *c);
/* Of what its requirement speaks. Two members of one structure that are compared are its invariant: CLAUSE_LENGTH. */
enum clause_class clause_class(const struct entry *e, const struct clause *c);
int clause_holds(const struct entry *e, const struct clause *c, const struct clause_value *values);
expr_t clause_term(const struct entry *e, const struct clause *c);
/* A call breaks the clause, and would keep it if a number were one less: of comparisons with lengths and of numbers with each other. EXPR_NONE: the clause is none. */
expr_t clause_edge(const struct entry *e, const struct clause *c);
/* As C. known: for each place, whether it is said before that the pointer there is not null. */
void clause_text(const struct entry *e, const struct clause *c, const uint8_t *known, struct buf *out);

#endif
