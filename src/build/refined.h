/* refined.h: units with refinement types (muster/muster.h): their records hold the text with the checks in it. */
#ifndef MUSTER_REFINED_H
#define MUSTER_REFINED_H

#include "build/capture.h"

/* After the jobs of a capture ran: 1 if the source has refinements, with source and bitcode of the text with the checks, which
 * `muster refine-source` makes; both are the caller's. 0: it has none, or they cannot be used, and then words go to standard error. */
int refined_unit(const struct capture *c, const struct proc_job jobs[CAPTURE_JOBS], struct buf *bitcode, struct buf *source);
/* May the preprocessed text of a unit with this file in it have refinements? */
int refined_may_be(const struct buf *text);

#endif
