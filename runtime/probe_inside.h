/* probe_inside.h: what the parts of the probes' runtime share. */
#ifndef MUSTER_RT_PROBE_INSIDE_H
#define MUSTER_RT_PROBE_INSIDE_H

#include "muster/probe.h"

#include <stdint.h>

#define PROBE_INSIDE __attribute__((visibility("hidden")))

/* Reports a finding of this kind, and ends the run. */
PROBE_INSIDE void probe_report(const char *kind, const char *words, ...) __attribute__((format(printf, 2, 3)));
/* The same of what the machine goes on after: the run does. A place (an address in the code) is reported once. */
PROBE_INSIDE void probe_note(const void *place, const char *kind, const char *words, ...) __attribute__((format(printf, 3, 4)));
/* Is one of these bytes outside of every object? */
PROBE_INSIDE int probe_poisoned(const void *p, unsigned long n);

/* A call of printf or one of its kin. */
#define NAMED_MAX 64
struct arguments {
	const char *name;
	int flags;
	const char *to;	   /* where it is going to write, or NULL */
	const char *types; /* NULL: not known */
	va_list list;
	const void *place;
	int plain;	/* a conversion took the next argument */
	uint64_t named; /* arguments that were taken by number: bit 0 for 1, up to NAMED_MAX */
};
PROBE_INSIDE void probe_check_format(struct arguments *a, const char *format);

#endif
