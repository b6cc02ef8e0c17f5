/* summarise_inside.h: what the files that make summaries of searched functions share. */
#ifndef MUSTER_UNIT_SUMMARISE_INSIDE_H
#define MUSTER_UNIT_SUMMARISE_INSIDE_H

#include "search/compose.h"
#include "search/path.h"
#include "solve/solve.h"
#include "summary/driven.h"
#include "summary/gather.h"
#include "unit/unit.h"

struct covering;

struct making {
	struct test_session *s;
	struct test_function *f;
	struct summaries *l;
	struct solver *solver;
	struct target *target; /* in which tests run */
	struct launcher *launcher;
	struct sites sites;
	struct path path;
	struct import import;
	struct arena arena; /* of one run */
	VEC(struct driven_condition) conditions;
	VEC(struct driven_memory) memory;
	struct buf why;
	int quiet; /* nobody asked for these summaries */
	size_t cut;	     /* functions whose summaries are not of all tests, since the time was over */
	struct gather calls; /* of the functions that are called by others of the unit */
	struct sites call_sites;
	const struct test_case *now; /* that runs there */
	struct whole *whole; /* the program */
	VEC(struct segment_cuts *) cuts; /* of functions, if segments are asked for */
	struct covering *covering; /* NULL: no function needed it */
	int composed; /* summaries stand for calls in the run at hand */
	int inexact;  /* of such a run: some call is more than its summaries say */
};

/* summarise.c: runs the test in m->target, and adds a summary to m->l. 0, -1. */
int making_run(struct making *m, const struct test_case *c);

/* covering.c: where m->f was verified with summaries of its callees: summaries that together hold in every state that the driver makes. 0, -1. */
int covering_run(struct making *m);
void covering_close(struct making *m);
/* Around path_read: what summaries stand for is no part of the path; m->import gets their terms. Nothing if m->composed is not set. */
void covering_read(struct making *m, const struct trace *t);
void covering_bind(struct making *m);

#endif
