/* located.h: which block of the heap AddressSanitizer names in a report, and how far from it the access was. */
#ifndef MUSTER_CHECK_LOCATED_H
#define MUSTER_CHECK_LOCATED_H

#include <stdint.h>

enum located_where { LOCATED_INSIDE, LOCATED_AFTER, LOCATED_BEFORE };
struct located {
	enum located_where where;
	uint64_t distance, size; /* bytes from the block's end, or start; of the block */
};
/* 1; 0: the report names no block of the heap. */
int located_read(const char *report, struct located *l);
/* The block is merely the nearest: the address lies beyond the red zone around it, so nothing says that the pointer was one into it. */
int located_is_far(const struct located *l);

#endif
