/* capture.h: what a unit's record is made of: the front end's bitcode, the
 * preprocessed source, and the arguments that shape them. */
#ifndef MUSTER_CAPTURE_H
#define MUSTER_CAPTURE_H

#include "base/arena.h"
#include "base/proc.h"
#include "build/args.h"
#include "build/record.h"

struct capture {
	const struct arg *in;
	const char *name; /* of the source, as the record has it: in->text, unless the caller
			     knows better */
	const char *dir;  /* where it is compiled, likewise; NULL: here */
	struct words shape, front, preprocess; /* kept arguments; the two command lines */
	struct hash128 unit;		       /* of the bitcode, once recorded */
	int failed;
};

/* How many jobs a capture has. */
#define CAPTURE_JOBS 2

/* Arguments by which every check for undefined behaviour becomes a branch of the bitcode: in every record; NULL at the end. */
extern const char *const capture_checks[];
/* More of them, for units in which a check that fails ends the run, as in those that muster test drives. */
extern const char *const capture_ends[];

/* Plans the capture of one input and fills in its jobs. input is what stands on
 * standard input, for "-". more: further arguments for the bitcode alone, or NULL. */
void capture_plan(struct capture *c, struct arena *arena, const struct args *a,
		  const struct arg *in, const struct buf *input, const char *const *more,
		  struct proc_job jobs[CAPTURE_JOBS]);
/* After the jobs ran: adds the unit's frame to out, or one that says why not. */
void capture_record(struct capture *c, struct proc_job jobs[CAPTURE_JOBS], struct buf *out);
void capture_release(struct capture *c);

/* Captures a file by itself: -1 with words if it does not compile. cflags: further arguments of the compiler, NULL at the end; or NULL. */
enum capture_what {
	CAPTURE_ALL,
	CAPTURE_BITCODE, /* its source is empty, unless refinements were made into checks */
};
int capture_file(const char *path, const char *const *cflags, enum capture_what what, struct buf *out);

#endif
