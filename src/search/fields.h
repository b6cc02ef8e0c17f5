/* fields.h: the numbers in an input that say how many bytes of it there are, as a run used them. */
#ifndef MUSTER_SEARCH_FIELDS_H
#define MUSTER_SEARCH_FIELDS_H

#include "base/buf.h"
#include "search/path.h"

#define FIELD_BYTES 8 /* no limit: bytes of a number of 64 bits */

struct field {
	uint64_t at[FIELD_BYTES]; /* where its bytes are, the lowest first */
	uint32_t bytes;
	uint32_t constants; /* it was compared with a constant */
	uint64_t constant;  /* the last one */
	uint64_t scale;	    /* bytes for each unit */
	int counts;	    /* it was compared with the length or another value, or fixed as a size or an index; or a loop counted up to it */
};
typedef VEC(struct field) fields_list;

/* Of a run whose path was read, in its order. */
void fields_read(fields_list *out, const struct path *p, struct import *im);
/* data[from, to) was removed from `next`: in it, the fields before that whose bytes it was among count less. Returns how many. */
unsigned fields_lower(const fields_list *f, const struct buf *data, size_t from, size_t to, struct buf *next);

#endif
