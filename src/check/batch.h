/* batch.h: many inputs of a driven program (muster/drive.h) in few processes.
 *
 *	struct batch *b;
 *	batch_open(&b, program, VARIANT_SAN, 1.0, scratch);
 *	struct batch_item items[n] = {{.data = ..., .size = ...}, ...};
 *	batch_run(b, items, n);            // fills in what came of each
 *	batch_items_release(items, n);
 *	batch_close(b);
 *
 * One start of the variant serves a few hundred inputs, each in a child of its own; starting a
 * program with sanitizers costs fifty times what such a child does. What failed here is reported with
 * the place, read from the sanitizer's reports; confirm.h has the last word on it.
 */
#ifndef MUSTER_CHECK_BATCH_H
#define MUSTER_CHECK_BATCH_H

#include "base/buf.h"
#include "build/variant.h"
#include "result/result.h"

#include <stdint.h>

/* An input, and what came of it. */
struct batch_item {
	/* What to run: borrowed. */
	const void *data;
	size_t size;
	int keep; /* keep the observation */
	/* What came of it. */
	int ran;	 /* 0: it took the process with it, nothing is known */
	int cut;	 /* nor is it, since the command's time was over; ran is 0 */
	int failed;	 /* ended by a signal, or a sanitizer reported something */
	int timed;	 /* it was killed for using too much processor time; failed as well */
	int waits;	 /* it was killed since it waited: it has not failed, and not passed */
	int status;	 /* as wait() gives it */
	/* What was found, in the order in which it came up; none if it did not fail. Of a bug, bucket, place, kind (the sanitizer's key; "" without a
	 * report), function, file and line (innermost in the program; NULL: not known) are filled in; strings are the batch's own. */
	struct result_bug *bugs;
	size_t bug_count;
	struct buf observation; /* with keep, if the function returned; see muster/drive.h */
};
void batch_items_release(struct batch_item *items, size_t count); /* observations and bugs */
/* Is it among what was found? */
int batch_item_shows(const struct batch_item *item, uint64_t bucket);

struct batch;
/* program: with records and the driver. seconds: of one input. directory: where it runs; NULL:
 * here. The variant is made if need be. -1 with words. */
int batch_open(struct batch **b, const char *program, enum variant_kind kind, double seconds,
	       const char *directory);
void batch_close(struct batch *b); /* NULL is fine */
struct symboliser;
struct symboliser *batch_symboliser(struct batch *b); /* of the variant; it lives as long as the batch */
void batch_set_time(struct batch *b, double seconds); /* of one input, from now on */
/* 0, or -1 with words if the variant cannot be run at all. */
int batch_run(struct batch *b, struct batch_item *items, size_t count);

#endif
