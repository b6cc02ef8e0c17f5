/* accepted.h: muster.contracts, the contracts that a person accepted, as a file beside the sources.
 *
 *	# muster contracts 1: what functions require of their callers ...
 *	get: v != NULL && i < len(v->data)
 *	list.c:next: p != NULL
 *	swap: true
 *
 * A line is a function and what it requires, as MUSTER_REQUIRES and --requires take it; `true` says that it requires nothing. A static function has its file before it; so may any other.
 * Lines are sorted, so that versions of the file differ where contracts do. What begins with # is a comment. docs/contracts.md has the format.
 */
#ifndef MUSTER_CONTRACT_ACCEPTED_H
#define MUSTER_CONTRACT_ACCEPTED_H

#include "base/arena.h"
#include "base/vec.h"

#define ACCEPTED_FILE "muster.contracts"
#define ACCEPTED_VERSION 1
#define ACCEPTED_NOTHING "true"

struct accepted_line {
	const char *file; /* base name; NULL: whichever has the function */
	const char *function, *text;
};
struct accepted {
	struct arena arena;
	VEC(struct accepted_line) lines;
};

/* Where the contracts of a source are: allocated. */
char *accepted_path(const char *source);
/* A file that is not there has no lines. -1 with words that name the line. */
int accepted_read(struct accepted *a, const char *path);
void accepted_release(struct accepted *a);
/* The line that speaks of a function of this source; one that names the file goes before one that does not. NULL: none does. */
const struct accepted_line *accepted_find(const struct accepted *a, const char *source, const char *function);
/* Adds a line, or replaces what is said of the function. file: NULL for a function that other units see. */
void accepted_put(struct accepted *a, const char *file, const char *function, const char *text);
/* Sorted, with the line that says what this is. */
int accepted_write(struct accepted *a, const char *path);

#endif
