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
int mutation_slice(struct mutation *m); /* until search_paused; -1 with words */

#endif
