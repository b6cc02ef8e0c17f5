/* traced.h: what a traced run says about a bug: which check it breaks, and under which condition.
 *
 * The run-time test of checkers that no sanitizer knows, and the words " when in[4] > 63" of all others. */
#ifndef MUSTER_CAMPAIGN_TRACED_H
#define MUSTER_CAMPAIGN_TRACED_H

#include "check/confirm.h"
#include "run/target.h"
#include "ir/checker.h"
#include "search/broken.h"

/* What runs it. Everything is borrowed; the mapping must not be in use. */
struct traced {
	struct launcher *launcher; /* of the trace variant */
	const struct shm *shm;
	const struct site_tables *sites;
	char *const *argv;
	checker_set set; /* what is looked for */
	const struct broken_names *names; /* of bytes of the input, or NULL */
};

/* A check at an instruction. checker 0: any. */
struct traced_check {
	uint32_t checker, unit, index;
};

/* Adds the condition to the finding's summary, if the run breaks a check of its kind at its place and it is short; and the path of the run. 0, or -1 with words. */
int traced_condition(const struct traced *t, const void *data, size_t size, struct finding *x);
/* The path of the run alone, for a finding whose condition is known. 0, or -1 with words. */
int traced_path(const struct traced *t, const void *data, size_t size, struct finding *x);
/* Takes conversions out of a finding whose result does not count: neither later in this run, as a traced one shows, nor where one of these checks
 * was predicted to break. C defines them, and programs cut off bits on purpose. What is left of x and x->more stands there; if nothing
 * is, it did not fail. 0, or -1 with words. */
int traced_filter(const struct traced *t, const void *data, size_t size, const struct traced_check *checks, size_t count, struct finding *x);
/* Does the run break the check? 1, with the condition in *condition, if that is not NULL and it is short; 0; -1 with words. Any: the first one that is broken is
 * filled in. */
int traced_breaks(const struct traced *t, const void *data, size_t size, struct traced_check *c, struct buf *condition);
/* The checker's words as a finding: its name is the kind. confirmed: it is what the run-time test of the checker found; else `reason` says
 * why it is suspected only. condition: or "". */
void traced_finding(const struct traced *t, const struct traced_check *c, int confirmed, const char *reason, const char *condition,
		    struct finding *x);

#endif
