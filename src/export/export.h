/* export.h: what searches found, as tests for programs that know nothing of muster. */
#ifndef MUSTER_EXPORT_EXPORT_H
#define MUSTER_EXPORT_EXPORT_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "harness/harness.h"
#include "store/store.h"

/* One campaign that is exported. */
struct export_campaign {
	struct store *store;
	uint64_t id;
	char *program, *command;
	char *file; /* of muster test: absolute path of the .c file or program; NULL: of muster fuzz
		     */
	char *functions; /* that are wanted, separated by commas; NULL: all */
};

struct export_options {
	const char *dir, *shown; /* absolute; as the user wrote it */
	double time;		 /* seconds of one call */
	uint64_t tests;		 /* of a function that cover nothing new: the first ones; 0: all */
	int no_check;		 /* what is written is not compiled and run */
	int quiet, json;
};

/* What is not as one would expect of an exported test: X(NAME, key in JSON, words for one, words
 * for several). */
#define EXPORT_NOTES(X)                                                                           \
	X(VARIES, "varying", "does not assert what differs from run to run",                      \
	  "do not assert what differs from run to run")                                           \
	X(BARE, "bare", "asserts nothing: outside of muster it gives something else",             \
	  "assert nothing: outside of muster they give something else")                           \
	X(FAILING, "failing", "left out: it fails with sanitizers, and is no bug that was reported",  \
	  "left out: they fail with sanitizers, and are no bugs that were reported")                  \
	X(OUTSIDE, "outside", "left out: it passes only when muster calls the function",          \
	  "left out: they pass only when muster calls the function")                              \
	X(SUSPECTED, "suspected", "suspected bug, left out: it was not confirmed",                \
	  "suspected bugs, left out: they were not confirmed")                                    \
	X(SANITIZED, "sanitized", "bug that sanitizers show: it needs no assertion",               \
	  "bugs that sanitizers show: they need no assertion")                                    \
	X(SHOWN, "shown", "bug that aborts at its assertion",                                      \
	  "bugs that abort at their assertions")                                                   \
	X(BUG_LOST, "bugs_lost", "bug not exported", "bugs not exported")                         \
	X(BUG_PASSES, "bugs_passing", "bug that does not show outside of muster",                 \
	  "bugs that do not show outside of muster")                                              \
	X(BUG_DIFFERS, "bugs_differing", "bug that fails differently outside of muster",       \
	  "bugs that fail differently outside of muster")                                      \
	X(UNSEEN, "unseen", "is written and was not tried", "are written and were not tried") \
	X(BROKEN, "broken", "file does not compile", "files do not compile")
enum export_note_kind {
#define X(name, key, one, several) EXPORT_##name,
	EXPORT_NOTES(X)
#undef X
	    EXPORT_NOTE_COUNT
};
struct export_note {
	enum export_note_kind kind;
	char *name, *words; /* of the test, or of the file; more words, or NULL */
};

struct export_counts {
	unsigned files, tests, bugs;
	unsigned
	    reproduced;	  /* bugs that were seen to fail outside, of that kind and in that place */
	unsigned beyond; /* tests that cover nothing new, of functions that have enough of them */
	unsigned failing; /* tests that show one of the bugs too: left to the bug's own */
	VEC(struct export_note) notes;
	struct strmap bases; /* of files that were written */
};
void export_note(struct export_counts *c, enum export_note_kind kind, const char *name,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5))); /* fmt may be NULL */

/* cmocka.c: DIR/test_UNIT.c and what compiles it. 0, -1 with words. */
int export_cmocka(const struct export_campaign *c, const struct export_options *o,
		  struct export_counts *counts);
/* testcomp.c: a suite of the values that __VERIFIER_nondet functions gave. */
int export_testcomp(const struct export_campaign *c, const struct export_options *o,
		    struct export_counts *counts);

/* asserts.c: a program's bugs as assertions, for gcc. */
int export_asserts(const struct export_campaign *c, const struct export_options *o,
		   struct export_counts *counts);

/* claims.c: is it a kind that gcc's sanitizers do not know, so that an assertion shows it? */
int export_is_claim(const char *kind);

/* A value of the campaign, "" if there is none; allocated. 0, -1 with words. */
int export_value(const struct export_campaign *c, const char *name, char **out);
/* Absolute and without . and .. in it; allocated. */
char *export_absolute(const char *path);
/* Path of `to` as it is named in directory `from`; both absolute. Allocated. */
char *export_relative(const char *from, const char *to);

#endif
