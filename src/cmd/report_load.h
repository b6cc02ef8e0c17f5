/* report_load.h: what the store has for the pages of `muster report` beside the result itself. */
#ifndef MUSTER_CMD_REPORT_LOAD_H
#define MUSTER_CMD_REPORT_LOAD_H

#include "cmd/stored.h"
#include "report/annotations.h"
#include "report/covered.h"
#include "result/result.h"

/* earlier: campaigns of other versions with the same output directory, the oldest first. -1 with words. */
int report_load(struct annotations *a, const struct stored *of, const uint64_t *earlier, size_t earlier_count, const struct result *r, const struct covered *covered);

#endif
