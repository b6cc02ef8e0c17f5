/* build.h: what building from a source (build.c) and from a program (build_from.c) share. */
#ifndef MUSTER_HARNESS_BUILD_H
#define MUSTER_HARNESS_BUILD_H

#include "base/hash.h"
#include "build/args.h"
#include "build/closure.h"
#include "harness/harness.h"
#include "harness/sanitized.h"

#define HARNESS_DRIVER "libmuster_drive.a"

struct harness_job {
	const char *file, *name; /* of the source; as the user knows it */
	const char *const *cflags;
	const struct harness_options *options;
	struct args args;   /* of the user's words */
	struct words shape; /* those of them that shape the unit */
	struct buf text;    /* the unit, preprocessed */
	struct sanitized_stretch sanitized; /* of it */
	struct front *front;
	struct harness *h;
	struct words stubs;  /* names that no unit defines */
	char *dir, *program; /* where the result goes */
};

/* Reads the front from the text. */
int harness_read(struct harness_job *j);
/* Appends a declaration by which the unit's main has another name for the linker; nothing if it has
 * no main. */
void harness_hide_main(const struct front *f, struct buf *out);
int harness_plan_again(struct harness_job *j);
/* What the program depends on; where it goes; is it there? */
int harness_key(const struct harness_job *j, struct hash128 *key);
int harness_hash_file(struct hash128 *h, const char *path);
int harness_place(struct harness_job *j, struct hash128 key, const char *name);
int harness_save_stubs(const struct harness_job *j);
int harness_cached(struct harness_job *j);
/* Says that a unit does not compile, or a precondition, with clang's words. Returns -1. */
int harness_complain(const char *name, struct buf *words);
/* Replaces an archive without records by its members, at the end of the items. */
void harness_take_apart(struct closure *c, size_t index);
/* Hands the results over, or frees them if e is not 0; releases the rest. Returns e. */
int harness_job_done(struct harness_job *j, int e, struct front **front, struct harness **h,
		     char **program);
void harness_job_release(struct harness_job *j);

#endif
