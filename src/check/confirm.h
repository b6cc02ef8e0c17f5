/* confirm.h: does this input fail in a fresh process of the san variant, how, and where?
 *
 * The words "confirmed" and "suspected" come from here. A report is read for kind
 * and frames; the bucket is a hash of the kind and the innermost frames of the
 * program itself (functions and their offsets in source lines, not addresses). */
#ifndef MUSTER_CHECK_CONFIRM_H
#define MUSTER_CHECK_CONFIRM_H

#include "check/finding.h"
#include "run/launch.h"

struct confirm;
/* program: what the user named; makes the san variant on first use (argv with @@ as the user wrote it). */
int confirm_open(struct confirm **c, const char *program, const struct launch_options *options);
void confirm_close(struct confirm *c);
/* Places that another knows already need not be asked of the debug information again, which costs more than the run. s lives longer than the last run. */
struct symboliser;
void confirm_share(struct confirm *c, struct symboliser *s);
/* From now on a failure of this kind needs no second run in the cov variant, which an earlier one of the same input and code has had, and a time-out no multiple of the limit; NULL: all do. Kept as it is, not copied. */
void confirm_settled(struct confirm *c, const char *kind);
/* 0 with *f; -1 with words if the variant cannot be made or run. A time-out is confirmed only at a multiple of the limit. */
int confirm_run(struct confirm *c, const void *data, size_t size, struct finding *f);
/* The same of a run that was made elsewhere, of a program that is no variant (an exported test): how it ended and what it wrote on
 * standard error, with the options of san_options.h. dir: modules in it are the program's own; one for all calls. */
int confirm_read(struct confirm *c, const char *dir, const struct run_result *run, struct finding *f);

#endif
