/* utf8.h: text whose bytes may be anything. */
#ifndef MUSTER_UTF8_H
#define MUSTER_UTF8_H

#include <stddef.h>

/* Bytes of the valid UTF-8 sequence at s, of n bytes; 0 if there is none. */
size_t utf8_length(const void *s, size_t n);

#endif
