/* ci.h: what a change did, file by file: behaviour, bugs, contracts.
 *
 *	struct ci c;
 *	if (ci_run(&c, &options)) ...          -1 with words
 *	c.bugs, c.contracts, c.files[i].diff ...
 *	ci_release(&c);
 *
 * For each C file that the change reaches, muster diff compares it with the base version. The functions whose own code changed, or whose behaviour is not proved to be the same, are then tested in both
 * versions as muster test does, with the store: what the base gave is reused, and from one run to the next. A bug is *new* if its input passes in the base, *existing* if it fails there too, in the same function and
 * with the same kind, *fixed* if an input of the base's passes now, and *unclear* if its input was not run in the base. Functions that were not tested are proved to behave as before: so do their bugs.
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
	const char *build;	     /* a command line that builds the program, which is compared as a whole as well; NULL: none */
	const char *program;	     /* that it builds; NULL: the only one */
};

#define CI_STATES(X)          \
	X(NEW, "new")         \
	X(UNCLEAR, "unclear") \
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
	const char *why; /* of an unclear one; else NULL */
	const struct result_bug *bug;
};

/* X(NAME, key, words between the function and the clause) */
#define CI_CONTRACTS(X)                                                                     \
	X(STRONGER, "stronger", "now requires")	/* a call that fails now keeps all that the base required */ \
	X(OTHER, "other", "requires, which the base did not in these words:") /* not known to be stronger */ \
	X(GONE, "gone", "was not seen to require any more")
enum ci_contract_change {
#define X(name, key, words) CI_CONTRACT_##name,
	CI_CONTRACTS(X)
#undef X
};
struct ci_contract {
	const char *function, *requires;
	enum ci_contract_change change;
	const char *call; /* of a stronger one: that call; else NULL */
};

struct ci_file {
	const char *name; /* as named, or from the directory that we are in */
	int program;	  /* it is no file: the whole program, compared and not tested */
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
	struct result now, before, unclear; /* for formats: bugs of the work tree; existing ones, and those that were fixed; of now: unclear ones. Strings are the files' */
	uint64_t equal, changed, may, added, removed; /* functions */
	uint64_t data; /* variables that begin with another value */
	uint64_t held, again, unreached, unseen; /* summaries of the base (unit.h, struct test_reuse), where they are made */
	uint64_t to_test; /* functions that are left to test, in both versions together */
	int cut; /* the time was over before all was done */
	int open; /* a file is */
	struct arena arena;
};

int ci_run(struct ci *c, const struct ci_options *o);
void ci_release(struct ci *c);

/* program.c: adds the program to the files. Is what a file's comparison says of a function to be said, or does another say the same? */
void ci_program(struct ci *c, const struct ci_options *o, const struct diff_options *how);
int ci_says(const struct ci *c, const struct ci_file *f, const struct diff_function *x);

/* files.c: the base and the files. Both -1 with words. */
int ci_base(const char *given, char **commit);
int ci_reached(const char *base, struct arena *arena, struct ci *c);

#endif
