/* shape.h: whether what lies behind a pointer is a tree: following some of its members, which point to structures of the same type, no structure is met twice. With one member it is a list that ends.
 *
 * tree(p, next, child) is stated three times, as all of the language is (clause.h): on the bytes of one input, as a term, and as C, which the harness compiles (harness/source.c).
 * Pointers to such structures point to the start of their object (harness/types.c), so an object is a node.
 */
#ifndef MUSTER_CONTRACT_SHAPE_H
#define MUSTER_CONTRACT_SHAPE_H

#include "expr/expr.h"
#include "muster/drive.h"

#include <stddef.h>

#define SHAPE_MEMBERS 3 /* that are followed */

struct shape {
	uint32_t start;	    /* the place whose pointer is followed */
	/* What it points to, in one growth of the objects. */
	uint32_t objects;   /* of the pool */
	size_t blocks[DRIVE_OBJECTS]; /* where they stand in an input */
	expr_t choice;	    /* the pointer itself: a byte of the input as a term */
	uint32_t shift;	    /* object k is choice k + shift */
	unsigned members;
	uint32_t offset[SHAPE_MEMBERS];
	expr_t term;	    /* one bit, made when it is first asked for; EXPR_NONE */
};

/* Byte `at` of an input. */
typedef uint8_t (*shape_byte)(void *ctx, size_t at);
/* choice: of the pointer that is followed. */
int shape_holds(const struct shape *s, uint8_t choice, shape_byte byte, void *ctx);
/* The condition, where the pointer exists. */
expr_t shape_term(struct exprs *p, struct shape *s);

#endif
