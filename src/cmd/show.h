/* show.h: parts of `muster show` that have files of their own. */
#ifndef MUSTER_CMD_SHOW_H
#define MUSTER_CMD_SHOW_H

#include "base/json.h"
#include "store/store.h"

/* show_summaries.c: those of a campaign's unit, of one function or (NULL) of all. j: the open array, or NULL: for people. 0, or -1 with words. */
int show_summaries(struct store *s, uint64_t campaign, const char *function, int smt2, struct json *j);

/* The same as data: f for each, by function and test. why: it is partial, or NULL. -1 with words. */
struct summary;
int show_summaries_each(struct store *s, uint64_t campaign, int (*f)(void *ctx, const struct summary *s, const char *pre, const char *post, const char *why), void *ctx);

#endif
