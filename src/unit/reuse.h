/* reuse.h: a function that rests on nothing that changed since an earlier run is not searched again (reuse.c). */
#ifndef MUSTER_UNIT_REUSE_H
#define MUSTER_UNIT_REUSE_H

#include "ir/whole.h"
#include "unit/unit.h"

/* Before the search, with the store open: keys of the functions, what the store knows of them, its tests and the bugs of the last version. 0, -1. */
int test_reuse(struct test_session *s);
/* After it, with --summaries (recompute.c): tests for summaries of the version before that are not proved to hold. 0, -1. */
int test_recompute(struct test_session *s);
/* Is it an input of an old bug, which an earlier run made as small as it could be? */
int test_reuse_is_small(const struct test_session *s, const struct test_case *t);
/* The kind of an old bug with this input in a function that rests on nothing that changed; NULL: there is none. */
const char *test_reuse_kind(const struct test_session *s, uint32_t function, const void *data, size_t size);
/* After the checks: what became of these bugs. */
void test_reuse_judge(struct test_session *s);
/* With the verdicts: what later runs may take over. 0, -1. */
int test_reuse_note(struct test_session *s);

/* What takes part in the runs of a program's functions and is named by none: constructors, what is found by its section, what stands in the place of a symbol of the C library. support: as of ir/support.h. */
struct hash128 reuse_around(const struct whole *w, const struct hash128 *support);
/* An input by what it means: bytes that it lacks are 0. */
uint64_t reuse_input_hash(const void *data, size_t size);
/* The limits of a search. */
uint64_t reuse_budget(const struct test_options *o);
/* This build of muster. 0, -1 with words. */
int reuse_tool(struct hash128 *tool);
#define REUSE_MAKER "maker" /* value of a campaign: the build that made its summaries */

#endif
