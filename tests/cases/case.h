/* case.h: what the feature cases share: the whole standard input in one buffer,
 * and little-endian numbers taken from it. */
#ifndef CASE_H
#define CASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char in[256];

static inline long load(void) {
	return read(0, in, sizeof in);
}

static inline uint16_t u16(int at) {
	uint16_t v;
	memcpy(&v, in + at, sizeof v);
	return v;
}

static inline uint32_t u32(int at) {
	uint32_t v;
	memcpy(&v, in + at, sizeof v);
	return v;
}

static inline uint64_t u64(int at) {
	uint64_t v;
	memcpy(&v, in + at, sizeof v);
	return v;
}

/* A branch at the line that uses it; what it found is the case's output. */
#define IF(c)                                                                                      \
	do {                                                                                       \
		if (c)                                                                             \
			puts("yes " #c);                                                           \
		else                                                                               \
			puts("no " #c);                                                            \
	} while (0)

#endif
