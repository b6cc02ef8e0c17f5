/* revision.h: a git revision, or the work tree as it stands, as files of its own in a temporary directory, and what a build makes of them.
 *
 *	struct revision r;
 *	if (revision_open(&r, "HEAD~1")) ...         -1 with words: no such revision, no work tree of git
 *	char *c = revision_file(&r, "src/x.c");      the file in it, or NULL with words
 *	char *p = revision_build(&r, "make", NULL, &choice);  the program that was built, or NULL with words
 *	revision_release(&r);
 *
 * Neither the repository nor the work tree is written to. The files are removed when the process ends, however it does.
 */
#ifndef MUSTER_CAMPAIGN_REVISION_H
#define MUSTER_CAMPAIGN_REVISION_H

struct revision {
	const char *name; /* NULL: the work tree */
	char *top;	  /* of the work tree */
	char *prefix;	  /* from there to where we are: "", or "sub/" */
	char *tree;	  /* the files; NULL: not needed yet */
	char *id;	  /* of the revision's tree */
	char *map;	  /* how a file of the tree is named in the work tree, FROM=TO: what both begin with; NULL: from the directory that we are in */
};

/* name: as git names it; NULL: the work tree, with all files that git does not ignore. */
int revision_open(struct revision *r, const char *name);
void revision_release(struct revision *r);
/* A path in the revision as git has it: from the top, or from here if it begins with ./ or ../. */
char *revision_file(struct revision *r, const char *path);
/* The same for a file of the work tree, by any path. */
char *revision_same_file(struct revision *r, const char *file);
struct arena;
struct buf;
struct strmap;
/* git with these words, here: its output without the last newline. -1 with words: it could not be started; 1: it failed, out has what it said. */
int revision_git(const char *const *words, struct buf *out);
/* Arguments of the compiler for a file of the revision: what they name from here (-Iinclude, -include x.h) and the revision has, is meant in its tree, and __FILE__ is what it is in the work tree. NULL at the end; in the arena. */
const char *const *revision_arguments(const struct revision *r, const char *const *cflags, struct arena *arena);
/* Adds the files, from the top, that are not the same in two revisions; NULL: the work tree. What git does not know as revisions has none. */
void revision_touched(const char *a, const char *b, struct strmap *out);
struct revision_choice { /* of several programs */
	const char *like;	     /* the one of this name, if there is one; else: */
	const struct strmap *touched; /* the only one with a unit among these files */
};
/* Runs the command line with muster-cc as compiler, in the directory that we are in below the top. program: the one that is meant, from there; NULL: the only one that was linked, or as the choice says. */
char *revision_build(struct revision *r, const char *command, const char *program, const struct revision_choice *choice);

#endif
