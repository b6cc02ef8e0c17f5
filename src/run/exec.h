/* exec.h: the cov variant, very often.
 *
 * Runs one input after the other and gives the counters of each. A harness
 * (LLVMFuzzerTestOneInput) is called in a loop inside one process, with its inputs in
 * shared memory, many at a time if the caller can do without the results of runs that show nothing new; other programs get a process each from the fork server. A run in the loop
 * that crashes or hangs ends that process and another one is started: the
 * caller sees only the result.
 */
#ifndef MUSTER_RUN_EXEC_H
#define MUSTER_RUN_EXEC_H

#include "run/launch.h"

struct exec_unit {
	uint32_t unit;	 /* id, as in the site table */
	uint32_t first;	 /* its first counter in the dense array */
	uint32_t count;
};

struct exec_result {
	enum run_end end;
	int signal, code;
	double seconds; /* of the processor, so that a busy machine makes no run dearer; by the clock if it did little but wait */
	int looped;	 /* ran inside the loop: process state of earlier runs may matter */
	uint8_t *counters; /* dense, exec's own; valid until the next run. Blocks of a unit with several copies are added. */
	uint32_t count;
	int scribbled; /* the target wrote over its counters: those after that place are lost */
	int quiet; /* exec_batch, exec_until: no run was the one that was looked for; there are no counters */
	uint64_t signature; /* of the classes of its counters, for comparison with another of the same program; 0: not known, it was not looped */
};

struct exec_input {
	const void *data;
	size_t size;
	uint64_t signature; /* as that of the result; filled in for all that were run */
};

/* What was seen of each counter, by its place in the dense array: a bit for each class (muster/cov.h). */
struct exec_seen {
	const uint8_t *classes;
	uint32_t count;
	uint64_t version; /* another whenever classes are */
};

struct exec;
/* options as for launcher_open with the cov variant's path; its shm is exec's own business. no_loop: a process for each run. */
int exec_open(struct exec **e, const struct launch_options *options, int no_loop);
void exec_close(struct exec *e);
/* 0 with *r, whatever the target did; -1 with words if it cannot be run at all. */
int exec_run(struct exec *e, const void *data, size_t size, struct exec_result *r);
/* Runs inputs one after the other, up to the first that takes something not in `seen`, or does not come back from the harness: *done of them, of which the last has *r.
 * All before it came back and took nothing new. It may stop earlier, at least one further on; without a loop it runs one. */
int exec_batch(struct exec *e, struct exec_input *inputs, uint32_t count, const struct exec_seen *seen, uint32_t *done, struct exec_result *r);
/* on: a batch ends by what its inputs do, never because it lasts. */
void exec_set_patient(struct exec *e, int on);
/* As exec_batch, up to the first with this signature of a looped run. */
int exec_until(struct exec *e, struct exec_input *inputs, uint32_t count, uint64_t signature, uint32_t *done, struct exec_result *r);
/* The same as exec_run in a process of its own, whatever ran before: what it shows is the input's doing alone. */
int exec_fresh(struct exec *e, const void *data, size_t size, struct exec_result *r);
/* Runs cost less while the calling thread is bound to the processor that the target is on. Each exec_run
 * binds it and lets it go again; between exec_burst(e, 1) and exec_burst(e, 0) it stays. Threads made meanwhile would stay there
 * too. */
void exec_burst(struct exec *e, int on);
/* Another limit for a run (launch_limit), from the next one on. */
void exec_set_time(struct exec *e, double seconds);
/* The seconds of a run by the launcher, counted in the same way. */
double exec_cost(const struct run_result *r);
/* The seconds of all runs so far; NULL has had none. */
double exec_spent(const struct exec *e);
/* The units registered so far: dense positions never change, new units (dlopen) are appended. */
const struct exec_unit *exec_units(const struct exec *e, uint32_t *count);

#endif
