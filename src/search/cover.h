/* cover.h: which branch outcomes were seen, and how often, over a whole search. */
#ifndef MUSTER_SEARCH_COVER_H
#define MUSTER_SEARCH_COVER_H

#include "base/map.h"
#include "run/exec.h"

struct cover_news {
	uint32_t outcomes; /* never seen before */
	uint32_t classes;  /* seen before, but not that many times in one run: 1, 2, 3, 4-7, 8-15,
			      16-31, 32-127, 128+ */
};

struct cover {
	uint8_t *seen; /* by dense index of exec: a bit for each class */
	uint32_t count, cap;
	uint64_t covered; /* outcomes seen */
	uint64_t version; /* another whenever seen is */
};

void cover_init(struct cover *c);
void cover_release(struct cover *c);
/* Compares a run's counters with what was seen; add: and takes them over. changed (may be NULL)
 * hears of each outcome whose mask grew, with the new mask. Fast where nothing is new: eight
 * counters at a time. */
struct cover_news cover_look(struct cover *c, const struct exec_result *r, int add,
			     void (*changed)(void *ctx, uint32_t index, uint8_t mask), void *ctx);
void cover_forget(struct cover *c); /* nothing was seen */
void cover_set(struct cover *c, uint32_t index, uint8_t mask); /* when a search is resumed */
/* A hash of the classes of all counters: equal for runs that differ in nothing that cover_look
 * could see. */
uint64_t cover_signature(const struct exec_result *r);
static inline int cover_has(const struct cover *c, uint32_t index)
{
	return index < c->count && c->seen[index];
}

#endif
