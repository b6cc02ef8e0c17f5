/* token.h: names in a piece of C, without a parser. */
#ifndef MUSTER_BASE_TOKEN_H
#define MUSTER_BASE_TOKEN_H

#include <stddef.h>

size_t token_name(const char *s); /* length of the name that begins there; 0: none does */
/* After what begins there and is no name: a number with its suffixes, a string, a character constant, or a single character. */
const char *token_skip(const char *s);

#endif
