/* covered.h: the branch coverage of a campaign, by file, from what the store has: the records of its version and the outcomes that tests took.
 *
 *	struct covered c;
 *	if (covered_load(&c, store, campaign, version)) ...     -1 with words
 *	covered_release(&c);                           also after a failure
 *
 * A decision of a function that several units have (of a header) counts once. Code that muster made is left out. */
#ifndef MUSTER_REPORT_COVERED_H
#define MUSTER_REPORT_COVERED_H

#include "base/arena.h"
#include "base/vec.h"
#include "store/store.h"

struct covered_decision {
	uint32_t line, column;
	uint32_t outcomes; /* false and true; of a switch the default and each case */
	uint32_t first;	   /* of covered.taken */
	uint32_t order;	   /* in its file: two may stand at one place */
};

struct covered_function {
	const char *name;
	uint32_t line;
	int entered; /* an outcome in it was taken */
};

struct covered_file {
	const char *path; /* absolute */
	VEC(struct covered_function) functions; /* those with decisions, by line */
	VEC(struct covered_decision) decisions; /* by line and column */
};

struct covered {
	VEC(struct covered_file) files; /* by path */
	VEC(unsigned char) taken;	/* 1: by a test */
	VEC(uint64_t) tests;		/* the first that did; 0: not known */
	struct arena strings;
};

int covered_load(struct covered *c, struct store *s, uint64_t campaign, uint64_t version);
void covered_release(struct covered *c);
/* Was any outcome of the decision taken; how many were? */
uint32_t covered_count(const struct covered *c, const struct covered_decision *d);

#endif
