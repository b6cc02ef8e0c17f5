/* typed.h: which scalar of a C type stands at an offset, and what C calls it. */
#ifndef MUSTER_SUMMARY_TYPED_H
#define MUSTER_SUMMARY_TYPED_H

#include "front/front.h"
#include "summary/place.h"

struct typed_scalar {
	enum place_type type;
	unsigned width;	     /* bits of its variable: 1 for a bool */
	uint64_t off, bytes; /* from the start of the value */
	uint64_t size;	     /* of what a pointer points to */
	uint32_t front;	     /* its type; FRONT_NONE: none */
};

/* The scalar of a value of this type at a byte. text has the value's own name (`g`, `p[1]`, `p->`) and gets the scalar's. 1; 0: there is none of its own (padding, a union,
 * a bit-field, an incomplete type), and the text says nothing. */
int typed_at(const struct front *f, uint32_t type, uint64_t off, struct buf *text, struct typed_scalar *out);
/* What a pointer or array of this type leads to; FRONT_NONE: nothing with a size. */
uint32_t typed_target(const struct front *f, uint32_t type);

#endif
