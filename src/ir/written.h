/* written.h: the constants that a unit puts into members of structures and into globals. */
#ifndef MUSTER_IR_WRITTEN_H
#define MUSTER_IR_WRITTEN_H

#include "base/arena.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

struct written_member {
	const char *type; /* of the structure, without "struct "; of a global: its name after an @ */
	uint64_t offset;
	unsigned bytes;
	uint64_t value; /* zero above its bytes */
	int any;	/* or whatever comes out: it is computed from a parameter of a function that strangers call, or from what stood there, and compared with nothing */
};
struct written {
	struct arena arena;
	VEC(struct written_member) all;
	int clears; /* it sets memory to zeros (calloc, memset): any member may have become 0 by that */
};

/* -1 with words; *w needs no release then. */
int written_load(struct written *w, const void *bitcode, size_t size);
void written_release(struct written *w);

#endif
