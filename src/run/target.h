/* target.h: a variant of the user's program, ready to be run.
 *
 *	struct target_options o = TARGET_DEFAULTS;
 *	struct target t;
 *	if (target_make(&t, program, argv, VARIANT_COV, &o))  // argv with @@ as the user wrote it
 *		return -1;
 *	struct launcher *l = launcher_new(&t.options);
 *	...
 *	target_release(&t);
 */
#ifndef MUSTER_RUN_TARGET_H
#define MUSTER_RUN_TARGET_H

#include "base/option.h"
#include "base/vec.h"
#include "build/variant.h"
#include "ir/site.h"
#include "run/launch.h"
#include "run/shm.h"

/* The user's own build instead of a variant. */
#define TARGET_PLAIN (-1)

struct target_options {
	struct option_list files, env; /* input beside @@ */
	int args;		       /* arguments are input */
	double time;		       /* seconds of a run, as launch_limit counts them; 0: no limit */
	int by_clock;		       /* or by the clock alone */
	uint64_t mem_mb;
	struct shm_options shm; /* of variants with a runtime */
	int part;	/* the trace variant may lack functions (build/variant.h): options.missing is set where it does */
};
#define TARGET_DEFAULTS                                                                \
	{                                                                              \
		.time = 60, .mem_mb = 4096, .shm = {.input_limit = SHM_DEFAULT_INPUT } \
	}

struct target {
	int kind;		       /* enum variant_kind or TARGET_PLAIN */
	struct variant variant;	       /* of TARGET_PLAIN: the program itself */
	struct shm shm;		       /* in options.shm, where the variant has a runtime */
	struct site_tables sites;      /* the same; else empty */
	struct launch_options options; /* output of the program goes nowhere */
	double seconds;		       /* it took to make */
	/* private: what options point to */
	char *name;	     /* the program as it was given; with `part` */
	char *library_path;
	const char *env[3];
	VEC(const char *) files, env_input;
};

/* A single .c file or a path as it is given; a bare name as the shell would find it. Allocated; NULL with words. */
char *target_program(const char *name);
/* Does an argument name the input's file? */
int target_has_path(char *const *argv);
/* kind: enum variant_kind or TARGET_PLAIN. argv is borrowed and ends in NULL. The target must not
 * move afterwards: its options point into it. 0; -1 with words, and then it is empty. */
int target_make(struct target *t, const char *program, char *const *argv, int kind,
		 const struct target_options *o);
/* Another variant that was made from the same units: mapping and site tables stay, the options name it. The target takes it over. */
void target_replace(struct target *t, struct variant *v);
/* The variant lacks the function that begins at the site: the next one, which has it, takes its place, in the launcher as well. As launch_missing; with `part` it is options.missing, with the target. */
int target_more(void *target, struct launcher *l, uint64_t site);
void target_release(struct target *t);
/* An input as bytes: for @@ or standard input and, where no argument names a file, for marked
 * objects too. name: its extension is kept; may be NULL. */
struct launch_input target_input(char *const *argv, const void *data, size_t size,
				 const char *name);
/* -1 with words if the program or its runtime never ran. */
int target_started(const struct run_result *r);

#endif
