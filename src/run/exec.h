/* exec.h: the cov variant, very often.
 *
 * Runs one input after the other and gives the counters of each. A harness
 * (LLVMFuzzerTestOneInput) is called in a loop inside one process, with the input in
 * shared memory; other programs get a process each from the fork server. A run in the loop
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
	double seconds;
	int looped;	 /* ran inside the loop: process state of earlier runs may matter */
	uint8_t *counters; /* dense, exec's own; valid until the next run. Blocks of a unit with several copies are added. */
	uint32_t count;
	int scribbled; /* the target wrote over its counters: those after that place are lost */
};

struct exec;
/* options as for launcher_open with the cov variant's path; its shm is exec's own business. no_loop: a process for each run. */
int exec_open(struct exec **e, const struct launch_options *options, int no_loop);
void exec_close(struct exec *e);
/* 0 with *r, whatever the target did; -1 with words if it cannot be run at all. */
int exec_run(struct exec *e, const void *data, size_t size, struct exec_result *r);
/* The same in a process of its own, whatever ran before: what it shows is the input's doing alone. */
int exec_fresh(struct exec *e, const void *data, size_t size, struct exec_result *r);
/* Runs cost less while the calling thread is bound to the processor that the target is on. Each exec_run
 * binds it and lets it go again; between exec_burst(e, 1) and exec_burst(e, 0) it stays. Threads made meanwhile would stay there
 * too. */
void exec_burst(struct exec *e, int on);
/* Another limit for a run (launch_limit), from the next one on. */
void exec_set_time(struct exec *e, double seconds);
/* Seconds that all runs so far took, of the target's own time. */
double exec_spent(const struct exec *e);
/* The units registered so far: dense positions never change, new units (dlopen) are appended. */
const struct exec_unit *exec_units(const struct exec *e, uint32_t *count);

#endif
