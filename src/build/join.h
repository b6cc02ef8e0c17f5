/* join.h: a built program as a whole program of src/ir. */
#ifndef MUSTER_BUILD_JOIN_H
#define MUSTER_BUILD_JOIN_H

#include "build/image.h"
#include "ir/whole.h"

/* All units of the program and of its shared libraries that have records, joined. NULL with words if a record is damaged. */
struct whole *join_program(const struct program *p);
/* path: as program_load has it. */
struct whole *join_load(const char *path);

#endif
