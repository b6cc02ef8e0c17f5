/* places.h: the entry state of a driven call, by places: which variable stands for which bytes of the input (muster/drive.h).
 *
 *	places_open(&st, pool, h, number, data, size, follow, ctx);
 *	st.leaves ...                     parameters and globals first, then what followed pointers point to
 *	places_release(&st);
 *
 * Objects have the name of the first followed pointer that points to them; what only other pointers lead to has none.
 */
#ifndef MUSTER_SUMMARY_PLACES_H
#define MUSTER_SUMMARY_PLACES_H

#include "base/arena.h"
#include "base/map.h"
#include "harness/value.h"
#include "summary/place.h"

struct places_leaf {
	expr_t variable;
	const char *path, *text;
	enum place_type type;
	unsigned width;	   /* bits */
	uint64_t size;	   /* of what a pointer points to */
	uint32_t root;	   /* parameter or global, parameters first; WALK_NONE: of an object */
	uint32_t object;   /* in objects; WALK_NONE */
	uint32_t off, bytes; /* in the root or object, in memory */
	uint32_t bit, bits; /* of a bit-field: from the first bit of byte off; bits 0: none */
	size_t at;	   /* in the input */
	int is_bool, is_end; /* is_end: the 0 of a string */
	const uint8_t *initial; /* bytes that a global's are combined with, or NULL */
	struct value_pointer to; /* of a pointer */
	int followed;
};

struct places_object {
	uint32_t walk;	   /* number in walk.objects */
	uint32_t pointer;  /* leaf that names it */
	uint32_t element;  /* that this pointer points to */
	size_t header;	   /* in the input */
	uint32_t limit;	   /* most elements, with a string's 0; 1: always `elements` */
	uint32_t elements; /* now, with a string's 0 */
	int string;
	expr_t length;	   /* variable: elements from the pointer on */
	uint32_t memory;   /* number of MEMORY events */
};

struct places {
	struct walk walk;
	struct exprs *pool;
	struct arena arena;
	VEC(struct places_leaf) leaves;
	VEC(struct places_object) objects;
	struct map bytes; /* offset in the input to the term that it is, in variables of leaves */
	int unknown_initial; /* what some global was before is not known: its bytes have no terms */
	/* private */
	int (*follow)(void *ctx, const struct places_leaf *pointer);
	void *ctx;
	const struct value_image *image;
	struct places_leaf now;
	const char *now_path;
};

void places_open(struct places *st, struct exprs *pool, const struct harness *h, uint32_t number, const void *data, size_t size,
		int (*follow)(void *ctx, const struct places_leaf *pointer), void *ctx);
/* The leaves of one value of a type alone, whose bytes are at no place of the input: the result. */
void places_add(struct places *st, uint32_t type, const char *text, const char *path);
void places_release(struct places *st);

/* The value of a leaf that is no pointer, as the input has it. */
u128 places_value(const struct places *st, const struct places_leaf *leaf);
/* Writes a value of such a leaf into the bytes of an input that is long enough. */
void places_put(const struct places *st, const struct places_leaf *leaf, u128 value, uint8_t *input);
/* The part of memory (bytes of its root or object) that the leaf is. */
u128 places_take(const struct places_leaf *leaf, const uint8_t *memory);
/* The leaf of a variable, or NULL. */
const struct places_leaf *places_find(const struct places *st, expr_t variable);

#endif
