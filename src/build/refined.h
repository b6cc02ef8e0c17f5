/* refined.h: units with refinement types (muster/muster.h): their records hold the text with the checks in it. */
#ifndef MUSTER_REFINED_H
#define MUSTER_REFINED_H

#include "build/capture.h"

/* After the jobs of a capture ran well: where the source has refinements, source and bitcode are replaced by those of the text
 * with checks, which `muster refine-source` makes. If it cannot, they stay, and words go to standard error. */
void refined_unit(const struct capture *c, struct proc_job jobs[CAPTURE_JOBS]);

#endif
