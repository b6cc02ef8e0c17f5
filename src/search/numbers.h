/* numbers.h: numbers in the text of a seed, with as many digits as types have. */
#ifndef MUSTER_SEARCH_NUMBERS_H
#define MUSTER_SEARCH_NUMBERS_H

#include "search/search.h"

/* Offers variants of a seed whose first numbers have more digits. 0, -1. */
int search_offer_numbers(struct search *s, const uint8_t *data, size_t size);

#endif
