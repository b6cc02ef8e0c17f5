/* typed.h: which scalar of a C type stands at an offset, and what C calls it.
 *
 * Types are those of the unit as its author wrote it (front.h), and of local variables, which that does not have, those of debug info (code.h): numbers with TYPED_CODE.
 */
#ifndef MUSTER_SUMMARY_TYPED_H
#define MUSTER_SUMMARY_TYPED_H

#include "front/front.h"
#include "ir/code.h"
#include "summary/place.h"

#define TYPED_NONE FRONT_NONE
#define TYPED_CODE (1u << 30) /* and a number of code->types */

struct typed { /* either may be NULL */
	const struct front *front;
	const struct code *code;
};

struct typed_scalar {
	enum place_type type;
	unsigned width;	     /* bits of its variable: 1 for a bool */
	uint64_t off, bytes; /* from the start of the value */
	uint64_t size;	     /* of what a pointer points to */
	uint32_t of;	     /* its type; TYPED_NONE: none */
};

enum typed_kind { TYPED_OTHER, TYPED_CHAR, TYPED_NUMBER, TYPED_POINTER, TYPED_ARRAY, TYPED_STRUCT };

/* What a type is; size 0: incomplete, or there is none. */
struct typed_form {
	enum typed_kind kind;
	uint64_t size;
	uint32_t align;
};
struct typed_form typed_form(const struct typed *t, uint32_t type);
/* The scalar of a value of this type at a byte. text has the value's own name (`g`, `p[1]`, `p->`) and gets the scalar's. 1; 0: there is none of its own (padding, a union,
 * a bit-field, an incomplete type), and the text says nothing. */
int typed_at(const struct typed *t, uint32_t type, uint64_t off, struct buf *text, struct typed_scalar *out);
/* What a pointer or array of this type leads to; TYPED_NONE: nothing with a size. */
uint32_t typed_target(const struct typed *t, uint32_t type);
/* The type of a variable of the code; TYPED_NONE: debug info does not say. */
uint32_t typed_from_code(uint32_t type);

#endif
