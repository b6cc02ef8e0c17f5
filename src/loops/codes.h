/* codes.h: the units of a program as code (ir/code.h), each read when it is first asked for. */
#ifndef MUSTER_LOOPS_CODES_H
#define MUSTER_LOOPS_CODES_H

#include "ir/code.h"

struct codes;
struct codes *codes_new(const char *program);
void codes_free(struct codes *c);
/* By the unit's id in the variants; NULL if it has no bitcode that can be read, or is too large to be looked at. */
const struct code *codes_find(struct codes *c, uint32_t unit);

#endif
