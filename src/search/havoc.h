/* havoc.h: changed inputs, without knowing the program: the mutation stage's hands.
 *
 * Deterministic small changes first (walking bits, bytes, small arithmetic, interesting
 * values, dictionary words at every place), then random stacks of changes, splices
 * of two inputs, and insertions of dictionary words. Everything is a function of the seed. */
#ifndef MUSTER_SEARCH_HAVOC_H
#define MUSTER_SEARCH_HAVOC_H

#include "base/buf.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct havoc_word {
	uint8_t data[32];
	uint8_t size;
};
struct havoc {
	uint64_t state; /* of the random numbers */
	uint64_t limit; /* largest input to make */
	VEC(struct havoc_word)
	words; /* without repetition, at most HAVOC_WORDS; the oldest automatic one gives way */
	struct map hashes;   /* of all words that were ever among them, and maybe of others */
	uint32_t user_words; /* the first of them are the user's and stay */
};
#define HAVOC_WORDS LIMIT(8192, 2) /* dictionary words of a search | libxml2 has 870 in its strings, cmark 1,800; the last 512 of them are names that only its HTML parser knows */

void havoc_init(struct havoc *h, uint64_t seed, uint64_t limit);
void havoc_release(struct havoc *h);
void havoc_word(struct havoc *h, const void *data,
		size_t size); /* a constant that a comparison showed */
int havoc_dictionary(
    struct havoc *h,
    const char *path); /* AFL's and libFuzzer's format; -1 with words and the line */
uint64_t havoc_random(struct havoc *h, uint64_t below);

/* The deterministic changes of an input, one for each step from 0; 0 when there are no more. Steps
 * of inputs over a few KiB are thinned so that their number stays bounded. */
int havoc_step(struct havoc *h, const uint8_t *data, size_t size, uint64_t step, struct buf *out);
/* A random one. other (may be NULL) is another input of the queue to splice with. hot (may be
 * NULL): offsets worth changing. */
void havoc_stack(struct havoc *h, const uint8_t *data, size_t size, const uint8_t *other,
		 size_t other_size, const uint32_t *hot, uint32_t hot_count, struct buf *out);

#endif
