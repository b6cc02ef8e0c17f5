/* recall.h: what the store knows of a C file that `muster test` has seen: the program that was driven, made again, and its summaries. */
#ifndef MUSTER_UNIT_RECALL_H
#define MUSTER_UNIT_RECALL_H

#include "harness/harness.h"
#include "store/store.h"
#include "summary/summary.h"

/* A driven program: a harness and where it is. */
struct driven {
	char *file;    /* as `muster test` was given it */
	char *program; /* path */
	struct front *front;
	struct harness *h;
};
void driven_release(struct driven *d);

struct recall {
	struct store *store;
	uint64_t campaign; /* the newest of the file */
	struct hash128 unit; /* whose summaries it made */
	struct driven was;
};

/* The store is the caller's. -1 with words: nothing is known of the file, it has no summaries, or it is not what it was. */
int recall_open(struct recall *r, struct store *s, const char *file);
void recall_release(struct recall *r);
/* Another file driven in the same manner: same options of the compiler, bounds and preconditions. */
int recall_build(const struct recall *r, const char *file, struct driven *out);

/* The functions of the unit, one after another, with their summaries. f: 0 to go on. */
int recall_each(struct recall *r, int (*f)(void *ctx, const char *function, struct summaries *l), void *ctx);
/* The input of a test: 1; 0: there is none; -1. */
int recall_input(struct recall *r, uint64_t test, struct buf *out);

/* The unit whose summaries a campaign made: 1; 0: it made none; -1. */
int recall_unit(struct store *s, uint64_t campaign, struct hash128 *unit);

#endif
