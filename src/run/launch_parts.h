/* launch_parts.h: what launch.c, launch_input.c and launch_result.c share. Private to src/run. */
#ifndef MUSTER_RUN_LAUNCH_PARTS_H
#define MUSTER_RUN_LAUNCH_PARTS_H

#include "run/launch.h"
#include "run/link.h"

#include <time.h>

struct stream {
	int read, write; /* of the pipe, when captured or passed on; write is also what the keeper gets */
	int onward;	 /* where what is read is passed on to; -1: it is captured */
	struct buf text;
	int cut;
};

struct launcher {
	struct launch_options o;
	char *program; /* absolute */
	int uses_path; /* an argument contains @@ */
	struct link link;
	int in; /* memfd: standard input */
	struct stream out, err, report;
	char *base;	  /* a directory of this launcher */
	char *dir, *path; /* the input's directory in it, as new for each run, and file */
	int file;	  /* the input, if it stays from run to run; -1: not */
	ino_t dir_inode;
	mode_t dir_mode, file_mode;
	struct buf blob;  /* the job's strings of the last run */
	char *const *blob_argv; /* the arguments in them, if they are the launcher's own */
	uint32_t config;
	unsigned servers_before; /* started by keepers that are gone */
	char *temp;		 /* directory for the target's temporary files, where the usual ones cannot be written */
	struct timespec temp_time; /* of its last change that was muster's */
	uint32_t refused;	 /* calls that the sandbox refused, known so far */
	unsigned renewals;	 /* keepers that were replaced since a run changed files in the sandbox */
};

/* ---------------------------------------------------------- launch_input.c */

struct bytes {
	const void *data;
	size_t size;
	int present;
	struct buf own; /* when read from a file */
};

/* The bytes of the run's input; b->own is the caller's to release, whatever the result. */
int input_load(const struct launcher *l, const struct launch_input *in, struct bytes *b);
/* Puts them where the target reads them: its file, or its standard input. */
int input_place(struct launcher *l, const struct launch_input *in, const struct bytes *b);
/* Says in the tables what the input is, for the runtime in the target. */
int input_describe(struct launcher *l, const struct launch_input *in, const struct bytes *b,
		   char *const *argv);
/* Removes the input's file and what the target put beside it. */
void input_remove(struct launcher *l);

/* -------------------------------------------------------- launch_sandbox.c */

/* What the keeper is to confine targets to, on the board. -1 with words. */
int sandbox_request(struct launcher *l);
/* The keeper is there: says so if the sandbox is less than it should be. */
void sandbox_started(struct launcher *l);
/* Says what the sandbox refused, once for a command. */
void sandbox_after_run(struct launcher *l);
int sandbox_make_temp(struct launcher *l);
void sandbox_clear_temp(struct launcher *l); /* of what the last run left */

/* --------------------------------------------------------- launch_result.c */

void result_failed(struct run_result *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* What the keeper said of the run, and what the runtime did. */
void result_take(const struct launcher *l, const struct keeper_reply *k, struct run_result *r);
void result_counts(struct launcher *l, struct run_result *r);

#endif
