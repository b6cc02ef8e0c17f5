/* ci.h: what a change did, file by file: behaviour, bugs, contracts.
 *
 *	struct ci c;
 *	if (ci_run(&c, &options)) ...          -1 with words
 *	c.bugs, c.contracts, c.files[i].diff ...
 *	ci_release(&c);
 *
 * For each C file that the change reaches, muster diff compares it with the base version. The functions whose own code changed, or whose behaviour is not proved to be the same, are then tested in both
 * versions as muster test does, with the store: what the base gave is reused, and from one run to the next. A bug is *new* if its input passes in the base, *existing* if it fails there too, in the same function and
 * with the same kind, *fixed* if an input of the base's passes now. Functions that were not tested are proved to behave as before: so do their bugs.
 */
#ifndef MUSTER_CI_CI_H
#define MUSTER_CI_CI_H

#include "base/arena.h"
#include "campaign/versions.h"
#include "diff/diff.h"
#include "result/result.h"
#include "unit/unit.h"

struct ci_options {
	const char *base;	     /* a revision; NULL: HEAD if the work tree differs from it, else the one before */
	const char *const *files;    /* C files; none: those that the change reaches */
	size_t file_count;
	struct test_options test;    /* how functions are searched; its times are those of one function */
	double diff_seconds;	     /* of processor time to compare one function; 0: 4 */
};

#define CI_STATES(X)          \
	X(NEW, "new")         \
	X(EXISTING, "existing") \
	X(FIXED, "fixed")
enum ci_state {
#define X(name, word) CI_##name,
	CI_STATES(X)
#undef X
};
const char *ci_state_word(enum ci_state s);

struct ci_bug {
	enum ci_state state;
	const char *why; /* of a new one that could not be run on the base: it may be older; else NULL */
	const struct result_bug *bug;
};

struct ci_contract {
	const char *function, *requires;
	int gone; /* the base required it; else it is new */
};

struct ci_file {
	const char *name; /* as named, or from the directory that we are in */
	int added;	  /* the base has no such file */
	char *words;	  /* what could not be done; NULL: nothing */
	int broken;	  /* it does not compile: nothing is known of it */
	int open;	  /* not compared, or not tested, though it had to be */
	struct version old, new;
	struct diff *diff; /* NULL: there is nothing to compare with */
	size_t tested;	   /* functions */
	struct test_session *base, *now; /* NULL: nothing was tested */
	struct result before, after;
};

struct ci {
	char *base; /* the commit, short */
	VEC(struct ci_file) files;
	VEC(struct ci_bug) bugs;
	VEC(struct ci_contract) contracts;
	struct result now, before; /* for formats: bugs of the work tree; existing ones, and those that were fixed. Strings are the files' */
	uint64_t equal, changed, may, added, removed; /* functions */
	uint64_t data; /* variables that begin with another value */
	uint64_t to_test; /* functions that are left to test, in both versions together */
	int cut; /* the time was over before all was done */
	int open; /* a file is */
	struct arena arena;
};

int ci_run(struct ci *c, const struct ci_options *o);
void ci_release(struct ci *c);

/* files.c: the base and the files. Both -1 with words. */
int ci_base(const char *given, char **commit);
int ci_reached(const char *base, struct arena *arena, struct ci *c);

#endif
