/* recall.h: what the store knows of a version of a program: its code, the program that `muster test` drove, made again, and its summaries. */
#ifndef MUSTER_UNIT_RECALL_H
#define MUSTER_UNIT_RECALL_H

#include "campaign/versions.h"
#include "harness/harness.h"
#include "store/store.h"
#include "summary/summary.h"

/* A version of a program: its code, and a harness that drives it, if there is one. */
struct driven {
	char *file;    /* as the user named it */
	struct whole *whole;
	/* NULL, all three: it cannot be run. */
	char *program; /* path */
	struct front *front;
	struct harness *h;
};
void driven_release(struct driven *d);

/* A function of the version that has summaries. */
struct recall_function {
	uint64_t symbol; /* in the store */
	uint64_t campaign; /* whose tests are its witnesses */
	char *name;
};

struct recall {
	struct store *store;
	const struct versions_options *o; /* store: its path, for words */
	uint64_t campaign; /* whose options the harness has; 0: there is none */
	struct driven was;
	VEC(struct recall_function) functions;
};

/* Summaries are of the version if they were made of the same code: of a C file, of a version of the store by its number, or, function by function, of a program whose functions rest on the same code and
 * data (ir/support.h). name: what the user calls it. The store is the caller's. -1 with words: nothing is known of it, it has no summaries, or it is not what it was. */
int recall_open(struct recall *r, struct store *s, const struct versions_options *o, const struct version *v, const char *name);
/* The same for the newest version of a file (by its absolute name) that has summaries, but for those of one campaign: 1; 0: there is none. */
int recall_earlier(struct recall *r, struct store *s, const struct versions_options *o, const char *file, uint64_t campaign);
void recall_release(struct recall *r);
/* Another version: where it is source, driven in the same manner, with the same options of the compiler, bounds and preconditions; else its code alone. */
int recall_build(const struct recall *r, const struct version *v, const char *name, struct driven *out);

/* The functions, one after another, with their summaries. f: 0 to go on. */
int recall_each(struct recall *r, int (*f)(void *ctx, const struct recall_function *function, struct summaries *l), void *ctx);
/* The input of a test of the function: 1; 0: there is none; -1. */
int recall_input(struct recall *r, const struct recall_function *f, uint64_t test, struct buf *out);

/* The unit whose summaries a campaign made: 1; 0: it made none; -1. */
int recall_unit(struct store *s, uint64_t campaign, struct hash128 *unit);

#endif
