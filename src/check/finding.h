/* finding.h: what was found in one run of an input in the san variant: a bug as the model has it, and what else the run said.
 *
 * A finding owns its strings: they live until finding_release. It can be moved by assignment, never copied. */
#ifndef MUSTER_CHECK_FINDING_H
#define MUSTER_CHECK_FINDING_H

#include "base/arena.h"
#include "base/buf.h"
#include "result/result.h"

#define FINDING_HIDDEN 16

struct finding {
	/* kind, place, bucket, signal, summary and report. confirmed: it failed; kind "": nothing was found. */
	struct result_bug bug;
	int cut;	 /* the command's time was over first: nothing is known of it, and it is not confirmed */
	int survived;	 /* the run went on after it, to its exit */
	unsigned suppressed; /* findings of the run that are left out (suppress.h), and the places of the first of them */
	uint64_t hidden[FINDING_HIDDEN];
	/* What else was found in the same run: a program goes on after most of what UndefinedBehaviorSanitizer reports. What the run ended
	 * by is the finding, if it did not exit, else the first. */
	struct finding *more;
	size_t more_count;
	struct arena strings;
};
#define FINDING_NONE ((struct finding){.bug = {.kind = "", .function = "", .file = "", .summary = "", .report = ""}})

void finding_release(struct finding *f); /* it is FINDING_NONE then */
/* Text that lives as long as the finding; keep: a buffer's, which is released. */
const char *finding_text(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *finding_keep(struct finding *f, struct buf *text);
/* The finding itself, or the one of `more` with this bucket; NULL: neither. */
const struct finding *finding_with(const struct finding *f, uint64_t bucket);
/* Is the place (result_bug.place) one of those that are suppressed? */
int finding_hides(const struct finding *f, uint64_t place);
/* A run that a limit of muster's own ended, or its sanitizers': neither a bug nor a whole run. */
int finding_is_limit(const struct finding *f);
/* Out of all findings of a run, the one that is reported: the others are released. which: f itself or one of f->more. */
void finding_choose(struct finding *f, const struct finding *which);

/* Kinds of runs that a limit ended. */
#define FINDING_FILE_LIMIT "file limit"
#define FINDING_SPACE_LIMIT "address space"
#define FINDING_WAITING "waiting"

#endif
