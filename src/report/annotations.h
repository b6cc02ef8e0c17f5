/* annotations.h: what the store knows of places in the source and of single tests and bugs, for the pages of the HTML report: plain data.
 *
 * A command fills it (src/cmd/report_load.c); strings are in its arena. Nothing here is computed: invariants are those that `muster invariants` left, summaries those of `--summaries`. */
#ifndef MUSTER_REPORT_ANNOTATIONS_H
#define MUSTER_REPORT_ANNOTATIONS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

/* X(NAME, word): what stands at a line. */
#define ANNOTATION_KINDS(X)         \
	X(REQUIRES, "requires")     \
	X(SUMMARY, "summary")       \
	X(INVARIANT, "invariant")
enum annotation_kind {
#define X(name, word) ANNOTATION_##name,
	ANNOTATION_KINDS(X)
#undef X
};

struct annotation {
	enum annotation_kind kind;
	const char *file; /* absolute */
	uint32_t line;
	const char *text;  /* a clause; a precondition; what holds */
	const char *post;  /* of a summary; else NULL */
	const char *where; /* of an invariant: the outcome it is about, NULL at the loop itself; of a summary why it is partial, or NULL */
	uint64_t test;	   /* of a summary: its witness; 0: none */
};

/* A test that covered something first, or that shows a bug. */
struct annotation_test {
	uint64_t id;
	const void *data;
	size_t size;
	const char *call;   /* as a call in C; NULL: the bytes are the input */
	const char *origin; /* how it was found */
	double found;	    /* seconds of search before it */
	uint32_t outcomes;  /* that it took first */
};

/* When a bug was seen first, over all versions with the same output directory. */
struct annotation_since {
	uint64_t bucket;
	int64_t time;	  /* the first run that has it ended; 0: not known */
	uint64_t version; /* of the program, in the store */
	double found;	  /* of this search: seconds before the test that shows it; below 0: not known */
	uint64_t test;	  /* that test; 0: not known */
};

struct annotations {
	VEC(struct annotation) places; /* by file, line, kind */
	VEC(struct annotation_test) tests; /* by id */
	uint64_t all_tests;
	struct map by_id; /* id of a test: its number above */
	VEC(struct annotation_since) since;
	VEC(const char *) stale; /* files whose invariants are of another text */
	struct arena strings;
};

void annotations_sort(struct annotations *a);
const struct annotation_since *annotations_since(const struct annotations *a, uint64_t bucket);
void annotations_release(struct annotations *a);

#endif
