/* probe_inside.h: what the parts of the probes' runtime share. */
#ifndef MUSTER_RT_PROBE_INSIDE_H
#define MUSTER_RT_PROBE_INSIDE_H

#include "muster/probe.h"

#define PROBE_INSIDE __attribute__((visibility("hidden")))

/* Reports a finding of this kind, and ends the run. */
PROBE_INSIDE void probe_report(const char *kind, const char *words, ...) __attribute__((format(printf, 2, 3)));
/* The same of what the machine goes on after: the run does. A place (an address in the code) is reported once. */
PROBE_INSIDE void probe_note(const void *place, const char *kind, const char *words);
/* Is one of these bytes outside of every object? */
PROBE_INSIDE int probe_poisoned(const void *p, unsigned long n);

#endif
