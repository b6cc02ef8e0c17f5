/* stage.h: the mutation stage: mutants of the inputs in a queue, run as fast as they can be.
 *
 *	struct stage *st = stage_new(&options, exec, cover, havoc, &hooks);
 *	stage_add(st, id, data, size, &result);        // seeds; later from hooks.found
 *	while (...)
 *		stage_run(st, 10000);                  // runs to make
 *
 * The queue is the stage's own: inputs are copied. What is found is the caller's: found()
 * takes over its coverage (cover_look with add) and calls stage_add if it keeps the input.
 *
 * Given the same seed of havoc, the same calls and `repeatable`, the stage does the same.
 */
#ifndef MUSTER_SEARCH_STAGE_H
#define MUSTER_SEARCH_STAGE_H

#include "run/exec.h"
#include "search/cover.h"
#include "search/havoc.h"

struct stage_options {
	int repeatable;	    /* time decides nothing */
	int no_steps;	    /* no deterministic changes */
	int no_trim;	    /* found inputs stay as long as they are */
	uint32_t trim_runs; /* for one found input, at most; 0: 256 */
};

struct stage_hooks {
	void *ctx;
	/* An input with new outcomes or classes, or one whose run ended by a signal or at a limit.
	 * -1: stop, with words. */
	int (*found)(void *ctx, uint64_t parent, const uint8_t *data, size_t size,
		     const struct exec_result *r, struct cover_news news);
	/* Asked every few runs; nonzero ends stage_run. May be NULL. */
	int (*pause)(void *ctx);
};

struct stage_stats {
	uint64_t runs, mutants, steps,
	    repeated; /* repeated: mutants not run, since they were before */
	uint64_t trim_runs, trimmed_bytes, rounds;
	uint64_t offers, offers_found; /* runs of inputs that were offered, and how many of them showed something new */
	uint64_t found;		       /* of all others */
	uint64_t cycles; /* times that every input of the queue had its round */
};

struct stage;
/* Everything is borrowed but the options. */
struct stage *stage_new(const struct stage_options *o, struct exec *e, const struct cover *c,
			struct havoc *h, const struct stage_hooks *hooks);
void stage_free(struct stage *st); /* NULL is fine */

/* An input for the queue. r: its run, or NULL if the caller has none at hand: it is then run once
 * before it is used. */
void stage_add(struct stage *st, uint64_t id, const void *data, size_t size,
	       const struct exec_result *r);
/* An input that is worth a run, made of that input of the queue. Those that wait are a bounded number: others are dropped. */
void stage_offer(struct stage *st, uint64_t parent, const void *data, size_t size);
/* Is there room for more? */
int stage_takes_offers(const struct stage *st);
size_t stage_count(const struct stage *st);

/* About that many runs. 0; -1 with words if the target cannot be run or a hook failed. Returns
 * early when paused, and at once if the queue is empty. */
int stage_run(struct stage *st, uint64_t runs);
const struct stage_stats *stage_stats(const struct stage *st);

/* Shortens an input as far as its run keeps the same signature: blocks are taken out, their size
 * halved each time, with at most max_runs runs. *r becomes the run of what is left. 1 if it got
 * shorter, 0, -1 with words. */
int stage_trim(struct stage *st, struct buf *data, struct exec_result *r, uint32_t max_runs);

#endif
