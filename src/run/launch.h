/* launch.h: running a target under limits, leaving nothing behind.
 *
 *	struct launch_options o = LAUNCH_DEFAULTS;
 *	o.argv = argv;                       // "@@" stands for the input's path
 *	o.program = variant.path;            // what to execute, if not argv[0]
 *	o.shm = &shm;                        // for variants with a runtime; NULL for plain programs
 *	struct launcher *l = launcher_new(&o);
 *	struct launch_input in = {.data = bytes, .size = n, .name = "a.gif"};
 *	struct run_result r;
 *	if (launcher_run(l, &in, &r)) ...    // -1: muster failed, error_text()
 *	run_result_words(&r, text, sizeof text);
 *	launcher_free(l);
 *
 * A launcher owns a keeper: a small process between muster and the targets. It
 * starts them, watches time, memory and the number of processes, and at the end
 * of each run kills whatever descends from the target, daemons included. Where
 * the system allows it (root), the keeper is the first process of a PID
 * namespace, which a target cannot leave or kill; elsewhere it is a subreaper.
 * If the keeper dies, muster takes over and starts another for the next run; if
 * muster dies, the keeper removes the target and the temporary files.
 *
 * With `server` set the target, which must have the runtime, is started once and
 * forks itself for each run (runtime/forkserver.c).
 */
#ifndef MUSTER_LAUNCH_H
#define MUSTER_LAUNCH_H

#include "base/buf.h"
#include "run/shm.h"

#include <stddef.h>
#include <stdint.h>

/* Where standard output or standard error of the target goes. */
enum launch_output {
	LAUNCH_INHERIT, /* where muster's goes, through a pipe that launcher_end reads */
	LAUNCH_NULL,	/* nowhere */
	LAUNCH_CAPTURE, /* into run_result.out, run_result.err, up to output_limit; the rest is read
			   and dropped */
};

/* Where the bytes of launch_input go. */
enum launch_input_to {
	LAUNCH_AUTO,   /* the file named by @@, else standard input */
	LAUNCH_STDIN,  /* standard input */
	LAUNCH_MEMORY, /* a MEMORY source of the mapping (harnesses, marked objects) */
};

struct launcher;
/* A run of a variant that has not all functions entered one that is missing: its first site. Makes it and calls launcher_set_program: 0, and the input is run again as
 * if nothing had been. 1: there was no time, or the function is there: nothing is known of the run. -1 with words. */
typedef int launch_missing(void *ctx, struct launcher *l, uint64_t site);

/* Everything pointed to is borrowed and must outlive the launcher. */
struct launch_options {
	char *const *argv;     /* each "@@", alone or within an argument, is the input's path */
	const char *program;   /* executable file; NULL: argv[0], looked up in PATH */
	const char *directory; /* working directory; NULL: muster's */
	const char *base; /* launcher_base of another launcher, which outlives this one and does not run at the
			   * same time: @@ becomes the same path. NULL: a directory of its own */
	/* Lists that end in NULL, or NULL. */
	const char *const *env;	      /* NAME=VALUE sets, NAME alone removes */
	const char *const *files;     /* input wherever the target opens them */
	const char *const *env_input; /* variables whose values are input */
	int args_input; /* arguments other than argv[0] (and the path of @@) are input */
	enum launch_input_to to;
	enum launch_output out, err;
	int report;		/* capture what the sanitizers of a san variant report (run_result.report) */
	size_t output_limit;	/* bytes captured of each stream */
	/* Limits of time; 0: none. launch_limit sets all three for runs whose hanging would be a defect. */
	double wall_seconds; /* by the clock */
	double cpu_seconds;  /* user + system, all processes of the run: RUN_TIME */
	double idle_seconds; /* by the clock, while no process of the run uses a processor or could: RUN_WAITING */
	uint64_t memory_limit;	/* bytes resident, all processes, tables not counted; 0: no limit */
	uint64_t file_limit;	/* bytes of a file the target writes (RLIMIT_FSIZE); 0: no limit */
	unsigned process_limit; /* processes alive at once; 0: no limit */
	int server;		/* use the target's fork server */
	int bind_now;		/* which resolves names when it starts, and not in each run */
	int cpu; /* processor for keeper and target, from 1; 0: any. launcher_set_cpu changes it */
	int no_namespace;	/* never use namespaces (for tests) */
	int no_sandbox;		/* whatever sandbox_choose said (for tests) */
	struct shm *shm;	/* tables of a variant with runtime, or NULL; borrowed */
	launch_missing *missing; /* for launcher_run; NULL: all functions are made */
	void *missing_ctx;
};

#define LAUNCH_DEFAULTS                                                                   \
	{                                                                                 \
		.out = LAUNCH_INHERIT, .err = LAUNCH_INHERIT, .output_limit = 1 << 20,    \
		.wall_seconds = 60, .memory_limit = 4ull << 30, .file_limit = 1ull << 30, \
		.process_limit = 512,                                                     \
	}

/* A run may use so many seconds of processor time, and so many of waiting; the clock alone ends it only after a
 * multiple of that, on a machine that has no time for it. 0: no limit. */
void launch_limit(struct launch_options *o, double seconds);

/* What one run gets. All zero: no input (an empty standard input that is no
 * source; a missing file for @@ is an error). */
struct launch_input {
	const void *data;
	size_t size;
	const char *path; /* read the bytes from this file instead; its extension is kept for @@ */
	const char *name; /* with data: a name whose extension is kept; may be NULL */
	int present;	  /* data may be NULL with size 0 and yet be an (empty) input */
	const void *memory; /* bytes for marked objects, beside the input; may be NULL */
	size_t memory_size;
	int untimed;	   /* no limits on time: the caller stops it (launcher_stop) */
	uint64_t end_offset; /* of a futex in shm that gets MUSTER_LOOP_ENDED when the run is over; 0: none */
	char *const *argv; /* for this run instead of the launcher's, with @@ where that has it */
};

/* How a run ended: X(NAME, key). */
#define RUN_ENDS(X)                                                                         \
	X(EXIT, "exit")	    /* code */                                                      \
	X(SIGNAL, "signal") /* signal */                                                    \
	X(TIME, "time-limit")                                                               \
	X(WAITING, "waiting") /* it used no processor time and was ended by the clock */    \
	X(CUT, "cut") /* muster's own time was over (base/deadline.h): nothing is known of it */ \
	X(MEMORY, "memory-limit")                                                           \
	X(PROCESSES, "process-limit")                                                       \
	X(STOPPED, "stopped") /* it stopped itself (SIGSTOP and its kind) and was killed */ \
	X(FAILED, "failed")   /* it never ran, or its runtime could not start: message */

enum run_end {
#define X(name, key) RUN_##name,
	RUN_ENDS(X)
#undef X
};

/* At one of our limits, and not by itself. */
static inline int run_was_stopped(enum run_end e)
{
	return e == RUN_TIME || e == RUN_WAITING || e == RUN_CUT || e == RUN_MEMORY;
}

struct run_result {
	enum run_end end;
	int code; /* exit code */
	int signal;
	int killed_parent;   /* the process that started the target died under it */
	unsigned left;	     /* processes that outlived the target and were killed */
	double wall_seconds; /* from the request to the end */
	double user_seconds, system_seconds;
	double making_seconds; /* by the clock: for functions that runs before it lacked (launch_missing) */
	uint64_t peak_kib;	  /* resident set at its largest, tables included */
	uint64_t faults;	  /* page faults, minor and major */
	char message[512];	  /* with RUN_FAILED: words that say what to do */
	struct buf out, err;	  /* captured; belong to the launcher, valid until its next run */
	struct buf report;	  /* likewise, with launch_options.report: MUSTER_REPORT_HELLO, then the reports; "" where they never came up */
	int out_cut, err_cut;	  /* more was written than output_limit */
	struct shm_counts counts; /* with a shm: what the runtime wrote */
};

/* Starts the keeper. Checks that the program exists and can be executed: NULL
 * with words if it is missing, is no ELF file or script, lacks its interpreter. */
struct launcher *launcher_new(const struct launch_options *options);
void launcher_free(struct launcher *l); /* NULL is fine */

/* One run: places the input, resets the shm and adds its sources ("in" first if
 * there is an input), runs, cleans up. 0 with *r filled in; -1 with error_text()
 * if muster itself could not (missing input, over the limit of symbolic input). Past the command's deadline nothing is
 * run: RUN_CUT. */
int launcher_run(struct launcher *l, const struct launch_input *in, struct run_result *r);

/* The two halves of launcher_run, for a caller that has something to do with the target
 * meanwhile. After launcher_begin gave 0, launcher_end must come. launcher_stop between the two ends the run
 * with RUN_TIME, RUN_WAITING or RUN_CUT. Output is captured only in launcher_end. */
int launcher_begin(struct launcher *l, const struct launch_input *in);
void launcher_stop(struct launcher *l, enum run_end why);
/* Of the run that lasts: nanoseconds on a processor, and without using one, some milliseconds ago. */
void launcher_usage(const struct launcher *l, uint64_t *cpu, uint64_t *idle);
int launcher_over(struct launcher *l); /* would launcher_end find a reply? Or nobody to give one */
void launcher_end(struct launcher *l, struct run_result *r);
void launcher_set_cpu(struct launcher *l, int cpu); /* from the next run on */
void launcher_set_time(struct launcher *l, double seconds); /* likewise, as launch_limit does */
void launcher_set_wall(struct launcher *l, double seconds); /* likewise, by the clock alone */

/* From the next run on another program in the place of the first, with the environment that goes with it. Both are borrowed. -1 with words, and then it
 * is of no use any more. */
int launcher_set_program(struct launcher *l, const char *program, const char *const *env);

/* What @@ became in the last run, or NULL. */
const char *launcher_base(const struct launcher *l); /* the directory its inputs are in */
const char *launcher_input_path(const struct launcher *l);
/* A directory for files that targets write for muster: writable in the sandbox, there until the launcher is freed, not cleared
 * between runs. Its name is allocated; NULL with words. What names it in the environment may be set until the first run. */
char *launcher_outbox(const struct launcher *l);
/* Fork servers and keepers that had to be started again. */
unsigned launcher_restarts(const struct launcher *l);
/* Do targets run in a PID namespace? */
int launcher_namespace(const struct launcher *l);

const char *run_end_key(enum run_end e);
/* A sentence: "exited with code 3", "killed by signal 11 (SIGSEGV)", ... */
void run_result_words(const struct run_result *r, char *out, size_t size);

#endif
