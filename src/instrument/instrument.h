/* instrument.h: a unit's bitcode becomes an object of a variant.
 *
 * Every kind starts from the same normal form, has the same site table in
 * MUSTER_SITES_SECTION, and differs in the pass that edits the module in between.
 */
#ifndef MUSTER_INSTRUMENT_INSTRUMENT_H
#define MUSTER_INSTRUMENT_INSTRUMENT_H

#include "ir/checker.h"

#include <stddef.h>
#include <stdint.h>

struct buf;
struct missing;
struct pool;
struct strmap;
struct trace_entries;
struct trace_cuts;

enum instrument_kind {
	INSTRUMENT_TRACE, /* labels and events */
	INSTRUMENT_COV,   /* a counter for each outcome of a decision */
	INSTRUMENT_PATH,  /* an event for each decision */
	INSTRUMENT_MARK,  /* only the magic before functions, for the runtime's wrappers */
};

enum instrument_reloc {
	INSTRUMENT_RELOC_AUTO, /* as the module's own PIC level says */
	INSTRUMENT_RELOC_PIC,
	INSTRUMENT_RELOC_STATIC,
};

/* All zero is a sensible choice. */
struct instrument_options {
	enum instrument_reloc reloc;
	int fast_compile;    /* hardly optimised: for code that runs little */
	int plain;	     /* not at all */
	int verify;          /* check the module after each step (tests) */
	checker_set checks;  /* whose checks it has; the cov variant: only those that end a run (fold.h) */
	int all_decisions;   /* trace: an event for each decision, the concrete ones too */
	int calls;           /* trace: hooks at calls and returns; no fast copies */
	int segments;        /* trace, with calls: hooks at the headers of loops, too */
	int small;	     /* trace: functions without a fast copy are few bytes rather than quickly made or run */
	int part;	     /* set by parts_emit: it is a part of a large unit, which is to be made quickly */
	int slow_only;       /* trace: no fast copies of functions (trace_fast.c) ... */
	const struct strmap *fast; /* ... but of those named here, which get a part and better code of their own; NULL: none */
	struct missing *missing; /* trace, without fast copies: only a part of the functions is made (missing.h); NULL: all are */
	int library;         /* a body of the runtime: it does not note its call sites */
	const char *const *wrapped; /* functions with a body in the runtime; see settle_inline */
	const struct trace_entries *entries; /* trace: set by instrument_unit itself */
	const struct trace_cuts *cuts;	     /* likewise */
	const struct pool *pool; /* a large unit is compiled in parts, in processes of this pool (parts.h); NULL: it is not */
	uint32_t part_size;	 /* instructions of the normal form that a part has, about */
	const char *dump_ir; /* write the module as it is before optimising to this file */
};

/* On success the ELF object replaces the contents of *object. -1 with words. */
int instrument_unit(const void *bitcode, size_t size, uint32_t unit_id, enum instrument_kind kind,
		    const struct instrument_options *options, struct buf *object);

#endif
