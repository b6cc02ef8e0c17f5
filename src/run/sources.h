/* sources.h: the bytes of the sources of a trace.
 *
 * A trace names its input as source and offset. This collects what each source
 * held in the run, from the same places that the launcher took it from.
 */
#ifndef MUSTER_RUN_SOURCES_H
#define MUSTER_RUN_SOURCES_H

#include "base/buf.h"
#include "run/eval.h"
#include "run/launch.h"

struct sources {
	unsigned count;
	struct buf bytes[MUSTER_MAX_SOURCES];
	struct eval_input inputs[MUSTER_MAX_SOURCES]; /* views on bytes, for eval_run */
};

/* For a run with these options and this input (its bytes in memory, not by path). -1 with words if
 * a file is gone. */
int sources_load(struct sources *s, const struct trace *t, const struct launch_options *o,
		 const struct launch_input *in);
/* After a change of bytes[i]. */
void sources_refresh(struct sources *s);
void sources_release(struct sources *s);

#endif
