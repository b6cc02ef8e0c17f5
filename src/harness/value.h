/* value.h: images as values of C, for people, for JSON and as initialisers (value.c, used by
 * export.c). */
#ifndef MUSTER_HARNESS_VALUE_H
#define MUSTER_HARNESS_VALUE_H

#include "harness/walk.h"

/* The bytes of one root, result or element of an object. */
struct value_image {
	const struct walk *w;
	uint32_t type;	      /* in harness.types */
	const uint8_t *bytes; /* as many as the type has */
	size_t at;	      /* where they stand in the input; of no use if seen */
	int global;	      /* pointers are coded as in a global */
	int seen;	      /* from an observation: pointers are coded so, globals have no xor */
};

/* Image and bytes (room for the type's size) from the input at `at`; initial: what a global's bytes
 * are combined with, or NULL. Pointers and bools that mean nothing or null become zeros: a zero
 * value has zero bytes. */
void value_load(struct value_image *im, const struct walk *w, uint32_t type, size_t at, int global,
		const uint8_t *initial, uint8_t *bytes);

enum value_form {
	VALUE_PEOPLE, /* objects inside the pointers that reach them first */
	VALUE_JSON,
	VALUE_SOURCE, /* an initialiser of C: pointers by the names of their objects */
};

struct value_printer {
	enum value_form form;
	struct buf *out;
	struct buf path; /* how C names what is printed now */
	char **paths; /* people, JSON: how the pointer to an object was called when it was printed;
			 NULL: not yet */
	const char *const *names; /* source: of the objects */
	uint8_t *built; /* source: for each byte of the image, the one that the initialiser gives */
	uint8_t *pointers; /* source: 1 where a pointer was written */
};

/* The scalars of a value, by the names they have: f gets each with its path ("g.a[3].x"), its front
 * type, the offset in the image and, for a bit-field, where its bits are. Unions and what else has
 * no names of its own come whole. */
struct value_leaf {
	const char *path;
	uint32_t front;
	size_t off, size;
	const struct front_field *bits; /* a bit-field; then off is that of its struct */
};

/* The value at offset `off` of an image, which has the front's type `front`. */
void value_print(struct value_printer *p, const struct value_image *im, uint32_t front, size_t off);
void value_print_leaf(struct value_printer *p, const struct value_image *im,
		      const struct value_leaf *leaf);
/* All of it. */
void value_print_image(struct value_printer *p, const struct value_image *im);

/* Whether the image at `off` has a pointer there; then its type and where it goes. `known` is 0 for
 * a pointer of an observation that cannot be named. */
struct value_pointer {
	uint32_t type;
	struct walk_pointer to;
	int known;
};
int value_pointer_at(const struct value_image *im, size_t off, struct value_pointer *out);

/* Calls f for each leaf. Arrays of characters come whole, with `whole` all arrays of numbers
 * without gaps. */
typedef void (*value_each)(void *ctx, const struct value_leaf *leaf);
void value_leaves(const struct value_image *im, const char *path, int whole, value_each f,
		  void *ctx);

/* Bits of a bit-field whose struct begins at bytes, sign-extended if its type is signed. */
uint64_t value_bits(const uint8_t *bytes, const struct front_field *f, int is_signed);
static inline const struct front_type *value_type(const struct value_image *im, uint32_t front)
{
	return &im->w->h->front->types.data[front];
}
/* The type of an image as the front knows it; NULL: plain bytes. */
const struct front_type *value_front(const struct harness *h, uint32_t front, size_t size);
/* An integer, enumerator, character, bool or float; 0 if it is none of these. */
int value_scalar(struct buf *out, const struct front_type *t, const uint8_t *bytes,
		 enum value_form form);

#endif
