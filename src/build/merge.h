/* merge.h: the units of a program as one, for analyses that follow calls from unit to unit. */
#ifndef MUSTER_BUILD_MERGE_H
#define MUSTER_BUILD_MERGE_H

#include "base/buf.h"

#include <stdint.h>

struct merge_unit {
	char *name;
	struct buf bitcode;
	uint32_t image;
};

/* In the order of the link: the bitcode of one unit that says what all of them say. Statics whose name another unit has as well become NAME.UNIT. -1 with words. */
int merge_units(struct merge_unit *units, size_t count, struct buf *out);

#endif
