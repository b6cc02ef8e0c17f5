/* mutation.h: the mutation stage's place in a search. */
#ifndef MUSTER_SEARCH_MUTATION_H
#define MUSTER_SEARCH_MUTATION_H

#include "search/search.h"

struct mutation;
/* NULL with words if the user's dictionary cannot be read. */
struct mutation *mutation_new(struct search *s);
void mutation_free(struct mutation *m); /* NULL is fine */
/* Copies it. r: its run, or NULL if there is none at hand. */
void mutation_add(struct mutation *m, const struct search_test *t, const struct exec_result *r);
size_t mutation_count(const struct mutation *m); /* inputs to change */
void mutation_word(struct mutation *m, const void *data, size_t size);
/* An input that is worth a run, made of that test: the stage runs it when its turn comes, or not at all. */
void mutation_offer(struct mutation *m, uint64_t test, const void *data, size_t size);
int mutation_takes_offers(const struct mutation *m);
/* Calls back with words that begin with the character, in either case if so asked; a bounded number, others each time. */
void mutation_words_from(struct mutation *m, uint8_t first, int either_case, size_t at, void (*use)(void *ctx, size_t at, const void *word, size_t size),
			 void *ctx);
int mutation_slice(struct mutation *m); /* until search_paused; -1 with words */

#endif
