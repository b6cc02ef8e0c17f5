/* trace_activations.h: activations of named functions, as text and as JSON (muster trace --summaries). */
#ifndef MUSTER_CMD_TRACE_ACTIVATIONS_H
#define MUSTER_CMD_TRACE_ACTIVATIONS_H

#include "base/json.h"
#include "base/option.h"
#include "cmd/trace_show.h"
#include "run/activations.h"
#include "run/shm.h"

/* Tells the mapping whose activations to look at: functions by name, or "all" that are no libc's. -1 with words if there is no such function. */
int trace_activations_name(struct shm *s, const struct site_tables *sites, const struct option_list *names);
/* Is it an event of activations, which stands in their text and not in the path? */
int trace_activations_event(const struct muster_event *e);
void trace_activations_text(const struct trace_show *s, struct buf *out);
void trace_activations_json(const struct trace_show *s, struct json *j);

#endif
