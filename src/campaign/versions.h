/* versions.h: OLD and NEW of a command that compares two versions of a program.
 *
 *	struct versions v;
 *	if (versions_load(&v, "HEAD~1", NULL, &options)) ...     -1 with words
 *	v.old.whole, v.new.whole
 *	versions_release(&v);
 *
 * A version is written as one of
 *
 *	FILE.c           C source
 *	PROGRAM          a program, library, object or archive that was built with muster cc
 *	store:N          version N of the store ('muster show versions')
 *	REVISION:FILE.c  a file of a git revision, with that revision's headers
 *	REVISION         a git revision that is built; beside a FILE.c: that file of it
 *
 * NEW may be left out: the work tree, built as the revision is.
 */
#ifndef MUSTER_CAMPAIGN_VERSIONS_H
#define MUSTER_CAMPAIGN_VERSIONS_H

#include "base/buf.h"
#include "campaign/revision.h"
#include "ir/whole.h"

struct versions_options {
	const char *build;   /* a command line that builds a revision; NULL: none can be */
	const char *program; /* that it builds; NULL: the only one */
	const char *store;   /* NULL: that of the project */
	const char *const *cflags; /* for C files, NULL at the end; NULL: none */
	int merged;	     /* all units as one (build/merge.h), with its bitcode */
	int choose; /* for versions.c: of several programs that were built, the one that the change is in */
	const char *like; /* the same: the one of this name */
};

struct version {
	struct whole *whole;
	struct buf bitcode; /* merged: of the unit */
	char *path; /* of the C file or program; NULL: it comes from the store */
	uint64_t stored; /* its number there, then */
	char *file; /* of a C file: its absolute path, in the work tree if it is a revision's */
	struct revision revision; /* that it is from, if any */
};

/* Which version is meant, without loading it. other: the text of the one beside it; NULL: none, text may be NULL then. -1 with words. */
int version_open(struct version *v, const char *text, const char *other, const struct versions_options *o);
/* Its whole program. -1 with words. */
int version_load(struct version *v, const struct versions_options *o);
void version_release(struct version *v);
struct store;
/* Of version N of a store, whose path is for words. NULL with words. bitcode: as of join_begin. */
struct whole *version_stored(struct store *s, uint64_t id, const char *path, struct buf *bitcode);

struct versions {
	struct version old, new;
};

int versions_load(struct versions *v, const char *old, const char *new, const struct versions_options *o);
void versions_release(struct versions *v);

#endif
