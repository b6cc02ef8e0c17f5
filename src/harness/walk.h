/* walk.h: an input read by the table: which objects it makes and where each pointer goes.
 *
 * This is the only place of the tool that knows what the bytes of an input mean (muster/drive.h);
 *canonical forms, values as C and exported tests are made from it.
 *
 *	struct walk w;
 *	walk_open(&w, h, number, data, size);
 *	for (i = 0; i < w.objects.size; i++) ...
 *	walk_release(&w);
 */
#ifndef MUSTER_HARNESS_WALK_H
#define MUSTER_HARNESS_WALK_H

#include "base/vec.h"
#include "harness/harness.h"

#include <stddef.h>
#include <stdint.h>

#define WALK_NONE UINT32_MAX

enum walk_to {
	WALK_KEEP, /* of a global: what stood there */
	WALK_NULL,
	WALK_OBJECT,
	WALK_TARGET, /* a function */
};

struct walk_pointer {
	enum walk_to to;
	uint32_t object; /* number in walk.objects; WALK_NONE while objects are still being found */
	uint32_t pool;	 /* of the object, from the function's first */
	uint32_t number; /* of the object in its pool, from 1 */
	uint32_t element; /* that it points to */
	uint32_t target;  /* number in harness.targets */
};

struct walk_object {
	uint32_t pool, number; /* as above */
	uint32_t pointer;      /* a pointer type to it */
	uint32_t type, size;   /* of an element */
	uint32_t elements;     /* a string's 0 not counted */
	int string;
	uint32_t at; /* of its image in the input */
};

struct walk {
	const struct harness *h;
	const struct harness_function *about;
	const struct drive_function *f;
	const uint8_t *data;
	size_t size;
	uint32_t growth; /* of its objects, as the prefix says */
	VEC(struct walk_object) objects; /* by pool and number */
	VEC(uint32_t)
	found; /* pool * DRIVE_OBJECTS + number - 1, in the order in which they were reached: roots,
		  results, objects */
	VEC(uint32_t) index; /* for each pool and number: number in objects + 1; 0: not reached */
	VEC(uint32_t) result_types; /* that results may have, without repeats */
	int ambiguous; /* results may have several types, of which one has pointers, and some result
			  is not 0 */
};

void walk_open(struct walk *w, const struct harness *h, uint32_t number, const void *data,
	       size_t size);
void walk_release(struct walk *w);

/* Where the block of object `number` of a pool (from the function's first) stands. */
uint32_t walk_block(const struct walk *w, uint32_t pool, uint32_t number);

static inline uint8_t walk_byte(const struct walk *w, size_t at)
{
	return at < w->size ? w->data[at] : 0;
}
/* n bytes from at; what the input lacks is 0. */
void walk_copy(const struct walk *w, size_t at, size_t n, void *out);
int walk_zero(const struct walk *w, size_t at, size_t n);

/* The pointer (or function pointer, or opaque one) of this type whose image is at `at`; global:
 * inside a global. */
struct walk_pointer walk_pointer(const struct walk *w, uint32_t type, size_t at, int global);
/* The same for a pointer of an observation; 1, or 0 if it is none that can be named. */
int walk_seen(const struct walk *w, uint32_t type, const uint8_t image[8],
	      struct walk_pointer *out);
/* The pool of a pointer type in this function, from its first; WALK_NONE: it has none. */
uint32_t walk_pool(const struct walk *w, uint32_t type);
/* Calls f for every pointer (of any kind) and every bool in an image of this type at `at`. */
typedef void (*walk_leaf)(void *ctx, uint32_t type, size_t at);
void walk_leaves(const struct harness *h, uint32_t type, size_t at, walk_leaf f, void *ctx);
int walk_has_pointers(const struct harness *h, uint32_t type);

/* What is known of function `number` of the table. */
const struct harness_function *walk_about(const struct harness *h, uint32_t number);

#endif
