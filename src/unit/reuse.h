/* reuse.h: a function that rests on nothing that changed since an earlier run is not searched again (reuse.c). */
#ifndef MUSTER_UNIT_REUSE_H
#define MUSTER_UNIT_REUSE_H

#include "unit/unit.h"

/* Before the search, with the store open: keys of the functions, what the store knows of them, its tests and the bugs of the last version. 0, -1. */
int test_reuse(struct test_session *s);
/* After the checks: what became of these bugs. */
void test_reuse_judge(struct test_session *s);
/* With the verdicts: what later runs may take over. 0, -1. */
int test_reuse_note(struct test_session *s);

#endif
