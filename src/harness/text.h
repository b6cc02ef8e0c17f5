/* text.h: values as C writes them. What is printed denotes exactly the value it was made from,
 * unless said otherwise. */
#ifndef MUSTER_HARNESS_TEXT_H
#define MUSTER_HARNESS_TEXT_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* The integer in `size` (1 to 16) little-endian bytes. */
void text_integer(struct buf *out, const uint8_t *bytes, size_t size, int is_signed);
/* 'a', '\n', or the number where the character has no picture. */
void text_char(struct buf *out, uint8_t c, int is_signed);
/* A string literal of these n bytes, any of them. */
void text_string(struct buf *out, const uint8_t *bytes, size_t n);
/* A float, double or long double: the shortest decimal (long double: hex) that reads back as it; -1
 * if that is none of these sizes. Infinities and the quiet NaN as GNU C's builtins, or as inf and
 * nan for people. Returns 0 for other NaNs, whose text is that of the quiet one; else 1. */
int text_float(struct buf *out, const uint8_t *bytes, size_t size, int people);
/* JSON: a string of bytes, each of them below 128. */
void text_json_string(struct buf *out, const char *s, size_t n);

#endif
