/* older.h: what another version of the program left in the store, and what became of it. */
#ifndef MUSTER_CAMPAIGN_OLDER_H
#define MUSTER_CAMPAIGN_OLDER_H

#include "base/buf.h"
#include "store/store.h"

struct fuzz;
struct finding;

/* Of a bug of the version before, each by a run of its input in the san variant: X(NAME, words). */
#define OLDER_FATES(X)                                                             \
	X(FIXED, "fixed")       /* three runs ended without a failure */           \
	X(STILL, "still there") /* it fails in the same place, or as it did in the same function */ \
	X(UNKNOWN, "unknown")   /* it fails otherwise, or there was no time for the runs */
enum older_fate {
#define X(name, words) OLDER_##name,
	OLDER_FATES(X)
#undef X
	    OLDER_FATE_COUNT
};
const char *older_fate_words(enum older_fate fate);

/* Figures, for the screen and the report; those of a search that took nothing over are 0. */
struct older {
	int taken;		     /* tests of another version were run again */
	uint64_t version;	     /* its number in the store; 0: not known */
	uint32_t functions, changed; /* of this version; changed: those whose own code is another one, and new ones */
	uint64_t tests, reaching;    /* that were run again; that come to a changed function, and are explored first */
	double seconds;		     /* that the searches took which found them */
	double spent;		     /* for all this */
};

/* Functions that a change reaches. NULL: not known, or none. */
struct older_reach;
struct older_reach *older_reach_new(struct fuzz *f, uint64_t version);
void older_reach_free(struct older_reach *r);
/* Does a run of this input make a decision in one? 1, 0, -1. */
int older_reaches(const struct older_reach *r, struct fuzz *f, const void *data, size_t size);

/* The version that a campaign searched last, 0 if it is not known, and the seconds of its searches. -1. */
int older_version(struct store *s, uint64_t campaign, uint64_t *version, double *seconds);
int older_note_version(struct fuzz *f);
/* The newest other campaign with the same command, of another version of the program: 1, 0, -1. */
int older_campaign(struct fuzz *f, uint64_t *campaign);

/* Runs a bug's input. *x: the last run, as of confirm_run; the caller releases it. 0, -1. */
int older_judge(struct fuzz *f, const struct result_bug *b, struct finding *x, enum older_fate *fate);
/* What became of the bugs is a value of the campaign: a line for each, its bucket, the fate's number and the words of the bug. */
void older_fate_add(struct buf *list, const struct result_bug *b, enum older_fate fate);
int older_fates_set(struct fuzz *f, const struct buf *list);
int older_fates_each(struct store *s, uint64_t campaign, int (*f)(void *ctx, uint64_t bucket, enum older_fate fate, const char *words), void *ctx);

#endif
