/* compare.h: do two traces of one run, of variants with other instrumentation, tell the same? */
#ifndef MUSTER_RUN_COMPARE_H
#define MUSTER_RUN_COMPARE_H

#include "run/trace.h"

/* Do two traces of one run, of which `all` has every decision, tell the same? The index of the
 * first event of `some` that `all` does not have next, or event_count. What carries no label in
 * `all` is passed over. */
uint64_t trace_compare(const struct trace *some, const struct trace *all);

#endif
