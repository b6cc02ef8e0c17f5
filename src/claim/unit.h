/* unit.h: what the parts of claim share. Inside src/claim only.
 *
 * A patch belongs to a node of the tree; rendering copies the text and writes patched nodes anew around the (rendered) text of
 * their parts. */
#ifndef MUSTER_CLAIM_UNIT_H
#define MUSTER_CLAIM_UNIT_H

#include "base/map.h"
#include "base/vec.h"
#include "claim/claim.h"
#include "front/tree.h"

enum patch_kind {
	PATCH_OVERFLOW, /* of +, -, *, negation, ++, -- and assignments with them: the result is exact */
	PATCH_CONVERT,	/* of an implicit conversion, or an assignment with an operator: the value is the same afterwards */
	PATCH_WRAP,	/* of +, *, <<: notes in a variable whether it wrapped */
	PATCH_LIMIT,	/* of a size of an allocation: nothing it was made of wrapped, and it is not beyond the limit */
	PATCH_PRODUCT,	/* of a call with two such arguments: the same of their product */
	PATCH_ROOM,	/* of a size of a memory function: no more than the member has */
};

struct patch {
	uint32_t node;
	enum patch_kind kind;
	unsigned number;
	struct tree_type to; /* of a conversion */
	char *room;	     /* as C; allocated */
	unsigned first, second; /* arguments, from 0 */
	int on_stack;	      /* the size is a number of elements of an array on the stack */
	size_t under; /* of a size: the node's other patch, from 1 */
};

struct text_line {
	uint32_t begin, end;
};

struct work {
	const struct claim *c;
	struct tree *t;
	VEC(uint32_t) places; /* offsets in the text that are the claim's line and column */
	VEC(struct text_line) lines; /* lines of the text that are the claim's */
	VEC(struct patch) patches;
	struct map at;	  /* node to patch, from 1 */
	struct map dirty; /* nodes with a patch at them or below */
	struct map seen;  /* declarations whose values were followed */
	unsigned wraps;	  /* patches of that kind: variables */
	char *reason;	  /* why nothing was found, if there is something to say */
};

static inline const struct tree_node *node(const struct work *w, uint32_t n)
{
	return &w->t->nodes.data[n];
}

static inline const struct tree_type *type_of(const struct work *w, uint32_t n)
{
	return &w->t->types.data[node(w, n)->type];
}

/* Adds one, or gives NULL: a node has one only, and around it one for the size that it is. */
struct patch *claim_patch(struct work *w, uint32_t n, enum patch_kind kind);
/* Is the node's own place (of its operator, or where it begins) one of the claim's? */
int claim_is_place(const struct work *w, uint32_t n);
/* Evaluating it twice is as good as once. */
int claim_is_pure(const struct work *w, uint32_t n);

/* sizes.c: patches for allocations and members, for a call that stands at the place. */
void claim_sizes(struct work *w, uint32_t call);
void claim_members(struct work *w, uint32_t call);
void claim_array(struct work *w, uint32_t variable);

/* text.c: the whole text. */
void claim_render(struct work *w, struct buf *out);

#endif
