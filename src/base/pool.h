/* pool.h: work in forked processes, as many at once as there are processors.
 *
 *	pool_open(&p);
 *	for (...)
 *		pool_start(&p, make, thing);    // waits while all processors are busy
 *	pool_finish(&p);
 *	pool_close(&p);
 *
 * A job may have a pool of its own (pool_nested): all pools of a command share the processors. Jobs end with the command's deadline
 * (deadline.h). The first failure is the pool's: nothing is started after it, what runs is waited for.
 */
#ifndef MUSTER_POOL_H
#define MUSTER_POOL_H

#include <sys/types.h>

#define POOL_MAX 64 /* jobs at once */

struct pool {
	int tokens[2]; /* a pipe with a byte for each processor that is free, but for one that each pool has for itself */
	int nested;    /* the pipe is that of the pool above */
	int failed;
	char *words; /* of the first failure */
	/* What is at work, for progress: called a few times a second with what the oldest job was started with. */
	void (*tick)(void *ctx, void *work);
	void *ctx;
	const char *(*name)(void *work); /* for words about a job that says nothing itself: "NAME: it crashed" */
	struct pool_job {
		pid_t pid; /* 0: none */
		int fd;	   /* its words, if it fails */
		int token; /* it has a token: else the processor that is the pool's own */
		void *work;
	} jobs[POOL_MAX];
};

int pool_open(struct pool *p);				   /* 0, -1 with words */
void pool_one(void); /* pools that this process opens from now on run one job at a time */
void pool_nested(struct pool *p, const struct pool *above); /* in a job of `above` */
/* Calls f(work) in a process of its own; f returns 0, or -1 with words. The process ends after it: nothing needs to be freed.
 * -1 with words if the pool has failed. */
int pool_start(struct pool *p, int (*f)(void *work), void *work);
int pool_finish(struct pool *p); /* waits for all; -1 with the words of the first failure */
void pool_close(struct pool *p);

#endif
