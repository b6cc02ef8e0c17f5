/* cpu.h: the processor that a thread and the processes it talks to share.
 *
 * Waking a process on another processor can take longer than a short run. A thread that waits for a target all the
 * time therefore goes to the target's processor while it does. Which one that is may change: when others
 * came to it and another one is idle.
 */
#ifndef MUSTER_RUN_CPU_H
#define MUSTER_RUN_CPU_H

#include <sched.h>
#include <stdint.h>

struct cpu {
	int chosen; /* from 1; 0: none yet */
	int fixed;  /* the caller's choice */
	int bound;
	cpu_set_t mask; /* of the thread before it was bound */
	int64_t looked; /* when cpu_look had its last look */
	uint64_t delay; /* what the thread had waited until then, ns */
	uint64_t idle[CPU_SETSIZE]; /* of each processor, in ticks */
};

void cpu_init(struct cpu *c, int wanted); /* wanted: from 1; 0: no wish */
/* Binds the calling thread. 1 if c->chosen changed by that. Nothing happens where there is only one processor. */
int cpu_bind(struct cpu *c);
void cpu_unbind(struct cpu *c);
/* Now and then, by the same thread: 1 if another processor is better; c->chosen is that one, and the thread is there if it was bound. */
int cpu_look(struct cpu *c);

#endif
