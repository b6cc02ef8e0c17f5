/* join.h: a built program as a whole program of src/ir. */
#ifndef MUSTER_BUILD_JOIN_H
#define MUSTER_BUILD_JOIN_H

#include "base/map.h"
#include "build/image.h"
#include "build/merge.h"
#include "ir/whole.h"

/* All units of the program and of its shared libraries that have records, joined. NULL with words if a record is damaged. bitcode: as of join_begin. */
struct whole *join_program(const struct program *p, struct buf *bitcode);
/* path: as program_load has it, or an archive: all units of its members. */
struct whole *join_load(const char *path);
/* The same as one unit, whose bitcode is in *bitcode. cflags: as program_load_bitcode has them. */
struct whole *join_load_merged(const char *path, const char *const *cflags, struct buf *bitcode);

/* Record by record, in the order of the link, where there is no file: a unit (once, however often it comes), or a link closure. */
struct join {
	struct whole *whole;
	struct map seen;
	struct buf *bitcode;
	VEC(struct merge_unit) units;
};
/* bitcode: all units become one (merge.h), and this is its bitcode; NULL: they stay what they are. */
void join_begin(struct join *j, struct buf *bitcode);
int join_record(struct join *j, const struct record *r, uint32_t image); /* r->kind need not be known */
struct whole *join_end(struct join *j, int failed);			      /* failed: releases all; NULL with words */

#endif
