/* minimize.h: a smaller and plainer input that still does what matters.
 *
 *	struct minimize m = {.keeps = same_bug, .ctx = &c};
 *	if (minimize_input(&m, &data) < 0) ...      // data is replaced by the smaller one
 *
 * What matters is the callback's to say; the result is the last input it accepted. The same
 * answers give the same result.
 */
#ifndef MUSTER_SEARCH_MINIMIZE_H
#define MUSTER_SEARCH_MINIMIZE_H

#include "base/buf.h"

#include <stdint.h>

struct repair;

#define MINIMIZE_RUNS 5000 /* runs of one minimisation | the option's default */

struct minimize {
	/* 1: this input does it too; 0: it does not; negative: stop, with words. */
	int (*keeps)(void *ctx, const void *data, size_t size);
	void *ctx;
	uint64_t max_runs; /* calls of keeps, and traces; 0: MINIMIZE_RUNS */
	/* Asked once, when nothing more goes without it: what makes lengths and checksums true again where a removal breaks them (repair.h). It stays the caller's. NULL, or
	 * a result of NULL: nothing does. */
	struct repair *(*repair)(void *ctx);
	/* Results. */
	uint64_t runs;	   /* calls of keeps */
	uint64_t traces;   /* runs for repairs */
	uint64_t repaired; /* candidates that were accepted only after a repair */
	size_t removed;	   /* bytes */
	size_t changed;	   /* bytes made '0', ' ' or 0 */
};

enum minimize_end {
	MINIMIZE_DONE,	 /* no single byte was found that can be removed or made plainer */
	MINIMIZE_BUDGET, /* max_runs were used up: as small as it came */
	MINIMIZE_NOT,	 /* the input as it is does not do it: nothing was changed */
};
/* enum minimize_end, or -1 with words; data is then the best so far. */
int minimize_input(struct minimize *m, struct buf *data);

#endif
