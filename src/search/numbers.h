/* numbers.h: numbers in the text of inputs, with as many digits as types have.
 *
 *	search_offer_numbers(s, seed, size);   // a seed: at once
 *	numbers_note(s, &test);                // a test that covers something new: when there is time
 *	numbers_offer_next(s);
 */
#ifndef MUSTER_SEARCH_NUMBERS_H
#define MUSTER_SEARCH_NUMBERS_H

#include "search/search.h"

/* Offers variants of a seed whose first numbers have more digits. 0, -1. */
int search_offer_numbers(struct search *s, const uint8_t *data, size_t size);
/* The test was kept for what it covers: the same is done for the first few of them later. */
void numbers_note(struct search *s, const struct search_test *t);
/* Does it for the next one. 0: none waits, or it is done; -1. */
int numbers_offer_next(struct search *s);
void numbers_release(struct search *s);

#endif
