/* trace_calls.h: calls of a traced run, as lines of its text and as JSON (muster trace --calls). */
#ifndef MUSTER_CMD_TRACE_CALLS_H
#define MUSTER_CMD_TRACE_CALLS_H

#include "base/json.h"
#include "cmd/trace_show.h"
#include "run/calls.h"
#include "run/print.h"

/* Is it an event of the stack of calls? */
int trace_calls_event(const struct muster_event *e);
/* The line of an event, with the bindings of its text: nothing for the parts of a call, which stand in the line of the call, and for calls inside
 * libc unless s->libc. */
void trace_calls_text(const struct trace_show *s, struct print *p, uint64_t event, struct buf *out);
void trace_calls_json(const struct trace_show *s, struct json *j);

#endif
