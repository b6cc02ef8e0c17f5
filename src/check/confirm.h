/* confirm.h: does this input fail in a fresh process of the san variant, how, and where?
 *
 * The words "confirmed" and "suspected" come from here. A report is read for kind
 * and frames; the bucket is a hash of the kind and the innermost frames of the
 * program itself (functions and their offsets in source lines, not addresses). */
#ifndef MUSTER_CHECK_CONFIRM_H
#define MUSTER_CHECK_CONFIRM_H

#include "base/buf.h"
#include "run/launch.h"

#include <stdint.h>

#define FINDING_HIDDEN 16

struct finding {
	int failed;	 /* it did fail there */
	int cut;	 /* the command's time was over first: nothing is known of it. failed is 0 */
	int survived;	 /* the run went on after it, to its exit */
	char kind[64];	 /* "heap-buffer-overflow", "signed-integer-overflow", "SEGV", "abort", "timeout", "memory limit" */
	char function[128], file[256];
	uint32_t line;
	uint64_t bucket;
	uint64_t place;	 /* of the sanitizer's own kind, function and line, as a batch has it (batch.h); 0: there is no report */
	int signal;	 /* that ended the run, or would have if UndefinedBehaviorSanitizer had ended it */
	unsigned suppressed; /* findings of the run that are left out (suppress.h), and the places of the first of them */
	uint64_t hidden[FINDING_HIDDEN];
	struct buf summary; /* one line in plain words */
	struct buf report;  /* the sanitizer's text */
	/* What else was found in the same run: a program goes on after most of what UndefinedBehaviorSanitizer reports. What the run ended
	 * by is the finding, if it did not exit, else the first. */
	struct finding *more;
	size_t more_count;
};
void finding_release(struct finding *f);
/* The finding itself, or the one of `more` with this bucket; NULL: neither. */
const struct finding *finding_with(const struct finding *f, uint64_t bucket);
/* Is the place (finding.place) one of those that are suppressed? */
int finding_hides(const struct finding *f, uint64_t place);
/* A run that a limit of muster's own ended, or its sanitizers': neither a bug nor a whole run. */
int finding_is_limit(const struct finding *f);
/* Out of all findings of a run, the one that shall be told: the others are released. which: f itself or one of f->more. */
void finding_choose(struct finding *f, const struct finding *which);

struct confirm;
/* program: what the user named; makes the san variant on first use (argv with @@ as the user wrote it). */
int confirm_open(struct confirm **c, const char *program, const struct launch_options *options);
void confirm_close(struct confirm *c);
/* 0 with *f; -1 with words if the variant cannot be made or run. A time-out is confirmed only at a multiple of the limit. */
int confirm_run(struct confirm *c, const void *data, size_t size, struct finding *f);
/* The same of a run that somebody else made, of a program that is no variant (an exported test): how it ended and what it wrote on
 * standard error, with the options of san_options.h. dir: modules in it are the program's own; one for all calls. */
int confirm_read(struct confirm *c, const char *dir, const struct run_result *run, struct finding *f);

#endif
