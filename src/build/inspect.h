/* inspect.h: what muster knows about a binary and the machine, for `muster doctor`. */
#ifndef MUSTER_INSPECT_H
#define MUSTER_INSPECT_H

#include "base/arena.h"
#include "base/vec.h"
#include "build/image.h"

/* One thing that went into a linked file. */
struct inspect_part {
	const char *image;	/* the linked file */
	const char *name;	/* source, object or member of an archive */
	const char *dir;	/* where it was compiled; "" if that is not known */
	const char *why;	/* of a part without a record */
	size_t bitcode, source; /* bytes in the record */
};

struct inspect_problem {
	int fatal; /* no variant can be made or run */
	const char *words;
	const char *remedy;
};

struct inspect {
	struct arena arena;
	VEC(struct inspect_part) units;	     /* with a record */
	VEC(struct inspect_part) unrecorded; /* without */
	VEC(const char *) libraries;	     /* of the project, with records */
	VEC(const char *) foreign;	     /* needed and found, without */
	VEC(struct inspect_problem) problems;
	int linked;
};

/* Always succeeds: what is wrong with the binary is a problem in the list. binary
 * may be NULL: the machine alone. */
void inspect_run(struct inspect *in, const char *binary);
void inspect_release(struct inspect *in);
int inspect_fatal(const struct inspect *in);
/* Adds one that is found elsewhere; the words are copied. */
void inspect_problem(struct inspect *in, int fatal, const char *words, const char *remedy);

#endif
