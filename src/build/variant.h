/* variant.h: other builds of a program, made from the records inside it.
 *
 * A variant is made unit by unit and relinked with the saved closure. It lies in
 * the user's cache (cache.h) under a name that its contents decide, so that asking
 * again costs little and several processes may ask at once. It stays there as long as
 * the process that asked for it, or a child of it, lives.
 */
#ifndef MUSTER_VARIANT_H
#define MUSTER_VARIANT_H

#include "ir/checker.h"

/* X(NAME, name, runtime archive, list of wrapped names or NULL). */
#define VARIANTS(X)                                       \
	X(TRACE, "trace", "libmuster_rt.a", "wraps")      \
	X(SAN, "san", "libmuster_san.a", "wraps_san")     \
	X(COV, "cov", "libmuster_cov.a", "wraps_cov")     \
	X(PATH, "path", "libmuster_path.a", "wraps_path") \
	X(FILL, "fill", "libmuster_fill.a", "wraps_cov")  \
	X(TRACE_ALL, "trace-all", "libmuster_rt_all.a",   \
	  "wraps") /* events for concrete decisions too */ \
	X(CALLS, "calls", "libmuster_rt_calls.a", "wraps") /* hooks at calls and returns, slow copies only */ \
	X(SEGMENTS, "segments", "libmuster_rt_calls.a", "wraps") /* and at the headers of loops */

enum variant_kind {
#define X(id, name, archive, wraps) VARIANT_##id,
	VARIANTS(X)
#undef X
	    VARIANT_COUNT
};

/* Which copies of functions a trace variant has (copies.h). X(NAME, name) */
#define COPIES(X)       \
	X(BOTH, "both") \
	X(SLOW, "slow") \
	X(SOME, "some") /* fast ones of some functions */ \
	X(PART, "part") /* slow ones of some functions; the others are not made yet */

enum copies {
#define X(id, name) COPIES_##id,
	COPIES(X)
#undef X
};

struct copies_list;

struct variant {
	char *path;    /* the executable, absolute */
	char *lib_dir; /* variants of the project's shared libraries; NULL: there are none */
	enum copies copies;
	struct copies_list *made; /* in the state PART: the functions that it has; else NULL */
};

/* Whose checks the variants have that are made from now on in this process (unless it is set: checker_default()). The
 * set is part of their names in the cache; the san variant's flags follow it. */
void variant_checks(checker_set set);
checker_set variant_checks_now(void);
int variant_checks_list(const char *list); /* as checker_parse reads it; -1 with words */

/* program: a linked file, a single .c file, an object with a record or libtool's
 * wrapper script. 0, or -1 with words. */
int variant_make(const char *program, enum variant_kind kind, struct variant *out);
/* The trace variant of a program with slow copies, made again with fast copies of these functions and of those that have one already. From then on
 * variant_make gives this one. A program that has all fast copies, or whose state the environment decides, stays as it is. 0, or -1 with words. */
int variant_make_fast(const char *program, const struct copies_list *functions, struct variant *out);
/* The trace variant for somebody who runs it by a launcher with target_more (run/target.h), which makes what is missing. It has at least these functions of the units; NULL: what
 * there is is enough, and if there is none a whole one is made. A program that has a whole one in the cache, or a small one, gets that. 0, or -1 with words. */
int variant_make_part(const char *program, const struct copies_list *functions, struct variant *out);
void variant_release(struct variant *v);

const char *variant_name(enum variant_kind kind);
int variant_kind(const char *name); /* -1: no such kind */

#endif
